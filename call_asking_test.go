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

// A Call speaks the revision that the caller's layer has agreed on.
func TestCallVersion(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(prompts.Prompt{Name: "p", Title: "P", Icons: []prompts.Icon{{Src: "https://example.com/i.png"}}, Render: nothing}), prompts.Options{})
	for version, want := range map[string]string{
		"":           `{"messages":[]}`,
		"2024-11-05": `{"messages":[]}`,
		"2025-03-26": `{"messages":[]}`,
		"2025-06-18": `{"messages":[]}`,
		"2025-11-25": `{"messages":[]}`,
		"2026-07-28": `{"resultType":"complete","messages":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"prompts","version":"0"}}}`,
	} {
		got, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
		require.NoError(t, err, version)
		assert.JSONEq(t, want, string(got), version)

		got, err = s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: version})
		require.NoError(t, err, version)
		assert.Equal(t, version == "" || version >= "2025-06-18", strings.Contains(string(got), `"title"`), version)
		assert.Equal(t, version == "" || version >= "2025-11-25", strings.Contains(string(got), `"icons"`), version)
		assert.Equal(t, version == "2026-07-28", strings.Contains(string(got), `"ttlMs"`), version)
	}
	for _, version := range []string{"2026-07-29", "v999", "2025-11-25 ", "draft"} {
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
		require.ErrorContains(t, err, "prompts: no such protocol version", version)
		var e *prompts.Error
		assert.NotErrorAs(t, err, &e, "it is the caller's fault, not the client's")
	}
	_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{ClientCapabilities: []byte(`{`)})
	assert.ErrorContains(t, err, "client capabilities")
}

// GAP-40: with a way to the client, a Call asks it.
func TestCallAsks(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
	for version, mode := range map[string]string{"": `"mode":"form",`, "2025-06-18": "", "2025-11-25": `"mode":"form",`} {
		requests := 0
		got, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"paint"}`), prompts.CallOptions{
			Version: version, ClientCapabilities: []byte(formCapability),
			Request: func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
				requests++
				assert.NoError(t, ctx.Err())
				assert.Equal(t, methodElicit, method)
				assert.JSONEq(t, `{`+mode+`"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}}`, string(params))
				return []byte(red), nil
			},
		})
		require.NoError(t, err, version)
		assert.Equal(t, `{"messages":[{"role":"user","content":{"type":"text","text":"red"}}]}`, string(got))
		assert.Equal(t, 1, requests)
	}
}

func TestCallThatCannotAsk(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Logger: j.logger()})
	never := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { panic("it was asked") }
	for _, test := range []struct {
		name string
		o    prompts.CallOptions
		code prompts.Code
		why  string
	}{
		{"no way to the client", prompts.CallOptions{ClientCapabilities: []byte(formCapability)}, prompts.CodeInternalError, "there is no way to send it a request"},
		{"no capability", prompts.CallOptions{Request: never}, prompts.CodeInternalError, "it has not declared the capability"},
		{"another one", prompts.CallOptions{Request: never, ClientCapabilities: []byte(urlCapability)}, prompts.CodeInternalError, "it has not declared the capability"},
		{"an old revision", prompts.CallOptions{Request: never, ClientCapabilities: []byte(formCapability), Version: "2025-03-26"}, prompts.CodeInternalError, "its protocol revision is older than 2025-06-18"},
		{"the stateless one", prompts.CallOptions{Request: never, Version: "2026-07-28"}, transport.CodeMissingCapability, "the prompt needs a capability"},
	} {
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"paint"}`), test.o)
		var e *prompts.Error
		if assert.ErrorAs(t, err, &e, test.name) {
			assert.Equal(t, test.code, e.Code, test.name)
			assert.Contains(t, e.Message, test.why, test.name)
		}
	}
	assert.NotContains(t, j.String(), "it was asked")
}

// What a client answers, and what becomes of it. What its layer says of a
// failure is for the author.
func TestCallAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, result string
		err          error
		code         prompts.Code
		log          string
	}{
		{"declined", declining, nil, prompts.CodeInvalidParams, ""},
		{"nonsense", `[]`, nil, prompts.CodeInvalidParams, ""},
		{"nothing", ``, nil, prompts.CodeInvalidParams, ""},
		{"no JSON", `{`, nil, prompts.CodeInvalidParams, ""},
		{"an error", ``, errDisk, prompts.CodeInternalError, errDisk.Error()},
	} {
		var j journal
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Logger: j.logger()})
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"paint"}`), prompts.CallOptions{
			ClientCapabilities: []byte(formCapability),
			Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(test.result), test.err
			},
		})
		var e *prompts.Error
		if assert.ErrorAs(t, err, &e, test.name) {
			assert.Equal(t, test.code, e.Code, test.name)
			assert.NotContains(t, e.Message, errDisk.Error())
		}
		assert.Contains(t, j.String(), test.log, test.name)
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
	}
}

