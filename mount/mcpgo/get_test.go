package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

func ptr[T any](v T) *T { return &v }

// rich is a result with everything in it.
func rich() *prompts.Result {
	annotations := &prompts.Annotations{Audience: []prompts.Role{prompts.RoleUser}, Priority: ptr(0.0), LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	meta := prompts.Meta{"example.com/n": int64(9007199254740993)}
	r := prompts.Messages(
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.Text{Text: "t", Annotations: annotations, Meta: meta}},
		prompts.Message{Role: prompts.RoleAssistant, Content: &prompts.Image{Data: []byte{1, 2}, MIMEType: "image/png", Annotations: annotations, Meta: meta}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "file:///a", MIMEType: "text/plain", Text: "r", ResourceMeta: meta, Annotations: annotations, Meta: meta}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "file:///b", Blob: []byte{}, Meta: meta}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.ResourceLink{
			URI: "file:///c", Name: "c", Title: "C", Size: ptr(int64(0)), Icons: []prompts.Icon{{Src: "https://example.com/i.png"}}, Annotations: annotations, Meta: meta,
		}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.ResourceLink{URI: "file:///d", Name: "d"}},
		prompts.User("plain"),
	)
	r.Description, r.Meta = "all of it", prompts.Meta{"example.com/m": true}
	return r
}

