package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// chained is a prompt that asks twice, one after the other.
func chained(name string) prompts.Prompt {
	return rendered(name, func(ctx context.Context) (*prompts.Result, error) {
		first, err := prompts.Elicit[colour](ctx, "first", "Which?")
		if err != nil {
			return nil, err
		}
		second, err := prompts.Elicit[colour](ctx, "second", "And which?")
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(first.Colour + " and " + second.Colour)), nil
	})
}

// guide is a prompt with an argument that ElicitArguments asks for.
func guide() prompts.Prompt {
	return prompts.Prompt{Name: "guide", Arguments: []prompts.Argument{{Name: "to", Required: true}}, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		if args["to"] == "Atlantis" {
			return nil, prompts.InvalidArgument("to", "is not to be found")
		}
		return prompts.Messages(prompts.User("to " + args["to"])), nil
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
			s := prompts.NewServer(registryOf(chained("chain")), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				assert.Equal(t, prompts.Request{
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
			assert.ErrorIs(t, outcomes[0], prompts.ErrInputRequired)
			assert.ErrorIs(t, outcomes[1], prompts.ErrInputRequired)
			assert.NoError(t, outcomes[2])
			var e *prompts.Error
			assert.NotErrorAs(t, outcomes[0], &e, "nothing has failed")
			assert.Empty(t, j.String())
		})
	}
}

// MRT-23, GAP-39: what becomes of an answer, to the middleware and the client.
func TestMiddlewareSeesWhatBecomesOfAnAnswer(t *testing.T) {
	t.Parallel()
	var errs []error
	var requests []prompts.Request
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Middleware: seeing(&requests, &errs)})
	c := newRounds(t, s, "paint")
	c.get("").wants(t, "colour")
	state := c.state
	const declined = `the prompt cannot go on: "colour": the client has declined to answer`
	c.get(`{"colour":`+declining+`}`).fails(t, prompts.CodeInvalidParams, declined)
	c.state = "AQ"
	c.get(`{"colour":`+red+`}`).fails(t, prompts.CodeInvalidParams, errState.Message)
	c.state = state
	assert.Equal(t, "red", c.get(`{"colour":`+red+`}`).text(t))
	require.Len(t, errs, 4)
	for i, message := range []string{1: declined, 2: errState.Message} {
		var e *prompts.Error
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
	s := prompts.NewServer(registryOf(asking("paint"), asking("draw")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		r.Prompt = to
		return next(ctx, r)
	})})
	c := newRounds(t, s, "alias")
	c.get("").wants(t, "colour")
	assert.Equal(t, "red", c.get(`{"colour":`+red+`}`).text(t))
	to = "draw"
	c.get(`{"colour":`+red+`}`).fails(t, prompts.CodeInvalidParams, errState.Message)
}

// The middleware may answer in the place of a question.
func TestMiddlewareDoesNotAsk(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(asking("paint"), textPrompt("grey", "grey")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		response, err := next(ctx, r)
		if errors.Is(err, prompts.ErrInputRequired) {
			return next(ctx, &prompts.Request{Method: r.Method, Prompt: "grey"})
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
				var requests []prompts.Request
				var errs []error
				s := prompts.NewServer(registryOf(chained("chain")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Timeouts: prompts.Timeouts{Render: 2 * time.Second}, Middleware: seeing(&requests, &errs)})
				c := connect(t, s).handshakeAs(version, formCapability)
				c.send(getLine("1", "chain"))
				q := c.question()
				time.Sleep(time.Minute) // the clock does not run while a person thinks
				c.send(q.reply(red))
				assert.Equal(t, []string{textLine("1", "red and green")}, c.ask(c.question().reply(green)))
				c.send(getLine("2", "chain"))
				got := c.ask(c.question().reply(declining))
				require.Len(t, got, 1)
				readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, `the prompt cannot go on: "first": the client has declined to answer`)
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
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
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
	s := prompts.NewServer(registryOf(chained("chain")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		_, _ = next(ctx, r)
		return next(ctx, r)
	})})
	c := newRounds(t, s, "chain")
	c.get("").wants(t, "first")
	c.get(`{"first":`+red+`}`).wants(t, "second")
	assert.Equal(t, "red and green", c.get(`{"second":`+green+`}`).text(t))
}

