package prompts_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// MRT-19: the content of an elicitation is an object of what forms have, and
// a list in it one of strings.
func TestInputContentThatIsNone(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`"x"`, `[1]`, `true`, `7`, `{"a":[1]}`, `{"a":[["x"]]}`, `{"a":[{}]}`} {
		r := newRounds(t, prompts.NewServer(registryOf(inputPrompt(methodElicit, json.RawMessage(formParams))), prompts.Options{}), "input")
		o := r.get(`{"in":` + accepting(content) + `}`)
		if assert.NotNil(t, o.Error, content) {
			assert.Equal(t, prompts.CodeInvalidParams, o.Error.Code, content)
		}
	}
}

// The answer is the client's result as it came, in every round.
func TestInputIsTheSameInEachRound(t *testing.T) {
	t.Parallel()
	const result = `{ "roots" : [], "more":"<&>" }`
	var seen []string
	s := prompts.NewServer(registryOf(twoInputs(&seen)), prompts.Options{})
	r := newRounds(t, s, "two")
	r.get(`{"a":`+result+`}`).wants(t, "b")
	r.get("").wants(t, "b")
	assert.Equal(t, []string{result, result}, seen)
}

func twoInputs(seen *[]string) prompts.Prompt {
	return rendered("two", func(ctx context.Context) (*prompts.Result, error) {
		a := prompts.InputRequest("a", methodRoots, nil)
		if err := prompts.Ask(ctx, a); err != nil {
			return nil, err
		}
		*seen = append(*seen, string(a.Value))
		return prompts.Messages(), prompts.Ask(ctx, prompts.InputRequest("b", methodRoots, nil))
	})
}