// What a client gets is what our own server sends, in every revision.
func TestResultsAreTheSame(t *testing.T) {
	t.Parallel()
	for _, version := range append(handshakes, stateless) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var r prompts.Registry
			r.MustAdd(prompts.Prompt{Name: "rich", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
				result := rich()
				if version != "2024-11-05" {
					result.Messages = append(result.Messages, prompts.Message{Role: prompts.RoleUser, Content: &prompts.Audio{Data: []byte{3}, MIMEType: "audio/wav"}})
				}
				return result, nil
			}})
			info := prompts.Implementation{Name: "s", Version: "1"}
			want, err := prompts.MustNewServer(&r, prompts.Options{Info: info}).Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"rich"}`), prompts.CallOptions{Version: version})
			require.NoError(t, err)
			s := server.NewMCPServer("s", "1")
			mount(t, s, &r, prompts.Options{})
			got := dial(t, s, version).result("prompts/get", `{"name":"rich"}`, nil)
			var values [2]any
			decode(t, want, &values[0])
			decode(t, got, &values[1])
			assert.Equal(t, values[0], values[1])
		})
	}
}

type review struct {
	Code  string `json:"code"`
	Lines int    `json:"lines,omitempty"`
}

func TestArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(prompts.New(prompts.Prompt{Name: "review"}, func(ctx context.Context, in review) (*prompts.Result, error) {
		request, ok := mcpgo.Request(ctx)
		assert.True(t, ok)
		return prompts.Messages(prompts.User(fmt.Sprint(in.Code, in.Lines, request.Params.Arguments["other"]))), nil
	}))
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-11-25")
	assert.Equal(t, "x3!", strings.ReplaceAll(client.text("review", `{"code":"x","lines":"3","other":"!"}`), " ", ""))
	a := client.do("prompts/get", `{"name":"review","arguments":{"lines":"many"}}`)
	assert.Equal(t, -32603, a.Error.Code, "the SDK has no other for a handler")
	assert.Contains(t, a.Error.Message, "code is required; lines must be ")
	_, ok := mcpgo.Request(t.Context())
	assert.False(t, ok)
}

func TestRenderFaults(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	faults := map[string]prompts.RenderFunc{
		"panic":  func(context.Context, map[string]string) (*prompts.Result, error) { panic("secret") },
		"error":  func(context.Context, map[string]string) (*prompts.Result, error) { return nil, errors.New("secret") },
		"nil":    func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil },
		"goexit": func(context.Context, map[string]string) (*prompts.Result, error) { runtime.Goexit(); return nil, nil },
	}
	for name, f := range faults {
		r.MustAdd(prompts.Prompt{Name: name, Render: f})
	}
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-11-25")
	for name := range faults {
		a := client.do("prompts/get", fmt.Sprintf(`{"name":%q}`, name))
		require.NotNil(t, a.Error, name)
		assert.Equal(t, -32603, a.Error.Code, name)
		assert.NotContains(t, a.Error.Message, "secret", name)
	}
}

// The cause of a context of the application is not for the client.
func TestCauseIsNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r prompts.Registry
		r.MustAdd(prompts.Prompt{Name: "slow", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}})
		s := server.NewMCPServer("s", "1")
		mount(t, s, &r, prompts.Options{})
		client := dial(t, s, "2025-11-25")
		var cancel context.CancelFunc
		client.ctx, cancel = context.WithTimeoutCause(client.ctx, time.Second, errors.New("secret"))
		defer cancel()
		a := client.do("prompts/get", `{"name":"slow"}`)
		require.NotNil(t, a.Error)
		assert.Equal(t, "context deadline exceeded", a.Error.Message)
	})
}

// A Visible that panics or fails for each request shows nothing, and does not fill the log.
func TestPanicsInVisibleAreLimited(t *testing.T) {
	t.Parallel()
	for name, visible := range map[string]func(context.Context, prompts.Prompt) (bool, error){
		"panic": func(context.Context, prompts.Prompt) (bool, error) { panic("secret") },
		"error": func(context.Context, prompts.Prompt) (bool, error) { return true, errors.New("secret") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				var r prompts.Registry
				r.MustAdd(says("a", "x"))
				s := server.NewMCPServer("s", "1")
				mount(t, s, &r, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Visible: visible})
				client := dial(t, s, "2025-11-25")
				for range 1000 {
					assert.Empty(t, client.names())
				}
				assert.Equal(t, 200, strings.Count(log.String(), "Options.Visible failed"), "the burst of the limit")
				assert.Contains(t, log.String(), "secret")
			})
		})
	}
}

// A render function that does not mind its context is not waited for.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, release := make(chan error, 1), make(chan struct{})
		defer close(release)
		var r prompts.Registry
		r.MustAdd(prompts.Prompt{Name: "slow", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			<-release
			return prompts.Messages(), nil
		}})
		for set, want := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Second: time.Second} {
			s := server.NewMCPServer("s", "1")
			mount(t, s, &r, prompts.Options{Timeouts: prompts.Timeouts{Render: set}})
			begin := time.Now()
			a := dial(t, s, "2025-11-25").do("prompts/get", `{"name":"slow"}`)
			assert.Equal(t, want, time.Since(begin))
			assert.Equal(t, -32603, a.Error.Code)
			assert.Contains(t, a.Error.Message, " timed out after ")
			assert.Error(t, <-ended)
		}
	})
}

// Unmounting does not touch what is being answered, which may even do it.
func TestUnmountDuringGet(t *testing.T) {
	t.Parallel()
	var unmount func()
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "a", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		unmount()
		return prompts.Messages(prompts.User("done")), nil
	}})
	s := server.NewMCPServer("s", "1")
	unmount = mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-11-25")
	assert.Equal(t, "done", client.text("a", `{}`))
	assert.Empty(t, client.names())
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "slow", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}})
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-11-25")
	answered := make(chan answer, 1)
	go func() { answered <- client.do("prompts/get", `{"name":"slow"}`) }()
	<-begun
	assert.Nil(t, s.HandleMessage(client.ctx, json.RawMessage(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)))
	assert.ErrorIs(t, <-ended, context.Canceled)
	assert.NotNil(t, (<-answered).Error)
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "slow", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "half")
		return prompts.Messages(prompts.User("done")), nil
	}})
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-11-25")
	client.result("prompts/get", `{"name":"slow","_meta":{"progressToken":"p"}}`, nil)
	n := <-client.session.ClientNotifications()
	text, err := json.Marshal(n)
	require.NoError(t, err)
	assert.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,"message":"half"}}`, string(text))
}

const (
	question = `{"messages":[{"role":"user","content":{"type":"text","text":"2+2"}}],"maxTokens":9,"temperature":0.5,"systemPrompt":"s","modelPreferences":{"hints":[{"name":"x"}]}}`
	sampling = `{"role":"assistant","content":{"type":"text","text":"four"},"model":"m","stopReason":"endTurn"}`
	roots    = `{"roots":[{"uri":"file:///r","name":"r"}]}`
)

