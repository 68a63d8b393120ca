package prompttools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttools"
)

// A prompt with a tag is a tool, too.
func ExampleNew() {
	type search struct {
		Query string `json:"query" jsonschema:"what to look for"`
		Limit int    `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
	}
	var reg prompts.Registry
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "search", Tags: []string{"for-models"}}, func(_ context.Context, in search) (string, error) {
		return fmt.Sprintf("Find the %d best pages about %s.", in.Limit, in.Query), nil
	}))

	tools, err := prompttools.New(&reg, prompttools.Options{Tags: []string{"for-models"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := prompts.MustNewServer(&reg, prompts.Options{Features: []feature.Feature{tools}})
	for _, arguments := range []string{`{"query":"cats","limit":3}`, `{"query":"cats","limit":"many"}`} {
		params := json.RawMessage(`{"name":"search","arguments":` + arguments + `}`)
		result, err := srv.Call(context.Background(), "tools/call", params, prompts.CallOptions{Version: "2025-03-26"})
		fmt.Println(string(result), err)
	}
	// Output:
	// {"content":[{"type":"text","text":"Find the 3 best pages about cats."}]} <nil>
	// {"isError":true,"content":[{"type":"text","text":"invalid arguments for prompt \"search\": limit must be an integer, got \"many\""}]} <nil>
}
