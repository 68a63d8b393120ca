package prompttest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptskills"
)

// A skill that a host would accept passes, and each error fails the test.
func TestCheckSkills(t *testing.T) {
	t.Parallel()
	same := func([]byte) (json.RawMessage, error) {
		return json.RawMessage(`{"description": "d", "name": "a"}`), nil
	}
	for name, test := range map[string]struct {
		body  string
		front func([]byte) (json.RawMessage, error)
		want  string
	}{
		"good":                        {"[x](ref/x.md) [y](ref/y%20z.md#part) [d](ref/) [up](../b/SKILL.md) [web](https://x.y)\n\n```\n[no](none.md)\n```", same, ""},
		"without front matter's read": {"", nil, ""},
		"broken link":                 {"[x](none.md)", same, `skill skill://a/SKILL.md: link "none.md" must lead to a file of the skill`},
		"another front matter":        {"", func([]byte) (json.RawMessage, error) { return json.RawMessage(`{"name":"b"}`), nil }, "front matter of the entry must be that of the file"},
		"no front matter":             {"", func([]byte) (json.RawMessage, error) { return nil, errors.New("none") }, "front matter: none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reg promptskills.Registry
			require.NoError(t, reg.Add(promptskills.Skill{
				Path: "a", Frontmatter: json.RawMessage(`{"name":"a","description":"d"}`),
				Files: map[string][]byte{"SKILL.md": []byte("---\nname: a\n---\n" + test.body), "ref/x.md": nil, "ref/y z.md": {0xff}},
			}))
			failed := record(t, func(t testing.TB) { checkSkills(t, &reg, test.front) }).all()
			if test.want == "" {
				assert.Empty(t, failed)
			} else {
				assert.Contains(t, failed, test.want)
			}
		})
	}
}
