package main

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// draw serves, sends the requests of a client over HTTP, and draws their trace.
func draw(ctx context.Context, file string) error {
	spans := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, tracers, metric.NewMeterProvider()) }()

	asking, root := tracers.Tracer("client").Start(ctx, "turn of an agent", trace.WithSpanKind(trace.SpanKindClient))
	url := "http://" + listener.Addr().String() + "/mcp"
	for _, r := range []struct{ method, name, params string }{
		{"prompts/list", "", ""},
		{"completion/complete", "", `"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"change","value":"4"},`},
		{"prompts/get", "review", `"name":"review","arguments":{"change":"42"},`},
		{"prompts/get", "reviews", `"name":"reviews",`},
	} {
		if err := send(asking, url, r.method, r.name, r.params); err != nil {
			return err
		}
	}
	root.End()
	stop()
	if err := <-served; err != nil {
		return err
	}
	return os.WriteFile(file, []byte(picture(spans.GetSpans())), 0o600)
}

// send sends a request of 2026-07-28 with the trace of ctx.
func send(ctx context.Context, url, method, name, params string) error {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"traceparent":%q,`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		method, params, carrier["traceparent"])
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return cmp.Or(err, response.Body.Close())
}

// picture returns the spans of a trace as an SVG, in the order of their start.
func picture(spans tracetest.SpanStubs) string {
	const width, left, row, top = 900, 260, 30, 40
	slices.SortFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	start, end := spans[0].StartTime, spans[0].EndTime
	depths := map[trace.SpanID]int{}
	for _, s := range spans {
		if end.Before(s.EndTime) {
			end = s.EndTime
		}
		if d, ok := depths[s.Parent.SpanID()]; ok {
			depths[s.SpanContext.SpanID()] = d + 1
		} else {
			depths[s.SpanContext.SpanID()] = 0
		}
	}
	scale := float64(width-left-90) / float64(max(end.Sub(start), 1))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">`+"\n", width, top+row*len(spans)+12)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="12" y="24" fill="#555">trace %s</text>`+"\n", spans[0].SpanContext.TraceID())
	for i, s := range spans {
		y, color := top+row*i, map[trace.SpanKind]string{trace.SpanKindServer: "#2b6cb0", trace.SpanKindClient: "#6b46c1"}[s.SpanKind]
		color = cmp.Or(color, "#718096")
		if s.Status.Code.String() == "Error" {
			color = "#c53030"
		}
		x := left + float64(s.StartTime.Sub(start))*scale
		w := max(float64(s.EndTime.Sub(s.StartTime))*scale, 2)
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`, 12+16*depths[s.SpanContext.SpanID()], y+18, html.EscapeString(s.Name))
		fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="18" rx="2" fill="%s"/>`, x, y+4, w, color)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="#555">%s</text>`+"\n", x+w+6, y+18, s.EndTime.Sub(s.StartTime).Round(10*time.Microsecond))
	}
	return b.String() + "</svg>\n"
}
