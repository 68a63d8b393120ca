package elicit_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// What Once keeps lives as long as the prompt's rounds, and no longer.
func TestOnceRunsOnce(t *testing.T) {
	t.Parallel()
	type ticket struct {
		Number int    `json:"number"`
		Text   string `json:"text"`
		hidden string
	}
	var calls atomic.Int32
	var got []ticket
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("order", func(ctx context.Context) (*prompts.Result, error) {
		value, err := prompts.Once(ctx, "ticket", func(context.Context) (ticket, error) {
			return ticket{Number: int(calls.Add(1)), Text: "<&>\u2028é", hidden: "hidden"}, nil
		})
		if err != nil {
			return nil, err
		}
		got = append(got, value)
		for _, key := range []string{"a", "b"} {
			if _, err := prompts.Elicit[servertest.Colour](ctx, key, "Which?"); err != nil {
				return nil, err
			}
		}
		return prompts.Messages(prompts.User("ordered")), nil
	})), prompts.Options{})
	r := servertest.NewRounds(t, s, "order")
	r.Get("").Wants(t, "a")
	r.Get(`{"a":`+servertest.Red+`}`).Wants(t, "b")
	assert.Equal(t, "ordered", r.Get(`{"b":`+servertest.Red+`}`).Text(t))
	assert.EqualValues(t, 1, calls.Load())
	// The first run has it as the others do: what JSON does not carry is
	// missing in all of them.
	assert.Equal(t, []ticket{{1, "<&>\u2028é", ""}, {1, "<&>\u2028é", ""}, {1, "<&>\u2028é", ""}}, got)

	servertest.NewRounds(t, s, "order").Get("").Wants(t, "a")
	assert.EqualValues(t, 2, calls.Load(), "another prompt")
}

// What has failed has not happened: the next run tries again.
func TestOnceDoesNotKeepErrors(t *testing.T) {
	t.Parallel()
	calls := 0
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("try", func(ctx context.Context) (*prompts.Result, error) {
		value, err := prompts.Once(ctx, "v", func(context.Context) (int, error) {
			if calls++; calls < 3 {
				return calls, servertest.ErrDisk
			}
			return calls, nil
		})
		if err != nil {
			assert.Equal(t, servertest.ErrDisk, err)
			assert.Equal(t, calls, value)
		}
		_, err = prompts.Elicit[servertest.Colour](ctx, fmt.Sprint("q", calls), "Which?")
		return prompts.Messages(prompts.User(fmt.Sprint(value))), err
	})), prompts.Options{})
	r := servertest.NewRounds(t, s, "try")
	r.Get("").Wants(t, "q1")
	r.Get("").Wants(t, "q2")
	r.Get("").Wants(t, "q3")
	assert.Equal(t, "3", r.Get(`{"q3":`+servertest.Red+`}`).Text(t))
	assert.Equal(t, 3, calls)
}

func TestOnceErrors(t *testing.T) {
	t.Parallel()
	fails := func(want string, once func(ctx context.Context) error) {
		t.Helper()
		var j servertest.Journal
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("once", func(ctx context.Context) (*prompts.Result, error) {
			return nil, once(ctx)
		})), prompts.Options{Logger: j.Logger()})
		servertest.NewRounds(t, s, "once").Get("").Fails(t, prompts.CodeInternalError, servertest.RenderFailed)
		assert.Contains(t, j.String(), want)
	}
	for _, key := range []string{"", strings.Repeat("x", servertest.MaxKey+1), "\xff"} {
		fails("Once: invalid key", func(ctx context.Context) error {
			_, err := prompts.Once(ctx, key, func(context.Context) (int, error) { t.Error("called"); return 0, nil })
			return err
		})
	}
	fails(": value: json: ", func(ctx context.Context) error {
		_, err := prompts.Once(ctx, "k", func(context.Context) (chan int, error) { return make(chan int), nil })
		return err
	})
	fails(": value: json: ", func(ctx context.Context) error { // which can be encoded, and not be read again
		_, err := prompts.Once(ctx, "k", func(context.Context) (fmt.Stringer, error) { return stringer{}, nil })
		return err
	})
}

// stringer can be encoded, but is no value that an interface can be filled
// with.
type stringer struct{}

func (stringer) String() string { return "" }

