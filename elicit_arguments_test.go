package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type trip struct {
	From string `json:"from"`
	To   string `json:"to"`
	Days int    `json:"days,omitempty"`
}

// travel is a prompt whose arguments a client may be asked for.
func travel(more func(ctx context.Context) error) prompts.Prompt {
	return prompts.New(prompts.Prompt{
		Name: "travel", Title: "Plan a trip",
		Arguments: []prompts.Argument{
			{Name: "to", Title: "Destination", Description: "where to", Schema: prompts.Enum("Oslo", "Rome")},
			{Name: "days", Schema: &jsonschema.Schema{Minimum: ptr(1.0)}},
		},
	}, func(ctx context.Context, in trip) (*prompts.Result, error) {
		if more != nil {
			if err := more(ctx); err != nil {
				return nil, err
			}
		}
		return prompts.Messages(prompts.User(fmt.Sprintf("%s-%s %d", in.From, in.To, in.Days))), nil
	})
}

// fieldsOf returns the names and the message of a form for arguments.
func fieldsOf(t testing.TB, q asked) (names []string, message string) {
	t.Helper()
	var form struct {
		Message         string
		RequestedSchema struct{ Properties map[string]any }
	}
	require.Equal(t, methodElicit, q.Method)
	require.NoError(t, json.Unmarshal(q.Params, &form))
	for name := range form.RequestedSchema.Properties {
		names = append(names, name)
	}
	return names, form.Message
}

// picky is travel whose render function refuses to start from anywhere but
// Ulm, once it has kept a ticket and asked for a colour.
func picky(runs *int) prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "travel", Title: "Plan a trip"}, func(ctx context.Context, in trip) (*prompts.Result, error) {
		*runs++
		ticket, err := prompts.Once(ctx, "ticket", func(context.Context) (string, error) { return fmt.Sprint(in.From, *runs), nil })
		if err != nil {
			return nil, err
		}
		answer, err := prompts.Elicit[colour](ctx, "colour", "Which colour for "+in.From+"?")
		if err != nil {
			return nil, err
		}
		if in.From != "Ulm" {
			return nil, fmt.Errorf("my words: %w", prompts.InvalidArgument("from", "is not where it starts"))
		}
		return prompts.Messages(prompts.User(fmt.Sprint(in.From, "-", in.To, " ", ticket, " ", answer.Colour))), nil
	})
}

const pickyNeeds = `"Plan a trip" needs a few details.
from: is not where it starts`

func answerColour(text string) string { return accepting(`{"colour":"` + text + `"}`) }

// PRG-05: an argument that a render function refuses is asked for as one that
// is wrong by its type is. The function is run again with the new one, and
// what it has learnt before is forgotten: it was about another.
func TestRefusedArgumentIsAskedForInRounds(t *testing.T) {
	t.Parallel()
	runs := 0
	s := prompts.NewServer(registryOf(picky(&runs)), prompts.Options{ElicitArguments: true})
	r := newRounds(t, s, "travel")
	r.arguments = `{"from":"Bonn","to":"Rome"}`
	r.get("").wants(t, "colour")
	o := r.get(`{"colour":` + answerColour("grey") + `}`)
	o.wants(t, argumentsKey)
	fields, message := fieldsOf(t, o.Result.Requests[argumentsKey])
	assert.Equal(t, []string{"from"}, fields)
	assert.Equal(t, pickyNeeds, message)

	// Nobody has answered: the old argument has the same fault.
	o = r.get("")
	o.wants(t, "colour")
	assert.Contains(t, string(o.Result.Requests["colour"].Params), "Bonn")
	r.get(`{"colour":`+answerColour("grey")+`}`).wants(t, argumentsKey)

	// The new argument comes with an answer that was given for the old one.
	o = r.get(`{"colour":` + answerColour("grey") + `,"` + argumentsKey + `":` + accepting(`{"from":"Ulm"}`) + `}`)
	o.wants(t, "colour")
	assert.Contains(t, string(o.Result.Requests["colour"].Params), "Ulm", "the answer was for Bonn")
	ran := runs
	text := r.get(`{"colour":` + answerColour("blue") + `}`).text(t)
	assert.Equal(t, fmt.Sprintf("Ulm-Rome Ulm%d blue", ran), text)
}

// refusing is a prompt that finds fault with its arguments whatever they are.
func refusing(err error) prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "travel"}, func(context.Context, trip) (*prompts.Result, error) { return nil, err })
}

// In a session a person is asked three times at most.
func TestRefusedArgumentIsAskedForThreeTimes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(refusing(prompts.InvalidArgument("from", "is never right"))), prompts.Options{ElicitArguments: true})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(strings.Replace(getLine("1", "travel"), `"travel"`, `"travel","arguments":{"from":"Bonn","to":"Rome"}`, 1))
		for range 3 {
			c.send(c.question().reply(accepting(`{"from":"Ulm"}`)))
		}
		got := c.received()
		require.Len(t, got, 1)
		readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, `invalid arguments for prompt "travel": from: is never right`)
	})
}

// Several faults of one argument are one field.
func TestRefusedArgumentsAreFieldsOnce(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(refusing(errors.Join(
		prompts.InvalidArgument("from", "is far"), prompts.InvalidArgument("to", "is near"), prompts.InvalidArgument("from", "is wide"),
	))), prompts.Options{ElicitArguments: true})
	r := newRounds(t, s, "travel")
	r.arguments = `{"from":"Bonn","to":"Rome"}`
	o := r.get("")
	o.wants(t, argumentsKey)
	fields, message := fieldsOf(t, o.Result.Requests[argumentsKey])
	assert.ElementsMatch(t, []string{"from", "to"}, fields)
	assert.Contains(t, message, "from: is far\nto: is near")
	assert.Equal(t, 1, strings.Count(string(o.Result.Requests[argumentsKey].Params), `"from":`))
	assert.Contains(t, string(o.Result.Requests[argumentsKey].Params), `"required":["from","to"]`)
}

// PRG-03: who is not to be asked, or cannot be, gets the problems. So does
// everybody if the argument that is blamed is none of the prompt's.
func TestRefusedArgumentIsNotAskedFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, argument, capabilities string
		o                            prompts.Options
	}{
		{"not wanted", "from", formCapability, prompts.Options{}},
		{"no capability", "from", noCapabilities, prompts.Options{ElicitArguments: true}},
		{"only URLs", "from", urlCapability, prompts.Options{ElicitArguments: true}},
		{"no such argument", "via", formCapability, prompts.Options{ElicitArguments: true}},
	} {
		s := prompts.NewServer(registryOf(refusing(prompts.InvalidArgument(test.argument, "is bad"))), test.o)
		const arguments = `{"from":"Bonn","to":"Rome"}`
		data := `{"prompt":"travel","problems":[{"argument":"` + test.argument + `","reason":"refused","message":"is bad"}]}`
		r := newRounds(t, s, "travel")
		r.capabilities, r.arguments = test.capabilities, arguments
		assert.JSONEq(t, data, r.get("").fails(t, prompts.CodeInvalidParams, `invalid arguments for prompt "travel": `+test.argument+": is bad"), test.name)
		got, err := handle(t, s, newSessionAs(t, s, "2025-11-25", test.capabilities),
			strings.Replace(getLine("1", "travel"), `"travel"`, `"travel","arguments":`+arguments, 1))
		require.NoError(t, err)
		assert.JSONEq(t, data, readOutcome(t, got).fails(t, prompts.CodeInvalidParams, `invalid arguments for prompt "travel": `+test.argument+": is bad"), test.name)
	}
}
