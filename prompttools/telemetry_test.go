package prompttools_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

// Progress and cancellation reach a prompt that is called as a tool, and the observer
// is told of the call.
func TestProgressCancellationAndTelemetry(t *testing.T) {
	t.Parallel()
	var progress []string
	p := prompts.NewText(prompts.Prompt{Name: "p"}, func(ctx context.Context, _ struct{}) (string, error) {
		prompts.Progress(ctx, 1, 2, "half")
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	seen := &observer{}
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Observer: seen}, p)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := srv.Call(ctx, "tools/call", json.RawMessage(`{"name":"p","_meta":{"progressToken":1}}`), prompts.CallOptions{Version: "2025-11-25", Notify: func(method string, params json.RawMessage) {
		progress = append(progress, method+string(params))
		cancel()
	}})
	assert.ErrorIs(t, err, context.Canceled)
	require.Len(t, progress, 1)
	assert.Contains(t, progress[0], "half")
	require.NoError(t, srv.Flush(t.Context()))
	assert.Equal(t, []string{"tools/call p p"}, seen.ended("tools/call"))
}

// The observer gets the name of the tool, if the client may see it, and whether the
// result is an error.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]*prompttools.Pair{"each": nil, "pair": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := &observer{}
			srv, _ := serve(t, prompttools.Options{Select: all, Pair: pair, Tools: []prompttools.Tool{{Name: "own", Call: func(_ context.Context, args json.RawMessage) (*prompttools.Result, error) {
				return &prompttools.Result{IsError: string(args) == "{}"}, nil
			}}}}, prompts.Options{Observer: seen, Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "secret", nil }}, reviewPrompt(), textPrompt("secret", ""), textPrompt("a b", ""))
			var want []string
			for _, version := range prompttest.Versions() {
				c := connect(t, srv, version)
				c.call("own", "")
				c.call("own", "{}")
				c.call("invented", "{}")
				want = append(want, "own ", "own  error", " ")
				if pair != nil {
					c.call("list_prompts", "{}")
					c.call("get_prompt", `{"name":"a b"}`)
					c.call("get_prompt", `{"name":"review"}`)
					c.call("get_prompt", `{"name":"secret"}`)
					want = append(want, "list_prompts ", "get_prompt a b", "get_prompt review error", "get_prompt  error")
					continue
				}
				c.call("a_x20_b", "")
				c.call("review", "")
				c.call("secret", "")
				want = append(want, "a_x20_b a b", "review review error", " ")
			}
			_, err := srv.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"own","arguments":{}}`), prompts.CallOptions{Version: "2025-11-25"})
			require.NoError(t, err)
			want = append(want, "own  error")
			require.NoError(t, srv.Flush(t.Context()))
			for i := range want {
				want[i] = "tools/call " + want[i]
			}
			assert.Equal(t, want, seen.ended("tools/call"))
		})
	}
}

// observer notes operations.
type observer struct {
	mu  sync.Mutex
	all []string
}

func (o *observer) Begin(ctx context.Context, _ observe.Operation) context.Context { return ctx }

func (o *observer) End(_ context.Context, op observe.Operation, out observe.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := op.Method + " " + out.Tool + " " + out.Prompt
	if out.IsError {
		line += " error"
	}
	o.all = append(o.all, line)
}

func (o *observer) ended(method string) (all []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.all {
		if strings.HasPrefix(e, method) {
			all = append(all, e)
		}
	}
	return all
}
