package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A server is added to a list of a YAML file or removed, and every other line stays as it is.
func TestEditYAML(t *testing.T) {
	t.Parallel()
	const added = "  - name: review\n    command: prompts\n    args: [serve, /a b]\n"
	other := func(indent string) string {
		return indent + "# mine\n" + indent + "- name: x # 1\n" + indent + "  command: y\n"
	}
	for name, c := range map[string]struct {
		before, after string
		force         bool
		removes       bool
		err           string
	}{
		"no list":          {before: "name: a # b\n", after: "name: a # b\nmcpServers:\n" + added},
		"no end of line":   {before: "name: a", after: "name: a\nmcpServers:\n" + added},
		"an empty list":    {before: "mcpServers: # none\nname: a\n", after: "mcpServers: # none\n" + added + "name: a\n"},
		"a list":           {before: "mcpServers:\n" + other("  ") + "\nname: a\n", after: "mcpServers:\n" + added + other("  ") + "\nname: a\n"},
		"a list at left":   {before: "mcpServers:\n" + other(""), after: "mcpServers:\n- name: review\n  command: prompts\n  args: [serve, /a b]\n" + other("")},
		"Windows":          {before: "name: a\r\n", after: "name: a\r\nmcpServers:\r\n  - name: review\r\n    command: prompts\r\n    args: [serve, /a b]\r\n"},
		"the same":         {before: "mcpServers:\n" + added, after: "mcpServers:\n" + added},
		"another":          {before: "mcpServers:\n  - name: review\n    command: z\n", err: `server "review" exists with other settings`},
		"another, forced":  {before: "mcpServers:\n  - name: review\n    command: z\n" + other("  "), force: true, after: "mcpServers:\n" + added + other("  ")},
		"the last, forced": {before: "mcpServers:\n  - name: review\n    command: z\nname: a\n", force: true, after: "mcpServers:\n" + added + "name: a\n"},
		"removed":          {before: "mcpServers:\n" + added + other("  ") + "name: a\n", removes: true, after: "mcpServers:\n" + other("  ") + "name: a\n"},
		"removed, last":    {before: "mcpServers:\r\n" + strings.ReplaceAll(added, "\n", "\r\n") + "name: a\r\n", removes: true, after: "mcpServers:\r\nname: a\r\n"},
		"nothing removed":  {before: "mcpServers:\n" + other("  "), removes: true, after: "mcpServers:\n" + other("  ")},
		"a mark":           {before: "\ufeffname: a\n", after: "\ufeffname: a\nmcpServers:\n" + added},
		"a flow":           {before: "mcpServers: []\n", err: "mcpServers must be a list with each server on lines of its own"},
		"an object":        {before: "mcpServers:\n  a: b\n", err: "mcpServers must be a list with each server on lines of its own"},
		"no object":        {before: "- a\n", err: "document must be an object"},
		"invalid":          {before: "a: [\n", err: "invalid YAML"},
		"empty":            {err: "file is missing or empty; start the client once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &entry{Name: "review", Command: "prompts", Args: []string{"serve", "/a b"}}
			if c.removes {
				server = nil
			}
			after, err := editYAML([]byte(c.before), []string{"mcpServers", "review"}, server, c.force)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, c.after, string(after))
		})
	}
}
