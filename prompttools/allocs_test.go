//go:build !race

package prompttools_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// What a call of a prompt's tool allocates. A get of the prompt allocates 9, behind a middleware 14.
// In both, 4 are the author's. The race detector allocates, and drops what is pooled.
func TestCallAllocations(t *testing.T) {
	type review struct {
		Code     string `json:"code"`
		Language string `json:"language" enum:"c,go,java,python,rust"`
		Problems int    `json:"problems" minimum:"1" maximum:"100"`
	}
	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "review"}, func(_ context.Context, in review) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please review this code:\n" + in.Code)), nil
	}))
	tools, err := prompttools.New(&reg, prompttools.Options{Select: all})
	require.NoError(t, err)
	msg := []byte(`{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"review",` +
		`"arguments":{"code":"func add(a, b int) int { return a + b }","language":"go","problems":10},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	x := transport.Exchange{Send: func(msg []byte, _ transport.Code, _ bool) error {
		if !bytes.Contains(msg, []byte("Please review")) {
			t.Errorf("got %s", msg)
		}
		return nil
	}}
	passOn := func(next prompts.Handler) prompts.Handler { return next }
	for _, test := range []struct {
		name       string
		middleware func(prompts.Handler) prompts.Handler
		most       float64
	}{{"alone", nil, 13}, {"behind a middleware", passOn, 18}} {
		srv := prompts.MustNewServer(&reg, prompts.Options{
			Features: []feature.Feature{tools}, Middleware: test.middleware, Timeouts: prompts.Timeouts{Render: -1}, // a time limit is 2 more
		})
		ctx := t.Context()
		allocs := testing.AllocsPerRun(200, func() {
			if err := srv.Handle(ctx, msg, x); err != nil {
				t.Error(err)
			}
		})
		assert.LessOrEqual(t, allocs, test.most, test.name)
	}
}
