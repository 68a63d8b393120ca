package promptotel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/promptotel"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// telemetry is an Observer with in-memory exporters.
type telemetry struct {
	*promptotel.Observer
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
}

func newTelemetry(t testing.TB, options ...promptotel.Option) *telemetry {
	t.Helper()
	x := &telemetry{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	options = append([]promptotel.Option{
		promptotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(x.spans))),
		promptotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(x.reader))),
	}, options...)
	var err error
	x.Observer, err = promptotel.New(options...)
	require.NoError(t, err)
	return x
}

// lines returns the spans and the points of the metrics, sorted.
func (x *telemetry) lines(t testing.TB, srv *prompts.Server) []string {
	t.Helper()
	require.NoError(t, srv.Flush(t.Context()))
	var lines []string
	for _, s := range x.spans.GetSpans() {
		attrs := slices.Clone(s.Attributes)
		for i, a := range attrs {
			if a.Key == "mcp.session.id" {
				assert.NotEmpty(t, a.Value.AsString())
				attrs[i] = attribute.String("mcp.session.id", "*")
			}
		}
		lines = append(lines, fmt.Sprintf("span %s %s %s %s", s.SpanKind, s.Status.Code, s.Name, written(attribute.NewSet(attrs...))))
	}
	var all metricdata.ResourceMetrics
	require.NoError(t, x.reader.Collect(t.Context(), &all))
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				assert.Equal(t, []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}, p.Bounds)
				lines = append(lines, fmt.Sprintf("%s %d %s", m.Name, p.Count, written(p.Attributes)))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func written(set attribute.Set) string {
	var all []string
	for _, a := range set.ToSlice() {
		all = append(all, string(a.Key)+"="+a.Value.String())
	}
	return strings.Join(all, " ")
}

func server(o observe.Observer, limit time.Duration) *prompts.Server {
	reg := new(prompts.Registry)
	add := func(name string, f func(ctx context.Context) error) {
		reg.MustAdd(prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("secret text")), f(ctx)
		}})
	}
	add("ok", func(context.Context) error { return nil })
	add("refuses", func(context.Context) error { return prompts.InvalidArgument("x", "secret reason") })
	add("fails", func(context.Context) error { return errors.New("secret error") })
	add("panics", func(context.Context) error { panic("secret panic") })
	add("waits", func(ctx context.Context) error {
		prompts.Progress(ctx, 1, 0, "")
		<-ctx.Done()
		return ctx.Err()
	})
	add("asks", func(ctx context.Context) error {
		_, err := prompts.Elicit[struct{ Name string }](ctx, "name", "secret question")
		return err
	})
	tools, err := prompttools.New(reg, prompttools.Options{Names: []string{"ok", "refuses"}})
	if err != nil {
		panic(err)
	}
	return prompts.MustNewServer(reg, prompts.Options{
		Features: []feature.Feature{tools},
		Observer: o, Logger: slog.New(slog.DiscardHandler), Timeouts: prompts.Timeouts{Render: limit},
		Limits: prompts.Limits{GetsPerSecond: 1000, CompletionsPerSecond: 0.001},
	})
}

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// message returns a request. In 2026-07-28 it has the metadata.
func message(version, method, members string) string {
	if version == "2026-07-28" {
		members = strings.TrimPrefix(members+","+envelope, ",")
	}
	return `{"jsonrpc":"2.0","id":"a","method":"` + method + `","params":{` + members + `}}`
}

// cases are the ends of a request.
var cases = []struct {
	name            string
	method, members string
}{
	{"list", "prompts/list", ""},
	{"get", "prompts/get", `"name":"ok"`},
	{"question", "prompts/get", `"name":"asks"`},
	{"refused argument", "prompts/get", `"name":"refuses"`},
	{"invented prompt", "prompts/get", `"name":"invented"`},
	{"tool", "tools/call", `"name":"ok"`},
	{"tool with a refused argument", "tools/call", `"name":"refuses"`},
	{"invented tool", "tools/call", `"name":"invented"`},
	{"error", "prompts/get", `"name":"fails"`},
	{"panic", "prompts/get", `"name":"panics"`},
	{"time limit", "prompts/get", `"name":"waits"`},
	{"rate limit", "completion/complete", `"ref":{"type":"ref/prompt","name":"ok"},"argument":{"name":"x","value":""}`},
	{"invented method", "invented", ""},
	{"discover", "server/discover", ""},
	{"ping", "ping", ""},
	{"parse error", "", ""},
}

