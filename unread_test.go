package prompts_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// Completion of the last element of a list repeats what is before it, but not
// at any length, and not for more values than are sent.
func TestListCompletionIsBounded(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 250 {
		names = append(names, fmt.Sprintf("v%03d", i))
	}
	p := prompts.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "tags", Schema: &jsonschema.Schema{Items: prompts.Enum(names...)}}}},
		func(context.Context, struct {
			Tags []string `json:"tags"`
		}) (*prompts.Result, error) {
			return prompts.Messages(), nil
		})
	s := prompts.NewServer(registryOf(p), prompts.Options{Limits: prompts.Limits{MaxArgumentBytes: 4 << 20}})
	complete := func(prefix string) string {
		got, err := s.Call(t.Context(), "completion/complete", []byte(`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"tags","value":"`+prefix+`"}}`), prompts.CallOptions{})
		require.NoError(t, err)
		return string(got)
	}
	assert.Equal(t, `{"completion":{"values":["a, v007"],"total":1,"hasMore":false}}`, complete("a, v007"))
	assert.Equal(t, `{"completion":{"values":["v003"],"total":1,"hasMore":false}}`, complete("V003"))
	assert.Equal(t, `{"completion":{"values":[],"total":0,"hasMore":false}}`, complete(`[\"v00`), "no list of JSON")
	many := complete("x,")
	assert.Contains(t, many, `"total":250,"hasMore":true`)
	assert.Equal(t, 100, strings.Count(many, `"x,v`))
	assert.Equal(t, `{"completion":{"values":[],"total":0,"hasMore":false}}`, complete(strings.Repeat("x", 1<<20)+","))
}

// A request that has ended the goroutine of a report is answered all the same.
func TestProgressEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("p", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "")
			time.Sleep(time.Second)
			prompts.Progress(ctx, 2, 2, "")
			time.Sleep(time.Second)
			return prompts.Messages(prompts.User("hi")), nil
		})), prompts.Options{})
		var got []string
		err := newSession(t, s).Handle(t.Context(), []byte(withToken(getLine("1", "p"), "1")), transport.Exchange{Send: func(msg []byte, _ prompts.Code, last bool) error {
			got = append(got, string(msg))
			if len(got) == 1 {
				runtime.Goexit()
			}
			return nil
		}})
		require.NoError(t, err)
		require.Len(t, got, 3)
		assert.Equal(t, textLine("1", "hi"), got[2])
	})
}
