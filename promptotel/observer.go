package promptotel

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

const scope = "github.com/mcp-prompts/prompts/promptotel"

// Observer records the operations of a server. [New] makes one; several servers may
// share it. It is safe for concurrent use.
type Observer struct {
	config
	tracer                   trace.Tracer
	server, client, sessions metric.Float64Histogram
}

var (
	_ observe.Observer = (*Observer)(nil)
	_ observe.Injector = (*Observer)(nil)
	_ observe.Linker   = (*Observer)(nil)
)

// New returns an Observer for Options.Observer of package prompts. It returns an error
// if the MeterProvider cannot make the instruments, or if an option or a provider is nil.
func New(options ...Option) (*Observer, error) {
	o := &Observer{config: config{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}}
	for _, set := range options {
		if err := option.Check("promptotel: New", struct{}{}, "option", set); err != nil {
			return nil, err
		}
		set(&o.config)
	}
	if err := option.Check("promptotel: New", struct{}{}, "tracer provider", o.tracers, "meter provider", o.meters); err != nil {
		return nil, err
	}
	o.tracer = o.tracers.Tracer(scope)
	meter := o.meters.Meter(scope)
	var errs []error
	histogram := func(name, description string) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
			metric.WithExplicitBucketBoundaries(buckets...))
		errs = append(errs, err)
		return h
	}
	o.server = histogram(metricServerOperation, "Time from the receipt of an MCP request or notification until the response was sent")
	o.client = histogram(metricClientOperation, "Time from the sending of an MCP request or notification until the response was received")
	o.sessions = histogram(metricServerSession, "Duration of an MCP session")
	return o, errors.Join(errs...)
}

// propagator reads and writes the trace context in _meta: W3C Trace Context and Baggage, as the
// protocol says.
var propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

func (o *Observer) checkMade() {
	if o == nil || o.tracer == nil {
		panic("promptotel: Observer is not made by New")
	}
}

type spanKey struct{}

// Begin starts the span of an operation.
func (o *Observer) Begin(ctx context.Context, op observe.Operation) context.Context {
	o.checkMade()
	if op.Kind == observe.KindResponse || op.Kind == observe.KindSession || o.filter != nil && !o.filter(op) {
		return context.WithValue(ctx, spanKey{}, nil) // and not that of an operation around it
	}
	options := append(make([]trace.SpanStartOption, 0, 4), // and a link
		kindOption(op), trace.WithTimestamp(op.Start), trace.WithAttributes(o.spanAttributes(op)...))
	if ambient := trace.SpanContextFromContext(ctx); kindOf(op) == trace.SpanKindServer {
		remote := ctx
		if ambient.IsValid() {
			remote = trace.ContextWithSpanContext(ctx, trace.SpanContext{})
		}
		remote = extract(remote, op.Meta)
		switch sc := trace.SpanContextFromContext(remote); {
		case !sc.IsValid(): // the ambient span is the parent
		case o.distrust:
			options = append(options, trace.WithLinks(trace.Link{SpanContext: sc}))
		default:
			ctx = remote
			if ambient.IsValid() {
				options = append(options, trace.WithLinks(trace.Link{SpanContext: ambient}))
			}
		}
	}
	ctx, span := o.tracer.Start(ctx, methodOf(op), options...)
	return context.WithValue(ctx, spanKey{}, span)
}

// Inject returns the trace context of ctx for a request to the client. Baggage is left out, because
// it may have data of the application. With WithTrustRemote(false), Inject returns nothing.
func (o *Observer) Inject(ctx context.Context) map[string]string {
	o.checkMade()
	if o.distrust {
		return nil
	}
	carrier := propagation.MapCarrier{}
	propagator.Inject(baggage.ContextWithoutBaggage(ctx), carrier)
	return carrier
}

// Link returns ctx with the span of the first request, so that the spans and log records
// of a cached prompt's function are part of its trace.
func (o *Observer) Link(ctx, first context.Context) context.Context {
	o.checkMade()
	return trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(first))
}

// End ends the span, and records the duration.
func (o *Observer) End(ctx context.Context, op observe.Operation, out observe.Outcome) {
	o.checkMade()
	if op.Kind == observe.KindSession {
		if o.filter == nil || o.filter(op) {
			o.sessions.Record(ctx, out.Duration.Seconds(), o.measured(op, connectionAttributes(nil, op)))
		}
		return
	}
	span, ok := ctx.Value(spanKey{}).(trace.Span)
	if !ok {
		return
	}
	if target := cmp.Or(out.Tool, out.Prompt); target != "" {
		span.SetName(methodOf(op) + " " + target)
	}
	if isFailure(out) {
		span.SetStatus(codes.Error, "")
	}
	span.SetAttributes(o.allowed(op, versionAttributes(outcomeAttributes(make([]attribute.KeyValue, 0, 8), out), out))...)
	span.End(trace.WithTimestamp(op.Start.Add(out.Duration)))

	h := o.server
	if kindOf(op) == trace.SpanKindClient {
		h = o.client
	}
	pooled := attributePool.Get().(*[]attribute.KeyValue)
	defer attributePool.Put(pooled)
	attrs := append(connectionAttributes((*pooled)[:0], op), attribute.String(attrMethod, methodOf(op)))
	*pooled = outcomeAttributes(attrs, out)
	h.Record(ctx, out.Duration.Seconds(), o.measured(op, *pooled))
}

