// Prompts is a minimal server of prompts over standard input and output, on
// this library.
package main

import (
	"context"
	"log"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

type review struct {
	Code     string `json:"code" jsonschema:"the code"`
	Language string `json:"language" jsonschema:"its language"`
}

func main() {
	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "code_review", Description: "Reviews code"},
		func(_ context.Context, in review) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("Please review this " + in.Language + " code:\n" + in.Code)), nil
		}))
	srv := prompts.MustNewServer(&reg, prompts.Options{Info: prompts.Implementation{Name: "bench", Version: "1.0.0"}})
	if err := stdio.Run(context.Background(), srv); err != nil {
		log.Fatal(err)
	}
}
