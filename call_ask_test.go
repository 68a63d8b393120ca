package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A Call speaks the revision that the caller's layer has agreed on.
func TestCallVersion(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(prompts.Prompt{Name: "p", Title: "P", Icons: []prompts.Icon{{Src: "https://example.com/i.png"}}, Render: nothing}), prompts.Options{})
	for _, version := range append([]string{"", "2026-07-28"}, handshakeVersions...) {
		want := `{"messages":[]}`
		if version == "2026-07-28" {
			want = `{"resultType":"complete","messages":[],"_meta":{` + ownIdentity + `}}`
		}
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
		require.ErrorContains(t, err, "prompts: unknown protocol version", version)
		var e *prompts.Error
		assert.NotErrorAs(t, err, &e, "it is the caller's fault, not the client's")
	}
	_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{ClientCapabilities: []byte(`{`)})
	assert.ErrorContains(t, err, "client capabilities")
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

// messageOf returns the message of an elicitation.
func messageOf(t testing.TB, params json.RawMessage) string {
	t.Helper()
	var p struct{ Message string }
	require.NoError(t, json.Unmarshal(params, &p))
	return p.Message
}

func callSeveral(s *prompts.Server, ctx context.Context, request func(context.Context, string, json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	return s.Call(ctx, "prompts/get", []byte(`{"name":"several"}`), prompts.CallOptions{ClientCapabilities: []byte(formCapability), Request: request})
}

// Questions that are asked at once are asked concurrently, and each gets its
// own answer, in whatever order they come.
func TestRequestsAreConcurrent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("several", func(ctx context.Context) (*prompts.Result, error) {
			a, b, c := prompts.Form[colour]("a", "3"), prompts.Form[colour]("b", "1"), prompts.Form[colour]("c", "2")
			err := prompts.Ask(ctx, a, b, c)
			return prompts.Messages(prompts.User(a.Value.Colour + b.Value.Colour + c.Value.Colour)), err
		})), prompts.Options{})
		var running atomic.Int32
		began := time.Now()
		got, err := callSeveral(s, t.Context(), func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			running.Add(1)
			text := messageOf(t, params)
			time.Sleep(time.Duration(text[0]-'0') * time.Second)
			assert.EqualValues(t, 3, running.Load())
			return []byte(accepting(`{"colour":"` + text + `"}`)), nil
		})
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(began))
		assert.Contains(t, string(got), `"312"`)
	})
}

// The first failure is that of the Ask, and ends the other requests, for which
// nobody waits.
func TestRequestsEndTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var ended atomic.Int32
		s := prompts.NewServer(registryOf(several(func(err error) {
			assert.ErrorIs(t, err, errDisk)
			assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable)
		})), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}})
		_, err := callSeveral(s, t.Context(), func(ctx context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			if messageOf(t, params) == "B?" {
				time.Sleep(time.Second)
				return nil, errDisk
			}
			<-ctx.Done()
			ended.Add(1)
			return []byte(red), nil
		})
		assert.NoError(t, err)
		synctest.Wait()
		assert.EqualValues(t, 2, ended.Load())
		assert.Zero(t, s.Tasks()+s.Slots())
	})
}

// What Request returns is what a client says: it is checked as such.
func TestRequestResultsAreChecked(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(asking("several")), prompts.Options{})
	for _, result := range []string{
		"", "null", "{", red + red, "\xff",
		strings.Replace(red, "red", "\xff", 1),
		strings.Replace(red, "red", "\x00", 1),
		strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1),
		`{"action":"decline","action":"accept","content":{"colour":"red"}}`,
	} {
		_, err := callSeveral(s, t.Context(), func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return []byte(result), nil })
		var e *prompts.Error
		if assert.ErrorAs(t, err, &e, result) {
			assert.Equal(t, prompts.CodeInvalidParams, e.Code, result)
			assert.Equal(t, `invalid answer to question "colour": must be an object`, e.Message, fmt.Sprintf("%.40q", result))
		}
	}
}
