package elicit_test

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
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// countedAsking is asking with an argument, and the number of its runs.
func countedAsking(runs *atomic.Int32) prompts.Prompt {
	p := servertest.Asking("paint")
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
	s := prompts.MustNewServer(servertest.RegistryOf(countedAsking(&runs)), prompts.Options{})
	r := servertest.NewRounds(t, s, "paint")
	r.Get("").Wants(t, "colour")
	good := r.State
	other := servertest.NewRounds(t, prompts.MustNewServer(servertest.RegistryOf(countedAsking(new(atomic.Int32))), prompts.Options{}), "paint")
	other.Get("").Wants(t, "colour")

	states := map[string]string{ // package seal and the session asking_state have more
		"of another server": other.State,
		"far too long":      strings.Repeat("A", servertest.MaxRequestState+4),
		"empty":             "",
	}
	before := runs.Load()
	for what, state := range states {
		for _, responses := range []string{"", `{}`, `{"colour":` + servertest.Red + `}`} {
			r.State = state
			line := r.Line(responses)
			if state == "" {
				line = strings.Replace(line, `"_meta"`, `"requestState":"","_meta"`, 1)
			}
			got := servertest.AnswerTo(t, s, nil, line)
			o := servertest.ReadOutcome(t, got)
			data := o.Fails(t, prompts.CodeInvalidParams, servertest.ErrState.Message)
			assert.JSONEq(t, `{"param":"requestState"}`, data, what)
		}
	}
	assert.Equal(t, before, runs.Load(), "renders")

	r.State = good
	assert.Equal(t, "red", r.Get(`{"colour":`+servertest.Red+`}`).Text(t), "the state itself")
}

// MRT-14: from RequestStateTTL on, a state is refused as any other that is not good.
func TestStateExpires(t *testing.T) {
	for _, ttl := range []time.Duration{0, time.Second, time.Hour} {
		servertest.InBubble(t, ttl.String(), func(t *testing.T) {
			r := servertest.NewRounds(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{RequestStateTTL: ttl}), "paint")
			r.Get("").Wants(t, "colour")
			if ttl == 0 {
				ttl = 15 * time.Minute
			}
			time.Sleep(ttl - time.Nanosecond)
			assert.Equal(t, "red", r.Get(`{"colour":`+servertest.Red+`}`).Text(t))
			time.Sleep(time.Nanosecond)
			r.Get(`{"colour":`+servertest.Red+`}`).Fails(t, prompts.CodeInvalidParams, servertest.ErrState.Message)
		})
	}
}