// With ElicitArguments a missing argument is a question as well.
func TestMiddlewareAndAskArguments(t *testing.T) {
	t.Parallel()
	var requests []prompts.Request
	var errs []error
	s := prompts.NewServer(registryOf(guide()), prompts.Options{ElicitArguments: true, Middleware: seeing(&requests, &errs)})
	c := newRounds(t, s, "guide")
	c.get("").wants(t, argumentsKey)
	assert.Equal(t, "to Rome", c.get(rome).text(t))
	c.get(`{"prompt.arguments":{"action":"accept","content":{"to":"Atlantis"}}}`).wants(t, argumentsKey)
	require.Len(t, errs, 3)
	assert.ErrorIs(t, errs[0], prompts.ErrInputRequired)
	assert.NoError(t, errs[1])
	assert.ErrorIs(t, errs[2], prompts.ErrInputRequired)
	assert.Empty(t, requests[1].Arguments, "what is filled in is not part of the request")
}

// An argument that the middleware adds is not asked for.
func TestMiddlewareFillsInArguments(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(guide()), prompts.Options{ElicitArguments: true, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
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
		var requests []prompts.Request
		var errs []error
		s := prompts.NewServer(registryOf(guide()), prompts.Options{ElicitArguments: true, Middleware: seeing(&requests, &errs)})
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
			s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Middleware: around(func(ctx context.Context, _ *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
				_, asked = prompts.Elicit[colour](ctx, "colour", "Which colour?")
				return nil, asked
			})})
			_, err := s.Call(t.Context(), method, []byte(params), prompts.CallOptions{
				Version: version, ClientCapabilities: []byte(formCapability),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					t.Error("it was asked")
					return nil, errDisk
				},
			})
			assert.ErrorIs(t, asked, prompts.ErrElicitationUnavailable)
			var e *prompts.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, prompts.CodeInternalError, e.Code)
		}
	}
}

// A question of another request is none of this one.
func TestMiddlewareKeepsAQuestion(t *testing.T) {
	t.Parallel()
	var kept error
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		if kept == nil {
			_, kept = next(ctx, r)
		}
		return nil, kept
	})})
	newRounds(t, s, "paint").get("").wants(t, "colour")
	newRounds(t, s, "paint").get("").fails(t, prompts.CodeInternalError, "the prompt could not be rendered")
}

// Calls of next at the same time have their own answers: a person is asked by
// one after the other.
func TestMiddlewareAsksAtOnce(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := prompts.NewServer(registryOf(asking("paint"), guide()), prompts.Options{ElicitArguments: true, Middleware: around(textsAtOnce)})
				c := connect(t, s).handshakeAs(version, formCapability)
				c.send(getLine("1", "paint"))
				c.send(c.question().reply(red))
				assert.Equal(t, []string{textLine("1", "green and red")}, c.ask(c.question().reply(green)))
				c.send(getLine("2", "guide"))
				c.send(c.question().reply(`{"action":"accept","content":{"to":"Rome"}}`))
				assert.Equal(t, []string{textLine("2", "to Oslo and to Rome")}, c.ask(c.question().reply(`{"action":"accept","content":{"to":"Oslo"}}`)))
				assert.NoError(t, c.end())
				assert.Zero(t, s.Tasks())
			})
		})
	}
}

// textsAtOnce calls next twice at once and returns both texts.
func textsAtOnce(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
	var texts []string
	for _, o := range atOnce(ctx, 2, r, next) {
		if o.err != nil {
			return nil, o.err
		}
		texts = append(texts, o.response.Result.Messages[0].Content.(prompts.Text).Text)
	}
	slices.Sort(texts)
	return &prompts.Response{Result: prompts.Messages(prompts.User(strings.Join(texts, " and ")))}, nil
}

