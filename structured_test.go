package prompts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A value inside of an argument has an error of its own. callGet wants the same of a
// tool.
func TestErrorsInsideOfArguments(t *testing.T) {
	t.Parallel()
	type filter struct {
		Region string   `json:"region" enum:"eu,us"`
		N      int      `json:"n,omitempty" maximum:"3"`
		C      []string `json:"c,omitempty" maxItems:"1"`
	}
	type arguments struct {
		S filter `json:"s"`
	}
	p := prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, arguments) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("x")), nil
	})
	seen := map[string]bool{}
	for value, want := range map[string]string{
		`{}`:                            `s.region is required`,
		`{\"region\":\"zz\"}`:           `s.region must be one of eu, us, got "zz"`,
		`{\"region\":\"eu\",\"n\":9}`:   `s.n must be at most 3, got 9`,
		`{\"region\":3}`:                `s.region must be one of eu, us, got the number 3`,
		`[]`:                            `s must be a JSON object, got an array`,
		`{\"region\":\"eu\",\"nn\":1}`:  `s.nn is unknown; known members: region, n, c`,
		`{\"region\":\"eu\",\"c\":[1]}`: `s.c[0] must be a string, got the number 1`,
	} {
		_, e := callGet(t, p, `{"s":"`+value+`"}`, prompts.Options{})
		require.NotNil(t, e, value)
		assert.Equal(t, `invalid arguments for prompt "p": `+want, e.Message)
		assert.False(t, seen[e.Message])
		seen[e.Message] = true
	}
}
