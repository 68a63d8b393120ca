package prompts_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// countedAsking is asking with an argument, and the number of its runs.
func countedAsking(runs *atomic.Int32) prompts.Prompt {
	p := asking("paint")
	ask := p.Render
	p.Arguments = []prompts.Argument{{Name: "what"}, {Name: "where"}, {Name: "when"}}
	p.Render = func(ctx context.Context, in map[string]string) (*prompts.Result, error) {
		runs.Add(1)
		return ask(ctx, in)
	}
	return p
}

// MRT-11, MRT-12, GAP-39: whatever is wrong with a state, the client gets the
// same answer, and the render function is not called, whether there are
// responses or not.
func TestStateThatIsNotOurs(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	s := prompts.MustNewServer(registryOf(countedAsking(&runs)), prompts.Options{})
	r := newRounds(t, s, "paint")
	r.get("").wants(t, "colour")
	good := r.state
	other := newRounds(t, prompts.MustNewServer(registryOf(countedAsking(new(atomic.Int32))), prompts.Options{}), "paint")
	other.get("").wants(t, "colour")

	states := map[string]string{ // package seal and the session asking_state have more
		"of another server": other.state,
		"far too long":      strings.Repeat("A", maxRequestState+4),
		"empty":             "",
	}
	before := runs.Load()
	for what, state := range states {
		for _, responses := range []string{"", `{}`, `{"colour":` + red + `}`} {
			r.state = state
			line := r.line(responses)
			if state == "" {
				line = strings.Replace(line, `"_meta"`, `"requestState":"","_meta"`, 1)
			}
			got := answerTo(t, s, nil, line)
			o := readOutcome(t, got)
			data := o.fails(t, prompts.CodeInvalidParams, errState.Message)
			assert.JSONEq(t, `{"param":"requestState"}`, data, what)
		}
	}
	assert.Equal(t, before, runs.Load(), "renders")

	r.state = good
	assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t), "the state itself")
}

// MRT-14: from RequestStateTTL on, a state is refused as any other that is not good.
func TestStateExpires(t *testing.T) {
	for _, ttl := range []time.Duration{0, time.Second, time.Hour} {
		inBubble(t, ttl.String(), func(t *testing.T) {
			r := newRounds(t, prompts.MustNewServer(registryOf(asking("paint")), prompts.Options{RequestStateTTL: ttl}), "paint")
			r.get("").wants(t, "colour")
			if ttl == 0 {
				ttl = 15 * time.Minute
			}
			time.Sleep(ttl - time.Nanosecond)
			assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t))
			time.Sleep(time.Nanosecond)
			r.get(`{"colour":`+red+`}`).fails(t, prompts.CodeInvalidParams, errState.Message)
		})
	}
}

// MRT-14: nobody keeps a state alive by showing it. What is asked again, with
// nothing new learnt, expires when it would have; an answer gives more time.
func TestStateIsNotKeptAlive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(rendered("two", func(ctx context.Context) (*prompts.Result, error) {
			for _, key := range []string{"a", "b"} {
				if _, err := prompts.Elicit[colour](ctx, key, "Which?"); err != nil {
					return nil, err
				}
			}
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{RequestStateTTL: time.Minute})
		r := newRounds(t, s, "two")
		r.get("").wants(t, "a")
		for _, responses := range []string{"", `{}`, `{"b":null}`, `{"other":` + red + `}`} {
			time.Sleep(14 * time.Second)
			r.get(responses).wants(t, "a")
		}
		late := *r
		r.get(`{"a":`+red+`}`).wants(t, "b") // in the last seconds
		time.Sleep(4 * time.Second)
		late.get(`{"a":`+red+`}`).fails(t, prompts.CodeInvalidParams, errState.Message)

		time.Sleep(50 * time.Second)
		r.get(`{"a":`+red+`}`).wants(t, "b") // which is not new
		time.Sleep(6*time.Second - time.Nanosecond)
		last := *r
		assert.Equal(t, "done", last.get(`{"b":`+red+`}`).text(t))
		time.Sleep(time.Nanosecond)
		r.get(`{"b":`+red+`}`).fails(t, prompts.CodeInvalidParams, errState.Message)
	})
}

