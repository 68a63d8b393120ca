package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// What is larger than the options allow is refused, and what is as large is not.
func TestSizesOfArguments(t *testing.T) {
	t.Parallel()
	reg := registryOf(prompts.Prompt{
		Name: "p", Arguments: []prompts.Argument{{Name: "a", Schema: prompts.Enum("x", strings.Repeat("x", 10))}},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("hi")), nil
		},
	})
	s := prompts.NewServer(reg, prompts.Options{Limits: prompts.Limits{MaxArguments: 3, MaxArgumentBytes: 10}})
	wrapped := prompts.NewServer(reg, prompts.Options{Limits: prompts.Limits{MaxArguments: 3, MaxArgumentBytes: 10}, Middleware: func(next prompts.Handler) prompts.Handler { return next }})
	get := func(args string) (string, string) { return "prompts/get", `{"name":"p","arguments":{` + args + `}}` }
	complete := func(value, others string) (string, string) {
		return "completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"` + value + `"},"context":{"arguments":{` + others + `}}}`
	}
	const ten = "xxxxxxxxxx"
	for name, test := range map[string]struct {
		call  func() (string, string)
		param string
		want  string
	}{
		"as many":              {func() (string, string) { return get(`"b":"","c":"","d":""`) }, "", ""},
		"one more":             {func() (string, string) { return get(`"b":"","c":"","d":"","e":""`) }, "arguments", "there are more than 3 arguments"},
		"as long":              {func() (string, string) { return get(`"a":"` + ten + `"`) }, "", ""},
		"one byte longer":      {func() (string, string) { return get(`"b":"` + ten + `x"`) }, "arguments", "b: has more than 10 bytes"},
		"of an unknown":        {func() (string, string) { return "prompts/get", `{"name":"q","arguments":{"b":"` + ten + `x"}}` }, "arguments", "b: has more than 10 bytes"},
		"as long, typed":       {func() (string, string) { return complete(ten, "") }, "", ""},
		"one longer, typed":    {func() (string, string) { return complete(ten+"x", "") }, "argument", "a: has more than 10 bytes"},
		"other, as long":       {func() (string, string) { return complete("x", `"b":"`+ten+`"`) }, "", ""},
		"other, one longer":    {func() (string, string) { return complete("x", `"b":"`+ten+`x"`) }, "context", "b: has more than 10 bytes"},
		"as many others":       {func() (string, string) { return complete("x", `"b":"","c":"","d":""`) }, "", ""},
		"one other too many":   {func() (string, string) { return complete("x", `"b":"","c":"","d":"","e":""`) }, "context", "there are more than 3 arguments"},
		"escapes are no bytes": {func() (string, string) { return get(`"b":"\u0078\u0078\u0078\u0078\u0078\u0078"`) }, "", ""},
	} {
		for _, s := range []*prompts.Server{s, wrapped} {
			method, params := test.call()
			_, err := s.Call(t.Context(), method, json.RawMessage(params), prompts.CallOptions{})
			if test.want == "" {
				assert.NoError(t, err, name)
				continue
			}
			var e *prompts.Error
			require.ErrorAs(t, err, &e, name)
			assert.Equal(t, jsonText(invalidParam(test.param, test.want)), jsonText(e), name)
		}
	}
}

// A result that is too large goes nowhere, whatever it is made of.
func TestSizeOfResult(t *testing.T) {
	t.Parallel()
	const most = 100
	text, data := strings.Repeat("x", most/2), bytes.Repeat([]byte("x"), most/2)
	resource := prompts.EmbeddedResource{URI: "a:b", Text: text}
	blob := prompts.EmbeddedResource{URI: "a:b", MIMEType: "a/b", Blob: data}
	for name, c := range map[string]prompts.Content{
		"text": prompts.Text{Text: text}, "image": prompts.Image{Data: data, MIMEType: "image/png"}, "audio": &prompts.Audio{Data: data, MIMEType: "audio/wav"},
		"resource": resource, "blob": &blob,
	} {
		for more, want := range map[string]string{"": "", "x": "the prompt's content is not valid"} {
			var log strings.Builder
			s := prompts.NewServer(registryOf(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.Message{prompts.RoleUser, c}, prompts.User(text+more)), nil
			}}), prompts.Options{Limits: prompts.Limits{MaxResultBytes: most}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{})
			if want == "" {
				assert.NoError(t, err, name)
				continue
			}
			var e *prompts.Error
			require.ErrorAs(t, err, &e, name)
			assert.Equal(t, &prompts.Error{prompts.CodeInternalError, want, nil}, e)
			assert.Contains(t, log.String(), "Options.Limits.MaxResultBytes")
		}
	}
	s := prompts.NewServer(registryOf(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Description: strings.Repeat("x", most+1)}, nil
	}}), prompts.Options{Limits: prompts.Limits{MaxResultBytes: most}, Methods: map[string]prompts.Method{
		"tools/list": func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"tools": []string{strings.Repeat("x", most)}}, nil
		},
	}})
	_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{})
	assert.ErrorContains(t, err, "not valid")
	session := sessionIn(t, s, "2025-11-25")
	got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	require.NoError(t, err)
	assert.Contains(t, got, "-32603")
}

// A completion has less time than a prompt.
func TestTimeOfCompletion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options prompts.Options
		want    time.Duration
	}{
		{prompts.Options{}, 5 * time.Second},
		{prompts.Options{Timeouts: prompts.Timeouts{Complete: time.Second}}, time.Second},
		{prompts.Options{Timeouts: prompts.Timeouts{Complete: -1}}, 30 * time.Second},
		{prompts.Options{Timeouts: prompts.Timeouts{Render: 2 * time.Second}}, 2 * time.Second},
		{prompts.Options{Timeouts: prompts.Timeouts{Render: -1}}, 5 * time.Second},
		{prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler { return next }}, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := prompts.NewServer(registryOf(completing("p", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})), test.options)
			begin := time.Now()
			var got []byte
			err := s.Handle(t.Context(), []byte(envelopedLine("1", "completion/complete", completeParamsOf("p", "a", ""))), transport.Exchange{
				Send: func(msg []byte, _ prompts.Code, _ bool) error { got = bytes.Clone(msg); return nil },
			})
			assert.ErrorIs(t, err, prompts.ErrTimeLimit)
			assert.Contains(t, string(got), "took too long")
			assert.Equal(t, test.want, time.Since(begin))
		})
	}
}

// A client that causes records does not fill a disk, and the author hears of
// those that were left out.
func TestLogRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		failing := prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, errors.New("no") }}
		call := func(s *prompts.Server, n int) int {
			log.Reset()
			for range n {
				_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{})
				require.Error(t, err)
			}
			return strings.Count(log.String(), "\n")
		}
		own := slog.New(slog.NewTextHandler(&log, nil))
		s := prompts.NewServer(registryOf(failing), prompts.Options{Logger: own})
		assert.Equal(t, 200, call(s, 1000))
		time.Sleep(10 * time.Millisecond)
		assert.Equal(t, 1, call(s, 10))
		assert.Contains(t, log.String(), fmt.Sprint("left_out=", 800))
		time.Sleep(time.Minute)
		assert.Equal(t, 200, call(s, 1000))
		assert.Equal(t, 1, strings.Count(log.String(), "left_out=9\n"))

		// What the logger does not want costs no room.
		quiet := prompts.NewServer(registryOf(failing), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError + 1}))})
		assert.Equal(t, 0, call(quiet, 10))
	})
}
