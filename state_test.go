package prompts

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countedAsking is asking with an argument, and the number of its runs.
func countedAsking(runs *atomic.Int32) Prompt {
	p := asking("paint")
	ask := p.Render
	p.Arguments = []Argument{{Name: "what"}, {Name: "where"}}
	p.Render = func(ctx context.Context, in map[string]string) (*Result, error) {
		runs.Add(1)
		return ask(ctx, in)
	}
	return p
}

func TestStateRoundTrip(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, Options{})
	to := binding{1, 2, 3}
	for _, state := range []roundState{
		{},
		{Answers: map[string]string{"a": `{"action":"decline"}`}},
		{
			Answers: map[string]string{"a": `{ "<": 1 }`, "é": `{"x":[1]}`},
			Kept:    map[string]json.RawMessage{"a": json.RawMessage(`1`)},
			Texts:   map[string]*string{"a": ptr(""), "b": ptr("\x00"), "c": nil},
		},
	} {
		state := lasting(state)
		text, err := s.sealState(state, to)
		require.NoError(t, err)
		got, ok, err := s.openState(text, to)
		require.NoError(t, err)
		require.True(t, ok)
		assert.Equal(t, state, got)
		to[31]++
		_, ok, err = s.openState(text, to)
		require.NoError(t, err)
		assert.False(t, ok, "bound to something else")
	}
}

// lasting returns a state that is good for long.
func lasting(state roundState) sealedState {
	return sealedState{state, time.Now().Add(100 * 365 * 24 * time.Hour).UnixMilli()}
}

// MRT-11, MRT-12: a state that differs in one byte is none.
func TestEveryByteOfAStateCounts(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, Options{})
	text, err := s.sealState(lasting(roundState{Texts: map[string]*string{"a": ptr("b")}}), binding{})
	require.NoError(t, err)
	for i := range text {
		changed := []byte(text)
		for b := range 256 {
			if changed[i] = byte(b); changed[i] == text[i] {
				continue
			}
			if _, ok, err := s.openState(string(changed), binding{}); ok || err != nil {
				t.Fatalf("byte %d as %#x: %t, %v", i, b, ok, err)
			}
		}
	}
}

// MRT-11, MRT-12, GAP-39: whatever is wrong with a state, the client gets the
// same answer, and the render function is not called, whether there are
// responses or not.
func TestStateThatIsNotOurs(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	s := NewServer(registryOf(countedAsking(&runs)), Options{})
	r := newRounds(t, s, "paint")
	r.get("").wants(t, "colour")
	good := r.state
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	other := newRounds(t, NewServer(registryOf(countedAsking(new(atomic.Int32))), Options{}), "paint")
	other.get("").wants(t, "colour")

	states := map[string]string{
		"not base64":                "a state",
		"one character":             "A",
		"only a version":            "AQ",
		"all zeros":                 base64.RawURLEncoding.EncodeToString(make([]byte, len(raw))),
		"no more than its salt":     base64.RawURLEncoding.EncodeToString(raw[:1+stateSalt]),
		"no ciphertext":             base64.RawURLEncoding.EncodeToString(raw[:1+stateSalt+16]),
		"without its last byte":     base64.RawURLEncoding.EncodeToString(raw[:len(raw)-1]),
		"without its last letter":   good[:len(good)-1],
		"with a byte more":          base64.RawURLEncoding.EncodeToString(append(raw[:len(raw):len(raw)], 0)),
		"twice":                     good + good,
		"padded":                    good + "=",
		"in the other alphabet":     base64.StdEncoding.EncodeToString(raw),
		"with a newline":            good + "\n",
		"with a newline inside":     good[:8] + "\r\n" + good[8:],
		"with a space":              " " + good,
		"with a NUL":                good + "\x00",
		"of another version":        base64.RawURLEncoding.EncodeToString(append([]byte{stateVersion + 1}, raw[1:]...)),
		"of another server":         other.state,
		"far too long":              strings.Repeat("A", maxState+4),
		"empty":                     "",
		"with characters of others": "ä" + good[1:],
	}
	for i := range good { // one other letter of the alphabet at each place
		changed := []byte(good)
		changed[i] = map[bool]byte{true: 'B', false: 'A'}[good[i] == 'A']
		states[fmt.Sprintf("byte %d changed", i)] = string(changed)
	}
	before := runs.Load()
	for what, state := range states {
		for _, responses := range []string{"", `{}`, `{"colour":` + red + `}`} {
			r.state = state
			line := r.line(responses)
			if state == "" {
				line = strings.Replace(line, `"_meta"`, `"requestState":"","_meta"`, 1)
			}
			got, err := handle(t, s, nil, line)
			require.NoError(t, err)
			o := readOutcome(t, got)
			data := o.fails(t, CodeInvalidParams, errState.Message)
			assert.JSONEq(t, `{"param":"requestState"}`, data, what)
		}
	}
	assert.Equal(t, before, runs.Load(), "renders")

	r.state = good
	assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t), "the state itself")
}

