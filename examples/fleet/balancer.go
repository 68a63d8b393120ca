package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBody is how much of a request the balancer keeps, in bytes, to send it to
	// another replica. It is the library's own bound on a message.
	maxBody = 4 << 20
	// headerTimeout limits how long a replica takes to begin its response, which is
	// longer than a prompt may render.
	headerTimeout = renderTimeout + time.Second
	// A replica is checked every checkInterval, and gets nothing while it does not
	// answer within checkTimeout.
	checkInterval = time.Second
	checkTimeout  = 2 * time.Second
)

// balancer sends each request to the next replica, whoever it is from. If a
// replica cannot be reached, the request goes to the one after it. It stands for
// the load balancer of a real fleet. The Host that the client has named is passed
// on: replicas judge by it whether a browser's page may call them.
//
// It knows one thing of what it carries: a subscription continues at another replica
// when its replica ends (see [stream]).
type balancer struct {
	ctx     context.Context // ends with the balancer
	targets []*target
	next    atomic.Uint64
	base    *http.Transport
	proxy   *httputil.ReverseProxy
}

// newBalancer returns the handler in front of replicas at the given hosts. It
// checks them until ctx ends.
func newBalancer(ctx context.Context, hosts ...string) *balancer {
	dialer := &net.Dialer{Timeout: 5 * time.Second} // of a machine that does not answer at all
	b := &balancer{ctx: ctx, base: &http.Transport{MaxIdleConnsPerHost: 64, DialContext: dialer.DialContext, ResponseHeaderTimeout: headerTimeout}}
	for _, host := range hosts {
		t := &target{host: host}
		t.set(true, true)
		b.targets = append(b.targets, t)
		go t.check(ctx)
	}
	b.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "replica" // RoundTrip knows which
			r.SetXForwarded()
		},
		Transport:     b,
		FlushInterval: -1, // each event at once
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, "no replica answered", http.StatusBadGateway)
		},
		ErrorLog: log.New(io.Discard, "", 0), // of clients and replicas that go away
	}
	return b
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		http.Error(w, "request body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "request body is incomplete", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	b.proxy.ServeHTTP(w, r)
}

// RoundTrip sends r to a replica.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	var failed error
	turn := b.turn()
	for i, t := range turn {
		response, err := b.send(r, t)
		if err == nil && response.StatusCode == http.StatusServiceUnavailable && i < len(turn)-1 { // it shuts down, or is busy
			_ = response.Body.Close()
			continue
		}
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

// turn returns the replicas in the order in which a request tries them: those that
// take no requests come last.
func (b *balancer) turn() []*target {
	n := b.next.Add(1) % uint64(len(b.targets))
	all := slices.Concat(b.targets[n:], b.targets[:n])
	slices.SortStableFunc(all, func(x, y *target) int {
		switch takes := x.takes.Load(); {
		case takes == y.takes.Load():
			return 0
		case takes:
			return -1
		}
		return 1
	})
	return all
}

// send sends r to one replica.
func (b *balancer) send(r *http.Request, t *target) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	attempt := r.Clone(ctx)
	attempt.URL.Host = t.host
	if r.Body != nil {
		body, err := r.GetBody()
		if err != nil {
			cancel()
			return nil, fmt.Errorf("read request body: %w", err)
		}
		attempt.Body = body
	}
	response, err := b.base.RoundTrip(attempt)
	if err != nil {
		cancel()
		return nil, err
	}
	if !isSubscription(r) || !isStream(response) {
		context.AfterFunc(r.Context(), cancel) // the response is read until then
		return response, nil
	}
	t.set(true, t.takes.Load()) // it has answered: the last check may be older than its restart
	stop := context.AfterFunc(t.context(), cancel)
	context.AfterFunc(ctx, func() { stop() })
	response.Body = newStream(b, r, response.Body, cancel)
	return response, nil
}

// target is a replica, as the balancer knows it.
type target struct {
	host  string
	takes atomic.Bool     // requests: it is up and not ending
	mu    sync.Mutex      // protects the fields below
	up    context.Context // ends when the replica is down
	down  context.CancelFunc
}

// context returns a context that ends when the replica is down.
func (t *target) context() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.up
}

// set notes whether the replica is up, and whether it takes requests. One that is
// ending is up until its last stream has ended.
func (t *target) set(isUp, takes bool) {
	t.takes.Store(takes)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !isUp:
		t.down()
	case t.up == nil || t.up.Err() != nil:
		t.up, t.down = context.WithCancel(context.Background())
	}
}

// check asks the replica every now and then whether it is up, until ctx ends.
func (t *target) check(ctx context.Context) {
	client := &http.Client{Timeout: checkTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		response, err := client.Get("http://" + t.host + "/healthz")
		if err == nil {
			_ = response.Body.Close()
		}
		t.set(err == nil, err == nil && response.StatusCode == http.StatusOK)
	}
}
