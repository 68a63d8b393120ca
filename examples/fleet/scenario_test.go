package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptnats"
)

// How long the faults take. Those of docs/fleet.md are
//
//	go test -run TestScenario -v -outage 40s -refill 60s .
var (
	outage = flag.Duration("outage", time.Second, "how long the broker is away")
	refill = flag.Duration("refill", 2*time.Second, "how long a bucket is refilled")
)

// A bucket is deleted, created again, and published to slowly: nothing disappears.
func TestScenarioRefill(t *testing.T) {
	t.Parallel()
	scenario(t, func(s *setup, cs *clients) {
		fsys := folder(files + 1)
		require.NoError(t, s.js.DeleteKeyValue(t.Context(), "prompts"))
		require.EventuallyWithT(t, func(c *assert.CollectT) { // the broker may still be removing the one before it
			var err error
			s.kv, err = s.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "prompts"})
			require.NoError(c, err)
		}, long, 5*time.Millisecond)
		ticker := time.NewTicker(*refill / files)
		defer ticker.Stop()
		_, err := promptnats.Publish(t.Context(), slow{s.js, ticker.C}, "prompts", fsys, promptnats.Options{})
		require.NoError(t, err)
		cs.wait(s.names())
		for _, l := range cs.all {
			l.mu.Lock()
			lists := slices.Clone(l.lists)
			l.mu.Unlock()
			for _, list := range lists {
				assert.Contains(t, list, fmt.Sprint(files+2, " prompts at"), "%s, with announce", l.name)
			}
		}
	})
}

// The broker ends, begins again, and a key is written as soon as it is back.
func TestScenarioOutage(t *testing.T) {
	t.Parallel()
	scenario(t, func(s *setup, cs *clients) {
		s.broker.server.Shutdown()
		s.broker.server.WaitForShutdown()
		time.Sleep(*outage) // this is the fault
		s.restartBroker()
		for _, err := s.kv.PutString(t.Context(), "zzz.md", "new"); err != nil; { // the broker may not be ready
			_, err = s.kv.PutString(t.Context(), "zzz.md", "new")
		}
		cs.wait(s.names())
	})
}

// The broker is stopped, its connections stay open, and a key is written as soon as
// it goes on.
func TestScenarioStoppedBroker(t *testing.T) {
	t.Parallel()
	scenario(t, func(s *setup, cs *clients) {
		c := startCable(t, strings.TrimPrefix(s.settings.nats, "nats://"))
		s.settings.nats = "nats://" + c.listener.Addr().String()
		for i := range 3 {
			s.restart(i)
		}
		c.gate.Lock()
		time.Sleep(*outage) // this is the fault
		c.gate.Unlock()
		s.put("zzz.md", "new")
		cs.wait(s.names())
	})
}

// One replica is cut off from the broker, and a key is written meanwhile.
func TestScenarioCutOff(t *testing.T) {
	t.Parallel()
	scenario(t, func(s *setup, cs *clients) {
		c := startCable(t, strings.TrimPrefix(s.settings.nats, "nats://"))
		s.settings.nats = "nats://" + c.listener.Addr().String()
		s.restart(2) // its streams go on at the others
		c.cut(true)
		before := s.fleet[2].names()
		s.put("zzz.md", "new")
		cs.told()
		assert.Equal(t, before, s.fleet[2].names())
		c.cut(false)
		cs.wait(s.names())
	})
}

// All replicas are restarted, one after the other, and one of them crashes.
func TestScenarioRollingRestart(t *testing.T) {
	t.Parallel()
	scenario(t, func(s *setup, cs *clients) {
		for i := range 3 {
			s.restartGently(i)
		}
		s.put("zzz.md", "new")
		cs.wait(s.names())
		s.restart(0)
		s.put("zzzz.md", "newer")
		cs.wait(s.names())
	})
}

// The bucket is full, and then its limit is raised.
func TestScenarioFullBucket(t *testing.T) {
	t.Parallel()
	scenario(t, func(s *setup, cs *clients) {
		stream, err := s.js.Stream(t.Context(), "KV_prompts")
		require.NoError(t, err)
		config := stream.CachedInfo().Config
		limit := func(bytes uint64) {
			config.MaxBytes = int64(bytes)
			_, err := s.js.UpdateStream(t.Context(), config)
			require.NoError(t, err)
		}
		publish := func() error {
			_, err := promptnats.Publish(t.Context(), s.js, "prompts", folder(files+10), promptnats.Options{})
			return err
		}
		limit(stream.CachedInfo().State.Bytes + 3000)
		err = publish()
		require.ErrorIs(t, err, promptnats.ErrFull)
		t.Log(err)
		cs.wait(s.names())
		limit(1 << 20)
		require.NoError(t, publish())
		cs.wait(s.names())
	})
}

