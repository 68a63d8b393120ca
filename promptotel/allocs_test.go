package promptotel_test

import (
	"context"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptotel"
	"github.com/mcp-prompts/prompts/transport"
)

// What spans and metrics add to a request, those of the SDK included.
func TestAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which the race detector changes")
	}
	spans := trace.NewTracerProvider(trace.WithBatcher(tracetest.NewNoopExporter()))
	t.Cleanup(func() { assert.NoError(t, spans.Shutdown(context.Background())) })
	observer, err := promptotel.New(promptotel.WithTracerProvider(spans), promptotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))))
	require.NoError(t, err)
	allocations := func(o prompts.Options) float64 {
		var reg prompts.Registry
		reg.MustAdd(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(), nil
		}})
		srv := prompts.MustNewServer(&reg, o)
		msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p","_meta":{` +
			`"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		x := transport.Exchange{Send: func(msg []byte, code transport.Code, _ bool) error {
			assert.Zero(t, code, "%s", msg)
			return nil
		}}
		least := math.Inf(1) // the exporter and the collector work at any time
		for range 5 {
			const n = 200
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range n {
				assert.NoError(t, srv.Handle(t.Context(), msg, x))
			}
			assert.NoError(t, srv.Flush(t.Context())) // the observer ends operations on a goroutine of its own
			runtime.ReadMemStats(&after)
			least = min(least, float64(after.Mallocs-before.Mallocs)/n)
		}
		return least
	}
	without := allocations(prompts.Options{})
	with := allocations(prompts.Options{Observer: observer})
	assert.Less(t, without, with, "it is measured")
	assert.LessOrEqual(t, with-without, 22.0)
}
