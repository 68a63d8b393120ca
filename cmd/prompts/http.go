package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/wrongpath"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

type httpOptions struct {
	address, cert, key, tokens string
	hosts, origins             []string
	isInsecure                 bool
}

func (o *httpOptions) check() error {
	if o.address == "" {
		if o.cert != "" || o.key != "" || o.tokens != "" || len(o.hosts) > 0 || len(o.origins) > 0 || o.isInsecure {
			return usageErrorf("--cert, --key, --tokens, --allow-host, --allow-origin and --insecure need --http")
		}
		return nil
	}
	if (o.cert == "") != (o.key == "") {
		return usageErrorf("--cert and --key need each other")
	}
	if err := checkAllowed(o.hosts, o.origins); err != nil {
		return err
	}
	if err := checkAddress("--http", o.address); err != nil {
		return err
	}
	address, err := net.ResolveTCPAddr("tcp", o.address)
	if err != nil {
		return fmt.Errorf("--http %s: %w", o.address, err)
	}
	if o.tokens == "" && len(o.hosts) == 0 && !o.isInsecure && !address.IP.IsLoopback() {
		return usageErrorf("--http %s is not a loopback address, and pages of any site could call the server; set --tokens, or --allow-host with the name of the server, or --insecure to answer everybody", o.address)
	}
	o.address = address.String() // the one that was checked
	return nil
}

func checkAddress(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return usageErrorf("%s must have the form 127.0.0.1:8080 or :8080, got %q", flag, address)
	}
	return nil
}

// checkAllowed reports a value of --allow-host or --allow-origin that no header can have.
func checkAllowed(hosts, origins []string) error {
	srv, err := prompts.NewServer(new(prompts.Registry), prompts.Options{})
	if err != nil {
		return err
	}
	handler, err := streamablehttp.NewHandler(srv, streamablehttp.Options{AllowedHosts: hosts, AllowedOrigins: origins})
	if err != nil {
		return usageErrorf("%s", flagNames.Replace(errors.Unwrap(err).Error()))
	}
	return handler.Close()
}

// flagNames replaces options of package streamablehttp by the flags for them.
var flagNames = strings.NewReplacer(
	"streamablehttp.Options.", "", "AllowedHosts", "--allow-host", "AllowedOrigins", "--allow-origin")

const (
	drainTimeout = 10 * time.Second // for requests to finish when the server stops
	pollInterval = time.Second      // of files of tokens and certificates; no new request waits for that
)

// credentials are the tokens and the certificate of a server, each nil without its flag.
type credentials struct {
	tokens      *reloaded[tokens]
	certificate *reloaded[*tls.Certificate]
	reload      []func(ctx context.Context, isAsked bool) // of both
}

func (o *httpOptions) load(ctx context.Context, logger *slog.Logger) (c credentials, err error) {
	if o.tokens != "" {
		parse := func(contents [][]byte) (tokens, error) { return parseTokens(o.tokens, contents[0]) }
		if c.tokens, err = newReloaded(ctx, logger, []string{o.tokens}, parse, replaceTokens); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return c, usageErrorf("--tokens: file %s does not exist", o.tokens)
			}
			return c, usageErrorf("--tokens must be a file with a line NAME TOKEN for each client: %w", err)
		}
		c.reload = append(c.reload, c.tokens.reload)
	}
	if o.cert != "" {
		parse := func(contents [][]byte) (*tls.Certificate, error) {
			pair, err := tls.X509KeyPair(contents[0], contents[1])
			return &pair, err
		}
		if c.certificate, err = newReloaded(ctx, logger, []string{o.cert, o.key}, parse, nil); err != nil {
			return c, usageErrorf("--cert and --key must be a certificate and its key in PEM format: %w", err)
		}
		c.reload = append(c.reload, c.certificate.reload)
	}
	return c, nil
}

// follow reads the files again at SIGHUP, and from time to time, until ctx ends.
func (c credentials) follow(ctx context.Context, hangups <-chan os.Signal, ticks <-chan time.Time) {
	for {
		isAsked := false
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			isAsked = true
		case <-ticks:
		}
		for _, reload := range c.reload {
			reload(ctx, isAsked)
		}
	}
}

func (o *httpOptions) serve(ctx context.Context, reg *prompts.Registry, options prompts.Options, c credentials) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	following, unfollow := context.WithCancel(ctx)
	defer unfollow()
	go c.follow(following, hangups, ticker.C) // ends with following

	if c.tokens != nil {
		options.Principal = principal
	}
	srv, err := prompts.NewServer(reg, options)
	if err != nil {
		return err
	}
	listener, err := o.listen(options.Logger, reg.Len())
	if err != nil {
		return err
	}
	handler, err := streamablehttp.NewHandler(srv, streamablehttp.Options{AllowedHosts: o.hosts, AllowedOrigins: o.origins})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	var endpoint http.Handler = handler
	if c.tokens != nil {
		if len(o.hosts) == 0 {
			endpoint = withAnyHost(endpoint)
		}
		endpoint = authenticate(c.tokens, endpoint)
	}
	var isStopping atomic.Bool
	server := &http.Server{
		Handler:           routes(endpoint, wrongpath.Handler("/mcp", srv.Log), &isStopping),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(options.Logger.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { // ends with Shutdown or Close
		if c.certificate != nil {
			server.TLSConfig = &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
				return c.certificate.get(hello.Context()), nil
			}}
			served <- server.ServeTLS(listener, "", "")
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

// withAnyHost allows any Host on a loopback address, as behind a proxy: requests have a token, pages none.
func withAnyHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, nil)))
	})
}

func (o *httpOptions) listen(logger *slog.Logger, prompts int) (net.Listener, error) {
	scheme := "http"
	if o.cert != "" {
		scheme = "https"
	}
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		return nil, err
	}
	logger.Info("serving", slog.String("url", scheme+"://"+localAddress(listener)+"/mcp"), slog.Int("prompts", prompts))
	if o.isInsecure && o.tokens == "" {
		logger.Warn("serving without authentication; set --tokens")
	}
	return listener, nil
}

// localAddress returns where this machine reaches a listener: one for all addresses at localhost.
func localAddress(l net.Listener) string {
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(a.Port))
	}
	return l.Addr().String()
}

func routes(endpoint, others http.Handler, isStopping *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint)
	mux.Handle("/", others)
	health := http.NewServeMux() // of its own: beside the others, a POST of a health path would be another path
	health.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	health.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if isStopping.Load() {
			http.Error(w, "server is shutting down", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("/healthz", health)
	mux.Handle("/readyz", health)
	return mux
}
