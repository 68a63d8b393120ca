package prompttest

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-prompts/prompts"
)

// CallTool returns the content of a tool's result, such as a tool of package
// prompttools, as messages of the user: [Golden] compares them with a file. arguments
// encodes as a JSON object, or is nil. It fails the test if the client gets an error or
// a result with isError. If the prompt asks the user, ClientOptions.Answer answers.
func (c *Client) CallTool(name string, arguments any) *prompts.Result {
	c.t.Helper()
	result, isError := c.callTool(name, arguments)
	if isError {
		c.fatal(fmt.Errorf("tools/call %q: the result has isError:\n%s", name, format(result)))
	}
	return result
}

// CallToolError returns the content of a result with isError, as [Client.CallTool]
// does. It fails the test if the result is not one.
func (c *Client) CallToolError(name string, arguments any) *prompts.Result {
	c.t.Helper()
	result, isError := c.callTool(name, arguments)
	if !isError {
		c.fatal(fmt.Errorf("tools/call %q: it should have failed, but the client gets:\n%s", name, format(result)))
	}
	return result
}

func (c *Client) callTool(name string, arguments any) (result *prompts.Result, isError bool) {
	c.t.Helper()
	params := map[string]any{"name": name}
	if arguments != nil {
		params["arguments"] = arguments
	}
	raw, refusal, err := c.rounds("tools/call", params)
	if err == nil && refusal == nil {
		result, isError, err = c.protocol.readTool(raw)
	}
	switch {
	case err != nil:
		c.fatal(fmt.Errorf("tools/call %q: %w", name, err))
	case refusal != nil:
		c.fatal(fmt.Errorf("tools/call %q: %s", name, explain(refusal)))
	}
	return result, isError
}

// readTool reads the result of tools/call.
func (r protocol) readTool(raw json.RawMessage) (result *prompts.Result, isError bool, err error) {
	o, meta := r.newResult("tools/call", raw)
	result = &prompts.Result{Meta: meta}
	content, ok := o.list("content")
	if !ok {
		o.reject("has no content")
	}
	for i, raw := range content {
		c, err := r.readContent(fmt.Sprintf("part %d", i+1), raw)
		o.keep(err)
		result.Messages = append(result.Messages, prompts.UserContent(c))
	}
	o.read("isError", "a boolean", &isError)
	if r.StructuredContent() {
		o.take("structuredContent")
	}
	return result, isError, o.end()
}
