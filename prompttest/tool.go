package prompttest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/toolname"
)

// CallTool returns the content of a tool's result, such as a tool of package
// prompttools, as messages of the user: [Golden] compares them with a file. arguments
// encodes as a JSON object, or is nil. It fails the test if the client gets an error or
// a result with isError. If the prompt asks the user, ClientOptions.Answer answers.
func (c *Client) CallTool(name string, arguments any) *prompts.Result {
	c.t.Helper()
	result := c.callTool(name, arguments)
	if result.isError {
		c.fatal(fmt.Errorf("tools/call %q: result must not have isError, got:\n%s", name, golden.Format(&result.Result)))
	}
	return &result.Result
}

// CallToolError returns the content of a result with isError, as [Client.CallTool]
// does. It fails the test if the result is not one.
func (c *Client) CallToolError(name string, arguments any) *prompts.Result {
	c.t.Helper()
	result := c.callTool(name, arguments)
	if !result.isError {
		c.fatal(fmt.Errorf("tools/call %q: result must have isError, got:\n%s", name, golden.Format(&result.Result)))
	}
	return &result.Result
}

func (c *Client) callTool(name string, arguments any) *toolResult {
	c.t.Helper()
	result, refusal, err := c.askTool(name, arguments)
	switch {
	case err != nil:
		c.fatal(fmt.Errorf("tools/call %q: %w", name, err))
	case refusal != nil:
		c.fatal(fmt.Errorf("tools/call %q: %s", name, explain(refusal)))
	}
	return result
}

func (c *Client) askTool(name string, arguments any) (*toolResult, *prompts.Error, error) {
	params := map[string]any{"name": name}
	if arguments != nil {
		params["arguments"] = arguments
	}
	raw, refusal, err := c.rounds("tools/call", params)
	if err != nil || refusal != nil {
		return nil, refusal, err
	}
	result, err := c.protocol.readTool(raw)
	return result, nil, err
}

func (c *Client) getByTool(prompt string, arguments map[string]string) (*prompts.Result, *prompts.Error, error) {
	tool := c.options.ToolName(prompt)
	schemas, err := c.toolSchemas()
	if err != nil {
		return nil, nil, err
	}
	typed := map[string]json.RawMessage{} // by name, as in errors; the server accepts keys, too
	for name, text := range arguments {
		var s *jsonschema.Schema
		if schemas[tool] != nil {
			s = schemas[tool].Properties[keyOf(name, schemas[tool].Properties)]
		}
		if text != "" || sample.IsString(s) { // else it is left out, as by prompts/get
			typed[name] = json.RawMessage(sample.JSON(s, text))
		}
	}
	result, refusal, err := c.askTool(tool, typed)
	if err != nil || refusal != nil {
		return nil, refusal, err
	}
	if result.isError {
		refusal = &prompts.Error{Code: prompts.CodeInvalidParams, Message: strings.Join(golden.Texts(&result.Result), "\n")}
		_ = json.Unmarshal(result.structured, &refusal.Data) // there may be none
		return nil, refusal, nil
	}
	return &result.Result, nil, nil
}

// keyOf returns the key of an argument among the members of a tool's schema, or the name if
// no member has the key.
func keyOf[V any](name string, members map[string]V) string {
	key := toolname.Keys([]string{name})[name]
	other := toolname.Keys([]string{name, key})[name] // if an argument has the key as its name
	for _, k := range []string{other, key} {
		if _, ok := members[k]; ok {
			return k
		}
	}
	return name
}

func (c *Client) toolSchemas() (map[string]*jsonschema.Schema, error) {
	all, err := pages(c, "tools/list", c.protocol.readTools, func(t listedTool) string { return t.name })
	schemas := map[string]*jsonschema.Schema{}
	for _, t := range all {
		schemas[t.name] = t.inputSchema
	}
	return schemas, err
}

type toolResult struct {
	prompts.Result
	isError    bool
	structured json.RawMessage // nil for none
}

func (r protocol) readTool(raw json.RawMessage) (*toolResult, error) {
	o, meta := r.newResult("tools/call", raw)
	result := &toolResult{Result: prompts.Result{Meta: meta}}
	content, ok := o.list("content")
	if !ok {
		o.reject("must have content")
	}
	for i, raw := range content {
		c, err := r.readContent(fmt.Sprintf("part %d", i+1), raw)
		o.keep(err)
		result.Messages = append(result.Messages, prompts.UserContent(c))
	}
	o.read("isError", "a boolean", &result.isError)
	if r.StructuredContent() {
		result.structured = o.take("structuredContent")
		if result.structured != nil && result.structured[0] != '{' && !r.AnyStructuredContent() {
			o.reject("must have a member %q that is an object", "structuredContent")
		}
	}
	return result, o.end()
}

type listedTool struct {
	name        string
	inputSchema *jsonschema.Schema
}

func (r protocol) readTools(raw json.RawMessage) (page []listedTool, next *string, scope string, err error) {
	o, _ := r.newResult("tools/list", raw)
	scope = r.cacheable(o)
	all, ok := o.list("tools")
	if !ok {
		o.reject("must have tools")
	}
	for _, raw := range all {
		t := newObject("tools/list", "tool of the list", raw)
		tool := listedTool{name: t.mustText("name")}
		t.must("inputSchema", "a JSON schema", &tool.inputSchema)
		t.text("description")
		r.icon(t)
		if r.ToolAnnotations() {
			t.read("annotations", "an object", new(map[string]json.RawMessage))
		}
		if r.Titles() {
			t.text("title")
			r.meta(t)
		}
		if r.StructuredContent() {
			t.read("outputSchema", "an object", new(map[string]json.RawMessage))
		}
		o.keep(t.end())
		page = append(page, tool)
	}
	o.read("nextCursor", "a string", &next)
	return page, next, scope, o.end()
}
