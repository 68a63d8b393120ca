package prompts

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
				assert.NoError(t, NewServer(nil, Options{Logger: log.logger()}).Serve(t.Context(), w))
				if name == "it panics" {
					assert.Contains(t, log.String(), "the transport has panicked")
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
	reporting := rendered("reports", func(ctx context.Context) (*Result, error) {
		Progress(ctx, 1, 2, "")
		time.Sleep(time.Second)
		return Messages(User("hi")), nil
	})
	exits := rendered("exits", func(context.Context) (*Result, error) { runtime.Goexit(); return nil, nil })
	late := rendered("late", func(context.Context) (*Result, error) {
		time.Sleep(time.Minute)
		return Messages(User("hi")), nil
	})
	for _, test := range []struct {
		name, line string
		version    string
		panics     func(last bool) bool
		overdue    bool
		want       []string // the messages that Send did not panic at
		err        error
	}{
		{"Send, with progress", withToken(getLine("1", "reports"), "1"), "2025-11-25", func(last bool) bool { return !last }, false, []string{textLine("1", "hi")}, nil},
		{"Send, with progress in a batch", "[" + withToken(getLine("1", "reports"), "1") + "]", batchVersion, func(last bool) bool { return !last }, false, []string{"[" + textLine("1", "hi") + "]"}, nil},
		{"Send, after the time limit", getLine("1", "late"), "2025-11-25", func(bool) bool { return true }, false, nil, errTimeLimit},
		{"Overdue", getLine("1", "late"), "2025-11-25", func(bool) bool { return false }, true, []string{errorLine("1", CodeInternalError, "the request took too long")}, errTimeLimit},
		{"Overdue, in a batch whose work ends its goroutine", "[" + getLine("1", "exits") + "]", batchVersion, func(bool) bool { return false }, true, []string{"[" + errorLine("1", CodeInternalError, renderFailed) + "]"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log journal
				s := NewServer(registryOf(reporting, late, exits), Options{Logger: log.logger(), RenderTimeout: 30 * time.Second})
				session := s.NewSession(SessionOptions{Version: test.version})
				var got []string
				err := session.Handle(t.Context(), []byte(test.line), Exchange{
					Overdue: func() {
						if test.overdue {
							panic(secretPanic)
						}
					},
					Send: func(msg []byte, _ Code, last bool) error {
						if test.panics(last) {
							panic(secretPanic)
						}
						got = append(got, string(msg))
						return nil
					},
				})
				assert.ErrorIs(t, err, test.err)
				assert.Equal(t, test.want, got)
				assert.Contains(t, log.String(), "the transport has panicked")
				assert.Contains(t, log.String(), secretPanic)
				assert.Zero(t, session.answers.wait(t.Context()), "it waits for an answer for ever")
				assert.Equal(t, errors.Is(test.err, errTimeLimit), strings.Contains(log.String(), "the time limit has passed"))
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
			s := NewServer(registryOf(reporting), Options{Logger: log.logger()})
			result, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"reports","_meta":{"progressToken":1}}`), CallOptions{
				Notify: func(string, json.RawMessage) { panic(secretPanic) },
			})
			require.NoError(t, err)
			assert.Contains(t, string(result), "hi")
			assert.Contains(t, log.String(), "the transport has panicked")
		})
	})
}