// A client cannot make us fail by a version of its own in a request's _meta.
func TestOddVersion(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(says("a", "a"))
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-06-18")
	client.result("prompts/get", `{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}`, nil)
	client.result("prompts/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}`, nil)
}

// PRG-06, GAP-20: an argument that is not a string is rejected.
func TestArgumentsThatAreNotStrings(t *testing.T) {
	t.Parallel()
	for _, version := range append(handshakes, stateless) {
		s := server.NewMCPServer("s", "1", server.WithHooks(&server.Hooks{}))
		own(s, "own", "x")
		var r prompts.Registry
		r.MustAdd(says("a", "x"))
		w := dial(t, s, version)
		get := func(name, arguments string) answer {
			return w.do("prompts/get", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
		}
		unmount := mount(t, s, &r, prompts.Options{})
		for _, name := range []string{"a", "own", "nobody"} {
			refused := get(name, `{"b":"","code":7,"list":[],"none":null}`)
			require.NotNil(t, refused.Error, "%s %s", version, name)
			assert.Equal(t, "code: must be a JSON string; list: must be a JSON string", refused.Error.Message)
		}
		many := `{"x":""`
		for i := range 100 {
			many += fmt.Sprintf(`,"n%d":0`, i)
		}
		assert.Equal(t, 64, strings.Count(get("a", many+"}").Error.Message, "must be a JSON string"))
		assert.Nil(t, get("a", `{"b":""}`).Error)
		assert.Nil(t, get("a", `null`).Error)
		unmount()
		assert.NotContains(t, get("own", `{"code":7}`).Error.Message, "must be a JSON string")
	}
}

// GAP-13: the SDK reads the id of a message. If this fails, the SDK has changed: see doc.go.
func TestIDsOfErrors(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	var r prompts.Registry
	r.MustAdd(says("a", "x"))
	mount(t, s, &r, prompts.Options{})
	for message, id := range map[string]string{
		`{"jsonrpc":"1.0","id":7,"method":"ping"}`:                                                  `7`,
		`{"jsonrpc":"2.0","id":"a"}`:                                                                `"a"`,
		`{"jsonrpc":"2.0","id":"a","method":"nope"}`:                                                `"a"`,
		`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"a","arguments":{"x":1}}}`: `7`,
		`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":[]}`:                               `7`,
		`{"jsonrpc":"2.0","id":7,"ID":8,"method":"nope"}`:                                           `8`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"nope"}`:                                   `9007199254740992`,
		`{"jsonrpc":"2.0","id":7,"method":3}`:                                                       `null`,
	} {
		raw, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(message)))
		require.NoError(t, err)
		assert.Contains(t, string(raw), `"id":`+id+`,"error"`, message)
	}
}

// GAP-18: null is the same as leaving an argument out. mcp-go alone reads an empty string.
func TestNullArguments(t *testing.T) {
	t.Parallel()
	for _, version := range append(handshakes, stateless) {
		s := server.NewMCPServer("s", "1")
		s.AddPrompt(mcp.NewPrompt("own"), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(fmt.Sprint(r.Params.Arguments)))}), nil
		})
		var r prompts.Registry
		r.MustAdd(prompts.NewText(prompts.Prompt{Name: "a"}, func(_ context.Context, in struct {
			Who  string `json:"who"`
			Tone string `json:"tone,omitempty" default:"kind"`
		}) (string, error) {
			return in.Who + " " + in.Tone, nil
		}))
		unmount := mount(t, s, &r, prompts.Options{})
		w := dial(t, s, version)
		assert.Equal(t, "Ada kind", w.text("a", `{"who":"Ada","tone":null,"none":null}`))
		assert.Equal(t, "Ada ", w.text("a", `{"who":"Ada","tone":""}`), "not the null of the request before")
		refused := w.do("prompts/get", `{"name":"a","arguments":{"who":null}}`)
		require.NotNil(t, refused.Error, version)
		assert.Contains(t, refused.Error.Message, "who is required")
		assert.Equal(t, "map[y:]", w.text("own", `{"x":null,"y":""}`))
		assert.Equal(t, "map[]", w.text("own", `{"x":null}`))

		// A request that mcp-go rejects leaves nothing for the next one, of any session.
		for range 100 {
			w.do("prompts/get", `{"name":"a","arguments":{"tone":null},"inputResponses":7}`)
		}
		assert.Equal(t, "Ada ", w.text("a", `{"who":"Ada","tone":""}`))
		assert.Equal(t, "Ada ", dial(t, s, version).text("a", `{"who":"Ada","tone":""}`))
		assert.Equal(t, "Ada kind", w.text("a", `{"who":"Ada","tone":null}`))
		// mcp-go reads more names than this package remembers.
		assert.Equal(t, "Ada ", w.text("a", `{"who":"Ada","tone":null,"`+strings.Repeat("x", 16<<10)+`":null}`))
		unmount()
		assert.Equal(t, "map[x:]", w.text("own", `{"x":null}`), "if this fails, the SDK has learnt it, and the hooks can go")
	}
}

// A result that the SDK cannot express fails with an error id, which one record of the log
// has, too.
func TestErrorIDs(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "odd", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(&prompts.Text{Text: "x", Meta: prompts.Meta{"n": json.RawMessage("1e999")}})), nil
	}})
	var log lockedBuffer
	mount(t, s, &r, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	e := dial(t, s, stateless).do("prompts/get", `{"name":"odd"}`).Error
	require.NotNil(t, e)
	found := regexp.MustCompile(`^internal error: prompt "odd" failed \(error id ([0-9a-f]{8})\)$`).FindStringSubmatch(e.Message)
	require.NotNil(t, found, e.Message)
	assert.Equal(t, 1, strings.Count(log.String(), "error_id="+found[1]), log.String())
	assert.Contains(t, log.String(), "cannot convert result for mcp-go")
}

// The server knows the host of a client by the client's name.
func TestClientsName(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Verbatim: true, Enum: []string{"x"}}}, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(args["a"])), nil
	}})
	s := server.NewMCPServer("s", "1")
	var clients []prompts.Implementation
	mount(t, s, &r, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			if r.Method == "prompts/get" {
				clients = append(clients, r.Client)
			}
			return next(ctx, r)
		}
	}})
	for _, version := range []string{"2024-11-05", "2025-11-25", stateless} {
		client := dial(t, s, version)
		client.name = "opencode"
		if version != stateless {
			client.result("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"opencode","version":"1","title":"T"}}`, version), nil)
		}
		assert.Equal(t, "$1", client.text("p", `{"a":"$1"}`), version)
	}
	opencode := prompts.Implementation{Name: "opencode", Version: "1", Title: "T"}
	assert.Equal(t, []prompts.Implementation{opencode, opencode, opencode}, clients)
}

