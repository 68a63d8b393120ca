package commands

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestPreCommit runs the entry of .pre-commit-hooks.yaml that docs/write-prompts.md has, with
// the files that pre-commit would pass.
func TestPreCommit(t *testing.T) {
	t.Parallel()
	var hooks []struct {
		ID, Entry, Language string
		Types               []string
	}
	raw, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(raw, &hooks))
	require.Len(t, hooks, 1)
	hook := hooks[0]
	assert.Equal(t, "system", hook.Language, "the entry is a command of the PATH")
	require.Equal(t, []string{"markdown"}, hook.Types)

	page, err := os.ReadFile(filepath.Join(root, "docs/write-prompts.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```yaml\n(repos:\n.*?)```").FindSubmatch(page)
	require.NotNil(t, block)
	var config struct {
		Repos []struct {
			Repo  string
			Hooks []struct{ ID, Files string }
		}
	}
	require.NoError(t, yaml.Unmarshal(block[1], &config))
	require.Len(t, config.Repos, 1)
	require.Len(t, config.Repos[0].Hooks, 1)
	used := config.Repos[0].Hooks[0]
	assert.Equal(t, "https://github.com/mcp-prompts/prompts", config.Repos[0].Repo)
	assert.Equal(t, hook.ID, used.ID)

	bin := buildPrompts(t)
	const good = "---\ndescription: Greets\n---\n{{template \"hello\"}}\n"
	for _, c := range []struct {
		name, file, text, want string
	}{
		{"valid files", "my-prompts/bye.md", "---\ndescription: Leaves\n---\nBye.\n", ""},
		{"an invalid prompt", "my-prompts/bye.md", "---\ndescription: [\n---\nBye.\n", "bye.md:"},
		{"an invalid partial", "my-prompts/_partials/hello.md", "{{.\n", "hello.md:"},
		{"an invalid file of no prompt", "docs/page.md", "---\ndescription: [\n---\n{{.\n", ""},
		{"an invalid file of another type", "my-prompts/notes.txt", "{{.\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			files := map[string]string{"my-prompts/greet.md": good, "my-prompts/_partials/hello.md": "Hello.\n"}
			files[c.file] = c.text
			args := strings.Fields(hook.Entry)
			for name, text := range files {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, path.Dir(name)), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
				if path.Ext(name) == ".md" && regexp.MustCompile(used.Files).MatchString(name) {
					args = append(args, name)
				}
			}
			cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if c.want == "" {
				assert.NoError(t, err, "%s\n%s", args, out)
				return
			}
			assert.Error(t, err, "%s\n%s", args, out)
			assert.Contains(t, string(out), c.want)
		})
	}
}
