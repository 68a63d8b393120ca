package rpc

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/observe"
)

// unobserved is an Observer that does nothing.
type unobserved struct{}

func (unobserved) Begin(ctx context.Context, _ observe.Operation) context.Context { return ctx }
func (unobserved) End(context.Context, observe.Operation, observe.Outcome)        {}
func (unobserved) Inject(context.Context) map[string]string                       { return nil }

// A handler may name its tool while the time limit ends the request. The race detector
// decides.
func TestToolIsNamedAtTheEnd(t *testing.T) {
	t.Parallel()
	h := call.RunnerFunc(func(ctx context.Context, _ []byte) ([]byte, error) {
		for ctx.Err() == nil {
			FromContext(ctx).SetTool("a")
		}
		for range 1000 {
			FromContext(ctx).SetTool("b")
		}
		return nil, ctx.Err()
	})
	s := serverOf(t, byWork(h), Config{Observer: unobserved{}, Timeouts: Timeouts{Request: time.Millisecond}})
	for range 10 {
		_, err := s.Call(t.Context(), "m", nil, CallOptions{Version: "2025-11-25"})
		assert.ErrorContains(t, err, "timed out")
	}
}
