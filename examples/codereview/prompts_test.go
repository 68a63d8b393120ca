package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/prompttest"
)

// What a client gets of each prompt is what its golden file says. To write them
// anew: go test ./examples/codereview -run TestPrompts -update
func TestPrompts(t *testing.T) {
	t.Parallel()
	c := prompttest.New(t, registry())
	for file, call := range map[string]struct {
		prompt    string
		arguments map[string]string
	}{
		"code_review":          {"code_review", map[string]string{"code": "x := 1", "language": "go"}},
		"code_review-required": {"code_review", map[string]string{"code": "```\nx = 1\n```"}},
		"git-commit":           {"git-commit", map[string]string{"changes": "- a\n+ b\n"}},
		"explain-code":         {"explain-code", map[string]string{"code": "print(1)", "language": "Python"}},
		"analyze-project":      {"analyze-project", map[string]string{"timeframe": "1h", "fileUri": "file:///project/network.py"}},
		"debug-error":          {"debug-error", map[string]string{"error": "no route to host"}},
	} {
		prompttest.Golden(t, "testdata/"+file+".golden", c.Get(call.prompt, call.arguments))
	}

	err := c.GetError("code_review", map[string]string{"language": "cobol"})
	assert.Equal(t, map[string]problem.Reason{"code": problem.Missing, "language": problem.Enum}, problem.Reasons(err))
}

// Nothing that the prompts declare is of no use.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	options := prompttest.CheckOptions{Examples: map[string][]map[string]string{
		"analyze-project": {
			{"timeframe": "5s", "fileUri": "file:///project/network.py"},
			{"timeframe": "1h", "fileUri": "file:///project/app.log"},
		},
	}}
	prompttest.CheckArguments(t, registry(), options)
	prompttest.CheckEnums(t, registry(), options)
	prompttest.CheckTools(t, registry(), options) // there are no tools
	prompttest.CheckPortable(t, registry(), options)
}

func registry() *prompts.Registry {
	reg := new(prompts.Registry)
	reg.MustAdd(declared()...)
	return reg
}