// GAP-18: a state that is null is none, as it is with responses.
func TestStateOfAnotherType(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(asking("paint")), Options{})
	for member, code := range map[string]Code{
		`"requestState":null`:      0,
		`"inputResponses":null`:    0,
		`"requestState":1`:         CodeInvalidParams,
		`"requestState":{}`:        CodeInvalidParams,
		`"requestState":["a"]`:     CodeInvalidParams,
		`"inputResponses":[]`:      CodeInvalidParams,
		`"inputResponses":"{}"`:    CodeInvalidParams,
		`"inputResponses":true`:    CodeInvalidParams,
		`"InputResponses":{}`:      CodeInvalidParams,
		`"requeststate":"AQ"`:      CodeInvalidParams,
		`"inputResponses":{"x":1}`: 0,
	} {
		line := strings.Replace(newRounds(t, s, "paint").line(""), `"_meta"`, member+`,"_meta"`, 1)
		got, err := handle(t, s, nil, line)
		require.NoError(t, err)
		o := readOutcome(t, got)
		if code == 0 {
			o.wants(t, "colour")
		} else if assert.NotNil(t, o.Error, member) {
			assert.Equal(t, code, o.Error.Code, member)
		}
	}
}

// MRT-14: from StateTTL on, a state is refused as any other that is not good.
func TestStateExpires(t *testing.T) {
	for _, ttl := range []time.Duration{0, time.Second, time.Hour} {
		t.Run(ttl.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRounds(t, NewServer(registryOf(asking("paint")), Options{StateTTL: ttl}), "paint")
				r.get("").wants(t, "colour")
				if ttl == 0 {
					ttl = 15 * time.Minute
				}
				time.Sleep(ttl - time.Nanosecond)
				assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t))
				time.Sleep(time.Nanosecond)
				r.get(`{"colour":`+red+`}`).fails(t, CodeInvalidParams, errState.Message)
			})
		})
	}
}

// Each round has a time limit of its own: a person may take it for every
// question.
func TestStateExpiresAnewInEachRound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewServer(registryOf(rendered("two", func(ctx context.Context) (*Result, error) {
			for _, key := range []string{"a", "b"} {
				if _, err := Elicit[colour](ctx, key, "Which?"); err != nil {
					return nil, err
				}
			}
			return Messages(User("done")), nil
		})), Options{StateTTL: time.Minute})
		r := newRounds(t, s, "two")
		r.get("").wants(t, "a")
		time.Sleep(50 * time.Second)
		r.get(`{"a":`+red+`}`).wants(t, "b")
		time.Sleep(50 * time.Second)
		assert.Equal(t, "done", r.get(`{"b":`+red+`}`).text(t))
	})
}

