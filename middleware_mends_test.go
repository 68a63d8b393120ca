package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a hasty middleware may do without breaking anything.

// outcomeOf is what a Handler has returned.
type outcomeOf struct {
	response *Response
	err      error
}

// atOnce calls next n times, each on a goroutine of its own, and returns all the
// outcomes.
func atOnce(ctx context.Context, n int, r *Request, next Handler) []outcomeOf {
	all := make([]outcomeOf, n)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { all[i].response, all[i].err = next(ctx, r) })
	}
	wg.Wait()
	return all
}

// A panic on a goroutine of the middleware's is one in the request: nothing
// crashes, and the author gets to know where it was.
func TestNextPanicsOnAnotherGoroutine(t *testing.T) {
	t.Parallel()
	panics := func(context.Context, string, map[string]string) ([]string, error) { panic("a secret") }
	for line, message := range map[string]string{
		plainList:                            "the prompts could not be listed",
		getLine("1", "panics"):               "the prompt could not be rendered",
		completeLine("1", "panics", "a", ""): "the argument could not be completed",
	} {
		for text, wrap := range map[string]func(error) error{
			"panic: a secret":                func(err error) error { return err },
			"of the tenant: panic: a secret": func(err error) error { return fmt.Errorf("of the tenant: %w", err) },
		} {
			var j journal
			p := completing("panics", panics)
			p.Render = func(context.Context, map[string]string) (*Result, error) { panic("a secret") }
			s := NewServer(registryOf(p), Options{
				Logger: j.logger(),
				Visible: func(context.Context, Prompt) bool {
					if line == plainList {
						panic("a secret")
					}
					return true
				},
				Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
					o := atOnce(ctx, 1, r, next)[0]
					assert.Nil(t, o.response)
					assert.ErrorContains(t, o.err, "a secret", "the middleware is the author's")
					var e *Error
					if assert.ErrorAs(t, o.err, &e) {
						assert.Equal(t, &Error{Code: CodeInternalError, Message: message}, e)
					}
					return nil, wrap(o.err)
				}),
			})
			got, err := handle(t, s, newSession(t, s), line)
			require.NoError(t, err)
			assert.Equal(t, errorLine("1", CodeInternalError, message), got, text)
			assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"), text)
			assert.Contains(t, j.String(), `error="`+text+`"`)
			assert.Contains(t, j.String(), "TestNextPanicsOnAnotherGoroutine", "%s: the stack is that of the panic", text)
		}
	}
}

// Calls of next at the same time know nothing of each other.
func TestNextAtOnce(t *testing.T) {
	t.Parallel()
	s := NewServer(traveller(), Options{Visible: exceptHidden, PageSize: 2, Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		all := atOnce(ctx, 4, r, next)
		for _, o := range all[1:] {
			assert.Equal(t, all[0].response, o.response)
			if all[0].err != nil && assert.Error(t, o.err) {
				assert.Equal(t, all[0].err.Error(), o.err.Error())
			}
		}
		return all[2].response, all[2].err
	})})
	plain := NewServer(traveller(), Options{Visible: exceptHidden, PageSize: 2})
	for _, line := range []string{
		plainList, getLine("1", "text"), getLine("1", "trip"), getLine("1", "faulty"), getLine("1", "refusing"),
		completeLine("1", "trip", "to", "Ro"), completeLine("1", "trip", "x", ""),
	} {
		got, err := handle(t, s, newSession(t, s), line)
		require.NoError(t, err)
		want, err := handle(t, plain, newSession(t, plain), line)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// One that takes the first of several answers does not wait for the others, and
// their contexts end with the request.
func TestNextGoesOnAfterTheMiddleware(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
			slow := *r
			slow.Prompt = "wait"
			go func() { _, _ = next(ctx, &slow) }()
			time.Sleep(time.Second) // on the clock of the bubble
			return next(ctx, r)
		})})
		c := connect(t, s).handshake()
		c.send(getLine("1", "text"))
		time.Sleep(time.Second)
		assert.Equal(t, []string{textLine("1", "hi")}, c.received())
		assert.ErrorIs(t, <-w.causes, errAnswered)
		assert.NoError(t, c.end())
		assert.Zero(t, s.limit.tasks.Load())
	})
}

