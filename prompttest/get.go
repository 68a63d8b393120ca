package prompttest

import (
	"errors"
	"fmt"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
)

// Get returns the result of a prompt. It fails the test if the client gets an error.
// If the prompt asks the user, ClientOptions.Answer answers.
func (c *Client) Get(name string, arguments map[string]string) *prompts.Result {
	c.t.Helper()
	result, refusal, err := c.get(name, arguments)
	if err != nil {
		c.fatal(err)
	}
	if refusal != nil {
		c.fatal(fmt.Errorf("%s: %s", c.wayTo(name), explain(refusal)))
	}
	return result
}

// GetError returns the error of a prompt. It fails the test if there is no error.
// For errors about arguments, see package problem.
func (c *Client) GetError(name string, arguments map[string]string) *prompts.Error {
	c.t.Helper()
	result, refusal, err := c.get(name, arguments)
	if err != nil {
		c.fatal(err)
	}
	if refusal == nil {
		c.fatal(fmt.Errorf("%s: prompt must fail, got:\n%s", c.wayTo(name), golden.Format(result)))
	}
	return refusal
}

func (c *Client) get(name string, arguments map[string]string) (*prompts.Result, *prompts.Error, error) {
	ask := c.ask
	if c.options.ToolName != nil {
		ask = c.getByTool
	}
	result, refusal, err := ask(name, arguments)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.wayTo(name), err)
	}
	return result, refusal, nil
}

func (c *Client) wayTo(prompt string) string {
	if c.options.ToolName != nil {
		return fmt.Sprintf("tools/call %q", c.options.ToolName(prompt))
	}
	return fmt.Sprintf("prompts/get %q", prompt)
}

func (c *Client) ask(name string, arguments map[string]string) (*prompts.Result, *prompts.Error, error) {
	params := map[string]any{"name": name}
	if arguments != nil {
		params["arguments"] = arguments
	}
	raw, refusal, err := c.rounds("prompts/get", params)
	if err != nil || refusal != nil {
		return nil, refusal, err
	}
	result, err := c.protocol.readPrompt(raw)
	return result, nil, err
}

// List returns the visible prompts of all pages, with the members that the client gets.
func (c *Client) List() []prompts.Prompt {
	c.t.Helper()
	all, err := c.list()
	if err != nil {
		c.fatal(fmt.Errorf("prompts/list: %w", err))
	}
	return all
}

func (c *Client) list() ([]prompts.Prompt, error) {
	return pages(c, "prompts/list", c.protocol.readList, func(p prompts.Prompt) string { return p.Name })
}

// Complete returns the completions of value for an argument, with these values of the other
// arguments. Protocol versions before 2025-06-18 do not send the other arguments.
func (c *Client) Complete(name, argument, value string, others map[string]string) []string {
	c.t.Helper()
	values, refusal, err := c.complete(name, argument, value, others)
	if err == nil && refusal != nil {
		err = errors.New(explain(refusal))
	}
	if err != nil {
		c.fatal(fmt.Errorf("completion/complete of %q, %q: %w", name, argument, err))
	}
	return values
}

func (c *Client) complete(name, argument, value string, others map[string]string) ([]string, *prompts.Error, error) {
	params := map[string]any{
		"ref":      map[string]any{"type": "ref/prompt", "name": name},
		"argument": map[string]any{"name": argument, "value": value},
	}
	if c.protocol.Context() && len(others) > 0 {
		params["context"] = map[string]any{"arguments": others}
	}
	raw, refusal, err := c.request("completion/complete", params)
	if err != nil || refusal != nil {
		return nil, refusal, err
	}
	values, err := c.protocol.readCompletion(raw)
	return values, nil, err
}
