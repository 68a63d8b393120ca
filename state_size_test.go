package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// MRT-11: what a client answers in one request is bounded, whatever is in it
// and whether anybody wants to know it.
func TestResponsesAreBounded(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(asking("paint"), textPrompt("text", "hi")), prompts.Options{})
	responses := func(size int) string {
		const around = `{"colour":` + red + `,"more":""}`
		return strings.Replace(around, `""`, `"`+strings.Repeat("x", size-len(around))+`"`, 1)
	}
	for _, prompt := range []string{"paint", "text"} {
		got := newRounds(t, s, prompt).get(responses(maxResponses)).text(t)
		assert.Equal(t, map[string]string{"paint": "red", "text": "hi"}[prompt], got)
		data := newRounds(t, s, prompt).get(responses(maxResponses+1)).
			fails(t, prompts.CodeInvalidParams, "inputResponses must not have more than 262144 bytes")
		assert.JSONEq(t, `{"param":"inputResponses"}`, data)
	}
	// In the handshake era there is no such member, and so no bound on it.
	got, err := handle(t, s, newSession(t, s), strings.Replace(getLine("1", "text"), `"text"`, `"text","inputResponses":`+responses(maxResponses+1), 1))
	require.NoError(t, err)
	assert.Equal(t, textLine("1", "hi"), got)
}

// What is too large to travel is the fault of whose it is: the client's if its
// answers, those for arguments among them, are most of it, and the author's if
// it is what Once has kept.
func TestStateThatIsTooLarge(t *testing.T) {
	t.Parallel()
	const k = 1 << 10
	for _, test := range []struct {
		name             string
		kept, told, from int // sizes
		isClients        bool
	}{
		{"an answer", 0, 60 * k, 0, true},
		{"an argument", 0, 0, 60 * k, true},
		{"both", 0, 30 * k, 30 * k, true},
		{"mostly answers", 20 * k, 34 * k, 0, true},
		{"what was kept", 60 * k, 0, 0, false},
		{"mostly that", 34 * k, 20 * k, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(registryOf(prompts.New(prompts.Prompt{Name: "travel"}, func(ctx context.Context, in struct {
				From string `json:"from"`
			}) (*prompts.Result, error) {
				if _, err := prompts.Elicit[colour](ctx, "a", "Which?"); err != nil {
					return nil, err
				}
				if _, err := prompts.Once(ctx, "k", func(context.Context) (string, error) { return strings.Repeat("k", test.kept), nil }); err != nil {
					return nil, err
				}
				_, err := prompts.Elicit[colour](ctx, "b", "Which?")
				return prompts.Messages(prompts.User(fmt.Sprint(len(in.From)))), err
			})), prompts.Options{ElicitArguments: true, Logger: j.logger()})
			r := newRounds(t, s, "travel")
			r.get("").wants(t, argumentsKey)
			o := r.get(`{"` + argumentsKey + `":` + accepting(`{"from":"`+strings.Repeat("f", test.from)+`"}`) +
				`,"a":` + answerColour(strings.Repeat("c", test.told)) + `}`)
			if test.from > 0 && o.Error == nil {
				o.wants(t, "a")
			}
			if o.Error == nil {
				o = r.get(`{"a":` + answerColour(strings.Repeat("c", test.told)) + `}`)
			}
			if test.isClients {
				assert.JSONEq(t, `{"param":"inputResponses"}`, o.fails(t, prompts.CodeInvalidParams, "the answers so far are too large to go on with"))
				assert.Empty(t, j.String())
				return
			}
			assert.Empty(t, o.fails(t, prompts.CodeInternalError, renderFailed))
			assert.Contains(t, j.String(), "too large to travel in a requestState")
			assert.Contains(t, j.String(), "level=ERROR")
		})
	}
}
