package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// MRT-01, MRT-02, MRT-04, MRT-05, MRT-06, MRT-18, MRT-22, PRG-09, PRG-10,
// CCH-04, JRP-36, GAP-48: a question is asked by a result, and answered by
// another request, which is the whole of it.
func TestAskInRounds(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Info: prompts.Implementation{Name: "painter", Version: "1"}})
	r := newRounds(t, s, "paint")
	o := r.get("")
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{
		"resultType":"input_required",
		"inputRequests":{"colour":{"method":"elicitation/create","params":{
			"mode":"form","message":"Which colour?",
			"requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}}}},
		"requestState":"`+r.state+`",
		"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"painter","version":"1"}}}}`, o.raw)

	// As often as the client comes without an answer.
	for _, responses := range []string{"", `{}`, `{"color":` + red + `}`, `{"colour":null}`} {
		o := r.get(responses)
		o.wants(t, "colour")
		assert.Equal(t, fmt.Sprint(r.n), string(o.ID))
	}
	assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t))

	// The same request again, as after a lost answer, has the same answer.
	assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t))

	// The answer may come without a state, if nothing was in that.
	r.state = ""
	assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t))
}

// MRT-02: a prompt may ask one thing after the other. Its answers so far
// stand, whatever a client says of them later, and unknown ones are ignored
// (MRT-21).
func TestEarlierAnswersStand(t *testing.T) {
	t.Parallel()
	runs := 0
	s := prompts.NewServer(registryOf(rendered("three", func(ctx context.Context) (*prompts.Result, error) {
		runs++
		var all []string
		for _, key := range []string{"a", "b", "c"} {
			answer, err := prompts.Elicit[colour](ctx, key, "Which?")
			if err != nil {
				return nil, err
			}
			all = append(all, answer.Colour)
		}
		return prompts.Messages(prompts.User(strings.Join(all, " "))), nil
	})), prompts.Options{})
	answer := func(text string) string { return accepting(`{"colour":"` + text + `"}`) }
	r := newRounds(t, s, "three")
	r.get("").wants(t, "a")
	r.get(`{"a":`+answer("red")+`,"other":[{}]}`).wants(t, "b")
	r.get(`{"a":`+answer("grey")+`,"b":`+answer("green")+`}`).wants(t, "c")
	// Nor is one that stands looked at again.
	assert.Equal(t, "red green blue", r.get(`{"a":"nonsense","b":null,"c":`+answer("blue")+`}`).text(t))
	assert.Equal(t, 4, runs, "from its beginning each time")

	// All at once from a client that knows what will be asked.
	r = newRounds(t, s, "three")
	assert.Equal(t, "1 2 3", r.get(`{"c":`+answer("3")+`,"b":`+answer("2")+`,"a":`+answer("1")+`}`).text(t))
}

// MRT-06, MRT-22: what is asked at once comes in one result, and of that only
// what is missing is asked again.
func TestAskSeveralAtOnce(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(rendered("two", func(ctx context.Context) (*prompts.Result, error) {
		a, b, c := prompts.Form[colour]("a", "A?"), prompts.Form[struct{ N int }]("b", "B?"), prompts.InputRequest("c", methodRoots, nil)
		if err := prompts.Ask(ctx, a, b, c); err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(fmt.Sprint(a.Value.Colour, b.Value.N, string(c.Value)))), nil
	})), prompts.Options{})
	r := newRounds(t, s, "two")
	r.get("").wants(t, "a", "b", "c")
	r.get(`{"a":`+red+`,"c":{"roots":[]}}`).wants(t, "b")
	assert.Equal(t, `red7{"roots":[]}`, r.get(`{"b":`+accepting(`{"N":7}`)+`}`).text(t))
}

