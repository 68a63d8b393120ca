package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// instead is one that answers itself.
func instead(r *prompts.Response, err error) func(prompts.Handler) prompts.Handler {
	return servertest.Around(func(context.Context, *prompts.Request, prompts.Handler) (*prompts.Response, error) { return r, err })
}

const (
	plainList   = `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`
	tracedMeta  = `"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`
	clientOfEra = `"io.modelcontextprotocol/clientInfo":{"name":"browser","version":"9","title":"Browser"}`
)

// A middleware that passes everything on changes no byte of what a server sends,
// in any of the recorded sessions but that of a server that is busy (see
// TestMiddlewareTakesASlot). This looks at what is global, so it is not parallel.
func TestMiddlewareThatPassesOn(t *testing.T) {
	if *servertest.Update {
		return
	}
	const suffix = "_passing"
	add := func(name string, o prompts.Options, registry func() *prompts.Registry) {
		o.Middleware = servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			response, err := next(ctx, r)
			if err != nil {
				return nil, err
			}
			again := *response // as one that comes from elsewhere
			return &again, nil
		})
		goldenServers[name+suffix], goldenRegistries[name+suffix] = o, registry
		t.Cleanup(func() {
			delete(goldenServers, name+suffix)
			delete(goldenRegistries, name+suffix)
		})
	}
	names := map[string]prompts.Options{"": {}}
	for name, o := range goldenServers {
		names[name] = o
	}
	for name, o := range names {
		add(name, o, goldenRegistries[name])
	}
	files, err := filepath.Glob("testdata/sessions/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		if filepath.Base(file) == "busy.txt" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			lines := strings.Split(string(raw), "\n")
			chosen := false
			for i, line := range lines {
				if strings.HasPrefix(line, "# server: ") {
					lines[i], chosen = line+suffix, true
				}
			}
			if !chosen {
				lines = append([]string{"# server: " + suffix}, lines...)
			}
			synctest.Test(t, func(t *testing.T) { play(t, file, strings.Join(lines, "\n")) })
		})
	}
}

// A middleware needs a slot to run, also for a list.
func TestMiddlewareTakesASlot(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		w := servertest.NewWaiter()
		o := prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Middleware: servertest.Passing}
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), o)).Handshake()
		assert.Empty(t, c.Ask(servertest.GetLine("2", "wait")))
		assert.Empty(t, c.Ask(plainList))
		w.Let <- struct{}{}
		assert.ElementsMatch(t, []string{servertest.TextLine("2", "let go"), `{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"wait"}]}}`}, c.Received())
	})
}

// traveller is a server of a prompt with arguments, one that asks, one that is
// hidden, and three that fail.
func traveller() *prompts.Registry {
	return servertest.RegistryOf(
		servertest.TextPrompt("text", "hi"),
		prompts.Prompt{
			Name: "trip", Arguments: []prompts.Argument{
				{Name: "to", Required: true, Complete: func(_ context.Context, prefix string, others map[string]string) ([]string, error) {
					return []string{prefix + "me", others["from"]}, nil
				}},
				{Name: "from"},
			},
			Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.User(args["from"] + " to " + args["to"])), nil
			},
		},
		servertest.Asking("paint"),
		servertest.Rendered("hidden", func(context.Context) (*prompts.Result, error) { return prompts.Messages(), nil }),
		servertest.Rendered("faulty", func(context.Context) (*prompts.Result, error) { return nil, servertest.ErrDisk }),
		servertest.Completing("lost", func(context.Context, string, map[string]string) ([]string, error) { return nil, servertest.ErrDisk }),
		servertest.Rendered("refusing", func(context.Context) (*prompts.Result, error) {
			return nil, fmt.Errorf("for the log: %w", &prompts.Error{Code: 7, Message: "seven", Data: []int{7}})
		}),
		servertest.Rendered("blaming", func(context.Context) (*prompts.Result, error) {
			return nil, prompts.InvalidArgument("to", "is too far")
		}),
		servertest.Rendered("empty", func(context.Context) (*prompts.Result, error) { return nil, nil }),
	)
}

func exceptHidden(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil }

