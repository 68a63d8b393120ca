package mcpgo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

// A prompt that is hidden is completed as one that there is not.
func TestHiddenIsNotCompleted(t *testing.T) {
	t.Parallel()
	for _, own := range [][]server.PromptCompletionProvider{nil, {fixed{}}} {
		s := server.NewMCPServer("s", "1")
		p := says("there", "x")
		p.Arguments = []prompts.Argument{{Name: "n", Enum: []string{"go", "python"}}}
		var r prompts.Registry
		r.MustAdd(p)
		mount(t, s, &r, prompts.Options{Visible: func(context.Context, prompts.Prompt) (bool, error) { return false, nil }}, own...)
		streamable := server.NewStreamableHTTPServer(s)
		for _, handler := range []http.Handler{streamable, mcpgo.ErrorHandler(streamable)} {
			web := httptest.NewServer(handler)
			t.Cleanup(web.Close)
			id := session(t, web.URL)
			complete := func(name string) string {
				_, body := post(t, web.URL, "2025-11-25", id, fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":"n","value":""}}}`, name))
				return strings.ReplaceAll(body, name, "NAME")
			}
			assert.Equal(t, complete("nowhere"), complete("there"))
		}
	}
}

// A prompt that Visible shows only in the context of the middleware has its completions and
// errors, and the provider of the application has the completions of every other prompt, whatever
// the middleware does.
func TestCompletionsInsideOfMiddleware(t *testing.T) {
	t.Parallel()
	type allowed struct{}
	named := func(name string) prompts.Prompt {
		p := says(name, "x")
		p.Arguments = []prompts.Argument{{Name: "language", Enum: []string{"go", "python"}}, {Name: "free"}, {Name: "fails", Complete: func(context.Context, string, map[string]string) ([]string, error) {
			return nil, errors.New("no database")
		}}}
		return p
	}
	for _, panics := range []bool{false, true} {
		for _, application := range [][]server.PromptCompletionProvider{nil, {fixed{}}} {
			s := server.NewMCPServer("s", "1")
			own(s, "own", "own")
			var r prompts.Registry
			r.MustAdd(named("a"), named("hidden"), named("renamed"))
			var seen []string
			unmount := mount(t, s, &r, prompts.Options{
				Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
					name, ok := ctx.Value(allowed{}).(string)
					if !ok && panics {
						panic("no context of the middleware")
					}
					return name == p.Name, nil
				},
				Middleware: func(next prompts.Handler) prompts.Handler {
					return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
						if r.Method == "completion/complete" {
							seen = append(seen, r.Prompt)
						}
						if r.Prompt == "renamed" {
							r.Prompt = "a"
						}
						response, err := next(context.WithValue(ctx, allowed{}, "a"), r)
						if err != nil && r.Prompt == "hidden" {
							err = &prompts.Error{Code: -32002, Message: "refused"}
						}
						return response, err
					}
				},
			}, application...)
			client := dial(t, s, "2025-11-25")
			for argument, want := range map[string]string{"nosuch": "is not an argument of this prompt", "fails": `completion of argument "fails" failed`} {
				a := client.do("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":%q,"value":"py"}}`, argument))
				if assert.NotNil(t, a.Error, "%s", a.Result) {
					assert.Contains(t, a.Error.Message, want)
				}
			}
			for _, test := range []struct {
				ref, arg string
				want     []string
				isOwn    bool // of the application's provider
			}{
				{"a", "language", []string{"python"}, false},
				{"a", "free", nil, true},
				{"hidden", "language", nil, true},
				{"hidden", "fails", nil, true},
				{"renamed", "language", nil, true},
				{"renamed", "free", nil, true},
				{"nosuch", "language", nil, true},
				{"own", "language", nil, true},
			} {
				var result struct{ Completion struct{ Values []string } }
				client.result("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":%q,"value":"py"}}`, test.ref, test.arg), &result)
				want := test.want
				if test.isOwn && application != nil {
					want = []string{test.ref + "/" + test.arg + "/py"}
				}
				assert.ElementsMatch(t, want, result.Completion.Values, "%s %s", test.ref, test.arg)
			}
			assert.NotContains(t, seen, "own")
			assert.NotContains(t, seen, "nosuch")
			unmount()
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	p := says("p", "x")
	p.Arguments = []prompts.Argument{{Name: "language", Enum: []string{"go", "python"}}, {Name: "free"}}
	for _, test := range []struct {
		name     string
		own      []server.PromptCompletionProvider
		ref, arg string
		want     []string
	}{
		{"ours", []server.PromptCompletionProvider{fixed{}}, "p", "language", []string{"python"}},
		{"ours alone", nil, "p", "language", []string{"python"}},
		{"ours without any", nil, "p", "free", []string{}},
		{"what nothing of ours completes", []server.PromptCompletionProvider{fixed{}}, "p", "free", []string{"p/free/py"}},
		{"the author's", []server.PromptCompletionProvider{fixed{}}, "own", "x", []string{"own/x/py"}},
		{"nobody's", nil, "own", "x", []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var options []server.ServerOption
			if test.own != nil {
				options = append(options, server.WithPromptCompletionProvider(test.own[0]))
			}
			s := server.NewMCPServer("s", "1", options...)
			own(s, "own", "own")
			var r prompts.Registry
			r.MustAdd(p)
			unmount := mount(t, s, &r, prompts.Options{}, test.own...)
			client := dial(t, s, "2025-11-25")
			var result struct{ Completion struct{ Values []string } }
			client.result("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":%q,"value":"py"}}`, test.ref, test.arg), &result)
			assert.Equal(t, test.want, result.Completion.Values)
			unmount()
			client.result("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":%q,"value":"py"}}`, test.ref, test.arg), &result)
			if test.own != nil {
				assert.Equal(t, []string{test.ref + "/" + test.arg + "/py"}, result.Completion.Values)
			} else {
				assert.Empty(t, result.Completion.Values)
			}
		})
	}
}

type noCompletions struct{ values []string }

func (n *noCompletions) CompletePromptArgument(context.Context, string, mcp.CompleteArgument, mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: n.values}, nil
}

// A nil pointer as provider of completions is an error of Mount, not a panic of each completion.
func TestNilCompletions(t *testing.T) {
	t.Parallel()
	_, err := mcpgo.Mount(server.NewMCPServer("s", "1"), new(prompts.Registry), mcpgo.Options{Completions: (*noCompletions)(nil)})
	assert.EqualError(t, err, "mcpgo: Mount: Completions is nil")
}
