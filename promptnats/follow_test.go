package promptnats_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

// What is there is loaded as one update, and each change comes in.
func TestFollow(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	put(t, kv, "_partials/p.md", "kind")
	put(t, kv, "b/c.md", `be {{template "p"}}`)
	put(t, kv, "gone.md", "gone")
	require.NoError(t, kv.Delete(t.Context(), "gone.md"))

	f, o := newFollower(t, promptnats.Options{})
	changed, cancel := signals(f.registry.OnChange)
	defer cancel()
	updates := 0
	counted := make(chan struct{})
	go func() { // until Follow has returned
		defer close(counted)
		for range changed {
			if updates++; f.registry.Len() == 2 {
				return
			}
		}
	}()
	require.NoError(t, f.start(js, o))
	<-counted
	assert.Equal(t, 1, updates)
	assert.Equal(t, []string{"a", "b/c"}, f.names())
	assert.Equal(t, promptnats.Status{Synced: true, Revision: 5}, f.Status())
	p, _ := f.registry.Lookup("b/c")
	assert.Equal(t, promptnats.Source(bucket, "")+"b/c.md", p.Source)

	put(t, kv, "a.md", "other")
	f.says("a", "other")
	put(t, kv, "_partials/p.md", "brief")
	f.says("b/c", "be brief")
	require.NoError(t, kv.Purge(t.Context(), "a.md"))
	f.has("b/c")
	put(t, kv, "na=C3=AFve.md", "new")
	f.has("b/c", "naïve")
}

// Each invalid value keeps the last valid prompt, and is reported with key and line.
func TestBadValues(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	bad := map[string]string{
		"yaml":     "---\ntitel: x\n---\ntext",
		"template": "line\n{{if}}",
		"empty":    "",
		"binary":   "\x00\xff\xfe",
		"huge":     strings.Repeat("x", 5000),
		"alias":    "---\ntitle: &a x\ndescription: *a\n---\ntext",
		"bomb":     strings.Repeat("{{if true}}", 2000),
		"image":    "--- user: image ../../../../etc/passwd.png ---",
		"absolute": "--- user: resource /etc/passwd ---",
		"missing":  `{{template "nowhere"}}`,
	}
	for name := range bad {
		put(t, kv, name+".md", "good")
	}
	f := follow(t, js, promptnats.Options{Files: promptfs.Options{MaxFileBytes: 4000, MaxResourceBytes: 100}})
	require.NoError(t, f.Status().FileErrors)
	for name, value := range bad {
		put(t, kv, name+".md", value)
	}
	f.until("all faults", func() bool {
		told := strings.Join(f.faults(), "\n")
		for name := range bad {
			if !strings.Contains("\n"+told, "\n"+name+".md:") {
				return false
			}
		}
		return true
	})
	for name := range bad {
		assert.Equal(t, "good", f.text(name), "%s", name)
	}
	assert.Contains(t, f.faults(), `yaml.md:2: unknown key "titel" in front matter; did you mean "title"?`)
	assert.Contains(t, f.faults(), "template.md:2: missing value for if; write a value, for example {{if .name}}")
	assert.Contains(t, f.log.String(), "path=yaml.md line=2")
	var e *promptfs.Error
	require.ErrorAs(t, f.Status().FileErrors, &e)

	put(t, kv, "template.md", "mended")
	f.says("template", "mended")
	require.NoError(t, kv.Delete(t.Context(), "yaml.md"))
	f.until("it is removed", func() bool { _, ok := f.registry.Lookup("yaml"); return !ok })
}

// A text that grows without end when it is rendered is an error of that
// request, and of nothing else.
func TestBombsAtRendering(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "bomb.md", "---\narguments:\n  - name: a\n---\n{{define \"b\"}}{{.a}}{{.a}}{{template \"b\" .}}{{end}}{{template \"b\" .}}")
	put(t, kv, "range.md", "---\narguments:\n  - name: a\n---\n"+strings.Repeat("{{range list .a}}", 12)+"{{.}}"+strings.Repeat("{{end}}", 12))
	put(t, kv, "good.md", "good")
	f := follow(t, js, promptnats.Options{})
	assert.Equal(t, "good", f.text("good"))
	c := prompttest.New(t, f.registry)
	for _, name := range f.names() {
		if name != "good" {
			require.Error(t, c.GetError(name, map[string]string{"a": strings.Repeat("x,", 500)}))
		}
	}
	c.Get("good", nil)
}

