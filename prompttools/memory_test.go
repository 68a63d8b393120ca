package prompttools_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// A call that waits keeps no more of its message than MaxMemoryBytes counts: the text of
// the arguments, and not their parsed form. The test measures the heap, so it is not
// parallel.
func TestCallsKeepTheirArgumentsOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	const calls, size = 8, 1 << 18
	for name, middleware := range map[string]func(prompts.Handler) prompts.Handler{
		"direct": nil, "middleware": func(next prompts.Handler) prompts.Handler { return next },
	} {
		for _, test := range []struct {
			name, arguments, pad string
			most                 int
		}{
			{"arguments", `{"tags":[1` + strings.Repeat(",1", size/2-100) + `]}`, "", 2 * calls * size},
			{"metadata", `{"language":"go"}`, strings.Repeat("x", size), calls * size / 2},
		} {
			if middleware != nil {
				test.most += calls * (len(test.pad) + len(test.arguments)) // in Request.Meta and Arguments
			}
			t.Run(name+" "+test.name, func(t *testing.T) {
				waits, end := make(chan struct{}), make(chan struct{})
				srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Middleware: middleware, Visible: func(context.Context, prompts.Prompt) (bool, error) {
					waits <- struct{}{}
					<-end
					return true, nil
				}}, reviewPrompt())
				heap := func() int {
					runtime.GC()
					runtime.GC() // empties the pools
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					return int(m.HeapAlloc)
				}
				before := heap()
				var all sync.WaitGroup
				for i := range calls {
					all.Go(func() {
						_ = srv.Handle(context.Background(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"review","arguments":%s,`+
							`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"pad":"%s"}}}`, i, test.arguments, test.pad),
							transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }})
					})
					<-waits
				}
				assert.Less(t, heap()-before, test.most)
				close(end)
				all.Wait()
			})
		}
	}
}

// A value of a large call keeps none of the other values in memory, whoever has it.
func TestValuesOfLargeCallsAreCopies(t *testing.T) {
	t.Parallel()
	arguments := `{"first":"` + strings.Repeat("x", 20<<10) + `","second":"go"}`
	isShared := func(values map[string]string) bool {
		require.Equal(t, "go", values["second"])
		begin := func(name string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(values[name]))) }
		return int(begin("second")-begin("first")) == strings.Index(arguments, "go")-strings.Index(arguments, "x")
	}
	// The arguments are not in the params, as they are in tools/call.
	other := feature.Feature{Methods: map[string]feature.Method{"x/render": {Func: call.Func(func(c call.Call, _ []byte) ([]byte, call.Work, error) {
		w, err := promptfeature.Render(c, promptfeature.Rendering{Prompt: "p", Arguments: []byte(arguments),
			Append: func(_ context.Context, dst []byte, _ *prompts.Result, _ *prompts.Error) ([]byte, error) {
				return append(dst, "{}"...), nil
			}})
		return nil, w, err
	})}}}
	for name, has := range map[string]bool{"direct": false, "middleware": true} {
		for method, params := range map[string]string{"tools/call": `"name":"p","arguments":` + arguments, "x/render": ""} {
			var rendered, seen map[string]string
			o := prompts.Options{Features: []feature.Feature{other}}
			if has {
				o.Middleware = func(next prompts.Handler) prompts.Handler {
					return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
						seen = r.Arguments
						return next(ctx, r)
					}
				}
			}
			srv, _ := serve(t, prompttools.Options{Select: all}, o, prompts.Prompt{
				Name: "p", Arguments: []prompts.Argument{{Name: "first"}, {Name: "second"}},
				Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
					rendered = args
					return prompts.Messages(prompts.User("x")), nil
				},
			})
			connect(t, srv, "2026-07-28").request(method, params)
			assert.False(t, isShared(rendered), "%s %s, render function", name, method)
			if has {
				assert.False(t, isShared(seen), "%s, middleware", method)
			}
		}
	}
}
