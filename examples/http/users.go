package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
)

// user is the owner of a token, with the scopes of the token.
type user struct {
	name   string
	scopes []string
}

// tokens are kept as hashes, so that looking one up takes the same time
// whatever it is.
var tokens = map[[sha256.Size]byte]user{
	sha256.Sum256([]byte("editor-token")): {"ada", []string{"write"}},
	sha256.Sum256([]byte("reader-token")): {"bob", nil},
}

type userKey struct{}

// authenticate passes on only requests with a valid token, with the user in their
// context.
func authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions { // a CORS preflight, which has no credentials
			next.ServeHTTP(w, r)
			return
		}
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		u, ok := lookUp(token)
		if isBearer := strings.EqualFold(scheme, "Bearer"); !isBearer || !ok {
			challenge := "Bearer"
			if isBearer && token != "" { // a request without a token gets no error code (RFC 6750)
				challenge += ` error="invalid_token"`
			}
			w.Header().Set("WWW-Authenticate", challenge)
			http.Error(w, "missing or unknown bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, u)))
	})
}

func lookUp(token string) (found user, ok bool) {
	hash := sha256.Sum256([]byte(token))
	for known, u := range tokens {
		if subtle.ConstantTimeCompare(known[:], hash[:]) == 1 {
			found, ok = u, true
		}
	}
	return found, ok
}

// userName is the principal: sessions, and what travels through a client
// between its requests, are good only for the user they were made for.
func userName(ctx context.Context) (string, error) {
	u, _ := ctx.Value(userKey{}).(user)
	return u.name, nil
}

// isAllowed is the filter: a prompt with tags is for those whose token has one
// of them as a scope.
func isAllowed(ctx context.Context, p prompts.Prompt) (bool, error) {
	u, _ := ctx.Value(userKey{}).(user)
	return len(p.Tags) == 0 || slices.ContainsFunc(p.Tags, func(tag string) bool { return slices.Contains(u.scopes, tag) }), nil
}