// Keys that are not valid paths are reported and ignored. Keys with the prefix of
// other Followers are ignored silently.
func TestOddKeys(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "good.md", "good")
	put(t, kv, "/etc/passwd.md", "absolute")
	put(t, kv, "esc=41.md", "another escape")
	put(t, kv, "esc=.md", "half an escape")
	put(t, kv, "=2E=2E/up.md", "up")
	put(t, kv, "folder", "a file")
	put(t, kv, "folder/below.md", "below it")
	put(t, kv, "team./other.md", "of a team")
	_, err := js.Publish(t.Context(), "$KV."+bucket+".umläut.md", []byte("raw"))
	require.NoError(t, err)
	f := follow(t, js, promptnats.Options{})
	assert.Equal(t, []string{"good"}, f.names())
	const no = ": key is not a file path; use a key such as review/code.md"
	assert.Equal(t, []string{
		".//etc/passwd.md" + no,
		"./=2E=2E/up.md" + no,
		"./esc=.md: invalid escape in key: = must be followed by two hexadecimal digits; write = as =3D",
		"./esc=41.md: key is not in canonical form; use escA.md",
		"./umläut.md: key is not in canonical form; use uml=C3=A4ut.md",
		"folder/below.md: path is below the file folder; rename one of the two",
	}, f.faults())
	require.NoError(t, kv.Delete(t.Context(), "esc=41.md"))
	require.NoError(t, kv.Delete(t.Context(), "folder"))
	f.has("folder/below", "good")
	f.until("fewer faults", func() bool { return len(f.faults()) == 4 })
}

// A key that is that of no path is in nobody's way, also if it reads like the
// path of another.
func TestOddKeyLikeAPath(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	for _, prefix := range []string{"", "a./"} {
		put(t, kv, prefix+"esc=3D41.md", "good")
		put(t, kv, prefix+"esc=41.md", "odd")
	}
	put(t, kv, "a./a=2E/esc=3D41.md", "good")
	plain, team := follow(t, js, promptnats.Options{}), follow(t, js, promptnats.Options{Prefix: "a"})
	for _, f := range []*follower{plain, team} {
		assert.Contains(t, f.names(), "esc=41")
		assert.Equal(t, []string{"./esc=41.md: key is not in canonical form; use escA.md"}, f.faults())
	}
	require.NoError(t, kv.Delete(t.Context(), "esc=41.md"))
	require.NoError(t, kv.Delete(t.Context(), "a./esc=41.md"))
	for _, f := range []*follower{plain, team} {
		f.until("no fault", func() bool { return f.faults() == nil })
	}
	assert.Equal(t, []string{"esc=41"}, plain.names())
	assert.Equal(t, []string{"a./esc=41", "esc=41"}, team.names())
}

// Each prefix is a part of its own, also where two fill one registry.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a./one.md", "of a")
	put(t, kv, "a./same.md", "of a")
	put(t, kv, "b./two.md", "of b")
	put(t, kv, "b./same.md", "of b")
	put(t, kv, "a.b./three.md", "of a.b")
	put(t, kv, "a.md", "of nobody")
	a := follow(t, js, promptnats.Options{Prefix: "a"})
	assert.Equal(t, []string{"one", "same"}, a.names())
	assert.Empty(t, a.faults())
	assert.Equal(t, []string{"three"}, follow(t, js, promptnats.Options{Prefix: "a.b"}).names())
	assert.Equal(t, []string{"a"}, follow(t, js, promptnats.Options{}).names())

	b, o := newFollower(t, promptnats.Options{Prefix: "b"})
	b.registry = a.registry
	require.NoError(t, b.start(js, o))
	assert.Equal(t, []string{"one", "same", "two"}, a.names())
	assert.Equal(t, []string{`same.md: prompt name "same" is already used by a prompt outside of this folder; rename this prompt, or serve the folder as NAME=DIR`}, b.faults())
	require.NoError(t, kv.Delete(t.Context(), "a./same.md"))
	b.says("same", "of b")
	require.NoError(t, kv.Delete(t.Context(), "b./two.md"))
	b.has("one", "same")

	for _, prefix := range []string{".", "a.", "a/b", "a..b", "*", "a.>", "ä", "a b", "a=b"} {
		_, err := promptnats.Follow(t.Context(), a.registry, js, bucket, promptnats.Options{Prefix: prefix})
		require.ErrorContains(t, err, "Options.Prefix", "%q", prefix)
	}
}

