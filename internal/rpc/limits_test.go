package rpc_test

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
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// What is larger than the options allow is refused, and what is as large is not.
func TestSizesOfArguments(t *testing.T) {
	t.Parallel()
	reg := servertest.RegistryOf(prompts.Prompt{
		Name: "p", Arguments: []prompts.Argument{{Name: "a", Enum: []string{"x", strings.Repeat("x", 10)}}},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("hi")), nil
		},
	})
	s := prompts.MustNewServer(reg, prompts.Options{Limits: prompts.Limits{MaxArguments: 3, MaxArgumentBytes: 10}})
	wrapped := prompts.MustNewServer(reg, prompts.Options{Limits: prompts.Limits{MaxArguments: 3, MaxArgumentBytes: 10}, Middleware: servertest.Passing})
	for _, row := range servertest.Table(t, "sizes", 4) {
		for _, s := range []*prompts.Server{s, wrapped} {
			_, e := servertest.Call(t, s, row[0], row[1])
			if row[3] == "" {
				assert.Nil(t, e, row[1])
				continue
			}
			assert.Equal(t, servertest.JsonText(servertest.InvalidParam(row[2], row[3])), servertest.JsonText(e), row[1])
		}
	}
	for _, s := range []*prompts.Server{s, wrapped} {
		for value, want := range map[string]string{`["xxxxxx"]`: "a must be a JSON string", `["xxxxxxx"]`: `argument "a" exceeds the limit of 10 bytes`} {
			_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":{"a":`+value+`}}`), prompts.CallOptions{Version: "2025-11-25"})
			assert.ErrorContains(t, err, want)
		}
	}
}

// A result that is too large goes nowhere, whatever it is made of.
func TestSizeOfResult(t *testing.T) {
	t.Parallel()
	const most = 100
	text, data := strings.Repeat("x", most/2), bytes.Repeat([]byte("x"), most/2)
	resource := &prompts.EmbeddedResource{URI: "a:b", Text: text}
	blob := &prompts.EmbeddedResource{URI: "a:b", MIMEType: "a/b", Blob: data}
	for name, c := range map[string]prompts.Content{
		"text": &prompts.Text{Text: text}, "image": &prompts.Image{Data: data, MIMEType: "image/png"}, "audio": &prompts.Audio{Data: data, MIMEType: "audio/wav"},
		"resource": resource, "blob": blob,
		"link":  &prompts.ResourceLink{URI: "a:b", Name: "n", Title: "t", Description: text[5:]},
		"_meta": &prompts.Text{Meta: prompts.Meta{"a": text[2:]}}, // in quotes
	} {
		for more, want := range map[string]string{"": "", "x": servertest.InvalidResult} {
			var log strings.Builder
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("p", func(context.Context) (*prompts.Result, error) {
				return prompts.Messages(prompts.UserContent(c), prompts.User(text+more)), nil
			})), prompts.Options{Limits: prompts.Limits{MaxResultBytes: most}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, e := servertest.Call(t, s, servertest.MethodGet, `{"name":"p"}`)
			if want == "" {
				assert.Nil(t, e, name)
				continue
			}
			assert.Equal(t, servertest.InternalError(want), servertest.NeutralError(e), name)
			assert.Contains(t, log.String(), "Options.Limits.MaxResultBytes")
		}
	}
	s := prompts.MustNewServer(servertest.RegistryOf(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Description: strings.Repeat("x", most+1)}, nil
	}}), prompts.Options{Limits: prompts.Limits{MaxResultBytes: most}, Features: servertest.Methods(map[string]servertest.Method{
		"tools/list": func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"tools": []string{strings.Repeat("x", most)}}, nil
		},
	})})
	_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.ErrorContains(t, err, "invalid result")
	session := servertest.SessionIn(t, s, "2025-11-25")
	got, err := servertest.Handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
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
		{prompts.Options{Middleware: servertest.Passing}, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Completing("p", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})), test.options)
			begin := time.Now()
			var got []byte
			err := s.Handle(t.Context(), []byte(servertest.EnvelopedLine("1", "completion/complete", servertest.CompleteParamsOf("p", "a", ""))), transport.Exchange{
				Send: func(msg []byte, _ transport.Code, _ bool) error { got = bytes.Clone(msg); return nil },
			})
			assert.ErrorIs(t, err, rpc.ErrTimeout)
			assert.Contains(t, string(got), "timed out after")
			assert.Equal(t, test.want, time.Since(begin))
		})
	}
}

// A client that causes records does not fill a disk, and the author hears of
// those that were left out.
func TestLogRate(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var log strings.Builder
		failing := prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, errors.New("no") }}
		call := func(s *prompts.Server, n int) int {
			log.Reset()
			for range n {
				_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{Version: "2025-11-25"})
				require.Error(t, err)
			}
			return strings.Count(log.String(), "\n")
		}
		own := slog.New(slog.NewTextHandler(&log, nil))
		s := prompts.MustNewServer(servertest.RegistryOf(failing), prompts.Options{Logger: own})
		assert.Equal(t, 200, call(s, 1000))
		time.Sleep(10 * time.Millisecond)
		assert.Equal(t, 1, call(s, 10))
		assert.Contains(t, log.String(), fmt.Sprint("dropped=", 800))
		time.Sleep(time.Minute)
		assert.Equal(t, 200, call(s, 1000))
		assert.Equal(t, 1, strings.Count(log.String(), "dropped=9\n"))

		// What the logger does not want costs no room.
		quiet := prompts.MustNewServer(servertest.RegistryOf(failing), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError + 1}))})
		assert.Equal(t, 0, call(quiet, 10))
	})
}