var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// TestGoldenTable compares the spans and the metrics for each end of a request, in each
// protocol version, over a pipe and over HTTP, with testdata/operations.txt.
func TestGoldenTable(t *testing.T) {
	var table strings.Builder
	for _, network := range []string{"pipe", "http"} {
		for _, version := range versions {
			for _, c := range cases {
				msg := message(version, c.method, c.members)
				if c.method == "" {
					msg = `{`
				}
				n := 1
				if c.name == "rate limit" {
					n = 3 // the first one counts, and two are rejected
				}
				x := newTelemetry(t)
				limit := time.Duration(-1)
				if c.name == "time limit" {
					limit = 10 * time.Millisecond
				}
				srv := server(x, limit)
				for range n {
					send(t, srv, network, version, msg)
				}
				fmt.Fprintf(&table, "## %s, %s, %s\n%s\n\n", network, version, c.name, strings.Join(x.lines(t, srv), "\n"))
			}
		}
	}
	for _, version := range versions {
		for _, c := range connections {
			x := newTelemetry(t)
			srv := server(x, -1)
			if c.run(t, srv, version) {
				fmt.Fprintf(&table, "## %s, %s\n%s\n\n", version, c.name, strings.Join(x.lines(t, srv), "\n"))
			}
		}
	}
	got := table.String()
	assert.NotContains(t, strings.ReplaceAll(got, ", invented", ""), "invented")
	assert.NotContains(t, got, "secret")
	if prompttest.Updating() {
		require.NoError(t, os.WriteFile("testdata/operations.txt", []byte(got), 0o600))
	}
	want, err := os.ReadFile("testdata/operations.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// connections are the ends of what takes more than one message. run reports whether
// the version has it.
var connections = []struct {
	name string
	run  func(t *testing.T, srv *prompts.Server, version string) bool
}{
	{"pipe, canceled", func(t *testing.T, srv *prompts.Server, version string) bool {
		s := open(t, srv, version)
		defer s.Close()
		var running sync.WaitGroup
		progress := make(chan struct{}, 1)
		running.Go(func() {
			get := message(version, "prompts/get", `"name":"waits"`)
			get = strings.Replace(get, `"name"`, `"_meta":{"progressToken":1},"name"`, 1)
			if version == "2026-07-28" {
				get = strings.Replace(message(version, "prompts/get", `"name":"waits"`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1)
			}
			_ = s.Handle(t.Context(), []byte(get), transport.Exchange{Informer: pipe{}, Send: func([]byte, transport.Code, bool) error { progress <- struct{}{}; return nil }})
		})
		<-progress
		err := s.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`), transport.Exchange{Informer: pipe{}, Send: unexpected})
		require.NoError(t, err)
		running.Wait()
		return true
	}},
	{"pipe, answered question", func(t *testing.T, srv *prompts.Server, version string) bool {
		if version < "2025-06-18" || version == "2026-07-28" {
			return false
		}
		s := open(t, srv, version)
		defer s.Close()
		var asked []byte
		var answering sync.WaitGroup
		x := transport.Exchange{Informer: pipe{}}
		x.Send = func(msg []byte, _ transport.Code, last bool) error {
			if !last {
				asked = slices.Clone(msg)
				answering.Go(func() {
					_ = s.Handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":"prompts-1","result":{"action":"accept","content":{"Name":"Ada"}}}`), transport.Exchange{Informer: pipe{}, Send: unexpected})
				})
			}
			return nil
		}
		_ = s.Handle(t.Context(), []byte(message(version, "prompts/get", `"name":"asks"`)), x)
		answering.Wait()
		assert.Regexp(t, `"params":\{"_meta":\{"traceparent":"00-[0-9a-f]{32}-[0-9a-f]{16}-01"\},"`, string(asked))
		return true
	}},
	{"http, listen", func(t *testing.T, srv *prompts.Server, version string) bool {
		if version != "2026-07-28" {
			return false
		}
		stream(t, srv, message(version, "subscriptions/listen", `"notifications":{"promptsListChanged":true}`))
		return true
	}},
	{"http, disconnected", func(t *testing.T, srv *prompts.Server, version string) bool {
		if version != "2026-07-28" {
			return false
		}
		stream(t, srv, strings.Replace(message(version, "prompts/get", `"name":"waits"`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1))
		return true
	}},
	{"http, rejected", func(t *testing.T, srv *prompts.Server, version string) bool {
		for _, o := range []streamablehttp.Options{{}, {AllowedHosts: []string{"example.com"}}} {
			h := streamablehttp.MustNewHandler(srv, o)
			for _, contentType := range []string{"application/json", "text/plain"} {
				if contentType == "text/plain" || o.AllowedHosts != nil {
					r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader("{}"))
					r.Header.Set("Content-Type", contentType)
					h.ServeHTTP(httptest.NewRecorder(), r)
				}
			}
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil) // not a message
			h.ServeHTTP(httptest.NewRecorder(), r)
			if o.AllowedHosts == nil {
				post(t.Context(), h, version, strings.Repeat(" ", 5<<20))
			}
			require.NoError(t, h.Close())
		}
		return version == "2025-11-25" // before the version is known
	}},
}

