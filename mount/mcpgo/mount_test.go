package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttools"
)

func TestMountedBesideOwn(t *testing.T) {
	t.Parallel()
	for _, version := range append(handshakes, stateless) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := server.NewMCPServer("s", "1", server.WithPaginationLimit(2))
			own(s, "c", "own c")
			own(s, "e", "own e")
			var r prompts.Registry
			r.MustAdd(says("a", "our a"), says("b", "our b"), says("d", "our d"))
			unmount := mount(t, s, &r, prompts.Options{})
			client := dial(t, s, version)
			assert.Equal(t, []string{"a", "b", "c", "d", "e"}, client.names())
			assert.Equal(t, "our d", client.text("d", `{}`))
			assert.Equal(t, "own c", client.text("c", `{}`))
			client.pending()
			unmount()
			unmount()
			assert.Equal(t, []string{"notifications/prompts/list_changed"}, client.pending())
			assert.Equal(t, []string{"c", "e"}, client.names())
			assert.Equal(t, -32602, client.do("prompts/get", `{"name":"a"}`).Error.Code)
		})
	}
}

// A list that is larger than a page of this library is complete.
func TestLargeLists(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]prompts.Options{"plain": {}, "middleware": {Middleware: func(next prompts.Handler) prompts.Handler { return next }}} {
		s := server.NewMCPServer("s", "1", server.WithResourceCapabilities(true, true))
		var r prompts.Registry
		var skills promptskills.Registry
		for i := range 4 {
			p := says(fmt.Sprint("p", i), "hi")
			p.Description = strings.Repeat("x", 600_000)
			r.MustAdd(p)
		}
		require.NoError(t, skills.Update(func(tx *promptskills.Tx) error {
			for i := range 1200 {
				err := tx.Add(promptskills.Skill{
					Path: fmt.Sprint("s", i), Frontmatter: json.RawMessage(fmt.Sprintf(`{"name":"s%d","description":"%s"}`, i, strings.Repeat("x", 1000))),
					Files: map[string][]byte{"SKILL.md": nil},
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
		mount(t, s, &r, o)
		unmount, err := mcpgo.MountSkills(s, &skills, mcpgo.SkillsOptions{})
		require.NoError(t, err)
		t.Cleanup(unmount)
		assert.Equal(t, []string{"p0", "p1", "p2", "p3"}, dial(t, s, handshakes[0]).names(), name)
		assert.Len(t, s.ListResources(), 1200)
	}
}

func TestListEntriesByRevision(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	p := says("a", "x")
	p.Title, p.Description = "A", "the a"
	p.Arguments = []prompts.Argument{{Name: "n", Title: "N", Description: "a number", Required: true, Enum: []string{"1", "2"}}}
	p.Icons = []prompts.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}}
	p.Meta = prompts.Meta{"example.com/big": int64(9007199254740993)}
	p.Version = "3"
	r.MustAdd(p, says("b", "y"))
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	// A change of another prompt leaves an entry as it is.
	told := dial(t, s, "2025-11-25")
	require.NoError(t, r.Add(says("c", "z")))
	told.changed()
	for _, version := range append(handshakes, stateless) {
		want, err := prompts.MustNewServer(&r, prompts.Options{}).Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: version})
		require.NoError(t, err)
		var lists [2]struct{ Prompts []any }
		decode(t, want, &lists[0])
		decode(t, dial(t, s, version).result("prompts/list", `{}`, nil), &lists[1])
		assert.Equal(t, lists[0], lists[1], version)
	}
}

func TestChangesAreToldOnce(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	var r prompts.Registry
	r.MustAdd(says("a", "a"), says("b", "b"))
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-06-18")
	for _, step := range []struct {
		name string
		do   func(tx *prompts.Tx) error
		want []string
	}{
		{"added, replaced and removed", func(tx *prompts.Tx) error {
			tx.Remove("a")
			p := says("b", "b")
			p.Title = "B"
			return tx.Set(p, says("c", "c"), says("d", "d"))
		}, []string{"b", "c", "d"}},
		{"removed", func(tx *prompts.Tx) error { tx.Remove("c"); tx.Remove("d"); return nil }, []string{"b"}},
		{"what clients do not see", func(tx *prompts.Tx) error {
			p, _ := tx.Lookup("b")
			p.Tags = []string{"x"}
			return tx.Set(p)
		}, []string{"b"}},
		{"back again", func(tx *prompts.Tx) error { return tx.Add(says("a", "a2")) }, []string{"a", "b"}},
		{"all", func(tx *prompts.Tx) error { tx.Remove("a"); tx.Remove("b"); return nil }, []string{}},
	} {
		require.NoError(t, r.Update(step.do), step.name)
		client.changed()
		assert.Equal(t, step.want, client.names(), step.name)
		assert.Empty(t, client.pending(), step.name)
	}
	assert.Empty(t, s.ListPrompts(), "what has left the registry")
}

func TestNames(t *testing.T) {
	t.Parallel()
	t.Run("taken at first", func(t *testing.T) {
		s := server.NewMCPServer("s", "1")
		own(s, "a", "own")
		own(s, "b", "own")
		var r prompts.Registry
		r.MustAdd(says("a", "ours"), says("b", "ours"), says("c", "ours"))
		_, err := mcpgo.Mount(s, &r, mcpgo.Options{})
		require.ErrorIs(t, err, prompts.ErrExists)
		assert.ErrorContains(t, err, `"a"`)
		assert.ErrorContains(t, err, `"b"`)
		assert.Len(t, s.ListPrompts(), 2)
	})
	t.Run("taken later", func(t *testing.T) {
		s := server.NewMCPServer("s", "1")
		var r prompts.Registry
		r.MustAdd(says("a", "ours"))
		unmount := mount(t, s, &r, prompts.Options{})
		client := dial(t, s, "2025-11-25")
		own(s, "a", "own") // over ours
		own(s, "b", "own") // before ours
		require.NoError(t, r.Add(says("b", "ours"), says("c", "ours")))
		client.changed()
		require.Eventually(t, func() bool { return len(s.ListPrompts()) == 3 }, timeout, time.Millisecond)
		assert.Equal(t, []string{"a", "b", "c"}, client.names())
		assert.Equal(t, "own", client.text("a", `{}`))
		assert.Equal(t, "own", client.text("b", `{}`))
		assert.Equal(t, "ours", client.text("c", `{}`))
		unmount()
		assert.Equal(t, []string{"a", "b"}, client.names())
	})
	t.Run("two registries", func(t *testing.T) {
		s := server.NewMCPServer("s", "1")
		var one, two, three prompts.Registry
		one.MustAdd(says("a", "one"))
		two.MustAdd(says("b", "two"))
		three.MustAdd(says("a", "three"))
		end := mount(t, s, &one, prompts.Options{})
		mount(t, s, &two, prompts.Options{})
		_, err := mcpgo.Mount(s, &three, mcpgo.Options{})
		require.ErrorIs(t, err, prompts.ErrExists)
		client := dial(t, s, "2025-11-25")
		assert.Equal(t, []string{"a", "b"}, client.names())
		end()
		assert.Equal(t, []string{"b"}, client.names())
		mount(t, s, &three, prompts.Options{})
		assert.Equal(t, "three", client.text("a", `{}`))
		assert.Equal(t, "two", client.text("b", `{}`))
	})
	t.Run("odd", func(t *testing.T) {
		s := server.NewMCPServer("s", "1", server.WithPaginationLimit(1))
		var r prompts.Registry
		long := make([]byte, 20000)
		for i := range long {
			long[i] = 'n'
		}
		names := []string{string(long), "é\"\\\n☃", " "}
		for _, name := range names {
			if err := r.Add(says(name, "here")); err != nil {
				t.Logf("%.20q: %v", name, err)
			}
		}
		mount(t, s, &r, prompts.Options{})
		client := dial(t, s, stateless)
		assert.Len(t, client.names(), r.Len())
		for p := range r.All() {
			assert.Equal(t, "here", client.text(p.Name, `{}`))
		}
	})
}

// A function with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	notmade.Nil(t, "mcpgo: ErrorHandler: handler is nil", mcpgo.ErrorHandler)
	stdio := server.NewStdioServer(server.NewMCPServer("s", "1"))
	for want, arguments := range map[string][]any{
		"server": {t.Context()}, "input": {t.Context(), stdio}, "output": {t.Context(), stdio, strings.NewReader("")},
	} {
		notmade.Nil(t, "mcpgo: ListenStdio: "+want+" is nil", mcpgo.ListenStdio, arguments...)
	}
}

