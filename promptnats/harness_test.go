package promptnats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
)

// long is how long a test waits for what has to come.
const long = 2 * time.Minute

const bucket = "prompts"

// broker is a nats-server that keeps its port and its store when it is
// restarted.
type broker struct {
	t       testing.TB
	options server.Options
	server  *server.Server
}

// startBroker starts one, with the options that change makes of the usual ones.
func startBroker(t testing.TB, change func(*server.Options)) *broker {
	t.Helper()
	o := server.Options{Host: "127.0.0.1", Port: freePort(t), JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	if change != nil {
		change(&o)
	}
	b := &broker{t: t, options: o}
	b.start()
	t.Cleanup(b.stop)
	return b
}

var lastPort atomic.Int32

// freePort returns a port that nobody listens at. The system gives it to no connection
// and to no listener that asks for any, so that it stays free while a broker is stopped.
func freePort(t testing.TB) int {
	t.Helper()
	lastPort.CompareAndSwap(0, 25_000+rand.Int32N(5_000))
	for {
		port := int(lastPort.Add(1))
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, l.Close())
		return port
	}
}

func (b *broker) start() {
	b.t.Helper()
	o := b.options
	s, err := server.NewServer(&o)
	require.NoError(b.t, err)
	go s.Start() // until stop
	require.True(b.t, s.ReadyForConnections(long))
	b.server = s
}

func (b *broker) stop() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

func (b *broker) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", b.options.Port) }

// store copies the broker's store, which must be stopped, to or from a
// directory.
func (b *broker) backup() string {
	dir := filepath.Join(b.t.TempDir(), "backup")
	require.NoError(b.t, os.CopyFS(dir, os.DirFS(b.options.StoreDir)))
	return dir
}

func (b *broker) restore(dir string) {
	require.NoError(b.t, os.RemoveAll(b.options.StoreDir))
	require.NoError(b.t, os.CopyFS(b.options.StoreDir, os.DirFS(dir)))
}

// connect connects as somebody who never gives up.
func connect(t testing.TB, url string, more ...nats.Option) jetstream.JetStream {
	t.Helper()
	options := append([]nats.Option{
		nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(20 * time.Millisecond), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectJitter(time.Millisecond, time.Millisecond), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, more...)
	nc, err := nats.Connect(url, options...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(long))
	require.NoError(t, err)
	return js
}

// newBucket creates the bucket.
func newBucket(t testing.TB, js jetstream.JetStream) jetstream.KeyValue {
	t.Helper()
	return createBucket(t, js, jetstream.KeyValueConfig{Bucket: bucket, MaxBytes: 64 << 20})
}

func createBucket(t testing.TB, js jetstream.JetStream, config jetstream.KeyValueConfig) jetstream.KeyValue {
	t.Helper()
	var kv jetstream.KeyValue
	require.EventuallyWithT(t, func(c *assert.CollectT) { // the broker may still be removing the one before it
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a cluster without a leader answers nothing
		defer cancel()
		var err error
		kv, err = js.CreateKeyValue(ctx, config)
		require.NoError(c, err)
	}, long, 5*time.Millisecond)
	return kv
}

func put(t testing.TB, kv jetstream.KeyValue, key, value string) uint64 {
	t.Helper()
	revision, err := kv.PutString(t.Context(), key, value)
	require.NoError(t, err, "%s", key)
	return revision
}

// follower is a Follower with its reports.
type follower struct {
	*promptnats.Follower
	t        testing.TB
	registry *prompts.Registry
	log      *logged
	mu       sync.Mutex
	statuses []promptnats.Status
	reports  []promptfs.Report
	news     chan struct{} // gets a value with each report
}

// newFollower returns what follow fills, and its options.
func newFollower(t testing.TB, o promptnats.Options) (*follower, promptnats.Options) {
	f := &follower{t: t, registry: &prompts.Registry{}, log: &logged{}, news: make(chan struct{}, 1)}
	o.Files.Logger = slog.New(slog.NewTextHandler(f.log, nil))
	o.OnStatus = func(s promptnats.Status) { f.tell(func() { f.statuses = append(f.statuses, s) }) }
	o.Files.OnReload = func(r promptfs.Report) { f.tell(func() { f.reports = append(f.reports, r) }) }
	return f, o
}

// follow starts a Follower, which ends with the test.
func follow(t testing.TB, js jetstream.JetStream, o promptnats.Options) *follower {
	t.Helper()
	f, o := newFollower(t, o)
	require.NoError(t, f.start(js, o))
	return f
}

func (f *follower) start(js jetstream.JetStream, o promptnats.Options) (err error) {
	f.Follower, err = promptnats.FollowFast(f.t.Context(), f.registry, js, bucket, o)
	if err == nil {
		f.t.Cleanup(f.Close)
	}
	return err
}

func (f *follower) tell(note func()) {
	f.mu.Lock()
	note()
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// until waits until something holds, which changes with the registry, the
// status or the faults.
func (f *follower) until(what string, holds func() bool) {
	f.t.Helper()
	changed, cancel := signals(f.registry.OnChange)
	defer cancel()
	timer := time.NewTimer(long)
	defer timer.Stop()
	ticker := time.NewTicker(10 * time.Millisecond) // a revision is not reported
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-changed:
		case <-f.news:
		case <-timer.C:
			require.FailNow(f.t, "it has not come: "+what, "prompts %v\nstatus %+v\n%s", f.names(), f.Status(), f.log)
		}
	}
}

// has waits for the prompts.
func (f *follower) has(names ...string) {
	f.t.Helper()
	f.until(fmt.Sprint(names), func() bool { return assert.ObjectsAreEqual(append([]string{}, names...), f.names()) })
}

// inStep waits until the Follower is in sync with this revision, or a later one.
func (f *follower) inStep(revision uint64) {
	f.t.Helper()
	f.until(fmt.Sprint("revision ", revision), func() bool { s := f.Status(); return s.Synced && s.Revision >= revision })
}

// lost waits until the Follower is not in sync.
func (f *follower) lost() error {
	f.t.Helper()
	f.until("a loss", func() bool { return !f.Status().Synced })
	return f.Status().Err
}

// says waits until a prompt has this text.
func (f *follower) says(name, text string) {
	f.t.Helper()
	f.until(name+" says "+text, func() bool { return f.text(name) == text })
}

func (f *follower) names() []string {
	names := []string{}
	for p := range f.registry.All() {
		names = append(names, p.Name)
	}
	return names
}

// text returns the first text of a prompt without arguments.
func (f *follower) text(name string) string {
	p, ok := f.registry.Lookup(name)
	if !ok {
		return ""
	}
	r, err := p.Render(context.Background(), nil)
	if err != nil {
		return err.Error()
	}
	c, _ := r.Messages[0].Content.(*prompts.Text)
	return c.Text
}

// faults returns the texts of Status.FileErrors, the errors of files.
func (f *follower) faults() []string {
	if err := f.Status().FileErrors; err != nil {
		return strings.Split(err.Error(), "\n")
	}
	return nil
}

// logged is a log in memory.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// files is a folder in memory.
func files(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for path, text := range texts {
		fsys[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// signals returns a channel with a signal after changes.
func signals(onChange func(func()) func()) (changed <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	return c, onChange(func() {
		select {
		case c <- struct{}{}:
		default:
		}
	})
}
