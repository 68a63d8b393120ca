package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listener is a client of an SDK that listens for changes, and reads the list
// after each notification.
type listener struct {
	name string

	mu    sync.Mutex // protects the fields below
	began time.Time
	lists []string        // what it has read, and when
	last  []string        // the names that it read last
	news  chan<- struct{} // gets a value after each
}

// told notes the list that the client has read after a notification.
func (l *listener) told(names []string, err error) {
	l.mu.Lock()
	what := fmt.Sprintf("%d prompts", len(names))
	if err != nil {
		what = err.Error()
	} else {
		l.last = names
	}
	l.lists = append(l.lists, fmt.Sprintf("%s at %.1f s", what, time.Since(l.began).Seconds()))
	l.mu.Unlock()
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// clients are of several SDKs, at one URL.
type clients struct {
	t    *testing.T
	url  string
	all  []*listener
	news chan struct{} // gets a value after each list
}

func newClients(t *testing.T, url string) *clients {
	return &clients{t: t, url: url, news: make(chan struct{}, 1)}
}

// add starts a client.
func (cs *clients) add(name string, start func(*testing.T, string, *listener)) {
	cs.t.Helper()
	l := &listener{name: name, news: cs.news, began: time.Now()}
	start(cs.t, cs.url, l)
	cs.all = append(cs.all, l)
}

// listenAll starts clients of three SDKs, and three of this package, so that each
// replica has one. The TypeScript SDK takes part if it is installed, but for go test -short:
//
//	npm install --prefix ../../internal/interop/node
func listenAll(t *testing.T, url string) *clients {
	t.Helper()
	cs := newClients(t, url)
	cs.add("go-sdk 1.8.0", listenGoSDK)
	cs.add("mcp-go 1.2.1", listenMCPGo)
	if _, err := os.Stat(filepath.Join(nodeFolder, "node_modules", "@modelcontextprotocol", "client")); err == nil && !testing.Short() {
		cs.add("TypeScript SDK 2.4.0", listenTypeScript)
	} else {
		t.Log("without the TypeScript SDK: npm install --prefix ", nodeFolder)
	}
	for i := range 3 {
		cs.add(fmt.Sprint("plain client ", i+1), listenPlain)
	}
	return cs
}

// wait waits until each client has read these names after a notification.
func (cs *clients) wait(names []string) {
	cs.t.Helper()
	cs.until(func(l *listener) bool { return slices.Equal(l.last, names) })
}

// told waits until each client has been notified, and forgets what they have read.
func (cs *clients) told() {
	cs.t.Helper()
	cs.until(func(l *listener) bool { return l.last != nil })
	for _, l := range cs.all {
		l.mu.Lock()
		l.last = nil
		l.mu.Unlock()
	}
}

// until waits until something holds for each client, which holds its lock.
func (cs *clients) until(holds func(*listener) bool) {
	cs.t.Helper()
	timer := time.NewTimer(long)
	defer timer.Stop()
	for slices.ContainsFunc(cs.all, func(l *listener) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !holds(l)
	}) {
		select {
		case <-cs.news:
		case <-timer.C:
			cs.report()
			require.FailNow(cs.t, "a client is stale")
		}
	}
}

// report prints what each client has seen.
func (cs *clients) report() {
	for _, l := range cs.all {
		l.mu.Lock()
		cs.t.Logf("%-20s was notified %d times and read %v", l.name, len(l.lists), l.lists)
		l.mu.Unlock()
	}
}

// listenGoSDK is the client of the official Go SDK.
func listenGoSDK(t *testing.T, url string, l *listener) {
	session := connectGoSDK(t, url, func(session *mcp.ClientSession) { l.told(listGoSDK(session)) })
	t.Cleanup(func() { _ = session.Close() })
}

func connectGoSDK(t *testing.T, url string, changed func(*mcp.ClientSession)) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
		PromptListChangedHandler: func(_ context.Context, r *mcp.PromptListChangedRequest) { go changed(r.Session) },
	})
	session, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	require.NoError(t, err)
	require.Equal(t, "2026-07-28", session.InitializeResult().ProtocolVersion)
	return session
}

func listGoSDK(session *mcp.ClientSession) (names []string, err error) {
	for p, err := range session.Prompts(context.Background(), nil) {
		if err != nil {
			return nil, err
		}
		names = append(names, p.Name)
	}
	return names, nil
}

// listenMCPGo is the client of mcp-go.
func listenMCPGo(t *testing.T, url string, l *listener) {
	c, err := mcpgo.NewStreamableHttpClient(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	ctx := t.Context()
	require.NoError(t, c.Start(ctx))
	_, err = c.Initialize(ctx, mcpgotypes.InitializeRequest{})
	require.NoError(t, err)
	acknowledged := make(chan struct{})
	c.OnNotification(func(n mcpgotypes.JSONRPCNotification) {
		switch n.Method {
		case "notifications/subscriptions/acknowledged":
			close(acknowledged)
		case "notifications/prompts/list_changed":
			go func() { // the handler must not wait
				list, err := c.ListPrompts(ctx, mcpgotypes.ListPromptsRequest{})
				if err != nil {
					l.told(nil, err)
					return
				}
				var names []string
				for _, p := range list.Prompts {
					names = append(names, p.Name)
				}
				l.told(names, nil)
			}()
		}
	})
	stop, err := c.ListenAsync(ctx, mcpgotypes.SubscriptionFilter{PromptsListChanged: true}, func(err error) { l.told(nil, err) })
	require.NoError(t, err)
	t.Cleanup(stop)
	<-acknowledged
}

// nodeFolder is where the TypeScript SDK is installed.
const nodeFolder = "../../internal/interop/node"

// listenTypeScript is the client of the official TypeScript SDK, in a process of
// its own.
func listenTypeScript(t *testing.T, url string, l *listener) {
	cmd := exec.Command("node", "listen.mjs", url)
	cmd.Dir = nodeFolder
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "listening", lines.Text())
	ended := make(chan struct{})
	go func() { // ends with the process
		defer close(ended)
		for lines.Scan() {
			var names []string
			err := json.Unmarshal(lines.Bytes(), &names)
			l.told(names, err)
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		<-ended
		assert.NoError(t, cmd.Wait())
	})
}

// listenPlain is the client of this package.
func listenPlain(t *testing.T, url string, l *listener) {
	c := newClient(t, url)
	acknowledged := make(chan struct{})
	go func() { // ends with the stream
		err := c.listen(t.Context(), func() { close(acknowledged) }, func() { l.told(c.list(t.Context())) })
		if t.Context().Err() == nil {
			l.told(nil, fmt.Errorf("the stream has ended: %v", err))
		}
	}()
	<-acknowledged
}