// unexpected is the Send of a message that has no response.
func unexpected([]byte, transport.Code, bool) error { return errors.New("unexpected message") }

// open returns a session of a version. A session has both directions.
func open(t *testing.T, srv *prompts.Server, version string) transport.Session {
	t.Helper()
	s := srv.NewSession(transport.SessionOptions{})
	if version == "2026-07-28" {
		return s
	}
	for _, msg := range []string{
		`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		require.NoError(t, s.Handle(t.Context(), []byte(msg), transport.Exchange{Informer: pipe{}, Send: func([]byte, transport.Code, bool) error { return nil }}))
	}
	return s
}

// stream sends a message over HTTP and disconnects when the stream has an event.
func stream(t *testing.T, srv *prompts.Server, msg string) {
	t.Helper()
	h := streamablehttp.MustNewHandler(srv, streamablehttp.Options{})
	ended := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		h.ServeHTTP(w, r)
	}))
	defer web.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL, strings.NewReader(msg))
	require.NoError(t, err)
	setHeaders(r, "2026-07-28", msg)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	_, err = response.Body.Read(make([]byte, 1))
	require.NoError(t, err)
	cancel()
	<-ended
	require.NoError(t, h.Close())
}

type pipe struct{}

func (pipe) TransportInfo() transport.Info { return transport.Info{Network: "pipe"} }

// send sends a message of a version, in a session of its own if the version has them.
func send(t testing.TB, srv *prompts.Server, network, version, msg string) {
	t.Helper()
	if network == "pipe" {
		handle := srv.Handle
		if version != "2026-07-28" {
			s := srv.NewSession(transport.SessionOptions{Version: version, NoServerMessages: true})
			defer s.Close()
			handle = s.Handle
		}
		_ = handle(t.Context(), []byte(msg), transport.Exchange{Informer: pipe{}, ClientKey: "c", Send: func([]byte, transport.Code, bool) error { return nil }})
		return
	}
	h := streamablehttp.MustNewHandler(srv, streamablehttp.Options{DisableSessions: true})
	defer func() { require.NoError(t, h.Close()) }()
	post(t.Context(), h, version, msg)
}

func post(ctx context.Context, h http.Handler, version, msg string) {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(msg))
	setHeaders(r, version, msg)
	h.ServeHTTP(httptest.NewRecorder(), r)
}

func setHeaders(r *http.Request, version, msg string) {
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", version)
	if version == "2026-07-28" {
		for name, key := range map[string]string{"Mcp-Method": `"method":"`, "Mcp-Name": `"name":"`} {
			if _, value, ok := strings.Cut(msg, key); ok {
				value, _, _ = strings.Cut(value, `"`)
				r.Header.Set(name, value)
			}
		}
	}
}

