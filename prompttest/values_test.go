package prompttest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// Two texts at least are made of a pattern that has two.
func TestMatches(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		`^[A-Z]{2}-\d+$`, `^(a|b|c)x?$`, `^\d{4}-\d{2}-\d{2}$`, `^v[0-9]+(\.[0-9]+)*$`, `[a-f0-9]{40}`, `(?i)^yes|no$`,
		`^.+@.+$`, `^[^/]+/[^/]+$`, `^[äöü]+$`, `^\S+$`,
	} {
		all := matches(pattern)
		assert.GreaterOrEqual(t, len(all), 2, "%s: %q", pattern, all)
		for _, text := range all {
			assert.Regexp(t, regexp.MustCompile(pattern), text)
		}
	}
	assert.Len(t, matches("^[äöü]+$"), 3)
	assert.Equal(t, []string{"abc"}, matches("^abc$"))
	assert.Empty(t, matches(`^[[:nothing:]]`))
	assert.Empty(t, matches(`(?=a)`), "what Go has not")
	assert.Empty(t, matches(`[^\x00-\x{10FFFF}]`))
	assert.Empty(t, matches(`^a\b.$`), "what depends on its neighbours")
	assert.Empty(t, matches(strings.Repeat("(a{1000})", 100)), "what is too long")
}

// The values of what has only so many are those of its schema, as texts.
func TestFinite(t *testing.T) {
	t.Parallel()
	var one any = 1.0
	for _, test := range []struct {
		schema *jsonschema.Schema
		want   []string
	}{
		{nil, nil},
		{&jsonschema.Schema{Type: "string"}, nil},
		{prompts.Enum("a", "b"), []string{"a", "b"}},
		{&jsonschema.Schema{Enum: []any{1, 2.5, true}}, []string{"1", "2.5", "true"}},
		{&jsonschema.Schema{Const: &one}, []string{"1"}},
		{&jsonschema.Schema{Type: "boolean"}, []string{"true", "false"}},
		{&jsonschema.Schema{Type: "array", Items: prompts.Enum("a", "b,c", " d")}, []string{"a", `["b,c"]`, `[" d"]`}},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}, nil},
	} {
		assert.Equal(t, test.want, finite(&prompts.Argument{Schema: test.schema}))
	}
}

// Values that are made up fit what is declared, at its edges too.
func TestSamplesFit(t *testing.T) {
	t.Parallel()
	three, minusThree, half, big := 3.0, -3.0, 0.5, 1e15
	two, hundred := 2, 100
	for _, s := range []*jsonschema.Schema{
		{Type: "integer", Maximum: &minusThree},
		{Type: "integer", Minimum: &big},
		{Type: "integer", ExclusiveMinimum: &minusThree, ExclusiveMaximum: &three},
		{Type: "number", Minimum: &half, Maximum: &three},
		{Type: "number", MultipleOf: &half},
		{MinLength: &hundred},
		{MaxLength: &two},
		{Type: "array", Items: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": {Type: "boolean"}}, Required: []string{"a"}}},
		{Type: "array", Items: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}}, MinItems: &two},
		{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "integer"}},
		{Types: []string{"integer", "null"}},
	} {
		p := text([]prompts.Argument{{Name: "a b", Required: true, Schema: s}}, func(args map[string]string) (string, error) { return args["a b"], nil })
		assert.Empty(t, checked(t, CheckArguments, CheckOptions{}, p).errors, "%v", s)
	}
}

// Lists are as long as they may be, and one is longer than the others.
func TestSamplesOfLists(t *testing.T) {
	t.Parallel()
	two := 2
	items := &jsonschema.Schema{Type: "boolean"}
	assert.Equal(t, []string{"true", "false", "true", "false", "true, false"}, samples("a", &jsonschema.Schema{Type: "array", Items: items}))
	for _, text := range samples("a", &jsonschema.Schema{Type: "array", Items: items, MinItems: &two, MaxItems: &two}) {
		assert.Equal(t, 1, strings.Count(text, ","), "%s", text)
	}
}

// A server that limits how often a client may ask is asked as often as it wants.
func TestCompletionsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls int
		var arguments []prompts.Argument
		for i := range 60 {
			arguments = append(arguments, prompts.Argument{Name: fmt.Sprintf("a%d", i), Required: true, Complete: func(context.Context, string, map[string]string) ([]string, error) {
				calls++
				return []string{"red", "blue"}, nil
			}})
		}
		var reg prompts.Registry
		reg.MustAdd(text(arguments, func(args map[string]string) (string, error) {
			var all strings.Builder
			for _, a := range arguments {
				if v := args[a.Name]; v != "red" && v != "blue" {
					return "", prompts.InvalidArgument(a.Name, "is no colour")
				}
				all.WriteString(args[a.Name])
			}
			return all.String(), nil
		}))
		CheckArguments(t, &reg, CheckOptions{Client: New(t, &reg)})
		assert.Equal(t, 2*len(arguments), calls, "once to render, and once beside all the others")
		CheckEnums(t, &reg, CheckOptions{Client: New(t, &reg)})
		assert.Equal(t, 3*len(arguments), calls)
	})
}