func TestMountFails(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	_, err := mcpgo.Mount(nil, &prompts.Registry{}, mcpgo.Options{})
	require.ErrorContains(t, err, "server is nil")
	_, err = mcpgo.Mount(s, nil, mcpgo.Options{})
	require.ErrorContains(t, err, "registry is nil")
	_, err = mcpgo.Mount(s, &prompts.Registry{}, mcpgo.Options{Server: prompts.Options{ClientCache: feature.ClientCache{TTL: time.Second}, PageSize: 2, Info: prompts.Implementation{Name: "x"}}})
	require.EqualError(t, err, "mcpgo: options have no effect on a mount: ClientCache, Info, PageSize; remove them, and configure the server of the SDK")
	tools, err := prompttools.New(new(prompts.Registry), prompttools.Options{})
	require.NoError(t, err)
	_, err = mcpgo.Mount(s, &prompts.Registry{}, mcpgo.Options{Server: prompts.Options{Features: []feature.Feature{tools}}})
	require.EqualError(t, err, "mcpgo: prompts: options: Features[0] serves the prompts of another registry; make the feature with the registry of the server")
	_, err = mcpgo.Import(t.Context(), nil)
	require.ErrorContains(t, err, "server is nil")
}

// Of mounts with the same name at once, one has it.
func TestMountsAtOnce(t *testing.T) {
	t.Parallel()
	for range 50 {
		s := server.NewMCPServer("s", "1")
		begin, failed := make(chan struct{}), make(chan error, 8)
		for range cap(failed) {
			var r prompts.Registry
			r.MustAdd(says("a", "a"))
			go func() {
				<-begin
				unmount, err := mcpgo.Mount(s, &r, mcpgo.Options{})
				if err == nil {
					t.Cleanup(unmount)
				}
				failed <- err
			}()
		}
		close(begin)
		mounted := 0
		for range cap(failed) {
			if err := <-failed; err == nil {
				mounted++
			} else {
				require.ErrorIs(t, err, prompts.ErrExists)
			}
		}
		require.Equal(t, 1, mounted)
	}
}