// Outside of a render function there is one run, and so Once is a call.
func TestOnceElsewhere(t *testing.T) {
	t.Parallel()
	for range 2 {
		v, err := prompts.Once(t.Context(), "", func(context.Context) (string, error) { return "x", servertest.ErrDisk })
		assert.Equal(t, "x", v)
		assert.Equal(t, servertest.ErrDisk, err)
	}
}

// MRT-11: what a client answers in one request is bounded, whatever is in it
// and whether anybody wants to know it.
func TestResponsesAreBounded(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint"), servertest.TextPrompt("text", "hi")), prompts.Options{})
	responses := func(size int) string {
		const around = `{"colour":` + servertest.Red + `,"more":""}`
		return strings.Replace(around, `""`, `"`+strings.Repeat("x", size-len(around))+`"`, 1)
	}
	for _, prompt := range []string{"paint", "text"} {
		got := servertest.NewRounds(t, s, prompt).Get(responses(servertest.MaxResponses)).Text(t)
		assert.Equal(t, map[string]string{"paint": "red", "text": "hi"}[prompt], got)
		data := servertest.NewRounds(t, s, prompt).Get(responses(servertest.MaxResponses+1)).
			Fails(t, prompts.CodeInvalidParams, "params.inputResponses exceeds the limit of 262144 bytes")
		assert.JSONEq(t, `{"param":"inputResponses"}`, data)
	}
	// In the handshake era there is no such member, and so no bound on it.
	got := servertest.AnswerTo(t, s, servertest.NewSession(t, s), strings.Replace(servertest.GetLine("1", "text"), `"text"`, `"text","inputResponses":`+responses(servertest.MaxResponses+1), 1))
	assert.Equal(t, servertest.TextLine("1", "hi"), got)
}

// What is too large to travel is the fault of whose it is: the client's if its
// answers, those for arguments among them, are most of it, and the author's if
// it is what Once has kept.
func TestStateThatIsTooLarge(t *testing.T) {
	t.Parallel()
	const k = 1 << 10
	for _, test := range []struct {
		name             string
		kept, told, from int // sizes
		isClients        bool
	}{
		{"an answer", 0, 60 * k, 0, true},
		{"an argument", 0, 0, 60 * k, true},
		{"both", 0, 30 * k, 30 * k, true},
		{"mostly answers", 20 * k, 34 * k, 0, true},
		{"what was kept", 60 * k, 0, 0, false},
		{"mostly that", 34 * k, 20 * k, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j servertest.Journal
			s := prompts.MustNewServer(servertest.RegistryOf(prompts.New(prompts.Prompt{Name: "travel"}, func(ctx context.Context, in struct {
				From string `json:"from"`
			}) (*prompts.Result, error) {
				if _, err := prompts.Elicit[servertest.Colour](ctx, "a", "Which?"); err != nil {
					return nil, err
				}
				if _, err := prompts.Once(ctx, "k", func(context.Context) (string, error) { return strings.Repeat("k", test.kept), nil }); err != nil {
					return nil, err
				}
				_, err := prompts.Elicit[servertest.Colour](ctx, "b", "Which?")
				return prompts.Messages(prompts.User(fmt.Sprint(len(in.From)))), err
			})), prompts.Options{ElicitArguments: true, Logger: j.Logger()})
			r := servertest.NewRounds(t, s, "travel")
			r.Get("").Wants(t, servertest.ArgumentsKey)
			o := r.Get(`{"` + servertest.ArgumentsKey + `":` + servertest.Accepting(`{"from":"`+strings.Repeat("f", max(test.from, 1))+`"}`) +
				`,"a":` + answerColour(strings.Repeat("c", max(test.told, 1))) + `}`)
			if test.from > 0 && o.Error == nil {
				o.Wants(t, "a")
			}
			if o.Error == nil {
				o = r.Get(`{"a":` + answerColour(strings.Repeat("c", max(test.told, 1))) + `}`)
			}
			if test.isClients {
				assert.JSONEq(t, `{"param":"inputResponses"}`, o.Fails(t, prompts.CodeInvalidParams, "the answers given so far exceed the 64 KiB that requestState can carry"))
				assert.Empty(t, j.String())
				return
			}
			assert.Empty(t, o.Fails(t, prompts.CodeInternalError, servertest.RenderFailed))
			assert.Contains(t, j.String(), "exceed the size of a requestState")
			assert.Contains(t, j.String(), "level=ERROR")
		})
	}
}
