package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Parallel()
	plain := strings.Repeat("The server sends a response to the client. ", 40)
	for name, test := range map[string]struct {
		file, text, want string // want is a part of the output; empty if the file is fine
	}{
		"a plain page":            {"README.md", plain, ""},
		"pronouns":                {"README.md", strings.Repeat("The server sends it to those that want it. ", 40), "pronouns in 100 words"},
		"openings":                {"docs/a.md", plain + strings.Repeat("What the server sends is a response. ", 4), "9.1 % of the sentences"}, // 4 of 44
		"pronouns in code":        {"README.md", "```go\n" + strings.Repeat("it that one ", 100) + "\n```\n" + plain, ""},
		"a word in a page":        {"docs/a.md", "# Title\n\n```\nfault\n```\nThe file has a fault.\n", "docs/a.md:6: \"fault\": write error"},
		"a word in code":          {"docs/a.md", "The attribute `fault`.\n", ""},
		"pronouns in a table":     {"docs/a.md", "# Title\n\n| A | B |\n|---|---|\n" + strings.Repeat("| the server | sends it to those that want it |\n", 40), "docs/a.md (tables): "},
		"a plain table":           {"docs/a.md", "# Title\n\n| A | B |\n|---|---|\n" + strings.Repeat("| the server | sends a response to it |\n|  `it that` | |\n", 2) + "| it | that |\n", ""},
		"a word in a table":       {"docs/a.md", "| A |\n|---|\n| the fault of a file |\n", "docs/a.md:3: \"fault\""},
		"pronouns in a list":      {"docs/a.md", strings.Repeat("- The server sends it to those that want it.\n", 40), "docs/a.md: "},
		"pronouns of the help":    {"cmd/prompts/a.go", "package main\n\nvar help = `" + strings.Repeat("Serve sends it to those that want it. ", 40) + "`\n", "help of the command: "},
		"a word in the ledger":    {"docs/ledger.md", "The client is told.\n", ""},
		"a word in a comment":     {"internal/a/a.go", "package a\n\n// The client is told.\n", `internal/a/a.go:3: "told": write notify`},
		"a word in a string":      {"a.go", "package a\n\nvar a = \"\\t\" +\n\t\"a fault\"\n", `a.go:4: "fault"`},
		"a word in a name":        {"a.go", "package a\n\nvar fault = 1\n", ""},
		"a word in a test":        {"a_test.go", "package a\n\n// A fault.\n", ""},
		"pronouns of an exported": {"b/a.go", "package a\n\n// A is it. " + strings.Repeat("It is this. ", 100) + "\nvar A = 1\n", "doc comments of b: "},
		"pronouns of a field": {"b/a.go", "package a\n\ntype A struct {\n\t// B is it. " + strings.Repeat("It is this. ", 100) + "\n\tB int\n}\n",
			"doc comments of b: "},
		"pronouns of an unexported": {"b/a.go", "package a\n\n// a is it. " + strings.Repeat("It is this. ", 100) + "\nvar a = 1\n", ""},
		"pronouns of an internal":   {"internal/a/a.go", "package a\n\n// A is it. " + strings.Repeat("It is this. ", 100) + "\nvar A = 1\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			ok, err := run(fstest.MapFS{test.file: {Data: []byte(test.text)}}, &out, false)
			require.NoError(t, err)
			assert.Equal(t, test.want == "", ok)
			if test.want == "" {
				assert.Empty(t, out.String())
			}
			assert.Contains(t, out.String(), test.want)
		})
	}
}