// MRT-14: nobody keeps a state alive by showing it. What is asked again, with
// nothing new learnt, expires when it would have; an answer gives more time.
func TestStateIsNotKeptAlive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewServer(registryOf(rendered("two", func(ctx context.Context) (*Result, error) {
			for _, key := range []string{"a", "b"} {
				if _, err := Elicit[colour](ctx, key, "Which?"); err != nil {
					return nil, err
				}
			}
			return Messages(User("done")), nil
		})), Options{StateTTL: time.Minute})
		r := newRounds(t, s, "two")
		r.get("").wants(t, "a")
		for _, responses := range []string{"", `{}`, `{"b":null}`, `{"other":` + red + `}`} {
			time.Sleep(14 * time.Second)
			r.get(responses).wants(t, "a")
		}
		late := *r
		r.get(`{"a":`+red+`}`).wants(t, "b") // in the last seconds
		time.Sleep(4 * time.Second)
		late.get(`{"a":`+red+`}`).fails(t, CodeInvalidParams, errState.Message)

		time.Sleep(50 * time.Second)
		r.get(`{"a":`+red+`}`).wants(t, "b") // which is not new
		time.Sleep(6*time.Second - time.Nanosecond)
		last := *r
		assert.Equal(t, "done", last.get(`{"b":`+red+`}`).text(t))
		time.Sleep(time.Nanosecond)
		r.get(`{"b":`+red+`}`).fails(t, CodeInvalidParams, errState.Message)
	})
}

type principalKey struct{}

func principalOf(ctx context.Context) string {
	who, _ := ctx.Value(principalKey{}).(string)
	return who
}

// MRT-13, MRT-15, MRT-28, SEC-02, SEC-08, GAP-39: a state is good for the
// request that it was made for, and for whom it was made for, as the author's
// own layer knows them; who the client says that it is counts for nothing.
func TestStateIsBound(t *testing.T) {
	t.Parallel()
	const given = `{"what":"door","where":"kitchen"}`
	for _, test := range []struct {
		name   string
		change func(r *rounds)
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
			s := NewServer(registryOf(paint, draw), Options{Principal: principalOf})
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
			o.fails(t, CodeInvalidParams, errState.Message)
			assert.EqualValues(t, 1, runs.Load(), "renders")
		})
	}

	t.Run("an argument added", func(t *testing.T) {
		t.Parallel()
		r := newRounds(t, NewServer(registryOf(countedAsking(new(atomic.Int32))), Options{}), "paint")
		r.arguments = `{"what":"door"}`
		r.get("").wants(t, "colour")
		r.arguments = given
		r.get(`{"colour":`+red+`}`).fails(t, CodeInvalidParams, errState.Message)
	})

	t.Run("what the client says of itself", func(t *testing.T) {
		t.Parallel()
		s := NewServer(registryOf(asking("paint")), Options{Principal: principalOf})
		r := newRounds(t, s, "paint")
		r.ctx = context.WithValue(r.ctx, principalKey{}, "alice")
		r.get("").wants(t, "colour")
		line := strings.Replace(r.line(`{"colour":`+red+`}`), `"_meta":{`,
			`"_meta":{"`+clientInfoKey+`":{"name":"alice","version":"1"},"principal":"alice",`, 1)
		got, err := handle(t, s, nil, line) // by nobody
		require.NoError(t, err)
		readOutcome(t, got).fails(t, CodeInvalidParams, errState.Message)
	})
}