// Faulty options are an error at once, whatever else is.
func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	b.stop()
	js := connect(t, b.url())
	for _, at := range []string{"/x", ".", "x/", "../x"} {
		o := promptnats.Options{AllowOfflineStart: true, Timeout: time.Hour, Files: promptfs.Options{Partials: at}}
		_, err := promptnats.Follow(t.Context(), &prompts.Registry{}, js, bucket, o)
		require.ErrorContains(t, err, "Options.Files.Partials", "%q", at)
		_, err = promptnats.Publish(t.Context(), js, bucket, files(map[string]string{"a.md": "a"}), o)
		require.ErrorContains(t, err, "Options.Files.Partials", "%q", at)
	}
}

// A panic in application code is reported, and ends neither the process nor the
// Follower.
func TestPanics(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	f, o := newFollower(t, promptnats.Options{})
	o.OnStatus = func(promptnats.Status) { panic("by OnStatus") }
	o.Files.OnReload = func(promptfs.Report) { panic("by OnReload") }
	require.NoError(t, f.start(js, o))
	put(t, kv, "b.md", "{{if}}")
	put(t, kv, "c.md", "c")
	f.has("a", "c")
	f.until("the fault", func() bool { return len(f.faults()) == 1 })
	assert.Contains(t, f.log.String(), "by OnStatus")
	f.until("it is told", func() bool { return strings.Contains(f.log.String(), "by OnReload") })
}

// Prompts of code win, until the name is free.
func TestClashWithCode(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "of the bucket")
	f, o := newFollower(t, promptnats.Options{})
	f.registry.MustAdd(prompts.Prompt{Name: "a", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("of code")), nil
	}})
	require.NoError(t, f.start(js, o))
	assert.Equal(t, "of code", f.text("a"))
	assert.Len(t, f.faults(), 1)
	inStep := put(t, kv, "a.md", "changed")
	f.inStep(inStep)
	assert.Equal(t, "of code", f.text("a"))
	f.registry.Remove("a")
	f.says("a", "changed")
	f.until("the fault is gone", func() bool { return f.Status().FileErrors == nil })
}

// Without a broker there is an error within the time that is set; or with
// AllowOfflineStart, what code declares, and then what is in the bucket.
func TestStartWithoutABroker(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	b.stop()
	js := connect(t, b.url())
	f, o := newFollower(t, promptnats.Options{Timeout: 2 * time.Second})
	err := f.start(js, o)
	require.ErrorContains(t, err, "timed out after 2s loading the bucket: not connected to NATS")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	_, err = promptnats.Follow(ctx, f.registry, js, bucket, promptnats.Options{Timeout: time.Hour})
	require.ErrorIs(t, err, context.DeadlineExceeded)

	f, o = newFollower(t, promptnats.Options{AllowOfflineStart: true, Timeout: time.Hour})
	f.registry.MustAdd(prompts.Prompt{Name: "code", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }})
	require.NoError(t, f.start(js, o))
	assert.Equal(t, []string{"code"}, f.names())
	require.Error(t, f.Status().Err)

	b.start()
	put(t, newBucket(t, connect(t, b.url())), "a.md", "a")
	f.has("a", "code")
}

// A bucket that is not there, or that is none, is an error at once.
func TestStartWithoutABucket(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	f, o := newFollower(t, promptnats.Options{Timeout: time.Hour})
	require.ErrorIs(t, f.start(js, o), jetstream.ErrBucketNotFound)
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}})
	require.NoError(t, err)
	require.ErrorIs(t, f.start(js, o), jetstream.ErrBadBucket)
	o.AllowOfflineStart = true
	require.NoError(t, f.start(js, o))
	require.ErrorIs(t, f.lost(), jetstream.ErrBadBucket)
}