// Prompts that come and go under ever new names do not pile up in the server.
func TestGoneAreBounded(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1")
	var r prompts.Registry
	r.MustAdd(says("0", "x"))
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, "2025-06-18")
	const each = 100
	for i := range 4 {
		require.NoError(t, r.Update(func(tx *prompts.Tx) error {
			for j := range each {
				tx.Remove(fmt.Sprint(i*each + j))
				if err := tx.Add(says(fmt.Sprint((i+1)*each+j), "x")); err != nil {
					return err
				}
			}
			return nil
		}))
		client.changed()
		require.Eventually(t, func() bool { return s.ListPrompts()[fmt.Sprint((i+1)*each)] != nil }, timeout, time.Millisecond)
		assert.Len(t, client.names(), each)
	}
	assert.Less(t, len(s.ListPrompts()), 4*each, "with those that clients do not see")
	assert.LessOrEqual(t, len(client.pending()), 1, "a second notification, once")
}

// A name that is taken is logged once.
func TestTakenIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	s := server.NewMCPServer("s", "1")
	own(s, "a", "own")
	var r prompts.Registry
	mount(t, s, &r, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	client := dial(t, s, "2025-06-18")
	for i := range 3 {
		require.NoError(t, r.Set(says("a", "ours"), says("b", fmt.Sprint(i))))
		client.changed()
	}
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "prompt not mounted") }, timeout, time.Millisecond)
	assert.Equal(t, 1, strings.Count(log.String(), "prompt not mounted"))
}

