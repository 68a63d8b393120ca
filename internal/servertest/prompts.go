package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// BadError is an error whose methods fail.
type BadError struct{}

func (BadError) Error() string { return "bad" }

func (BadError) Is(error) bool { panic("Is") }

func (BadError) As(any) bool { return false }

func (BadError) Unwrap() []error { return nil }

// Data is an Error's data whose encoding does something else.
type Data func()

func (d Data) MarshalJSON() ([]byte, error) { d(); return []byte("{}"), nil }

type PrincipalKey struct{}

func PrincipalOf(ctx context.Context) (string, error) {
	name, _ := ctx.Value(PrincipalKey{}).(string)
	return name, nil
}

func Nothing(context.Context, map[string]string) (*prompts.Result, error) {
	return &prompts.Result{}, nil
}

// PromptOf is a prompt of the struct In that is never rendered.
func PromptOf[In any](arguments ...prompts.Argument) prompts.Prompt {
	var got In
	return Storing(&got, arguments...)
}

// Elicits returns a question with a form of the type.
func Elicits[T any](message string, arguments ...prompts.Argument) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := prompts.Elicit[T](ctx, "q", message, arguments...)
		return err
	}
}

type (
	One[T any] struct {
		A T `json:"a"`
	}
	Maybe[T any] struct {
		A T `json:"a,omitempty"`
	}
	Inner struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty"`
	}
)

// Storing is a prompt whose render function keeps what it gets.
func Storing[In any](got *In, arguments ...prompts.Argument) prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "p", Arguments: arguments}, func(_ context.Context, in In) (*prompts.Result, error) {
		*got = in
		return &prompts.Result{}, nil
	})
}

// Including returns a prompt that is what another one is, in other words.
func Including(name, other string, args map[string]string) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		r, err := prompts.Include(ctx, other, args)
		if err != nil {
			return nil, err
		}
		return prompts.Messages(append([]prompts.Message{prompts.User(name)}, r.Messages...)...), nil
	}}
}

// What a client says in confidence: as a text, and as a number.
const (
	Confided       = "c4n4ry"
	ConfidedNumber = "31415926535"
)

const ConfidedAnswer = `{"action":"accept","content":{"text":"` + Confided + `","pattern":"` + Confided + `","number":` + ConfidedNumber + `}}`

// AnswerInConfidence answers a question of the server's in its session.
func (c *Client) AnswerInConfidence(msg string) {
	var q Asked
	if json.Unmarshal([]byte(msg), &q) == nil && q.Method != "" && q.ID != "" {
		c.Send(q.Reply(ConfidedAnswer))
	}
}

// LiveHeap returns how many bytes of the heap are in use.
func LiveHeap() int64 {
	runtime.GC()
	runtime.GC() // empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// DigestOf returns a valid Digest that ends with a number.
func DigestOf(n int) string { return fmt.Sprintf("sha256:%064x", n) }

// ReleaseOne is the release that most tests serve.
var ReleaseOne = prompts.Release{ID: "sha256:one", Label: "production", Source: "files:"}

// SetRelease moves the registry to a release with one prompt, whose text names it.
func SetRelease(t testing.TB, r *prompts.Registry, release prompts.Release, digest string) {
	t.Helper()
	p := TextPrompt("greet", release.ID)
	p.Source, p.Digest = release.Source+"greet.md", digest
	require.NoError(t, r.Update(func(tx *prompts.Tx) error {
		return CmpErr(tx.Set(p), tx.SetRelease(release))
	}))
}

func CmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// waiter is a prompt whose renders last until their context ends or the
// test lets one go.
type waiter struct {
	Running atomic.Int32
	Most    atomic.Int32
	Started atomic.Int32
	Let     chan struct{} // each receive lets one go
	Causes  chan error    // why contexts have ended
}

func NewWaiter() *waiter {
	return &waiter{Let: make(chan struct{}), Causes: make(chan error, 1024)}
}

func (w *waiter) Prompt(name string) prompts.Prompt {
	return Rendered(name, func(ctx context.Context) (*prompts.Result, error) {
		w.Started.Add(1)
		w.Most.Store(max(w.Most.Load(), w.Running.Add(1)))
		defer w.Running.Add(-1)
		select {
		case <-w.Let:
			return prompts.Messages(prompts.User("let go")), nil
		case <-ctx.Done():
			w.Causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}
	})
}

// Sleeper is a prompt that sleeps and does not look at its context.
func Sleeper(name string, d time.Duration) prompts.Prompt {
	return Rendered(name, func(context.Context) (*prompts.Result, error) {
		time.Sleep(d)
		return prompts.Messages(prompts.User("slept")), nil
	})
}