// MRT-14: nobody keeps a state alive by showing it. What is asked again, with
// nothing new learnt, expires when it would have; an answer gives more time.
func TestStateIsNotKeptAlive(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("two", func(ctx context.Context) (*prompts.Result, error) {
			for _, key := range []string{"a", "b"} {
				if _, err := prompts.Elicit[servertest.Colour](ctx, key, "Which?"); err != nil {
					return nil, err
				}
			}
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{RequestStateTTL: time.Minute})
		r := servertest.NewRounds(t, s, "two")
		r.Get("").Wants(t, "a")
		for _, responses := range []string{"", `{}`, `{"b":null}`, `{"other":` + servertest.Red + `}`} {
			time.Sleep(14 * time.Second)
			r.Get(responses).Wants(t, "a")
		}
		late := *r
		r.Get(`{"a":`+servertest.Red+`}`).Wants(t, "b") // in the last seconds
		time.Sleep(4 * time.Second)
		late.Get(`{"a":`+servertest.Red+`}`).Fails(t, prompts.CodeInvalidParams, servertest.ErrState.Message)

		time.Sleep(50 * time.Second)
		r.Get(`{"a":`+servertest.Red+`}`).Wants(t, "b") // which is not new
		time.Sleep(6*time.Second - time.Nanosecond)
		last := *r
		assert.Equal(t, "done", last.Get(`{"b":`+servertest.Red+`}`).Text(t))
		time.Sleep(time.Nanosecond)
		r.Get(`{"b":`+servertest.Red+`}`).Fails(t, prompts.CodeInvalidParams, servertest.ErrState.Message)
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
		change func(r *servertest.Rounds) // after the first round
		ok     bool
	}{
		{"the same", func(*servertest.Rounds) {}, true},
		{"arguments in another order", func(r *servertest.Rounds) { r.Arguments = `{"where":"kitchen","what":"door"}` }, true},
		{"arguments spelt in another way", func(r *servertest.Rounds) { r.Arguments = `{ "wh\u0061t" : "\u0064oor" , "where":"kitchen"}` }, true},
		{"an argument that the prompt does not declare", func(r *servertest.Rounds) { r.Arguments = `{"what":"door","where":"kitchen","how":"slowly"}` }, true},
		{"other capabilities", func(r *servertest.Rounds) { r.Capabilities = servertest.FormCapability }, true},
		{"an argument changed", func(r *servertest.Rounds) { r.Arguments = `{"what":"doors","where":"kitchen"}` }, false},
		{"the argument in another case", func(r *servertest.Rounds) { r.Arguments = `{"what":"Door","where":"kitchen"}` }, false},
		{"values swapped", func(r *servertest.Rounds) { r.Arguments = `{"what":"kitchen","where":"door"}` }, false},
		{"an argument removed", func(r *servertest.Rounds) { r.Arguments = `{"what":"door"}` }, false},
		{"an argument emptied", func(r *servertest.Rounds) { r.Arguments = `{"what":"door","where":""}` }, false},
		{"all arguments removed", func(r *servertest.Rounds) { r.Arguments = `null` }, false},
		{"an argument added", func(r *servertest.Rounds) { r.Arguments = `{"what":"door","where":"kitchen","when":"now"}` }, false},
		{"two arguments run together", func(r *servertest.Rounds) { r.Arguments = `{"what":"doorwherekitchen"}` }, false},
		{"another prompt", func(r *servertest.Rounds) { r.Prompt = "draw" }, false},
		{"another principal", func(r *servertest.Rounds) { r.Ctx = context.WithValue(r.Ctx, servertest.PrincipalKey{}, "bob") }, false},
		{"no principal", func(r *servertest.Rounds) { r.Ctx = context.Background() }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int32
			paint := countedAsking(&runs)
			draw := paint
			draw.Name = "draw"
			s := prompts.MustNewServer(servertest.RegistryOf(paint, draw), prompts.Options{Principal: servertest.PrincipalOf})
			r := servertest.NewRounds(t, s, "paint")
			r.Arguments = given
			r.Ctx = context.WithValue(r.Ctx, servertest.PrincipalKey{}, "alice")
			r.Get("").Wants(t, "colour")
			test.change(r)
			o := r.Get(`{"colour":` + servertest.Red + `}`)
			if test.ok {
				assert.Equal(t, "red", o.Text(t))
				return
			}
			o.Fails(t, prompts.CodeInvalidParams, servertest.ErrState.Message)
			assert.EqualValues(t, 1, runs.Load(), "renders")
		})
	}

	t.Run("what the client says of itself", func(t *testing.T) {
		t.Parallel()
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{Principal: servertest.PrincipalOf})
		r := servertest.NewRounds(t, s, "paint")
		r.Ctx = context.WithValue(r.Ctx, servertest.PrincipalKey{}, "alice")
		r.Get("").Wants(t, "colour")
		line := strings.Replace(r.Line(`{"colour":`+servertest.Red+`}`), `"_meta":{`,
			`"_meta":{"`+servertest.ClientInfoKey+`":{"name":"alice","version":"1"},"principal":"alice",`, 1)
		got, err := servertest.Handle(t, s, nil, line) // by nobody
		require.NoError(t, err)
		servertest.ReadOutcome(t, got).Fails(t, prompts.CodeInvalidParams, servertest.ErrState.Message)
	})
}

// JRP-39, JRP-40, JRP-41: any server that has the key goes on with a prompt,
// on any connection.
func TestStateKeys(t *testing.T) {
	t.Parallel()
	older, newer, others := []byte("0123456789abcdef"), []byte("the newer one is longer than that"), []byte("that of somebody else")
	server := func(keys ...[]byte) *prompts.Server {
		return prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{RequestStateKeys: func(context.Context) ([][]byte, error) { return keys, nil }})
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
		{"no keys of the author's", server(older), prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{}), false},
	} {
		r := servertest.NewRounds(t, test.from, "paint")
		r.Get("").Wants(t, "colour")
		r.Server = test.to
		o := r.Get(`{"colour":` + servertest.Red + `}`)
		if test.ok {
			assert.Equal(t, "red", o.Text(t), test.name)
		} else {
			o.Fails(t, prompts.CodeInvalidParams, servertest.ErrState.Message)
		}
	}
}

