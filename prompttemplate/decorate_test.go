package prompttemplate_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/prompttemplate"
	"github.com/mcp-prompts/prompts/prompttest"
)

type greeted struct {
	Who   string `json:"who"`
	Times int    `json:"times,omitempty" minimum:"1" maximum:"3" default:"2"`
}

func greet(arguments ...prompts.Argument) prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "greet", Arguments: arguments}, func(_ context.Context, in greeted) (*prompts.Result, error) {
		if in.Who == "nobody" {
			return nil, prompts.InvalidArgument("who", "exists")
		}
		return prompts.Messages(prompts.User(strings.Repeat("Hello "+in.Who+" ", in.Times))), nil
	})
}

func decorated(p prompts.Prompt) prompts.Prompt {
	render := p.Render
	p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		r, err := render(ctx, args)
		if err == nil {
			r.Messages = append(r.Messages, prompts.User("Be brief."))
		}
		return r, err
	}
	return p
}

// A prompt of any kind is decorated before and after it is in a registry: it keeps its
// arguments, their checks and defaults, and loses its Digest. A second decoration does the
// same.
func TestDecorate(t *testing.T) {
	t.Parallel()
	bare := prompts.Prompt{Name: "greet", Arguments: []prompts.Argument{{Name: "who", Required: true}, {Name: "times"}}}
	message := prompttemplate.User("Hello {{.who}} {{.times}}")
	typed := greet()
	typed.Digest = "sha256:" + strings.Repeat("0", 64)
	template, err := prompttemplate.New(bare, prompttemplate.Options{}, message)
	require.NoError(t, err)
	set, err := prompttemplate.NewSet(prompttemplate.Options{})
	require.NoError(t, err)
	ofSet, _, err := set.Prompt(t.Context(), bare, message)
	require.NoError(t, err)
	typedTemplate, err := prompttemplate.NewTyped[greeted](prompts.Prompt{Name: "greet"}, prompttemplate.Options{}, prompttemplate.User("Hello {{.Who}} {{.Times}}"))
	require.NoError(t, err)

	for name, test := range map[string]struct {
		prompt  prompts.Prompt
		text    string
		isTyped bool
	}{
		"struct":                       {typed, "Hello Ada Hello Ada ", true},
		"struct with listed arguments": {greet(prompts.Argument{Name: "who", Title: "Whom"}), "Hello Ada Hello Ada ", true},
		"template":                     {template, "Hello Ada ", false},
		"template of a set":            {ofSet, "Hello Ada ", false},
		"template of a struct":         {typedTemplate, "Hello Ada 2", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NotNil(t, test.prompt.Render)
			r, err := test.prompt.Render(t.Context(), map[string]string{"who": "Ada"})
			require.NoError(t, err)
			assert.Equal(t, prompts.Messages(prompts.User(test.text)), r)

			p, digest, want := test.prompt, test.prompt.Digest, []string{test.text}
			for range 3 {
				reg := registryOf(p)
				c := prompttest.New(t, reg)
				assert.Equal(t, want, texts(c.Get("greet", map[string]string{"who": "Ada"})))
				wrong := map[string]problem.Reason{"who": problem.Missing}
				if test.isTyped {
					wrong["times"] = problem.Range
				}
				assert.Equal(t, wrong, problem.Reasons(c.GetError("greet", map[string]string{"times": "9"})))
				found, ok := reg.Lookup("greet")
				require.True(t, ok)
				assert.Equal(t, digest, found.Digest)
				p, digest, want = decorated(found), "", append(want, "Be brief.")
			}
		})
	}
}

func texts(r *prompts.Result) (all []string) {
	for _, m := range r.Messages {
		all = append(all, m.Content.(*prompts.Text).Text)
	}
	return all
}

// The Render of a prompt with a struct checks the arguments, also without a server.
func TestRenderOfAStruct(t *testing.T) {
	t.Parallel()
	for _, p := range []prompts.Prompt{greet(), greet(prompts.Argument{Name: "who", Title: "Whom"})} {
		for range 2 {
			r, err := p.Render(t.Context(), map[string]string{"who": "Ada", "times": "1"})
			require.NoError(t, err)
			assert.Equal(t, prompts.Messages(prompts.User("Hello Ada ")), r)
			_, err = p.Render(t.Context(), map[string]string{"times": "9", "x": "y"})
			assert.EqualError(t, err, "who is required\ntimes must be from 1 to 3, got 9\nx is not an argument of this prompt")
		}
		assert.Equal(t, map[string]problem.Reason{"who": problem.Refused}, problem.Reasons(prompttest.New(t, registryOf(decorated(p))).GetError("greet", map[string]string{"who": "nobody"})))
	}
	// The function of another prompt, and none.
	p, q := greet(), prompts.NewText(prompts.Prompt{Name: "q"}, func(_ context.Context, in greeted) (string, error) { return "q " + in.Who, nil })
	p.Render = q.Render
	assert.Equal(t, []string{"q Ada"}, texts(prompttest.New(t, registryOf(p)).Get("greet", map[string]string{"who": "Ada"})))
	p.Render = nil
	assert.ErrorContains(t, new(prompts.Registry).Add(p), "no render function")
	none := prompts.New[greeted](prompts.Prompt{Name: "none"}, nil)
	assert.ErrorContains(t, new(prompts.Registry).Add(none), "render function is nil")
	_, err := none.Render(t.Context(), nil)
	assert.ErrorContains(t, err, "render function is nil")
	_, err = greet(prompts.Argument{Name: "unknown"}).Render(t.Context(), nil)
	assert.ErrorContains(t, err, `argument "unknown"`)
}

