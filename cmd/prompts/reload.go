package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
)

const (
	readTimeout    = 10 * time.Second // of tokens or of a certificate
	maxCredentials = 16 << 20         // bytes of a file of tokens or of a certificate
)

// reloaded is read again when a file changes; invalid content changes nothing. Safe for concurrent use.
type reloaded[T any] struct {
	paths   []string
	parse   func(contents [][]byte) (T, error)
	replace func(old, next T) // if not nil, is called before next takes the place of old
	logger  *slog.Logger

	reading chan struct{} // holds a value while the files are read
	failure string        // the last error, which is logged once
	state   atomic.Pointer[reloadedState[T]]
}

type reloadedState[T any] struct {
	value    T
	contents [][]byte
	infos    []fs.FileInfo // nil if a file could not be read
}

// newReloaded reads the files. A file that cannot be read is a [fs.PathError].
func newReloaded[T any](ctx context.Context, logger *slog.Logger, paths []string, parse func([][]byte) (T, error), replace func(old, next T)) (*reloaded[T], error) {
	r := &reloaded[T]{paths: paths, parse: parse, replace: replace, logger: logger, reading: make(chan struct{}, 1)}
	contents, infos, err := readFiles(ctx, paths)
	if err != nil {
		return nil, err
	}
	value, err := parse(contents)
	if err != nil {
		return nil, err
	}
	r.state.Store(&reloadedState[T]{value, contents, infos})
	return r, nil
}

// get returns the zero value if ctx ends first: what the files had before may no longer apply.
func (r *reloaded[T]) get(ctx context.Context) (value T) {
	if s := r.state.Load(); !isCurrent(r.paths, s.infos) {
		if r.reload(ctx, false); ctx.Err() != nil {
			return value
		}
	}
	return r.state.Load().value
}

func isCurrent(paths []string, infos []fs.FileInfo) bool {
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil || i >= len(infos) || !regular.IsSame(infos[i], info) {
			return false
		}
	}
	return true
}

// reload reads the files, whatever the system says of their times. isAsked is true if a
// person wants that, and is to see what became of it. When ctx ends, reload returns, and the
// files are read to their end nevertheless: at most readTimeout later, others get the value.
func (r *reloaded[T]) reload(ctx context.Context, isAsked bool) {
	select {
	case r.reading <- struct{}{}:
	case <-ctx.Done():
		return
	}
	_, _ = regular.UnlessEnded(ctx, true, func() (none struct{}, _ error) {
		isNews, failure := r.read(isAsked)
		switch {
		case failure != "":
			r.logger.Error("files not read again", slog.Any("paths", r.paths), slog.String("error", failure))
		case isNews:
			r.logger.Info("files read again", slog.Any("paths", r.paths))
		}
		return none, nil
	})
}

// read ends the reading. It reports a new value, or returns a failure that is to be logged.
func (r *reloaded[T]) read(isAsked bool) (isNews bool, failure string) {
	defer func() { <-r.reading }()
	old := r.state.Load()
	next := &reloadedState[T]{value: old.value}
	defer r.state.Store(next)
	var err error
	if next.contents, next.infos, err = readFiles(context.Background(), r.paths); err == nil {
		if !isAsked && r.failure == "" && slices.EqualFunc(old.contents, next.contents, bytes.Equal) {
			return false, ""
		}
		next.value, err = r.parse(next.contents)
	}
	if err != nil {
		next.value, next.contents = old.value, old.contents
		if isAsked || r.failure != err.Error() {
			r.failure = err.Error()
			return false, r.failure
		}
		return false, ""
	}
	r.failure = ""
	if r.replace != nil {
		r.replace(old.value, next.value)
	}
	return true, ""
}

// readFiles asks for the infos before it reads, so that a change meanwhile is found.
func readFiles(ctx context.Context, paths []string) (contents [][]byte, infos []fs.FileInfo, err error) {
	limited, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, err
		}
		content, err := regular.ReadFile(limited, path, maxCredentials)
		if err != nil {
			return nil, nil, err
		}
		contents, infos = append(contents, content), append(infos, info)
	}
	return contents, infos, nil
}

// tokens has clients by the hashes of their tokens: the time of a search says nothing of a token.
type tokens map[[sha256.Size]byte]*tokenClient

type tokenClient struct {
	name    string
	removed context.Context // ends when the file no longer has the client with its token
	remove  context.CancelFunc
}

func parseTokens(path string, content []byte) (tokens, error) {
	all := tokens{}
	n := 0
	for line := range strings.Lines(promptfile.Text(content)) {
		n++
		fields := strings.Fields(line)
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
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no tokens", path)
	}
	return all, nil
}

// replaceTokens keeps the clients that are in both files, and ends the requests of the others.
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

// authenticate answers others with 401. A request ends when its token is removed.
func authenticate(known *reloaded[tokens], next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions { // a CORS preflight, which has no credentials
			next.ServeHTTP(w, r)
			return
		}
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		token = strings.TrimSpace(token)
		client, ok := known.get(r.Context())[sha256.Sum256([]byte(token))]
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