// Questions that goroutines of one render ask are asked together, each once.
func TestAskConcurrently(t *testing.T) {
	t.Parallel()
	const n = 20
	s := prompts.NewServer(registryOf(rendered("many", func(ctx context.Context) (*prompts.Result, error) {
		var all sync.WaitGroup
		errs := make([]error, 2*n)
		values := make([]string, 2*n)
		for i := range 2 * n {
			all.Go(func() {
				key := fmt.Sprint("q", i%n) // each key twice
				if _, errs[i] = prompts.Once(ctx, fmt.Sprint("once", i), func(context.Context) (int, error) { return i, nil }); errs[i] == nil {
					var answer colour
					answer, errs[i] = prompts.Elicit[colour](ctx, key, "Which?")
					values[i] = answer.Colour
				}
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(strings.Join(values[:n], ""))), nil
	})), prompts.Options{})
	r := newRounds(t, s, "many")
	o := r.get("")
	require.Len(t, o.Result.Requests, n)
	var responses []string
	for i := range n {
		responses = append(responses, fmt.Sprintf(`"q%d":%s`, i, accepting(`{"colour":"x"}`)))
	}
	assert.Equal(t, strings.Repeat("x", n), r.get("{"+strings.Join(responses, ",")+"}").text(t))
}

// What a render function makes of ErrInputRequired decides whether anybody is
// asked.
func TestInputRequiredIsPassedOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		render func(ctx context.Context, err error) (*prompts.Result, error)
		want   string // text of the result; empty if it asks
		code   prompts.Code
	}{
		{"as it is", func(_ context.Context, err error) (*prompts.Result, error) { return nil, err }, "", 0},
		{"wrapped", func(_ context.Context, err error) (*prompts.Result, error) { return nil, fmt.Errorf("asking: %w", err) }, "", 0},
		{"joined", func(_ context.Context, err error) (*prompts.Result, error) { return nil, errors.Join(errDisk, err) }, "", 0},
		{"with a result too", func(_ context.Context, err error) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("x")), err
		}, "", 0},
		{"its own", func(context.Context, error) (*prompts.Result, error) { return nil, prompts.ErrInputRequired }, "", 0},
		{"swallowed", func(context.Context, error) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("never mind")), nil
		}, "never mind", 0},
		{"by text only", func(_ context.Context, err error) (*prompts.Result, error) { return nil, errors.New(err.Error()) }, "", prompts.CodeInternalError},
		{"another error", func(context.Context, error) (*prompts.Result, error) {
			return nil, prompts.InvalidArgument("x", "is bad")
		}, "", prompts.CodeInvalidParams},
	} {
		s := prompts.NewServer(registryOf(rendered("one", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[colour](ctx, "a", "Which?")
			assert.Equal(t, prompts.ErrInputRequired, err)
			return test.render(ctx, err)
		})), prompts.Options{})
		o := newRounds(t, s, "one").get("")
		switch {
		case test.code != 0:
			require.NotNil(t, o.Error, test.name)
			assert.Equal(t, test.code, o.Error.Code, test.name)
		case test.want != "":
			assert.Equal(t, test.want, o.text(t), test.name)
		default:
			o.wants(t, "a")
		}
	}
}

// The error alone, with nobody asked, is a fault of the author's.
func TestInputRequiredWithoutQuestion(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(registryOf(rendered("none", func(context.Context) (*prompts.Result, error) { return nil, prompts.ErrInputRequired })), prompts.Options{Logger: j.logger()})
	newRounds(t, s, "none").get("").fails(t, prompts.CodeInternalError, renderFailed)
	assert.Contains(t, j.String(), "without asking anything")
	session := newSessionAs(t, s, "2025-11-25", formCapability)
	got, err := handle(t, s, session, getLine("1", "none"))
	require.NoError(t, err)
	assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
}

