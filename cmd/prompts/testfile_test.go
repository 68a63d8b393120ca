package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// TestTestFileSchema checks that the schema for editors and the command accept and reject
// the same test files: those of the examples and of the page on tests, and files with one
// mistake each.
func TestTestFileSchema(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/test-file.schema.json")
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	check := func(name, text string, isValid bool) {
		_, errs := cases.New("a.test.yaml", []byte(text), promptfile.ParseYAML)
		assert.Equal(t, isValid, len(errs) == 0, "%s: %v", name, errs)
		value, _, err := promptfile.ParseYAML("a.test.yaml", []byte(text))
		require.NoError(t, err, name)
		var decoded any
		require.NoError(t, json.Unmarshal(value, &decoded))
		err = resolved.Validate(decoded)
		assert.Equal(t, isValid, err == nil, "%s: %v", name, err)
	}
	one := func(members string) string { return "cases:\n  - {name: a, " + members + "}" }
	valid := map[string]string{"starter": string(starterOf(starterCases, "review/text"))}
	page, err := os.ReadFile("../../docs/tests.md")
	require.NoError(t, err)
	for i, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if strings.Contains(m[1], "cases:") {
			valid["docs/tests.md "+string(rune('a'+i))] = m[1]
		}
	}
	source, err := os.ReadFile("../../problem/problem.go")
	require.NoError(t, err)
	var reasons []any
	for _, m := range regexp.MustCompile(`Reason = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		reasons = append(reasons, m[1])
		valid["reason "+m[1]] = one("expect: {error: {x: " + m[1] + "}}")
	}
	assert.Contains(t, reasons, "missing")
	assert.ElementsMatch(t, reasons, schema.Definitions["expect"].Properties["error"].AnyOf[1].AdditionalProperties.Enum)
	require.NoError(t, filepath.WalkDir("../../examples", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && cases.IsTestFile(name) {
			text, err := os.ReadFile(name)
			valid[name] = string(text)
			return err
		}
		return err
	}))
	require.Greater(t, len(valid), 8)
	for name, text := range valid {
		check(name, text, true)
	}
	for _, text := range []string{
		"cases: []", "cases: x", "prompt: p", "case: []", "cases: [{name: a}]\nprompts: p", "cases: [x]", "cases: [{}]", "cases: [{name: ''}]",
		one("arguments: x"), one("arguments: {x: ~}"), one("argument: {}"),
		one("answers: []"), one("answers: [x]"), one("answers: [{action: yes}]"), one("answers: [{content: x}]"), one("answers: [{action: cancel, content: {}}]"),
		one("tags: []"), one("tags: {}"),
		one("expect: {}"), one("expect: {contain: x}"), one("expect: {contains: []}"), one("expect: {contains: ''}"), one("expect: {contains: [[x]]}"),
		one("expect: {messages: -1}"), one("expect: {messages: x}"), one("expect: {maxCharacters: 1.5}"), one("expect: {roles: [system]}"), one("expect: {json: false}"),
		one("expect: {error: other}"), one("expect: {error: {}}"), one("expect: {error: {x: mising}}"), one("expect: {error: unknown, messages: 1}"),
		one("answer: {}"), one("answer: {equals: x}"), one("answer: {schema: 1}"), one("answer: {contains: x}, expect: {error: unknown}"),
	} {
		check(text, text, false)
	}
}
