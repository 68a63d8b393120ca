package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// closer is a transport whose Close does something else.
type closer struct {
	*wire
	do func()
}

func (c closer) Close() error {
	_ = c.wire.Close()
	c.do()
	return nil
}

// A Close that panics or ends its goroutine changes nothing of how Serve ends.
func TestCloseThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(){
		"it panics":             func() { panic(secretPanic) },
		"it ends its goroutine": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log journal
				w := closer{newWire(t), do}
				close(w.in)
				assert.NoError(t, prompts.NewServer(nil, prompts.Options{Logger: log.logger()}).Serve(t.Context(), w))
				if name == "it panics" {
					assert.Contains(t, log.String(), "panic recovered")
					assert.Contains(t, log.String(), secretPanic)
				}
			})
		})
	}
}

// What a foreign transport is called with on a goroutine of ours may panic
// there, and is told of in the log. The request is answered if that is still
// possible.
func TestForeignTransportPanics(t *testing.T) {
	t.Parallel()
	reporting := rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "")
		time.Sleep(time.Second)
		return prompts.Messages(prompts.User("hi")), nil
	})
	late := rendered("late", func(context.Context) (*prompts.Result, error) {
		time.Sleep(time.Minute)
		return prompts.Messages(prompts.User("hi")), nil
	})
	for _, test := range []struct {
		name, line string
		version    string
		panics     func(last bool) bool
		want       []string // the messages that Send did not panic at
		err        error
	}{
		{"Send, with progress", withToken(getLine("1", "reports"), "1"), "2025-11-25", func(last bool) bool { return !last }, []string{textLine("1", "hi")}, nil},
		{"Send, with progress in a batch", "[" + withToken(getLine("1", "reports"), "1") + "]", batchVersion, func(last bool) bool { return !last }, []string{"[" + textLine("1", "hi") + "]"}, nil},
		{"Send, after the time limit", getLine("1", "late"), "2025-11-25", func(bool) bool { return true }, nil, prompts.ErrTimeLimit},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log journal
				s := prompts.NewServer(registryOf(reporting, late), prompts.Options{Logger: log.logger(), Timeouts: prompts.Timeouts{Render: 30 * time.Second}})
				session := s.NewSession(transport.SessionOptions{Version: test.version})
				var got []string
				err := session.Handle(t.Context(), []byte(test.line), transport.Exchange{
					Send: func(msg []byte, _ prompts.Code, last bool) error {
						if test.panics(last) {
							panic(secretPanic)
						}
						got = append(got, string(msg))
						return nil
					},
				})
				assert.ErrorIs(t, err, test.err)
				assert.Equal(t, test.want, got)
				assert.Contains(t, log.String(), "panic recovered")
				assert.Contains(t, log.String(), secretPanic)
				assert.Empty(t, prompts.Peek(session).Leftovers(), "it waits for an answer for ever")
				assert.Equal(t, errors.Is(test.err, prompts.ErrTimeLimit), strings.Contains(log.String(), "the time limit has passed"))
				session.Close()
				synctest.Wait()
				assertNoTrace(t, s)
			})
		})
	}
	t.Run("Notify of a Call", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var log journal
			s := prompts.NewServer(registryOf(reporting), prompts.Options{Logger: log.logger()})
			result, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"reports","_meta":{"progressToken":1}}`), prompts.CallOptions{
				Notify: func(string, json.RawMessage) { panic(secretPanic) },
			})
			require.NoError(t, err)
			assert.Contains(t, string(result), "hi")
			assert.Contains(t, log.String(), "panic recovered")
		})
	})
}
