package elicit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// chained is a prompt that asks twice, one after the other.
func chained(name string) prompts.Prompt {
	return servertest.Rendered(name, func(ctx context.Context) (*prompts.Result, error) {
		first, err := prompts.Elicit[servertest.Colour](ctx, "first", "Which?")
		if err != nil {
			return nil, err
		}
		second, err := prompts.Elicit[servertest.Colour](ctx, "second", "And which?")
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
)

// PRG-09, PRG-10: in 2026-07-28 a question is an error to the middleware, which
// it passes on as it is, or wrapped. Each round is a request of its own.
func TestMiddlewareInRounds(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(error) error{
		"as it is": func(err error) error { return err },
		"wrapped":  func(err error) error { return errors.Join(servertest.ErrDisk, err) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var outcomes []error
			var j servertest.Journal
			s := prompts.MustNewServer(servertest.RegistryOf(chained("chain")), prompts.Options{Logger: j.Logger(), Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				assert.Equal(t, prompts.Request{
					Method: "prompts/get", Prompt: "chain", Arguments: map[string]string{}, Version: "2026-07-28", Meta: r.Meta, ID: r.ID,
				}, *r)
				response, err := next(ctx, r)
				outcomes = append(outcomes, err)
				if err != nil {
					assert.Nil(t, response)
					return nil, wrap(err)
				}
				return response, nil
			})})
			c := servertest.NewRounds(t, s, "chain")
			c.Get("").Wants(t, "first")
			c.Get(`{"first":`+servertest.Red+`}`).Wants(t, "second")
			assert.Equal(t, "red and green", c.Get(`{"second":`+green+`}`).Text(t))
			require.Len(t, outcomes, 3)
			assert.ErrorIs(t, outcomes[0], prompts.ErrInputRequired)
			assert.EqualError(t, outcomes[0], prompts.ErrInputRequired.Error(), "a middleware may log it")
			assert.ErrorIs(t, outcomes[1], prompts.ErrInputRequired)
			assert.NoError(t, outcomes[2])
			var e *prompts.Error
			assert.NotErrorAs(t, outcomes[0], &e, "nothing has failed")
			assert.Empty(t, j.String())
		})
	}
}

// Only a render function may ask: before next a middleware may not.
func TestMiddlewareMayNotAsk(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for method, params := range map[string]string{
			"prompts/list": `{}`, "prompts/get": `{"name":"paint"}`, "completion/complete": `{` + servertest.CompleteParamsOf("paint", "x", "") + `}`,
		} {
			var asked error
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{Middleware: servertest.Around(func(ctx context.Context, _ *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
				_, asked = prompts.Elicit[servertest.Colour](ctx, "colour", "Which colour?")
				return nil, asked
			})})
			_, err := s.Call(t.Context(), method, []byte(params), prompts.CallOptions{
				Version: version, ClientCapabilities: []byte(servertest.FormCapability),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					t.Error("it was asked")
					return nil, servertest.ErrDisk
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
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		if kept == nil {
			_, kept = next(ctx, r)
		}
		return nil, kept
	})})
	servertest.NewRounds(t, s, "paint").Get("").Wants(t, "colour")
	servertest.NewRounds(t, s, "paint").Get("").Fails(t, prompts.CodeInternalError, servertest.RenderFailed)
}

// Response.Elicited says whether there is something of the client's in the result.
func TestMiddlewareKnowsWhatWasAsked(t *testing.T) {
	t.Parallel()
	reg := servertest.RegistryOf(
		servertest.Asking("paint"), chained("chain"), guide(), servertest.TextPrompt("text", "hi"),
		servertest.Including("includes", "paint", nil),
		servertest.Rendered("shrugs", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[servertest.Colour](ctx, "colour", "Which colour?")
			return prompts.Messages(prompts.User(fmt.Sprint(err == nil))), nil
		}),
		servertest.Rendered("elsewhere", func(ctx context.Context) (*prompts.Result, error) {
			text := make(chan string)
			go func() {
				answer, _ := prompts.Elicit[servertest.Colour](ctx, "colour", "Which colour?")
				text <- answer.Colour
			}()
			return prompts.Messages(prompts.User(<-text)), nil
		}),
	)
	for _, row := range servertest.Table(t, "middleware_elicited", 5) {
		var rounds, live []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(row[2]), &rounds))
		require.NoError(t, json.Unmarshal([]byte(row[3]), &live))
		var last *prompts.Response
		s := prompts.MustNewServer(reg, prompts.Options{ElicitArguments: true, Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			response, err := next(ctx, r)
			last = response
			return response, err
		})})
		c := servertest.NewRounds(t, s, row[0])
		c.Arguments = row[1]
		for _, answer := range rounds {
			c.Get(strings.TrimPrefix(string(answer), "null"))
		}
		require.NotNil(t, last)
		assert.Equal(t, row[4], fmt.Sprint(last.Elicited), "in rounds")
		for _, version := range []string{"2025-06-18", "2025-11-25"} {
			last = nil
			answers := live
			_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"`+row[0]+`","arguments":`+row[1]+`}`), prompts.CallOptions{
				Version: version, ClientCapabilities: []byte(servertest.FormCapability),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					answer := answers[0]
					answers = answers[1:]
					return answer, nil
				},
			})
			require.NoError(t, err)
			assert.Empty(t, answers)
			require.NotNil(t, last)
			assert.Equal(t, row[4], fmt.Sprint(last.Elicited), version)
		}
	}
}
