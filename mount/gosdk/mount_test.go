package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttools"
)

// A server keeps what it had beside a registry, and has just that again when
// the registry is unmounted.
func TestMount(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(&mcp.ServerOptions{PageSize: 1})
		mcp.AddTool(s, &mcp.Tool{Name: "tool"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "from a tool"}}}, nil, nil
		})
		s.AddResource(&mcp.Resource{URI: "test://it", Name: "it"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://it", Text: "from a resource"}}}, nil
		})
		r := registry(says("a"), says("z"))
		unmount := mount(t, s, r, prompts.Options{})
		c := dial(t, s, revision)
		c.listen()

		assert.Equal(t, []string{"a", "z", "own_a", "own_b"}, c.names())
		assert.Equal(t, "ours: z", c.text("z"))
		assert.Equal(t, "own: own_a", c.text("own_a"))
		assert.Contains(t, string(c.must("tools/call", `{"name":"tool","arguments":{}}`)), "from a tool")
		assert.Contains(t, string(c.must("resources/read", `{"uri":"test://it"}`)), "from a resource")

		r.MustAdd(says("m"))
		c.changed()
		assert.Equal(t, []string{"a", "m", "z", "own_a", "own_b"}, c.names())
		s.AddPrompt(&mcp.Prompt{Name: "own_c"}, ownPrompt("late"))
		c.changed()
		assert.Equal(t, "late", c.text("own_c"))
		s.RemovePrompts("own_c")
		c.changed()

		unmount()
		unmount()
		c.changed()
		assert.Equal(t, []string{"own_a", "own_b"}, c.names())
		assert.EqualValues(t, -32602, c.refused("prompts/get", `{"name":"a"}`).Code)
		assert.Equal(t, "own: own_a", c.text("own_a"))

		mount(t, s, r, prompts.Options{})
		c.changed()
		assert.Equal(t, "ours: m", c.text("m"))
	})
}

// The registry's pages have 1 MiB of entries, as without the mount.
func TestLargeLists(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	for i := range 4 {
		p := says(fmt.Sprint("p", i))
		p.Description = strings.Repeat("x", 400_000)
		r.MustAdd(p)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	mount(t, s, &r, prompts.Options{})
	c := dial(t, s, newest)
	assert.Len(t, c.page("").Prompts, 2)
	assert.Equal(t, []string{"p0", "p1", "p2", "p3"}, c.names())
}

// A function with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	notmade.Nil(t, "gosdk: Handler: handler is nil", gosdk.Handler)
	notmade.Nil(t, "gosdk: Transport: transport is nil", gosdk.Transport)
}

func TestMountRefuses(t *testing.T) {
	t.Parallel()
	r := registry(says("ours"))
	for what, try := range map[string]func() (func(), error){
		"server is nil":   func() (func(), error) { return gosdk.Mount(nil, r, gosdk.Options{}) },
		"registry is nil": func() (func(), error) { return gosdk.Mount(newServer(nil), nil, gosdk.Options{}) },
		"PageSize must not be negative": func() (func(), error) {
			return gosdk.Mount(newServer(nil), r, gosdk.Options{Server: prompts.Options{PageSize: -1}})
		},
		"options have no effect on a mount: Limits.MaxConcurrent, method tools/x; remove them, and configure the server of the SDK": func() (func(), error) {
			return gosdk.Mount(newServer(nil), r, gosdk.Options{Server: prompts.Options{
				Features: []feature.Feature{{Methods: map[string]feature.Method{"tools/x": {Func: func(context.Context, json.RawMessage) (any, error) { return nil, nil }}}}},
				Limits:   prompts.Limits{MaxConcurrent: 1},
			}})
		},
		"gosdk: prompts: options: Features[0] serves the prompts of another registry; make the feature with the registry of the server": func() (func(), error) {
			tools, err := prompttools.New(new(prompts.Registry), prompttools.Options{})
			require.NoError(t, err)
			return gosdk.Mount(newServer(nil), r, gosdk.Options{Server: prompts.Options{Features: []feature.Feature{tools}}})
		},
		"SkillsOptions.Skills.Resources has no effect on a mount": func() (func(), error) {
			return gosdk.MountSkills(newServer(nil), new(promptskills.Registry), gosdk.SkillsOptions{Skills: promptskills.Options{
				Resources: promptskills.Resources{OnChange: func(func()) func() { return nil }},
			}})
		},
	} {
		unmount, err := try()
		assert.ErrorContains(t, err, what)
		assert.Nil(t, unmount)
	}

	s := newServer(&mcp.ServerOptions{PageSize: 1})
	_, err := gosdk.Mount(s, registry(says("own_a"), says("own_b"), says("x")), gosdk.Options{})
	require.ErrorIs(t, err, prompts.ErrExists)
	assert.ErrorContains(t, err, `"own_a"`)
	assert.ErrorContains(t, err, `"own_b"`)
	assert.Equal(t, []string{"own_a", "own_b"}, dial(t, s, newest).names(), "nothing has been changed")

	unmount := mount(t, s, r, prompts.Options{})
	_, err = gosdk.Mount(s, registry(), gosdk.Options{})
	require.ErrorContains(t, err, "already has a mounted registry")
	assert.Equal(t, "ours: ours", dial(t, s, newest).text("ours"))
	unmount()
	mount(t, s, registry(), prompts.Options{})
}

