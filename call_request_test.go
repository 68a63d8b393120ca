package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
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
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
	})
}

// The end of the caller's context is neither the client's fault nor the
// author's: Call returns its cause, and nobody is told of an error.
func TestCallEndsWhileTheClientThinks(t *testing.T) {
	for name, failed := range map[string]func(ctx context.Context) error{
		"its error":  func(ctx context.Context) error { return ctx.Err() },
		"its cause":  context.Cause,
		"another":    func(context.Context) error { return errors.New("interrupted") },
		"no failure": func(context.Context) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var j journal
				s := prompts.NewServer(registryOf(asking("several")), prompts.Options{Logger: j.logger()})
				ctx, cancel := context.WithCancelCause(t.Context())
				_, err := callSeveral(s, ctx, func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
					cancel(errDisk)
					<-ctx.Done()
					return []byte(red), failed(ctx)
				})
				assert.Equal(t, errDisk, err)
				assert.Empty(t, j.String())
				assert.Zero(t, s.Slots())
			})
		})
	}
}

// When Call has returned, the render's context has ended, and who has kept it
// can neither ask nor report, nor find out anything.
func TestContextOfACallThatHasReturned(t *testing.T) {
	for name, questions := range map[string]int{"it has asked": 1, "it has not asked": 0} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var kept context.Context
				s := prompts.NewServer(registryOf(rendered("several", func(ctx context.Context) (*prompts.Result, error) {
					assert.NoError(t, ctx.Err())
					kept = ctx
					if questions == 0 {
						return prompts.Messages(), nil
					}
					return prompts.Messages(), prompts.Ask(ctx, prompts.Form[colour]("a", "A?"))
				})), prompts.Options{})
				asked := 0
				_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"several","_meta":{"progressToken":1}}`), prompts.CallOptions{
					ClientCapabilities: []byte(formCapability),
					Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
						asked++
						return []byte(red), nil
					},
					Notify: func(string, json.RawMessage) { t.Error("it has reported") },
				})
				require.NoError(t, err)
				assert.Equal(t, prompts.ErrAnswered, context.Cause(kept))
				assert.NoError(t, t.Context().Err())
				for _, ctx := range []context.Context{kept, context.WithoutCancel(kept)} {
					prompts.Progress(ctx, 1, 2, "late")
					for _, key := range []string{"a", "b"} {
						_, err = prompts.Elicit[colour](ctx, key, "Again?")
						assert.ErrorIs(t, err, prompts.ErrAnswered)
					}
				}
				synctest.Wait()
				assert.Equal(t, questions, asked)
				assert.Zero(t, s.Tasks())
				assert.Zero(t, s.Slots())
			})
		})
	}
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
			assert.Equal(t, `the answer to "colour" is not an object`, e.Message, fmt.Sprintf("%.40q", result))
		}
	}
}