// A prompt that the server gets after the mount, with the name of one of the mount, is logged once,
// by the first list or get.
func TestReplacedPrompt(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]func(w *wire){
		"list": func(w *wire) { assert.Equal(t, []string{"a", "b"}, w.names()) },
		"get":  func(w *wire) { assert.Equal(t, "own", w.text("a", `{}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server.NewMCPServer("s", "1")
			var r prompts.Registry
			r.MustAdd(says("a", "ours"), says("b", "ours"))
			var log lockedBuffer
			mount(t, s, &r, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			w := dial(t, s, "2025-06-18")
			assert.Equal(t, []string{"a", "b"}, w.names())
			assert.Equal(t, "ours", w.text("a", `{}`))
			own(s, "a", "own")
			own(s, "c", "own")
			s.DeletePrompts("c")
			assert.Empty(t, log.String())
			for range 2 {
				request(w)
				assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
			}
			assert.Contains(t, log.String(), `msg="prompt not mounted" prompt=a error="mcpgo: prompt \"a\" exists on the server, too: the list has the server's entry, and the server's prompt answers; rename one of the two"`)
			require.NoError(t, r.Set(says("b", "changed")))
			require.Eventually(t, func() bool { return w.text("b", `{}`) == "changed" }, timeout, time.Millisecond)
			assert.Equal(t, 1, strings.Count(log.String(), "\n"), "the change of the registry logs nothing again: %s", log.String())
		})
	}
}

type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// A server that a registry was mounted on can be collected.
func TestServerIsCollected(t *testing.T) {
	collected := make(chan struct{})
	func() {
		s := server.NewMCPServer("s", "1")
		// A provider may know its server.
		unmount, err := mcpgo.Mount(s, &prompts.Registry{}, mcpgo.Options{Completions: knowing{server: s}})
		require.NoError(t, err)
		unmount()
		runtime.AddCleanup(s, func(c chan struct{}) { close(c) }, collected)
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-collected:
			return true
		default:
			return false
		}
	}, timeout, time.Millisecond)
}

type knowing struct {
	fixed
	server *server.MCPServer
}

// Everything at once, for the race detector: lists are walked, prompts come and
// go, registries are mounted and unmounted.
func TestStorm(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithPaginationLimit(3))
	own(s, "own", "own")
	var always prompts.Registry
	for i := range 10 {
		always.MustAdd(says(fmt.Sprintf("always-%d", i), "here"))
	}
	mount(t, s, &always, prompts.Options{Visible: func(context.Context, prompts.Prompt) (bool, error) { return true, nil }})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var churn, clients sync.WaitGroup
	for range 2 {
		churn.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				var r prompts.Registry
				r.MustAdd(says("extra", "x"))
				unmount, err := mcpgo.Mount(s, &r, mcpgo.Options{})
				if err == nil {
					_ = r.Set(says("extra", fmt.Sprint(i)))
					unmount()
				} else {
					assert.ErrorIs(t, err, prompts.ErrExists)
				}
			}
		})
	}
	churn.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprintf("b-%d", i%20)
			if !always.Remove(name) {
				_ = always.Add(says(name, "there"))
			}
		}
	})
	for _, version := range []string{"2024-11-05", "2025-11-25", stateless} {
		client := dial(t, s, version)
		clients.Go(func() {
			for range 100 {
				seen := map[string]int{}
				for _, name := range client.names() {
					seen[name]++
				}
				for i := range 10 {
					assert.Equal(t, 1, seen[fmt.Sprintf("always-%d", i)])
				}
				assert.Equal(t, 1, seen["own"])
				assert.Equal(t, "here", client.text("always-3", `{}`))
			}
		})
	}
	clients.Wait()
	stop()
	churn.Wait()
}
