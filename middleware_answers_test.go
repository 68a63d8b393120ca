package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A middleware may answer itself: nothing else is asked then.
func TestMiddlewareAnswersItself(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprint(i))
	}
	quoted := `"` + strings.Join(many[:100], `","`) + `"`
	for _, test := range []struct {
		name, method, params string
		response             *prompts.Response
		want, stateless      string // results
	}{
		{"a prompt", "prompts/get", `"name":"none"`, &prompts.Response{Result: &prompts.Result{Description: "d", Messages: []prompts.Message{prompts.Assistant("a")}}},
			`{"description":"d","messages":[{"role":"assistant","content":{"type":"text","text":"a"}}]}`,
			`{"resultType":"complete","description":"d","messages":[{"role":"assistant","content":{"type":"text","text":"a"}}],"_meta":{` + ownIdentity + `}}`},
		{"no values", "completion/complete", completeParamsOf("none", "x", ""), &prompts.Response{},
			`{"completion":{"values":[],"total":0,"hasMore":false}}`, `{"resultType":"complete","completion":{"values":[],"total":0,"hasMore":false},"_meta":{` + ownIdentity + `}}`},
		{"values", "completion/complete", completeParamsOf("none", "x", ""), &prompts.Response{Values: []string{"a", "<b>"}, Total: 1},
			`{"completion":{"values":["a","<b>"],"total":2,"hasMore":false}}`, `{"resultType":"complete","completion":{"values":["a","<b>"],"total":2,"hasMore":false},"_meta":{` + ownIdentity + `}}`},
		{"a total that is none", "completion/complete", completeParamsOf("none", "x", ""), &prompts.Response{Values: []string{"a"}, Total: -7},
			`{"completion":{"values":["a"],"total":1,"hasMore":false}}`, `{"resultType":"complete","completion":{"values":["a"],"total":1,"hasMore":false},"_meta":{` + ownIdentity + `}}`},
		// CMP-05
		{"more values than there may be", "completion/complete", completeParamsOf("none", "x", ""), &prompts.Response{Values: append(slices.Clone(many[:149]), "\xff")},
			`{"completion":{"values":[` + quoted + `],"total":150,"hasMore":true}}`, `{"resultType":"complete","completion":{"values":[` + quoted + `],"total":150,"hasMore":true},"_meta":{` + ownIdentity + `}}`},
		{"and even more", "completion/complete", completeParamsOf("none", "x", ""), &prompts.Response{Values: many[:100], Total: 1000},
			`{"completion":{"values":[` + quoted + `],"total":1000,"hasMore":true}}`, `{"resultType":"complete","completion":{"values":[` + quoted + `],"total":1000,"hasMore":true},"_meta":{` + ownIdentity + `}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			visible := func(context.Context, prompts.Prompt) bool { t.Error("the prompts were looked at"); return true }
			s := prompts.NewServer(traveller(), prompts.Options{Visible: visible, CacheTTL: time.Minute, Middleware: instead(test.response, nil)})
			for _, version := range handshakeVersions {
				got, err := handle(t, s, sessionIn(t, s, version), `{"jsonrpc":"2.0","id":1,"method":"`+test.method+`","params":{`+test.params+`}}`)
				require.NoError(t, err)
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+test.want+`}`, got, version)
			}
			got, err := handle(t, s, nil, envelopedLine("1", test.method, test.params))
			require.NoError(t, err)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+test.stateless+`}`, got)
		})
	}
}

// What a middleware answers with is checked before a byte is sent. The client
// does not get to know more, the author does.
func TestMiddlewareAnswersAmiss(t *testing.T) {
	t.Parallel()
	get, complete := getLine("1", "text"), completeLine("1", "trip", "to", "")
	const notListed, notRendered, notValid, notCompleted = "the prompts could not be listed", "the prompt could not be rendered",
		"the prompt's content is not valid", "the argument could not be completed"
	for _, test := range []struct {
		name, line string
		response   *prompts.Response
		message    string
		log        string
	}{
		{"no list", plainList, nil, notListed, "neither a response nor an error"},
		{"no result", get, nil, notRendered, "neither a response nor an error"},
		{"no values", complete, nil, notCompleted, "neither a response nor an error"},
		{"a response without a list", plainList, &prompts.Response{}, notListed, "not one that next returned"},
		{"one that is for a prompt", plainList, &prompts.Response{Result: prompts.Messages()}, notListed, "not one that next returned"},
		{"a response without a result", get, &prompts.Response{}, notValid, "neither a result nor an error"},
		{"one that is for a completion", get, &prompts.Response{Values: []string{"a"}}, notValid, "neither a result nor an error"},
		{"a role that is none", get, &prompts.Response{Result: prompts.Messages(prompts.Message{Role: "system", Content: prompts.Text{Text: "x"}})}, notValid, "neither"},
		{"content that is nil", get, &prompts.Response{Result: prompts.Messages(prompts.Message{Role: prompts.RoleUser})}, notValid, "content is nil"},
		{"content that is not UTF-8", get, &prompts.Response{Result: prompts.Messages(prompts.User("\xff"))}, notValid, "UTF-8"},
		{"a value that is not UTF-8", complete, &prompts.Response{Values: []string{"a", "\xff"}}, notCompleted, "value 1 is not valid UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: instead(test.response, nil)})
			got, err := handle(t, s, newSession(t, s), test.line)
			require.NoError(t, err)
			assert.Equal(t, errorLine("1", prompts.CodeInternalError, test.message), got)
			assert.Contains(t, j.String(), test.log)
			assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"))
		})
	}
}

// What a middleware passes on is what counts: another prompt, other arguments,
// in the request that it has got or in another one.
func TestMiddlewareChangesTheRequest(t *testing.T) {
	t.Parallel()
	trip := `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome","from":"Ulm"}}}`
	seven := `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":7}}}`
	for _, test := range []struct {
		name, line string
		change     func(r *prompts.Request)
		want       string
	}{
		{"another prompt", trip, func(r *prompts.Request) { r.Prompt = "text" }, textLine("1", "hi")},
		{"one that there is not", trip, func(r *prompts.Request) { r.Prompt = "none" }, `there is no prompt \"none\"`},
		{"one that is hidden", trip, func(r *prompts.Request) { r.Prompt = "hidden" }, `there is no prompt \"hidden\"`},
		{"another argument", trip, func(r *prompts.Request) { r.Arguments["from"] = "Bonn" }, textLine("1", "Bonn to Rome")},
		{"an argument less", trip, func(r *prompts.Request) { delete(r.Arguments, "from") }, textLine("1", " to Rome")},
		{"without one that is required", trip, func(r *prompts.Request) { delete(r.Arguments, "to") }, `to: is required`},
		{"without any", trip, func(r *prompts.Request) { r.Arguments = nil }, `to: is required`},
		{"other arguments", trip, func(r *prompts.Request) { r.Arguments = map[string]string{"to": "Oslo"} }, textLine("1", " to Oslo")},
		{"one for a value that is no string", seven, func(r *prompts.Request) { r.Arguments["to"] = "seven" }, textLine("1", " to seven")},
		{"another one than that", seven, func(r *prompts.Request) { r.Arguments["from"] = "Ulm" }, `to: must be a string`},
		{"one that the prompt has not", trip, func(r *prompts.Request) { r.Arguments["via"] = "Bern" }, textLine("1", "Ulm to Rome")},
		{"another page", plainList, func(r *prompts.Request) { r.Cursor = cursorAfter("text") }, `"result":{"prompts":[{"name":"trip"`},
		{"a page that there is not", plainList, func(r *prompts.Request) { r.Cursor = "AQ" }, `"code":-32602,"message":"cursor is not one that this server has given","data":{"param":"cursor"}`},
		{"another prefix", completeLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Prefix = "Gno" }, completionLine("1", `"Gnome"`, 1, false)},
		{"another argument to complete", completeLine("1", "trip", "x", "Ro"), func(r *prompts.Request) { r.Argument = "to" }, completionLine("1", `"Rome"`, 1, false)},
		{"one that there is not", completeLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Argument = "x" }, `x: is not an argument of this prompt`},
		{"another prompt to complete", completeLine("1", "none", "to", "Ro"), func(r *prompts.Request) { r.Prompt = "trip" }, completionLine("1", `"Rome"`, 1, false)},
		{"more arguments to complete by", completeLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Arguments["from"] = "Ulm" }, completionLine("1", `"Rome","Ulm"`, 2, false)},
		{"none at all", completeLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Arguments = nil }, completionLine("1", `"Rome"`, 1, false)},
		// What says who asks, and how, is the server's to know.
		{"another client", trip, func(r *prompts.Request) {
			r.Version, r.Principal, r.Client, r.Meta = "2026-07-28", "root", prompts.Implementation{Name: "root"}, json.RawMessage("{")
		}, textLine("1", "Ulm to Rome")},
		{"what is of another method", trip, func(r *prompts.Request) { r.Cursor, r.Argument, r.Prefix = "AQ", "x", "\xff" }, textLine("1", "Ulm to Rome")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, inPlace := range []bool{true, false} {
				s := prompts.NewServer(traveller(), prompts.Options{Visible: exceptHidden, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					if !inPlace {
						other := *r
						r = &other
					}
					test.change(r)
					return next(ctx, r)
				})})
				got, err := handle(t, s, newSession(t, s), test.line)
				require.NoError(t, err)
				assert.Contains(t, got, test.want)
			}
		})
	}
}