// What is over is not gone on with: nothing is looked up or rendered.
func TestNextAfterTheRequest(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		var runs, looks int
		var late func() (*Response, error)
		s := NewServer(registryOf(
			rendered("p", func(context.Context) (*Result, error) { runs++; return Messages(), nil }),
			completing("c", func(context.Context, string, map[string]string) ([]string, error) { runs++; return nil, nil }),
		), Options{
			Visible: func(context.Context, Prompt) bool { looks++; return true },
			Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				late = func() (*Response, error) { return next(context.WithoutCancel(ctx), r) }
				if fails {
					return nil, errDisk
				}
				return next(ctx, r)
			}),
		})
		for _, line := range []string{plainList, getLine("1", "p"), completeLine("1", "c", "a", "")} {
			_, err := handle(t, s, newSession(t, s), line)
			require.NoError(t, err)
			before := [2]int{runs, looks}
			response, err := late()
			assert.Nil(t, response)
			assert.EqualError(t, err, "the request is over")
			assert.Equal(t, before, [2]int{runs, looks})
		}
	}
}

// As singleflight has it: several requests get the one error that next has
// returned for the first of them. Each has its own answer and its own line in
// the log.
func TestRequestsShareAnErrorOfNext(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"refusing", "faulty", "trip", "none"} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			var j journal
			var once sync.Once
			var shared error
			var n atomic.Int32
			var here sync.WaitGroup
			here.Add(8)
			s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				once.Do(func() { _, shared = next(ctx, r) })
				err := fmt.Errorf("request %d: %w", n.Add(1), shared)
				here.Done()
				here.Wait() // all of them go on at once
				return nil, err
			})})
			plain := NewServer(traveller(), Options{})
			session, other := newSession(t, s), newSession(t, plain)
			want, err := handle(t, plain, other, getLine("1", prompt))
			require.NoError(t, err)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					got, err := handle(t, s, session, getLine(fmt.Sprint(100+i), prompt))
					assert.NoError(t, err)
					assert.Equal(t, strings.Replace(want, `"id":1,`, fmt.Sprintf(`"id":%d,`, 100+i), 1), got)
				})
			}
			wg.Wait()
			for i := range 8 {
				assert.Equal(t, 1, strings.Count(j.String(), fmt.Sprintf("request %d: ", i+1)))
			}
		})
	}
}

// What one request wraps around the error is not in the log of another.
func TestSharedErrorIsNotChanged(t *testing.T) {
	t.Parallel()
	var j journal
	var shared error
	s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		if shared == nil {
			_, shared = next(ctx, r)
			return nil, fmt.Errorf("of the first: %w", shared)
		}
		return nil, shared
	})})
	session := newSession(t, s)
	first, err := handle(t, s, session, getLine("1", "trip"))
	require.NoError(t, err)
	before := j.String()
	assert.Contains(t, before, "of the first")
	second, err := handle(t, s, session, getLine("1", "trip"))
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.Equal(t, before, j.String())
	var e *Error
	require.ErrorAs(t, shared, &e)
	assert.IsType(t, argumentsData{}, e.Data, "what is sent is a copy")
}

// STD-02: on a wire that ends messages with newlines, a list has none.
func TestMiddlewareListIsCompacted(t *testing.T) {
	t.Parallel()
	const want = `{"prompts":[{"name":"a b","title":"x\ny"},{"name":"c"}],"nextCursor":"n"}`
	indented, err := json.MarshalIndent(json.RawMessage(want), "\t", "  ")
	require.NoError(t, err)
	for name, list := range map[string]string{
		"as it is":           want,
		"indented":           string(indented),
		"a trailing newline": want + "\n",
		"space before it":    " \r\n\t" + want,
		"space within":       strings.ReplaceAll(want, `},{`, "} ,\n {"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(nil, Options{Middleware: instead(&Response{List: json.RawMessage(list)}, nil)})
			got, err := handle(t, s, newSession(t, s), plainList)
			require.NoError(t, err)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+want+`}`, got)
			got, err = handle(t, s, nil, envelopedLine("1", "prompts/list", ""))
			require.NoError(t, err)
			assert.Contains(t, got, `"result":`+strings.TrimSuffix(want, "}")+`,"resultType":"complete"`)
		})
	}
}

