package prompts

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// MRT-19: the content of an elicitation is an object of what forms have, and
// a list in it one of strings.
func TestInputContentThatIsNone(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`"x"`, `[1]`, `true`, `7`, `{"a":[1]}`, `{"a":[["x"]]}`, `{"a":[{}]}`} {
		r := newRounds(t, NewServer(registryOf(inputPrompt(methodElicit, json.RawMessage(formParams))), Options{}), "input")
		o := r.get(`{"in":` + accepting(content) + `}`)
		if assert.NotNil(t, o.Error, content) {
			assert.Equal(t, CodeInvalidParams, o.Error.Code, content)
		}
	}
}

// The answer is the client's result as it came, in every round.
func TestInputIsTheSameInEachRound(t *testing.T) {
	t.Parallel()
	const result = `{ "roots" : [], "more":"<&>" }`
	var seen []string
	s := NewServer(registryOf(twoInputs(&seen)), Options{})
	r := newRounds(t, s, "two")
	r.get(`{"a":`+result+`}`).wants(t, "b")
	r.get("").wants(t, "b")
	assert.Equal(t, []string{result, result}, seen)
}

func twoInputs(seen *[]string) Prompt {
	return rendered("two", func(ctx context.Context) (*Result, error) {
		a := InputRequest("a", methodRoots, nil)
		if err := Ask(ctx, a); err != nil {
			return nil, err
		}
		*seen = append(*seen, string(a.Value))
		return Messages(), Ask(ctx, InputRequest("b", methodRoots, nil))
	})
}
