package soak

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

var (
	length = flag.Duration("for", 0, "how long clients begin new connections; 0 for no soak test")
	seed   = flag.Uint64("seed", 1, "where the decisions of the clients come from")
)

// The limits of the server. They are low enough to be reached, and times are
// longer than a busy machine stops the process for.
const (
	renderTimeout   = 5 * time.Second
	sessionTimeout  = 5 * time.Second
	readTimeout     = 5 * time.Second
	mostOfClient    = 64 // streams over HTTP
	mostBytes       = 1 << 20
	principalHeader = "Soak-Principal"
)

// soak is the server, and what its clients report.
type soak struct {
	patience  time.Duration // for anything that has to happen
	catalogue *catalogue
	checker   *speccheck.Checker // nil without the specification's schemas
	server    *prompts.Server
	handler   *streamablehttp.Handler
	http      *http.Server
	address   string
	tally     *tally
	plant     fault
	planted   atomic.Bool
	release   chan struct{}   // ends the goroutine of faultGoroutine
	kept      [][]byte        // by faultHeap
	ctx       context.Context // of the streams
	cancel    context.CancelFunc
	serving   sync.WaitGroup
	streams   atomic.Int64 // that are served
	requests  atomic.Int64 // of HTTP
	acts      atomic.Int64 // of well-behaved clients

	mu       sync.Mutex // protects the fields below
	problems []string
	left     []http.Header // of sessions that were left behind, the last ones
}

// reporter is the test of one client. Fatalf ends the goroutine alone.
type reporter struct {
	testing.TB
	to  *soak
	who string
}

func (r *reporter) Helper()        {}
func (r *reporter) Cleanup(func()) {} // each client closes itself
func (r *reporter) Errorf(format string, args ...any) {
	r.to.mu.Lock()
	defer r.to.mu.Unlock()
	r.to.problems = append(r.to.problems, r.who+": "+fmt.Sprintf(format, args...))
}

func (r *reporter) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

type principalKey struct{}

func principalOf(ctx context.Context) string {
	principal, _ := ctx.Value(principalKey{}).(string)
	return principal
}

func newSoak(t *testing.T, patience time.Duration, plant fault) *soak {
	t.Helper()
	s := &soak{patience: patience, catalogue: newCatalogue(), plant: plant, release: make(chan struct{})}
	if os.Getenv(speccheck.Variable) != "" {
		var err error
		s.checker, err = speccheck.FromEnvironment()
		require.NoError(t, err)
	}
	s.tally = newTally(s)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.server = prompts.MustNewServer(&s.catalogue.registry, prompts.Options{
		PageSize: 50,
		Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
			return len(p.Tags) == 0 || isEven(principalOf(ctx)), nil
		},
		Principal:  func(ctx context.Context) (string, error) { return principalOf(ctx), nil },
		Middleware: sign,
		Observer:   s.tally,
		Timeouts:   prompts.Timeouts{Render: renderTimeout},
		Limits:     prompts.Limits{MaxMessageBytes: mostBytes, CompletionsPerSecond: 1000},
	})
	s.handler = streamablehttp.MustNewHandler(s.server, streamablehttp.Options{
		SessionTimeout: sessionTimeout, MaxStreamsPerClient: mostOfClient, ReadTimeout: readTimeout, WriteTimeout: readTimeout, KeepAlive: 500 * time.Millisecond,
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.address = listener.Addr().String()
	s.http = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.requests.Add(1)
			defer s.requests.Add(-1)
			s.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, r.Header.Get(principalHeader))))
		}),
		ReadHeaderTimeout: readTimeout, IdleTimeout: -1, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	s.serving.Go(func() { _ = s.http.Serve(listener) })
	return s
}

// duplex is one side of a stream, over pipes of the system.
type duplex struct {
	io.ReadCloser
	out io.WriteCloser
}

func (d duplex) Write(b []byte) (int, error) { return d.out.Write(b) }
func (d duplex) hangUp()                     { _ = d.out.Close() }
func (d duplex) Close() error {
	d.hangUp()
	return d.ReadCloser.Close()
}

