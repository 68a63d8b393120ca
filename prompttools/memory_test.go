package prompttools_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// A call that waits keeps no more of its message than MaxMemoryBytes counts: the text of
// the arguments, and not their parsed form. The test measures the heap, so it is not
// parallel.
func TestCallsKeepTheirArgumentsOnly(t *testing.T) {
	const calls, size = 8, 1 << 20
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
				test.most += calls * len(test.pad) // in Request.Meta
			}
			t.Run(name+" "+test.name, func(t *testing.T) {
				waits, end := make(chan struct{}), make(chan struct{})
				srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Middleware: middleware, Visible: func(context.Context, prompts.Prompt) bool {
					waits <- struct{}{}
					<-end
					return true
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
							transport.Exchange{Send: func([]byte, prompts.Code, bool) error { return nil }})
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