// In rounds one question is asked, and its answer is that of both.
func TestMiddlewareAsksAtOnceInRounds(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(chained("chain"), guide()), prompts.Options{ElicitArguments: true, Middleware: around(textsAtOnce)})
	c := newRounds(t, s, "chain")
	c.get("").wants(t, "first")
	c.get(`{"first":`+red+`}`).wants(t, "second")
	assert.Equal(t, "red and green and red and green", c.get(`{"second":`+green+`}`).text(t))
	c = newRounds(t, s, "guide")
	c.get("").wants(t, argumentsKey)
	c.get(`{"prompt.arguments":{"action":"accept","content":{"to":"Atlantis"}}}`).wants(t, argumentsKey)
	assert.Equal(t, "to Rome and to Rome", c.get(rome).text(t))
}

// What is asked for arguments is asked for each call of next, too.
func TestMiddlewareCallsNextAgainWithArguments(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(guide()), prompts.Options{ElicitArguments: true, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		first, err := next(ctx, r)
		again, errAgain := next(ctx, r)
		assert.Equal(t, first, again)
		assert.Equal(t, err == nil, errAgain == nil)
		return again, errAgain
	})})
	c := newRounds(t, s, "guide")
	c.get("").wants(t, argumentsKey)
	assert.Equal(t, "to Rome", c.get(rome).text(t))
}

// Of two prompts that ask, the client is asked what the middleware returns, and
// nothing else.
func TestMiddlewareOfTwoQuestions(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int{"the first": 0, "the second": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prompts.NewServer(registryOf(asking("paint"), chained("chain")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				var all [2]outcomeOf
				for i, prompt := range []string{"paint", "chain"} {
					r.Prompt = prompt
					all[i].response, all[i].err = next(ctx, r)
				}
				return all[at].response, all[at].err
			})})
			c := newRounds(t, s, "either")
			if at == 0 {
				c.get("").wants(t, "colour")
				assert.Equal(t, "red", c.get(`{"colour":`+red+`}`).text(t))
				return
			}
			c.get("").wants(t, "first")
			c.get(`{"first":`+red+`}`).wants(t, "second")
			assert.Equal(t, "red and green", c.get(`{"second":`+green+`}`).text(t))
		})
	}
}

// A question that nobody waits for any more is withdrawn before the answer.
func TestMiddlewareDoesNotWaitForAnAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		late := make(chan error, 1)
		s := prompts.NewServer(registryOf(asking("paint"), textPrompt("grey", "grey")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			go func() {
				_, err := next(ctx, r)
				late <- err
			}()
			time.Sleep(time.Second) // on the clock of the bubble
			return next(ctx, &prompts.Request{Method: r.Method, Prompt: "grey"})
		})})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		q := c.question()
		time.Sleep(time.Second)
		assert.Equal(t, []string{q.withdrawn("no answer is needed any more"), textLine("1", "grey")}, c.received())
		assert.ErrorIs(t, <-late, prompts.ErrAnswered)
		assert.NoError(t, c.end())
	})
}

// Why a client has not answered is within the error of next.
func TestNextReturnsWhyThereIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, test := range []struct {
			capabilities, answer string
			want                 error
		}{
			{noCapabilities, declining, prompts.ErrElicitationUnavailable},
			{formCapability, declining, prompts.ErrDeclined},
			{formCapability, dismissing, prompts.ErrCanceled},
		} {
			var requests []prompts.Request
			var errs []error
			s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Middleware: seeing(&requests, &errs)})
			params := `{"name":"paint"}`
			if version == "2026-07-28" && test.want != prompts.ErrElicitationUnavailable {
				params = `{"name":"paint","inputResponses":{"colour":` + test.answer + `}}`
			}
			_, err := s.Call(t.Context(), "prompts/get", []byte(params), prompts.CallOptions{
				Version: version, ClientCapabilities: []byte(test.capabilities),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(test.answer), nil
				},
			})
			var seen, got *prompts.Error
			require.ErrorAs(t, err, &got)
			require.Len(t, errs, 1)
			assert.ErrorIs(t, errs[0], test.want, version)
			require.ErrorAs(t, errs[0], &seen)
			assert.Equal(t, seen.Code, got.Code)
			assert.Equal(t, seen.Message, got.Message)
			for _, other := range []error{prompts.ErrElicitationUnavailable, prompts.ErrDeclined, prompts.ErrCanceled, prompts.ErrInputRequired} {
				assert.Equal(t, other == test.want, errors.Is(errs[0], other), "%s: %v", version, other)
			}
		}
	}
}

