package prompttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

func TestCheckDoc(t *testing.T) {
	t.Parallel()
	table := prompts.MarkdownTable(catalogue())
	for _, test := range []struct{ name, text, want string }{
		{"current", "a\n<!-- prompts -->\n" + table + "<!-- end of prompts -->\nb", ""},
		{"on Windows", strings.ReplaceAll("a\n<!-- prompts -->\n"+table+"<!-- end of prompts -->\nb", "\n", "\r\n"), ""},
		{"another table", "<!-- prompts -->\n" + strings.Replace(table, "Reviews", "Reads", 1) + "<!-- end of prompts -->\n", "line 7:\n"}, // of the file
		{"no table", "<!-- prompts -->\n<!-- end of prompts -->\n", "+ | Prompt | Argument | Required | Description |"},
		{"no marks", "# A\n", "lines around the table of prompts are missing; add them, and run the test with -update:\n\t<!-- prompts -->\n\t<!-- end of prompts -->"},
		{"one mark", "<!-- prompts -->\n", "lines around the table of prompts are missing"},
		{"a mark twice", "<!-- prompts -->\n<!-- prompts -->\n<!-- end of prompts -->\n", "duplicate line <!-- prompts -->; remove one"},
		{"the other one twice", "<!-- prompts -->\n<!-- end of prompts -->\n<!-- end of prompts -->\n", "duplicate line <!-- end of prompts -->; remove one"},
		{"the wrong order", "<!-- end of prompts -->\n<!-- prompts -->\n", "line <!-- end of prompts --> must come after the line <!-- prompts -->"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "README.md")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			r := record(t, func(t testing.TB) { CheckDoc(t, catalogue(), path) })
			if test.want == "" {
				assert.Empty(t, r.errors)
				return
			}
			expect(t, r.errors, []string{test.want})
			assert.Equal(t, test.text, read(t, path), "a check changes nothing")
		})
	}
	r := record(t, func(t testing.TB) { CheckDoc(t, catalogue(), filepath.Join(t.TempDir(), "none.md")) })
	expect(t, r.errors, []string{"none.md: no such file"})
}
