package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
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

func answerColour(text string) string { return accepting(`{"colour":"` + text + `"}`) }

// In a session a person is asked three times at most.
func TestRefusedArgumentIsAskedForThreeTimes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refused := travel(func(context.Context) error { return prompts.InvalidArgument("from", "is never right") })
		c := connect(t, prompts.NewServer(registryOf(refused), prompts.Options{ElicitArguments: true})).handshakeAs("2025-11-25", formCapability)
		c.send(strings.Replace(getLine("1", "travel"), `"travel"`, `"travel","arguments":{"from":"Bonn","to":"Rome"}`, 1))
		for range 3 {
			c.send(c.question().reply(accepting(`{"from":"Ulm"}`)))
		}
		got := c.received()
		require.Len(t, got, 1)
		readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, `invalid arguments for prompt "travel": from: is never right`)
	})
}
