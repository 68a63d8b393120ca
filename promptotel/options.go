package promptotel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/mcp-prompts/prompts/observe"
)

// Option configures an [Observer].
type Option func(*config)

type config struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	distrust   bool
	filter     func(observe.Operation) bool
	attributes func(observe.Operation, attribute.KeyValue) bool
}

// WithTracerProvider sets the source of tracers. Default: otel.GetTracerProvider().
func WithTracerProvider(p trace.TracerProvider) Option { return func(c *config) { c.tracers = p } }

// WithMeterProvider sets the source of meters. Default: otel.GetMeterProvider().
func WithMeterProvider(p metric.MeterProvider) Option { return func(c *config) { c.meters = p } }

// WithTrustRemote sets whether the trace context of a client is the parent of the server's spans,
// as the conventions recommend, and whether requests to the client have the trace context of the
// server. If trust is false, the client's span is linked instead, and its baggage is ignored: for a
// server that anyone may call. Default: true.
func WithTrustRemote(trust bool) Option { return func(c *config) { c.distrust = !trust } }

// WithFilter sets a function that reports whether an operation is recorded. It must
// be safe for concurrent use. Default: every operation is.
func WithFilter(f func(observe.Operation) bool) Option { return func(c *config) { c.filter = f } }

// WithAttributeFilter sets a function that reports whether an attribute of an operation is
// recorded, for spans and metrics. It must be safe for concurrent use. Default: every attribute is.
func WithAttributeFilter(f func(observe.Operation, attribute.KeyValue) bool) Option {
	return func(c *config) { c.attributes = f }
}

// WithoutTracing disables spans.
func WithoutTracing() Option { return WithTracerProvider(tracenoop.NewTracerProvider()) }

// WithoutMetrics disables metrics.
func WithoutMetrics() Option { return WithMeterProvider(metricnoop.NewMeterProvider()) }
