package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptfs/promptfstest"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttest"
)

// registry has the prompts of the folder, every file of which is good.
func registry(t *testing.T) *prompts.Registry {
	t.Helper()
	var reg prompts.Registry
	require.NoError(t, promptfs.NewDir(&reg, "prompts", promptfs.Options{}).Reload(t.Context()))
	return &reg
}

const diff = "--- a/main.go\n+++ b/main.go\n@@ -1 +1 @@\n-a\n+b\n"

// calls are what a client asks for, by the golden file with what it gets.
var calls = map[string]struct {
	prompt    string
	arguments map[string]string
}{
	"commit-message":     {"commit-message", map[string]string{"diff": diff}},
	"commit-message-why": {"commit-message", map[string]string{"diff": diff, "why": "b is faster"}},
	"release":            {"notes/release", map[string]string{"version": "v1.2.0", "commits": "1a2b3c Add b\n"}},
	"code":               {"review/code", map[string]string{"code": "x := 1"}},
	"code-full":          {"review/code", map[string]string{"code": "```\nx = 1\n```", "language": "python", "focus": `["tests","names"]`}},
	"explain":            {"review/explain", map[string]string{"code": "x := 1"}},
	"explain-beginner":   {"review/explain", map[string]string{"code": "x := 1", "reader": "beginner"}},
	"triage":             {"triage", map[string]string{"report": "It does not start."}},
	"triage-components":  {"triage", map[string]string{"report": "It does not start.", "components": "parser, printer"}},
	"writing-tests":      {"writing-tests", nil},
}

// The cases in the test files beside the prompts pass, as with prompts test. To write the
// golden files anew: go test . -run TestCases -update
func TestCases(t *testing.T) {
	t.Parallel()
	promptfstest.CheckCases(t, registry(t), "prompts", prompttest.CheckOptions{})
}

// What a client gets of each prompt is what its golden file says. To write them
// anew: go test . -run TestPrompts -update
func TestPrompts(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := prompttest.New(t, reg)
	called := map[string]bool{}
	for file, call := range calls {
		called[call.prompt] = true
		prompttest.Golden(t, "testdata/"+file+".golden", c.Get(call.prompt, call.arguments))
	}
	for p := range reg.All() {
		assert.True(t, called[p.Name], "%s has no golden file", p.Name)
	}

	err := c.GetError("notes/release", map[string]string{"version": "tomorrow"})
	assert.Equal(t, map[string]problem.Reason{"version": problem.Pattern, "commits": problem.Missing}, problem.Reasons(err))
	err = c.GetError("review/explain", map[string]string{"code": "x := 1", "reader": "cat"})
	assert.Equal(t, map[string]problem.Reason{"reader": problem.Enum}, problem.Reasons(err))
}

// Nothing that the files declare is of no use. What a client cannot show is
// logged: go test -v . -run TestDeclarations
func TestDeclarations(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	options := prompttest.CheckOptions{}
	prompttest.CheckArguments(t, reg, options)
	prompttest.CheckEnums(t, reg, options)
	prompttest.CheckDoc(t, reg, "prompts/README.md")
	prompttest.CheckTools(t, reg, options) // there are no tools
	prompttest.CheckPortable(t, reg, options)
}

// Hosts accept each skill of the folder.
func TestSkills(t *testing.T) {
	t.Parallel()
	var skills promptskills.Registry
	require.NoError(t, promptfs.NewDir(new(prompts.Registry), "prompts", promptfs.Options{Skills: &skills}).Reload(t.Context()))
	assert.Equal(t, 1, skills.Len())
	promptfstest.CheckSkills(t, &skills)
}
