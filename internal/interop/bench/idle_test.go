package bench_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// BenchmarkIdle opens 1,000 connections (100 without a flag) that have shaken hands and have
// nothing to say, and tells what each holds: B/connection, with its stacks.
//
//   - memory: over channels, so without the buffers of a medium. mcp-go has
//     one such connection in a process, so here it has sessions with a
//     goroutine for each.
//   - http: with an open GET stream, net/http's own share and the client's
//     included, which are the same for all.
func BenchmarkIdle(b *testing.B) {
	counts := sizes(100, 1000)
	many := counts[len(counts)-1]
	idle := []struct {
		name string
		open func(tb testing.TB, n int)
	}{{"prompts", openServe}, {"go-sdk", openGoSDK}, {"mcp-go", openMCPGo}}
	for _, l := range idle {
		b.Run(l.name, func(b *testing.B) {
			b.Run("memory", func(b *testing.B) { measureIdle(b, many, l.open) })
			for _, h := range handlers {
				if h.name != l.name {
					continue
				}
				b.Run("http", func(b *testing.B) {
					measureIdle(b, many, func(tb testing.TB, n int) {
						openStreams(tb, h.handler(tb, setup{prompts: 1, page: pageSize}, false), n)
					})
				})
			}
		})
	}
}

func measureIdle(b *testing.B, n int, open func(tb testing.TB, n int)) {
	held := 0.0
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		before := inUse()
		b.StartTimer()
		o := &opened{TB: b}
		open(o, n)
		b.StopTimer()
		held += (inUse() - before) / float64(n)
		rounds++
		o.close()
		b.StartTimer()
	}
	b.ReportMetric(held/float64(rounds), "B/connection")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(rounds*n), "ns/connection")
	b.ReportMetric(0, "ns/op")
}

// opened ends earlier than the benchmark that it is part of.
type opened struct {
	testing.TB
	cleanups []func()
}

func (o *opened) Cleanup(f func()) { o.cleanups = append(o.cleanups, f) }

func (o *opened) close() {
	for len(o.cleanups) > 0 {
		last := len(o.cleanups) - 1
		f := o.cleanups[last]
		o.cleanups = o.cleanups[:last]
		f()
	}
}

func openServe(tb testing.TB, n int) {
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	var running sync.WaitGroup
	tb.Cleanup(running.Wait)
	for range n {
		p := newPipe()
		running.Go(func() { _ = s.Serve(context.Background(), p) }) // ends with Close
		tb.Cleanup(func() { _ = p.Close() })
		initialize(tb, p.ask)
		require.NoError(tb, p.send([]byte(initialized)))
	}
}

func openGoSDK(tb testing.TB, n int) {
	s := newGoSDK(setup{page: pageSize})
	for range n {
		p := newPipe()
		connectGoSDK(tb, s, p)
		initialize(tb, p.ask)
		require.NoError(tb, p.send([]byte(initialized)))
	}
}

func openMCPGo(tb testing.TB, n int) {
	s := newMCPGo(setup{page: pageSize})
	for i := range n {
		connectMCPGo(tb, s, i, func([]byte) {})
	}
}

// openStreams opens GET streams, each of a session of its own.
func openStreams(tb testing.TB, h http.Handler, n int) {
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	c := &httpClient{url: s.URL + "/mcp", client: s.Client()}
	ctx, cancel := context.WithCancel(context.Background())
	var streams []io.Closer
	tb.Cleanup(func() {
		cancel()
		for _, stream := range streams {
			_ = stream.Close()
		}
	})
	for range n {
		session := c.handshake(tb)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
		require.NoError(tb, err)
		r.Header = session.Clone()
		r.Header.Set("Accept", "text/event-stream")
		response, err := c.client.Do(r)
		require.NoError(tb, err)
		require.Equal(tb, http.StatusOK, response.StatusCode)
		streams = append(streams, response.Body)
	}
}