// attributePool has slices for the attributes of metrics, of which a set keeps a copy.
var attributePool = sync.Pool{New: func() any { return new(make([]attribute.KeyValue, 0, 16)) }}

func (o *Observer) allowed(op observe.Operation, attrs []attribute.KeyValue) []attribute.KeyValue {
	if o.attributes == nil {
		return attrs
	}
	return slices.DeleteFunc(attrs, func(a attribute.KeyValue) bool { return !o.attributes(op, a) })
}

func (o *Observer) measured(op observe.Operation, attrs []attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(o.allowed(op, attrs)...))
}

func kindOf(op observe.Operation) trace.SpanKind {
	if op.Kind == observe.KindClientRequest || op.Kind == observe.KindClientNotification {
		return trace.SpanKindClient
	}
	return trace.SpanKindServer
}

var serverKind, clientKind = trace.WithSpanKind(trace.SpanKindServer), trace.WithSpanKind(trace.SpanKindClient)

func kindOption(op observe.Operation) trace.SpanStartOption {
	if kindOf(op) == trace.SpanKindClient {
		return clientKind
	}
	return serverKind
}

func methodOf(op observe.Operation) string {
	if op.Method == "" {
		return other
	}
	return op.Method
}

func (o *Observer) spanAttributes(op observe.Operation) []attribute.KeyValue {
	attrs := append(connectionAttributes(make([]attribute.KeyValue, 0, 8), op), attribute.String(attrMethod, methodOf(op)))
	attrs = appendText(attrs, attrSession, op.SessionID)
	if op.Kind == observe.KindRequest {
		id := op.ID
		if strings.HasPrefix(id, `"`) { // a string
			id = unquoted(id)
		}
		attrs = appendText(attrs, attrRequestID, id)
	}
	if kindOf(op) == trace.SpanKindServer {
		attrs = appendText(attrs, attrClientAddress, op.Transport.ClientAddress)
	}
	return o.allowed(op, attrs)
}

func connectionAttributes(attrs []attribute.KeyValue, op observe.Operation) []attribute.KeyValue {
	attrs = appendText(attrs, attrVersion, op.Version)
	attrs = appendText(attrs, attrTransport, op.Transport.Network)
	attrs = appendText(attrs, attrProtocol, op.Transport.Protocol)
	return appendText(attrs, attrProtocolVersion, op.Transport.ProtocolVersion)
}

func outcomeAttributes(attrs []attribute.KeyValue, out observe.Outcome) []attribute.KeyValue {
	attrs = appendText(attrs, attrPrompt, out.Prompt)
	if out.Tool != "" {
		attrs = append(attrs, attribute.String(attrTool, out.Tool), attribute.String(attrGenAIOperation, executeTool))
	}
	if out.Code != 0 {
		attrs = append(attrs, attribute.String(attrStatusCode, strconv.Itoa(int(out.Code))))
	}
	if isFailure(out) {
		attrs = append(attrs, attribute.String(attrErrorType, errorType(out)))
	}
	return attrs
}

func versionAttributes(attrs []attribute.KeyValue, out observe.Outcome) []attribute.KeyValue {
	attrs = appendText(attrs, attrDigest, out.Digest)
	attrs = appendText(attrs, attrRelease, out.Release)
	return appendText(attrs, attrLabel, out.Label)
}

func isFailure(out observe.Outcome) bool { return out.Code != 0 || out.Err != nil || out.IsError }

// errorType returns the code of the error response, the type of a rejection such as the
// HTTP status, or a word for a tool's error or for why there is no response.
func errorType(out observe.Outcome) string {
	var rejected *transport.Rejection
	switch {
	case out.Code != 0:
		return strconv.Itoa(int(out.Code))
	case errors.As(out.Err, &rejected):
		return rejected.Type
	case errors.Is(out.Err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(out.Err, context.Canceled):
		return "canceled"
	case out.Err == nil && out.IsError:
		return toolError
	}
	return other
}

func appendText(attrs []attribute.KeyValue, name, value string) []attribute.KeyValue {
	if value == "" {
		return attrs
	}
	return append(attrs, attribute.String(name, value))
}

// extract returns ctx with the trace context in a _meta.
func extract(ctx context.Context, meta string) context.Context {
	if meta == "" {
		return ctx
	}
	return propagator.Extract(ctx, carrier(meta))
}

func isBaggage(text string) bool {
	_, err := baggage.Parse(text)
	return err == nil
}
