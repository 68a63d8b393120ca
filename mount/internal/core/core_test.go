package core

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

func TestExists(t *testing.T) {
	t.Parallel()
	err := (&Mount{Name: "gosdk"}).Exists("tool", "a")
	assert.ErrorIs(t, err, prompts.ErrExists)
	assert.EqualError(t, err, `gosdk: tool "a" already exists on the server; rename one of the two`)
}

func TestInternalError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	e := InternalError(t.Context(), srv, "cannot convert", "prompt a", slog.String("prompt", "a"), errors.New("secret"))
	assert.Equal(t, prompts.CodeInternalError, e.Code)
	assert.Regexp(t, `^internal error: prompt a failed \(error id [0-9a-f]{8}\)$`, e.Message)
	data, err := json.Marshal(e.Data)
	require.NoError(t, err)
	var id struct{ ErrorID string }
	require.NoError(t, json.Unmarshal(data, &id))
	assert.Contains(t, log.String(), "error_id="+id.ErrorID)
	assert.Contains(t, log.String(), "secret")
}

// A burst of changes is one update: after a quiet time, or, if it goes on, after the longest one.
func TestBursts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var change func()
		var updates []time.Duration
		begin := time.Now()
		stop, err := Follow(func(changed func()) func() {
			change = changed
			return func() {}
		}, time.Second, func() error { return nil }, func() { updates = append(updates, time.Since(begin)) }, func() {})
		require.NoError(t, err)
		change()
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []time.Duration{quiet}, updates)
		for time.Since(begin) < 3*time.Second {
			change()
			time.Sleep(quiet * 3 / 4)
		}
		synctest.Wait()
		assert.Equal(t, []time.Duration{quiet, 2 * time.Second, 3005 * time.Millisecond}, updates)
		change()
		stop()
		time.Sleep(time.Second)
		assert.Len(t, updates, 3)
	})
}

func TestFollow(t *testing.T) {
	t.Parallel()
	updated, ended := make(chan struct{}), 0
	var change func()
	onChange := func(changed func()) (cancel func()) {
		change = changed
		return func() { change = nil }
	}
	end := func() {
		assert.Nil(t, change)
		ended++
	}
	stop, err := Follow(onChange, 0, func() error { return nil }, func() { updated <- struct{}{} }, end)
	require.NoError(t, err)
	for range 3 {
		change()
		<-updated
	}
	stop()
	stop()
	assert.Equal(t, 1, ended)
	_, err = Follow(onChange, 0, func() error { return errors.New("refused") }, nil, end)
	require.EqualError(t, err, "refused")
	assert.Equal(t, 2, ended)
}

func TestEncodesTo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[true]}`, ` {"b":[true], "a":1}`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`"\u003c"`, `"<"`, true},
		{`{}`, `{} {}`, false},
		{`{}`, ``, false},
	} {
		assert.Equal(t, test.same, EncodesTo(json.RawMessage(test.a), json.RawMessage(test.b)), test.a)
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	all, err := Named("tools", func(params json.RawMessage) (json.RawMessage, error) {
		if string(params) == `{}` {
			return json.RawMessage(`{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"2"}`), nil
		}
		assert.JSONEq(t, `{"cursor":"2"}`, string(params))
		return json.RawMessage(`{"tools":[{"name":"c","uri":"test://c"}]}`), nil
	})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": `{"name":"a"}`, "b": `{"name":"b"}`, "test://c": `{"name":"c","uri":"test://c"}`}, all)
	for _, raw := range []string{`[]`, `{"tools":[{"name":1}]}`, `{"tools":[{"name":"a"},{"name":1}]}`} {
		all, err = Named("tools", func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(raw), nil })
		assert.Error(t, err, raw)
		assert.Nil(t, all, "entries before the error")
	}
	_, err = Named("tools", func(json.RawMessage) (json.RawMessage, error) { return nil, errors.New("refused") })
	assert.EqualError(t, err, "refused")
}

// A request that the user declined or canceled has a response, too.
func TestAsk(t *testing.T) {
	t.Parallel()
	requests := map[string]inputRequest{"roots": {Method: "roots/list"}}
	for _, action := range []string{"accept", "decline", "cancel"} {
		params := json.RawMessage(`{"message":"` + action + `","requestedSchema":{"type":"object","properties":{}}}`)
		requests[action] = inputRequest{"elicitation/create", &params}
	}
	var reg prompts.Registry
	var responses map[string]json.RawMessage
	reg.MustAdd(prompts.Prompt{Name: "ask", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		return prompts.Messages(), ask(ctx, requests, map[string]int{"accept": 1}, &responses)
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	o := prompts.CallOptions{
		Version:            "2025-11-25",
		ClientCapabilities: json.RawMessage(`{"elicitation":{},"roots":{}}`),
		Request: func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
			if method == "roots/list" {
				return json.RawMessage(`{"roots":[]}`), nil
			}
			var form struct{ Message string }
			err := json.Unmarshal(params, &form)
			return json.RawMessage(`{"action":"` + form.Message + `","content":{}}`), err
		},
	}
	_, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"ask"}`), o)
	require.NoError(t, err)
	text, err := json.Marshal(responses)
	require.NoError(t, err)
	assert.JSONEq(t, `{"accept":{"action":"accept","content":{}},"decline":{"action":"decline"},"cancel":{"action":"cancel"},"roots":{"roots":[]}}`, string(text))

	o.Request = nil
	_, err = srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"ask"}`), o)
	assert.Error(t, err, "the client cannot be asked")
}