// PAG-03: what the middleware has made of a list is looked into.
func TestMiddlewareListIsChecked(t *testing.T) {
	t.Parallel()
	const noName = "it has a prompt without a name"
	for _, test := range []struct{ list, log string }{
		{`{"prompts":[null]}`, noName},
		{`{"prompts":["a"]}`, noName},
		{`{"prompts":[[]]}`, noName},
		{`{"prompts":[{"name":"a"},{}]}`, noName},
		{`{"prompts":[{"name":null}]}`, noName},
		{`{"prompts":[{"name":7}]}`, noName},
		{`{"prompts":[{"Name":"a"}]}`, noName},
		{`{"prompts":[],"nextCursor":7}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextCursor":null}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextCursor":{}}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextCursor":""}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextcursor":"a"}`, `it has a member \"nextcursor\"`},
		{`{"prompts":[],"_meta":{}}`, `it has a member \"_meta\"`},
		{`{"prompts":[],"ttlMs":1}`, `it has a member \"ttlMs\"`},
	} {
		t.Run(test.list, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: instead(&Response{List: json.RawMessage(test.list)}, nil)})
			for session, line := range map[*Session]string{newSession(t, s): plainList, nil: envelopedLine("1", "prompts/list", "")} {
				got, err := handle(t, s, session, line)
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", CodeInternalError, listFailed), got)
			}
			assert.Equal(t, 2, strings.Count(j.String(), "the middleware's list: "+test.log))
		})
	}
}

// The server's own list, changed in place, is one of the middleware's.
func TestMiddlewareChangesTheListInPlace(t *testing.T) {
	t.Parallel()
	var change func(list json.RawMessage) json.RawMessage
	s := NewServer(registryOf(textPrompt("text", "hi")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		response, err := next(ctx, r)
		if err == nil {
			response.List = change(response.List)
		}
		return response, err
	})})
	session := newSession(t, s)
	for _, test := range []struct{ from, to, want string }{
		{`text`, `TEXT`, `{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"TEXT"}]}}`},
		{`name`, `Name`, errorLine("1", CodeInternalError, listFailed)},
		{`"text"`, "\"te\nt\"", errorLine("1", CodeInternalError, listFailed)},
		{`prompts`, `results`, errorLine("1", CodeInternalError, listFailed)},
		{`[{"name":"text"}]`, `[               ]`, emptyList},
	} {
		require.Len(t, test.to, len(test.from))
		change = func(list json.RawMessage) json.RawMessage {
			copy(list[strings.Index(string(list), test.from):], test.to)
			return list
		}
		got, err := handle(t, s, session, plainList)
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
	}
	for _, empty := range []json.RawMessage{nil, {}} {
		change = func(json.RawMessage) json.RawMessage { return empty }
		got, err := handle(t, s, session, plainList)
		require.NoError(t, err)
		assert.Equal(t, errorLine("1", CodeInternalError, listFailed), got)
	}
}

// CMP-05, CMP-06: there are more values if the total says so, however many are
// sent.
func TestMiddlewareKnowsOfMoreValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values, total int
		sent, says    int
		more          bool
	}{
		{0, 0, 0, 0, false}, {0, 1, 0, 1, true}, {1, 0, 1, 1, false}, {2, 2, 2, 2, false}, {2, 3, 2, 3, true},
		{99, 100, 99, 100, true}, {100, 100, 100, 100, false}, {100, 101, 100, 101, true}, {101, 0, 100, 101, true}, {101, 7, 100, 101, true},
	} {
		values := slices.Repeat([]string{"v"}, test.values)
		s := NewServer(nil, Options{Middleware: instead(&Response{Values: values, Total: test.total}, nil)})
		got, err := handle(t, s, newSession(t, s), completeLine("1", "p", "a", ""))
		require.NoError(t, err)
		want := strings.Join(slices.Repeat([]string{`"v"`}, test.sent), ",")
		assert.Equal(t, completionLine("1", want, test.says, test.more), got, "%d of %d", test.values, test.total)
	}
}

