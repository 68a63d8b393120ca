package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// settings are those that all replicas share.
type settings struct {
	nats, bucket string
	// hosts are those of the balancer that clients name; none: those of this
	// machine for itself, as long as the replicas listen at a loopback address.
	hosts []string
	// stateKeys encrypt what a client carries between the rounds of a request, the
	// first one of them; all of them decrypt it. Where replicas do not have the
	// same, a question that one has asked is lost on another.
	stateKeys func(context.Context) ([][]byte, error)
	// changeDelay is more than the time between two replicas' getting a change.
	changeDelay time.Duration
	// say receives the lines that a replica prints.
	say io.Writer
}

// renderTimeout limits how long a prompt renders. The balancer waits longer for a
// response.
const renderTimeout = 5 * time.Second

// startTimeout limits how long a replica loads the bucket, and how long the broker of
// the example starts.
const startTimeout = time.Minute

// replica is one server of the fleet, with nothing that another one would have
// to know.
type replica struct {
	name     string
	host     string // with the port
	registry *prompts.Registry
	nc       *nats.Conn
	follower *promptnats.Follower
	handler  *streamablehttp.Handler
	web      *http.Server
	served   chan struct{} // closed when web has ended
	ended    error         // why it has; set before served is closed
	isEnding atomic.Bool   // it gets no more requests from balancers
}

// startReplica starts one at an address, such as "127.0.0.1:0".
func startReplica(ctx context.Context, name, address string, s settings) (_ *replica, err error) {
	r := &replica{name: name, registry: new(prompts.Registry), served: make(chan struct{})}
	defer func() {
		if err != nil {
			r.kill()
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	// A connection that never gives up: prompts stay while the broker is away.
	r.nc, err = nats.Connect(s.nats, nats.Name(name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort())
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(r.nc)
	if err != nil {
		return nil, err
	}
	r.registry.MustAdd(announce())
	r.follower, err = promptnats.Follow(ctx, r.registry, js, s.bucket, promptnats.Options{
		Timeout: startTimeout,
		Files:   promptfs.Options{OnReload: func(report promptfs.Report) { fmt.Fprintln(s.say, r.describe(report)) }},
		OnStatus: func(status promptnats.Status) {
			if status.Err != nil {
				fmt.Fprintf(s.say, "%s: is not in sync: %v\n", name, status.Err)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	srv := prompts.MustNewServer(r.registry, prompts.Options{
		Info:             prompts.Implementation{Name: "fleet", Version: "1.0.0"},
		RequestStateKeys: s.stateKeys,
		// A client that this replica notifies may read the list from another one.
		ChangeDelay: s.changeDelay,
		Timeouts:    prompts.Timeouts{Render: renderTimeout},
	})
	// Without sessions, any request can go to any replica.
	r.handler, err = streamablehttp.NewHandler(srv, streamablehttp.Options{DisableSessions: true, AllowedHosts: s.hosts})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", r.handler)
	mux.HandleFunc("/healthz", r.health)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	r.host = listener.Addr().String()
	r.web = &http.Server{Handler: mux, ReadTimeout: 30 * time.Second}
	go func() { // ends with stop or kill
		defer close(r.served)
		r.ended = r.web.Serve(listener)
	}()
	return r, nil
}

// describe says what has become of the prompts.
func (r *replica) describe(report promptfs.Report) string {
	text := fmt.Sprintf("%s: serves %d prompts", r.name, r.registry.Len())
	for _, part := range []struct {
		sign  string
		names []string
	}{{"+", report.Added}, {"~", report.Changed}, {"-", report.Removed}} {
		const most = 5
		names := part.names
		if len(names) > most {
			names = append(names[:most:most], fmt.Sprintf("and %d more", len(part.names)-most))
		}
		if len(names) > 0 {
			text += " " + part.sign + " " + strings.Join(names, ", ")
		}
	}
	if report.Err != nil {
		text += "; " + strings.ReplaceAll(report.Err.Error(), "\n", "; ")
	}
	return text
}

// health is for the load balancer of a real fleet. A replica that answers has
// loaded the bucket, and if it is out of step now, it serves what it has.
func (r *replica) health(w http.ResponseWriter, _ *http.Request) {
	if r.isEnding.Load() {
		http.Error(w, "replica is ending", http.StatusServiceUnavailable)
		return
	}
	status := r.follower.Status()
	fmt.Fprintf(w, "synced: %t, revision: %d, prompts: %d\n", status.Synced, status.Revision, r.registry.Len())
}

// drainTime is how long a replica that ends still takes requests, so that balancers
// notice at their next check. A request on a connection that is being closed would be
// lost, and a balancer cannot know whether a replica has received it.
const drainTime = 2 * checkInterval

// stop lets balancers notice and requests finish, ends the streams, and then everything
// else.
func (r *replica) stop(ctx context.Context) error {
	r.isEnding.Store(true)
	select {
	case <-time.After(drainTime):
	case <-ctx.Done():
	}
	err := errors.Join(r.handler.Shutdown(ctx), r.web.Shutdown(ctx))
	if err != nil {
		_ = r.web.Close() // a client that does not read must not keep it
	}
	<-r.served
	if !errors.Is(r.ended, http.ErrServerClosed) {
		err = errors.Join(err, r.ended)
	}
	r.follower.Close()
	r.nc.Close()
	return err
}

// kill ends it as a crash would: requests in progress are cut off.
func (r *replica) kill() {
	if r.web != nil {
		_ = r.web.Close()
		<-r.served
	}
	if r.handler != nil {
		_ = r.handler.Close()
	}
	if r.follower != nil {
		r.follower.Close()
	}
	if r.nc != nil {
		r.nc.Close()
	}
}
