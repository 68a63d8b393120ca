package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// place is the server, and all that leads to it.
type place struct {
	options   options
	rec       *record
	catalogue *catalogue
	server    *prompts.Server
	handler   *streamablehttp.Handler
	http      *http.Server
	address   string

	ctx     context.Context // of the streams
	cancel  context.CancelFunc
	serving sync.WaitGroup // the goroutines of HTTP's listener and of the streams
	streams atomic.Int64   // that are served
	active  atomic.Int64   // requests of HTTP
	faulted atomic.Bool

	mu   sync.Mutex // protects the fields below
	left []leftSession
	lost int // how many were left behind
}

// leftSession is one that its client has left behind.
type leftSession struct{ id, principal string }

func newPlace(o options, rec *record) (*place, error) {
	p := &place{options: o, rec: rec, catalogue: newCatalogue(o.clients)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.server = prompts.NewServer(&p.catalogue.registry, prompts.Options{
		PageSize:        pageSize,
		Visible:         isVisible,
		Principal:       principalOf,
		Middleware:      p.catalogue.middleware,
		RenderTimeout:   renderTimeout,
		MaxMessageBytes: mostBytes,
		Rate:            prompts.Rate{Completions: completionRate},
		Grace:           time.Second,
		Logger:          slog.New(slog.DiscardHandler),
	})
	p.handler = streamablehttp.NewHandler(p.server, streamablehttp.Options{
		SessionTimeout:      sessionTimeout,
		MaxStreams:          mostStreams,
		MaxStreamsPerClient: mostOfClient,
		ReadTimeout:         readTimeout,
		WriteTimeout:        writeTimeout,
		KeepAlive:           500 * time.Millisecond,
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.address = listener.Addr().String()
	// Connections may be idle for as long as they like: a request that comes when
	// the server ends one for that fails, and it would be nobody's fault.
	p.http = &http.Server{
		Handler: authenticate(http.HandlerFunc(p.serveHTTP)), ReadHeaderTimeout: readTimeout, IdleTimeout: -1,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	p.serving.Go(func() {
		if err := p.http.Serve(listener); err != http.ErrServerClosed {
			rec.fault("HTTP", "it has ended: %v", err)
		}
	})
	return p, nil
}

func (p *place) serveHTTP(w http.ResponseWriter, r *http.Request) {
	p.active.Add(1)
	defer p.active.Add(-1)
	p.handler.ServeHTTP(w, r)
}

// duplex is one side of a stream.
type duplex struct {
	io.ReadCloser
	in io.WriteCloser
}

func (d duplex) Write(b []byte) (int, error) { return d.in.Write(b) }

// hangUp tells the other side that nothing more will come.
func (d duplex) hangUp() { _ = d.in.Close() }

// Close closes both ways.
func (d duplex) Close() error {
	_ = d.in.Close()
	return d.ReadCloser.Close()
}

// pipes returns the two sides of a stream: pipes of the system, or in memory.
func pipes(ofSystem bool) (client, server duplex, err error) {
	if !ofSystem {
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		return duplex{fromServer, toServer}, duplex{fromClient, toClient}, nil
	}
	fromClient, toServer, err := os.Pipe()
	if err != nil {
		return client, server, err
	}
	fromServer, toClient, err := os.Pipe()
	if err != nil {
		_ = duplex{fromClient, toServer}.Close()
		return client, server, err
	}
	return duplex{fromServer, toServer}, duplex{fromClient, toClient}, nil
}

// stream returns the client's side of a stream that is served until the client
// closes it.
func (p *place) stream(principal string, ofSystem bool) (duplex, error) {
	client, server, err := pipes(ofSystem)
	if err != nil {
		return client, err
	}
	t := &faulty{Transport: stdio.NewStream(server, server, stdio.Options{MaxMessageBytes: mostBytes}),
		fault: p.options.fault, done: &p.faulted, release: p.options.release}
	p.streams.Add(1)
	p.serving.Go(func() {
		defer p.streams.Add(-1)
		if err := p.server.Serve(withPrincipal(p.ctx, principal), t); err != nil && strings.HasPrefix(principal, "good") {
			p.rec.fault(principal, "its stream has failed: %v", err)
		}
	})
	return client, nil
}

// mostLeft is how many sessions are remembered that were left behind, the last
// ones.
const mostLeft = 1000

// leave notes a session that its client leaves behind.
func (p *place) leave(id, principal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := (leftSession{id, principal}); len(p.left) < mostLeft {
		p.left = append(p.left, x)
	} else {
		p.left[p.lost%mostLeft] = x
	}
	p.lost++
}
