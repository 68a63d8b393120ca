package prompts_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// CMP-05, CMP-06: there are more values if the total says so, however many are
// sent.
func TestMiddlewareKnowsOfMoreValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values, total int
		sent, says    int
		more          bool
	}{
		{0, 0, 0, 0, false}, {0, 1, 0, 1, true}, {1, 0, 1, 1, false}, {2, 2, 2, 2, false}, {2, 3, 2, 3, true},
		{99, 100, 99, 100, true}, {100, 100, 100, 100, false}, {100, 101, 100, 101, true}, {101, 0, 100, 101, true}, {101, 7, 100, 101, true},
	} {
		values := slices.Repeat([]string{"v"}, test.values)
		s := prompts.NewServer(nil, prompts.Options{Middleware: instead(&prompts.Response{Values: values, Total: test.total}, nil)})
		got, err := handle(t, s, newSession(t, s), completeLine("1", "p", "a", ""))
		require.NoError(t, err)
		want := strings.Join(slices.Repeat([]string{`"v"`}, test.sent), ",")
		assert.Equal(t, completionLine("1", want, test.says, test.more), got, "%d of %d", test.values, test.total)
	}
}

// A middleware passes on the list that next returned for this version, or an
// error: it has none of its own.
func TestMiddlewareHasNoListOfItsOwn(t *testing.T) {
	t.Parallel()
	var j journal
	var kept *prompts.Response
	s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		if r.Cursor == "" {
			kept, _ = next(ctx, r)
		}
		return kept, nil
	})})
	session := newSession(t, s)
	first, err := handle(t, s, session, plainList)
	require.NoError(t, err)
	again, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"of its own"}}`)
	require.NoError(t, err)
	assert.Equal(t, first, again, "it may return one that next has returned before")
	other, err := handle(t, s, nil, envelopedLine("1", "prompts/list", `"cursor":"of its own"`))
	require.NoError(t, err)
	assert.Equal(t, errorLine("1", prompts.CodeInternalError, listFailed), other, "but not for another version")
	assert.Contains(t, j.String(), "is not one that next returned for this protocol version")
}
