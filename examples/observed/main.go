// Observed is a prompts server over Streamable HTTP whose requests are traced and
// measured with OpenTelemetry.
//
//	go -C examples/observed run . -listen 127.0.0.1:8080
//
// Without a collector, the program prints each span that ends. To send spans and metrics
// to a collector, name its OTLP endpoint:
//
//	OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 go -C examples/observed run .
//
// With -picture, the program traces requests of its own and draws the trace.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptotel"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "serve at the `address`")
	picture := flag.String("picture", "", "draw a trace to the SVG `file` and exit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *picture != "" {
		err = draw(ctx, *picture)
	} else {
		err = run(ctx, *listen)
	}
	if err != nil {
		slog.Error("program failed", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, address string) error {
	tracers, meters, err := providers(ctx)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	slog.Info("serving", "address", listener.Addr().String(), "path", "/mcp")
	err = serve(ctx, listener, tracers, meters)
	// The providers last: the end of the server is recorded, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return errors.Join(err, tracers.Shutdown(ctx), meters.Shutdown(ctx))
}

// patience is how long requests and exporters have at the end.
const patience = 10 * time.Second

// providers returns the providers of a collector, or ones that print spans.
func providers(ctx context.Context) (*sdktrace.TracerProvider, *metric.MeterProvider, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" {
		return sdktrace.NewTracerProvider(sdktrace.WithSyncer(printer{})), metric.NewMeterProvider(), nil
	}
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans)),
		metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(metrics))), nil
}

// printer is a collector in the process: it prints spans.
type printer struct{}

// ExportSpans prints the spans.
func (printer) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		fmt.Printf("%s %-7s %-28s %8s", s.SpanContext().TraceID(), s.SpanKind(), s.Name(), s.EndTime().Sub(s.StartTime()).Round(time.Microsecond))
		for _, a := range s.Attributes() {
			fmt.Printf(" %s=%s", a.Key, a.Value.String())
		}
		fmt.Println()
	}
	return nil
}

// Shutdown does nothing.
func (printer) Shutdown(context.Context) error { return nil }

// serve serves the prompts until ctx ends.
func serve(ctx context.Context, listener net.Listener, tracers trace.TracerProvider, meters *metric.MeterProvider) error {
	observer, err := promptotel.New(promptotel.WithTracerProvider(tracers), promptotel.WithMeterProvider(meters))
	if err != nil {
		return err
	}
	logger := slog.New(promptotel.LogHandler(slog.NewTextHandler(os.Stderr, nil)))
	srv := prompts.MustNewServer(registry(tracers.Tracer("observed")), prompts.Options{
		Info:     prompts.Implementation{Name: "observed", Version: "1.0.0"},
		Observer: observer, Logger: logger, Middleware: prompts.AuditLog(logger),
	})
	handler := streamablehttp.MustNewHandler(srv, streamablehttp.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", withTraceOfHeader(handler))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: patience}
	ended := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ended <- errors.Join(handler.Shutdown(ctx), web.Shutdown(ctx))
	})()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, handler.Close())
	}
	return <-ended
}

// withTraceOfHeader makes the trace context in the header of a request the parent of its
// span, unless _meta of the request has a trace context.
func withTraceOfHeader(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// registry has a prompt whose steps are spans of their own.
func registry(tracer trace.Tracer) *prompts.Registry {
	step := func(ctx context.Context, name string, d time.Duration) {
		_, span := tracer.Start(ctx, name)
		defer span.End()
		time.Sleep(d) // a real step asks a system
	}
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.Prompt{
		Name: "review", Description: "Reviews a change.",
		Arguments: []prompts.Argument{{Name: "change", Description: "The number of the change.", Required: true}},
		Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
			step(ctx, "read the change", 6*time.Millisecond)
			step(ctx, "find the guidelines", 3*time.Millisecond)
			return prompts.Messages(prompts.User("Review change " + args["change"] + " by our guidelines.")), nil
		},
	})
	return reg
}
