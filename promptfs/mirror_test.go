package promptfs_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// put is a file of a store.
func put(path, content string, revision uint64) promptfs.File {
	return promptfs.File{Path: path, Content: []byte(content), Revision: revision}
}

func removed(path string, revision uint64) promptfs.File {
	return promptfs.File{Path: path, Revision: revision, Removed: true}
}

// namesIn returns the names of the registry's prompts.
func namesIn(reg *prompts.Registry) []string {
	names := []string{}
	for p := range reg.All() {
		names = append(names, p.Name)
	}
	return names
}

// The later revision counts, in whatever order and however often they come.
func TestMirrorRevisions(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	ctx := t.Context()
	changed, cancel := signals(reg.OnChange)
	defer cancel()
	isChanged := func() bool {
		select {
		case <-changed:
			return true
		default:
			return false
		}
	}
	require.NoError(t, m.Reset(ctx, put("a.md", "five", 5), put("a.md", "four", 4), removed("b.md", 6), put("b.md", "old", 3)))
	assert.True(t, isChanged())
	assert.Equal(t, []string{"a"}, namesIn(&reg))
	assert.Equal(t, []string{"five"}, textsFrom(t, &reg, "a", nil))

	require.NoError(t, m.Apply(ctx, put("a.md", "three", 3), put("a.md", "again", 5), removed("a.md", 4), put("b.md", "older", 6)))
	assert.False(t, isChanged())
	assert.Equal(t, []string{"five"}, textsFrom(t, &reg, "a", nil))

	require.NoError(t, m.Apply(ctx, put("a.md", "nine", 9), put("a.md", "eight", 8), put("c.md", "ten", 10)))
	assert.True(t, isChanged())
	assert.Equal(t, []string{"nine"}, textsFrom(t, &reg, "a", nil))
	assert.Equal(t, []string{"a", "c"}, namesIn(&reg))

	require.NoError(t, m.Apply(ctx, removed("a.md", 11)))
	require.NoError(t, m.Apply(ctx, put("a.md", "nine", 9)))
	assert.Equal(t, []string{"c"}, namesIn(&reg), "what has been removed does not come back")

	require.NoError(t, m.Reset(ctx, put("a.md", "one", 1)))
	assert.Equal(t, []string{"a"}, namesIn(&reg), "a reset is the truth, with the revisions that it has")
	require.NoError(t, m.Apply(ctx, put("c.md", "two", 2)))
	assert.Equal(t, []string{"a", "c"}, namesIn(&reg))
}

// A Reset that finds a store without some files removes their prompts, and
// those of an empty one all.
func TestMirrorReset(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	require.NoError(t, m.Reset(t.Context(), put("a.md", "a", 1), put("b/c.md", "c", 2)))
	require.NoError(t, m.Reset(t.Context(), put("b/c.md", "c", 2), removed("a.md", 3), put("a.md", "a", 1)))
	assert.Equal(t, []string{"b/c"}, namesIn(&reg))
	require.NoError(t, m.Reset(t.Context()))
	assert.Empty(t, namesIn(&reg))
}