// PAG-03, PAG-06: a cursor is whatever the middleware makes of it. Next knows
// none but the server's, and without a middleware there is no other.
func TestMiddlewareHasItsOwnCursor(t *testing.T) {
	t.Parallel()
	const refused = `"error":{"code":-32602,"message":"cursor is not one that this server has given","data":{"param":"cursor"}}`
	owning := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		if r.Cursor == "page 2 \u2028" {
			return &Response{List: json.RawMessage(`{"prompts":[{"name":"mine"}]}`)}, nil
		}
		if r.Cursor == "" {
			return &Response{List: json.RawMessage(`{"prompts":[],"nextCursor":"page 2 \u2028"}`)}, nil
		}
		return next(ctx, r)
	})})
	passes := NewServer(traveller(), Options{Middleware: passing})
	plain := NewServer(traveller(), Options{})
	ask := func(s *Server, version, cursor string) string {
		t.Helper()
		var session *Session
		line := envelopedLine("1", "prompts/list", `"cursor":`+cursor)
		if version != "2026-07-28" {
			session, line = sessionIn(t, s, version), `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":`+cursor+`}}`
		}
		got, err := handle(t, s, session, line)
		require.NoError(t, err)
		return got
	}
	for _, version := range append(slices.Clone(handshakeVersions), "2026-07-28") {
		assert.Contains(t, ask(owning, version, "null"), `"nextCursor":"page 2 \u2028"`, version)
		assert.Contains(t, ask(owning, version, `"page 2 \u2028"`), `{"prompts":[{"name":"mine"}]`, version)
		for _, cursor := range []string{`"page 3"`, `"AQ"`, `""`} {
			assert.Contains(t, ask(owning, version, cursor), refused, "%s: next does not know %s", version, cursor)
			assert.Contains(t, ask(passes, version, cursor), refused, "%s: next does not know %s", version, cursor)
			assert.Contains(t, ask(plain, version, cursor), refused, "%s: nobody knows %s", version, cursor)
		}
	}
}

// Of several errors, one with a code, that errors.As finds first, is the
// client's.
func TestMiddlewareWhoseError(t *testing.T) {
	t.Parallel()
	own := &Error{Code: 7, Message: "own", Data: []int{7}}
	const theirs = `"code":-32602,"message":"there is no prompt \"none\"","data":{"prompt":"none"}`
	const ours = `"code":7,"message":"own","data":[7]`
	for name, test := range map[string]struct {
		make func(next error) error
		want string
	}{
		"passed on":                          {func(next error) error { return next }, theirs},
		"replaced":                           {func(error) error { return own }, ours},
		"replaced, with its text":            {func(next error) error { return fmt.Errorf("%v: %w", next, own) }, ours},
		"own before next's":                  {func(next error) error { return fmt.Errorf("%w: %w", own, next) }, ours},
		"next's before own":                  {func(next error) error { return fmt.Errorf("%w: %w", next, own) }, theirs},
		"joined, own first":                  {func(next error) error { return errors.Join(own, next) }, ours},
		"joined, next's first":               {func(next error) error { return errors.Join(next, own) }, theirs},
		"own without a code":                 {func(next error) error { return errors.Join(&Error{Message: "none"}, next) }, theirs},
		"own that is nil":                    {func(next error) error { return errors.Join((*Error)(nil), next) }, theirs},
		"a secret before it":                 {func(next error) error { return errors.Join(errDisk, next) }, theirs},
		"a secret instead":                   {func(error) error { return errDisk }, `"code":-32603,"message":"the prompt could not be rendered"`},
		"an argument is blamed besides":      {func(next error) error { return errors.Join(InvalidArgument("to", "is far"), next) }, theirs},
		"an argument is blamed instead":      {func(error) error { return InvalidArgument("to", "is far") }, `"code":-32602,"message":"to: is far","data":{"prompt":"none","problems":[{"argument":"to","reason":"refused","message":"is far"}]}`},
		"one that the revision has retired":  {func(next error) error { return errors.Join(&Error{Code: -32002, Message: "gone"}, next) }, `"code":-32002,"message":"gone"`},
		"one that is in another one as well": {func(next error) error { return errors.Join(fmt.Errorf("a: %w", own), fmt.Errorf("b: %w", next)) }, ours},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				_, err := next(ctx, r)
				return nil, test.make(err)
			})})
			got, err := handle(t, s, newSession(t, s), getLine("1", "none"))
			require.NoError(t, err)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+test.want+`}}`, got)
			got, err = handle(t, s, nil, envelopedGet("1", "none"))
			require.NoError(t, err)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+strings.Replace(test.want, "-32002", "-32602", 1)+`}}`, got)
		})
	}
}