// JRP-39, JRP-40, JRP-41: any server that has the key goes on with a prompt,
// on any connection.
func TestStateKeys(t *testing.T) {
	t.Parallel()
	older, newer, others := []byte("0123456789abcdef"), []byte("the newer one is longer than that"), []byte("that of somebody else")
	server := func(keys ...[]byte) *Server {
		return NewServer(registryOf(asking("paint")), Options{StateKeys: func() [][]byte { return keys }})
	}
	for _, test := range []struct {
		name     string
		from, to *Server
		ok       bool
	}{
		{"replicas", server(older), server(older), true},
		{"the newer key is brought in", server(older), server(older, newer), true},
		{"it comes first", server(older, newer), server(newer, older), true},
		{"and in the replicas that know it as the second", server(newer, older), server(older, newer), true},
		{"the older key is dropped", server(older), server(newer), false},
		{"which the newer states survive", server(newer, older), server(newer), true},
		{"others", server(older), server(others, newer), false},
		{"no keys of the author's", server(older), NewServer(registryOf(asking("paint")), Options{}), false},
	} {
		r := newRounds(t, test.from, "paint")
		r.get("").wants(t, "colour")
		r.server = test.to
		o := r.get(`{"colour":` + red + `}`)
		if test.ok {
			assert.Equal(t, "red", o.text(t), test.name)
		} else {
			o.fails(t, CodeInvalidParams, errState.Message)
		}
	}
}

// A fault of the author's is told to the author, and to nobody else.
func TestFaultyStateOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		o    Options
		log  string
	}{
		{"no keys", Options{StateKeys: func() [][]byte { return nil }}, "no keys"},
		{"a short key", Options{StateKeys: func() [][]byte { return [][]byte{make([]byte, 15)} }}, "15 bytes"},
		{"a short second key", Options{StateKeys: func() [][]byte { return [][]byte{make([]byte, 16), nil} }}, "0 bytes"},
		{"keys that panic", Options{StateKeys: func() [][]byte { panic("a secret") }}, "a secret"},
		{"a principal that panics", Options{Principal: func(context.Context) string { panic("a secret") }}, "a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j journal
			test.o.Logger = j.logger()
			s := NewServer(registryOf(asking("paint"), textPrompt("text", "hi")), test.o)
			r := newRounds(t, s, "paint")
			assert.Empty(t, r.get("").fails(t, CodeInternalError, renderFailed))
			assert.Contains(t, j.String(), test.log)
			assert.Contains(t, j.String(), "level=ERROR")

			// The same when a state comes in.
			good := newRounds(t, NewServer(registryOf(asking("paint")), Options{}), "paint")
			good.get("").wants(t, "colour")
			r.state = good.state
			r.get("").fails(t, CodeInternalError, renderFailed)
			if test.o.Principal == nil {
				assert.Equal(t, "hi", newRounds(t, s, "text").get("").text(t), "who asks nobody needs no keys")
			}
		})
	}
}

// A state is no longer than maxState, since the client has to carry it.
func TestStateSize(t *testing.T) {
	t.Parallel()
	var j journal
	size := 0
	s := NewServer(registryOf(rendered("keep", func(ctx context.Context) (*Result, error) {
		if _, err := Once(ctx, "text", func(context.Context) (string, error) { return strings.Repeat("x", size), nil }); err != nil {
			return nil, err
		}
		a := InputRequest("a", methodRoots, nil)
		if err := Ask(ctx, a); err != nil {
			return nil, err
		}
		return nil, Ask(ctx, InputRequest("b", methodRoots, nil))
	})), Options{Logger: j.logger()})

	const overhead = 200 // of encryption and JSON
	size = maxState/4*3 - overhead
	r := newRounds(t, s, "keep")
	r.get("").wants(t, "a")
	assert.LessOrEqual(t, len(r.state), maxState)
	r.get(`{"a":{"roots":[]}}`).wants(t, "b")
	assert.Empty(t, j.String())

	size = maxState / 4 * 3
	assert.Empty(t, newRounds(t, s, "keep").get("").fails(t, CodeInternalError, renderFailed))
	assert.Contains(t, j.String(), "too large to travel in a requestState")

	// What the client answers counts too, and is its own fault.
	size = 1
	logged := j.String()
	r = newRounds(t, s, "keep")
	r.get("").wants(t, "a")
	data := r.get(`{"a":{"roots":[],"more":"`+strings.Repeat("x", maxState)+`"}}`).fails(t, CodeInvalidParams, "the answers so far are too large to go on with")
	assert.JSONEq(t, `{"param":"inputResponses"}`, data)
	assert.Equal(t, logged, j.String(), "the author need not know")
}

