package prompttest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

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
		assert.Equal(t, 3*len(arguments), calls, "once to render, and twice beside all the others")
		CheckEnums(t, &reg, CheckOptions{Client: New(t, &reg)})
		assert.Equal(t, 4*len(arguments), calls)
	})
}