// MRT-23: who declines or dismisses a question has answered it. The prompt may
// go on without, and is not told otherwise later.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer, action, seen string
		is, isNot            error
	}{
		{declining, "decline", `the prompt cannot go on: "a": the client has declined to answer`, prompts.ErrDeclined, prompts.ErrCanceled},
		{dismissing, "cancel", `the prompt cannot go on: "a": the client has dismissed the question`, prompts.ErrCanceled, prompts.ErrDeclined},
		{`{"action":"decline","content":{"colour":"red"},"more":1}`, "decline", `the prompt cannot go on: "a": the client has declined to answer`, prompts.ErrDeclined, prompts.ErrCanceled},
	} {
		s := prompts.NewServer(registryOf(
			rendered("default", func(ctx context.Context) (*prompts.Result, error) {
				a, err := prompts.Elicit[colour](ctx, "a", "Which?")
				if errors.Is(err, test.is) {
					assert.NotErrorIs(t, err, test.isNot)
					assert.NotErrorIs(t, err, prompts.ErrInputRequired)
					a.Colour, err = "grey", nil
				}
				if err != nil {
					return nil, err
				}
				b, err := prompts.Elicit[colour](ctx, "b", "And then?")
				if err != nil {
					return nil, err
				}
				return prompts.Messages(prompts.User(a.Colour + b.Colour)), nil
			}),
			rendered("passed on", func(ctx context.Context) (*prompts.Result, error) {
				_, err := prompts.Elicit[colour](ctx, "a", "Which?")
				if err != nil {
					return nil, fmt.Errorf("my words: %w", err)
				}
				return nil, errDisk
			}),
		), prompts.Options{})
		r := newRounds(t, s, "default")
		r.get("").wants(t, "a")
		r.get(`{"a":`+test.answer+`}`).wants(t, "b")
		// The refusal stands, whatever the client says now.
		assert.Equal(t, "greyred", r.get(`{"a":`+accepting(`{"colour":"blue"}`)+`,"b":`+red+`}`).text(t))

		data := newRounds(t, s, "passed on").get(`{"a":`+test.answer+`}`).fails(t, prompts.CodeInvalidParams, test.seen)
		assert.JSONEq(t, `{"input":"a","action":"`+test.action+`"}`, data)
	}
}

// MRT-22, MRT-23: of several questions one may be refused: the others are
// asked still, and then the error tells of all refusals.
func TestSomeRefused(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(rendered("two", func(ctx context.Context) (*prompts.Result, error) {
		a, b, c := prompts.Form[colour]("a", "A?"), prompts.Form[colour]("b", "B?"), prompts.Form[colour]("c", "C?")
		err := prompts.Ask(ctx, a, b, c)
		if errors.Is(err, prompts.ErrInputRequired) {
			return nil, err
		}
		return prompts.Messages(prompts.User(fmt.Sprintln(errors.Is(err, prompts.ErrDeclined), errors.Is(err, prompts.ErrCanceled), b.Value.Colour))), nil
	})), prompts.Options{})
	r := newRounds(t, s, "two")
	r.get(`{"a":`+declining+`}`).wants(t, "b", "c")
	r.get(`{"c":`+dismissing+`}`).wants(t, "b")
	assert.Equal(t, "true true red\n", r.get(`{"b":`+red+`}`).text(t))
}

// MRT-19, MRT-20: an answer that is none gets an error, which says what is
// wrong with it.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Logger: j.logger()})
	for answer, message := range map[string]string{
		`"red"`:                            `the answer to "colour" is not an object`,
		`[]`:                               `the answer to "colour" is not an object`,
		`1`:                                `the answer to "colour" is not an object`,
		`false`:                            `the answer to "colour" is not an object`,
		`{}`:                               `the answer to "colour" has no action that is accept, decline or cancel`,
		`{"action":"ACCEPT"}`:              `the answer to "colour" has no action that is accept, decline or cancel`,
		`{"action":["accept"]}`:            `the answer to "colour" has no action that is accept, decline or cancel`,
		`{"Action":"accept"}`:              `the answer to "colour" has no action that is accept, decline or cancel`,
		`{"action":"accept"}`:              `the answer to "colour" has no content`,
		accepting(`null`):                  `the answer to "colour" has no content`,
		accepting(`[]`):                    `the answer to "colour" has no content`,
		accepting(`"red"`):                 `the answer to "colour" has no content`,
		`{"result":{"action":"decline"}}`:  `the answer to "colour" has no action that is accept, decline or cancel`,
		`{"content":{"colour":"decline"}}`: `the answer to "colour" has no action that is accept, decline or cancel`,
	} {
		data := newRounds(t, s, "paint").get(`{"colour":`+answer+`}`).fails(t, prompts.CodeInvalidParams, message)
		assert.JSONEq(t, `{"input":"colour"}`, data)
	}
	assert.Empty(t, j.String(), "it is no fault of the author's")

	// An error keeps nothing: the right answer is still welcome.
	r := newRounds(t, s, "paint")
	r.get("").wants(t, "colour")
	require.NotNil(t, r.get(`{"colour":1}`).Error)
	assert.Equal(t, "red", r.get(`{"colour":`+red+`}`).text(t))
}

