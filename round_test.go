package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	s := prompts.NewServer(registryOf(rendered("order", func(ctx context.Context) (*prompts.Result, error) {
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

// Values that JSON changes are changed in the first run already.
func TestOnceGivesTheSameInEachRun(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"a number":       7,
		"a large number": uint64(1<<63 + 1),
		"bytes":          []byte{0, 255},
		"a map":          map[string]int{"b": 1, "a": 2},
		"nil":            nil,
		"text":           "\xff",
		"a struct":       struct{ A, b int }{1, 2},
	} {
		var seen []any
		s := prompts.NewServer(registryOf(rendered("keep", func(ctx context.Context) (*prompts.Result, error) {
			v, err := prompts.Once(ctx, "v", func(context.Context) (any, error) { return value, nil })
			if err != nil {
				return nil, err
			}
			seen = append(seen, v)
			_, err = prompts.Elicit[colour](ctx, "a", "Which?")
			return prompts.Messages(), err
		})), prompts.Options{})
		r := newRounds(t, s, "keep")
		if r.get("").Error != nil {
			assert.Equal(t, "text", name, "what is no UTF-8 may be refused")
			continue
		}
		require.Nil(t, r.get(`{"a":`+red+`}`).Error)
		require.Len(t, seen, 2, name)
		assert.Equal(t, seen[0], seen[1], name)
	}
}

// What has failed has not happened: the next run tries again.
func TestOnceDoesNotKeepErrors(t *testing.T) {
	t.Parallel()
	calls := 0
	s := prompts.NewServer(registryOf(rendered("try", func(ctx context.Context) (*prompts.Result, error) {
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

func TestOnceFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		once func(ctx context.Context) error
		log  string
	}{
		{"no key", func(ctx context.Context) error {
			_, err := prompts.Once(ctx, "", func(context.Context) (int, error) { panic("called") })
			return err
		}, "of Once must be valid UTF-8"},
		{"a long key", func(ctx context.Context) error {
			_, err := prompts.Once(ctx, strings.Repeat("x", maxKey+1), func(context.Context) (int, error) { panic("called") })
			return err
		}, "of Once must be valid UTF-8"},
		{"a key that is no text", func(ctx context.Context) error {
			_, err := prompts.Once(ctx, "\xff", func(context.Context) (int, error) { panic("called") })
			return err
		}, "of Once must be valid UTF-8"},
		{"a value that JSON cannot have", func(ctx context.Context) error {
			_, err := prompts.Once(ctx, "k", func(context.Context) (chan int, error) { return make(chan int), nil })
			return err
		}, "the value of Once"},
		{"one that cannot be read again", func(ctx context.Context) error {
			_, err := prompts.Once(ctx, "k", func(context.Context) (fmt.Stringer, error) { return stringer{}, nil })
			return err
		}, "the value of Once"},
	} {
		var j journal
		s := prompts.NewServer(registryOf(rendered("once", func(ctx context.Context) (*prompts.Result, error) {
			return nil, test.once(ctx)
		})), prompts.Options{Logger: j.logger()})
		newRounds(t, s, "once").get("").fails(t, prompts.CodeInternalError, renderFailed)
		assert.Contains(t, j.String(), test.log, test.name)
		assert.NotContains(t, j.String(), "called", test.name)
	}
}

// stringer can be encoded, but is no value that an interface can be filled
// with.
type stringer struct{}

func (stringer) String() string { return "" }

// The longest key is one, and the keys of Once and of questions do not meet.
func TestOnceKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxKey)
	s := prompts.NewServer(registryOf(rendered("once", func(ctx context.Context) (*prompts.Result, error) {
		for i, key := range []string{long, "a", argumentsKey} {
			if v, err := prompts.Once(ctx, key, func(context.Context) (int, error) { return i, nil }); v != i || err != nil {
				return nil, fmt.Errorf("%s: %d, %w", key, v, err)
			}
		}
		answer, err := prompts.Elicit[colour](ctx, "a", "Which?")
		return prompts.Messages(prompts.User(answer.Colour)), err
	})), prompts.Options{})
	r := newRounds(t, s, "once")
	r.get("").wants(t, "a")
	assert.Equal(t, "red", r.get(`{"a":`+red+`}`).text(t))
}

// Outside of a render function there is one run, and so Once is a call.
func TestOnceElsewhere(t *testing.T) {
	t.Parallel()
	for range 2 {
		v, err := prompts.Once(t.Context(), "", func(context.Context) (string, error) { return "x", errDisk })
		assert.Equal(t, "x", v)
		assert.Equal(t, errDisk, err)
	}
}

// In a session there is one run too; there Once keeps its value for that.
func TestOnceInASession(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(rendered("once", func(ctx context.Context) (*prompts.Result, error) {
		calls := 0
		var err error
		for range 3 {
			_, e := prompts.Once(ctx, "k", func(context.Context) (int, error) { calls++; return 1, nil })
			err = errors.Join(err, e)
		}
		return prompts.Messages(prompts.User(fmt.Sprint(calls))), err
	})), prompts.Options{})
	got, err := handle(t, s, newSession(t, s), getLine("1", "once"))
	require.NoError(t, err)
	assert.Equal(t, textLine("1", "1"), got)
}