// With StrictArguments an argument that the middleware has added counts too.
func TestMiddlewareAndStrictArguments(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(traveller(), prompts.Options{StrictArguments: true, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		delete(r.Arguments, "mine")
		for _, name := range []string{"z", "y", "x", "w"} {
			if r.Prompt == "trip" {
				r.Arguments[name] = "1"
			}
		}
		return next(ctx, r)
	})})
	session := newSession(t, s)
	got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"text","arguments":{"mine":"1"}}}`)
	require.NoError(t, err)
	assert.Equal(t, textLine("1", "hi"), got, "it was for the middleware")
	const unknown = " is not an argument of this prompt"
	got, err = handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome","v":1}}}`)
	require.NoError(t, err)
	readOutcome(t, got).fails(t, prompts.CodeInvalidParams, "v: must be a string; w:"+unknown+"; x:"+unknown+"; y:"+unknown+"; z:"+unknown)
}

// JRP-23, JRP-24: a middleware's error is the client's if there is an Error in
// it, with any code but those that the revision does not allow. Any other is a
// secret.
func TestMiddlewareErrors(t *testing.T) {
	t.Parallel()
	const secret = "the prompt could not be rendered"
	coded := func(code prompts.Code) error { return &prompts.Error{Code: code, Message: "<m>"} }
	for _, test := range []struct {
		name    string
		err     error
		code    prompts.Code
		late    prompts.Code // in 2026-07-28, if it is another one
		message string
		log     string // empty for nothing
	}{
		{"a code of its own", coded(7), 7, 0, "<m>", ""},
		{"a negative one", coded(-31999), -31999, 0, "<m>", ""},
		{"invalid params", coded(prompts.CodeInvalidParams), prompts.CodeInvalidParams, 0, "<m>", ""},
		{"an internal error", coded(prompts.CodeInternalError), prompts.CodeInternalError, 0, "<m>", ""},
		{"no such method", coded(prompts.CodeMethodNotFound), prompts.CodeMethodNotFound, 0, "<m>", ""},
		{"a code of the implementation", coded(-32000), -32000, 0, "<m>", ""},
		{"a retired code", coded(-32002), -32002, prompts.CodeInvalidParams, "<m>", ""},
		{"a reserved code", coded(-32023), -32023, prompts.CodeInternalError, "<m>", ""},
		{"the last one", coded(-32099), -32099, prompts.CodeInternalError, "<m>", ""},
		{"one below", coded(-32100), -32100, 0, "<m>", ""},
		{"no code", coded(0), prompts.CodeInternalError, 0, secret, "<m>"},
		{"a nil Error", error((*prompts.Error)(nil)), prompts.CodeInternalError, 0, secret, "level=ERROR"},
		{"wrapped", fmt.Errorf("of the tenant: %w", coded(7)), 7, 0, "<m>", "of the tenant"},
		{"joined", errors.Join(errDisk, coded(7)), 7, 0, "<m>", errDisk.Error()},
		{"plain", errDisk, prompts.CodeInternalError, 0, secret, errDisk.Error()},
		{"a question that nobody has asked", prompts.ErrInputRequired, prompts.CodeInternalError, 0, secret, prompts.ErrInputRequired.Error()},
		{"one that ends a context that has not ended", context.Canceled, prompts.CodeInternalError, 0, secret, context.Canceled.Error()},
		{"a message that is not UTF-8", &prompts.Error{Code: 7, Message: "\xff"}, 7, 0, "\ufffd", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, swallow := range []bool{true, false} { // it has called next, or not
				var j journal
				s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					if swallow {
						_, err := next(ctx, r)
						assert.Error(t, err)
					}
					return &prompts.Response{Result: prompts.Messages(prompts.User("never"))}, test.err
				})})
				got, err := handle(t, s, newSession(t, s), getLine("1", "faulty"))
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", test.code, test.message), got)
				code := test.code
				if test.late != 0 {
					code = test.late
				}
				got, err = handle(t, s, nil, envelopedGet("1", "faulty"))
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", code, test.message), got)
				if test.log == "" {
					assert.Empty(t, j.String())
				} else {
					assert.Contains(t, j.String(), test.log)
				}
			}
		})
	}
}