// What next blames is not in the way of an error that takes its place.
func TestMiddlewareReplacesWhatIsBlamed(t *testing.T) {
	t.Parallel()
	s := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		_, err := next(ctx, r)
		return nil, errors.Join(&Error{Code: 7, Message: "seven"}, err)
	})})
	for session, line := range map[*Session]string{newSession(t, s): getLine("1", "blaming"), nil: envelopedGet("1", "blaming")} {
		got, err := handle(t, s, session, line)
		require.NoError(t, err)
		assert.Equal(t, errorLine("1", 7, "seven"), got)
	}
}

// What a middleware wraps around the error of next is for the author's log. To
// the client it makes no difference.
func TestMiddlewareTextInTheLog(t *testing.T) {
	t.Parallel()
	const refused, failed = `level=INFO msg="the request was refused"`, `level=ERROR msg="the prompt could not be rendered"`
	for _, test := range []struct{ prompt, asItIs, wrapped string }{
		{"none", "", refused},
		{"trip", "", refused},
		{"blaming", "", refused},
		{"refusing", refused, refused}, // it has a text of its own
		{"faulty", failed, failed},
	} {
		t.Run(test.prompt, func(t *testing.T) {
			t.Parallel()
			for _, wrap := range []bool{false, true} {
				var j journal
				s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
					_, err := next(ctx, r)
					if wrap {
						err = fmt.Errorf("of the tenant: %w", err)
					}
					return nil, err
				})})
				plain := NewServer(traveller(), Options{})
				got, err := handle(t, s, newSession(t, s), getLine("1", test.prompt))
				require.NoError(t, err)
				want, err := handle(t, plain, newSession(t, plain), getLine("1", test.prompt))
				require.NoError(t, err)
				assert.Equal(t, want, got)
				line := test.asItIs
				if wrap {
					line = test.wrapped
					assert.Contains(t, j.String(), `error="of the tenant: `)
				}
				if line == "" {
					assert.Empty(t, j.String())
				} else {
					assert.Contains(t, j.String(), line)
					assert.Equal(t, 1, strings.Count(j.String(), "level="))
				}
			}
		})
	}
}

// The cause of an error of next is within it: the author's own errors are, and
// what blames an argument.
func TestNextReturnsTheCause(t *testing.T) {
	t.Parallel()
	seven := &Error{Code: 7, Message: "seven"}
	for name, test := range map[string]struct {
		returned error
		is       []error
		seen     *Error // but for its data
	}{
		"a sentinel":                {errDisk, []error{errDisk}, internalError(renderFailed)},
		"wrapped":                   {fmt.Errorf("reading: %w", errDisk), []error{errDisk}, internalError(renderFailed)},
		"with what the client gets": {fmt.Errorf("%w: %w", errDisk, seven), []error{errDisk, seven}, seven},
		"an argument is blamed":     {errors.Join(errDisk, InvalidArgument("a", "is far")), []error{errDisk}, invalidParams("a: is far")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := completing("p", func(context.Context, string, map[string]string) ([]string, error) { return nil, test.returned })
			p.Render = func(context.Context, map[string]string) (*Result, error) { return nil, test.returned }
			var requests []Request
			var errs []error
			s := NewServer(registryOf(p), Options{Middleware: seeing(&requests, &errs)})
			session := newSession(t, s)
			for _, line := range []string{getLine("1", "p"), completeLine("1", "p", "a", "")} {
				errs = nil
				_, err := handle(t, s, session, line)
				require.NoError(t, err)
				require.Len(t, errs, 1)
				for _, want := range test.is {
					assert.ErrorIs(t, errs[0], want)
				}
				var e *Error
				require.ErrorAs(t, errs[0], &e)
				assert.Equal(t, test.seen.Code, e.Code)
				if test.seen.Message == renderFailed && line != getLine("1", "p") {
					assert.Equal(t, completeFailed, e.Message)
				} else {
					assert.Equal(t, test.seen.Message, e.Message)
				}
				assert.Equal(t, test.returned.Error(), errs[0].Error(), "the author's text is for the author")
			}
			var blame *argumentError
			assert.Equal(t, errors.As(test.returned, &blame), errors.As(errs[0], &blame))
		})
	}
}

