package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

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
	raw = neutral(raw)
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
	return "the prompt asks the user for input, but " + why
}

func undeclared(names string) string {
	return "the prompt needs client capabilities that are not declared: " + names
}

const (
	declining  = `{"action":"decline"}`
	dismissing = `{"action":"cancel"}`
)

// handshakeAs initializes the session of a client of that revision.
func (c *client) handshakeAs(version, capabilities string) *client {
	c.t.Helper()
	c.send(initializeAs(version, capabilities), initializedLine)
	got := c.received()
	require.Len(c.t, got, 1, "the answer to initialize")
	require.Contains(c.t, got[0], `"protocolVersion":"`+version+`"`)
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
	answerTo(t, s, session, initializeAs(version, capabilities))
	answerTo(t, s, session, initializedLine)
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

// Questions that goroutines of one render ask are asked together, each once.
func TestAskConcurrently(t *testing.T) {
	t.Parallel()
	const n = 20
	s := prompts.MustNewServer(registryOf(rendered("many", func(ctx context.Context) (*prompts.Result, error) {
		var all sync.WaitGroup
		errs := make([]error, 2*n)
		values := make([]string, 2*n)
		for i := range 2 * n {
			all.Go(func() {
				key := fmt.Sprint("q", i%n) // each key twice
				if _, errs[i] = prompts.Once(ctx, fmt.Sprint("once", i), func(context.Context) (int, error) { return i, nil }); errs[i] == nil {
					var answer colour
					answer, errs[i] = prompts.Elicit[colour](ctx, key, "Which?")
					values[i] = answer.Colour
				}
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(strings.Join(values[:n], ""))), nil
	})), prompts.Options{})
	r := newRounds(t, s, "many")
	o := r.get("")
	require.Len(t, o.Result.Requests, n)
	var responses []string
	for i := range n {
		responses = append(responses, fmt.Sprintf(`"q%d":%s`, i, accepting(`{"colour":"x"}`)))
	}
	assert.Equal(t, strings.Repeat("x", n), r.get("{"+strings.Join(responses, ",")+"}").text(t))
}

// The keys of questions are the author's, and short.
func TestQuestionKeys(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"a":                           true,
		"ä b\"\n":                     true,
		strings.Repeat("x", maxKey):   true,
		"":                            false,
		strings.Repeat("x", maxKey+1): false,
		"\xff":                        false,
		argumentsKey:                  false,
	} {
		var j journal
		s := prompts.MustNewServer(registryOf(rendered("one", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[colour](ctx, key, "Which?")
			return nil, err
		})), prompts.Options{Logger: j.logger()})
		o := newRounds(t, s, "one").get("")
		if ok {
			o.wants(t, key)
			continue
		}
		o.fails(t, prompts.CodeInternalError, renderFailed)
		assert.Contains(t, j.String(), "must be valid UTF-8 of 1 to 128 bytes")
	}
}

// The same key is the same question: it is asked once, whoever asks. Who asks
// while another does waits for the first answer.
func TestSameQuestionIsAskedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(rendered("same", func(ctx context.Context) (*prompts.Result, error) {
			answers := make(chan string, 3)
			ask := func() {
				answer, err := prompts.Elicit[colour](ctx, "a", "Which?")
				assert.NoError(t, err)
				answers <- answer.Colour
			}
			var both sync.WaitGroup
			both.Go(ask)
			both.Go(ask)
			both.Wait()
			ask()
			return prompts.Messages(prompts.User(<-answers + <-answers + <-answers)), nil
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "same"))
		assert.Equal(t, []string{textLine("1", "redredred")}, c.ask(c.question().reply(red)))
	})
}

// MRT-06: two questions of one Ask cannot have the same key: their answers
// could not be told apart. That is the author's fault, and nobody is asked.
func TestTwoQuestionsWithOneKey(t *testing.T) {
	t.Parallel()
	form := prompts.Form[colour]("a", "Which?")
	for name, questions := range map[string][]prompts.Question{
		"forms":         {prompts.Form[colour]("a", "Which?"), prompts.Form[trip]("a", "Where?")},
		"one and again": {form, form},
		"not adjacent":  {prompts.Form[colour]("a", "Which?"), prompts.Form[colour]("b", "Which?"), prompts.InputRequest("a", methodRoots, nil)},
	} {
		var j journal
		s := prompts.MustNewServer(registryOf(rendered("two", func(ctx context.Context) (*prompts.Result, error) {
			err := prompts.Ask(ctx, questions...)
			assert.NotErrorIs(t, err, prompts.ErrElicitationUnavailable, name)
			return nil, err
		})), prompts.Options{Logger: j.logger()})
		for _, responses := range []string{"", `{"a":` + red + `}`} {
			newRounds(t, s, "two").get(responses).fails(t, prompts.CodeInternalError, renderFailed)
		}
		got := answerTo(t, s, newSessionAs(t, s, "2025-11-25", allCapabilities), getLine("1", "two"))
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
		assert.Contains(t, j.String(), `duplicate question key \"a\"`, name)
	}
}

func answerColour(text string) string { return accepting(`{"colour":"` + text + `"}`) }
