package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
)

// Call sends a request of any method, such as tools/list, and returns the result as
// JSON, or the server's error, with Data as decoded by encoding/json. params is a
// value that encoding/json encodes as an object, or nil. In protocol version
// 2026-07-28, Call adds the required _meta.
func (c *Client) Call(method string, params any) (json.RawMessage, *prompts.Error) {
	c.t.Helper()
	var members map[string]any
	if params != nil {
		raw, err := encode(params)
		if err == nil {
			err = json.Unmarshal(raw, &members)
		}
		if err != nil {
			c.fatal(fmt.Errorf("%s: params must be a JSON object: %w", method, err))
		}
	}
	raw, refusal, err := c.request(method, members)
	if err != nil {
		c.fatal(fmt.Errorf("%s: %w", method, err))
	}
	return raw, refusal
}

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

// wayTo returns the method by which the client gets a prompt, and the name that it
// sends.
func (c *Client) wayTo(prompt string) string {
	if c.options.ToolName != nil {
		return fmt.Sprintf("tools/call %q", c.options.ToolName(prompt))
	}
	return fmt.Sprintf("prompts/get %q", prompt)
}

// ask gets a prompt, whatever it asks meanwhile.
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

// rounds sends a request, again with the answers to whatever it asks meanwhile.
func (c *Client) rounds(method string, params map[string]any) (json.RawMessage, *prompts.Error, error) {
	for range mostRounds {
		if c.options.Notified != nil {
			params["_meta"] = map[string]any{"progressToken": c.nextID()}
		}
		raw, refusal, err := c.request(method, params)
		if err != nil || refusal != nil || !c.protocol.Stateless() || kindOf(raw) != "input_required" {
			return raw, refusal, err
		}
		if err := c.inputResponses(raw, params); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("server must end its questions, got more than %d rounds", mostRounds)
}

// kindOf returns the resultType of a result.
func kindOf(raw json.RawMessage) string {
	var members map[string]json.RawMessage
	var kind string
	_ = json.Unmarshal(raw, &members)
	_ = json.Unmarshal(members["resultType"], &kind)
	return kind
}

// List returns the visible prompts of all pages, with the members that the client
// gets.
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

// pages returns the entries of all pages of a list. read reads a page, and name returns
// the name of an entry.
func pages[T any](c *Client, method string, read func(json.RawMessage) ([]T, *string, string, error), name func(T) string) ([]T, error) {
	var all []T
	names, cursors := map[string]bool{}, map[string]bool{}
	var params map[string]any
	var scope string
	for {
		raw, err := c.result(method, params)
		if err != nil {
			return nil, err
		}
		page, next, pageScope, err := read(raw)
		if err != nil {
			return nil, err
		}
		if params != nil && scope != pageScope {
			return nil, fmt.Errorf("pages must have the cacheScope of the first page, %q, got %q (CCH-05)", scope, pageScope)
		}
		scope = pageScope
		for _, entry := range page {
			if names[name(entry)] {
				return nil, fmt.Errorf("%q is listed twice (PRL-06)", name(entry))
			}
			names[name(entry)] = true
		}
		all = append(all, page...)
		if next == nil {
			return all, nil
		}
		if cursors[*next] {
			return nil, fmt.Errorf("cursor %q was sent twice, so the list has no end (PAG-04)", *next)
		}
		cursors[*next] = true
		params = map[string]any{"cursor": *next}
	}
}

// Complete returns the completions of value for an argument, with these values of
// the other arguments. Protocol versions before 2025-06-18 do not send the other
// arguments.
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

// result sends a request and returns its result, or an error that explains why the
// request has no result.
func (c *Client) result(method string, params map[string]any) (json.RawMessage, error) {
	raw, refusal, err := c.request(method, params)
	if err == nil && refusal != nil {
		err = errors.New(explain(refusal))
	}
	return raw, err
}

// request sends a request and waits for its response: a result, or an error of the
// server. The last return value is an error if no valid response arrives.
func (c *Client) request(method string, params map[string]any) (json.RawMessage, *prompts.Error, error) {
	id, p, err := c.send(method, params)
	if err != nil {
		return nil, nil, err
	}
	m, err := c.await(id, p)
	if err != nil {
		return nil, nil, err
	}
	if m.failure == nil {
		err = c.checkCapability(method)
	}
	return m.result, m.failure, err
}

// checkCapability returns an error if the server has answered a request and has
// not declared the capability for its method.
func (c *Client) checkCapability(method string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	capability, rule := "prompts", "LIF-08, DSC-04"
	switch {
	case method == "completion/complete" && c.protocol.Completions():
		capability, rule = "completions", "CMP-01"
	case method == "tools/call", method == "tools/list":
		capability, rule = "tools", "LIF-08"
	case method != "prompts/list" && method != "prompts/get":
		return nil
	}
	if c.capabilities[capability] == nil {
		return fmt.Errorf("server answers the method, but has not declared the capability %s (%s)", capability, rule)
	}
	return nil
}

// nextID returns a number that no request and no progress token of the client has.
func (c *Client) nextID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	return c.lastID
}

// send sends a request, and returns its id and where its response comes.
func (c *Client) send(method string, params map[string]any) (string, *pending, error) {
	id := fmt.Sprintf(`"prompttest-%d"`, c.nextID())
	if c.protocol.Stateless() {
		params = c.enveloped(params)
	}
	request := map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method}
	if params != nil {
		request["params"] = params
	}
	msg, err := encode(request)
	if err != nil {
		return "", nil, err
	}
	p := new(pending)
	c.mu.Lock()
	failure := c.failure
	if failure == nil {
		c.note(msg)
		c.pending[id] = p
		if method == listenMethod {
			delete(c.listens, id)
			c.listen = id // before its acknowledgement can come
		}
	}
	c.mu.Unlock()
	if failure != nil {
		return "", nil, failure
	}
	if err := c.write(msg); err != nil {
		c.forget(id)
		return "", nil, c.because(err)
	}
	return id, p, nil
}

// enveloped returns params with the envelope of revision 2026-07-28.
func (c *Client) enveloped(params map[string]any) map[string]any {
	all, meta := maps.Clone(params), map[string]any{}
	if all == nil {
		all = map[string]any{}
	}
	if own, ok := params["_meta"].(map[string]any); ok {
		meta = maps.Clone(own)
	}
	for name, value := range map[string]any{
		"protocolVersion": c.protocol.String(), "clientCapabilities": c.declared, "clientInfo": clientInfo,
	} {
		name = "io.modelcontextprotocol/" + name
		if _, ok := meta[name]; !ok {
			meta[name] = value
		}
	}
	all["_meta"] = meta
	return all
}

// await waits for the response to a request, and answers what the server asks
// meanwhile.
func (c *Client) await(id string, p *pending) (*message, error) {
	for {
		var a *asked
		err := c.until(context.Background(), func() bool {
			if p.response == nil && len(c.questions) > 0 {
				a, c.questions = c.questions[0], c.questions[1:]
			}
			return p.response != nil || a != nil
		})
		switch {
		case errors.Is(err, errLate):
			c.forget(id)
			return nil, fmt.Errorf("server has not answered within %v", c.options.Timeout)
		case err != nil:
			return nil, err
		case a == nil:
			return p.response, nil
		}
		if err := c.reply(a); err != nil {
			return nil, err
		}
	}
}

// because returns why the connection is of no use any more, and err if it is.
func (c *Client) because(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return c.failure
	}
	return err
}

// forget waits for the answer to a request no longer.
func (c *Client) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[id] != nil {
		delete(c.pending, id)
		c.settled[id] = false
	}
}