// open returns the client's side of a stream, which is served until it is closed.
func (s *soak) open(principal string) duplex {
	fromClient, toServer, err := os.Pipe()
	fromServer, toClient, err2 := os.Pipe()
	if err != nil || err2 != nil {
		panic(fmt.Sprint("the system has no more pipes: ", err, err2))
	}
	server := duplex{fromClient, toClient}
	var conn transport.Conn = stdio.NewStream(server, server, stdio.Options{MaxMessageBytes: mostBytes})
	if s.plant != faultNone {
		conn = &faulty{conn, s}
	}
	s.streams.Add(1)
	s.serving.Go(func() {
		defer s.streams.Add(-1)
		err := s.server.Serve(context.WithValue(s.ctx, principalKey{}, principal), conn)
		if err != nil && strings.HasPrefix(principal, "good") {
			(&reporter{to: s, who: principal}).Errorf("its stream has failed: %v", err)
		}
	})
	return duplex{fromServer, toServer}
}

// leave notes a session that its client leaves behind.
func (s *soak) leave(id, principal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left[max(0, len(s.left)-100):], http.Header{
		"Mcp-Session-Id": {id}, principalHeader: {principal},
		"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"},
	})
}

// run has all clients work, each for one connection at least.
func (s *soak) run(length time.Duration, onlyStreams bool) {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	changing, stop := context.WithCancel(context.Background())
	var clients, churn sync.WaitGroup
	report := &reporter{to: s, who: "the churn"}
	churn.Go(func() { s.catalogue.churn(changing, rand.New(rand.NewPCG(*seed, 0)), report.Errorf) })
	for i, version := range prompttest.Versions() {
		for j, isHTTP := range []bool{false, true} {
			if !isHTTP || !onlyStreams {
				s.client(ctx, &clients, 1+2*i+j, func(number, _ int, r *rand.Rand) { s.live(number, version, isHTTP, r) })
			}
		}
	}
	for i := range 4 {
		if ways := len(streamWays) + len(httpWays); !onlyStreams {
			s.client(ctx, &clients, 11+i, func(number, n int, r *rand.Rand) {
				if n *= 4; n < ways { // all ways once
					s.attack(number, (n+i)%ways, r)
				} else {
					s.attack(number, r.IntN(ways), r)
				}
			})
		}
	}
	clients.Wait()
	stop()
	churn.Wait()
}

// client has a client live again and again until ctx ends, hostile ones until
// they have done all that they can.
func (s *soak) client(ctx context.Context, all *sync.WaitGroup, number int, live func(number, n int, r *rand.Rand)) {
	r := rand.New(rand.NewPCG(*seed, uint64(number)))
	all.Go(func() {
		for n := 0; n == 0 || ctx.Err() == nil || number > 10 && n < 5; n++ {
			var one sync.WaitGroup
			one.Go(func() { live(number, n, r) }) // which Fatalf may end
			one.Wait()
		}
	})
}

