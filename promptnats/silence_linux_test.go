package promptnats_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
)

var (
	silences    = flag.String("silences", "10s", "how long TestSilence suspends a broker and drops packets, comma-separated")
	silenceRuns = flag.Int("silence-runs", 1, "how often TestSilence does so")
)

// The environment of the processes that TestSilence starts.
const (
	inNamespace = "PROMPTNATS_TEST_NAMESPACE"
	asBroker    = "PROMPTNATS_TEST_BROKER" // the path of the configuration of a broker
)

func TestMain(m *testing.M) {
	if config := os.Getenv(asBroker); config != "" {
		o, err := server.ProcessConfigFile(config)
		if err != nil {
			panic(err)
		}
		s, err := server.NewServer(o)
		if err != nil {
			panic(err)
		}
		s.Start()
		s.WaitForShutdown() // until the process is killed
		return
	}
	os.Exit(m.Run())
}

// maxLag is the time after which docs/fleet.md promises that all replicas are in sync.
const maxLag = 10 * time.Second

// A broker that is suspended, and packets that are lost, leave connections that look
// alive: no proxy in user space does the same, because the kernel acknowledges what the
// proxy does not read. So the test runs in a network namespace with packet filters.
func TestSilence(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	if os.Getenv(inNamespace) == "" {
		t.Parallel()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSilence$", "-test.v", "-test.timeout=0", "-silences="+*silences, fmt.Sprint("-silence-runs=", *silenceRuns))
		cmd.Env = append(os.Environ(), inNamespace+"=1", "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		require.NoError(t, err, "the test needs iptables, iproute2 and the right to create a network namespace")
		return
	}
	command(t, "ip", "link", "set", "lo", "up")
	c := startCluster(t)
	for _, silence := range strings.Split(*silences, ",") {
		d, err := time.ParseDuration(silence)
		require.NoError(t, err)
		for range *silenceRuns {
			c.measure(d, "packets dropped", func() {
				command(t, "iptables", "-A", "INPUT", "-s", replicas, "-j", "DROP")
				command(t, "iptables", "-A", "INPUT", "-d", replicas, "-j", "DROP")
			}, func() { command(t, "iptables", "-F", "INPUT") })
			c.measure(d, "broker suspended",
				func() { require.NoError(t, c.brokers[0].Signal(syscall.SIGSTOP)) },
				func() { require.NoError(t, c.brokers[0].Signal(syscall.SIGCONT)) })
		}
	}
}

func command(t *testing.T, name string, arguments ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, arguments...).CombinedOutput()
	require.NoError(t, err, "%s %q: %s", name, arguments, out)
}

// replicas are the addresses of the Followers.
const replicas = "127.0.1.0/24"

// cluster is a cluster of three brokers with three Followers. Each Follower begins at
// another broker.
type cluster struct {
	t         *testing.T
	brokers   []*os.Process
	followers []*follower
	kv        jetstream.KeyValue // by way of the second broker
	n         int                // of the changes
}

func startCluster(t *testing.T) *cluster {
	c := &cluster{t: t}
	const first, firstRoute = 24220, 24230
	var urls []string
	routes := ""
	for i := range 3 {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", first+i))
		routes += fmt.Sprintf(", \"nats://127.0.0.1:%d\"", firstRoute+i)
	}
	for i := range 3 {
		config := filepath.Join(t.TempDir(), "broker.conf")
		text := fmt.Sprintf("server_name: n%d\nlisten: \"127.0.0.1:%d\"\njetstream { store_dir: %q }\ncluster { name: test, listen: \"127.0.0.1:%d\", routes: [%s] }\n",
			i, first+i, t.TempDir(), firstRoute+i, routes[2:])
		require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asBroker+"="+config)
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		require.NoError(t, cmd.Start())
		c.brokers = append(c.brokers, cmd.Process)
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		})
	}
	js := connect(t, urls[1]+","+urls[2], nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2))
	c.kv = createBucket(t, js, jetstream.KeyValueConfig{Bucket: bucket, Replicas: 3})
	c.put()
	for i := range 3 {
		order := append(append([]string{}, urls[i:]...), urls[:i]...)
		from := &net.Dialer{Timeout: nats.DefaultTimeout, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i+1))}}
		// As docs/fleet.md recommends, and no shorter times than the defaults.
		nc, err := nats.Connect(strings.Join(order, ","), nats.DontRandomize(), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort(),
			nats.SetCustomDialer(from), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		require.NoError(t, err)
		t.Cleanup(nc.Close)
		js, err := jetstream.New(nc)
		require.NoError(t, err)
		f := &follower{t: t, registry: &prompts.Registry{}, log: &logged{}, news: make(chan struct{}, 1)}
		f.Follower, err = promptnats.Follow(t.Context(), f.registry, js, bucket, promptnats.Options{Timeout: long, Files: promptfs.Options{Logger: slog.New(slog.NewTextHandler(f.log, nil))}})
		require.NoError(t, err)
		t.Cleanup(f.Close)
		c.followers = append(c.followers, f)
	}
	return c
}

// put writes a change, and writes again until a broker takes it.
func (c *cluster) put() (revision uint64) {
	c.n++
	for {
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
		revision, err := c.kv.PutString(ctx, "a.md", fmt.Sprint("change ", c.n))
		cancel()
		if err == nil {
			return revision
		}
		require.NoError(c.t, c.t.Context().Err())
		require.False(c.t, errors.Is(err, nats.ErrConnectionClosed), err)
	}
}

// measure writes changes during a silence of this length and after it, and checks how
// long all Followers need after its end.
func (c *cluster) measure(d time.Duration, what string, begin, end func()) {
	begun := time.Now()
	begin()
	last := c.put()
	written := time.Now()
	synced := func() time.Duration { // since the change; as soon as all Followers have it
		for _, f := range c.followers {
			f.says("a", fmt.Sprint("change ", c.n))
			f.inStep(last)
		}
		return time.Since(written)
	}
	during := make(chan time.Duration, 1)
	go func() { during <- synced() }() // until the last Follower has the change
	time.Sleep(time.Until(begun.Add(d)))
	end()
	ended := time.Now()
	first := <-during
	lag := max(0, time.Until(written.Add(first))+time.Since(ended))
	c.t.Logf("%s for %v: change in sync %v after it was written, %v after the end", what, d, first.Round(time.Millisecond), lag.Round(time.Millisecond))
	if lag > maxLag {
		for i, f := range c.followers {
			c.t.Logf("log of follower %d:\n%s", i, f.log)
		}
		c.t.Errorf("%s for %v: Followers are in sync %v after the end, expected at most %v", what, d, lag, maxLag)
	}
	last, written = c.put(), time.Now()
	c.t.Logf("then another change: %v", synced().Round(time.Millisecond))
}
