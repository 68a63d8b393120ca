package promptfs_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts/promptfs"
)

// frontMatterSchema returns docs/prompt-file.schema.json, which editors use.
func frontMatterSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile("../docs/prompt-file.schema.json")
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(text, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	return resolved
}

// validateFrontMatter validates YAML with the schema.
func validateFrontMatter(t *testing.T, schema *jsonschema.Resolved, front string) error {
	t.Helper()
	var value any
	require.NoError(t, yaml.Unmarshal([]byte(front), &value), "%s", front)
	text, err := json.Marshal(value) // in which a date is a string, as for editors
	require.NoError(t, err, "%s", front)
	require.NoError(t, json.Unmarshal(text, &value))
	return schema.Validate(value)
}

// The schema accepts the front matter of every file of the examples, of the tests and
// of docs/prompt-files.md.
func TestSchemaAcceptsFiles(t *testing.T) {
	t.Parallel()
	schema := frontMatterSchema(t)
	page, err := os.ReadFile("../docs/prompt-files.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(strings.ReplaceAll(string(page), "\r\n", "\n"), "```markdown\n")
	require.True(t, found)
	texts := map[string]string{"docs/prompt-files.md": example}
	for _, dir := range []string{"testdata/good", "../examples/files/prompts", "../examples/fleet/prompts"} {
		require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".md" || strings.HasPrefix(entry.Name(), "_") || entry.Name() == "SKILL.md" {
				return err
			}
			text, err := os.ReadFile(name)
			texts[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
			return err
		}))
	}
	accepted := 0
	for name, text := range texts {
		text = strings.TrimPrefix(text, "\ufeff")
		if front, _, found := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n"); found && strings.HasPrefix(text, "---\n") {
			assert.NoError(t, validateFrontMatter(t, schema, front), name)
			accepted++
		}
	}
	assert.Greater(t, accepted, 8)
}

// The schema finds the errors of front matter that the loader finds, apart from those
// that a schema cannot express.
func TestSchemaRejectsFiles(t *testing.T) {
	t.Parallel()
	schema := frontMatterSchema(t)
	for _, front := range []string{
		"[title]", "titel: x", "Title: x", "title:", "title: [a]", "name: ''",
		"tags: a", "tags: []", "tags: [~]", "hints: yes", "hints: 1", "template: x",
		"icons: []", "icons: [{href: y}]", "icons: [{src: 'https://a.test', x: 1}]", "icons: [{src: x}]",
		"icons: [{src: 'https://a.test', theme: blue}]",
		"meta: a", "meta: {a: 1}\n_meta: {b: 1}",
		"arguments: {code: x}", "arguments: []", "arguments: [code]", "arguments: [{title: x}]", "arguments: [{name: ''}]",
		"arguments: [{name: a, desc: x}]", "arguments: [{name: a, type: int}]", "arguments: [{name: a, required: 1}]",
		"arguments: [{name: a, sensitive: x}]", "arguments: [{name: a, complete: []}]", "arguments: [{name: a, enum: a}]",
		"arguments: [{name: a, minLength: -1}]", "arguments: [{name: a, maxLength: 1.5}]", "arguments: [{name: a, type: integer, minimum: x}]",
		"arguments: [{name: a, format: day}]", "arguments: [{name: a, pattern: [x]}]",
		"arguments: [{name: a, type: array, items: {type: array}}]", "arguments: [{name: a, type: array, items: {default: x}}]",
		"arguments: [{name: a, required: true, default: x}]", "arguments: [{name: a, sensitive: true, default: x}]",
		"arguments: [{name: a, sensitive: true, complete: [x]}]", "arguments: [{name: a, sensitive: true, examples: [x]}]",
		"arguments: [{name: a, examples: x}]", "arguments: [{name: a, examples: []}]",
		"template: false\narguments: [{name: a}]",
	} {
		t.Run(front, func(t *testing.T) {
			t.Parallel()
			body := "hi"
			if strings.Contains(front, "name: a") {
				body = "{{.a}}"
			}
			_, err := promptfs.Parse(nil, "p.md", []byte("---\n"+front+"\n---\n"+body), promptfs.Options{})
			require.Error(t, err)
			assert.Error(t, validateFrontMatter(t, schema, front))
		})
	}
}

// The schema and the loader agree on each keyword with each type, for arguments and for
// the elements of an array.
func TestSchemaOfEachType(t *testing.T) {
	t.Parallel()
	schema := frontMatterSchema(t)
	accepted, rejected := 0, 0
	for _, typ := range []string{"", "string", "integer", "number", "boolean", "array"} {
		for _, keyword := range []string{"", "minimum: 1", "maximum: 3", "minLength: 1", "maxLength: 9", "pattern: a", "format: date",
			"items: {}", "items: {type: integer}", "items: {minLength: 1}", "minItems: 1", "maxItems: 3",
			"enum: [a, b]", "enum: [1, 2]", "enum: [true]", "enum: [1.5]",
			"default: a", "default: 2", "default: 1.5", "default: true", "default: [a]", "default: []", "default: 2026-11-22",
			"examples: [a, b]", "examples: [2]", "examples: [1.5]", "examples: [true]", "examples: [[a]]"} {
			for _, element := range []bool{false, true} {
				keys := keyword
				if typ != "" {
					keys = strings.Trim("type: "+typ+", "+keyword, ", ")
				}
				front := fmt.Sprintf("arguments: [{name: a, %s}]", keys)
				if element {
					front = fmt.Sprintf("arguments: [{name: a, type: array, items: {%s}}]", keys)
				}
				_, loader := promptfs.Parse(nil, "p.md", []byte("---\n"+front+"\n---\n{{.a}}"), promptfs.Options{})
				err := validateFrontMatter(t, schema, front)
				assert.Equal(t, loader == nil, err == nil, "%s\nloader: %v\nschema: %v", front, loader, err)
				if loader == nil {
					accepted++
				} else {
					rejected++
				}
			}
		}
	}
	assert.Greater(t, min(accepted, rejected), 50)
}
