package mcpgo_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

// What the author's server has for all prompts is for ours, too.
func TestAuthorsMiddlewareFiltersAndHooks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got, failed []string
	hooks := &server.Hooks{}
	hooks.AddOnError(func(_ context.Context, _ any, _ mcp.MCPMethod, _ any, err error) {
		mu.Lock()
		defer mu.Unlock()
		var e *prompts.Error
		if assert.ErrorAs(t, err, &e) {
			failed = append(failed, fmt.Sprint(e.Code))
		}
	})
	s := server.NewMCPServer("s", "1", server.WithHooks(hooks),
		server.WithPromptHandlerMiddleware(func(next server.PromptHandlerFunc) server.PromptHandlerFunc {
			return func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				mu.Lock()
				got = append(got, r.Params.Name)
				mu.Unlock()
				return next(ctx, r)
			}
		}),
		server.WithPromptFilter(func(_ context.Context, all []mcp.Prompt) []mcp.Prompt {
			var kept []mcp.Prompt
			for _, p := range all {
				if p.Name != "secret" {
					kept = append(kept, p)
				}
			}
			return kept
		}))
	var r prompts.Registry
	strict := says("strict", "x")
	strict.Arguments = []prompts.Argument{{Name: "n", Required: true}}
	r.MustAdd(says("a", "a"), says("secret", "s"), strict)
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-11-25")
	assert.Equal(t, []string{"a", "strict"}, client.names())
	assert.Equal(t, "a", client.text("a", `{}`))
	a := client.do("prompts/get", `{"name":"strict"}`)
	assert.Equal(t, -32603, a.Error.Code)
	assert.Equal(t, `invalid arguments for prompt "strict": n is required`, a.Error.Message)
	assert.Equal(t, []string{"a", "strict"}, got)
	assert.Equal(t, []string{"-32602"}, failed)
}

// What an author's filter changes stays changed, and what is hidden stays hidden.
func TestFilterThatChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *mcp.Prompt){
		"description": func(p *mcp.Prompt) { p.Description = "theirs" },
		"both":        func(p *mcp.Prompt) { p.Description, p.Meta = "theirs", mcp.NewMetaFromMap(map[string]any{"k": "v"}) },
		"whole":       func(p *mcp.Prompt) { *p = mcp.NewPrompt(p.Name, mcp.WithPromptDescription("theirs")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := server.NewMCPServer("s", "1", server.WithPromptFilter(func(_ context.Context, all []mcp.Prompt) []mcp.Prompt {
				for i := range all {
					change(&all[i])
				}
				return all
			}))
			own(s, "own", "own")
			var r prompts.Registry
			r.MustAdd(says("a", "a"), says("hidden", "h"))
			mount(t, s, &r, prompts.Options{Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil }})
			client := dial(t, s, "2025-06-18")
			var list struct {
				Prompts []struct{ Name, Description string }
			}
			assert.NotContains(t, string(client.result("prompts/list", `{}`, &list)), `"_meta":{}`)
			assert.Equal(t, []struct{ Name, Description string }{{"a", "theirs"}, {"own", "theirs"}}, list.Prompts)
			assert.Equal(t, "a", client.text("a", `{}`))
			assert.Equal(t, -32602, client.do("prompts/get", `{"name":"hidden"}`).Error.Code)
			// One that has taken the name is theirs.
			own(s, "hidden", "own")
			client.result("prompts/list", `{}`, &list)
			assert.Len(t, list.Prompts, 3)
		})
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	var r prompts.Registry
	hidden, panics := says("hidden", "h"), says("panics", "p")
	hidden.Tags, panics.Tags = []string{"hidden"}, []string{"panics"}
	r.MustAdd(says("a", "a"), hidden, panics)
	visible := func(_ context.Context, p prompts.Prompt) (bool, error) {
		if len(p.Tags) > 0 && p.Tags[0] == "panics" {
			panic("as it says")
		}
		return len(p.Tags) == 0, nil
	}
	mount(t, s, &r, prompts.Options{Visible: visible})
	client := dial(t, s, "2025-03-26")
	assert.Equal(t, []string{"a"}, client.names())
	for _, name := range []string{"hidden", "panics"} {
		assert.Equal(t, -32602, client.do("prompts/get", fmt.Sprintf(`{"name":%q}`, name)).Error.Code)
	}
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	// An author's filter may leave one of ours.
	s := server.NewMCPServer("s", "1", server.WithPromptFilter(func(_ context.Context, all []mcp.Prompt) []mcp.Prompt {
		return slices.DeleteFunc(all, func(p mcp.Prompt) bool { return p.Name == "c" })
	}))
	own(s, "b", "own")
	var r prompts.Registry
	r.MustAdd(says("a", "a"), says("c", "c"))
	var mu sync.Mutex
	var seen []string
	mount(t, s, &r, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, r.Method+" "+r.Prompt)
			return next(ctx, r)
		}
	}})
	client := dial(t, s, "2025-11-25")
	assert.Equal(t, []string{"a", "b"}, client.names())
	assert.Equal(t, "a", client.text("a", `{}`))
	assert.Equal(t, []string{"prompts/list ", "prompts/get a"}, seen)
}

// A prompt that is hidden is not seen while it changes, nor while its registry is
// mounted and unmounted.
func TestHiddenWhileChanging(t *testing.T) {
	t.Parallel()
	var seen atomic.Bool
	// An author's filter gives the others time to change what is being listed.
	s := server.NewMCPServer("s", "1", server.WithPromptFilter(func(_ context.Context, all []mcp.Prompt) []mcp.Prompt {
		runtime.Gosched()
		return all
	}))
	mount(t, s, &prompts.Registry{}, prompts.Options{})
	o := prompts.Options{Visible: func(context.Context, prompts.Prompt) (bool, error) { return false, nil }}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var churn, clients sync.WaitGroup
	churn.Go(func() {
		for ctx.Err() == nil {
			var r prompts.Registry
			r.MustAdd(says("hidden", "x"))
			unmount, err := mcpgo.Mount(s, &r, mcpgo.Options{Server: o})
			if !assert.NoError(t, err) {
				return
			}
			unmount()
		}
	})
	var r prompts.Registry
	r.MustAdd(says("hidden, too", "x"))
	mount(t, s, &r, o)
	watcher := dial(t, s, "2025-11-25")
	churn.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			p := says("hidden, too", "x")
			p.Title = fmt.Sprint(i)
			assert.NoError(t, r.Set(p))
			select {
			case <-watcher.session.ClientNotifications(): // bursts are one change
			case <-ctx.Done():
			}
		}
	})
	for range 4 {
		client := dial(t, s, "2025-11-25")
		clients.Go(func() {
			for range 250 {
				if len(client.names()) > 0 {
					seen.Store(true)
					return
				}
			}
		})
	}
	clients.Wait()
	stop()
	churn.Wait()
	assert.False(t, seen.Load())
}
