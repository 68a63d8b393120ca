package prompttemplate_test

import (
	"context"
	"strings"
	"testing"

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

func registryOf(p prompts.Prompt) *prompts.Registry {
	var reg prompts.Registry
	reg.MustAdd(p)
	return &reg
}