// MRT-10: the client carries a state, a JSON string that it may spell as it
// likes, but cannot read it: neither what Once has kept nor what has been
// answered. No two states are alike.
func TestStateIsNotReadable(t *testing.T) {
	t.Parallel()
	const secret, told = "kept-in-confidence", "told-in-confidence"
	s := NewServer(registryOf(rendered("keep", func(ctx context.Context) (*Result, error) {
		if _, err := Once(ctx, "secret", func(context.Context) (string, error) { return secret, nil }); err != nil {
			return nil, err
		}
		for _, key := range []string{"first", "second"} {
			if _, err := Elicit[colour](ctx, key, "Which?"); err != nil {
				return nil, err
			}
		}
		return Messages(User("done")), nil
	})), Options{})
	r := newRounds(t, s, "keep")
	r.get("").wants(t, "first")
	r.get(`{"first":`+accepting(`{"colour":"`+told+`"}`)+`}`).wants(t, "second")
	spelt := fmt.Sprintf(`"\u%04x`, r.state[0])
	got, err := handle(t, s, nil, strings.Replace(r.line(`{"second":`+red+`}`), `"`+r.state[:1]+r.state[1:], spelt+r.state[1:], 1))
	require.NoError(t, err)
	assert.Equal(t, "done", readOutcome(t, got).text(t))
	raw, err := base64.RawURLEncoding.DecodeString(r.state)
	require.NoError(t, err)
	for _, text := range []string{secret, told, "colour", "secret", "first"} {
		assert.NotContains(t, r.state, text)
		assert.False(t, bytes.Contains(raw, []byte(text)), text)
	}

	seen := map[string]bool{}
	for range 100 {
		state, err := s.sealState(lasting(roundState{}), binding{})
		require.NoError(t, err)
		raw, err := base64.RawURLEncoding.DecodeString(state)
		require.NoError(t, err)
		salt, rest := string(raw[1:1+stateSalt]), string(raw[1+stateSalt:])
		assert.False(t, seen[salt] || seen[rest], "the same state again")
		seen[salt], seen[rest] = true, true
	}
}

// MRT-11, MRT-12: openState takes any text without a panic, and accepts only
// what sealState has made.
func FuzzState(f *testing.F) {
	keys := [][]byte{[]byte("0123456789abcdef"), []byte("fedcba9876543210")}
	s := NewServer(nil, Options{StateKeys: func() [][]byte { return keys }, StateTTL: 100 * 365 * 24 * time.Hour})
	// States that these keys have sealed for a hundred years: each process of
	// the fuzzer has to know the same.
	mine := map[string]bool{}
	for text := range mine {
		if _, ok, err := s.openState(text, binding{}); !ok || err != nil {
			f.Fatalf("%q is not good any more: %v", text, err)
		}
		f.Add(text)
		f.Add(text[:len(text)-1])
		f.Add(text + "=")
	}
	f.Add("")
	f.Add("AQ")
	f.Fuzz(func(t *testing.T, text string) {
		_, ok, err := s.openState(text, binding{})
		if err != nil || ok && !mine[text] {
			t.Fatalf("%q: %t, %v", text, ok, err)
		}
		if _, ok, _ := s.openState(text, binding{1}); ok {
			t.Fatalf("%q is good for another request", text)
		}
		// What the fuzzer has found is sealed, and opened, as it is.
		if state := lasting(roundState{Texts: map[string]*string{"t": ptr(strings.ToValidUTF8(text, "?"))}}); len(text) < maxState/2 {
			sealed, err := s.sealState(state, binding{})
			if err != nil {
				t.Fatal(err)
			}
			got, ok, err := s.openState(sealed, binding{})
			if err != nil || !ok || *got.Texts["t"] != *state.Texts["t"] {
				t.Fatalf("%q: %v, %t, %v", text, got, ok, err)
			}
		}
	})
}