// later returns keys that are valid for NewServer only.
func later(keys func() ([][]byte, error)) func(context.Context) ([][]byte, error) {
	var isServing atomic.Bool
	return func(context.Context) ([][]byte, error) {
		if isServing.Swap(true) {
			return keys()
		}
		return [][]byte{make([]byte, 16)}, nil
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
		_, err := prompts.NewServer(new(prompts.Registry), prompts.Options{RequestStateKeys: func(context.Context) ([][]byte, error) { return keys, nil }})
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
		{"no keys", prompts.Options{RequestStateKeys: later(func() ([][]byte, error) { return nil, nil })}, "no keys"},
		{"a short key", prompts.Options{RequestStateKeys: later(func() ([][]byte, error) { return [][]byte{make([]byte, 15)}, nil })}, "15 bytes"},
		{"a short second key", prompts.Options{RequestStateKeys: later(func() ([][]byte, error) { return [][]byte{make([]byte, 16), nil}, nil })}, "0 bytes"},
		{"keys with an error", prompts.Options{RequestStateKeys: later(func() ([][]byte, error) {
			return nil, &prompts.Error{Code: 1, Message: "a secret"} // of another service
		})}, "a secret"},
		{"keys that panic", prompts.Options{RequestStateKeys: later(func() ([][]byte, error) { panic("a secret") })}, "a secret"},
		{"a principal with an error", prompts.Options{Principal: func(context.Context) (string, error) { return "eve", &prompts.Error{Code: 1, Message: "a secret"} }}, "a secret"},
		{"a principal that panics", prompts.Options{Principal: func(context.Context) (string, error) { panic("a secret") }}, "a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j servertest.Journal
			test.o.Logger = j.Logger()
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint"), servertest.TextPrompt("text", "hi")), test.o)
			r := servertest.NewRounds(t, s, "paint")
			assert.Empty(t, r.Get("").Fails(t, prompts.CodeInternalError, servertest.RenderFailed))
			assert.Contains(t, j.String(), test.log)
			assert.Contains(t, j.String(), "level=ERROR")

			// The same when a state comes in.
			good := servertest.NewRounds(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{}), "paint")
			good.Get("").Wants(t, "colour")
			r.State = good.State
			r.Get("").Fails(t, prompts.CodeInternalError, servertest.RenderFailed)
			if test.o.Principal == nil {
				assert.Equal(t, "hi", servertest.NewRounds(t, s, "text").Get("").Text(t), "who asks nobody needs no keys")
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
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("keep", func(ctx context.Context) (*prompts.Result, error) {
		if _, err := prompts.Once(ctx, "secret", func(context.Context) (string, error) { return secret, nil }); err != nil {
			return nil, err
		}
		for _, key := range []string{"first", "second"} {
			if _, err := prompts.Elicit[servertest.Colour](ctx, key, "Which?"); err != nil {
				return nil, err
			}
		}
		return prompts.Messages(prompts.User("done")), nil
	})), prompts.Options{})
	r := servertest.NewRounds(t, s, "keep")
	r.Get("").Wants(t, "first")
	r.Get(`{"first":`+servertest.Accepting(`{"colour":"`+told+`"}`)+`}`).Wants(t, "second")
	spelt := fmt.Sprintf(`"\u%04x`, r.State[0])
	got := servertest.AnswerTo(t, s, nil, strings.Replace(r.Line(`{"second":`+servertest.Red+`}`), `"`+r.State[:1]+r.State[1:], spelt+r.State[1:], 1))
	assert.Equal(t, "done", servertest.ReadOutcome(t, got).Text(t))
	raw, err := base64.RawURLEncoding.DecodeString(r.State)
	require.NoError(t, err)
	for _, text := range []string{secret, told, "colour", "secret", "first"} {
		assert.NotContains(t, r.State, text)
		assert.False(t, bytes.Contains(raw, []byte(text)), text)
	}
}

// MRT-15: a state is bound to the principal that the middleware finds, when the state is made and
// when it comes back.
func TestStateOfAMiddlewaresPrincipal(t *testing.T) {
	t.Parallel()
	type principal struct{}
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{
		Principal: func(ctx context.Context) (string, error) {
			name, _ := ctx.Value(principal{}).(string)
			return name, nil
		},
		Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(context.WithValue(ctx, principal{}, "ann"), r)
		}),
	})
	r := servertest.NewRounds(t, s, "paint")
	r.Get("").Wants(t, "colour")
	assert.Equal(t, "red", r.Get(`{"colour":`+servertest.Red+`}`).Text(t))
}
