package prompts_test

import (
	"context"

	"github.com/mcp-prompts/prompts"
)

// A secret is for the render function alone: errors say what is valid, and never what
// was given.
func Example_argumentSensitive() {
	type Deploy struct {
		Host  string `json:"host" jsonschema:"where to"`
		Token string `json:"token" sensitive:"true" minLength:"8"`
	}
	p := prompts.New(prompts.Prompt{Name: "deploy"}, func(_ context.Context, in Deploy) (*prompts.Result, error) {
		return nil, prompts.InvalidArgument("host", "does not accept "+in.Token)
	})
	showList(p)
	show(p, `{"host": "a", "token": "hunter2"}`, `{"host": "a", "token": "correct horse"}`)
	// Output:
	// host, required: true: where to
	// token, required: true: at least 8 characters; sensitive
	// invalid arguments for prompt "deploy": token is not valid (at least 8 characters) (-32602)
	// invalid arguments for prompt "deploy": host: does not accept [sensitive] (-32602)
}
