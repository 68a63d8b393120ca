package prompttest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
)

// Descriptions that name no default, and a slow first call, are no bugs.
func TestCorrectPrompts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type arguments struct {
			Branch string `json:"branch,omitempty" jsonschema:"name of the default branch"`
			Lines  string `json:"lines,omitempty" jsonschema:"lines of the file, by default all of the file"`
			Owner  string `json:"owner,omitempty" jsonschema:"the owner. Default: none."`
		}
		isFirst := true
		var reg prompts.Registry
		require.NoError(t, reg.Add(prompts.NewText(prompts.Prompt{Name: "correct"}, func(_ context.Context, in arguments) (string, error) {
			if isFirst {
				isFirst = false
				time.Sleep(3 * time.Second)
			}
			return "branch [" + in.Branch + "] lines [" + in.Lines + "] owner [" + in.Owner + "]", nil
		})))
		prompttest.CheckArguments(t, &reg, prompttest.CheckOptions{})
	})
}