// After next a middleware may ask no more than before it, whatever the prompt
// was allowed to.
func TestMiddlewareMayNotAskAfterNext(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		var asked, included error
		kept := 0
		s := prompts.NewServer(registryOf(asking("paint"), textPrompt("text", "hi")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			response, err := next(ctx, r)
			_, asked = prompts.Elicit[colour](ctx, "colour", "Which colour?")
			_, included = prompts.Include(ctx, "text", nil)
			for range 2 {
				_, err := prompts.Once(ctx, "once", func(context.Context) (int, error) { kept++; return kept, nil })
				assert.NoError(t, err)
			}
			return response, err
		})})
		for _, prompt := range []string{"paint", "text"} {
			kept = 0
			_, _ = s.Call(t.Context(), "prompts/get", []byte(`{"name":"`+prompt+`","inputResponses":{"colour":`+red+`}}`), prompts.CallOptions{
				Version: version, ClientCapabilities: []byte(formCapability),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(red), nil
				},
			})
			assert.ErrorIs(t, asked, prompts.ErrElicitationUnavailable)
			assert.ErrorContains(t, asked, "not the context of a render function")
			assert.ErrorContains(t, included, "not the context of a render function")
			assert.Equal(t, 2, kept, "nothing is kept for it")
		}
	}
}

// Progress is one for the request, whichever call of next reports it.
func TestMiddlewareAndProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("p", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "")
			time.Sleep(time.Second)
			prompts.Progress(ctx, 2, 2, "")
			return prompts.Messages(prompts.User("hi")), nil
		})), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			_ = atOnce(ctx, 2, r, next)
			response, err := next(ctx, r)
			prompts.Progress(ctx, 3, 0, "")
			return response, err
		})})
		c := connect(t, s).handshake()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p","_meta":{"progressToken":7}}}`)
		time.Sleep(2 * time.Second)
		report := func(done, total string) string {
			return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":` + done + total + `}}`
		}
		assert.Equal(t, []string{report("1", `,"total":2`), report("2", `,"total":2`), report("3", ""), textLine("1", "hi")}, c.received())
		assert.NoError(t, c.end())
	})
}

