package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// What the tests of asking a client have in common: a client of each era that
// answers what it is asked.

// Capabilities that clients declare.
const (
	noCapabilities  = `{}`
	formCapability  = `{"elicitation":{}}`
	urlCapability   = `{"elicitation":{"url":{}}}`
	allCapabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`
)

// asked is a request to a client.
type asked struct {
	ID     string          `json:"id"` // in a session only
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// outcome is an answer to prompts/get, taken apart.
type outcome struct {
	ID     json.RawMessage `json:"id"`
	Result struct {
		Type     string           `json:"resultType"`
		Requests map[string]asked `json:"inputRequests"`
		State    string           `json:"requestState"`
		Messages []struct {
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	} `json:"result"`
	Error *struct {
		Code    prompts.Code    `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`

	raw string
}

func readOutcome(t testing.TB, raw string) outcome {
	t.Helper()
	o := outcome{raw: raw}
	require.NoError(t, json.Unmarshal([]byte(raw), &o), raw)
	return o
}

// text is the text of the only message of a prompt that is finished.
func (o outcome) text(t testing.TB) string {
	t.Helper()
	require.Nil(t, o.Error, o.raw)
	require.Len(t, o.Result.Messages, 1, o.raw)
	return o.Result.Messages[0].Content.Text
}

// wants checks that the answer asks just these questions.
func (o outcome) wants(t testing.TB, keys ...string) {
	t.Helper()
	require.Nil(t, o.Error, o.raw)
	require.Equal(t, "input_required", o.Result.Type, o.raw)
	var got []string
	for key := range o.Result.Requests {
		got = append(got, key)
	}
	assert.ElementsMatch(t, keys, got, o.raw)
}

// fails checks that the answer is this error, and returns its data.
func (o outcome) fails(t testing.TB, code prompts.Code, message string) string {
	t.Helper()
	require.NotNil(t, o.Error, o.raw)
	assert.Equal(t, code, o.Error.Code, o.raw)
	assert.Equal(t, message, o.Error.Message, o.raw)
	return string(o.Error.Data)
}

// rounds is a client of revision 2026-07-28 that gets one prompt.
type rounds struct {
	t            testing.TB
	server       *prompts.Server
	ctx          context.Context
	prompt       string
	arguments    string // JSON
	capabilities string
	state        string // that comes with the next request; empty for none
	n            int
}

func newRounds(t testing.TB, s *prompts.Server, prompt string) *rounds {
	return &rounds{t: t, server: s, ctx: context.Background(), prompt: prompt, arguments: "{}", capabilities: allCapabilities}
}

// line returns the next request, with the responses if those are not empty.
func (r *rounds) line(responses string) string {
	r.n++ // MRT-18 wants a new id each time
	params := fmt.Sprintf(`"name":%q,"arguments":%s`, r.prompt, r.arguments)
	if responses != "" {
		params += `,"inputResponses":` + responses
	}
	if r.state != "" {
		state, err := json.Marshal(r.state)
		require.NoError(r.t, err)
		params += `,"requestState":` + string(state)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{%s,"_meta":{%q:"2026-07-28",%q:%s}}}`,
		r.n, params, envelopeKey, capabilitiesKey, r.capabilities)
}

// get sends a request and keeps the state that comes back.
func (r *rounds) get(responses string) outcome {
	r.t.Helper()
	x := &recorder{t: r.t}
	require.NoError(r.t, r.server.Handle(r.ctx, x.hear(nil, r.line(responses)), transport.Exchange{Send: x.send}))
	require.Len(r.t, x.messages, 1)
	require.True(r.t, x.messages[0].last)
	o := readOutcome(r.t, x.messages[0].msg)
	if o.Result.State != "" {
		r.state = o.Result.State
	}
	return o
}

// accepting is the answer of a person who has filled in a form.
func accepting(content string) string { return `{"action":"accept","content":` + content + `}` }

// unable is what a client is told that cannot be asked, and undeclared what one
// of revision 2026-07-28 is told.
func unable(why string) string {
	return "the prompt needs input, and the client cannot be asked: " + why
}

func undeclared(names string) string {
	return "the prompt needs a capability that the client has not declared: " + names
}

const (
	declining  = `{"action":"decline"}`
	dismissing = `{"action":"cancel"}`
)

// handshakeAs initializes the session of a client of that revision.
func (c *client) handshakeAs(version, capabilities string) *client {
	c.t.Helper()
	c.send(initializeAs(version, capabilities), initializedLine)
	require.Len(c.t, c.received(), 1, "the answer to initialize")
	return c
}

func initializeAs(version, capabilities string) string {
	return strings.NewReplacer("2025-11-25", version, `"capabilities":{}`, `"capabilities":`+capabilities).Replace(initializeLine)
}

// newSessionAs is newSession for a client of that revision.
func newSessionAs(t testing.TB, s *prompts.Server, version, capabilities string) transport.Session {
	t.Helper()
	session := s.NewSession(transport.SessionOptions{})
	t.Cleanup(session.Close)
	for _, msg := range []string{initializeAs(version, capabilities), initializedLine} {
		_, err := handle(t, s, session, msg)
		require.NoError(t, err)
	}
	return session
}

// question returns the one message that has been received, which must be a
// request.
func (c *client) question() asked {
	c.t.Helper()
	all := c.questions()
	require.Len(c.t, all, 1)
	return all[0]
}

// questions returns what has been received, which must all be requests.
func (c *client) questions() []asked {
	c.t.Helper()
	var all []asked
	for _, msg := range c.received() {
		all = append(all, readQuestion(c.t, msg))
	}
	return all
}

func readQuestion(t testing.TB, msg string) asked {
	t.Helper()
	var q asked
	require.NoError(t, json.Unmarshal([]byte(msg), &q), msg)
	require.NotEmpty(t, q.Method, msg)
	require.NotEmpty(t, q.ID, msg)
	return q
}

// reply is the response to the request, and refuse one that is an error.
func (q asked) reply(result string) string {
	return `{"jsonrpc":"2.0","id":"` + q.ID + `","result":` + result + `}`
}

func (q asked) refuse(code prompts.Code, message string) string {
	return errorLine(`"`+q.ID+`"`, code, message)
}

// withdrawn is the notification that the request needs no answer.
func (q asked) withdrawn(reason string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + q.ID + `","reason":"` + reason + `"}}`
}

// colour is a form with one field.
type colour struct {
	Colour string `json:"colour"`
}

// asking is a prompt that asks for a colour and says which it is.
func asking(name string) prompts.Prompt {
	return rendered(name, func(ctx context.Context) (*prompts.Result, error) {
		answer, err := prompts.Elicit[colour](ctx, "colour", "Which colour?")
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(answer.Colour)), nil
	})
}

const red = `{"action":"accept","content":{"colour":"red"}}`

// bubble runs f in a synctest bubble.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}