// An error is reported with the path, and the last valid prompt stays.
func TestMirrorErrors(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{MaxFileBytes: 100, MaxResourceBytes: 200})
	ctx := t.Context()
	require.NoError(t, m.Reset(ctx, put("a.md", "good", 1), put("b.md", "good", 2), put("c.md", "good", 3), put("d.md", "good", 4)))
	lost := errors.New("it has been lost")
	err := m.Apply(ctx,
		put("a.md", "line\n{{if}}", 5), put("b.md", strings.Repeat("x", 300), 6), put("c.md", "\xff", 7),
		promptfs.File{Path: "d.md", Revision: 8, Err: lost},
		put("../e.md", "out", 9), put("/f.md", "out", 10), put("", "out", 11), put("g//h.md", "twice", 12),
		put("i", "a file", 13), put("i/j.md", "below it", 14))
	require.ErrorIs(t, err, lost)
	assert.Equal(t, strings.Join([]string{
		": invalid path; use a relative path such as review/code.md",
		"../e.md: invalid path; use a relative path such as review/code.md",
		"/f.md: invalid path; use a relative path such as review/code.md",
		"a.md:2: missing value for if; write a value, for example {{if .name}}",
		"b.md: file exceeds the limit of 100 bytes; shorten the file",
		"c.md:1: file is not valid UTF-8; save the file as UTF-8",
		"d.md: it has been lost",
		"g//h.md: invalid path; use a relative path such as review/code.md",
		"i/j.md: path is below the file i; rename one of the two",
	}, "\n"), err.Error())
	assert.Equal(t, []string{"a", "b", "c", "d"}, namesIn(&reg))
	for _, name := range namesIn(&reg) {
		assert.Equal(t, []string{"good"}, textsFrom(t, &reg, name, nil))
	}

	require.NoError(t, m.Apply(ctx, put("a.md", "better", 20), removed("b.md", 21), removed("c.md", 22), put("d.md", "better", 23),
		removed("../e.md", 24), removed("/f.md", 25), removed("", 26), removed("g//h.md", 27), removed("i", 28)))
	assert.Equal(t, []string{"a", "d", "i/j"}, namesIn(&reg), "what was below the file comes to light")
}

// Very many errors do not fill a log.
func TestErrorsInTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	var files []promptfs.File
	for i := range 1000 {
		files = append(files, put(fmt.Sprintf("%03d.md", i), "{{if}}", 1))
	}
	require.Error(t, m.Reset(t.Context(), files...))
	assert.Equal(t, 101, strings.Count(log.String(), "level=WARN"))
	assert.Contains(t, log.String(), `msg="too many prompt file records; others are not logged" count=900`)
	log.Reset()
	require.NoError(t, m.Reset(t.Context()))
	assert.Equal(t, 100, strings.Count(log.String(), "level=INFO"))
	assert.Contains(t, log.String(), `msg="too many prompt file records; others are not logged" count=900`)
}

// Two mirrors never take each other's prompts away, nor those of code, also
// where their files have the same paths.
func TestMirrorsShareARegistry(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	ctx := t.Context()
	one, two := promptfs.NewMirror(&reg, promptfs.Options{SourcePrefix: "one:"}), promptfs.NewMirror(&reg, promptfs.Options{SourcePrefix: "two:"})
	require.NoError(t, one.Reset(ctx, put("a.md", "of one", 1)))
	require.EqualError(t, two.Reset(ctx, put("a.md", "of two", 1)), `a.md: prompt name "a" is already used by a prompt outside of this folder; rename this prompt, or serve the folder as NAME=DIR`)
	assert.Equal(t, []string{"of one"}, textsFrom(t, &reg, "a", nil))

	reg.Remove("a") // which one does not notice
	require.NoError(t, two.Apply(ctx), "and two gets the name")
	assert.Equal(t, []string{"of two"}, textsFrom(t, &reg, "a", nil))
	require.NoError(t, one.Apply(ctx, removed("a.md", 2)))
	assert.Equal(t, []string{"of two"}, textsFrom(t, &reg, "a", nil), "one has not removed that of two")
}

// Code that sets a prompt over one of a Mirror wins, and gives the name back.
func TestMirrorGetsANameBack(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	require.NoError(t, m.Reset(t.Context(), put("a.md", "of the file", 1)))
	require.NoError(t, reg.Set(prompts.Prompt{Name: "a", Render: nothing}))
	require.Error(t, m.Reset(t.Context(), put("a.md", "of the file", 1)))
	assert.Equal(t, []string{"of code"}, textsFrom(t, &reg, "a", nil))
	reg.Remove("a")
	require.NoError(t, m.Apply(t.Context()))
	assert.Equal(t, []string{"of the file"}, textsFrom(t, &reg, "a", nil))
}