// Response.Elicited says whether there is something of the client's in the result.
func TestMiddlewareKnowsWhatWasAsked(t *testing.T) {
	t.Parallel()
	reg := registryOf(
		asking("paint"), chained("chain"), guide(), textPrompt("text", "hi"),
		including("includes", "paint", nil),
		rendered("shrugs", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[colour](ctx, "colour", "Which colour?")
			return prompts.Messages(prompts.User(fmt.Sprint(err == nil))), nil
		}),
		rendered("elsewhere", func(ctx context.Context) (*prompts.Result, error) {
			text := make(chan string)
			go func() {
				answer, _ := prompts.Elicit[colour](ctx, "colour", "Which colour?")
				text <- answer.Colour
			}()
			return prompts.Messages(prompts.User(<-text)), nil
		}),
	)
	for _, test := range []struct {
		name, prompt, arguments string
		answers                 []string // by round
		live                    []string // in a session
		want                    bool
	}{
		{"nothing", "text", `{}`, []string{""}, nil, false},
		{"all that was needed is there", "guide", `{"to":"Rome"}`, []string{""}, nil, false},
		{"answers that nobody has asked for", "text", `{}`, []string{`{"colour":` + red + `}`}, nil, false},
		{"a question", "paint", `{}`, []string{"", `{"colour":` + red + `}`}, []string{red}, true},
		{"answered at once", "paint", `{}`, []string{`{"colour":` + red + `}`}, []string{red}, true},
		{"two", "chain", `{}`, []string{"", `{"first":` + red + `}`, `{"second":` + green + `}`}, []string{red, green}, true},
		{"an argument", "guide", `{}`, []string{"", rome}, []string{accepting(`{"to":"Rome"}`)}, true},
		{"an argument at once", "guide", `{}`, []string{rome}, []string{accepting(`{"to":"Rome"}`)}, true},
		{"by an included prompt", "includes", `{}`, []string{"", `{"colour":` + red + `}`}, []string{red}, true},
		{"a refusal that it makes do with", "shrugs", `{}`, []string{`{"colour":` + declining + `}`}, []string{declining}, true},
		{"on another goroutine", "elsewhere", `{}`, []string{`{"colour":` + red + `}`}, []string{red}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var last *prompts.Response
			s := prompts.NewServer(reg, prompts.Options{ElicitArguments: true, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				response, err := next(ctx, r)
				last = response
				return response, err
			})})
			c := newRounds(t, s, test.prompt)
			c.arguments = test.arguments
			for _, answer := range test.answers {
				c.get(answer)
			}
			require.NotNil(t, last)
			assert.Equal(t, test.want, last.Elicited, "in rounds")
			for _, version := range []string{"2025-06-18", "2025-11-25"} {
				last = nil
				answers := test.live
				_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"`+test.prompt+`","arguments":`+test.arguments+`}`), prompts.CallOptions{
					Version: version, ClientCapabilities: []byte(formCapability),
					Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
						answer := answers[0]
						answers = answers[1:]
						return json.RawMessage(answer), nil
					},
				})
				require.NoError(t, err)
				assert.Empty(t, answers)
				require.NotNil(t, last)
				assert.Equal(t, test.want, last.Elicited, version)
			}
		})
	}
}

// MRT-13: a cache that heeds Response.Elicited gives nobody what another one has
// answered.
func TestCacheThatHeedsAsked(t *testing.T) {
	t.Parallel()
	kept := map[string]*prompts.Response{}
	runs := 0
	hi := rendered("text", func(context.Context) (*prompts.Result, error) {
		runs++
		return prompts.Messages(prompts.User("hi")), nil
	})
	s := prompts.NewServer(registryOf(asking("paint"), guide(), hi), prompts.Options{ElicitArguments: true, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		key := fmt.Sprint(r.Prompt, r.Arguments)
		if kept[key] != nil {
			return kept[key], nil
		}
		response, err := next(ctx, r)
		if err == nil && !response.Elicited {
			kept[key] = response
		}
		return response, err
	})})
	for _, answer := range []string{"red", "green"} {
		c := newRounds(t, s, "paint")
		c.get("").wants(t, "colour")
		assert.Equal(t, answer, c.get(`{"colour":`+accepting(`{"colour":"`+answer+`"}`)+`}`).text(t))
		c = newRounds(t, s, "guide")
		c.get("").wants(t, argumentsKey)
		assert.Equal(t, "to "+answer, c.get(`{"prompt.arguments":`+accepting(`{"to":"`+answer+`"}`)+`}`).text(t))
		assert.Equal(t, "hi", newRounds(t, s, "text").get("").text(t))
	}
	assert.Len(t, kept, 1)
	assert.Equal(t, 1, runs)
}

// What was asked for in an earlier round is in the result as well, if nothing is
// asked in the last one.
func TestMiddlewareKnowsWhatWasAskedBefore(t *testing.T) {
	t.Parallel()
	var last *prompts.Response
	asks := true
	s := prompts.NewServer(registryOf(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "to", Required: true}}, Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		if asks {
			if _, err := prompts.Elicit[colour](ctx, "colour", "Which colour?"); err != nil {
				return nil, err
			}
		}
		return prompts.Messages(prompts.User("to " + args["to"])), nil
	}}), prompts.Options{ElicitArguments: true, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		response, err := next(ctx, r)
		last = response
		return response, err
	})})
	c := newRounds(t, s, "p")
	c.get("").wants(t, argumentsKey)
	c.get(rome).wants(t, "colour")
	asks = false
	assert.Equal(t, "to Rome", c.get("").text(t))
	require.NotNil(t, last)
	assert.True(t, last.Elicited)
}
