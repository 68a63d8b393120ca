package gosdk_test

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type colour struct {
	Colour string `json:"colour,omitempty"`
}

// asks is a prompt that asks one of everything.
func asks() prompts.Prompt {
	return renders("asks", func(ctx context.Context) (*prompts.Result, error) {
		form := prompts.Form[colour]("form", "Which?")
		sample := prompts.InputRequest("sample", "sampling/createMessage", map[string]any{
			"messages": []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": "hi"}}}, "maxTokens": 5,
		})
		roots := prompts.InputRequest("roots", "roots/list", nil)
		if err := prompts.Ask(ctx, form, sample, roots); err != nil {
			return nil, err
		}
		again, err := prompts.Elicit[colour](ctx, "again", "And then?")
		if err != nil {
			return nil, err
		}
		var said struct{ Content struct{ Text string } }
		var where struct{ Roots []struct{ URI string } }
		if err := errors.Join(json.Unmarshal(sample.Value, &said), json.Unmarshal(roots.Value, &where)); err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(form.Value.Colour + " " + said.Content.Text + " " + where.Roots[0].URI + " " + again.Colour)), nil
	})
}

// answerer answers what asks asks.
func answerer(elicited string) func(string, json.RawMessage) string {
	return func(method string, _ json.RawMessage) string {
		switch method {
		case "sampling/createMessage":
			return `{"role":"assistant","model":"m","content":{"type":"text","text":"hello"}}`
		case "roots/list":
			return `{"roots":[{"uri":"file:///r"}]}`
		}
		return elicited
	}
}

// getAll is a prompts/get with as many rounds as it takes.
func (c *client) getAll(t *testing.T, name string) (json.RawMessage, int) {
	t.Helper()
	params := map[string]any{"name": name}
	for rounds := 0; ; rounds++ {
		result := c.must("prompts/get", string(marshal(t, params)))
		var r struct {
			ResultType    string
			RequestState  string
			InputRequests map[string]struct {
				Method string
				Params json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal(result, &r))
		if r.ResultType != "input_required" {
			return result, rounds
		}
		answers := map[string]json.RawMessage{}
		for key, q := range r.InputRequests {
			answers[key] = json.RawMessage(c.answer(q.Method, q.Params))
		}
		params["inputResponses"], params["requestState"] = answers, r.RequestState
	}
}

// A prompt asks by the way that the revision has.
func TestAsk(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{stateless, newest, canAsk} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			s := newServer(nil)
			mount(t, s, registry(asks()), prompts.Options{})
			c := dialAs(t, s, &client{revision: revision, answer: answerer(`{"action":"accept","content":{"colour":"red"}}`)})
			result, rounds := c.getAll(t, "asks")
			assert.Equal(t, "red hello file:///r red", textOf(t, result))
			assert.Equal(t, map[bool]int{true: 2, false: 0}[revision == stateless], rounds)

			// A form that was left empty is an answer too.
			c = dialAs(t, s, &client{revision: revision, answer: answerer(`{"action":"accept","content":{}}`)})
			result, _ = c.getAll(t, "asks")
			assert.Equal(t, " hello file:///r ", textOf(t, result))
		})
	}
}

// A form is asked for as it was written, to the last digit and in its order.
func TestSchemaOfAQuestion(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"type":"string"}}}`
	for _, revision := range []string{stateless, newest, canAsk} {
		s := newServer(nil)
		mount(t, s, registry(renders("asks", func(ctx context.Context) (*prompts.Result, error) {
			q := prompts.InputRequest("q", "elicitation/create", json.RawMessage(`{"message":"Which?","requestedSchema":`+schema+`}`))
			return prompts.Messages(prompts.User("asked")), prompts.Ask(ctx, q)
		})), prompts.Options{})
		var asked string
		c := dialAs(t, s, &client{revision: revision, answer: func(_ string, params json.RawMessage) string {
			asked = string(members(t, params)["requestedSchema"])
			return `{"action":"accept","content":{"a":"x"}}`
		}})
		c.getAll(t, "asks")
		assert.Equal(t, schema, asked, revision)
	}
}

// A client that cannot be asked.
func TestCannotAsk(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		mount(t, s, registry(asks()), prompts.Options{})
		e := dial(t, s, revision).refused("prompts/get", `{"name":"asks"}`)
		want := int64(-32603)
		if revision == stateless {
			want = -32021
			assert.Contains(t, string(e.Data), `"requiredCapabilities"`)
		}
		assert.Equal(t, want, e.Code, e.Message)
	})
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	mount(t, s, registry(asks()), prompts.Options{})
	c := dialAs(t, s, &client{revision: newest, answer: answerer(`{"action":"decline"}`)})
	e := c.refused("prompts/get", `{"name":"asks"}`)
	assert.EqualValues(t, -32602, e.Code)
	assert.JSONEq(t, `{"input":"form","action":"decline"}`, string(e.Data))
}

// The arguments that are missing are asked for, if the options say so.
func TestAskArguments(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{stateless, newest, canAsk} {
		s := newServer(nil)
		mount(t, s, registry(prompts.New(prompts.Prompt{Name: "p"}, func(_ context.Context, in struct{ A, B string }) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(in.A + in.B)), nil
		})), prompts.Options{ElicitArguments: true})
		c := dialAs(t, s, &client{revision: revision, answer: answerer(`{"action":"accept","content":{"A":"x","B":"y"}}`)})
		result, _ := c.getAll(t, "p")
		assert.Equal(t, "xy", textOf(t, result))
	}
}

// What a client brings back is good for its request alone.
func TestForgedState(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	mount(t, s, registry(asks()), prompts.Options{})
	c := dialAs(t, s, &client{revision: stateless, answer: answerer("")})
	e := c.refused("prompts/get", `{"name":"asks","requestState":"forged","inputResponses":{"form":{"action":"accept","content":{}}}}`)
	assert.EqualValues(t, -32602, e.Code)
	assert.JSONEq(t, `{"param":"requestState"}`, string(e.Data))
}

// Without sessions the SDK cannot ask a client of a handshake revision, which
// then gets the error of one that cannot be asked; and all others get their
// prompts.
func TestStatelessHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	mount(t, s, registry(says("a"), asks()), prompts.Options{})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(
		func(r *http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer web.Close()
	var asked atomic.Int32
	for _, version := range []string{"", newest, canAsk, older} {
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked.Add(1)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"colour": "red"}}, nil
			},
			CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
				return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "hello"}}, nil
			},
		}).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		result, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "a"})
		require.NoError(t, err, version)
		assert.Len(t, result.Messages, 1)
		list, err := cs.ListPrompts(t.Context(), nil)
		require.NoError(t, err, version)
		assert.Len(t, list.Prompts, 4)
		_, err = cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "asks"})
		if version != "" {
			assert.ErrorContains(t, err, "asks the user for input, but", fmt.Sprint(version))
		} else {
			assert.Positive(t, asked.Load())
		}
		require.NoError(t, cs.Close())
	}
}
