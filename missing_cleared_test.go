package prompts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// A wrong argument that need not be given may be left empty in the form. Then
// it is gone for good, and not asked for in every round.
func TestArgumentThatIsLeftEmpty(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`{}`, `{"days":null}`} {
		s := prompts.NewServer(registryOf(travel(func(ctx context.Context) error {
			_, err := prompts.Elicit[colour](ctx, "colour", "Which?")
			return err
		})), prompts.Options{ElicitArguments: true})
		r := newRounds(t, s, "travel")
		r.arguments = `{"from":"Bonn","to":"Rome","days":"many"}`
		r.get("").wants(t, argumentsKey)
		r.get(`{"`+argumentsKey+`":`+accepting(content)+`}`).wants(t, "colour")
		assert.Equal(t, "Bonn-Rome 0", r.get(`{"colour":`+red+`}`).text(t))
	}
}
