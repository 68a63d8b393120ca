package main

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// TestTraceOfHeader proves that a span has the trace of _meta, and without one the trace of
// the HTTP header.
func TestTraceOfHeader(t *testing.T) {
	t.Parallel()
	const ofMeta, ofHeader = "4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"
	for _, test := range []struct{ meta, header, want string }{
		{ofMeta, "", ofMeta}, {ofMeta, ofHeader, ofMeta}, {"", ofHeader, ofHeader}, {"", "", ""},
	} {
		spans := tracetest.NewInMemoryExporter()
		tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- serve(ctx, listener, tracers, metric.NewMeterProvider()) }() // ends with ctx
		member := ""
		if test.meta != "" {
			member = `"traceparent":"00-` + test.meta + `-00f067aa0ba902b7-01",`
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listener.Addr().String()+"/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{`+member+
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "prompts/list")
		if test.header != "" {
			r.Header.Set("Traceparent", "00-"+test.header+"-b7ad6b7169203331-01")
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusOK, response.StatusCode)
		stop()
		require.NoError(t, <-served) // with all spans
		got := spans.GetSpans()
		require.Len(t, got, 1)
		assert.Equal(t, "prompts/list", got[0].Name)
		assert.Equal(t, test.want != "", got[0].Parent.IsValid(), test)
		if test.want != "" {
			assert.Equal(t, test.want, got[0].SpanContext.TraceID().String(), test)
		}
	}
}

// TestDraw proves that the picture of a trace has the spans of the client, the server
// and the render function.
func TestDraw(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace.svg")
	require.NoError(t, draw(t.Context(), file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var texts []string
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if chars, ok := token.(xml.CharData); ok {
			texts = append(texts, string(chars))
		}
	}
	for _, want := range []string{"turn of an agent", "prompts/list", "completion/complete review", "prompts/get review", "prompts/get", "read the change", "find the guidelines"} {
		assert.Contains(t, texts, want)
	}
}
