package prompts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// What the server sends is checked against the schemas of the specification, if
// MCP_SCHEMA_DIR has them.
func TestWhatIsSentIsJudged(t *testing.T) {
	t.Parallel()
	if checker, err := servertest.Specification(); checker == nil {
		require.NoError(t, err)
		return
	}
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	exchange := func(t testing.TB, session transport.Session, answer string) {
		r := &servertest.Recorder{T: t}
		r.Hear(session, servertest.PingLine("1"))
		assert.NoError(t, r.Send([]byte(answer), 0, true))
	}
	for name, play := range map[string]func(t testing.TB, answer string){
		"a wire": func(t testing.TB, answer string) {
			w := servertest.NewWire(t)
			w.In <- []byte(servertest.PingLine("1"))
			_, err := w.Read(context.Background())
			assert.NoError(t, err)
			assert.NoError(t, w.Write(context.Background(), []byte(answer)))
		},
		"an exchange of a session":      func(t testing.TB, answer string) { exchange(t, servertest.NewSession(t, s), answer) },
		"an exchange without a session": func(t testing.TB, answer string) { exchange(t, nil, answer) },
		"a notification of a session": func(t testing.TB, answer string) {
			msg := map[bool]string{true: servertest.ListChangedLine, false: `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`}[answer == servertest.PongLine("1")]
			servertest.Notified(servertest.NewSession(t, s), []byte(msg))
		},
	} {
		watched := &servertest.Suspect{TB: t}
		play(watched, servertest.PongLine("1"))
		assert.Empty(t, watched.Finish(), name)
		watched = &servertest.Suspect{TB: t}
		play(watched, `{"jsonrpc":"2.0","id":1,"result":[]}`)
		faults := watched.Finish()
		require.Len(t, faults, 1, name)
		assert.Contains(t, faults[0], "what the specification does not allow", name)
	}
	watched := &servertest.Suspect{TB: t}
	_ = (&servertest.Recorder{T: watched}).Send([]byte(servertest.PongLine("1")), 0, true)
	assert.NotEmpty(t, watched.Finish(), "the recorder has not heard the request")
}