// Each method has its own word for a failure that is a secret.
func TestMiddlewareSecrets(t *testing.T) {
	t.Parallel()
	for line, message := range map[string]string{
		plainList:                           "the prompts could not be listed",
		getLine("1", "text"):                "the prompt could not be rendered",
		completeLine("1", "trip", "to", ""): "the argument could not be completed",
	} {
		var j journal
		s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: instead(nil, errDisk)})
		got, err := handle(t, s, newSession(t, s), line)
		require.NoError(t, err)
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, message), got)
		assert.Contains(t, j.String(), errDisk.Error())
	}
}

// An error of next that is wrapped is still that error, for the client.
func TestMiddlewareWrapsTheErrorOfNext(t *testing.T) {
	t.Parallel()
	wrap := prompts.NewServer(traveller(), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		_, err := next(ctx, r)
		return nil, fmt.Errorf("of the tenant: %w", errors.Join(errDisk, err))
	})})
	plain := prompts.NewServer(traveller(), prompts.Options{})
	for _, line := range []string{getLine("1", "none"), getLine("1", "trip"), getLine("1", "refusing"), getLine("1", "faulty"), completeLine("1", "none", "x", "")} {
		got, err := handle(t, wrap, newSession(t, wrap), line)
		require.NoError(t, err)
		want, err := handle(t, plain, newSession(t, plain), line)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// A failure may become an answer.
func TestMiddlewareSwallowsAnError(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		response, err := next(ctx, r)
		if err != nil {
			return &prompts.Response{Result: prompts.Messages(prompts.User("instead"))}, nil
		}
		return response, nil
	})})
	session := newSession(t, s)
	for _, prompt := range []string{"none", "faulty", "refusing", "trip"} {
		got, err := handle(t, s, session, getLine("1", prompt))
		require.NoError(t, err)
		assert.Equal(t, textLine("1", "instead"), got)
	}
	assert.Empty(t, j.String(), "it is the middleware's now")
	got, err := handle(t, s, session, getLine("1", "empty"))
	require.NoError(t, err)
	assert.Equal(t, errorLine("1", prompts.CodeInternalError, "the prompt's content is not valid"), got, "a result is checked last")
}
