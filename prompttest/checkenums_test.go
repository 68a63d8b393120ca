package prompttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
)

// Each value that is declared has to render, and so does a prompt without what
// is optional.
func TestCheckEnums(t *testing.T) {
	t.Parallel()
	fails := func(when func(args map[string]string) bool) func(args map[string]string) (string, error) {
		return func(args map[string]string) (string, error) {
			if when(args) {
				return "", errors.New("planted")
			}
			return "x", nil
		}
	}
	never := fails(func(map[string]string) bool { return false })
	for _, test := range []struct {
		name   string
		prompt prompts.Prompt
		want   []string
	}{
		{"a value", text([]prompts.Argument{{Name: "a", Required: true, Enum: []string{"x", "y", "z"}}}, fails(func(args map[string]string) bool { return args["a"] == "y" })),
			[]string{`prompt "p": argument "a": rendering with the declared value "y" failed: with a "y": got the error -32603`}},
		{"a boolean", text([]prompts.Argument{{Name: "a", Required: true, Schema: &jsonschema.Schema{Type: "boolean"}}}, fails(func(args map[string]string) bool { return args["a"] == "false" })),
			[]string{`argument "a": rendering with the declared value "false" failed`}},
		{"an element", text([]prompts.Argument{{Name: "a", Required: true, Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Enum: []any{"x", "y"}}}}},
			fails(func(args map[string]string) bool { return strings.Contains(args["a"], "y") })), []string{`argument "a": rendering with the declared value "y"`}},
		{"without what is optional", text([]prompts.Argument{{Name: "a"}}, fails(func(args map[string]string) bool { return args["a"] == "" })),
			[]string{`rendering without optional arguments failed: with no arguments: got the error -32603`}},
		{"a value without what is optional", text([]prompts.Argument{{Name: "a", Enum: []string{"x", "y"}}, {Name: "b"}},
			fails(func(args map[string]string) bool { return args["a"] == "y" && args["b"] == "" })),
			[]string{`argument "a": rendering with the declared value "y", without other optional arguments, failed`}},
		{"a required value without what is optional", text([]prompts.Argument{{Name: "a", Required: true, Enum: []string{"x", "y"}}, {Name: "b"}},
			fails(func(args map[string]string) bool { return args["a"] == "y" && args["b"] == "" })),
			[]string{`argument "a": rendering with the declared value "y", without other optional arguments, failed`}},
		{"all of them", text([]prompts.Argument{{Name: "a"}}, fails(func(args map[string]string) bool { return args["a"] != "" })),
			[]string{"rendering failed: with a \"prompttest-a-one\": got the error -32603"}},
		{"none", text([]prompts.Argument{{Name: "a", Enum: []string{"x", "y"}}, {Name: "b", Schema: &jsonschema.Schema{Type: "boolean"}}}, never), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, checked := range doors {
				expect(t, checked(t, CheckEnums, CheckOptions{}, test.prompt).errors, test.want)
			}
		})
	}
}
