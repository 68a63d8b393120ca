package bench_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/otelconnect"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptotel"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// BenchmarkTelemetry compares what tracing and measuring adds to a request: promptotel
// for a prompts/get, and otelconnect for a unary call of connect, each with a batching
// exporter that discards the spans. Both handlers are called without a network.
func BenchmarkTelemetry(b *testing.B) {
	newProviders := func(b *testing.B) (*sdktrace.TracerProvider, *metric.MeterProvider) {
		b.Helper()
		spans := sdktrace.NewTracerProvider(sdktrace.WithBatcher(tracetest.NewNoopExporter()))
		b.Cleanup(func() { _ = spans.Shutdown(context.Background()) })
		return spans, metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))
	}
	ours := func(b *testing.B, isObserved bool) http.Handler {
		b.Helper()
		var options prompts.Options
		if isObserved {
			spans, metrics := newProviders(b)
			var err error
			options.Observer, err = promptotel.New(promptotel.WithTracerProvider(spans), promptotel.WithMeterProvider(metrics))
			require.NoError(b, err)
		}
		reg := new(prompts.Registry)
		reg.MustAdd(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(), nil
		}})
		h := streamablehttp.MustNewHandler(prompts.MustNewServer(reg, options), streamablehttp.Options{})
		b.Cleanup(func() { _ = h.Close() })
		return h
	}
	theirs := func(b *testing.B, isObserved bool) http.Handler {
		b.Helper()
		var options []connect.HandlerOption
		if isObserved {
			spans, metrics := newProviders(b)
			i, err := otelconnect.NewInterceptor(otelconnect.WithTracerProvider(spans), otelconnect.WithMeterProvider(metrics), otelconnect.WithTrustRemote())
			require.NoError(b, err)
			options = append(options, connect.WithInterceptors(i))
		}
		return connect.NewUnaryHandler("/ping.v1.PingService/Ping", func(context.Context, *connect.Request[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
			return connect.NewResponse(new(emptypb.Empty)), nil
		}, options...)
	}
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, c := range []struct {
		name, url, body string
		handler         func(b *testing.B, isObserved bool) http.Handler
	}{
		{"prompts", "http://127.0.0.1/mcp", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p","_meta":{"traceparent":"` + trace +
			`","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, ours},
		{"connect", "http://127.0.0.1/ping.v1.PingService/Ping", `{}`, theirs},
	} {
		for name, isObserved := range map[string]bool{"without": false, "with": true} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				h := c.handler(b, isObserved)
				serve := func() int {
					r := httptest.NewRequest(http.MethodPost, c.url, strings.NewReader(c.body))
					r.Header = http.Header{
						"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Traceparent": {trace},
						"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"prompts/get"}, "Mcp-Name": {"p"},
					}
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					return w.Code
				}
				require.Equal(b, http.StatusOK, serve())
				b.ReportAllocs()
				for b.Loop() {
					serve()
				}
			})
		}
	}
}
