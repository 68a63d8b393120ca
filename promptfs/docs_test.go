package promptfs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptfs"
)

// docs/prompt-files.md lists the keys that a file can have, and each key of its
// first file is one.
func TestFormatPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/prompt-files.md")
	require.NoError(t, err)
	page := strings.ReplaceAll(string(text), "\r\n", "\n")
	_, file, found := strings.Cut(page, "```markdown\n")
	require.True(t, found)
	file, _, found = strings.Cut(file, "\n```\n\nThe part")
	require.True(t, found)
	_, err = promptfs.Parse(nil, "p.md", []byte(file), promptfs.Options{})
	require.NoError(t, err)

	for heading, wrong := range map[string]string{
		"Keys of a prompt":    "---\nwrongkey: 1\n---\nhi",
		"Keys of an argument": "---\narguments: [{wrongkey: 1}]\n---\nhi",
	} {
		_, err := promptfs.Parse(nil, "p.md", []byte(wrong), promptfs.Options{})
		require.Error(t, err)
		_, keys, found := strings.Cut(err.Error(), "use one of: ")
		require.True(t, found, err)
		keys, _, _ = strings.Cut(keys, "\n")
		_, section, found := strings.Cut(page, "\n## "+heading+"\n")
		require.True(t, found)
		section, _, _ = strings.Cut(section, "\n## ")
		rows := strings.Join(regexp.MustCompile("(?m)^\\| `.*$").FindAllString(section, -1), "\n")
		for key := range strings.SplitSeq(keys, ", ") {
			assert.Contains(t, rows, "`"+key+"`", heading)
		}
	}
}
