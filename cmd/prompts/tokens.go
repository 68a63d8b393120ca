package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
)

// tokenFile has the bearer tokens of a file that is read again.
type tokenFile struct{ *reloaded[tokens] }

// tokens has the clients by the hashes of their tokens, so that the time of a search says
// nothing of a token.
type tokens map[[sha256.Size]byte]*tokenClient

// tokenClient is a client with a token.
type tokenClient struct {
	name    string
	removed context.Context // ends when the file no longer has the client with its token
	remove  context.CancelFunc
}

// parseTokens reads the content of a file with lines NAME TOKEN.
func parseTokens(path string, content []byte) (tokens, error) {
	all := tokens{}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff")))) // of an editor on Windows
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s:%d: must be NAME TOKEN, got %s", path, n, plural(len(fields), "word"))
		}
		hash := sha256.Sum256([]byte(fields[1]))
		if other, twice := all[hash]; twice {
			return nil, fmt.Errorf("%s:%d: clients %s and %s have the same token", path, n, other.name, fields[0])
		}
		client := &tokenClient{name: fields[0]}
		client.removed, client.remove = context.WithCancel(context.Background())
		all[hash] = client
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no tokens", path)
	}
	return all, nil
}

// replaceTokens keeps the clients that are in both files, and ends the requests of the
// others.
func replaceTokens(old, next tokens) {
	for hash, client := range old {
		if same := next[hash]; same != nil && same.name == client.name {
			next[hash] = client
		} else {
			client.remove()
		}
	}
}

type principalKey struct{}

func principal(ctx context.Context) (string, error) {
	name, _ := ctx.Value(principalKey{}).(string)
	return name, nil
}

// authenticate answers requests without a valid bearer token with 401. A request ends
// when its token is removed.
func (f tokenFile) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions { // a CORS preflight, which has no credentials
			next.ServeHTTP(w, r)
			return
		}
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		token = strings.TrimSpace(token)
		client, ok := f.get(r.Context())[sha256.Sum256([]byte(token))]
		if isBearer := strings.EqualFold(scheme, "Bearer"); !ok || !isBearer {
			challenge := "Bearer"
			if isBearer && token != "" { // a request without a token gets no error code (RFC 6750)
				challenge += ` error="invalid_token"`
			}
			w.Header().Set("WWW-Authenticate", challenge)
			http.Error(w, "missing or unknown bearer token", http.StatusUnauthorized)
			return
		}
		ctx, cancel := context.WithCancel(context.WithValue(r.Context(), principalKey{}, client.name))
		defer cancel()
		defer context.AfterFunc(client.removed, cancel)()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
