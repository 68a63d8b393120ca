package prompts

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
)

// What is larger than the options allow is refused, and what is as large is not.
func TestSizesOfArguments(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(Prompt{
		Name: "p", Arguments: []Argument{{Name: "a", Schema: Enum("x", strings.Repeat("x", 10))}},
		Render: func(context.Context, map[string]string) (*Result, error) { return Messages(User("hi")), nil },
	}), Options{MaxArguments: 3, MaxArgumentBytes: 10, Middleware: nil})
	wrapped := NewServer(s.registry, Options{MaxArguments: 3, MaxArgumentBytes: 10, Middleware: func(next Handler) Handler { return next }})
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
		for _, s := range []*Server{s, wrapped} {
			method, params := test.call()
			_, err := s.Call(t.Context(), method, json.RawMessage(params), CallOptions{})
			if test.want == "" {
				assert.NoError(t, err, name)
				continue
			}
			var e *Error
			require.ErrorAs(t, err, &e, name)
			assert.Equal(t, &Error{CodeInvalidParams, test.want, paramData{test.param}}, e, name)
		}
	}
}

// A result that is too large goes nowhere, whatever it is made of.
func TestSizeOfResult(t *testing.T) {
	t.Parallel()
	const most = 100
	text, data := strings.Repeat("x", most/2), bytes.Repeat([]byte("x"), most/2)
	resource := EmbeddedResource{URI: "a:b", Text: text}
	blob := EmbeddedResource{URI: "a:b", MIMEType: "a/b", Blob: data}
	for name, c := range map[string]Content{
		"text": Text{Text: text}, "image": Image{Data: data, MIMEType: "image/png"}, "audio": &Audio{Data: data, MIMEType: "audio/wav"},
		"resource": resource, "blob": &blob,
	} {
		for more, want := range map[string]string{"": "", "x": "the prompt's content is not valid"} {
			var log strings.Builder
			s := NewServer(registryOf(Prompt{Name: "p", Render: func(context.Context, map[string]string) (*Result, error) {
				return Messages(Message{RoleUser, c}, User(text+more)), nil
			}}), Options{MaxResultBytes: most, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), CallOptions{})
			if want == "" {
				assert.NoError(t, err, name)
				continue
			}
			var e *Error
			require.ErrorAs(t, err, &e, name)
			assert.Equal(t, &Error{CodeInternalError, want, nil}, e)
			assert.Contains(t, log.String(), "Options.MaxResultBytes")
		}
	}
	s := NewServer(registryOf(Prompt{Name: "p", Render: func(context.Context, map[string]string) (*Result, error) {
		return &Result{Description: strings.Repeat("x", most+1)}, nil
	}}), Options{MaxResultBytes: most, Methods: map[string]Method{
		"tools/list": func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"tools": []string{strings.Repeat("x", most)}}, nil
		},
	}})
	_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), CallOptions{})
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
		options Options
		want    time.Duration
	}{
		{Options{}, 5 * time.Second},
		{Options{CompleteTimeout: time.Second}, time.Second},
		{Options{CompleteTimeout: -1}, 30 * time.Second},
		{Options{RenderTimeout: 2 * time.Second}, 2 * time.Second},
		{Options{RenderTimeout: -1}, 5 * time.Second},
		{Options{Middleware: func(next Handler) Handler { return next }}, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := NewServer(registryOf(completing("p", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})), test.options)
			begin := time.Now()
			var got []byte
			err := s.Handle(t.Context(), []byte(envelopedLine("1", "completion/complete", completeParamsOf("p", "a", ""))), Exchange{
				Overdue: func() {},
				Send:    func(msg []byte, _ Code, _ bool) error { got = bytes.Clone(msg); return nil },
			})
			assert.ErrorIs(t, err, errTimeLimit)
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
		failing := Prompt{Name: "p", Render: func(context.Context, map[string]string) (*Result, error) { return nil, errors.New("no") }}
		call := func(s *Server, n int) int {
			log.Reset()
			for range n {
				_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), CallOptions{})
				require.Error(t, err)
			}
			return strings.Count(log.String(), "\n")
		}
		own := slog.New(slog.NewTextHandler(&log, nil))
		s := NewServer(registryOf(failing), Options{Logger: own})
		assert.Equal(t, 200, call(s, 1000))
		time.Sleep(10 * time.Millisecond)
		assert.Equal(t, 1, call(s, 10))
		assert.Contains(t, log.String(), fmt.Sprint("left_out=", 800))
		time.Sleep(time.Minute)
		assert.Equal(t, 200, call(s, 1000))
		assert.Equal(t, 1, strings.Count(log.String(), "left_out=9\n"))
		assert.Equal(t, 6, call(NewServer(registryOf(failing), Options{Logger: own, LogRate: 3}), 100))
		assert.Equal(t, 1000, call(NewServer(registryOf(failing), Options{Logger: own, LogRate: -1}), 1000))

		// What the logger does not want costs no room.
		quiet := NewServer(registryOf(failing), Options{LogRate: 1, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError + 1}))})
		assert.Equal(t, 0, call(quiet, 10))
		assert.Zero(t, quiet.logger.leftOut)
	})
}