// MRT-13, MRT-15, MRT-28, SEC-02, SEC-08, GAP-39: a state is good for the
// request that it was made for, and for whom it was made for, as the author's
// own layer knows them; who the client says that it is counts for nothing.
func TestStateIsBound(t *testing.T) {
	t.Parallel()
	const given = `{"what":"door","where":"kitchen"}`
	for _, test := range []struct {
		name   string
		change func(r *rounds) // after the first round
		ok     bool
	}{
		{"the same", func(*rounds) {}, true},
		{"arguments in another order", func(r *rounds) { r.arguments = `{"where":"kitchen","what":"door"}` }, true},
		{"arguments spelt in another way", func(r *rounds) { r.arguments = `{ "wh\u0061t" : "\u0064oor" , "where":"kitchen"}` }, true},
		{"an argument that the prompt does not declare", func(r *rounds) { r.arguments = `{"what":"door","where":"kitchen","how":"slowly"}` }, true},
		{"other capabilities", func(r *rounds) { r.capabilities = formCapability }, true},
		{"an argument changed", func(r *rounds) { r.arguments = `{"what":"doors","where":"kitchen"}` }, false},
		{"the argument in another case", func(r *rounds) { r.arguments = `{"what":"Door","where":"kitchen"}` }, false},
		{"values swapped", func(r *rounds) { r.arguments = `{"what":"kitchen","where":"door"}` }, false},
		{"an argument removed", func(r *rounds) { r.arguments = `{"what":"door"}` }, false},
		{"an argument emptied", func(r *rounds) { r.arguments = `{"what":"door","where":""}` }, false},
		{"all arguments removed", func(r *rounds) { r.arguments = `null` }, false},
		{"an argument added", func(r *rounds) { r.arguments = `{"what":"door","where":"kitchen","when":"now"}` }, false},
		{"two arguments run together", func(r *rounds) { r.arguments = `{"what":"doorwherekitchen"}` }, false},
		{"another prompt", func(r *rounds) { r.prompt = "draw" }, false},
		{"another principal", func(r *rounds) { r.ctx = context.WithValue(r.ctx, principalKey{}, "bob") }, false},
		{"no principal", func(r *rounds) { r.ctx = context.Background() }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int32
			paint := countedAsking(&runs)
			draw := paint
			draw.Name = "draw"
			s := prompts.MustNewServer(registryOf(paint, draw), prompts.Options{Principal: principalOf})
			r := newRounds(t, s, "paint")
			r.arguments = given
			r.ctx = context.WithValue(r.ctx, principalKey{}, "alice")
			r.get("").wants(t, "colour")
			test.change(r)
			o := r.get(`{"colour":` + red + `}`)
			if test.ok {
				assert.Equal(t, "red", o.text(t))
				return
			}
			o.fails(t, prompts.CodeInvalidParams, errState.Message)
			assert.EqualValues(t, 1, runs.Load(), "renders")
		})
	}

	t.Run("what the client says of itself", func(t *testing.T) {
		t.Parallel()
		s := prompts.MustNewServer(registryOf(asking("paint")), prompts.Options{Principal: principalOf})
		r := newRounds(t, s, "paint")
		r.ctx = context.WithValue(r.ctx, principalKey{}, "alice")
		r.get("").wants(t, "colour")
		line := strings.Replace(r.line(`{"colour":`+red+`}`), `"_meta":{`,
			`"_meta":{"`+clientInfoKey+`":{"name":"alice","version":"1"},"principal":"alice",`, 1)
		got, err := handle(t, s, nil, line) // by nobody
		require.NoError(t, err)
		readOutcome(t, got).fails(t, prompts.CodeInvalidParams, errState.Message)
	})
}

// JRP-39, JRP-40, JRP-41: any server that has the key goes on with a prompt,
// on any connection.
func TestStateKeys(t *testing.T) {
	t.Parallel()
	older, newer, others := []byte("0123456789abcdef"), []byte("the newer one is longer than that"), []byte("that of somebody else")
	server := func(keys ...[]byte) *prompts.Server {
		return prompts.MustNewServer(registryOf(asking("paint")), prompts.Options{RequestStateKeys: func() [][]byte { return keys }})
	}
	for _, test := range []struct {
		name     string
		from, to *prompts.Server
		ok       bool
	}{
		{"replicas", server(older), server(older), true},
		{"the newer key is brought in", server(older), server(older, newer), true},
		{"it comes first", server(older, newer), server(newer, older), true},
		{"and in the replicas that know it as the second", server(newer, older), server(older, newer), true},
		{"the older key is dropped", server(older), server(newer), false},
		{"which the newer states survive", server(newer, older), server(newer), true},
		{"others", server(older), server(others, newer), false},
		{"no keys of the author's", server(older), prompts.MustNewServer(registryOf(asking("paint")), prompts.Options{}), false},
	} {
		r := newRounds(t, test.from, "paint")
		r.get("").wants(t, "colour")
		r.server = test.to
		o := r.get(`{"colour":` + red + `}`)
		if test.ok {
			assert.Equal(t, "red", o.text(t), test.name)
		} else {
			o.fails(t, prompts.CodeInvalidParams, errState.Message)
		}
	}
}

