package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// PRG-13, SEC-01, CMP-11, CCH-08: a client that may not know of a prompt
// cannot find out that there is one, whatever it asks about it and however
// oddly: the answer is that for a prompt that there is not, but for the name.
func TestHiddenPromptIsAnsweredAsAnUnknownOne(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 300) // names are clipped in errors, in the middle of a letter too
	names := [][2]string{{"hidden", "no-one"}, {"x" + long, "y" + long}, {"xx" + long, "yy" + long}}
	var all []prompts.Prompt
	for _, n := range names {
		p := travel(func(context.Context) error { t.Error("it was rendered"); return nil })
		p.Name = n[0]
		p.Arguments = append(p.Arguments, prompts.Argument{Name: "from", Complete: func(context.Context, string, map[string]string) ([]string, error) {
			t.Error("it was completed")
			return nil, nil
		}})
		all = append(all, p)
	}
	s := prompts.NewServer(registryOf(all...), prompts.Options{ElicitArguments: true, StrictArguments: true, Visible: func(context.Context, prompts.Prompt) bool { return false }})
	seen := prompts.NewServer(registryOf(all...), prompts.Options{ElicitArguments: true})
	r := newRounds(t, seen, "hidden")
	r.get("").wants(t, argumentsKey)

	const complete = `"completion/complete","params":{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":`
	var lines []string
	for _, more := range []string{
		``, `,"arguments":{}`, `,"arguments":null`, `,"arguments":[]`, `,"arguments":{"from":1,"via":"x"}`,
		`,"inputResponses":{}`, `,"inputResponses":{"` + argumentsKey + `":` + accepting(`{"from":"Ulm","to":"Rome"}`) + `}`,
		`,"inputResponses":[]`, `,"inputResponses":null`, `,"inputResponses":{"x":"` + strings.Repeat("x", maxResponses) + `"}`,
		`,"requestState":""`, `,"requestState":1`, `,"requestState":null`, `,"requestState":"AQ"`, `,"requestState":"` + r.state + `"`,
		`,"requestState":"` + strings.Repeat("A", maxRequestState+4) + `"`, `,"RequestState":"AQ"`,
	} {
		lines = append(lines, `"prompts/get","params":{"name":%q`+more)
	}
	for _, argument := range []string{`"from"`, `"to"`, `"days"`, `"via"`, `""`, `1`} {
		lines = append(lines, complete+argument+`,"value":""}`)
	}
	envelope := `,"_meta":{"` + envelopeKey + `":"2026-07-28","` + capabilitiesKey + `":` + allCapabilities + `}`
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05"} {
		var session transport.Session
		meta := envelope
		if version != "2026-07-28" {
			session, meta = newSessionAs(t, s, version, allCapabilities), ""
		}
		for _, line := range lines {
			for _, n := range names {
				var got [2]string
				for i, name := range n {
					msg := `{"jsonrpc":"2.0","id":1,"method":` + fmt.Sprintf(line, name) + meta + `}}`
					answer, err := handle(t, s, session, msg)
					require.NoError(t, err)
					require.NotNil(t, readOutcome(t, answer).Error, msg)
					got[i] = answer
				}
				assert.Equal(t, got[1], strings.NewReplacer("hidden", "no-one", "xxä", "yyä", "xä", "yä").Replace(got[0]), "%s %.100s", version, line)
			}
		}
	}
}

// PRG-13, SEC-01: a state lets nobody in. Who may not know of the prompt any
// more when the answer comes gets what anybody else would.
func TestPromptIsHiddenBetweenTheRounds(t *testing.T) {
	t.Parallel()
	var isHidden atomic.Bool
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Visible: func(context.Context, prompts.Prompt) bool { return !isHidden.Load() }})
	r := newRounds(t, s, "paint")
	r.get("").wants(t, "colour")
	isHidden.Store(true)
	r.get(`{"colour":`+red+`}`).fails(t, prompts.CodeInvalidParams, `there is no prompt "paint"`)
	isHidden.Store(false)
	assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t))
}

// PRG-13, SEC-01: nor does a server that is busy tell them apart: for both
// there is a turn to wait for, or no room.
func TestHiddenPromptOfABusyServer(t *testing.T) {
	for _, name := range []string{"hidden", "no-one"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWaiter()
				s := prompts.NewServer(registryOf(w.prompt("wait"), asking("hidden")), prompts.Options{
					Limits: prompts.Limits{MaxConcurrent: 1}, Visible: func(_ context.Context, p prompts.Prompt) bool { return p.Name != "hidden" },
				})
				get := getLine("2", name)
				complete := `{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"` + name + `"},"argument":{"name":"x","value":""}}}`
				c := connect(t, s).handshake()
				assert.Empty(t, c.ask(getLine("1", "wait")))
				assert.Empty(t, c.ask(get), "it waits for its turn")
				c.send(complete)
				time.Sleep(50 * time.Millisecond)
				assert.Equal(t, []string{errorLine("3", prompts.CodeInternalError, busy().Message)}, c.received())
				w.let <- struct{}{}
				synctest.Wait()
				got := c.received()
				require.Len(t, got, 2)
				readOutcome(t, got[1]).fails(t, prompts.CodeInvalidParams, `there is no prompt "`+name+`"`)
				got = c.ask(complete)
				require.Len(t, got, 1)
				readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, `there is no prompt "`+name+`"`)
				assert.NoError(t, c.end())
			})
		})
	}
}
