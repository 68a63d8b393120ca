package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// Several is a prompt that asks three questions at once, and does without
// answers.
func Several(then func(err error)) prompts.Prompt {
	return Rendered("several", func(ctx context.Context) (*prompts.Result, error) {
		err := prompts.Ask(ctx, prompts.Form[Colour]("a", "A?"), prompts.Form[Colour]("b", "B?"), prompts.Form[Colour]("c", "C?"))
		then(err)
		return prompts.Messages(prompts.User("done")), nil
	})
}

// What the tests of asking a client have in common: a client of each era that
// answers what it is asked.

// Capabilities that clients declare.
const (
	NoCapabilities  = `{}`
	FormCapability  = `{"elicitation":{}}`
	URLCapability   = `{"elicitation":{"url":{}}}`
	AllCapabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`
)

// Asked is a request to a client.
type Asked struct {
	ID     string          `json:"id"` // in a session only
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// outcome is an answer to prompts/get, taken apart.
type outcome struct {
	ID     json.RawMessage `json:"id"`
	Result struct {
		Type     string           `json:"resultType"`
		Requests map[string]Asked `json:"inputRequests"`
		State    string           `json:"requestState"`
		Messages []struct {
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	} `json:"result"`
	Error *struct {
		Code    transport.Code  `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`

	Raw string
}

func ReadOutcome(t testing.TB, raw string) outcome {
	t.Helper()
	raw = Neutral(raw)
	o := outcome{Raw: raw}
	require.NoError(t, json.Unmarshal([]byte(raw), &o), raw)
	return o
}

// Text is the text of the only message of a prompt that is finished.
func (o outcome) Text(t testing.TB) string {
	t.Helper()
	require.Nil(t, o.Error, o.Raw)
	require.Len(t, o.Result.Messages, 1, o.Raw)
	return o.Result.Messages[0].Content.Text
}

// Wants checks that the answer asks just these questions.
func (o outcome) Wants(t testing.TB, keys ...string) {
	t.Helper()
	require.Nil(t, o.Error, o.Raw)
	require.Equal(t, "input_required", o.Result.Type, o.Raw)
	var got []string
	for key := range o.Result.Requests {
		got = append(got, key)
	}
	assert.ElementsMatch(t, keys, got, o.Raw)
}

// Fails checks that the answer is this error, and returns its data.
func (o outcome) Fails(t testing.TB, code transport.Code, message string) string {
	t.Helper()
	require.NotNil(t, o.Error, o.Raw)
	assert.Equal(t, code, o.Error.Code, o.Raw)
	assert.Equal(t, message, o.Error.Message, o.Raw)
	return string(o.Error.Data)
}

// Rounds is a client of revision 2026-07-28 that gets one prompt.
type Rounds struct {
	t            testing.TB
	Server       *prompts.Server
	Ctx          context.Context
	Prompt       string
	Arguments    string // JSON
	Capabilities string
	State        string // that comes with the next request; empty for none
	n            int
}

func NewRounds(t testing.TB, s *prompts.Server, prompt string) *Rounds {
	return &Rounds{t: t, Server: s, Ctx: context.Background(), Prompt: prompt, Arguments: "{}", Capabilities: AllCapabilities}
}

// Line returns the next request, with the responses if those are not empty.
func (r *Rounds) Line(responses string) string {
	r.n++ // MRT-18 wants a new id each time
	params := fmt.Sprintf(`"name":%q,"arguments":%s`, r.Prompt, r.Arguments)
	if responses != "" {
		params += `,"inputResponses":` + responses
	}
	if r.State != "" {
		state, err := json.Marshal(r.State)
		require.NoError(r.t, err)
		params += `,"requestState":` + string(state)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{%s,"_meta":{%q:"2026-07-28",%q:%s}}}`,
		r.n, params, EnvelopeKey, CapabilitiesKey, r.Capabilities)
}

// Get sends a request and keeps the state that comes back.
func (r *Rounds) Get(responses string) outcome {
	r.t.Helper()
	x := &Recorder{T: r.t}
	require.NoError(r.t, r.Server.Handle(r.Ctx, x.Hear(nil, r.Line(responses)), transport.Exchange{Send: x.Send}))
	require.Len(r.t, x.Messages, 1)
	require.True(r.t, x.Messages[0].Last)
	o := ReadOutcome(r.t, x.Messages[0].Msg)
	if o.Result.State != "" {
		r.State = o.Result.State
	}
	return o
}

// Accepting is the answer of a person who has filled in a form.
func Accepting(content string) string { return `{"action":"accept","content":` + content + `}` }

const (
	Declining  = `{"action":"decline"}`
	dismissing = `{"action":"cancel"}`
)

// HandshakeAs initializes the session of a client of that revision.
func (c *Client) HandshakeAs(version, capabilities string) *Client {
	c.T.Helper()
	c.Send(InitializeAs(version, capabilities), InitializedLine)
	got := c.Received()
	require.Len(c.T, got, 1, "the answer to initialize")
	require.Contains(c.T, got[0], `"protocolVersion":"`+version+`"`)
	return c
}

func InitializeAs(version, capabilities string) string {
	return strings.NewReplacer("2025-11-25", version, `"capabilities":{}`, `"capabilities":`+capabilities).Replace(InitializeLine)
}

// NewSessionAs is newSession for a client of that revision.
func NewSessionAs(t testing.TB, s *prompts.Server, version, capabilities string) transport.Session {
	t.Helper()
	session := s.NewSession(transport.SessionOptions{})
	t.Cleanup(session.Close)
	AnswerTo(t, s, session, InitializeAs(version, capabilities))
	AnswerTo(t, s, session, InitializedLine)
	return session
}

// Question returns the one message that has been received, which must be a
// request.
func (c *Client) Question() Asked {
	c.T.Helper()
	all := c.questions()
	require.Len(c.T, all, 1)
	return all[0]
}

// questions returns what has been received, which must all be requests.
func (c *Client) questions() []Asked {
	c.T.Helper()
	var all []Asked
	for _, msg := range c.Received() {
		all = append(all, ReadQuestion(c.T, msg))
	}
	return all
}

func ReadQuestion(t testing.TB, msg string) Asked {
	t.Helper()
	var q Asked
	require.NoError(t, json.Unmarshal([]byte(msg), &q), msg)
	require.NotEmpty(t, q.Method, msg)
	require.NotEmpty(t, q.ID, msg)
	return q
}

// Reply is the response to the request, and refuse one that is an error.
func (q Asked) Reply(result string) string {
	return `{"jsonrpc":"2.0","id":"` + q.ID + `","result":` + result + `}`
}

func (q Asked) Refuse(code transport.Code, message string) string {
	return ErrorLine(`"`+q.ID+`"`, code, message)
}

// Withdrawn is the notification that the request needs no answer.
func (q Asked) Withdrawn(reason string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + q.ID + `","reason":"` + reason + `"}}`
}

// Colour is a form with one field.
type Colour struct {
	Colour string `json:"colour"`
}

// Asking is a prompt that asks for a colour and says which it is.
func Asking(name string) prompts.Prompt {
	return Rendered(name, func(ctx context.Context) (*prompts.Result, error) {
		answer, err := prompts.Elicit[Colour](ctx, "colour", "Which colour?")
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(answer.Colour)), nil
	})
}

const Red = `{"action":"accept","content":{"colour":"red"}}`

type Trip struct {
	From string `json:"from"`
	To   string `json:"to"`
	Days int    `json:"days,omitempty"`
}
