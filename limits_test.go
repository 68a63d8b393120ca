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
	s := prompts.MustNewServer(reg, prompts.Options{Limits: prompts.Limits{MaxArguments: 3, MaxArgumentBytes: 10}})
	wrapped := prompts.MustNewServer(reg, prompts.Options{Limits: prompts.Limits{MaxArguments: 3, MaxArgumentBytes: 10}, Middleware: passing})
	for _, row := range table(t, "sizes", 4) {
		for _, s := range []*prompts.Server{s, wrapped} {
			_, e := call(t, s, row[0], row[1])
			if row[3] == "" {
				assert.Nil(t, e, row[1])
				continue
			}
			assert.Equal(t, jsonText(invalidParam(row[2], row[3])), jsonText(e), row[1])
		}
	}
	for _, s := range []*prompts.Server{s, wrapped} {
		_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":{"a":["xxxxxxxxxxx"]}}`), prompts.CallOptions{})
		assert.ErrorContains(t, err, "a must be a JSON string", "of whatever size")
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
		for more, want := range map[string]string{"": "", "x": invalidResult} {
			var log strings.Builder
			s := prompts.MustNewServer(registryOf(rendered("p", func(context.Context) (*prompts.Result, error) {
				return prompts.Messages(prompts.UserContent(c), prompts.User(text+more)), nil
			})), prompts.Options{Limits: prompts.Limits{MaxResultBytes: most}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, e := call(t, s, methodGet, `{"name":"p"}`)
			if want == "" {
				assert.Nil(t, e, name)
				continue
			}
			assert.Equal(t, internalError(want), neutralError(e), name)
			assert.Contains(t, log.String(), "Options.Limits.MaxResultBytes")
		}
	}
	s := prompts.MustNewServer(registryOf(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Description: strings.Repeat("x", most+1)}, nil
	}}), prompts.Options{Limits: prompts.Limits{MaxResultBytes: most}, Methods: map[string]prompts.Method{
		"tools/list": func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"tools": []string{strings.Repeat("x", most)}}, nil
		},
	}})
	_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{})
	assert.ErrorContains(t, err, "invalid result")
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
		{prompts.Options{Middleware: passing}, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := prompts.MustNewServer(registryOf(completing("p", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})), test.options)
			begin := time.Now()
			var got []byte
			err := s.Handle(t.Context(), []byte(envelopedLine("1", "completion/complete", completeParamsOf("p", "a", ""))), transport.Exchange{
				Send: func(msg []byte, _ prompts.Code, _ bool) error { got = bytes.Clone(msg); return nil },
			})
			assert.ErrorIs(t, err, prompts.ErrTimeLimit)
			assert.Contains(t, string(got), "timed out after")
			assert.Equal(t, test.want, time.Since(begin))
		})
	}
}

// A client that causes records does not fill a disk, and the author hears of
// those that were left out.
func TestLogRate(t *testing.T) {
	bubble(t, func(t *testing.T) {
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
		s := prompts.MustNewServer(registryOf(failing), prompts.Options{Logger: own})
		assert.Equal(t, 200, call(s, 1000))
		time.Sleep(10 * time.Millisecond)
		assert.Equal(t, 1, call(s, 10))
		assert.Contains(t, log.String(), fmt.Sprint("dropped=", 800))
		time.Sleep(time.Minute)
		assert.Equal(t, 200, call(s, 1000))
		assert.Equal(t, 1, strings.Count(log.String(), "dropped=9\n"))

		// What the logger does not want costs no room.
		quiet := prompts.MustNewServer(registryOf(failing), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError + 1}))})
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
		msg := pingLine("1") + strings.Repeat(" ", most-len(pingLine("1")))
		assert.Equal(t, pongLine("1"), answerTo(t, nil, session, msg))
		want := errorLine("", transport.CodeInvalidRequest, fmt.Sprintf("message exceeds the limit of %d bytes", most))
		assert.Equal(t, want, answerTo(t, nil, session, msg+" "))
	}
}

// Once the answers of a batch have more bytes than a message may, its other requests are
// rejected, each for itself: here from the third on, as the second goes past the bound.
func TestBatchOfLargeAnswers(t *testing.T) {
	t.Parallel()
	const most = 2000
	long := textPrompt("long", strings.Repeat("x", most/2))
	long.Description = strings.Repeat("x", most/2)
	s := prompts.MustNewServer(registryOf(long), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: most}})
	for _, method := range []string{methodList, methodGet} {
		var lines []string
		for i := range 10 {
			lines = append(lines, strings.Replace(getLine(fmt.Sprint(i), "long"), methodGet, method, 1))
		}
		got := answerTo(t, s, sessionIn(t, s, batchVersion), batchLine(lines...))
		answers := elements(t, got)
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
	session := newSession(t, s)
	for name, test := range map[string]struct {
		session transport.Session
		line    func(long string) string
		code    prompts.Code
	}{
		"a prompt":             {session, func(long string) string { return getLine("1", long) }, prompts.CodeInvalidParams},
		"a prompt, stateless":  {nil, func(long string) string { return envelopedGet("1", long) }, prompts.CodeInvalidParams},
		"a prompt to complete": {session, func(long string) string { return completeLine("1", long, "a", "") }, prompts.CodeInvalidParams},
		"a version": {nil, func(long string) string {
			return strings.Replace(envelopedGet("1", "p"), "2026-07-28", long, 1)
		}, transport.CodeUnsupportedVersion},
		"a method": {session, func(long string) string {
			return `{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`
		}, prompts.CodeMethodNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{most, most + 1, 100_000} {
				got, err := handle(t, s, test.session, test.line(strings.Repeat("v", size)))
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
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 2, MaxSubscriptionsTotal: 3}})
		a, b := connect(t, s).listen("1"), connect(t, s).listen("1")
		free := subscribe(t, s, nil, nil)
		assert.Len(t, free.received(), 1)
		for range 5 {
			for _, c := range []*client{a, b} {
				assert.Equal(t, []string{errorResponse("2", busy())}, c.ask(listenLine("2")))
			}
			got, err := handle(t, s, nil, listenLine("2"))
			require.NoError(t, err)
			assert.Equal(t, errorResponse("2", busy()), got)
		}
		close(free.closing)
		require.NoError(t, <-free.done)
		a.listen("2")
		assert.Equal(t, []string{errorResponse("2", busy())}, b.ask(listenLine("2")))
		require.NoError(t, a.end())
		b.listen("2")
		free = subscribe(t, s, nil, nil)
		assert.Len(t, free.received(), 1)
		free.cancel(nil)
		assert.Error(t, <-free.done)
		require.NoError(t, b.end())
		assertNoTrace(t, s)
	})
}

func TestMaxSubscriptionsDefault(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}))
		for i := range defaultMaxSubscriptions {
			c.listen(fmt.Sprint(i))
		}
		got := c.ask(listenLine("1000"))
		require.Len(t, got, 1)
		assert.Contains(t, got[0], `"code":-32603`)
		require.NoError(t, c.end())
		assert.Len(t, c.received(), 2*defaultMaxSubscriptions)
	})
}
