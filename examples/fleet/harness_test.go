package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The sizes of the tests. Those of docs/fleet.md are
//
//	go test -run 'TestListeners|TestStorm|TestLoad' -v -listeners 1000 -prompts 10000 -storm 1m .
var (
	listeners = flag.Int("listeners", 20, "`clients` that listen, for each replica")
	many      = flag.Int("prompts", 500, "`prompts` in the bucket")
	restarts  = flag.Int("restarts", 3, "`restarts` of a rolling restart")
	storm     = flag.Duration("storm", 2*time.Second, "how long the bucket changes")
)

// long is how long a test waits for what has to come.
const long = 5 * time.Minute

// setup is a fleet behind a balancer, with a broker of its own.
type setup struct {
	t        *testing.T
	broker   *broker
	js       jetstream.JetStream
	kv       jetstream.KeyValue
	settings settings
	balancer *balancer
	end      func() // of the balancer
	url      string // of the balancer

	mu    sync.Mutex // protects the field below
	fleet fleet
}

// start starts n replicas of a bucket with the files.
func start(t *testing.T, n int, files map[string]string, change ...func(*settings)) *setup {
	t.Helper()
	b, err := startBroker()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.stop()) })
	nc, err := nats.Connect(b.url(), nats.Timeout(long))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(long))
	require.NoError(t, err)
	s := &setup{t: t, broker: b, js: js, settings: settings{nats: b.url(), bucket: "prompts", stateKeys: newKeys(), changeDelay: changeDelay, say: io.Discard}}
	for _, f := range change {
		f(&s.settings)
	}
	s.kv, err = js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "prompts"})
	require.NoError(t, err)
	for key, text := range files {
		s.put(key, text)
	}
	s.fleet, err = startFleet(t.Context(), n, s.settings)
	require.NoError(t, err)
	t.Cleanup(s.stop)
	ctx, cancel := context.WithCancel(t.Context())
	s.balancer, s.end = newBalancer(ctx, s.fleet.hosts()...), cancel
	web := httptest.NewServer(s.balancer)
	t.Cleanup(web.Close)
	s.url = web.URL + "/mcp"
	return s
}

// patient makes the replicas wait for longer than they are apart on a machine that has
// too much to do.
func patient(s *settings) { s.changeDelay = 2 * time.Second }

// stop stops the balancer and the fleet, so that all streams come to their end.
func (s *setup) stop() {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	assert.NoError(s.t, s.fleet.stop(ctx))
	s.fleet = nil
}

// restart kills a replica, and starts another one in its place.
func (s *setup) restart(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.fleet[i]
	old.kill()
	r, err := startReplica(s.t.Context(), old.name, old.host, s.settings)
	for errors.Is(err, syscall.EADDRINUSE) { // by a client's connection
		r, err = startReplica(s.t.Context(), old.name, old.host, s.settings)
	}
	require.NoError(s.t, err)
	s.fleet[i] = r
}

func (s *setup) put(key, text string) uint64 {
	revision, err := s.kv.PutString(s.t.Context(), key, text)
	require.NoError(s.t, err)
	return revision
}

// names are those of the prompts that all replicas should have.
func (s *setup) names() []string {
	keys, err := s.kv.Keys(s.t.Context())
	require.NoError(s.t, err)
	names := []string{"announce"}
	for _, key := range keys {
		names = append(names, strings.TrimSuffix(key, ".md"))
	}
	slices.Sort(names)
	return names
}

func (s *setup) remove(key string) { require.NoError(s.t, s.kv.Delete(s.t.Context(), key)) }

// stays are the files of prompts that no test removes, with a text of some
// 1 KB each.
func stays(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("stay/%05d.md", i)] = fmt.Sprintf(
			"---\ndescription: Number %d\narguments:\n  - name: topic\n    required: true\n---\n\nWrite about {{.topic}}.\n%s\n", i, strings.Repeat("Be brief, and right. ", 45))
	}
	return files
}

// client is one of revision 2026-07-28.
type client struct {
	http *http.Client
	url  string
}

func newClient(t *testing.T, url string) *client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{&http.Client{Transport: transport}, url}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

// send sends a request. name is that of the prompt, for the header.
func (c *client) send(ctx context.Context, method, name, params string) (*http.Response, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, meta)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	return c.http.Do(r)
}

// answer is what a request comes to.
type answer struct {
	Error *struct {
		Code    int
		Message string
	}
	Result struct {
		ResultType   string
		Prompts      []struct{ Name string }
		NextCursor   string
		RequestState string
		Messages     []struct{ Content struct{ Text string } }
	}
}

// call is a request that is sent again while no replica answers, as clients do
// that know it changes nothing.
func (c *client) call(ctx context.Context, method, name, params string) (answer, error) {
	for {
		a, err := c.try(ctx, method, name, params)
		if err == nil || ctx.Err() != nil {
			return a, err
		}
	}
}

func (c *client) try(ctx context.Context, method, name, params string) (a answer, err error) {
	response, err := c.send(ctx, method, name, params)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return a, err
	}
	if mime := response.Header.Get("Content-Type"); mime == "text/event-stream" {
		_, after, _ := bytes.Cut(text, []byte("data: "))
		text, _, _ = bytes.Cut(after, []byte("\n"))
	} else if mime != "application/json" {
		return a, fmt.Errorf("%s: %s", response.Status, text)
	}
	return a, json.Unmarshal(text, &a)
}

// list walks all pages.
func (c *client) list(ctx context.Context) ([]string, error) {
	var names []string
	params := ""
	for {
		a, err := c.call(ctx, "prompts/list", "", params)
		if err != nil {
			return nil, err
		}
		if a.Error != nil {
			return nil, fmt.Errorf("the cursor %q: %d %s", params, a.Error.Code, a.Error.Message)
		}
		for _, p := range a.Result.Prompts {
			names = append(names, p.Name)
		}
		if a.Result.NextCursor == "" {
			return names, nil
		}
		params = `"cursor":` + strconv.Quote(a.Result.NextCursor) + `,`
	}
}

// listen calls acknowledged once it is told of changes, and changed for each,
// until the stream ends. It is sent again while no replica answers.
func (c *client) listen(ctx context.Context, acknowledged, changed func()) error {
	listen := func() (*http.Response, error) {
		return c.send(ctx, "subscriptions/listen", "", `"notifications":{"promptsListChanged":true},`)
	}
	response, err := listen()
	for (err != nil || !isStream(response)) && ctx.Err() == nil {
		if err == nil {
			_ = response.Body.Close()
		}
		response, err = listen()
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var line []byte
	buffer := make([]byte, 512) // a bufio.Reader would be 4 KB for each
	for {
		n, err := response.Body.Read(buffer)
		for _, b := range buffer[:n] {
			if b != '\n' {
				line = append(line, b)
				continue
			}
			switch {
			case bytes.Contains(line, []byte("subscriptions/acknowledged")):
				acknowledged()
			case bytes.Contains(line, []byte("prompts/list_changed")):
				changed()
			}
			line = line[:0]
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// wait waits for wg, but not for ever.
func wait(t *testing.T, wg *sync.WaitGroup) {
	t.Helper()
	done := make(chan struct{})
	go func() { // ends with wg
		wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(long):
		require.Fail(t, "it has not happened")
	}
}

// freeAddress returns one that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
