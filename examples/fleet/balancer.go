package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync/atomic"
	"time"
)

// maxBody is how much of a request the balancer keeps, in bytes, to send it to
// another replica. It is the library's own bound on a message.
const maxBody = 4 << 20

// balancer sends each request to the next replica, whoever it is from. Where a
// replica cannot be reached, the request goes to the one after it. It stands for
// the load balancer of a real fleet, and knows nothing of what it carries. The
// Host that the client has named is passed on: replicas judge by it whether a
// browser's page may call them.
type balancer struct {
	replicas []string // host:port
	next     atomic.Uint64
	base     *http.Transport
}

// newBalancer returns the handler in front of replicas at the given hosts.
func newBalancer(hosts ...string) http.Handler {
	dialer := &net.Dialer{Timeout: 5 * time.Second} // of a machine that does not answer at all
	b := &balancer{replicas: hosts, base: &http.Transport{MaxIdleConnsPerHost: 64, DialContext: dialer.DialContext}}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "replica" // RoundTrip knows which
			r.SetXForwarded()
		},
		Transport:     b,
		FlushInterval: -1, // each event at once
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, "no replica has answered", http.StatusBadGateway)
		},
		ErrorLog: log.New(io.Discard, "", 0), // of clients and replicas that go away
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "the request has not come in full", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		proxy.ServeHTTP(w, r)
	})
}

// RoundTrip sends r to a replica.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	first := b.next.Add(1)
	var failed error
	for i := range b.replicas {
		host := b.replicas[(first+uint64(i))%uint64(len(b.replicas))]
		attempt := r.Clone(r.Context())
		attempt.URL.Host = host
		if r.Body != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, fmt.Errorf("the body of a request: %w", err)
			}
			attempt.Body = body
		}
		response, err := b.base.RoundTrip(attempt)
		if err == nil {
			return response, nil
		}
		failed = errors.Join(failed, err)
		// Only what nobody can have seen is sent again.
		if dial := (*net.OpError)(nil); !errors.As(err, &dial) || dial.Op != "dial" {
			break
		}
	}
	return nil, failed
}