// TestTraceContext proves where the trace context of a span comes from.
func TestTraceContext(t *testing.T) {
	t.Parallel()
	const remote, local = "4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"
	parent := `"traceparent":"00-` + remote + `-00f067aa0ba902b7-01"`
	tests := map[string]struct {
		meta         string
		ambient      bool
		options      []promptotel.Option
		trace, state string // empty for another trace
		links        []string
	}{
		"none":                {meta: `"x":1`},
		"client":              {meta: parent, trace: remote},
		"client and HTTP":     {meta: parent, ambient: true, trace: remote, links: []string{local}},
		"HTTP":                {meta: `"x":1`, ambient: true, trace: local},
		"state":               {meta: parent + `,"tracestate":"a=b"`, trace: remote, state: "a=b"},
		"malformed state":     {meta: parent + `,"tracestate":"=,="`, trace: remote},
		"large state":         {meta: parent + `,"tracestate":"` + strings.Repeat("a=b,", 1000) + `a=c"`, trace: remote},
		"malformed":           {meta: `"traceparent":"00-zz"`, ambient: true, trace: local},
		"forged version":      {meta: `"traceparent":"ff-` + remote + `-00f067aa0ba902b7-01"`},
		"zero":                {meta: `"traceparent":"00-00000000000000000000000000000000-00f067aa0ba902b7-01"`},
		"not a string":        {meta: `"traceparent":{}`},
		"another case":        {meta: `"Traceparent":"00-` + remote + `-00f067aa0ba902b7-01"`},
		"large baggage":       {meta: parent + `,"baggage":"a=` + strings.Repeat("x", 9000) + `"`, trace: remote},
		"client, not trusted": {meta: parent, options: []promptotel.Option{promptotel.WithTrustRemote(false)}, links: []string{remote}},
		"both, not trusted":   {meta: parent, ambient: true, trace: local, options: []promptotel.Option{promptotel.WithTrustRemote(false)}, links: []string{remote}},
		"malformed baggage":   {meta: parent + `,"baggage":"=;="`, trace: remote},
		"filtered":            {meta: parent, options: []promptotel.Option{promptotel.WithFilter(func(observe.Operation) bool { return false })}, trace: "no span"},
		"without tracing":     {meta: parent, options: []promptotel.Option{promptotel.WithoutTracing()}, trace: "no span"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTelemetry(t, test.options...)
			srv, ctx := server(x, 0), t.Context()
			if test.ambient {
				id, _ := trace.TraceIDFromHex(local)
				ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{1}, TraceFlags: 1}))
			}
			msg := strings.Replace(message("2026-07-28", "prompts/get", `"name":"ok"`), `"_meta":{`, `"_meta":{`+test.meta+",", 1)
			require.NoError(t, srv.Handle(ctx, []byte(msg), transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }}))
			require.NoError(t, srv.Flush(t.Context()))
			spans := x.spans.GetSpans()
			if test.trace == "no span" {
				assert.Empty(t, spans)
				return
			}
			require.Len(t, spans, 1)
			if test.trace != "" {
				assert.Equal(t, test.trace, spans[0].SpanContext.TraceID().String())
			} else {
				assert.False(t, spans[0].Parent.IsValid())
			}
			assert.Equal(t, test.state, spans[0].SpanContext.TraceState().String())
			var links []string
			for _, l := range spans[0].Links {
				links = append(links, l.SpanContext.TraceID().String())
			}
			assert.Equal(t, test.links, links)
		})
	}
}

// TestMalformedBaggageIsNotReported proves that a client cannot fill the log by its
// baggage.
func TestMalformedBaggageIsNotReported(t *testing.T) {
	var reported []error
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { reported = append(reported, err) }))
	x := newTelemetry(t)
	srv := server(x, 0)
	for _, baggage := range []string{"=;=", "a=" + strings.Repeat("x", 9000)} {
		msg := strings.Replace(message("2026-07-28", "prompts/list", ""), `"_meta":{`, `"_meta":{"baggage":"`+baggage+`",`, 1)
		send(t, srv, "pipe", "2026-07-28", msg)
	}
	require.NoError(t, srv.Flush(t.Context()))
	assert.Empty(t, reported)
}

// TestSpansNest proves that a span of a render function is a child of the request's, and
// that a record of the log has the trace.
func TestSpansNest(t *testing.T) {
	t.Parallel()
	x := newTelemetry(t)
	var inner trace.SpanContext
	var log strings.Builder
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.Prompt{Name: "p", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		inner = trace.SpanContextFromContext(ctx)
		return nil, errors.New("fails")
	}})
	srv := prompts.MustNewServer(reg, prompts.Options{Observer: x, Logger: slog.New(promptotel.LogHandler(slog.NewTextHandler(&log, nil)))})
	require.NoError(t, srv.Handle(t.Context(), []byte(message("2026-07-28", "prompts/get", `"name":"p"`)),
		transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }}))
	require.NoError(t, srv.Flush(t.Context()))
	require.Len(t, x.spans.GetSpans(), 1)
	assert.Equal(t, x.spans.GetSpans()[0].SpanContext.SpanID(), inner.SpanID())
	assert.Contains(t, log.String(), "trace_id="+inner.TraceID().String())
}