// What a middleware sees of a request in each revision: what the client has
// sent, before anything of it has been looked up.
func TestMiddlewareSeesTheRequest(t *testing.T) {
	t.Parallel()
	for _, version := range append(slices.Clone(servertest.HandshakeVersions), "2026-07-28") {
		for _, row := range servertest.Table(t, "middleware_requests", 3) {
			var requests []prompts.Request
			var errs []error
			s := prompts.MustNewServer(traveller(), prompts.Options{
				Visible: exceptHidden, Principal: func(context.Context) (string, error) { return "ada", nil },
				Middleware: servertest.Seeing(&requests, &errs),
			})
			want, meta := prompts.Request{Method: row[0], Version: version, Principal: "ada", ID: "1"}, tracedMeta
			require.NoError(t, json.Unmarshal([]byte(row[2]), &want))
			var session transport.Session
			if version == "2026-07-28" {
				meta = strings.TrimSuffix(strings.TrimPrefix(servertest.BareEnvelope, `"_meta":{`), "}") + "," + clientOfEra + "," + tracedMeta
				want.Client = prompts.Implementation{Name: "browser", Version: "9", Title: "Browser"}
			} else {
				session = servertest.SessionIn(t, s, version)
				want.Client = prompts.Implementation{Name: "tester", Version: "1"}
			}
			want.Meta = json.RawMessage("{" + meta + "}")
			members := row[1]
			if members != "" {
				members += ","
			}
			servertest.AnswerTo(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"`+row[0]+`","params":{`+members+`"_meta":{`+meta+`}}}`)
			require.Len(t, requests, 1)
			assert.Equal(t, session != nil, requests[0].SessionID != "")
			want.SessionID = requests[0].SessionID
			assert.Equal(t, []prompts.Request{want}, requests, row[1])
		}
	}
}

// The error that a middleware gets from next is the client's, and wraps the cause, which
// the client does not get.
func TestMiddlewareSeesTheOutcome(t *testing.T) {
	t.Parallel()
	plain := prompts.MustNewServer(traveller(), prompts.Options{Visible: exceptHidden})
	for line, cause := range map[string]error{
		servertest.GetLine("1", "none"):     nil,
		servertest.GetLine("1", "hidden"):   nil,
		servertest.GetLine("1", "trip"):     nil, // an argument is missing
		servertest.GetLine("1", "blaming"):  nil,
		servertest.GetLine("1", "refusing"): nil,
		servertest.GetLine("1", "faulty"):   servertest.ErrDisk,
		servertest.GetLine("1", "paint"):    nil, // the client cannot be asked
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome","x":7,"from":[]}}}`: nil,
		servertest.EnvelopedGet("1", "paint"):            nil,
		servertest.CompleteLine("1", "none", "to", ""):   nil,
		servertest.CompleteLine("1", "hidden", "to", ""): nil,
		servertest.CompleteLine("1", "trip", "x", ""):    nil,
		servertest.CompleteLine("1", "lost", "a", ""):    servertest.ErrDisk,
	} {
		var requests []prompts.Request
		var errs []error
		s := prompts.MustNewServer(traveller(), prompts.Options{Visible: exceptHidden, Middleware: servertest.Seeing(&requests, &errs)})
		got := servertest.AnswerTo(t, s, servertest.NewSession(t, s), line)
		assert.Equal(t, servertest.AnswerTo(t, plain, servertest.NewSession(t, plain), line), got)
		require.Len(t, errs, 1)
		var e *prompts.Error
		require.ErrorAs(t, errs[0], &e)
		assert.Equal(t, got, servertest.ErrorResponse("1", servertest.NeutralError(e)))
		if cause != nil {
			assert.ErrorIs(t, errs[0], cause)
			assert.Equal(t, cause.Error(), errs[0].Error(), "the application's text")
		}
	}
}

// A middleware may answer itself: nothing else is asked then.
func TestMiddlewareAnswersItself(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprint(i))
	}
	quoted := `"` + strings.Join(many[:100], `","`) + `"`
	completion := func(values string, total int, more bool) string {
		return fmt.Sprintf(`"completion":{"values":[%s],"total":%d,"hasMore":%t}`, values, total, more)
	}
	const get, complete = "prompts/get", "completion/complete"
	for _, test := range []struct {
		method   string
		response prompts.Response
		want     string // members of the result
	}{
		{get, prompts.Response{Result: &prompts.Result{Description: "d", Messages: []prompts.Message{prompts.Assistant("a")}}},
			`"description":"d","messages":[{"role":"assistant","content":{"type":"text","text":"a"}}]`},
		{complete, prompts.Response{}, completion("", 0, false)},
		{complete, prompts.Response{Values: []string{"a", "<b>"}, Total: 1}, completion(`"a","<b>"`, 2, false)},
		{complete, prompts.Response{Values: []string{"a"}, Total: -7}, completion(`"a"`, 1, false)},
		// CMP-05
		{complete, prompts.Response{Values: append(slices.Clone(many[:149]), "\xff")}, completion(quoted, 150, true)},
		{complete, prompts.Response{Values: many[:100], Total: 1000}, completion(quoted, 1000, true)},
	} {
		visible := func(context.Context, prompts.Prompt) (bool, error) {
			t.Error("the prompts were looked at")
			return true, nil
		}
		s := prompts.MustNewServer(traveller(), prompts.Options{Visible: visible, Middleware: instead(&test.response, nil)})
		params := map[string]string{get: `"name":"none"`, complete: servertest.CompleteParamsOf("none", "x", "")}[test.method]
		got := servertest.AnswerTo(t, s, servertest.NewSession(t, s), `{"jsonrpc":"2.0","id":1,"method":"`+test.method+`","params":{`+params+`}}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{`+test.want+`}}`, got)
		got = servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", test.method, params))
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+test.want+`,"_meta":{`+servertest.OwnIdentity+`}}}`, got)
	}
}