// Nothing is left of a Follower when it is closed, but the prompts.
func TestCloseLeavesNothing(t *testing.T) {
	// Not parallel: it counts goroutines.
	b := startBroker(t, nil)
	kv := newBucket(t, connect(t, b.url()))
	put(t, kv, "a.md", "a")
	js := connect(t, b.url())
	before := runtime.NumGoroutine()
	var reg prompts.Registry
	for range 20 {
		f, err := promptnats.FollowFast(t.Context(), &reg, js, bucket, promptnats.Options{})
		require.NoError(t, err)
		f.Close()
		f.Close()
	}
	assert.Equal(t, 1, reg.Len())
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, long, 10*time.Millisecond, "goroutines of the library and of the broker are its own")
	stream, err := js.Stream(t.Context(), "KV_"+bucket)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // a slow broker removes them later
		info, err := stream.Info(t.Context())
		return err == nil && info.State.Consumers == 0
	}, long, 10*time.Millisecond)

	ctx, cancel := context.WithCancel(t.Context())
	f, err := promptnats.FollowFast(ctx, &reg, js, bucket, promptnats.Options{})
	require.NoError(t, err)
	cancel()
	f.Close()
}

// A Follower whose author is slow keeps nobody else of the connection waiting.
func TestSlowAuthor(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "0")
	held, release := make(chan struct{}, 1), make(chan struct{})
	isFirst := true
	o := promptnats.Options{Files: promptfs.Options{Logger: slog.New(slog.DiscardHandler), OnReload: func(promptfs.Report) {
		if !isFirst {
			select {
			case held <- struct{}{}:
			default: // of a later report
			}
			<-release
		}
		isFirst = false
	}}}
	f, _ := newFollower(t, promptnats.Options{})
	require.NoError(t, f.start(js, o))
	put(t, kv, "a.md", "1")
	<-held
	for i := range 1000 {
		put(t, kv, "a.md", fmt.Sprint(i)) // over the same connection, each with its answer
	}
	close(release)
	f.says("a", "999")
}

// A broker may end, and begin again on the same port: nothing is lost, and
// nothing is gone meanwhile.
func TestRestart(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	js := connect(t, b.url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	put(t, kv, "b.md", "b")
	f := follow(t, js, promptnats.Options{})
	for i := range 3 {
		b.stop()
		require.Error(t, f.lost())
		assert.Equal(t, []string{"a", "b"}, f.names())
		b.start()
		f.inStep(1)
		put(t, kv, "a.md", fmt.Sprint(i))
		f.says("a", fmt.Sprint(i))
	}
	assert.Contains(t, f.log.String(), "prompts not in sync with bucket")
}

// A prompt that a follower of the registry rejects is an error of its key alone: the registry
// is in sync, and changes of the others are served.
func TestRejectedByAFollower(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	put(t, kv, "bad.md", "bad")
	f, o := newFollower(t, promptnats.Options{})
	_, err := prompttools.New(f.registry, prompttools.Options{
		Select: func(p prompts.Prompt) bool { return true },
		ToolName: func(prompt string) string {
			if strings.HasPrefix(prompt, "bad") {
				return "no tool"
			}
			return prompt
		},
	})
	require.NoError(t, err)
	require.NoError(t, f.start(js, o))
	require.Len(t, f.faults(), 1)
	assert.Contains(t, f.faults()[0], `bad.md: tool name "no tool"`)
	assert.True(t, f.Status().Synced)
	assert.Equal(t, []string{"a"}, f.names())
	put(t, kv, "bad2.md", "bad")
	put(t, kv, "a.md", "other")
	f.says("a", "other")
	f.until("two errors", func() bool { return len(f.faults()) == 2 })
	assert.True(t, f.Status().Synced)
	require.NoError(t, kv.Delete(t.Context(), "bad.md"))
	require.NoError(t, kv.Delete(t.Context(), "bad2.md"))
	f.until("no errors", func() bool { return f.Status().FileErrors == nil })
}
