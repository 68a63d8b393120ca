package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type elicitor func(mcp.ElicitationRequest) (*mcp.ElicitationResult, error)

func (e elicitor) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return e(r)
}

type who struct {
	Name string `json:"name"`
}

func asks(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
	in, err := prompts.Elicit[who](ctx, "who", "Who?")
	if err != nil {
		return nil, err
	}
	return prompts.Messages(prompts.User("Hello, " + in.Name)), nil
}

func TestAskInSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The time limit stands still while the client is asked.
		const limit = time.Second
		answers := elicitor(func(r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
			assert.Equal(t, "Who?", r.Params.Message)
			time.Sleep(10 * limit)
			return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: map[string]any{"name": "Ada"}}}, nil
		})
		var r prompts.Registry
		r.MustAdd(prompts.Prompt{Name: "asks", Render: asks})
		r.MustAdd(prompts.Prompt{Name: "asks and waits", Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
			time.Sleep(limit / 2)
			_, err := asks(ctx, args)
			<-ctx.Done()
			return prompts.Messages(), err
		}})
		s := server.NewMCPServer("s", "1")
		mount(t, s, &r, prompts.Options{Timeouts: prompts.Timeouts{Render: limit}})
		for _, version := range []string{"2025-06-18", "2025-11-25"} {
			assert.Equal(t, "Hello, Ada", dial(t, s, version, answers).text("asks", `{}`))
		}
		begin := time.Now()
		a := dial(t, s, "2025-11-25", answers).do("prompts/get", `{"name":"asks and waits"}`)
		assert.Contains(t, a.Error.Message, " timed out after ")
		assert.Equal(t, 11*limit, time.Since(begin))
		a = dial(t, s, "2025-03-26", answers).do("prompts/get", `{"name":"asks"}`)
		assert.Equal(t, -32603, a.Error.Code, "a revision that cannot be asked")
		fails := elicitor(func(mcp.ElicitationRequest) (*mcp.ElicitationResult, error) { return nil, errors.New("no") })
		a = dial(t, s, "2025-11-25", fails).do("prompts/get", `{"name":"asks"}`)
		assert.Equal(t, -32603, a.Error.Code)
	})
}

// sampled and rooted are what clients answer with.
type sampled chan mcp.CreateMessageRequest

func (s sampled) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	s <- r
	return &mcp.CreateMessageResult{SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("four")}, Model: "m", StopReason: "endTurn"}, nil
}

type rooted struct{}

func (rooted) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///r", Name: "r"}}}, nil
}

// asksModel asks the client for a message of its model, and for its roots, and
// says what it was answered.
func asksModel(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
	message := prompts.InputRequest("message", "sampling/createMessage", json.RawMessage(question))
	list := prompts.InputRequest("roots", "roots/list", nil)
	if err := prompts.Ask(ctx, message, list); err != nil {
		return nil, err
	}
	return prompts.Messages(prompts.User(fmt.Sprintf(`[%s,%s]`, message.Value, list.Value))), nil
}

func TestSamplingAndRootsInSession(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "asks", Render: asksModel})
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		asked := make(sampled, 1)
		session := server.NewInProcessSessionWithHandlers(version, asked, nil, rooted{})
		require.NoError(t, s.RegisterSession(t.Context(), session))
		client := &wire{t: t, server: s, session: session, version: version, ctx: s.WithContext(t.Context(), session)}
		client.result("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}`, version), nil)
		assert.JSONEq(t, `[`+sampling+`,`+roots+`]`, client.text("asks", `{}`), version)
		got, err := json.Marshal((<-asked).CreateMessageParams)
		require.NoError(t, err)
		assert.JSONEq(t, question, string(got), version)

		// A client that has not said that it can is not asked.
		client = dial(t, s, version)
		assert.Equal(t, -32603, client.do("prompts/get", `{"name":"asks"}`).Error.Code)
	}
}

func TestSamplingAndRootsWithoutSession(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "asks", Render: asksModel})
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, stateless)
	client.capabilities = `{"sampling":{},"roots":{}}`
	var first struct {
		RequestState  string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
	}
	client.result("prompts/get", `{"name":"asks"}`, &first)
	require.Equal(t, "sampling/createMessage", first.InputRequests["message"].Method)
	assert.JSONEq(t, question, string(first.InputRequests["message"].Params))
	assert.Equal(t, "roots/list", first.InputRequests["roots"].Method)
	var second struct {
		Messages []struct{ Content struct{ Text string } }
	}
	client.result("prompts/get", fmt.Sprintf(`{"name":"asks","requestState":%q,"inputResponses":{"message":%s,"roots":%s}}`, first.RequestState, sampling, roots), &second)
	require.Len(t, second.Messages, 1)
	assert.JSONEq(t, `[`+sampling+`,`+roots+`]`, second.Messages[0].Content.Text)
}

func TestAskWithoutSession(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "asks", Render: asks})
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, stateless)
	var first struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]struct {
			Method string
			Params struct {
				Message         string
				RequestedSchema struct{ Properties map[string]any }
			}
		}
	}
	client.result("prompts/get", `{"name":"asks"}`, &first)
	require.Equal(t, "input_required", first.ResultType)
	require.Equal(t, "elicitation/create", first.InputRequests["who"].Method)
	assert.Contains(t, first.InputRequests["who"].Params.RequestedSchema.Properties, "name")
	var second struct {
		ResultType string
		Messages   []struct{ Content struct{ Text string } }
	}
	client.result("prompts/get", fmt.Sprintf(`{"name":"asks","requestState":%q,"inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}}}`, first.RequestState), &second)
	assert.Equal(t, "complete", second.ResultType)
	require.Len(t, second.Messages, 1)
	assert.Equal(t, "Hello, Ada", second.Messages[0].Content.Text)
}