// later returns keys that are valid for NewServer only.
func later(keys func() [][]byte) func() [][]byte {
	var isServing atomic.Bool
	return func() [][]byte {
		if isServing.Swap(true) {
			return keys()
		}
		return [][]byte{make([]byte, 16)}
	}
}

// Keys that are never valid are an error of NewServer.
func TestInvalidStateKeys(t *testing.T) {
	t.Parallel()
	for want, keys := range map[string][][]byte{
		"no keys":                        nil,
		"a key of 15 bytes (minimum 16)": {make([]byte, 15)},
		"a key of 0 bytes (minimum 16)":  {make([]byte, 16), nil},
	} {
		_, err := prompts.NewServer(new(prompts.Registry), prompts.Options{RequestStateKeys: func() [][]byte { return keys }})
		assert.EqualError(t, err, "prompts: options: Options.RequestStateKeys returned "+want)
	}
}

// Errors in the application's options are logged and not sent to the client.
func TestInvalidStateOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		o    prompts.Options
		log  string
	}{
		{"no keys", prompts.Options{RequestStateKeys: later(func() [][]byte { return nil })}, "no keys"},
		{"a short key", prompts.Options{RequestStateKeys: later(func() [][]byte { return [][]byte{make([]byte, 15)} })}, "15 bytes"},
		{"a short second key", prompts.Options{RequestStateKeys: later(func() [][]byte { return [][]byte{make([]byte, 16), nil} })}, "0 bytes"},
		{"keys that panic", prompts.Options{RequestStateKeys: later(func() [][]byte { panic("a secret") })}, "a secret"},
		{"a principal that panics", prompts.Options{Principal: func(context.Context) string { panic("a secret") }}, "a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j journal
			test.o.Logger = j.logger()
			s := prompts.MustNewServer(registryOf(asking("paint"), textPrompt("text", "hi")), test.o)
			r := newRounds(t, s, "paint")
			assert.Empty(t, r.get("").fails(t, prompts.CodeInternalError, renderFailed))
			assert.Contains(t, j.String(), test.log)
			assert.Contains(t, j.String(), "level=ERROR")

			// The same when a state comes in.
			good := newRounds(t, prompts.MustNewServer(registryOf(asking("paint")), prompts.Options{}), "paint")
			good.get("").wants(t, "colour")
			r.state = good.state
			r.get("").fails(t, prompts.CodeInternalError, renderFailed)
			if test.o.Principal == nil {
				assert.Equal(t, "hi", newRounds(t, s, "text").get("").text(t), "who asks nobody needs no keys")
			}
		})
	}
}

// MRT-10: the client carries a state, a JSON string that it may spell as it
// likes, but cannot read it: neither what Once has kept nor what has been
// answered. No two states are alike.
func TestStateIsNotReadable(t *testing.T) {
	t.Parallel()
	const secret, told = "kept-in-confidence", "told-in-confidence"
	s := prompts.MustNewServer(registryOf(rendered("keep", func(ctx context.Context) (*prompts.Result, error) {
		if _, err := prompts.Once(ctx, "secret", func(context.Context) (string, error) { return secret, nil }); err != nil {
			return nil, err
		}
		for _, key := range []string{"first", "second"} {
			if _, err := prompts.Elicit[colour](ctx, key, "Which?"); err != nil {
				return nil, err
			}
		}
		return prompts.Messages(prompts.User("done")), nil
	})), prompts.Options{})
	r := newRounds(t, s, "keep")
	r.get("").wants(t, "first")
	r.get(`{"first":`+accepting(`{"colour":"`+told+`"}`)+`}`).wants(t, "second")
	spelt := fmt.Sprintf(`"\u%04x`, r.state[0])
	got := answerTo(t, s, nil, strings.Replace(r.line(`{"second":`+red+`}`), `"`+r.state[:1]+r.state[1:], spelt+r.state[1:], 1))
	assert.Equal(t, "done", readOutcome(t, got).text(t))
	raw, err := base64.RawURLEncoding.DecodeString(r.state)
	require.NoError(t, err)
	for _, text := range []string{secret, told, "colour", "secret", "first"} {
		assert.NotContains(t, r.state, text)
		assert.False(t, bytes.Contains(raw, []byte(text)), text)
	}
}