// No text of a middleware's makes a message that is not UTF-8.
func TestMiddlewareWithTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	const replaced = "\ufffd"
	for name, test := range map[string]struct {
		line    string
		change  func(r *Request)
		own     error // instead of next
		message string
	}{
		"a prompt":                 {getLine("1", "text"), func(r *Request) { r.Prompt = "p\xff" }, nil, `there is no prompt "p` + replaced + `"`},
		"a prompt to complete":     {completeLine("1", "trip", "to", ""), func(r *Request) { r.Prompt = "p\xff" }, nil, `there is no prompt "p` + replaced + `"`},
		"an argument":              {getLine("1", "text"), func(r *Request) { r.Arguments["a\xff"] = "" }, nil, "a" + replaced + ": is not an argument of this prompt"},
		"one that is no string":    {getLine("1", "text"), func(r *Request) { r.NotStrings = []string{"a\xff"} }, nil, "a" + replaced + ": must be a string"},
		"an argument to complete":  {completeLine("1", "trip", "to", ""), func(r *Request) { r.Argument = "a\xff" }, nil, "a" + replaced + ": is not an argument of this prompt"},
		"a prompt that it refuses": {getLine("1", "text"), func(r *Request) { r.Prompt = "p\xff" }, InvalidArgument("a\xff", "is \xff"), "a" + replaced + ": is " + replaced},
		"a cursor":                 {plainList, func(r *Request) { r.Cursor = "\xff" }, nil, "cursor is not one that this server has given"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen *Error
			s := NewServer(traveller(), Options{StrictArguments: true, Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				test.change(r)
				if test.own != nil {
					return nil, test.own
				}
				response, err := next(ctx, r)
				assert.ErrorAs(t, err, &seen)
				return response, err
			})})
			got, err := handle(t, s, newSession(t, s), test.line)
			require.NoError(t, err)
			assert.True(t, utf8.ValidString(got), "%q", got)
			readOutcome(t, got).fails(t, CodeInvalidParams, test.message)
			if seen != nil {
				assert.Equal(t, test.message, seen.Message, "the middleware sees what the client gets")
				assert.True(t, utf8.ValidString(fmt.Sprint(seen.Data)), "%q", seen.Data)
			}
		})
	}
}

// An argument with an invalid name is none, where those that are not declared
// are left out.
func TestMiddlewareAddsAnArgumentThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	s := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		r.Arguments["a\xff"] = "x"
		return next(ctx, r)
	})})
	got, err := handle(t, s, newSession(t, s), getLine("1", "text"))
	require.NoError(t, err)
	assert.Equal(t, textLine("1", "hi"), got)
}

// The arguments that are no strings are there for the middleware to
// judge; those that it passes on are refused.
func TestMiddlewareJudgesWhatIsNoString(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments string
		change    func(r *Request)
		want      string
	}{
		"left alone":         {`{"to":"Rome","from":7,"x":[]}`, func(*Request) {}, "from: must be a string; x: must be a string"},
		"forgiven":           {`{"to":"Rome","from":7,"x":[]}`, func(r *Request) { r.NotStrings = nil }, textLine("1", " to Rome")},
		"forgiven, required": {`{"to":7}`, func(r *Request) { r.NotStrings = nil }, "to: is required"},
		"forgiven, one":      {`{"to":"Rome","from":7,"x":[]}`, func(r *Request) { r.NotStrings = []string{"x"} }, "x: must be a string"},
		"replaced":           {`{"to":7,"from":7}`, func(r *Request) { r.Arguments["to"], r.Arguments["from"] = "Rome", "Ulm" }, textLine("1", "Ulm to Rome")},
		"added":              {`{"to":"Rome"}`, func(r *Request) { r.NotStrings = append(r.NotStrings, "from") }, "from: must be a string"},
		"given as well":      {`{"to":"Rome"}`, func(r *Request) { r.NotStrings = append(r.NotStrings, "to") }, textLine("1", " to Rome")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				test.change(r)
				return next(ctx, r)
			})})
			got, err := handle(t, s, newSession(t, s), `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":`+test.arguments+`}}`)
			require.NoError(t, err)
			assert.Contains(t, got, test.want)
		})
	}
}