// A list has the form for the host of the client, in a session and in 2026-07-28, with a
// middleware and without, and for other clients at the same time.
func TestListForHosts(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	for name, required := range map[string]bool{"one": false, "two": true} {
		r.MustAdd(prompts.Prompt{Name: name, Arguments: []prompts.Argument{{Name: "a", Required: required}}, Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }})
	}
	for _, middleware := range []func(prompts.Handler) prompts.Handler{nil, func(next prompts.Handler) prompts.Handler { return next }} {
		s := server.NewMCPServer("s", "1")
		mount(t, s, &r, prompts.Options{ElicitArguments: true, Middleware: middleware})
		for range 2 {
			for name, want := range map[string][]bool{"c": {false, true}, "gemini-cli-mcp-client": {true, true}, "claude-code": {false, false}} {
				for _, version := range []string{"2024-11-05", "2025-11-25", stateless} {
					client := dial(t, s, version)
					client.name = name
					if version != stateless {
						client.result("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":%q,"version":"1"}}`, version, name), nil)
					}
					var list mcp.ListPromptsResult
					client.result("prompts/list", `{}`, &list)
					require.Len(t, list.Prompts, 2)
					assert.Equal(t, want, []bool{list.Prompts[0].Arguments[0].Required, list.Prompts[1].Arguments[0].Required}, "%s %s", name, version)
				}
			}
		}
	}
}
