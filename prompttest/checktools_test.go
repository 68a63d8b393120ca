package prompttest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// A name of a tool is one in back quotes, next to a word that says so.
func TestToolsIn(t *testing.T) {
	t.Parallel()
	names := func(text string) (names []string) {
		for _, m := range toolsIn(text) {
			names = append(names, m.name)
		}
		return names
	}
	for text, want := range map[string][]string{
		"never call `log.Fatal`":                          nil,
		"the `log.read` tool":                             {"log.read"},
		"Use the `search` tool.":                          {"search"},
		"The `a` tools":                                   {"a"},
		"the tool `a`":                                    {"a"},
		"these tools: `a`, `b.c` and `d/e`; then `f`":     {"a", "b.c", "d/e"},
		"Tools `a` or\n`b`":                               {"a", "b"},
		"call `a`, and by calling the `b` it invokes `c`": {"a", "b"},
		"a file called `b`, invoke the `c` skill, in the tool call `d` fields": nil,
		"call `bin/verify`, with tools or `az`":                                nil,
		"use `gofmt` and run `go test`":                                        nil,
		"call `f()` or `go vet`":                                               nil,
		"the tool a, and call b":                                               nil,
		"toolbox `a`, recall `b`":                                              nil,
		"```\ncall `a`\n```\ncall `b`":                                         {"b"},
		"~~~~ go\ncall `a`\n~~~\ncall `b`\n~~~~\nthe `c` tool":                 {"c"},
		"```\nthe block does not end: call `a`":                                nil,
		"the `" + strings.Repeat("a", 129) + "` tool":                          nil,
	} {
		assert.Equal(t, want, names(text), "%s", text)
	}
	assert.Equal(t, []mention{{"b", "call `b`"}}, toolsIn("see `b`\ncall `b`"))
}

func TestCheckTools(t *testing.T) {
	t.Parallel()
	with := func(tools ...string) check {
		return func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckTools(t, reg, o, tools...) }
	}
	for _, test := range []struct {
		name   string
		check  check
		prompt prompts.Prompt
		want   []string
	}{
		{"known", with("search", "read"), says("Use the `search` tool and the `read` tool."), nil},
		{"unknown", with("search"), says("First line.\nUse the `serach` tool, the `serach` tool."),
			[]string{"prompt \"p\": unknown tool \"serach\" (with no arguments); CheckTools knows [\"search\"]\n\tThe text is: Use the `serach` tool, the `serach` tool."}},
		{"none at all", with(), says("call `read`"), []string{`unknown tool "read" (with no arguments); CheckTools knows no tools`}},
		{"with one value of an enum", with(), text([]prompts.Argument{{Name: "a", Enum: []string{"x", "y"}}}, func(args map[string]string) (string, error) {
			return map[string]string{"y": "call `read`"}[args["a"]], nil
		}), []string{`unknown tool "read" (with a "y")`}},
		{"without what is optional", with(), text([]prompts.Argument{{Name: "a"}}, func(args map[string]string) (string, error) {
			if args["a"] == "" {
				return "call `read`", nil
			}
			return "", nil
		}), []string{`(with no arguments)`}},
		{"in a resource", with(), data("p", func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "a:b", Text: "call `read`"}}), nil
		}), []string{`unknown tool "read"`}},
		{"it cannot be rendered", with(), data("p", func(context.Context, map[string]string) (*prompts.Result, error) { return nil, errors.New("planted") }),
			[]string{"rendering failed, so nothing is checked"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checked(t, test.check, CheckOptions{}, test.prompt).errors, test.want)
		})
	}
}
