package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/servertest/clienttest"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/transport"
)

// judged is a server of another SDK.
type judged struct {
	stdio  func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error
	http   http.Handler
	change func() // of its list
}

// goSDK returns a server of the official Go SDK.
func goSDK(version string) judged {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"go"}, Total: 1}}, nil
		},
	})
	add := func(name string, f func(ctx context.Context, r *mcp.GetPromptRequest) error) {
		s.AddPrompt(&mcp.Prompt{Name: name, Arguments: []*mcp.PromptArgument{{Name: "language", Required: true}}},
			func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				if err := f(ctx, r); err != nil {
					return nil, err
				}
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
					{Role: "user", Content: &mcp.TextContent{Text: "x", Annotations: &mcp.Annotations{Priority: 1}}},
					{Role: "assistant", Content: &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}},
					{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "note://1", Text: "x"}}},
				}}, nil
			})
	}
	nothing := func(context.Context, *mcp.GetPromptRequest) error { return nil }
	add("plain", nothing)
	add("slow", func(ctx context.Context, r *mcp.GetPromptRequest) error {
		return r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1})
	})
	return judged{
		stdio: func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return s.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
		},
		http: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
			&mcp.StreamableHTTPOptions{Stateless: version == stateless}),
		change: func() { add("new", nothing) },
	}
}

type completer struct{}

func (completer) CompletePromptArgument(context.Context, string, mcpgo.CompleteArgument, mcpgo.CompleteContext) (*mcpgo.Completion, error) {
	return &mcpgo.Completion{Values: []string{"go"}, Total: 1}, nil
}

// mcpGo returns a server of mcp-go.
func mcpGo(string) judged {
	s := mcpgoserver.NewMCPServer("s", "1", mcpgoserver.WithPromptCapabilities(true), mcpgoserver.WithCompletions(), mcpgoserver.WithPromptCompletionProvider(completer{}))
	add := func(name string, f func(ctx context.Context, r mcpgo.GetPromptRequest) error) {
		s.AddPrompt(mcpgo.NewPrompt(name, mcpgo.WithArgument("language", mcpgo.RequiredArgument())),
			func(ctx context.Context, r mcpgo.GetPromptRequest) (*mcpgo.GetPromptResult, error) {
				if err := f(ctx, r); err != nil {
					return nil, err
				}
				return &mcpgo.GetPromptResult{Messages: []mcpgo.PromptMessage{
					{Role: mcpgo.RoleUser, Content: mcpgo.NewTextContent("x")},
					{Role: mcpgo.RoleAssistant, Content: mcpgo.NewImageContent("AQ==", "image/png")},
					{Role: mcpgo.RoleUser, Content: mcpgo.NewEmbeddedResource(mcpgo.TextResourceContents{URI: "note://1", Text: "x"})},
				}}, nil
			})
	}
	nothing := func(context.Context, mcpgo.GetPromptRequest) error { return nil }
	add("plain", nothing)
	add("slow", func(ctx context.Context, r mcpgo.GetPromptRequest) error {
		return s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": 1})
	})
	return judged{
		stdio: func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return mcpgoserver.NewStdioServer(s).Listen(ctx, in, out)
		},
		http:   mcpgoserver.NewStreamableHTTPServer(s),
		change: func() { add("new", nothing) },
	}
}

// uses are what a client does with a server.
var uses = map[string]func(c *prompttest.Client, j judged){
	"list":     func(c *prompttest.Client, _ judged) { c.List() },
	"get":      func(c *prompttest.Client, _ judged) { c.Get("plain", map[string]string{"language": "go"}) },
	"progress": func(c *prompttest.Client, _ judged) { c.Get("slow", map[string]string{"language": "go"}) },
	"errors":   func(c *prompttest.Client, _ judged) { c.GetError("nobody", nil) },
	"complete": func(c *prompttest.Client, _ judged) { c.Complete("plain", "language", "g", nil) },
	"change": func(c *prompttest.Client, j judged) {
		c.Listen()
		j.change()
		c.WaitChanged()
	},
}

// knownFaults are what other SDKs do against the rules.
var knownFaults = []struct {
	tests   string // a pattern for SDK, way, version and use
	failure string
	isRace  bool // the fault is not always there
}{
	// mcp-go v1.2.1 server/stdio.go:96
	{`^mcp-go stdio 2026-07-28 change$`, "(LCH-05, MET-11)", false},
	// mcp-go v1.2.1 server/session.go:374: progress passes through a channel of its
	// own, and may come after the response.
	{`^mcp-go .* progress$`, "(PRO-02)", true},
	// mcp-go v1.2.1 server/session.go:256: a change before the client's stream is
	// open is lost.
	{`^mcp-go http 2025.* change$`, "(LCH-01, LCH-04)", true},
}

// prompttest finds in servers of other SDKs what they do against the rules, and
// nothing else.
func TestOtherServersAreJudged(t *testing.T) {
	t.Parallel()
	for sdk, start := range map[string]func(version string) judged{"go-sdk": goSDK, "mcp-go": mcpGo} {
		for _, way := range []string{"stdio", "http"} {
			for _, version := range prompttest.Versions() {
				for use, do := range uses {
					name := strings.Join([]string{sdk, way, version, use}, " ")
					t.Run(name, func(t *testing.T) {
						if sdk != "mcp-go" || way != "stdio" { // there all servers of a process have one session
							t.Parallel()
						}
						if way == "http" && version == oldest {
							t.Skip("2024-11-05 has no Streamable HTTP")
						}
						j := start(version)
						errs := failuresOf(t, func(t testing.TB) {
							connect := j.overStdio
							if way == "http" {
								connect = j.overHTTP
							}
							c := prompttest.NewClient(t, connect(t), prompttest.ClientOptions{
								Version: version, OnNotification: func(string, json.RawMessage) {},
							})
							do(c, j)
						})
						for _, known := range knownFaults {
							if !regexp.MustCompile(known.tests).MatchString(name) {
								continue
							}
							assert.True(t, known.isRace || len(errs) > 0, "the SDK has learnt it: %s", known.failure)
							for _, err := range errs {
								assert.Contains(t, err, known.failure)
							}
							return
						}
						assert.Empty(t, errs)
					})
				}
			}
		}
	}
}

func (j judged) overStdio(t testing.TB) transport.Conn {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = j.stdio(ctx, inR, outW)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
		<-ended
	})
	return stdio.NewStream(outR, inW, stdio.Options{})
}

func (j judged) overHTTP(t testing.TB) transport.Conn {
	web := httptest.NewServer(j.http)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return clienttest.HTTP(web.URL, nil)
}

// failures is a test that notes its failures.
type failures struct {
	testing.TB
	mu       sync.Mutex // protects the fields below
	all      []string
	cleanups []func()
}

func (f *failures) Helper() {}

func (f *failures) Cleanup(g func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cleanups = append(f.cleanups, g)
}

func (f *failures) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, fmt.Sprintf(format, args...))
}

func (f *failures) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

// failuresOf runs a test, and its cleanups, and returns its failures.
func failuresOf(t *testing.T, test func(t testing.TB)) []string {
	f := &failures{TB: t}
	run := func(g func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			g()
		}()
		<-done
	}
	run(func() { test(f) })
	for len(f.cleanups) > 0 {
		last := f.cleanups[len(f.cleanups)-1]
		f.cleanups = f.cleanups[:len(f.cleanups)-1]
		run(last)
	}
	return f.all
}