// PRG-09, PRG-10: in 2026-07-28 the answers come with another Call.
func TestCallInRounds(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
	o := prompts.CallOptions{Version: "2026-07-28", ClientCapabilities: []byte(formCapability)}
	got, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"paint"}`), o)
	require.NoError(t, err)
	first := readOutcome(t, `{"result":`+string(got)+`}`)
	first.wants(t, "colour")
	retry := `{"name":"paint","inputResponses":{"colour":` + red + `},"requestState":"` + first.Result.State + `"}`
	got, err = s.Call(t.Context(), "prompts/get", []byte(retry), o)
	require.NoError(t, err)
	assert.Equal(t, "red", readOutcome(t, `{"result":`+string(got)+`}`).text(t))

	_, err = s.Call(t.Context(), "prompts/get", []byte(strings.Replace(retry, `State":"A`, `State":"B`, 1)), o)
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, errState.Message, e.Message)
}

// While the client thinks, others have the turn.
func TestCallGivesUpItsTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(asking("paint"), textPrompt("text", "hi"), w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}})
		answer := make(chan string)
		done := make(chan string)
		get := func(name string) {
			got, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"`+name+`"}`), prompts.CallOptions{
				ClientCapabilities: []byte(formCapability),
				Request:            func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return []byte(<-answer), nil },
			})
			assert.NoError(t, err)
			done <- string(got)
		}
		go get("paint")
		synctest.Wait()
		go get("text")
		assert.Contains(t, <-done, "hi")
		go get("wait")
		go get("wait")
		synctest.Wait()
		answer <- red
		synctest.Wait()
		assert.EqualValues(t, 1, w.running.Load(), "it is not its turn")
		w.let <- struct{}{}
		w.let <- struct{}{}
		assert.Contains(t, fmt.Sprint(<-done, <-done, <-done), "red")
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
	})
}

// PRO-02, PRO-03, PRO-07: progress is told if there is a token and a way.
func TestCallNotifies(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(rendered("steps", func(ctx context.Context) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "one")
		return prompts.Messages(), nil
	})), prompts.Options{})
	for token, want := range map[string]string{
		`"_meta":{"progressToken":7},`:        `{"progressToken":7,"progress":1,"total":2,"message":"one"}`,
		`"_meta":{"progressToken":"\u0061"},`: `{"progressToken":"\u0061","progress":1,"total":2,"message":"one"}`,
		`"_meta":{"progressToken":null},`:     "",
		``:                                    "",
	} {
		var got []string
		over := false
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{`+token+`"name":"steps"}`), prompts.CallOptions{Notify: func(method string, params json.RawMessage) {
			assert.False(t, over, "after Call has returned")
			assert.Equal(t, "notifications/progress", method)
			got = append(got, string(params))
		}})
		over = true
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(got, "\n"), token)
		_, err = s.Call(t.Context(), "prompts/get", []byte(`{`+token+`"name":"steps"}`), prompts.CallOptions{})
		assert.NoError(t, err)
	}
}

// A goroutine that outlives its render function gets no answer: its question
// ends before Call returns, and no turn is lost.
func TestStragglersInACall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asks, done := make(chan struct{}), make(chan error, 1)
		s := prompts.NewServer(registryOf(rendered("early", func(ctx context.Context) (*prompts.Result, error) {
			go func() {
				_, err := prompts.Elicit[colour](ctx, "late", "Which?")
				done <- err
			}()
			<-asks
			return prompts.Messages(), nil
		})), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}})
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"early"}`), prompts.CallOptions{
			ClientCapabilities: []byte(formCapability),
			Request: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				close(asks)
				<-ctx.Done()
				return nil, ctx.Err()
			},
		})
		require.NoError(t, err)
		assert.ErrorIs(t, <-done, prompts.ErrAnswered)
		synctest.Wait()
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
	})
}
