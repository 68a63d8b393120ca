package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chained is a prompt that asks twice, one after the other.
func chained(name string) Prompt {
	return rendered(name, func(ctx context.Context) (*Result, error) {
		first, err := Elicit[colour](ctx, "first", "Which?")
		if err != nil {
			return nil, err
		}
		second, err := Elicit[colour](ctx, "second", "And which?")
		if err != nil {
			return nil, err
		}
		return Messages(User(first.Colour + " and " + second.Colour)), nil
	})
}

// guide is a prompt with an argument that AskArguments asks for.
func guide() Prompt {
	return Prompt{Name: "guide", Arguments: []Argument{{Name: "to", Required: true}}, Render: func(_ context.Context, args map[string]string) (*Result, error) {
		if args["to"] == "Atlantis" {
			return nil, InvalidArgument("to", "is not to be found")
		}
		return Messages(User("to " + args["to"])), nil
	}}
}

const (
	green = `{"action":"accept","content":{"colour":"green"}}`
	rome  = `{"prompt.arguments":{"action":"accept","content":{"to":"Rome"}}}`
)

// PRG-09, PRG-10: in 2026-07-28 a question is an error to the middleware, which
// it passes on as it is, or wrapped. Each round is a request of its own.
func TestMiddlewareInRounds(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(error) error{
		"as it is": func(err error) error { return err },
		"wrapped":  func(err error) error { return errors.Join(errDisk, err) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var outcomes []error
			var j journal
			s := NewServer(registryOf(chained("chain")), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				assert.Equal(t, Request{
					Method: "prompts/get", Prompt: "chain", Arguments: map[string]string{}, Version: "2026-07-28", Meta: r.Meta,
				}, *r)
				response, err := next(ctx, r)
				outcomes = append(outcomes, err)
				if err != nil {
					assert.Nil(t, response)
					return nil, wrap(err)
				}
				return response, nil
			})})
			c := newRounds(t, s, "chain")
			c.get("").wants(t, "first")
			c.get(`{"first":`+red+`}`).wants(t, "second")
			assert.Equal(t, "red and green", c.get(`{"second":`+green+`}`).text(t))
			require.Len(t, outcomes, 3)
			assert.ErrorIs(t, outcomes[0], ErrInputRequired)
			assert.ErrorIs(t, outcomes[1], ErrInputRequired)
			assert.NoError(t, outcomes[2])
			var e *Error
			assert.NotErrorAs(t, outcomes[0], &e, "nothing has failed")
			assert.Empty(t, j.String())
		})
	}
}

// MRT-23, GAP-39: what becomes of an answer, to the middleware and the client.
func TestMiddlewareSeesWhatBecomesOfAnAnswer(t *testing.T) {
	t.Parallel()
	var errs []error
	var requests []Request
	s := NewServer(registryOf(asking("paint")), Options{Middleware: seeing(&requests, &errs)})
	c := newRounds(t, s, "paint")
	c.get("").wants(t, "colour")
	state := c.state
	const declined = `the prompt cannot go on: "colour": the client has declined to answer`
	c.get(`{"colour":`+declining+`}`).fails(t, CodeInvalidParams, declined)
	c.state = "AQ"
	c.get(`{"colour":`+red+`}`).fails(t, CodeInvalidParams, errState.Message)
	c.state = state
	assert.Equal(t, "red", c.get(`{"colour":`+red+`}`).text(t))
	require.Len(t, errs, 4)
	for i, message := range []string{1: declined, 2: errState.Message} {
		var e *Error
		if message != "" && assert.ErrorAs(t, errs[i], &e) {
			assert.Equal(t, message, e.Message)
		}
	}
}

// A state is bound to what the middleware has passed on: it is good as long as
// that is the same.
func TestMiddlewareAndTheState(t *testing.T) {
	t.Parallel()
	to := "paint"
	s := NewServer(registryOf(asking("paint"), asking("draw")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		r.Prompt = to
		return next(ctx, r)
	})})
	c := newRounds(t, s, "alias")
	c.get("").wants(t, "colour")
	assert.Equal(t, "red", c.get(`{"colour":`+red+`}`).text(t))
	to = "draw"
	c.get(`{"colour":`+red+`}`).fails(t, CodeInvalidParams, errState.Message)
}

// The middleware may answer in the place of a question.
func TestMiddlewareDoesNotAsk(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(asking("paint"), textPrompt("grey", "grey")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		response, err := next(ctx, r)
		if errors.Is(err, ErrInputRequired) {
			return next(ctx, &Request{Method: r.Method, Prompt: "grey"})
		}
		return response, err
	})})
	c := newRounds(t, s, "paint")
	assert.Equal(t, "grey", c.get("").text(t))
	assert.Equal(t, "red", c.get(`{"colour":`+red+`}`).text(t), "who brings the answer is not asked")
}