// If other code removes a prompt of a Mirror, the next Apply adds the prompt again, as the next
// reload of a Folder does.
func TestMirrorAddsARemovedPrompt(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	require.NoError(t, m.Reset(t.Context(), put("a.md", "a", 1), put("b.md", "b", 1)))
	reg.Remove("a")
	require.NoError(t, m.Apply(t.Context(), put("b.md", "more", 2)))
	assert.Equal(t, []string{"a", "b"}, namesIn(&reg))
}

// A change of another file fixes a file with an error, whatever the other file was before.
func TestMirrorFixesAFileByAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after promptfs.File }{
		"missing":         {removed("é.png", 2), put("é.png", "png", 3)},
		"in another form": {removed("é.png", 2), put("e\u0301.png", "png", 3)},
		"too large":       {put("é.png", "too large", 2), put("é.png", "png", 3)},
		"a folder":        {put("é.png/x.txt", "x", 2), put("é.png", "png", 3)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reg prompts.Registry
			m := promptfs.NewMirror(&reg, promptfs.Options{MaxResourceBytes: 8})
			require.ErrorContains(t, m.Reset(t.Context(), put("a.md", "--- user: image é.png ---", 1), c.before), "a.md:1")
			require.ErrorContains(t, m.Apply(t.Context(), put("other.png", "png", 2)), "a.md:1")
			if err := m.Apply(t.Context(), c.after); err != nil {
				require.NotContains(t, err.Error(), "a.md") // but of the file below a file
			}
			assert.Equal(t, []string{"a"}, namesIn(&reg))
		})
	}
}

// Options.SourcePrefix begins the Source of the prompts.
func TestSourcePrefix(t *testing.T) {
	t.Parallel()
	loaded, err := promptfs.Load(files(map[string]string{"a/b.md": "---\ntags: [own]\n---\ntext"}), promptfs.Options{SourcePrefix: "team:"})
	require.NoError(t, err)
	assert.Equal(t, []string{"own"}, loaded[0].Tags)
	assert.Equal(t, "team:a/b.md", loaded[0].Source)
}

func nothing(context.Context, map[string]string) (*prompts.Result, error) {
	return prompts.Messages(prompts.User("of code")), nil
}

// However a store changes, a Mirror that gets each change has the same prompts and
// errors as a Mirror that has loaded all files.
func TestMirrorIsAsIfReadAnew(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			compareMirrors(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

func compareMirrors(t *testing.T, r *rand.Rand) {
	paths := []string{"a.md", "b.md", "b", "d/a.md", "d/e/b.md", "d/SKILL.md", "d/e/SKILL.md", "SKILL.md", "_partials/p.md", "_partials/q.txt",
		"_partials", "img.png", "d/img.png", "_h/img.png", ".x/y.md", "README.md", "d/README.md", "b/c.md", "c.md", "e.md"}
	contents := []string{"text", "{{template \"p\"}}", "{{template \"q\" .}}", "--- user: image img.png ---", "--- user: resource _h/img.png ---", "--- user: resource b ---\n--- user: resource d/e.md ---",
		"---\nname: a\n---\ntext", "---\nname: b\n---\nmore", "---\nname: x\n---\nx", "---\nname: x\n---\nother", "---\nbad", "", "\xff", "{{if}}",
		"---\nname: skill\ndescription: d\n---\nskill", "{{template \"p\"}} and {{template \"q\"}}"}
	var reg prompts.Registry
	var code []prompts.Prompt
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	ctx := t.Context()
	store := map[string]promptfs.File{}
	revision := uint64(0)
	require.NoError(t, m.Reset(ctx))
	for range 60 {
		var batch []promptfs.File
		for range 1 + r.IntN(3) {
			revision++
			path := paths[r.IntN(len(paths))]
			f := put(path, contents[r.IntN(len(contents))], revision)
			if r.IntN(4) == 0 {
				f = removed(path, revision)
			}
			store[path] = f
			batch = append(batch, f)
		}
		r.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
		if r.IntN(8) == 0 { // code has a name for a while
			p := prompts.Prompt{Name: []string{"a", "x", "c"}[r.IntN(3)], Render: nothing}
			if _, taken := reg.Lookup(p.Name); !taken {
				reg.MustAdd(p)
				code = append(code, p)
			}
		}
		if len(code) > 0 && r.IntN(4) == 0 {
			reg.Remove(code[0].Name)
			code = code[1:]
		}
		err := m.Apply(ctx, batch...)

		// A look at all files finds nothing that this one has not found.
		changed, cancel := signals(reg.OnChange)
		var all []promptfs.File
		for _, f := range store {
			all = append(all, f)
		}
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(m.Reset(ctx, all...)))
		require.Empty(t, changed)
		cancel()

		// And one that reads them for the first time has the same prompts, but for
		// the last good versions that it cannot know.
		var want prompts.Registry
		want.MustAdd(code...)
		if promptfs.NewMirror(&want, promptfs.Options{}).Reset(ctx, all...) == nil {
			require.NoError(t, err)
			require.Equal(t, slices.Collect(described(&want)), slices.Collect(described(&reg)))
		} else {
			require.Error(t, err)
		}
	}
}

// described yields what can be seen of a registry's prompts.
func described(reg *prompts.Registry) iter.Seq[string] {
	return func(yield func(string) bool) {
		for p := range reg.All() {
			r, err := p.Render(context.Background(), nil)
			var messages []any
			for _, m := range cmp.Or(r, &prompts.Result{}).Messages {
				messages = append(messages, m.Role, reflect.Indirect(reflect.ValueOf(m.Content)))
			}
			if !yield(fmt.Sprint(p.Name, p.Description, p.Tags, p.Source, messages, err)) {
				return
			}
		}
	}
}

// Any number of goroutines may pass changes to a Mirror.
func TestMirrorOfManyGoroutines(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 25 {
				assert.NoError(t, m.Apply(t.Context(), put(fmt.Sprintf("%d.md", j), fmt.Sprint(i, j), uint64(100*j+i+1))))
			}
		})
	}
	wg.Wait()
	for j := range 25 {
		assert.Equal(t, []string{fmt.Sprint(3, j)}, textsFrom(t, &reg, fmt.Sprint(j), nil), "the highest revision")
	}
}