// A middleware may blame an argument as a render function does.
func TestMiddlewareBlamesAnArgument(t *testing.T) {
	t.Parallel()
	const problem = `{"argument":"to","reason":"refused","message":"is too far"}`
	for name, test := range map[string]struct {
		err           error
		message, more string // of problems
		log           string
	}{
		"one":     {InvalidArgument("to", "is too far"), "to: is too far", "", ""},
		"wrapped": {fmt.Errorf("of the tenant: %w", InvalidArgument("to", "is too far")), "to: is too far", "", "of the tenant: to: is too far"},
		"several": {errors.Join(InvalidArgument("to", "is too far"), InvalidArgument("from", "is too near")), "to: is too far; from: is too near",
			`,{"argument":"from","reason":"refused","message":"is too near"}`, ""},
		"and a secret": {errors.Join(InvalidArgument("to", "is too far"), errDisk), "to: is too far", "", errDisk.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: instead(nil, test.err)})
			for session, lines := range map[*Session][]string{
				newSession(t, s): {getLine("1", "trip"), completeLine("1", "trip", "to", "")},
				nil:              {envelopedGet("1", "trip"), envelopedLine("1", "completion/complete", completeParamsOf("trip", "to", ""))},
			} {
				for _, line := range lines {
					got, err := handle(t, s, session, line)
					require.NoError(t, err)
					assert.JSONEq(t, `{"prompt":"trip","problems":[`+problem+test.more+`]}`, readOutcome(t, got).fails(t, CodeInvalidParams, test.message))
				}
			}
			if test.log == "" {
				assert.Empty(t, j.String())
			} else {
				assert.Equal(t, 4, strings.Count(j.String(), "level=INFO"))
				assert.Contains(t, j.String(), test.log)
			}
		})
	}
}

// JRP-27: what is wrong with one request of a batch is the matter of no other.
func TestMiddlewareFailsInABatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var shared *Response
		var once sync.Once
		s := NewServer(registryOf(textPrompt("text", "hi"), rendered("panics", func(context.Context) (*Result, error) { panic("a secret") })), Options{
			Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				switch r.Prompt {
				case "goexit":
					runtime.Goexit()
				case "refused":
					return nil, &Error{Code: 7, Message: "seven"}
				case "late":
					time.Sleep(time.Second) // on the clock of the bubble
				case "shared":
					r.Prompt = "text"
					once.Do(func() { shared, _ = next(ctx, r) })
					return shared, nil
				}
				o := atOnce(ctx, 2, r, next)[1]
				return o.response, o.err
			}),
		})
		c := connect(t, s).handshakeIn(batchVersion)
		c.send(batchLine(
			getLine("1", "text"), getLine("2", "panics"), getLine("3", "goexit"), getLine("4", "refused"), getLine("5", "late"),
			getLine("6", "shared"), getLine("7", "shared"), cancelLine("99"), pingLine("8"),
		))
		time.Sleep(time.Second)
		got := c.received()
		require.Len(t, got, 1)
		const failed = "the prompt could not be rendered"
		assert.ElementsMatch(t, []string{
			textLine("1", "hi"), errorLine("2", CodeInternalError, failed), errorLine("3", CodeInternalError, failed), errorLine("4", 7, "seven"),
			errorLine("5", CodeInvalidParams, `there is no prompt "late"`), textLine("6", "hi"), textLine("7", "hi"), pongLine("8"),
		}, withoutData(t, elements(t, got[0])))
		assert.NoError(t, c.end())
		assert.Zero(t, s.limit.tasks.Load())
	})
}

// withoutData returns the messages without the data of errors.
func withoutData(t testing.TB, msgs []string) []string {
	t.Helper()
	var all []string
	for _, msg := range msgs {
		if o := readOutcome(t, msg); o.Error != nil {
			msg = errorLine(string(o.ID), o.Error.Code, o.Error.Message)
		}
		all = append(all, msg)
	}
	return all
}
