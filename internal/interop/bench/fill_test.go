package bench_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/interop/bench"
	"github.com/mcp-prompts/prompts/transport"
)

// filler declares prompts and fills servers with them.
type filler struct {
	name    string
	declare func([]entry) any
	each    func(tb testing.TB, declared any) any // one by one
	batch   func(tb testing.TB, declared any) any // all at once, or nil if there is no way
	list    func(tb testing.TB, filled any) server
}

var fillers = []filler{
	{
		name: "prompts",
		declare: func(all []entry) any {
			return declareAll(all, func(e entry) prompts.Prompt { return declareOurs(e, false) })
		},
		each: func(tb testing.TB, declared any) any {
			reg := new(prompts.Registry)
			for _, p := range declared.([]prompts.Prompt) {
				if err := reg.Add(p); err != nil {
					require.NoError(tb, err)
				}
			}
			return reg
		},
		batch: func(tb testing.TB, declared any) any {
			reg := new(prompts.Registry)
			require.NoError(tb, reg.Add(declared.([]prompts.Prompt)...))
			return reg
		},
		list: func(tb testing.TB, filled any) server {
			s := prompts.MustNewServer(filled.(*prompts.Registry), prompts.Options{PageSize: pageSize})
			session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
			tb.Cleanup(session.Close)
			return handle(session)
		},
	},
	{
		name: "go-sdk",
		declare: func(all []entry) any {
			return declareAll(all, func(e entry) *mcp.Prompt { return declareGoSDK(e, false) })
		},
		each: func(_ testing.TB, declared any) any {
			s := newGoSDK(setup{page: pageSize})
			handler := renderGoSDK(false)
			for _, p := range declared.([]*mcp.Prompt) {
				s.AddPrompt(p, handler)
			}
			return s
		},
		list: func(tb testing.TB, filled any) server {
			p := newPipe()
			connectGoSDK(tb, filled.(*mcp.Server), p)
			initialize(tb, p.ask)
			return p.ask
		},
	},
	{
		name: "mcp-go",
		declare: func(all []entry) any {
			return declareAll(all, func(e entry) mcpgo.ServerPrompt { return declareMCPGo(e, false) })
		},
		each: func(_ testing.TB, declared any) any {
			s := newMCPGo(setup{page: pageSize})
			for _, p := range declared.([]mcpgo.ServerPrompt) {
				s.AddPrompts(p)
			}
			return s
		},
		batch: func(_ testing.TB, declared any) any {
			s := newMCPGo(setup{page: pageSize})
			s.AddPrompts(declared.([]mcpgo.ServerPrompt)...)
			return s
		},
		list: func(_ testing.TB, filled any) server { return handleMCPGo(filled.(*mcpgo.MCPServer)) },
	},
}

func declareAll[P any](all []entry, declare func(entry) P) []P {
	declared := make([]P, len(all))
	for i, e := range all {
		declared[i] = declare(e)
	}
	return declared
}

// BenchmarkFill declares prompts and adds them to a new server, one by one or
// all at once; their names and descriptions are there already. What a full
// server holds is measured once for each size, the declarations and their
// texts included: B/prompt in all, B-declared/prompt for the declarations
// alone, and B-listed/prompt for an entry of its encoded list.
func BenchmarkFill(b *testing.B) {
	for _, f := range fillers {
		b.Run(f.name, func(b *testing.B) {
			each, batch := new(pastLimit), new(pastLimit)
			for _, n := range growing() {
				b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
					measureWeight(b, f, n)
					measureFill(b, "each", n, each, f.declare, f.each)
					if f.batch != nil {
						measureFill(b, "batch", n, batch, f.declare, f.batch)
					}
				})
			}
		})
	}
}

// pastLimit foresees that something takes longer than the limit: it takes at
// least as many times longer as there are more prompts.
type pastLimit struct{ perPrompt time.Duration }

func (p *pastLimit) at(n int) bool { return time.Duration(n)*p.perPrompt > bench.Limit }

func measureFill(b *testing.B, name string, n int, past *pastLimit, declare func([]entry) any, fill func(testing.TB, any) any) {
	if past.at(n) {
		return
	}
	all := entries(n)
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fill(b, declare(all))
		}
		past.perPrompt = b.Elapsed() / time.Duration(b.N*n)
	})
}

func measureWeight(b *testing.B, f filler, n int) {
	w := f.weigh(b, n)
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			continue // there is nothing to time
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(w.declared, "B-declared/prompt")
		b.ReportMetric(w.held, "B/prompt")
		b.ReportMetric(w.listed, "B-listed/prompt")
	})
}

// weight is what a prompt takes, in bytes.
type weight struct{ declared, held, listed float64 }

// weigh fills a server, verifies that it lists its prompts, and returns what
// each of them takes.
func (f filler) weigh(tb testing.TB, n int) weight {
	begun := inUse()
	declared := f.declare(entries(n))
	var w weight
	w.declared = (inUse() - begun) / float64(n)
	fill := f.batch
	if fill == nil {
		fill = f.each
	}
	filled := fill(tb, declared)
	w.held = (inUse() - begun) / float64(n)

	ask(tb, f.list(tb, filled), listRequest(tb, ""), func(result json.RawMessage) {
		var got struct {
			Prompts []json.RawMessage `json:"prompts"`
		}
		require.NoError(tb, json.Unmarshal(result, &got))
		require.Len(tb, got.Prompts, min(n, pageSize))
		bytes := 0
		for i, p := range got.Prompts {
			require.Contains(tb, string(p), promptName(i))
			bytes += len(p)
		}
		w.listed = float64(bytes) / float64(len(got.Prompts))
	})
	return w
}
