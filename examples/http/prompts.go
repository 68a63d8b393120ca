package main

import (
	"context"

	"github.com/mcp-prompts/prompts"
)

type article struct {
	Text string `json:"text" jsonschema:"the article"`
}

func registry() *prompts.Registry {
	var reg prompts.Registry
	reg.MustAdd(
		prompts.New(prompts.Prompt{Name: "summarize", Description: "Summarizes an article"},
			func(_ context.Context, in article) (*prompts.Result, error) {
				return prompts.Messages(prompts.User("Summarize this article:\n" + prompts.Fence("", in.Text))), nil
			}),
		prompts.New(prompts.Prompt{Name: "rewrite", Description: "Rewrites an article in the house style", Tags: []string{"write"}},
			func(_ context.Context, in article) (*prompts.Result, error) {
				return prompts.Messages(prompts.User("Rewrite this article in our house style:\n" + prompts.Fence("", in.Text))), nil
			}),
	)
	return &reg
}