type nullable struct {
	Size  any           `json:"size"`
	Count *int          `json:"count,omitempty" default:"5"`
	Text  string        `json:"text,omitempty" minLength:"5"`
	After time.Duration `json:"after,omitempty"`
	From  netip.Addr    `json:"from,omitzero"`
}

// A function that only calls the old Render changes no response, whatever the client gives: null
// of a schema, a placeholder, a default, a value that only its Go type rejects. Arguments that the
// function makes invalid are its own error.
func TestDecoratedAnswersTheSame(t *testing.T) {
	t.Parallel()
	arguments := []prompts.Argument{
		{Name: "size", Required: true, Schema: json.RawMessage(`{"type":["null","integer"]}`)},
		{Name: "count", Schema: json.RawMessage(`{"type":["null","integer"]}`)},
		{Name: "text", Verbatim: true}, {Name: "after"}, {Name: "from"},
	}
	render := func(_ context.Context, in nullable) (string, error) {
		text, err := json.Marshal(in)
		return string(text), err
	}
	template, err := prompttemplate.NewTyped[nullable](prompts.Prompt{Name: "p", Arguments: arguments}, prompttemplate.Options{},
		prompttemplate.User("{{.Size}} {{with .Count}}{{.}}{{end}} {{.Text}} {{.After}} {{.From}}"))
	require.NoError(t, err)
	later := prompts.NewText(prompts.Prompt{Name: "p"}, render)
	later.Arguments = arguments
	cached := prompts.NewText(prompts.Prompt{Name: "p", Arguments: arguments}, render)
	cached.Cache.TTL = time.Hour
	for name, p := range map[string]prompts.Prompt{
		"struct": prompts.NewText(prompts.Prompt{Name: "p", Arguments: arguments}, render),
		"cached": cached, "arguments after New": later, "template": template,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			answer := func(p prompts.Prompt, arguments string) (string, int, error) {
				s := prompts.MustNewServer(registryOf(p), prompts.Options{
					Logger: slog.New(slog.NewTextHandler(&log, nil)), DisableReleaseMeta: true, ElicitArguments: true,
				})
				asked := 0
				r, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":`+arguments+`}`), prompts.CallOptions{
					Version: "2025-11-25", ClientInfo: json.RawMessage(`{"name":"opencode","version":"1"}`), ClientCapabilities: json.RawMessage(`{"elicitation":{}}`),
					Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
						asked++
						return json.RawMessage(`{"action":"decline"}`), nil
					},
				})
				return string(r), asked, err
			}
			through, again, broken := p, p, p
			through.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) { return p.Render(ctx, args) }
			again.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
				return through.Render(ctx, args)
			}
			broken.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
				args["count"] = "of the user"
				return p.Render(ctx, args)
			}
			for arguments, want := range map[string]struct{ text, err string }{
				`{"size":null}`:                            {`{\"size\":null,\"count\":5`, ""},
				`{"size":null,"count":null}`:               {`{\"size\":null}`, ""},
				`{"size":"3","count":"4","text":"a text"}`: {`{\"size\":3,\"count\":4,\"text\":\"a text\"`, ""},
				`{"size":"3","text":"$2"}`:                 {`\"count\":5,\"text\":\"$2\"`, ""},
				`{"size":"3","text":"\t"}`:                 {"", "text must have at least 5 characters"},
				`{"size":"3","after":"soon"}`:              {"", "after must be a duration"},
				`{"size":"3","from":"home"}`:               {"", "from must be"},
				`{}`:                                       {"", "size is required"},
			} {
				text, asked, err := answer(p, arguments)
				if want.err != "" {
					assert.ErrorContains(t, err, want.err)
				} else if assert.NoError(t, err) && name != "template" {
					assert.Contains(t, text, want.text)
				}
				for _, decorated := range []prompts.Prompt{through, again} {
					got, gotAsked, gotErr := answer(decorated, arguments)
					assert.Equal(t, text, got, arguments)
					assert.Equal(t, err, gotErr, arguments)
					assert.Equal(t, asked, gotAsked, arguments)
				}
			}
			log.Reset()
			_, _, err := answer(broken, `{"size":"3"}`)
			assert.ErrorContains(t, err, "internal error")
			assert.Contains(t, log.String(), "called Render with invalid arguments: count is not valid (type)")
			assert.NotContains(t, log.String()+err.Error(), "of the user")
		})
	}
	// Another prompt with the same struct has its own defaults.
	other := prompts.NewText(prompts.Prompt{Name: "other", Arguments: arguments}, render)
	p := prompts.NewText(prompts.Prompt{Name: "p", Arguments: arguments}, render)
	p.Render = func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		return other.Render(ctx, map[string]string{"size": "1"})
	}
	r, err := prompts.MustNewServer(registryOf(p), prompts.Options{}).Call(t.Context(), "prompts/get",
		json.RawMessage(`{"name":"p","arguments":{"size":null,"count":null}}`), prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Contains(t, string(r), `{\"size\":1,\"count\":5`)
}

func registryOf(p prompts.Prompt) *prompts.Registry {
	var reg prompts.Registry
	reg.MustAdd(p)
	return &reg
}
