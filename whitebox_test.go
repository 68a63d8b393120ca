package prompts

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
)

func ptr[T any](v T) *T { return &v }

func titled(title string) *jsonschema.Schema { return &jsonschema.Schema{Title: title} }

// storing is a prompt whose render function keeps what it gets.
func storing[In any](got *In, arguments ...Argument) Prompt {
	return New(Prompt{Name: "p", Arguments: arguments}, func(_ context.Context, in In) (*Result, error) {
		*got = in
		return &Result{}, nil
	})
}

// untyped is a prompt without a struct, whose message is its arguments.
func untyped(arguments ...Argument) Prompt {
	return Prompt{Name: "p", Arguments: arguments, Render: func(_ context.Context, args map[string]string) (*Result, error) {
		return Messages(User(fmt.Sprint(args))), nil
	}}
}

type benchReview struct {
	Code     string `json:"code" jsonschema:"the code to review"`
	Language string `json:"language,omitempty" jsonschema:"its programming language"`
}

// promptOf is a prompt of the struct In that is never rendered.
func promptOf[In any](arguments ...Argument) Prompt {
	var got In
	return storing(&got, arguments...)
}

// manyPrompts declares n prompts of one type, in the order of their names.
func manyPrompts(n int) []Prompt {
	all := make([]Prompt, n)
	for i := range all {
		all[i] = benchPrompt(i)
	}
	return all
}

func benchPrompt(i int) Prompt {
	return New(
		Prompt{Name: fmt.Sprintf("code_review_%07d", i), Description: fmt.Sprintf("Reviews code, %07d", i)},
		func(context.Context, benchReview) (*Result, error) { return Messages(), nil },
	)
}

// manyData declares n prompts without a struct.
func manyData(n int) []Prompt {
	all := make([]Prompt, n)
	for i := range all {
		all[i] = dataPrompt(i)
	}
	return all
}

func dataPrompt(i int) Prompt {
	return Prompt{
		Name:        fmt.Sprintf("code_review_%07d", i),
		Description: fmt.Sprintf("Reviews code, %07d", i),
		Arguments: []Argument{
			{Name: "code", Description: "the code to review", Required: true},
			{Name: "language", Description: "its programming language"},
		},
		Render: func(context.Context, map[string]string) (*Result, error) { return Messages(), nil },
	}
}

const maxDepth = jsonenc.MaxDepth

// registryOf returns a registry of the prompts.
func registryOf(ps ...Prompt) *Registry {
	r := new(Registry)
	r.MustAdd(ps...)
	return r
}