// The keys of questions are the author's, and short.
func TestQuestionKeys(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"a":                           true,
		"ä b\"\n":                     true,
		strings.Repeat("x", maxKey):   true,
		"":                            false,
		strings.Repeat("x", maxKey+1): false,
		"\xff":                        false,
		argumentsKey:                  false,
	} {
		var j journal
		s := prompts.NewServer(registryOf(rendered("one", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[colour](ctx, key, "Which?")
			return nil, err
		})), prompts.Options{Logger: j.logger()})
		o := newRounds(t, s, "one").get("")
		if ok {
			o.wants(t, key)
			continue
		}
		o.fails(t, prompts.CodeInternalError, renderFailed)
		assert.Contains(t, j.String(), "of a question must be valid UTF-8")
	}
}

// DSC-11, DSC-12, GAP-38, MRT-07, MRT-08, PRG-12: what the client has not
// declared it is not asked for; it is told what it would take, exactly. What
// it has declared in an earlier request does not count (JRP-37).
func TestClientCannotBeAsked(t *testing.T) {
	t.Parallel()
	url := prompts.InputRequest("q", methodElicit, map[string]any{"mode": "url", "message": "Open", "url": "https://example.com/"})
	form := prompts.Form[colour]("q", "Which?")
	for _, test := range []struct {
		name         string
		questions    []prompts.Question
		capabilities string
		required     string // empty if it can be asked
		names        string
	}{
		{"nothing is declared", []prompts.Question{form}, noCapabilities, `{"elicitation":{"form":{}}}`, "elicitation.form"},
		{"no mode means form", []prompts.Question{form}, formCapability, "", ""},
		{"form", []prompts.Question{form}, `{"elicitation":{"form":{}}}`, "", ""},
		{"only URLs", []prompts.Question{form}, urlCapability, `{"elicitation":{"form":{}}}`, "elicitation.form"},
		{"only forms", []prompts.Question{url}, formCapability, `{"elicitation":{"url":{}}}`, "elicitation.url"},
		{"URLs", []prompts.Question{url}, urlCapability, "", ""},
		{"something else", []prompts.Question{url}, `{"sampling":{},"roots":{}}`, `{"elicitation":{"url":{}}}`, "elicitation.url"},
		{"what is no declaration", []prompts.Question{form}, `{"elicitation":true}`, `{"elicitation":{"form":{}}}`, "elicitation.form"},
		{"null", []prompts.Question{form}, `{"elicitation":null}`, `{"elicitation":{"form":{}}}`, "elicitation.form"},
		{"several", []prompts.Question{form, prompts.InputRequest("r", methodRoots, nil)}, noCapabilities, `{"elicitation":{"form":{}},"roots":{}}`, "elicitation.form, roots"},
		{"one of several", []prompts.Question{form, prompts.InputRequest("r", methodRoots, nil)}, formCapability, `{"roots":{}}`, "roots"},
		{"an unknown capability", []prompts.Question{form}, `{"elicitation":{},"telepathy":{"mode":1}}`, "", ""},
	} {
		for _, wrap := range []string{"%w", "my words: %w"} {
			runs := 0
			s := prompts.NewServer(registryOf(rendered("one", func(ctx context.Context) (*prompts.Result, error) {
				runs++
				err := prompts.Ask(ctx, test.questions...)
				if runs == 2 {
					assert.Equal(t, test.required != "", errors.Is(err, prompts.ErrElicitationUnavailable), test.name)
				}
				return nil, fmt.Errorf(wrap, err)
			})), prompts.Options{})
			r := newRounds(t, s, "one")
			r.get("") // with all capabilities
			r.capabilities = test.capabilities
			o := r.get("")
			if test.required == "" {
				assert.Nil(t, o.Error, test.name)
				continue
			}
			data := o.fails(t, transport.CodeMissingCapability, undeclared(test.names))
			assert.JSONEq(t, `{"requiredCapabilities":`+test.required+`}`, data, test.name)
			assert.Equal(t, 2, runs)
		}
	}
}

