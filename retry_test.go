package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
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
	s := prompts.MustNewServer(registryOf(rendered("order", func(ctx context.Context) (*prompts.Result, error) {
		value, err := prompts.Once(ctx, "ticket", func(context.Context) (ticket, error) {
			return ticket{Number: int(calls.Add(1)), Text: "<&>\u2028é", hidden: "hidden"}, nil
		})
		if err != nil {
			return nil, err
		}
		got = append(got, value)
		for _, key := range []string{"a", "b"} {
			if _, err := prompts.Elicit[colour](ctx, key, "Which?"); err != nil {
				return nil, err
			}
		}
		return prompts.Messages(prompts.User("ordered")), nil
	})), prompts.Options{})
	r := newRounds(t, s, "order")
	r.get("").wants(t, "a")
	r.get(`{"a":`+red+`}`).wants(t, "b")
	assert.Equal(t, "ordered", r.get(`{"b":`+red+`}`).text(t))
	assert.EqualValues(t, 1, calls.Load())
	// The first run has it as the others do: what JSON does not carry is
	// missing in all of them.
	assert.Equal(t, []ticket{{1, "<&>\u2028é", ""}, {1, "<&>\u2028é", ""}, {1, "<&>\u2028é", ""}}, got)

	newRounds(t, s, "order").get("").wants(t, "a")
	assert.EqualValues(t, 2, calls.Load(), "another prompt")
}

// What has failed has not happened: the next run tries again.
func TestOnceDoesNotKeepErrors(t *testing.T) {
	t.Parallel()
	calls := 0
	s := prompts.MustNewServer(registryOf(rendered("try", func(ctx context.Context) (*prompts.Result, error) {
		value, err := prompts.Once(ctx, "v", func(context.Context) (int, error) {
			if calls++; calls < 3 {
				return calls, errDisk
			}
			return calls, nil
		})
		if err != nil {
			assert.Equal(t, errDisk, err)
			assert.Equal(t, calls, value)
		}
		_, err = prompts.Elicit[colour](ctx, fmt.Sprint("q", calls), "Which?")
		return prompts.Messages(prompts.User(fmt.Sprint(value))), err
	})), prompts.Options{})
	r := newRounds(t, s, "try")
	r.get("").wants(t, "q1")
	r.get("").wants(t, "q2")
	r.get("").wants(t, "q3")
	assert.Equal(t, "3", r.get(`{"q3":`+red+`}`).text(t))
	assert.Equal(t, 3, calls)
}

func TestOnceErrors(t *testing.T) {
	t.Parallel()
	fails := func(want string, once func(ctx context.Context) error) {
		t.Helper()
		var j journal
		s := prompts.MustNewServer(registryOf(rendered("once", func(ctx context.Context) (*prompts.Result, error) {
			return nil, once(ctx)
		})), prompts.Options{Logger: j.logger()})
		newRounds(t, s, "once").get("").fails(t, prompts.CodeInternalError, renderFailed)
		assert.Contains(t, j.String(), want)
	}
	for _, key := range []string{"", strings.Repeat("x", maxKey+1), "\xff"} {
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
		v, err := prompts.Once(t.Context(), "", func(context.Context) (string, error) { return "x", errDisk })
		assert.Equal(t, "x", v)
		assert.Equal(t, errDisk, err)
	}
}

// MRT-11: what a client answers in one request is bounded, whatever is in it
// and whether anybody wants to know it.
func TestResponsesAreBounded(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(registryOf(asking("paint"), textPrompt("text", "hi")), prompts.Options{})
	responses := func(size int) string {
		const around = `{"colour":` + red + `,"more":""}`
		return strings.Replace(around, `""`, `"`+strings.Repeat("x", size-len(around))+`"`, 1)
	}
	for _, prompt := range []string{"paint", "text"} {
		got := newRounds(t, s, prompt).get(responses(maxResponses)).text(t)
		assert.Equal(t, map[string]string{"paint": "red", "text": "hi"}[prompt], got)
		data := newRounds(t, s, prompt).get(responses(maxResponses+1)).
			fails(t, prompts.CodeInvalidParams, "params.inputResponses exceeds the limit of 262144 bytes")
		assert.JSONEq(t, `{"param":"inputResponses"}`, data)
	}
	// In the handshake era there is no such member, and so no bound on it.
	got := answerTo(t, s, newSession(t, s), strings.Replace(getLine("1", "text"), `"text"`, `"text","inputResponses":`+responses(maxResponses+1), 1))
	assert.Equal(t, textLine("1", "hi"), got)
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
			var j journal
			s := prompts.MustNewServer(registryOf(prompts.New(prompts.Prompt{Name: "travel"}, func(ctx context.Context, in struct {
				From string `json:"from"`
			}) (*prompts.Result, error) {
				if _, err := prompts.Elicit[colour](ctx, "a", "Which?"); err != nil {
					return nil, err
				}
				if _, err := prompts.Once(ctx, "k", func(context.Context) (string, error) { return strings.Repeat("k", test.kept), nil }); err != nil {
					return nil, err
				}
				_, err := prompts.Elicit[colour](ctx, "b", "Which?")
				return prompts.Messages(prompts.User(fmt.Sprint(len(in.From)))), err
			})), prompts.Options{ElicitArguments: true, Logger: j.logger()})
			r := newRounds(t, s, "travel")
			r.get("").wants(t, argumentsKey)
			o := r.get(`{"` + argumentsKey + `":` + accepting(`{"from":"`+strings.Repeat("f", max(test.from, 1))+`"}`) +
				`,"a":` + answerColour(strings.Repeat("c", max(test.told, 1))) + `}`)
			if test.from > 0 && o.Error == nil {
				o.wants(t, "a")
			}
			if o.Error == nil {
				o = r.get(`{"a":` + answerColour(strings.Repeat("c", max(test.told, 1))) + `}`)
			}
			if test.isClients {
				assert.JSONEq(t, `{"param":"inputResponses"}`, o.fails(t, prompts.CodeInvalidParams, "the answers given so far exceed the 64 KiB that requestState can carry"))
				assert.Empty(t, j.String())
				return
			}
			assert.Empty(t, o.fails(t, prompts.CodeInternalError, renderFailed))
			assert.Contains(t, j.String(), "exceed the size of a requestState")
			assert.Contains(t, j.String(), "level=ERROR")
		})
	}
}