// The end of the context changes nothing, and no change is lost.
func TestMirrorContext(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	require.NoError(t, m.Reset(t.Context(), put("a.md", "a", 1)))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, m.Apply(ended, put("b.md", "b", 2)), context.Canceled)
	assert.Equal(t, []string{"a"}, namesIn(&reg))
	require.NoError(t, m.Apply(t.Context(), put("b.md", "b", 2)), "which may be known by now, and has to get there all the same")
	assert.Equal(t, []string{"a", "b"}, namesIn(&reg))
}

// The file system in memory is one as package fs wants them.
func TestMemoryIsAFileSystem(t *testing.T) {
	t.Parallel()
	fsys := promptfs.Memory(map[string]string{"a.md": "a", "b/c.md": "c", "b/d/e.txt": "", "f": "f"})
	require.NoError(t, fstest.TestFS(fsys, "a.md", "b/c.md", "b/d/e.txt", "f"))
}

// A name that is given back lets others move on, each by way of the one before,
// although only one file is told.
func TestMirrorNamesThatMoveOn(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{})
	named := func(i, name int, revision uint64) promptfs.File {
		return promptfs.File{Path: fmt.Sprintf("p%d.md", i), Content: fmt.Appendf(nil, "---\nname: n%d\n---\n%d", name, i), Revision: revision}
	}
	var all []promptfs.File
	for i := range 6 {
		all = append(all, named(i, i, 1))
	}
	require.NoError(t, m.Reset(t.Context(), all...))
	for i := range 5 {
		require.Error(t, m.Apply(t.Context(), named(i, i+1, 2)))
	}
	require.NoError(t, m.Apply(t.Context(), promptfs.File{Path: "p5.md", Removed: true, Revision: 2}))
	var names []string
	for p := range reg.All() {
		names = append(names, p.Name+" "+textsOf(t, p, nil)[0])
	}
	assert.Equal(t, []string{"n1 0", "n2 1", "n3 2", "n4 3", "n5 4"}, names)
}