// GAP-40: in a session the question is asked while next runs, and the middleware
// sees the result; without a client that can be asked, an error.
func TestMiddlewareInALiveSession(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var requests []Request
				var errs []error
				s := NewServer(registryOf(chained("chain")), Options{MaxConcurrent: 1, RenderTimeout: 2 * time.Second, Middleware: seeing(&requests, &errs)})
				c := connect(t, s).handshakeAs(version, formCapability)
				c.send(getLine("1", "chain"))
				q := c.question()
				time.Sleep(time.Minute) // the clock does not run while a person thinks
				c.send(q.reply(red))
				assert.Equal(t, []string{textLine("1", "red and green")}, c.ask(c.question().reply(green)))
				c.send(getLine("2", "chain"))
				got := c.ask(c.question().reply(declining))
				require.Len(t, got, 1)
				readOutcome(t, got[0]).fails(t, CodeInvalidParams, `the prompt cannot go on: "first": the client has declined to answer`)
				require.Len(t, errs, 2, "one request, however often it asks")
				assert.NoError(t, errs[0])
				assert.Error(t, errs[1])
				assert.NoError(t, c.end())
			})
		})
	}
}

// With another call of next the person is asked anew: what was answered belongs
// to the first one.
func TestMiddlewareAsksAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewServer(registryOf(asking("paint")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
			if _, err := next(ctx, r); err != nil {
				return nil, err
			}
			return next(ctx, r)
		})})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		c.send(c.question().reply(red))
		assert.Equal(t, []string{textLine("1", "green")}, c.ask(c.question().reply(green)))
		assert.NoError(t, c.end())
	})
}

// In rounds it is asked once: the client's answer is there for each call.
func TestMiddlewareCallsNextAgainWithAnAnswer(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(chained("chain")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		_, _ = next(ctx, r)
		return next(ctx, r)
	})})
	c := newRounds(t, s, "chain")
	c.get("").wants(t, "first")
	c.get(`{"first":`+red+`}`).wants(t, "second")
	assert.Equal(t, "red and green", c.get(`{"second":`+green+`}`).text(t))
}

// With AskArguments a missing argument is a question as well.
func TestMiddlewareAndAskArguments(t *testing.T) {
	t.Parallel()
	var requests []Request
	var errs []error
	s := NewServer(registryOf(guide()), Options{AskArguments: true, Middleware: seeing(&requests, &errs)})
	c := newRounds(t, s, "guide")
	c.get("").wants(t, argumentsKey)
	assert.Equal(t, "to Rome", c.get(rome).text(t))
	c.get(`{"prompt.arguments":{"action":"accept","content":{"to":"Atlantis"}}}`).wants(t, argumentsKey)
	require.Len(t, errs, 3)
	assert.ErrorIs(t, errs[0], ErrInputRequired)
	assert.NoError(t, errs[1])
	assert.ErrorIs(t, errs[2], ErrInputRequired)
	assert.Empty(t, requests[1].Arguments, "what is filled in is not part of the request")
}

// An argument that the middleware adds is not asked for.
func TestMiddlewareFillsInArguments(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(guide()), Options{AskArguments: true, Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		r.Arguments["to"] = "Oslo"
		return next(ctx, r)
	})})
	c := newRounds(t, s, "guide")
	assert.Equal(t, "to Oslo", c.get("").text(t))
	c.arguments = `{"to":7}`
	assert.Equal(t, "to Oslo", c.get("").text(t))
}

// In a session the person is asked within next.
func TestMiddlewareAndAskArgumentsInALiveSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var requests []Request
		var errs []error
		s := NewServer(registryOf(guide()), Options{AskArguments: true, Middleware: seeing(&requests, &errs)})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "guide"))
		c.send(c.question().reply(`{"action":"accept","content":{"to":"Atlantis"}}`))
		assert.Equal(t, []string{textLine("1", "to Rome")}, c.ask(c.question().reply(`{"action":"accept","content":{"to":"Rome"}}`)))
		assert.Len(t, requests, 1)
		assert.Equal(t, []error{nil}, errs)
		assert.NoError(t, c.end())
	})
}

// Only a render function may ask: before next a middleware may not.
func TestMiddlewareMayNotAsk(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for method, params := range map[string]string{
			"prompts/list": `{}`, "prompts/get": `{"name":"paint"}`, "completion/complete": `{` + completeParamsOf("paint", "x", "") + `}`,
		} {
			var asked error
			s := NewServer(registryOf(asking("paint")), Options{Middleware: around(func(ctx context.Context, _ *Request, _ Handler) (*Response, error) {
				_, asked = Elicit[colour](ctx, "colour", "Which colour?")
				return nil, asked
			})})
			_, err := s.Call(t.Context(), method, []byte(params), CallOptions{
				Version: version, ClientCapabilities: []byte(formCapability),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					t.Error("it was asked")
					return nil, errDisk
				},
			})
			assert.ErrorIs(t, asked, ErrCannotAsk)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, CodeInternalError, e.Code)
		}
	}
}

// A question of another request is none of this one.
func TestMiddlewareKeepsAQuestion(t *testing.T) {
	t.Parallel()
	var kept error
	s := NewServer(registryOf(asking("paint")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		if kept == nil {
			_, kept = next(ctx, r)
		}
		return nil, kept
	})})
	newRounds(t, s, "paint").get("").wants(t, "colour")
	newRounds(t, s, "paint").get("").fails(t, CodeInternalError, "the prompt could not be rendered")
}
