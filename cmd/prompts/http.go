package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// httpOptions are the flags of serve for HTTP.
type httpOptions struct {
	address, cert, key, tokens string
	hosts, origins             []string
}

// checkHosts reports a value of --allow-host that no Host header can have.
func checkHosts(hosts []string) error {
	for _, host := range hosts {
		if host == "" || strings.ContainsAny(host, "/ *") {
			return usageErrorf("--allow-host must have the form mcp.example.org or mcp.example.org:8080, got %q", host)
		}
	}
	return nil
}

// isOrigin reports whether a value of --allow-origin is a scheme and a host, with a port
// if the origin has one.
func isOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		strings.EqualFold(origin, u.Scheme+"://"+u.Host) && !strings.Contains(u.Host, "*")
}

// drainTimeout is how long requests have to finish when the server stops.
const drainTimeout = 10 * time.Second

// serve serves the registry until ctx ends, and then lets requests finish.
func (o *httpOptions) serve(ctx context.Context, reg *prompts.Registry, options prompts.Options) error {
	authenticate := func(next http.Handler) http.Handler { return next }
	if o.tokens != "" {
		tokens, err := readTokens(o.tokens)
		if err != nil {
			return err
		}
		authenticate = tokens.authenticate
		options.Principal = principal
	}
	listener, err := o.listen(options.Logger, reg.Len())
	if err != nil {
		return err
	}
	handler := streamablehttp.NewHandler(prompts.NewServer(reg, options), streamablehttp.Options{AllowedHosts: o.hosts, AllowedOrigins: o.origins})
	var isStopping atomic.Bool
	server := &http.Server{
		Handler:           routes(authenticate(handler), &isStopping),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(options.Logger.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { // ends with Shutdown or Close
		if o.cert != "" {
			served <- server.ServeTLS(listener, o.cert, o.key)
		} else {
			served <- server.Serve(listener)
		}
	}()
	select {
	case err := <-served:
		return errors.Join(err, handler.Close())
	case <-ctx.Done():
	}
	isStopping.Store(true)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	// The handler stops first: the server waits for the streams that it has open.
	err = errors.Join(handler.Shutdown(ctx), server.Shutdown(ctx))
	if err != nil {
		_ = server.Close()
	}
	<-served
	return err
}

// listen checks the certificate, opens the address, and logs the URL of the server.
func (o *httpOptions) listen(logger *slog.Logger, prompts int) (net.Listener, error) {
	scheme := "http"
	if o.cert != "" {
		scheme = "https"
		if _, err := tls.LoadX509KeyPair(o.cert, o.key); err != nil {
			return nil, fmt.Errorf("load certificate: %w", err)
		}
	}
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		return nil, err
	}
	logger.Info("serving", slog.String("url", scheme+"://"+localAddress(listener)+"/mcp"), slog.Int("prompts", prompts))
	if a, ok := listener.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() && o.tokens == "" {
		logger.Warn("serving without authentication; set --tokens")
	}
	return listener, nil
}

// localAddress returns the host and port at which this machine reaches a listener. A
// listener for all addresses is reached at localhost.
func localAddress(l net.Listener) string {
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(a.Port))
	}
	return l.Addr().String()
}

// routes returns the handler of all paths: the endpoint and the health of the server.
func routes(endpoint http.Handler, isStopping *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if isStopping.Load() {
			http.Error(w, "server is shutting down", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// tokens has the names of clients by the hashes of their tokens, so that the time of a
// search says nothing of a token.
type tokens map[[sha256.Size]byte]string

// readTokens reads a file with lines NAME TOKEN.
func readTokens(path string) (tokens, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := tokens{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(strings.TrimPrefix(lines.Text(), "\ufeff")) // of an editor on Windows
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s:%d: expected the name of a client and its token, got %d words", path, n, len(fields))
		}
		hash := sha256.Sum256([]byte(fields[1]))
		if other, twice := all[hash]; twice {
			return nil, fmt.Errorf("%s:%d: clients %s and %s have the same token", path, n, other, fields[0])
		}
		all[hash] = fields[0]
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no tokens; write a line NAME TOKEN for each client", path)
	}
	return all, nil
}

type principalKey struct{}

func principal(ctx context.Context) string {
	name, _ := ctx.Value(principalKey{}).(string)
	return name
}

// authenticate answers requests without a valid bearer token with 401.
func (t tokens) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions { // a CORS preflight, which has no credentials
			next.ServeHTTP(w, r)
			return
		}
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		name, ok := t[sha256.Sum256([]byte(strings.TrimSpace(token)))]
		if !ok || !strings.EqualFold(scheme, "Bearer") {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "missing or unknown bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, name)))
	})
}
