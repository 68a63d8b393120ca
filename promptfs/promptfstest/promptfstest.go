// Package promptfstest tests what package promptfs reads from a folder: the cases of test files,
// and skills. Package prompttest has the checks of all other prompts.
package promptfstest

import (
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/foldertest"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttest"
)

// CheckCases runs the cases in the test files of a folder, *.test.yaml, against the prompts of reg,
// and reports each failure and each invalid file with its line. docs/tests.md describes the files.
// With -update it writes golden files. The model's answer of a case is not checked.
//
// CheckCases serves reg as the command prompts test does: unknown arguments are errors, a user who
// has answers is asked for missing arguments, and a prompt with tags is visible to cases with one of
// the tags. To test a server of your own, set CheckOptions.Client, and CheckOptions.Tagged if cases
// have tags. Then reg may be nil, and cases of unknown prompts are found by running them.
func CheckCases(t testing.TB, reg *prompts.Registry, dir string, o prompttest.CheckOptions) {
	t.Helper()
	foldertest.Cases(t, reg, dir, promptfile.ParseYAML, o)
}

// CheckSkills serves the skills of a registry, and verifies them as a host does: names, limits, and
// the digest, the size and the front matter of each file. It also reports relative links in a
// SKILL.md that lead to no file of the skill. Each error fails the test. Dynamic skills have no
// digests, and only their front matter is compared.
func CheckSkills(t testing.TB, skills *promptskills.Registry) {
	t.Helper()
	foldertest.Skills(t, skills, promptfs.ParseFrontmatter)
}
