package rpc_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// While the client thinks, others have the turn: of its session, and of the
// server. An answer that comes when all turns are taken waits for one, however
// full the server is.
func TestTurnWhileTheClientThinks(t *testing.T) {
	for name, o := range map[string]prompts.Options{
		"of the session": {Limits: prompts.Limits{MaxConcurrent: 1}},
		"of the server":  {Limits: prompts.Limits{MaxConcurrentTotal: 1}},
		"of both":        {Limits: prompts.Limits{MaxConcurrent: 1, MaxConcurrentTotal: 1}},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			w := servertest.NewWaiter()
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint"), servertest.TextPrompt("text", "hi"), w.Prompt("wait")), o)
			c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
			c.Send(servertest.GetLine("1", "paint"))
			q := c.Question()
			assert.Equal(t, []string{servertest.TextLine("2", "hi")}, c.Ask(servertest.GetLine("2", "text")))

			// One runs; as many wait as may.
			assert.Empty(t, c.Ask(servertest.GetLine("3", "wait")))
			if o.Limits.MaxConcurrent == 0 {
				assert.Empty(t, c.Ask(servertest.GetLine("4", "wait")))
			}
			assert.EqualValues(t, 1, w.Running.Load())
			assert.Empty(t, c.Ask(q.Reply(servertest.Red)), "it is not its turn")
			w.Let <- struct{}{}
			synctest.Wait()
			if o.Limits.MaxConcurrent == 0 {
				w.Let <- struct{}{}
			}
			assert.Contains(t, c.Received(), servertest.TextLine("1", "red"))
			assert.NoError(t, c.End())
			assert.Zero(t, servertest.Tasks(s)+servertest.Slots(s))
		})
	}
}