// An invalid response of a middleware, or an invalid call of next, is an internal error
// to the client and described in the log. The next request is answered as well.
func TestMiddlewareAnswersAmiss(t *testing.T) {
	t.Parallel()
	get, complete := servertest.GetLine("1", "text"), servertest.CompleteLine("1", "trip", "to", "")
	var theirs prompts.Handler
	prompts.MustNewServer(traveller(), prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler { theirs = next; return next }})
	for _, test := range []struct {
		line       string
		middleware func(prompts.Handler) prompts.Handler
		message    string
		log        string
	}{
		{plainList, instead(nil, nil), servertest.ListFailed, "neither a response nor an error"},
		{get, instead(nil, nil), servertest.RenderFailed, "neither a response nor an error"},
		{complete, instead(nil, nil), servertest.CompleteFailed, "neither a response nor an error"},
		{plainList, instead(&prompts.Response{}, nil), servertest.ListFailed, "not from next"},
		{plainList, instead(&prompts.Response{Result: prompts.Messages()}, nil), servertest.ListFailed, "not from next"},
		{get, instead(&prompts.Response{}, nil), servertest.InvalidResult, "neither a result nor an error"},
		{get, instead(&prompts.Response{Result: prompts.Messages(prompts.Message{Role: "system", Content: &prompts.Text{Text: "x"}})}, nil), servertest.InvalidResult, "unknown role"},
		{complete, instead(&prompts.Response{Values: []string{"a", "\xff"}}, nil), servertest.CompleteFailed, "value 2 is not valid UTF-8"},
		{get, servertest.Around(func(ctx context.Context, _ *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(ctx, nil)
		}), servertest.RenderFailed, "the request must keep the method prompts/get"},
		{get, servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			r.Method = "prompts/list"
			return next(ctx, r)
		}), servertest.RenderFailed, "the request must keep the method prompts/get"},
		{get, servertest.Around(func(_ context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(context.Background(), r)
		}), servertest.RenderFailed, "ctx does not come from"},
		{get, servertest.Around(func(ctx context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
			return theirs(ctx, r)
		}), servertest.RenderFailed, "ctx does not come from"},
	} {
		var j servertest.Journal
		s := prompts.MustNewServer(traveller(), prompts.Options{Logger: j.Logger(), Middleware: test.middleware})
		session := servertest.NewSession(t, s)
		for range 2 {
			assert.Equal(t, servertest.ErrorLine("1", prompts.CodeInternalError, test.message), servertest.AnswerTo(t, s, session, test.line))
		}
		assert.Equal(t, 2, strings.Count(j.String(), test.log), test.log)
		assert.Equal(t, 2, strings.Count(j.String(), "level=ERROR"), test.log)
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
		{"another prompt", trip, func(r *prompts.Request) { r.Prompt = "text" }, servertest.TextLine("1", "hi")},
		{"one that there is not", trip, func(r *prompts.Request) { r.Prompt = "none" }, `unknown prompt \"none\"`},
		{"one that is hidden", trip, func(r *prompts.Request) { r.Prompt = "hidden" }, `unknown prompt \"hidden\"`},
		{"another argument", trip, func(r *prompts.Request) { r.Arguments["from"] = "Bonn" }, servertest.TextLine("1", "Bonn to Rome")},
		{"an argument less", trip, func(r *prompts.Request) { delete(r.Arguments, "from") }, servertest.TextLine("1", " to Rome")},
		{"without one that is required", trip, func(r *prompts.Request) { delete(r.Arguments, "to") }, "to is required"},
		{"without any", trip, func(r *prompts.Request) { r.Arguments = nil }, "to is required"},
		{"other arguments", trip, func(r *prompts.Request) { r.Arguments = map[string]string{"to": "Oslo"} }, servertest.TextLine("1", " to Oslo")},
		{"one for a value that is no string", seven, func(r *prompts.Request) { r.Arguments["to"] = "seven" }, servertest.TextLine("1", " to seven")},
		{"another one than that", seven, func(r *prompts.Request) { r.Arguments["from"] = "Ulm" }, `to must be a JSON string`},
		{"one that the prompt has not", trip, func(r *prompts.Request) { r.Arguments["via"] = "Bern" }, servertest.TextLine("1", "Ulm to Rome")},
		{"another page", plainList, func(r *prompts.Request) { r.Cursor = servertest.CursorAfter("text") }, `"result":{"prompts":[{"name":"trip"`},
		{"a page that there is not", plainList, func(r *prompts.Request) { r.Cursor = "AQ" }, `"code":-32602,"message":"invalid cursor; use nextCursor from a prompts/list response, or omit it to start over","data":{"param":"cursor"}`},
		{"another prefix", servertest.CompleteLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Prefix = "Gno" }, servertest.CompletionLine("1", `"Gnome"`, 1, false)},
		{"another argument to complete", servertest.CompleteLine("1", "trip", "x", "Ro"), func(r *prompts.Request) { r.Argument = "to" }, servertest.CompletionLine("1", `"Rome"`, 1, false)},
		{"an argument to complete that there is not", servertest.CompleteLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Argument = "x" }, "x is not an argument of this prompt"},
		{"another prompt to complete", servertest.CompleteLine("1", "none", "to", "Ro"), func(r *prompts.Request) { r.Prompt = "trip" }, servertest.CompletionLine("1", `"Rome"`, 1, false)},
		{"more arguments to complete by", servertest.CompleteLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Arguments["from"] = "Ulm" }, servertest.CompletionLine("1", `"Rome","Ulm"`, 2, false)},
		{"none at all", servertest.CompleteLine("1", "trip", "to", "Ro"), func(r *prompts.Request) { r.Arguments = nil }, servertest.CompletionLine("1", `"Rome"`, 1, false)},
		// What says who asks, and how, is the server's to know.
		{"another client", trip, func(r *prompts.Request) {
			r.Version, r.Principal, r.Client, r.Meta = "2026-07-28", "root", prompts.Implementation{Name: "root"}, json.RawMessage("{")
		}, servertest.TextLine("1", "Ulm to Rome")},
		{"what is of another method", trip, func(r *prompts.Request) { r.Cursor, r.Argument, r.Prefix = "AQ", "x", "\xff" }, servertest.TextLine("1", "Ulm to Rome")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, inPlace := range []bool{true, false} {
				s := prompts.MustNewServer(traveller(), prompts.Options{Visible: exceptHidden, Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					if !inPlace {
						other := *r
						r = &other
					}
					test.change(r)
					return next(ctx, r)
				})})
				got := servertest.AnswerTo(t, s, servertest.NewSession(t, s), test.line)
				assert.Contains(t, got, test.want)
			}
		})
	}
}

