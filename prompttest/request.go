package prompttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-prompts/prompts"
)

// Call sends a request of any method, such as tools/list, and returns its
// result as it came, or the error that the server has answered with; data of
// that is what encoding/json makes of it. params is a JSON object, as
// encoding/json encodes it, or nil. In revision 2026-07-28 it gets the envelope
// in addition.
func (c *Client) Call(method string, params any) (json.RawMessage, *prompts.Error) {
	c.t.Helper()
	var members map[string]any
	if params != nil {
		raw, err := encode(params)
		if err == nil {
			err = json.Unmarshal(raw, &members)
		}
		if err != nil {
			c.fatal(fmt.Errorf("%s: its params are not a JSON object: %w", method, err))
		}
	}
	raw, refusal, err := c.request(method, members)
	if err != nil {
		c.fatal(fmt.Errorf("%s: %w", method, err))
	}
	return raw, refusal
}

// Get returns what the client gets of a prompt, with the values of its
// arguments. It fails the test if the client gets an error. What the prompt
// asks, ClientOptions.Answer answers.
func (c *Client) Get(name string, arguments map[string]string) *prompts.Result {
	c.t.Helper()
	result, refusal, err := c.get(name, arguments)
	if err != nil {
		c.fatal(err)
	}
	if refusal != nil {
		c.fatal(fmt.Errorf("prompts/get %q: %s", name, explain(refusal)))
	}
	return result
}

// GetError returns the error that the client gets instead of a prompt. It fails
// the test if there is none. See [Reasons] for what is wrong with arguments.
func (c *Client) GetError(name string, arguments map[string]string) *prompts.Error {
	c.t.Helper()
	result, refusal, err := c.get(name, arguments)
	if err != nil {
		c.fatal(err)
	}
	if refusal == nil {
		c.fatal(fmt.Errorf("prompts/get %q: it should have failed, but the client gets:\n%s", name, format(result)))
	}
	return refusal
}

func (c *Client) get(name string, arguments map[string]string) (*prompts.Result, *prompts.Error, error) {
	result, refusal, err := c.ask(name, arguments)
	if err != nil {
		return nil, nil, fmt.Errorf("prompts/get %q: %w", name, err)
	}
	return result, refusal, nil
}

// ask gets a prompt, whatever it asks meanwhile.
func (c *Client) ask(name string, arguments map[string]string) (*prompts.Result, *prompts.Error, error) {
	params := map[string]any{"name": name}
	if arguments != nil {
		params["arguments"] = arguments
	}
	for range mostRounds {
		if c.options.Notified != nil {
			params["_meta"] = map[string]any{"progressToken": name}
		}
		raw, refusal, err := c.request("prompts/get", params)
		if err != nil || refusal != nil {
			return nil, refusal, err
		}
		if !c.protocol.Stateless() || kindOf(raw) != "input_required" {
			result, err := c.protocol.readPrompt(raw)
			return result, nil, err
		}
		if err := c.inputResponses(raw, params); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errAsksForEver
}

// kindOf returns the resultType of a result.
func kindOf(raw json.RawMessage) string {
	var members map[string]json.RawMessage
	var kind string
	_ = json.Unmarshal(raw, &members)
	_ = json.Unmarshal(members["resultType"], &kind)
	return kind
}

// List returns the prompts that the client sees, of all pages, with what it
// sees of them.
func (c *Client) List() []prompts.Prompt {
	c.t.Helper()
	all, err := c.list()
	if err != nil {
		c.fatal(fmt.Errorf("prompts/list: %w", err))
	}
	return all
}

func (c *Client) list() ([]prompts.Prompt, error) {
	var all []prompts.Prompt
	names, cursors := map[string]bool{}, map[string]bool{}
	var params map[string]any
	for {
		raw, refusal, err := c.request("prompts/list", params)
		if err != nil {
			return nil, err
		}
		if refusal != nil {
			return nil, errors.New(explain(refusal))
		}
		page, next, err := c.protocol.readList(raw)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			if names[p.Name] {
				return nil, fmt.Errorf("the prompt %q is listed twice", p.Name)
			}
			names[p.Name] = true
		}
		all = append(all, page...)
		if next == nil {
			return all, nil
		}
		if cursors[*next] {
			return nil, fmt.Errorf("the cursor %q comes twice: the list has no end", *next)
		}
		cursors[*next] = true
		params = map[string]any{"cursor": *next}
	}
}

// Complete returns the values that the client is offered for an argument of a
// prompt, once value has been typed and the others have these values. Revisions
// before 2025-06-18 do not tell the server of the others.
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

// request sends a request and waits for its answer. The error says that there
// is none.
func (c *Client) request(method string, params map[string]any) (json.RawMessage, *prompts.Error, error) {
	id, p, err := c.send(method, params)
	if err != nil {
		return nil, nil, err
	}
	m, err := c.await(id, p)
	if err != nil {
		return nil, nil, err
	}
	return m.result, m.failure, nil
}

// send sends a request, and returns where its answer comes.
func (c *Client) send(method string, params map[string]any) (id string, p *pending, err error) {
	c.mu.Lock()
	c.lastID++
	id = fmt.Sprintf(`"prompttest-%d"`, c.lastID)
	p = &pending{answer: make(chan *message, 2)}
	failure := c.failure
	if failure == nil {
		c.pending[id] = p
		if method == listenMethod {
			c.listen = id // before its acknowledgement can come
		}
	}
	c.mu.Unlock()
	if failure != nil {
		return "", nil, failure
	}
	request := map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method}
	if c.protocol.Stateless() {
		params = c.enveloped(params)
	}
	if params != nil {
		request["params"] = params
	}
	msg, err := encode(request)
	if err == nil {
		err = c.write(msg)
	}
	if err != nil {
		c.forget(id)
		return "", nil, c.because(err)
	}
	return id, p, nil
}

// enveloped returns params with the envelope of revision 2026-07-28.
func (c *Client) enveloped(params map[string]any) map[string]any {
	all, meta := map[string]any{}, map[string]any{}
	for name, value := range params {
		all[name] = value
	}
	if own, ok := params["_meta"].(map[string]any); ok {
		for name, value := range own {
			meta[name] = value
		}
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

// await waits for the answer to a request, and answers what the server asks
// meanwhile.
func (c *Client) await(id string, p *pending) (*message, error) {
	for {
		timer := time.NewTimer(c.options.Timeout)
		select {
		case m := <-p.answer:
			timer.Stop()
			return m, nil
		case a := <-c.questions:
			timer.Stop()
			if err := c.reply(a); err != nil {
				return nil, err
			}
		case <-c.broken:
			timer.Stop()
			select {
			case m := <-p.answer: // it came before
				return m, nil
			default:
			}
			return nil, c.because(nil)
		case <-timer.C:
			c.forget(id)
			return nil, fmt.Errorf("the server has not answered within %v", c.options.Timeout)
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
