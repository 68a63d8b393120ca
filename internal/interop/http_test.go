package interop_test

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startTimeout and endTimeout are how long the fixture may take to say where it
// serves, and to end when it is told to.
const (
	startTimeout = 2 * time.Minute
	endTimeout   = 2 * time.Minute
)

// overHTTP are the revisions that have Streamable HTTP and a handshake.
var overHTTP = []string{newest, canAsk, older}

// routes are the ways from a client to the fixture.
var routes = []struct {
	name string
	take func(t *testing.T, fixture string) (url string)
}{
	{"directly", func(_ *testing.T, fixture string) string { return fixture }},
	{"by proxy", proxyThat(func(version []string) []string { return version })},
	{"by proxy that doubles the version", proxyThat(doubleVersion)},
	{"by proxy that joins the version", proxyThat(joinVersion)},
}

// doubleVersion and joinVersion are what proxies make of the header of the protocol version.
func doubleVersion(version []string) []string { return append(version, version...) }

func joinVersion(version []string) []string {
	if len(version) == 0 {
		return nil
	}
	return []string{strings.Join(doubleVersion(version), ", ")}
}

func TestGoSDKOverHTTP(t *testing.T) {
	t.Parallel()
	tools := built(t)
	for _, route := range routes {
		drive := func(revision string, args ...string) func(*testing.T) {
			return func(t *testing.T) {
				t.Parallel()
				url := route.take(t, tools.startFixture(t, "fixture"))
				args := append(args, "--expect-version", revision, "--config", "fixture.json", "--url", url)
				runDriver(t, wanted(revision, "list-iter"), tools.path("gosdk"), args...)
			}
		}
		t.Run(route.name+"/probing", drive(stateless))
		for _, revision := range overHTTP {
			t.Run(route.name+"/"+revision, drive(revision, "--protocol-version", revision))
		}
	}
}

func TestTypeScriptSDKOverHTTP(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	for _, route := range routes {
		for _, revision := range overHTTP {
			t.Run(route.name+"/"+revision, func(t *testing.T) {
				t.Parallel()
				url := route.take(t, tools.startFixture(t, "fixture"))
				runDriver(t, wanted(revision), node, "node/ts1.mjs",
					"--protocol-version", revision, "--expect-version", revision,
					"--config", "fixture.json", "--url", url)
			})
		}
	}
}

// TestOneFixtureOverHTTP has clients of both eras at one server at the same
// time, each of which changes the list that the others read.
func TestOneFixtureOverHTTP(t *testing.T) {
	t.Parallel()
	tools := built(t)
	url := tools.startFixture(t, "fixture")
	t.Run("clients", func(t *testing.T) {
		for _, revision := range append([]string{stateless}, overHTTP...) {
			t.Run(revision, func(t *testing.T) {
				t.Parallel()
				args := []string{"--expect-version", revision, "--config", "fixture.json", "--url", url}
				if revision != stateless {
					args = append(args, "--protocol-version", revision)
				}
				runDriver(t, wanted(revision, "list-iter"), tools.path("gosdk"), args...)
			})
		}
	})
}

// startFixture runs a fixture over HTTP until the test is over, and returns
// its URL. It wants it to end without a failure when it is told to, and to
// have logged nothing else but a line with each of the given texts.
func (d tools) startFixture(t *testing.T, fixture string, logged ...string) string {
	t.Helper()
	return d.startFixtureWith(t, fixture, nil, logged...)
}

// startFixtureWith is startFixture with more arguments.
func (d tools) startFixtureWith(t *testing.T, fixture string, args []string, logged ...string) string {
	t.Helper()
	cmd := exec.Command(d.path(fixture), append([]string{"-http", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	late := time.AfterFunc(startTimeout, func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	late.Stop()
	if err != nil {
		_ = cmd.Process.Kill()
		require.NoError(t, err, "the fixture has said %q, and ended: %v", first, cmd.Wait())
	}

	var rest bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&rest, lines)
	}()
	t.Cleanup(func() {
		late := time.AfterFunc(endTimeout, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		<-read
		assert.NoError(t, cmd.Wait(), "the fixture has not ended as it should")
		lines := slices.Collect(strings.Lines(rest.String()))
		for _, text := range logged {
			i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
			if assert.GreaterOrEqual(t, i, 0, "the fixture has not logged %q", text) {
				lines = slices.Delete(lines, i, i+1)
			}
		}
		assert.Empty(t, lines, "on the fixture's standard error")
	})
	return strings.TrimSpace(first)
}

// proxyThat returns a function that runs a reverse proxy in front of the fixture, which
// changes the header of the protocol version, and returns the URL to use instead. The
// fixture is on a loopback address, where it answers to loopback names alone: SetURL sends
// it the name in its own URL.
func proxyThat(change func(version []string) []string) func(t *testing.T, fixture string) string {
	return func(t *testing.T, fixture string) string { return startProxy(t, fixture, change) }
}

func startProxy(t *testing.T, fixture string, change func(version []string) []string) string {
	t.Helper()
	target, err := url.Parse(fixture)
	require.NoError(t, err)
	path := target.Path
	target.Path = ""
	reverse := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
			r.Out.Header["Mcp-Protocol-Version"] = change(r.Out.Header["Mcp-Protocol-Version"])
		},
		FlushInterval: -1,                         // each event at once
		ErrorLog:      log.New(io.Discard, "", 0), // of clients that go away
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without this, an answer that is quick to begin is sometimes cut off:
		// go.dev/issue/40747.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			panic(err)
		}
		reverse.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL + path
}