// GAP-14: a message may have as many bytes as the options say, and 4 MiB if they
// say nothing.
func TestSizeOfMessage(t *testing.T) {
	t.Parallel()
	for most, o := range map[int]prompts.Options{4 << 20: {}, 100: {Limits: prompts.Limits{MaxMessageBytes: 100}}} {
		session := prompts.MustNewServer(new(prompts.Registry), o).NewSession(transport.SessionOptions{Version: "2025-11-25"})
		defer session.Close()
		msg := servertest.PingLine("1") + strings.Repeat(" ", most-len(servertest.PingLine("1")))
		assert.Equal(t, servertest.PongLine("1"), servertest.AnswerTo(t, nil, session, msg))
		want := servertest.ErrorLine("", transport.CodeInvalidRequest, fmt.Sprintf("message exceeds the limit of %d bytes", most))
		assert.Equal(t, want, servertest.AnswerTo(t, nil, session, msg+" "))
	}
}

// Once the answers of a batch have more bytes than a message may, its other requests are
// rejected, each for itself: here from the third on, as the second goes past the bound.
func TestBatchOfLargeAnswers(t *testing.T) {
	t.Parallel()
	const most = 2000
	long := servertest.TextPrompt("long", strings.Repeat("x", most/2))
	long.Description = strings.Repeat("x", most/2)
	s := prompts.MustNewServer(servertest.RegistryOf(long), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: most}})
	for _, method := range []string{servertest.MethodList, servertest.MethodGet} {
		var lines []string
		for i := range 10 {
			lines = append(lines, strings.Replace(servertest.GetLine(fmt.Sprint(i), "long"), servertest.MethodGet, method, 1))
		}
		got := servertest.AnswerTo(t, s, servertest.SessionIn(t, s, servertest.BatchVersion), servertest.BatchLine(lines...))
		answers := servertest.Elements(t, got)
		require.Len(t, answers, 10)
		results := 0
		for _, answer := range answers { // those of render functions come in any order
			if strings.Contains(answer, `"result":{`) {
				results++
			} else {
				assert.Contains(t, answer, `"error":{"code":-32603,"message":"batch response is too large; send fewer requests per batch"}`)
			}
		}
		assert.Equal(t, 2, results)
		assert.Less(t, len(got), 3*most)
	}
}

// What an error repeats of the client's own words is cut at 256 bytes.
func TestEchoesAreBounded(t *testing.T) {
	t.Parallel()
	const most = 256
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	session := servertest.NewSession(t, s)
	for name, test := range map[string]struct {
		session transport.Session
		line    func(long string) string
		code    transport.Code
	}{
		"a prompt":             {session, func(long string) string { return servertest.GetLine("1", long) }, prompts.CodeInvalidParams},
		"a prompt, stateless":  {nil, func(long string) string { return servertest.EnvelopedGet("1", long) }, prompts.CodeInvalidParams},
		"a prompt to complete": {session, func(long string) string { return servertest.CompleteLine("1", long, "a", "") }, prompts.CodeInvalidParams},
		"a version": {nil, func(long string) string {
			return strings.Replace(servertest.EnvelopedGet("1", "p"), "2026-07-28", long, 1)
		}, transport.CodeUnsupportedVersion},
		"a method": {session, func(long string) string {
			return `{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`
		}, prompts.CodeMethodNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{most, most + 1, 100_000} {
				got, err := servertest.Handle(t, s, test.session, test.line(strings.Repeat("v", size)))
				require.NoError(t, err)
				assert.NotContains(t, got, strings.Repeat("v", most+1))
				assert.Less(t, len(got), 4*most)
				assert.Contains(t, got, fmt.Sprintf(`"code":%d`, test.code))
				assert.Equal(t, size > most, strings.Contains(got, strings.Repeat("v", most)+"…"))
				assert.Contains(t, got, strings.Repeat("v", most))
			}
		})
	}
}

// MaxSubscriptionsTotal is for all connections and what belongs to none; who is
// refused by it has its place in its connection back.
func TestMaxSubscriptionsTotal(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 2, MaxSubscriptionsTotal: 3}})
		a, b := servertest.Connect(t, s).Listen("1"), servertest.Connect(t, s).Listen("1")
		free := subscribe(t, s, nil, nil)
		assert.Len(t, free.received(), 1)
		for range 5 {
			for _, c := range []*servertest.Client{a, b} {
				assert.Equal(t, []string{servertest.ErrorResponse("2", servertest.Busy())}, c.Ask(servertest.ListenLine("2")))
			}
			got, err := servertest.Handle(t, s, nil, servertest.ListenLine("2"))
			require.NoError(t, err)
			assert.Equal(t, servertest.ErrorResponse("2", servertest.Busy()), got)
		}
		close(free.closing)
		require.NoError(t, <-free.done)
		a.Listen("2")
		assert.Equal(t, []string{servertest.ErrorResponse("2", servertest.Busy())}, b.Ask(servertest.ListenLine("2")))
		require.NoError(t, a.End())
		b.Listen("2")
		free = subscribe(t, s, nil, nil)
		assert.Len(t, free.received(), 1)
		free.cancel(nil)
		assert.Error(t, <-free.done)
		require.NoError(t, b.End())
		servertest.AssertNoTrace(t, s)
	})
}

func TestMaxSubscriptionsDefault(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		c := servertest.Connect(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}))
		for i := range servertest.DefaultMaxSubscriptions {
			c.Listen(fmt.Sprint(i))
		}
		got := c.Ask(servertest.ListenLine("1000"))
		require.Len(t, got, 1)
		assert.Contains(t, got[0], `"code":-32603`)
		require.NoError(t, c.End())
		assert.Len(t, c.Received(), 2*servertest.DefaultMaxSubscriptions)
	})
}