// rest waits until the clients have left nothing, and returns the heap.
func (s *soak) rest(t *testing.T) uint64 {
	t.Helper()
	for what, n := range map[string]*atomic.Int64{"requests of HTTP": &s.requests, "streams": &s.streams, "renders": &s.catalogue.waiting} {
		assert.True(t, eventually(s.patience+time.Minute, func() bool { return n.Load() == 0 }), "%s are left", what)
	}
	for range 5 { // a request to a session that a busy machine ends late is a use of it
		if len(s.left) == 0 {
			break
		}
		time.Sleep(sessionTimeout + sessionTimeout/4)
		s.left = slices.DeleteFunc(s.left, func(header http.Header) bool {
			r, err := http.NewRequest(http.MethodPost, "http://"+s.address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			require.NoError(t, err)
			r.Header = header
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			_ = response.Body.Close()
			return response.StatusCode == http.StatusNotFound
		})
	}
	assert.Empty(t, s.left, "sessions are left")
	http.DefaultClient.CloseIdleConnections()
	runtime.GC()
	runtime.GC() // and what finalizers have freed
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// end ends the server, and checks that no goroutine is left.
func (s *soak) end(t *testing.T, goroutines int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	assert.NoError(t, s.handler.Shutdown(ctx))
	assert.NoError(t, s.http.Shutdown(ctx))
	s.cancel()
	s.serving.Wait()
	assert.NoError(t, s.server.Flush(ctx))
	s.problems = append(s.problems, s.tally.problems()...)
	patience := time.Minute // so that the next server does not take what ends late for its own
	if s.plant == faultGoroutine {
		patience = time.Second
	}
	if !eventually(patience, func() bool { return runtime.NumGoroutine() <= goroutines }) {
		stacks := make([]byte, 1<<20)
		s.problems = append(s.problems, "goroutines are left: "+string(stacks[:runtime.Stack(stacks, true)]))
	}
}

// eventually reports whether something comes true in time.
func eventually(patience time.Duration, isTrue func() bool) bool {
	for deadline := time.Now().Add(patience); !isTrue(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// hasGrown reports whether the heap is larger after the second half.
func hasGrown(first, second uint64) bool { return second > first+first/5+8<<20 }

// The tests are not parallel: they count the goroutines of the process. They wait most of
// the time, and so only run with -for.

func TestSoak(t *testing.T) {
	if *length == 0 {
		t.Skip("-for is missing: go test ./internal/servertest/soak -for 30s")
	}
	goroutines := runtime.NumGoroutine()
	s := newSoak(t, 2*time.Minute, faultNone)
	s.run(*length/2, false)
	first := s.rest(t)
	s.run(*length/2, false)
	second := s.rest(t)
	s.end(t, goroutines)
	for _, problem := range s.problems[:min(len(s.problems), 40)] {
		t.Error(problem)
	}
	assert.False(t, hasGrown(first, second), "the heap has grown from %d to %d bytes", first, second)
	t.Logf("%d things were asked for; the heap has %d and then %d KiB", s.acts.Load(), first>>10, second>>10)
}

// fault is what the server does wrong on purpose.
type fault int

const (
	faultNone fault = iota
	faultWrong
	faultMissing
	faultTwice
	faultGoroutine
	faultHeap
	faultUncancelled
	faultDropped // operations of the observer
	faultDoubled
)

// faulty is a server's transport with a fault.
type faulty struct {
	transport.Conn
	soak *soak
}

func (f *faulty) Read(ctx context.Context) ([]byte, error) {
	msg, err := f.Conn.Read(ctx)
	if f.soak.plant == faultUncancelled && bytes.Contains(msg, []byte(`"notifications/cancelled"`)) {
		return f.Conn.Read(ctx)
	}
	return msg, err
}

func (f *faulty) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := f.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (f *faulty) write(ctx context.Context, msg []byte) error {
	part := []byte(`"text":"stay-`)
	if f.soak.plant >= faultUncancelled || !bytes.Contains(msg, part) || f.soak.planted.Swap(true) && f.soak.plant != faultHeap {
		return f.Conn.Write(ctx, msg)
	}
	switch f.soak.plant {
	case faultWrong:
		msg = bytes.Replace(msg, part, []byte(`"text":"stray-`), 1)
	case faultMissing:
		return nil
	case faultTwice:
		_ = f.Conn.Write(ctx, msg)
	case faultGoroutine:
		go func() { <-f.soak.release }()
	case faultHeap:
		f.soak.mu.Lock()
		f.soak.kept = append(f.soak.kept, make([]byte, 1<<20))
		f.soak.mu.Unlock()
	}
	return f.Conn.Write(ctx, msg)
}

func TestSoakFindsBugs(t *testing.T) {
	if *length == 0 {
		t.Skip("-for is missing: go test ./internal/servertest/soak -for 30s")
	}
	for _, test := range []struct {
		plant fault
		want  string
	}{
		{faultWrong, `"user stray-`},
		{faultMissing, "has not answered within"},
		{faultTwice, "has already been answered"},
		{faultGoroutine, "(*faulty).write.func1"},
		{faultUncancelled, "a request goes on although it was cancelled"},
		{faultDropped, "the observer: good-"},
		{faultDoubled, "the observer: good-"},
	} {
		goroutines := runtime.NumGoroutine()
		s := newSoak(t, 5*time.Second, test.plant)
		s.run(0, true)
		s.end(t, goroutines)
		close(s.release)
		assert.Contains(t, strings.Join(s.problems, "\n"), test.want)
	}
	goroutines := runtime.NumGoroutine()
	s := newSoak(t, 5*time.Second, faultHeap)
	s.run(0, true)
	first := s.rest(t)
	s.run(0, true)
	assert.True(t, hasGrown(first, s.rest(t)))
	s.end(t, goroutines)
}