// A server whose own prompts cannot be listed.
func TestMountOnAServerThatFails(t *testing.T) {
	t.Parallel()
	broken := map[string]mcp.MethodHandler{
		"no lists today": func(context.Context, string, mcp.Request) (mcp.Result, error) {
			return nil, errors.New("no lists today")
		},
		"panic: oh": func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("oh") },
		"returned no *mcp.ListPromptsResult": func(context.Context, string, mcp.Request) (mcp.Result, error) {
			return &struct{ mcp.ResultBase }{}, nil
		},
	}
	for what, handler := range broken {
		s := newServer(nil)
		s.AddReceivingMiddleware(func(mcp.MethodHandler) mcp.MethodHandler { return handler })
		_, err := gosdk.Mount(s, registry(), gosdk.Options{})
		assert.ErrorContains(t, err, what)
		_, err = gosdk.Import(t.Context(), s)
		assert.ErrorContains(t, err, what)
	}
}

// A name that both have, because one of them got it after the mount, is listed
// once, as the registry's, and the server answers for it as long as it can.
func TestNameOfBoth(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	r := registry(says("a"))
	mount(t, s, r, prompts.Options{Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil }})
	c := dial(t, s, newest)
	s.AddPrompt(&mcp.Prompt{Name: "a", Title: "the SDK's"}, ownPrompt("the SDK's"))
	assert.Equal(t, []string{"a", "own_a", "own_b"}, c.names())
	assert.NotContains(t, string(c.page("").Prompts[0]), "the SDK's")
	assert.Equal(t, "the SDK's", c.text("a"))
	s.RemovePrompts("a")
	assert.Equal(t, "ours: a", c.text("a"))

	r.MustAdd(says("own_b"), says("hidden"))
	assert.Equal(t, []string{"a", "own_b", "own_a"}, c.names())
	assert.Equal(t, "own: own_b", c.text("own_b"))
	r.Remove("own_b")
	assert.Equal(t, "own: own_b", c.text("own_b"))

	assert.EqualValues(t, -32602, c.refused("prompts/get", `{"name":"hidden"}`).Code)
	s.AddPrompt(&mcp.Prompt{Name: "hidden"}, ownPrompt("the SDK's"))
	assert.Equal(t, []string{"a", "hidden", "own_a", "own_b"}, c.names(), "for the client, the registry does not have it")
	assert.Equal(t, "the SDK's", c.text("hidden"))
}

// A mount on a server without any prompts is one of a server with prompts.
func TestMountOfNothing(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		r := registry()
		mount(t, s, r, prompts.Options{})
		c := dial(t, s, revision)
		c.listen()
		assert.Empty(t, c.names())
		assert.Equal(t, c.refused("prompts/get", `{"name":"io.github.mcp-prompts/mount"}`).Code, int64(-32602))
		r.MustAdd(says("first"))
		c.changed()
		assert.Equal(t, []string{"first"}, c.names())
	})
}

// Of several who mount at the same time one succeeds.
func TestConcurrentMounts(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	for range 20 {
		var won atomic.Int32
		var unmounts sync.Map
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				unmount, err := gosdk.Mount(s, registry(says(fmt.Sprint(i))), gosdk.Options{})
				if err == nil {
					won.Add(1)
					unmounts.Store(i, unmount)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, won.Load())
		unmounts.Range(func(_, unmount any) bool {
			for range 4 {
				wg.Go(unmount.(func()))
			}
			wg.Wait()
			return true
		})
	}
	assert.Equal(t, []string{"own_a", "own_b"}, dial(t, s, newest).names())
}

// A change that comes with the unmount leaves nothing behind.
func TestUnmountDuringAChange(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	c := dial(t, s, newest)
	r := registry()
	for range 300 {
		unmount, err := gosdk.Mount(s, r, gosdk.Options{})
		require.NoError(t, err)
		require.NoError(t, r.Set(says("a")))
		unmount()
		require.Empty(t, c.names())
	}
}

// A request that is being answered gets its answer from the registry that was
// mounted when it came, also when the render function itself unmounts.
func TestUnmountDuringGet(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	entered, leave := make(chan struct{}), make(chan struct{})
	var unmount func()
	r := registry(
		renders("slow", func(context.Context) (*prompts.Result, error) {
			close(entered)
			<-leave
			return prompts.Messages(prompts.User("done")), nil
		}),
		renders("suicide", func(context.Context) (*prompts.Result, error) {
			unmount()
			return prompts.Messages(prompts.User("gone")), nil
		}),
	)
	unmount = mount(t, s, r, prompts.Options{})
	c := dial(t, s, newest)
	_, reply := c.start("prompts/get", `{"name":"slow"}`)
	<-entered
	assert.Equal(t, "gone", c.text("suicide"))
	assert.EqualValues(t, -32602, c.refused("prompts/get", `{"name":"slow"}`).Code)
	close(leave)
	assert.Equal(t, "done", textOf(t, (<-reply).Result))
}

// A server that nobody has any more goes, with what this package had of it.
func TestServersAreForgotten(t *testing.T) {
	s := newServer(nil)
	unmount := mount(t, s, registry(), prompts.Options{})
	unmount()
	gone := make(chan struct{})
	runtime.AddCleanup(s, func(struct{}) { close(gone) }, struct{}{})
	s, unmount = nil, nil
	_, _ = s, unmount
	for {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-t.Context().Done():
			t.FailNow()
		default:
			runtime.Gosched()
		}
	}
}

// A list that has no end is a fault, and no endless loop.
func TestEndlessList(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "prompts/list" {
				return &mcp.ListPromptsResult{NextCursor: "again"}, nil
			}
			return next(ctx, method, req)
		}
	})
	_, err := gosdk.Mount(s, registry(), gosdk.Options{})
	require.ErrorContains(t, err, "list of the server has more than 100000 pages")
	_, err = gosdk.Import(t.Context(), s)
	require.ErrorContains(t, err, "list of the server has more than 100000 pages")
}