// A middleware passes on the list that next returned for this version, or an
// error: it has none of its own.
func TestMiddlewareHasNoListOfItsOwn(t *testing.T) {
	t.Parallel()
	var j servertest.Journal
	var kept *prompts.Response
	s := prompts.MustNewServer(traveller(), prompts.Options{Logger: j.Logger(), Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		if r.Cursor == "" {
			kept, _ = next(ctx, r)
		}
		return kept, nil
	})})
	session := servertest.NewSession(t, s)
	first := servertest.AnswerTo(t, s, session, plainList)
	again := servertest.AnswerTo(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"of its own"}}`)
	assert.Equal(t, first, again, "it may return one that next has returned before")
	other := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "prompts/list", `"cursor":"of its own"`))
	assert.Equal(t, servertest.ErrorLine("1", prompts.CodeInternalError, servertest.ListFailed), other, "but not for another version")
	assert.Contains(t, j.String(), "not from next for this protocol version")
}

// SEC-01: behind a middleware, the declaration of a prompt has an effect for the clients that
// may see the prompt, in the context that the middleware has passed on. An error of the
// middleware's own contains no sensitive value; and no value at all if the server cannot know
// which are.
func TestSecretsOfErrorsOfAMiddleware(t *testing.T) {
	t.Parallel()
	secret := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "key", Sensitive: true}, {Name: "x"}}, Render: servertest.Nothing}
	own := func(ctx context.Context, r *prompts.Request) error {
		err := &prompts.Error{Code: 7, Message: r.Arguments["key"] + " of " + r.Arguments["x"]}
		clear(r.Arguments)
		return err
	}
	as := func(ctx context.Context, who string) context.Context { return context.WithValue(ctx, rank{}, who) }
	middlewares := map[string]func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error){
		"before next": func(ctx context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
			return nil, own(ctx, r)
		},
		"after next": func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			_, _ = next(as(ctx, "all"), r)
			return nil, own(ctx, r)
		},
		"after next for nobody": func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			_, _ = next(as(ctx, "nobody"), r)
			return nil, own(ctx, r)
		},
		"after PromptExists": func(ctx context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
			r.PromptExists(as(ctx, "all"))
			return nil, own(ctx, r)
		},
	}
	const none, all, some = "open sesame of colours", "[sensitive] of [sensitive]", "[sensitive] of colours"
	needsRank := func(ctx context.Context, _ prompts.Prompt) (bool, error) {
		return ctx.Value(rank{}).(string) == "all", nil
	} // or it panics
	for _, test := range []struct {
		middleware, prompt string
		visible            func(context.Context, prompts.Prompt) (bool, error)
		want               string
	}{
		{"before next", "p", nil, some},
		{"before next", "unknown", nil, none},
		{"before next", "p", func(context.Context, prompts.Prompt) (bool, error) { return true, nil }, some},
		{"before next", "p", needsRank, all},
		{"before next", "unknown", needsRank, all},
		{"after next", "p", needsRank, some},
		{"after next", "unknown", needsRank, all},
		{"after next for nobody", "p", needsRank, all},
		{"after PromptExists", "p", needsRank, some},
		{"after PromptExists", "unknown", needsRank, all},
	} {
		s := prompts.MustNewServer(servertest.RegistryOf(secret), prompts.Options{
			Logger: slog.New(slog.DiscardHandler), Visible: test.visible, Middleware: servertest.Around(middlewares[test.middleware]),
		})
		_, err := servertest.Call(t, s, "prompts/get", fmt.Sprintf(`{"name":%q,"arguments":{"key":"open sesame","x":"colours"}}`, test.prompt))
		assert.Equal(t, &prompts.Error{Code: 7, Message: test.want}, err, "%s, %s", test.middleware, test.prompt)
	}
}