// A prompt may do without: ErrElicitationUnavailable is told apart from the rest.
func TestGoesOnWithoutAsking(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(rendered("one", func(ctx context.Context) (*prompts.Result, error) {
		answer, err := prompts.Elicit[colour](ctx, "a", "Which?")
		if errors.Is(err, prompts.ErrElicitationUnavailable) {
			answer, err = colour{"grey"}, nil
		}
		return prompts.Messages(prompts.User(answer.Colour)), err
	})), prompts.Options{})
	r := newRounds(t, s, "one")
	r.capabilities = noCapabilities
	assert.Equal(t, "grey", r.get("").text(t))
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		got, err := handle(t, s, newSessionAs(t, s, version, noCapabilities), getLine("1", "one"))
		require.NoError(t, err)
		assert.Equal(t, textLine("1", "grey"), got, version)
	}
}

// GAP-40, LIF-20: a client of the handshake era that cannot be asked gets an
// internal error that says so.
func TestCannotAskInASession(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, capabilities, why string }{
		{"2024-11-05", allCapabilities, "its protocol revision is older than 2025-06-18"},
		{"2025-03-26", allCapabilities, "its protocol revision is older than 2025-06-18"},
		{"2025-06-18", noCapabilities, "it has not declared the capability elicitation.form"},
		{"2025-11-25", noCapabilities, "it has not declared the capability elicitation.form"},
		{"2025-11-25", urlCapability, "it has not declared the capability elicitation.form"},
	} {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		got, err := handle(t, s, newSessionAs(t, s, test.version, test.capabilities), getLine("1", "paint"))
		require.NoError(t, err)
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, unable(test.why)), got, test.version)
	}
}