// TestAttributeFilter proves that a filter applies to spans and metrics.
func TestAttributeFilter(t *testing.T) {
	t.Parallel()
	x := newTelemetry(t, promptotel.WithAttributeFilter(func(_ observe.Operation, a attribute.KeyValue) bool { return a.Key == "mcp.method.name" }))
	srv := server(x, 0)
	send(t, srv, "pipe", "2026-07-28", message("2026-07-28", "prompts/get", `"name":"ok"`))
	assert.Equal(t, []string{
		"mcp.server.operation.duration 1 mcp.method.name=prompts/get", "span server Unset prompts/get ok mcp.method.name=prompts/get",
	}, x.lines(t, srv))
}

// TestCheckObserver proves that the Observer does what servers expect.
func TestCheckObserver(t *testing.T) {
	t.Parallel()
	prompttest.CheckObserver(t, newTelemetry(t))
	prompttest.CheckObserver(t, newTelemetry(t, promptotel.WithoutTracing(), promptotel.WithoutMetrics()))
}

// TestInject proves what a client gets of the server's trace.
func TestInject(t *testing.T) {
	t.Parallel()
	id, _ := trace.TraceIDFromHex("4bf92f3577b34da6a3ce929d0e0e4736")
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{1}, TraceFlags: 1}))
	secret, err := baggage.Parse("secret=1")
	require.NoError(t, err)
	ctx = baggage.ContextWithBaggage(ctx, secret)
	assert.Equal(t, map[string]string{"traceparent": "00-" + id.String() + "-0100000000000000-01"}, newTelemetry(t).Inject(ctx))
	assert.Empty(t, newTelemetry(t, promptotel.WithTrustRemote(false)).Inject(ctx))
}

// The function of a cached prompt and of cached completions is part of the trace of the
// first request, and gets nothing else of it.
func TestCachedFunctionsAreTraced(t *testing.T) {
	t.Parallel()
	x := newTelemetry(t)
	var log bytes.Buffer
	logger := slog.New(promptotel.LogHandler(slog.NewJSONHandler(&log, nil)))
	var traces []trace.SpanContext
	seen := func(ctx context.Context) {
		traces = append(traces, trace.SpanContextFromContext(ctx))
		logger.InfoContext(ctx, "in the function")
		assert.Empty(t, baggage.FromContext(ctx).Members())
		assert.Nil(t, ctx.Value(userKey{}))
	}
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.Prompt{
		Name: "p", Cache: prompts.Cache{TTL: time.Hour},
		Arguments: []prompts.Argument{{Name: "a", Complete: prompts.SuggestCached(time.Hour,
			func(context.Context, map[string]string) string { return "" },
			func(ctx context.Context, _ string) ([]string, error) { seen(ctx); return []string{"x"}, nil })}},
		Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			seen(ctx)
			return prompts.Messages(prompts.User("x")), nil
		},
	})
	srv := prompts.MustNewServer(reg, prompts.Options{Observer: x, Logger: logger})
	ctx := context.WithValue(t.Context(), userKey{}, "ada")
	for _, r := range [][2]string{
		{"prompts/get", `{"name":"p"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`},
	} {
		for i := range 2 {
			_, err := srv.Call(ctx, r[0], json.RawMessage(fmt.Sprintf(`%s,"_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e473%d-00f067aa0ba902b7-01","baggage":"user=ada"}}`, r[1], i)), prompts.CallOptions{Version: "2025-11-25"})
			require.NoError(t, err)
		}
	}
	require.NoError(t, srv.Flush(t.Context()))
	require.Len(t, traces, 2, "of the first requests only")
	spans := map[trace.SpanID]bool{}
	for _, s := range x.spans.GetSpans() {
		spans[s.SpanContext.SpanID()] = true
	}
	for _, sc := range traces {
		assert.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4730", sc.TraceID().String())
		assert.True(t, spans[sc.SpanID()], "the span of the request")
	}
	assert.Equal(t, 2, strings.Count(log.String(), `"trace_id":"4bf92f3577b34da6a3ce929d0e0e4730"`))
}

type userKey struct{}
