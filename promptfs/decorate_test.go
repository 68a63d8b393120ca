package promptfs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A prompt of Load and of Parse loses its digest if it is decorated, and keeps it if not: of a
// Markdown file with and without a template, and of a skill.
func TestDecorateLoaded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.md":     "---\narguments:\n- name: who\n---\nHello {{.who}}",
		"b.md":     "---\ntemplate: false\n---\nHello {{.who}}",
		"SKILL.md": "---\nname: s\ndescription: d\n---\nHello",
	} {
		fsys := files(map[string]string{"x/" + name: text})
		loaded, err := promptfs.Load(fsys, promptfs.Options{})
		require.NoError(t, err)
		parsed, err := promptfs.Parse(fsys, "x/"+name, []byte(text), promptfs.Options{})
		require.NoError(t, err)
		for _, p := range append(loaded, parsed) {
			var reg prompts.Registry
			require.NoError(t, reg.Add(p))
			kept, _ := reg.Lookup(p.Name)
			assert.NotEmpty(t, kept.Digest, name)
			assert.Equal(t, p.Digest, kept.Digest, name)
			render := p.Render
			p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) { return render(ctx, args) }
			require.NoError(t, reg.Set(p))
			dropped, _ := reg.Lookup(p.Name)
			assert.Empty(t, dropped.Digest, name)
			assert.Len(t, dropped.Arguments, len(kept.Arguments))
		}
	}
}

// A program decorates the prompt of a file, which keeps its arguments and loses its digest.
func TestDecorateFile(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	require.NoError(t, promptfs.NewFolder(&reg, files(map[string]string{"a.md": "---\narguments:\n- name: who\n---\nHello {{.who}}"}), promptfs.Options{}).Reload(t.Context()))
	p, _ := reg.Lookup("a")
	require.NotEmpty(t, p.Digest)
	require.NoError(t, reg.Set(p))
	p, _ = reg.Lookup("a")
	require.NotEmpty(t, p.Digest, "the function is the same")
	render := p.Render
	p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		r, err := render(ctx, args)
		if err == nil {
			r.Messages = append(r.Messages, prompts.User("Be brief."))
		}
		return r, err
	}
	require.NoError(t, reg.Set(p))
	p, _ = reg.Lookup("a")
	assert.Empty(t, p.Digest)
	assert.Equal(t, "who", p.Arguments[0].Name)
	assert.Equal(t, []string{"Hello you", "Be brief."}, textsOf(t, p, map[string]string{"who": "you"}))

	// A digest of the application's own is kept, until the function is replaced again.
	const digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	p.Render, p.Digest = render, digest
	require.NoError(t, reg.Set(p))
	p, _ = reg.Lookup("a")
	assert.Equal(t, digest, p.Digest)
	p.Render = render
	require.NoError(t, reg.Set(p))
	p, _ = reg.Lookup("a")
	assert.Empty(t, p.Digest)
}

// A replacement with the Source of a file is the prompt of the file. With another Source, the
// replacement stays.
func TestReplacedPromptOfAFile(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		"promptfs:a.md": {"mine", "two", "missing"},
		"":              {"mine", "mine", "mine"},
		"mine":          {"mine", "mine", "mine"},
	} {
		var reg prompts.Registry
		fsys := files(map[string]string{"a.md": "one", "b.md": "b"})
		folder := promptfs.NewFolder(&reg, fsys, promptfs.Options{})
		require.NoError(t, folder.Reload(t.Context()))
		p, _ := reg.Lookup("a")
		p.Source = source
		p.Render = func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("mine")), nil
		}
		require.NoError(t, reg.Set(p))
		for i, change := range []func(){
			func() { fsys["b.md"].Data = []byte("two lines") },
			func() { fsys["a.md"].Data = []byte("two") },
			func() { delete(fsys, "a.md") },
		} {
			change()
			_, hasFile := fsys["a.md"]
			err := folder.Reload(t.Context())
			assert.Equal(t, source != "promptfs:a.md" && hasFile, err != nil, "%q: %v", source, err)
			got := []string{"missing"}
			if p, ok := reg.Lookup("a"); ok {
				got = textsOf(t, p, nil)
			}
			assert.Equal(t, want[i:i+1], got, "%q after change %d", source, i)
		}
	}
}