// CMP-12, MRT-03: only a render function can ask. Others are told so, whatever
// the client can do.
func TestAskElsewhere(t *testing.T) {
	t.Parallel()
	ask := func(ctx context.Context) error {
		_, err := prompts.Elicit[colour](ctx, "a", "Which?")
		assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable)
		return err
	}
	assert.ErrorIs(t, ask(t.Context()), prompts.ErrElicitationUnavailable)

	var called atomic.Int32
	s := prompts.NewServer(registryOf(prompts.Prompt{
		Name: "complete", Render: nothing,
		Arguments: []prompts.Argument{{Name: "x", Complete: func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			called.Add(1)
			return nil, ask(ctx)
		}}},
	}), prompts.Options{Methods: map[string]prompts.Method{"my/method": func(ctx context.Context, _ json.RawMessage) (any, error) {
		called.Add(1)
		return nil, ask(ctx)
	}}})
	meta := `"_meta":{"` + envelopeKey + `":"2026-07-28","` + capabilitiesKey + `":` + allCapabilities + `}`
	live := newSessionAs(t, s, "2025-11-25", allCapabilities)
	for _, msg := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"complete"},"argument":{"name":"x","value":""}%s}}`,
		`{"jsonrpc":"2.0","id":1,"method":"my/method","params":{"a":1%s}}`,
	} {
		for _, session := range []transport.Session{nil, live} {
			rest := ""
			if session == nil {
				rest = "," + meta
			}
			got, err := handle(t, s, session, fmt.Sprintf(msg, rest))
			require.NoError(t, err)
			o := readOutcome(t, got)
			require.NotNil(t, o.Error, got)
			assert.Equal(t, prompts.CodeInternalError, o.Error.Code)
		}
	}
	assert.EqualValues(t, 4, called.Load())
}

// A context that comes from the render's can be asked with; none at all is the
// author's fault, and harms nobody.
func TestAskWithOtherContexts(t *testing.T) {
	t.Parallel()
	type key struct{}
	var other context.Context // nil
	s := prompts.NewServer(registryOf(
		rendered("derived", func(ctx context.Context) (*prompts.Result, error) {
			ctx = context.WithValue(context.WithoutCancel(ctx), key{}, nil)
			assert.Nil(t, ctx.Value(key{}))
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			return nil, helper(ctx, 3)
		}),
		rendered("nil", func(context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[colour](other, "a", "Which?")
			return nil, err
		}),
		rendered("nothing", func(ctx context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("asked nothing")), prompts.Ask(ctx)
		}),
	), prompts.Options{})
	newRounds(t, s, "derived").get("").wants(t, "nested")
	newRounds(t, s, "nil").get("").fails(t, prompts.CodeInternalError, renderFailed)
	r := newRounds(t, s, "nothing")
	r.capabilities = noCapabilities
	assert.Equal(t, "asked nothing", r.get("").text(t))
}

// helper asks from deep inside.
func helper(ctx context.Context, depth int) error {
	if depth > 0 {
		if err := helper(ctx, depth-1); err != nil {
			return fmt.Errorf("depth %d: %w", depth, err)
		}
		return nil
	}
	_, err := prompts.Elicit[colour](ctx, "nested", "Which?")
	return err
}

// MRT-03: nothing but prompts/get asks.
func TestNothingElseAsks(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{ElicitArguments: true})
	meta := `"_meta":{"` + envelopeKey + `":"2026-07-28","` + capabilitiesKey + `":` + allCapabilities + `}`
	for _, method := range []string{
		`"prompts/list","params":{`,
		`"server/discover","params":{`,
		`"completion/complete","params":{"ref":{"type":"ref/prompt","name":"paint"},"argument":{"name":"x","value":""},`,
	} {
		got, err := handle(t, s, nil, `{"jsonrpc":"2.0","id":1,"method":`+method+meta+`}}`)
		require.NoError(t, err)
		assert.NotContains(t, got, "input_required")
	}
}

// A goroutine that outlives its render function can ask no more, and harms
// nobody: nothing is sent after the answer.
func TestStragglersInRounds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		let, done := make(chan struct{}), make(chan error)
		s := prompts.NewServer(registryOf(rendered("early", func(ctx context.Context) (*prompts.Result, error) {
			go func() {
				<-let
				prompts.Progress(ctx, 2, 2, "late")
				_, err := prompts.Once(ctx, "late", func(context.Context) (int, error) { return 1, nil })
				assert.NoError(t, err)
				_, err = prompts.Elicit[colour](ctx, "late", "Which?")
				done <- err
			}()
			prompts.Progress(ctx, 1, 2, "in time")
			_, err := prompts.Elicit[colour](ctx, "a", "Which?")
			return nil, err
		})), prompts.Options{})
		x := &recorder{t: t}
		r := newRounds(t, s, "early")
		line := strings.Replace(r.line(""), `"_meta":{`, `"_meta":{"progressToken":1,`, 1)
		require.NoError(t, s.Handle(t.Context(), x.hear(nil, line), transport.Exchange{Send: x.send}))
		x.over = true
		require.Len(t, x.messages, 2)
		assert.Contains(t, x.messages[0].msg, "in time")
		readOutcome(t, x.messages[1].msg).wants(t, "a")
		close(let)
		assert.Error(t, <-done)
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
	})
}
