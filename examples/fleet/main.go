// Fleet is three replicas of a prompts server behind a load balancer, with the
// prompts in a key-value bucket of NATS:
//
//	go run . -listen 127.0.0.1:8080
//
// It starts a nats-server of its own and publishes the folder prompts to it. With
// -nats URL it uses yours, and publishes nothing unless -publish says what.
//
// It prints the prompts of each replica, and prints them again after each change of
// the bucket. To change the bucket:
//
//	nats --server URL kv put prompts review/code.md < prompts/review/code.md
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts/promptnats"
)

func main() {
	var o options
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8080", "serve at this `address` and the path /mcp")
	flag.IntVar(&o.replicas, "replicas", 3, "the `number` of replicas")
	flag.StringVar(&o.nats, "nats", "", "the `URL` of a broker; default: one of its own")
	flag.StringVar(&o.bucket, "bucket", "prompts", "the `name` of the bucket")
	flag.StringVar(&o.publish, "publish", "", "the `folder` to publish first; default: prompts, if the broker is its own")
	flag.Func("host", "a `name` by which clients call it, with the port, if that is not one of this machine for itself; may be repeated", func(host string) error {
		o.hosts = append(o.hosts, host)
		return nil
	})
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	if err := run(ctx, o, &lines{w: os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

type options struct {
	listen   string
	replicas int
	nats     string
	bucket   string
	publish  string
	hosts    []string
}

// lines lets several goroutines write lines.
type lines struct {
	mu sync.Mutex // held to write
	w  io.Writer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// changeDelay is for replicas that get a change within a fraction of a second of
// each other.
const changeDelay = 500 * time.Millisecond

// patience is how long clients have when the fleet ends.
const patience = 10 * time.Second

// run serves until ctx ends.
func run(ctx context.Context, o options, say io.Writer) (err error) {
	if o.replicas < 1 {
		return errors.New("-replicas must be 1 or more")
	}
	if o.nats == "" {
		b, startErr := startBroker()
		if startErr != nil {
			return startErr
		}
		defer func() { err = errors.Join(err, b.stop()) }()
		o.nats = b.url()
		if o.publish == "" {
			o.publish = "prompts"
		}
	}
	fmt.Fprintln(say, "broker:", o.nats)
	if o.publish != "" {
		if err := publish(ctx, o, say); err != nil {
			return fmt.Errorf("-publish %s: %w", o.publish, err)
		}
	}
	f, err := startFleet(ctx, o.replicas, settings{nats: o.nats, bucket: o.bucket, hosts: o.hosts, stateKeys: newKeys(), changeDelay: changeDelay, say: say})
	if err != nil {
		return err
	}
	web := &http.Server{Handler: newBalancer(ctx, f.hosts()...), ReadTimeout: 30 * time.Second}
	defer func() { err = errors.Join(err, end(web, f)) }()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(say, "serving: http://%s/mcp\n", listener.Addr())
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }() // until end
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
}

// end lets the requests in progress finish. The balancer takes no more; streams
// have no end of their own, and come to it as their replicas stop.
func end(web *http.Server, f fleet) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- web.Shutdown(ctx) }() // ends with the last request, or with ctx
	err := f.stop(ctx)
	if late := <-ended; late != nil {
		err = errors.Join(err, late, web.Close())
	}
	return err
}

// publish makes the bucket, if it is not there, equal to the folder.
func publish(ctx context.Context, o options, say io.Writer) error {
	nc, err := nats.Connect(o.nats, nats.Timeout(startTimeout))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.KeyValue(ctx, o.bucket) // who may write to one may not be let create one
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		// History lets one take back a change; replicas are for a cluster.
		_, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: o.bucket, History: 5})
	}
	if err != nil {
		return err
	}
	done, err := promptnats.Publish(ctx, js, o.bucket, os.DirFS(o.publish), promptnats.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(say, "published: %d added, %d changed, %d removed\n", len(done.Added), len(done.Changed), len(done.Removed))
	return nil
}

// newKeys returns keys for the replicas of this process. Those of a real fleet
// come from where it keeps its secrets, and are read again when they rotate.
func newKeys() func(context.Context) ([][]byte, error) {
	keys := [][]byte{make([]byte, 32)}
	_, _ = rand.Read(keys[0]) // never fails
	return func(context.Context) ([][]byte, error) { return keys, nil }
}

// fleet is a number of replicas.
type fleet []*replica

func startFleet(ctx context.Context, n int, s settings) (_ fleet, err error) {
	var f fleet
	defer func() {
		if err != nil {
			err = errors.Join(err, f.stop(ctx))
		}
	}()
	for i := range n {
		r, err := startReplica(ctx, fmt.Sprintf("replica-%d", i+1), "127.0.0.1:0", s)
		if err != nil {
			return nil, err
		}
		f = append(f, r)
	}
	return f, nil
}

func (f fleet) hosts() []string {
	hosts := make([]string, len(f))
	for i, r := range f {
		hosts[i] = r.host
	}
	return hosts
}

// stop ends the replicas, all at once.
func (f fleet) stop(ctx context.Context) error {
	stopped := make(chan error, len(f))
	for _, r := range f {
		go func() { stopped <- r.stop(ctx) }()
	}
	var err error
	for range f {
		err = errors.Join(err, <-stopped)
	}
	return err
}
