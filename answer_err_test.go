package prompts_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// MRT-23: of several questions, each says what has become of it, in both eras
// and in each run.
func TestAnswerErr(t *testing.T) {
	t.Parallel()
	prompt := func(t *testing.T) prompts.Prompt {
		return rendered("three", func(ctx context.Context) (*prompts.Result, error) {
			a, b, c := prompts.Form[colour]("a", "A?"), prompts.Form[colour]("b", "B?"), prompts.InputRequest("c", methodRoots, nil)
			for _, err := range []error{a.Err(), b.Err(), c.Err()} {
				assert.NoError(t, err, "it has not been asked")
			}
			err := prompts.Ask(ctx, a, b, c)
			if !refused(err) {
				return nil, err
			}
			assert.ErrorIs(t, a.Err(), prompts.ErrDeclined)
			assert.NotErrorIs(t, a.Err(), prompts.ErrCanceled)
			assert.ErrorContains(t, a.Err(), `"a"`)
			assert.ErrorIs(t, b.Err(), prompts.ErrCanceled)
			assert.NotErrorIs(t, b.Err(), prompts.ErrDeclined)
			assert.NoError(t, c.Err())
			for _, refusal := range []error{prompts.ErrDeclined, prompts.ErrCanceled, a.Err(), b.Err()} {
				assert.ErrorIs(t, err, refusal)
			}
			if _, err := prompts.Elicit[colour](ctx, "d", "D?"); err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(fmt.Sprint(a.Value.Colour, b.Value.Colour, string(c.Value)))), nil
		})
	}
	answers := map[string]string{"a": declining, "b": dismissing, "c": `{"roots":[]}`, "d": red}
	t.Run("rounds", func(t *testing.T) {
		t.Parallel()
		r := newRounds(t, prompts.NewServer(registryOf(prompt(t)), prompts.Options{}), "three")
		r.get("").wants(t, "a", "b", "c")
		r.get(`{"a":`+answers["a"]+`,"b":`+answers["b"]+`,"c":`+answers["c"]+`}`).wants(t, "d")
		assert.Equal(t, answers["c"], r.get(`{"d":`+answers["d"]+`}`).text(t))
	})
	t.Run("live", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			c := connect(t, prompts.NewServer(registryOf(prompt(t)), prompts.Options{})).handshakeAs("2025-11-25", allCapabilities)
			c.send(getLine("1", "three"))
			for i, q := range c.questions() {
				c.send(q.reply(answers[string(rune('a'+i))]))
			}
			got := c.ask(c.question().reply(answers["d"]))
			if assert.Len(t, got, 1) {
				assert.Equal(t, answers["c"], readOutcome(t, got[0]).text(t))
			}
			assert.NoError(t, c.end())
		})
	})
}
