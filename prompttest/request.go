package prompttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts"
)

// Call sends a request of any method, such as tools/list, and returns the result as
// JSON, or the server's error: a [*prompts.Error], with Data as decoded by encoding/json.
// params is a value that encoding/json encodes as an object, or nil. In protocol version
// 2026-07-28, Call adds the required _meta.
func (c *Client) Call(method string, params any) (json.RawMessage, error) {
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
	if refusal != nil { // a nil *Error in an error is an error
		return nil, refusal
	}
	return raw, nil
}

// rounds sends a request, again with the answers to whatever it asks meanwhile.
func (c *Client) rounds(method string, params map[string]any) (json.RawMessage, *prompts.Error, error) {
	for range mostRounds {
		if c.options.OnNotification != nil {
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

func kindOf(raw json.RawMessage) string {
	var members map[string]json.RawMessage
	var kind string
	_ = json.Unmarshal(raw, &members)
	_ = json.Unmarshal(members["resultType"], &kind)
	return kind
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
		return "", nil, c.connectionError(err)
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

func (c *Client) await(id string, p *pending) (*message, error) {
	for {
		var a *asked
		err := c.until(func() bool {
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

// mostRounds is how many times a prompt may ask before it is taken to do so without end.
const mostRounds = 32

func (c *Client) reply(a *asked) error {
	answer := map[string]any{"jsonrpc": "2.0", "id": a.id}
	switch v := c.options.Answer(a.question).(type) {
	case *prompts.Error:
		failure := map[string]any{"code": v.Code, "message": v.Message}
		if v.Data != nil {
			failure["data"] = v.Data
		}
		answer["error"] = failure
	case error:
		answer["error"] = map[string]any{"code": prompts.CodeInternalError, "message": v.Error()}
	default:
		answer["result"] = v
	}
	msg, err := encode(answer)
	if err != nil {
		return err
	}
	return c.write(msg)
}

// inputResponses answers the questions of a result of revision 2026-07-28,
// and puts what its retry needs to params.
func (c *Client) inputResponses(raw json.RawMessage, params map[string]any) error {
	o := newObject("MRT-05", "result", raw)
	o.text("resultType")
	c.protocol.meta(o)
	var requests map[string]json.RawMessage
	var state *string
	o.read("inputRequests", "an object", &requests)
	o.read("requestState", "a string", &state)
	if requests == nil && state == nil {
		o.reject("must have inputRequests or a requestState")
	}
	if err := o.end(); err != nil {
		return err
	}
	delete(params, "requestState")
	if state != nil {
		params["requestState"] = *state
	}
	delete(params, "inputResponses")
	responses := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(requests)) { // so that Answer has the same order in each run
		r := newObject("MRT-06", fmt.Sprintf("question %q", key), requests[key])
		q := newQuestion(key, r.mustText("method"), r.take("params"))
		if err := r.end(); err != nil {
			return err
		}
		if err := c.checkAsked(q); err != nil {
			return err
		}
		if c.options.Answer == nil {
			return fmt.Errorf("server asks (%s: %s); set ClientOptions.Answer", q.Method, q.Message)
		}
		v := c.options.Answer(q)
		if err, ok := v.(error); ok {
			return fmt.Errorf("question %q cannot be answered with an error in protocol version %s: %w", key, c.protocol.String(), err)
		}
		responses[key] = v
	}
	if len(responses) > 0 {
		params["inputResponses"] = responses
	}
	return nil
}
