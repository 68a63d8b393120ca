package prompts_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// CCH-08, PRG-02: that a prompt exists is not told by what is wrong with the
// rest of the request either.
func TestHiddenPromptIsNotToldByOtherFaults(t *testing.T) {
	t.Parallel()
	o := prompts.Options{Visible: func(_ context.Context, p prompts.Prompt) bool { return p.Name != "hidden" }}
	with, without := prompts.NewServer(registryOf(textPrompt("hidden", "x")), o), prompts.NewServer(nil, o)
	for _, rest := range []string{`"inputResponses":1`, `"inputResponses":[]`, `"requestState":1`, `"requestState":""`} {
		assertSameAnswer(t, with, without, envelopedLine("1", "prompts/get", `"name":"hidden",`+rest))
	}
}

// Nor by the server being busy.
func TestHiddenPromptIsNotToldByABusyServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		o := prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Visible: func(_ context.Context, p prompts.Prompt) bool { return p.Name != "hidden" }}
		s := prompts.NewServer(registryOf(textPrompt("hidden", "x"), w.prompt("wait")), o)
		session := newSession(t, s)
		for _, id := range []string{"1", "2"} {
			go func() { _, _ = handle(t, s, session, getLine(id, "wait")) }()
		}
		synctest.Wait()
		hidden, err := handle(t, s, session, getLine("3", "hidden"))
		require.NoError(t, err)
		unknown, err := handle(t, s, session, getLine("3", "unseen"))
		require.NoError(t, err)
		w.let <- struct{}{}
		w.let <- struct{}{}
		assert.Equal(t, strings.ReplaceAll(unknown, "unseen", "hidden"), hidden)
	})
}
