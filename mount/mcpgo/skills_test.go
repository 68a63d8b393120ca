package mcpgo_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
	"github.com/mcp-prompts/prompts/promptskills"
)

// The files of skills are resources beside those of the server, follow the
// registry, and go with unmount.
func TestMountSkills(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithResourceCapabilities(true, true))
	s.AddResource(mcp.NewResource("test://own", "own"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://own", Text: "own"}}, nil
	})
	var skills promptskills.Registry
	set := func(path, text string) {
		require.NoError(t, skills.Set(promptskills.Skill{
			Path: path, Frontmatter: json.RawMessage(`{"name":"` + path + `","description":"d"}`),
			Files: map[string][]byte{"SKILL.md": []byte("---\n---\n"), "x": []byte(text)},
		}))
	}
	set("a", "\xff")
	unmount, err := mcpgo.MountSkills(s, &skills, mcpgo.SkillsOptions{})
	require.NoError(t, err)
	defer unmount()
	ask := func(method, params string) string {
		response := s.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`))
		text, err := json.Marshal(response)
		require.NoError(t, err)
		return string(text)
	}
	assert.Contains(t, ask("resources/list", ""), `"test://own"`)
	assert.Contains(t, ask("resources/list", ""), `"skill://a/x"`)
	assert.Contains(t, ask("resources/read", `"uri":"skill://a/x"`), `"blob":"/w=="`)
	assert.Contains(t, ask("resources/read", `"uri":"skill://a/SKILL.md"`), `"text":"---\n---\n"`)
	assert.Contains(t, ask("resources/read", `"uri":"test://own"`), `"text":"own"`)
	assert.Contains(t, ask("resources/read", `"uri":"skill://a/none"`), `"error"`)
	set("b", "1")
	assert.True(t, skills.Remove("a"))
	assert.Eventually(t, func() bool {
		list := ask("resources/list", "")
		return strings.Contains(list, "skill://b/x") && !strings.Contains(list, "skill://a/x")
	}, time.Minute, 10*time.Millisecond)
	unmount()
	assert.NotContains(t, ask("resources/list", ""), "skill://")
	assert.Contains(t, ask("resources/list", ""), "test://own")
	_, err = mcpgo.MountSkills(nil, &skills, mcpgo.SkillsOptions{})
	assert.Error(t, err)
}

// A resource of the server with the URI of a file is an error of MountSkills, and wins
// later. Nothing of this package replaces or deletes the resource.
func TestMountSkillsKeepsResources(t *testing.T) {
	t.Parallel()
	const uri = "skill://a/SKILL.md"
	s := server.NewMCPServer("s", "1", server.WithResourceCapabilities(true, true))
	add := func(uri string) {
		s.AddResource(mcp.NewResource(uri, "own"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, Text: "own"}}, nil
		})
	}
	owned := func() (owned, ours int) {
		for _, r := range s.ListResources() {
			if r.Resource.Name == "own" {
				owned++
			} else {
				ours++
			}
		}
		return owned, ours
	}
	var skills promptskills.Registry
	set := func(path string) {
		require.NoError(t, skills.Set(promptskills.Skill{
			Path: path, Frontmatter: json.RawMessage(`{"name":"` + path + `","description":"d"}`),
			Files: map[string][]byte{"SKILL.md": []byte("---\n---\n"), "x": nil},
		}))
	}
	set("a")
	add(uri)
	_, err := mcpgo.MountSkills(s, &skills, mcpgo.SkillsOptions{})
	require.ErrorIs(t, err, prompts.ErrExists)
	assert.ErrorContains(t, err, `"skill://a/SKILL.md"`)
	own, ours := owned()
	assert.Equal(t, []int{1, 0}, []int{own, ours})

	s.DeleteResources(uri)
	unmount, err := mcpgo.MountSkills(s, &skills, mcpgo.SkillsOptions{})
	require.NoError(t, err)
	defer unmount()
	_, err = mcpgo.MountSkills(s, &skills, mcpgo.SkillsOptions{})
	require.ErrorIs(t, err, prompts.ErrExists, "of another mount")
	add(uri)
	add("skill://b/x")
	set("b")
	require.Eventually(t, func() bool { _, ours := owned(); return ours == 2 }, time.Minute, time.Millisecond) // a/x and b/SKILL.md
	own, _ = owned()
	assert.Equal(t, 2, own)
	unmount()
	own, ours = owned()
	assert.Equal(t, []int{2, 0}, []int{own, ours})
}
