package promptotel_test

import (
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-prompts/prompts/internal/servertest/clienttest"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// counts are the messages from clients and to clients, except responses.
type counts struct{ from, to int64 }

// carrier is a client's transport that counts.
type carrier struct {
	transport.Conn
	from, to *atomic.Int64
}

func (c carrier) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := c.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (c carrier) write(ctx context.Context, msg []byte) error {
	if bytes.Contains(msg, []byte(`"method"`)) {
		c.from.Add(1)
	}
	return c.Conn.Write(ctx, msg)
}

func (c carrier) Read(ctx context.Context) ([]byte, error) {
	msg, err := c.Conn.Read(ctx)
	if bytes.Contains(msg, []byte(`"method"`)) && !bytes.Contains(msg, []byte(`"result"`)) { // which may have a question
		c.to.Add(1)
	}
	return msg, err
}

// hook counts the operations for an observer, and calls its End n times for the
// get 500.
type hook struct {
	observe.Observer
	n     int
	mu    sync.Mutex // protects the fields below
	ended int
	seen  counts
}

func (h *hook) End(ctx context.Context, op observe.Operation, out observe.Outcome) {
	h.mu.Lock()
	switch op.Kind {
	case observe.KindRequest, observe.KindNotification:
		h.seen.from++
	case observe.KindClientRequest, observe.KindClientNotification:
		h.seen.to++
	}
	n := 1
	if op.Method == "prompts/get" {
		if h.ended++; h.ended == 500 {
			n = h.n
		}
	}
	h.mu.Unlock()
	for range n {
		h.Observer.End(ctx, op, out)
	}
}

// load has clients of all versions get prompts over standard input and output and over
// HTTP, with n Ends for one of the operations. It returns the counts of the clients, of the hook, of
// the spans and of the metrics.
func load(t *testing.T, rounds, n int) (carried, hooked, spans, points counts) {
	t.Helper()
	x := newTelemetry(t)
	h := &hook{Observer: x, n: n}
	srv := server(h, 0)
	handler := streamablehttp.MustNewHandler(srv, streamablehttp.Options{})
	web := httptest.NewServer(handler)
	defer web.Close()
	var from, to atomic.Int64
	var all sync.WaitGroup
	for _, version := range versions {
		for _, isHTTP := range []bool{false, true} {
			if isHTTP && version == "2024-11-05" {
				continue // which has another HTTP transport
			}
			var way transport.Conn
			if isHTTP {
				way = clienttest.HTTP(web.URL, nil)
			} else {
				in, toServer := io.Pipe()
				fromServer, out := io.Pipe()
				all.Go(func() {
					assert.NoError(t, srv.Serve(t.Context(), stdio.NewStream(in, out, stdio.Options{})))
				})
				way = stdio.NewStream(fromServer, toServer, stdio.Options{})
			}
			all.Go(func() {
				c := prompttest.NewClient(t, carrier{way, &from, &to}, prompttest.ClientOptions{
					Version: version, Answer: func(prompttest.Question) any { return prompttest.Accept(map[string]string{"Name": "Ada"}) },
				})
				defer c.Close()
				for i := range rounds {
					c.Get("ok", nil)
					c.GetError("unknown", nil)
					if i%20 == 0 && version >= "2025-06-18" {
						c.Get("asks", nil)
					}
				}
			})
		}
	}
	all.Wait()
	require.NoError(t, handler.Shutdown(t.Context()))
	require.NoError(t, srv.Flush(t.Context()))
	for _, s := range x.spans.GetSpans() {
		if s.SpanKind == trace.SpanKindServer {
			spans.from++
		} else {
			spans.to++
		}
	}
	var metrics metricdata.ResourceMetrics
	require.NoError(t, x.reader.Collect(t.Context(), &metrics))
	for _, m := range metrics.ScopeMetrics[0].Metrics {
		for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
			switch m.Name {
			case "mcp.server.operation.duration":
				points.from += int64(p.Count)
			case "mcp.client.operation.duration":
				points.to += int64(p.Count)
			}
		}
	}
	return counts{from.Load(), to.Load()}, h.seen, spans, points
}

// TestEachMessageIsOneOperation proves that the clients, the hook and the exporters
// count exactly the same of more than 10,000 messages, and that one that is dropped or
// doubled is noticed.
func TestEachMessageIsOneOperation(t *testing.T) {
	t.Parallel()
	carried, hooked, spans, points := load(t, 580, 1)
	assert.Greater(t, carried.from, int64(10_000))
	assert.Positive(t, carried.to)
	assert.Equal(t, []counts{carried, carried, carried}, []counts{hooked, spans, points})

	carried, _, spans, points = load(t, 40, 0)
	assert.Equal(t, counts{carried.from - 1, carried.to}, spans)
	assert.Equal(t, counts{carried.from - 1, carried.to}, points)

	carried, _, _, points = load(t, 40, 2)
	assert.Equal(t, counts{carried.from + 1, carried.to}, points)
}