// files is how many there are at the beginning of a scenario.
const files = 20

func folder(n int) fstest.MapFS {
	fsys := fstest.MapFS{}
	for key, text := range stays(n) {
		fsys[key] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// scenario runs a fault, after which each client must have been notified when the
// last replica had changed, and all replicas must be equal. It prints what each
// client saw.
func scenario(t *testing.T, fault func(*setup, *clients)) {
	t.Helper()
	s := start(t, 3, stays(files), patient)
	cs := listenAll(t, s.url)
	fault(s, cs)
	assert.EventuallyWithT(t, func(t *assert.CollectT) {
		for _, r := range s.fleet {
			assert.Equal(t, s.names(), r.names(), r.name)
		}
	}, long, 10*time.Millisecond)
	cs.wait(s.names())
	cs.report()
}

// The client of the official Go SDK does not open its stream again. Without a
// balancer that goes on with the stream it is not notified any more; its requests
// have the new prompts.
func TestGoSDKWithoutTheBalancer(t *testing.T) {
	t.Parallel()
	s := start(t, 1, nil)
	url := "http://" + s.fleet[0].host + "/mcp"
	notified := make(chan struct{}, 10)
	session := connectGoSDK(t, url, func(*mcp.ClientSession) { notified <- struct{}{} })
	defer session.Close()
	s.put("a.md", "a")
	<-notified
	s.restartGently(0)
	other := newClients(t, url)
	other.add("plain client", listenPlain)
	s.put("b.md", "b")
	other.wait([]string{"a", "announce", "b"})
	names, err := listGoSDK(session)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "announce", "b"}, names)
	assert.Empty(t, notified, "it opens its stream again: change docs/fleet.md")
}

// slow is a connection that writes at the pace of a ticker.
type slow struct {
	jetstream.JetStream
	pace <-chan time.Time
}

func (s slow) PublishMsg(ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	<-s.pace
	return s.JetStream.PublishMsg(ctx, m, o...)
}

// names are those of the prompts that a replica has.
func (r *replica) names() []string {
	var names []string
	for p := range r.registry.All() {
		names = append(names, p.Name)
	}
	return names
}

// restartBroker starts the broker again, at the same port and with the same store.
func (s *setup) restartBroker() {
	b := s.broker
	_, port, _ := strings.Cut(strings.TrimPrefix(s.settings.nats, "nats://"), ":")
	o := &server.Options{Host: "127.0.0.1", JetStream: true, StoreDir: b.dir, NoSigs: true}
	_, err := fmt.Sscan(port, &o.Port)
	require.NoError(s.t, err)
	b.server, err = server.NewServer(o)
	require.NoError(s.t, err)
	b.server.Start()
	require.True(s.t, b.server.ReadyForConnections(long))
}

// restartGently stops a replica, and starts another one in its place.
func (s *setup) restartGently(i int) {
	ctx, cancel := context.WithTimeout(s.t.Context(), long)
	defer cancel()
	require.NoError(s.t, s.fleet[i].stop(ctx))
	s.restart(i)
}

// cable is the way to a broker.
type cable struct {
	listener net.Listener
	gate     sync.RWMutex // locked while nothing gets through
	mu       sync.Mutex   // protects the fields below
	isCut    bool
	ends     []net.Conn
}

func startCable(t *testing.T, broker string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cable{listener: l}
	t.Cleanup(func() {
		_ = l.Close()
		c.cut(true)
	})
	go func() { // until the listener is closed
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", broker)
			if err != nil {
				_ = near.Close()
				continue
			}
			c.mu.Lock()
			if c.ends = append(c.ends, near, far); c.isCut {
				_, _ = near.Close(), far.Close()
			}
			c.mu.Unlock()
			go c.pass(near, far) // until one of them is closed
			go c.pass(far, near)
		}
	}()
	return c
}

// pass passes on what is sent.
func (c *cable) pass(to, from net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		c.gate.RLock()
		_, late := to.Write(b[:n])
		c.gate.RUnlock()
		if err != nil || late != nil {
			_, _ = to.Close(), from.Close()
			return
		}
	}
}

// cut cuts the connections, also those to come, or lets those get through.
func (c *cable) cut(isCut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isCut = isCut; isCut {
		for _, end := range c.ends {
			_ = end.Close()
		}
		c.ends = nil
	}
}
