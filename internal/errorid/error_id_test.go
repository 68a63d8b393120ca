package errorid_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// fails is an application whose code fails as the tests say: with an error or a panic, or
// by runtime.Goexit.
type fails struct {
	prompt  prompts.Prompt
	options func(o *prompts.Options, r *prompts.Registry)
	// The request. Default: prompts/get of the prompt.
	method, members string
	// cause is in each record, and in no answer.
	cause string
}

func withTools(o prompttools.Options) func(*prompts.Options, *prompts.Registry) {
	return func(to *prompts.Options, r *prompts.Registry) {
		f, err := prompttools.New(r, o)
		if err != nil {
			panic(err)
		}
		to.Features = []feature.Feature{f}
	}
}

func withTool(result *prompttools.Result, do func() error) fails {
	call := func(context.Context, json.RawMessage) (*prompttools.Result, error) { return result, do() }
	return fails{
		options: withTools(prompttools.Options{Tools: []prompttools.Tool{{Name: "t", Call: call}}}),
		method:  "tools/call", members: `"name":"t"`,
	}
}

func withSkills(method, members string, o promptskills.Options) fails {
	return fails{method: method, members: members, options: func(to *prompts.Options, _ *prompts.Registry) {
		r := new(promptskills.Registry)
		if err := r.Add(promptskills.Skill{
			Path: "s", Frontmatter: json.RawMessage(`{"name":"s","description":"d"}`),
			Dynamic: func(context.Context) (fs.FS, error) { return nil, servertest.ErrDisk },
		}); err != nil {
			panic(err)
		}
		f, err := promptskills.New(r, o)
		if err != nil {
			panic(err)
		}
		to.Features = []feature.Feature{f}
	}}
}

func withResources(method, members string, r promptskills.Resources) fails {
	return withSkills(method, members, promptskills.Options{Resources: r})
}

func withMiddleware(method, members string, response *prompts.Response, do func() error) fails {
	return fails{prompt: servertest.Completing("p", nil), method: method, members: members, options: func(o *prompts.Options, _ *prompts.Registry) {
		o.Middleware = func(prompts.Handler) prompts.Handler {
			return func(context.Context, *prompts.Request) (*prompts.Response, error) { return response, do() }
		}
	}}
}

func withMethod(result any, do func() error) fails {
	return fails{method: "x/y", options: func(o *prompts.Options, _ *prompts.Registry) {
		o.Features = servertest.Methods(map[string]servertest.Method{"x/y": func(context.Context, json.RawMessage) (any, error) { return result, do() }})
	}}
}

func isInvisible(o *prompts.Options, _ *prompts.Registry) {
	o.Visible = func(context.Context, prompts.Prompt) (bool, error) { panic(servertest.ErrDisk) }
}

func renders(r *prompts.Result, do func() error) fails {
	return fails{prompt: servertest.Rendered("p", func(context.Context) (*prompts.Result, error) { return r, do() })}
}

const completeP = `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`

// failing is the application's code in all places, which does the same in each.
func failing(do func() error) map[string]fails {
	tool := renders(nil, do).prompt
	complete := func(context.Context, string, map[string]string) ([]string, error) { return nil, do() }
	return map[string]fails{
		"render": renders(nil, do),
		"sensitive argument": {prompt: prompts.Prompt{
			Name: "p", Arguments: []prompts.Argument{{Name: "a", Sensitive: true}}, Render: tool.Render,
		}, members: `"name":"p","arguments":{"a":"secret"}`},
		"completion":                     {prompt: servertest.Completing("p", complete), method: "completion/complete", members: completeP},
		"method":                         withMethod(nil, do),
		"tool":                           withTool(nil, do),
		"prompt as a tool":               {prompt: tool, options: withTools(prompttools.Options{Names: []string{"p"}}), method: "tools/call"},
		"prompt by a pair":               {prompt: tool, options: withTools(prompttools.Options{Names: []string{"p"}, Pair: &prompttools.Pair{}}), method: "tools/call", members: `"name":"get_prompt","arguments":{"name":"p"}`},
		"middleware prompts/get":         withMiddleware("prompts/get", "", nil, do),
		"middleware prompts/list":        withMiddleware("prompts/list", "", nil, do),
		"middleware completion/complete": withMiddleware("completion/complete", completeP, nil, do),
		"resource read": withResources("resources/read", `"uri":"x://y"`, promptskills.Resources{
			Read: func(context.Context, string) ([]prompts.EmbeddedResource, error) { return nil, do() },
		}),
		"resource list": withResources("resources/list", "", promptskills.Resources{
			List: func(context.Context) ([]prompts.ResourceLink, error) { return nil, do() },
		}),
		"resource templates": withResources("resources/templates/list", "", promptskills.Resources{
			Templates: func(context.Context) ([]promptskills.Template, error) { return nil, do() },
		}),
		"resource subscribe": withResources("resources/subscribe", `"uri":"x://y"`, promptskills.Resources{
			Subscribe: func(context.Context, string, func()) (func(), error) { return nil, do() },
		}),
	}
}

// secretCause is the cause of an error of which no client gets anything, though its type is that of
// an error for clients.
const secretCause = "a secret of the database"

// undecided is a request for which Visible or Principal returns an error, behind each middleware: one
// that passes errors on, one that answers in spite of them, and none.
func undecided() map[string]fails {
	err := &prompts.Error{Code: 7, Message: secretCause}
	visible := func(o *prompts.Options) {
		o.Visible = func(context.Context, prompts.Prompt) (bool, error) { return true, err }
	}
	principal := func(o *prompts.Options) {
		o.Principal = func(context.Context) (string, error) { return "eve", err }
	}
	rated := func(o *prompts.Options) {
		principal(o)
		o.Limits.GetsPerSecond = 1000
	}
	prompt := servertest.Completing("p", nil)
	cached := prompt
	cached.Cache.TTL = time.Hour
	letter := servertest.TextPrompt("letter", "hi")
	outer := servertest.Including("outer", "p", nil)
	get := fails{prompt: prompt}
	requests := map[string]fails{
		"get":         get,
		"unknown":     {prompt: letter, members: `"name":"leter"`},
		"list":        {prompt: prompt, method: "prompts/list"},
		"completion":  {prompt: prompt, method: "completion/complete", members: completeP},
		"tool":        {prompt: prompt, options: withTools(prompttools.Options{Names: []string{"p"}}), method: "tools/call"},
		"other tool":  {prompt: letter, options: withTools(prompttools.Options{Names: []string{"letter"}}), method: "tools/call", members: `"name":"leter"`},
		"tools":       {prompt: prompt, options: withTools(prompttools.Options{Names: []string{"p"}}), method: "tools/list"},
		"pair's get":  {prompt: prompt, options: withTools(prompttools.Options{Names: []string{"p"}, Pair: &prompttools.Pair{}}), method: "tools/call", members: `"name":"get_prompt","arguments":{"name":"p"}`},
		"pair's list": {prompt: prompt, options: withTools(prompttools.Options{Names: []string{"p"}, Pair: &prompttools.Pair{}}), method: "tools/call", members: `"name":"list_prompts"`},
	}
	middlewares := map[string]func(prompts.Handler) prompts.Handler{
		"none":   nil,
		"passes": func(next prompts.Handler) prompts.Handler { return next },
		"answers": func(next prompts.Handler) prompts.Handler {
			return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
				if response, err := next(ctx, r); err == nil {
					return response, nil
				}
				return &prompts.Response{Result: prompts.Messages(prompts.User("anyway")), Values: []string{"anyway"}}, nil
			}
		},
		"asks": func(next prompts.Handler) prompts.Handler {
			return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
				if r.Prompt == "" || r.PromptExists(ctx) {
					return next(ctx, r)
				}
				return &prompts.Response{Result: prompts.Messages(prompts.User("anyway")), Values: []string{"anyway"}}, nil
			}
		},
	}
	all := map[string]fails{}
	add := func(name string, f fails, set func(*prompts.Options)) {
		for with, middleware := range middlewares {
			own := f
			own.cause = secretCause
			own.options = func(o *prompts.Options, r *prompts.Registry) {
				if f.options != nil {
					f.options(o, r)
				}
				set(o)
				o.Middleware = middleware
			}
			all["undecided "+name+", middleware "+with] = own
		}
	}
	// Before anything is decided, these middlewares have answered.
	defer func() {
		delete(all, "undecided visible unknown, middleware asks")
		delete(all, "undecided visible other tool, middleware answers")
	}()
	for name, f := range requests {
		add("visible "+name, f, visible)
		if name == "completion" {
			add("principal "+name, f, principal) // which has a rate
		}
	}
	add("principal get", get, rated)
	add("principal tool", requests["tool"], rated)
	add("principal cache", fails{prompt: cached}, principal)
	add("visible include", fails{prompt: outer, members: `"name":"outer"`, options: func(_ *prompts.Options, r *prompts.Registry) { r.MustAdd(prompt) }}, func(o *prompts.Options) {
		o.Visible = func(_ context.Context, p prompts.Prompt) (bool, error) {
			if p.Name == "p" {
				return true, err
			}
			return true, nil
		}
	})
	hidden := promptskills.Options{Visible: func(context.Context, promptskills.Skill) (bool, error) { return true, err }}
	for method, members := range map[string]string{
		"skills/list": "", "skills/get": `"uri":"skill://s/SKILL.md"`, "resources/list": "", "resources/read": `"uri":"skill://s/SKILL.md"`,
		"resources/directory/read": `"uri":"skill://s"`, "resources/subscribe": `"uri":"skill://s/SKILL.md"`,
	} {
		add("skills "+method, withSkills(method, members, hidden), func(*prompts.Options) {})
	}
	return all
}

// internalErrors are the ways in which the application's code can fail.
func internalErrors() map[string]fails {
	bad := prompts.Messages(prompts.UserContent(nil))
	no := func() error { return nil }
	foreign := &prompts.Response{Result: bad, Values: []string{"\xff"}}
	all := map[string]fails{
		"nothing":              renders(nil, no),
		"code of JSON-RPC":     renders(nil, func() error { return &prompts.Error{Code: prompts.CodeMethodNotFound, Message: "no"} }),
		"invalid content":      renders(bad, no),
		"metadata that panics": renders(&prompts.Result{Meta: prompts.Meta{"x": servertest.Data(func() { panic(servertest.ErrDisk) })}}, no),
		"data that exits":      renders(nil, func() error { return &prompts.Error{Code: 7, Data: servertest.Data(runtime.Goexit)} }),
		"data that is late":    renders(nil, func() error { return &prompts.Error{Code: 7, Data: servertest.Data(func() { time.Sleep(time.Hour) })} }),
		"result over the limit": {
			prompt:  servertest.TextPrompt("p", strings.Repeat("x", 100)),
			options: func(o *prompts.Options, _ *prompts.Registry) { o.Limits.MaxResultBytes = 64 },
		},
		"include": {prompt: servertest.Rendered("p", func(ctx context.Context) (*prompts.Result, error) { return prompts.Include(ctx, "none", nil) })},

		"visible prompts/get":         {prompt: servertest.TextPrompt("p", "hi"), options: isInvisible},
		"visible prompts/list":        {prompt: servertest.TextPrompt("p", "hi"), options: isInvisible, method: "prompts/list"},
		"visible completion/complete": {prompt: servertest.Completing("p", nil), options: isInvisible, method: "completion/complete", members: completeP},

		"method result": withMethod([]int{1}, no),
		"method JSON":   withMethod(make(chan int), no),
		"tool result":   withTool(nil, no),
		"tool content":  withTool(&prompttools.Result{Content: []prompts.Content{nil}}, no),
		"tool metadata": withTool(&prompttools.Result{Meta: prompts.Meta{"x": make(chan int)}}, no),
		"content of a tool": {prompt: servertest.TextPrompt("p", "hi"), options: withTools(prompttools.Options{
			Names: []string{"p"}, Content: func([]prompts.Message) []prompts.Content { panic(servertest.ErrDisk) },
		}), method: "tools/call"},
		"dynamic skill":  withSkills("resources/read", `"uri":"skill://s/a.md"`, promptskills.Options{}),
		"visible skills": withSkills("skills/list", "", promptskills.Options{Visible: func(context.Context, promptskills.Skill) (bool, error) { panic(servertest.ErrDisk) }}),
	}
	for method, members := range map[string]string{"prompts/get": "", "prompts/list": "", "completion/complete": completeP} {
		all["middleware without a response "+method] = withMiddleware(method, members, nil, no)
		all["middleware with a foreign response "+method] = withMiddleware(method, members, foreign, no)
	}
	maps.Copy(all, undecided())
	for how, do := range map[string]func() error{
		"error":             func() error { return servertest.ErrDisk },
		"error that panics": func() error { return servertest.BadError{} },
		"question":          func() error { return prompts.ErrInputRequired },
		"panic":             func() error { panic(servertest.ErrDisk) },
		"Goexit":            func() error { runtime.Goexit(); return nil },
		"timeout":           func() error { time.Sleep(time.Hour); return nil },
	} {
		for place, f := range failing(do) {
			all[place+" "+how] = f
		}
	}
	return all
}

// Each internal error of a client has an id, which exactly one record of the log has, too:
// in a session, without one, in a batch (JRP-27), and by Call.
func TestErrorIDs(t *testing.T) {
	t.Parallel()
	for name, test := range internalErrors() {
		t.Run(name, func(t *testing.T) {
			servertest.Bubble(t, func(t *testing.T) {
				r := new(prompts.Registry)
				if test.prompt.Name != "" {
					r.MustAdd(test.prompt)
				}
				var j servertest.Journal
				o := prompts.Options{Logger: slog.New(slog.NewJSONHandler(&j, nil))}
				if test.options != nil {
					test.options(&o, r)
				}
				s := prompts.MustNewServer(r, o)
				method, members := test.method, test.members
				if method == "" {
					method = "prompts/get"
				}
				if members == "" && (method == "prompts/get" || method == "tools/call") {
					members = `"name":"p"`
				}
				line := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + members + `}}`
				var answers []string
				for _, version := range servertest.HandshakeVersions {
					c := servertest.Connect(t, s).HandshakeIn(version)
					c.Send(line)
					if version == "2025-03-26" {
						c.Send("[" + strings.Replace(line, `"id":1`, `"id":2`, 1) + "]")
					}
					if method != "resources/subscribe" { // which 2026-07-28 has not
						c.Send(servertest.EnvelopedLine("3", method, members))
					}
					time.Sleep(time.Minute)
					answers = append(answers, c.ReceivedRaw()...)
					require.NoError(t, c.End())
				}
				if slices.Contains(s.Methods(), method) {
					_, err := s.Call(t.Context(), method, json.RawMessage("{"+members+"}"), prompts.CallOptions{Version: "2025-11-25"})
					answers = append(answers, fmt.Sprintf(`{"error":%s}`, servertest.JsonText(errorOf(t, err))))
				}
				time.Sleep(2 * time.Hour) // what ignores its time limit returns
				synctest.Wait()
				assertErrorIDs(t, answers, j.String())
				if test.cause != "" {
					assert.Equal(t, strings.Count(j.String(), "error_id"), strings.Count(j.String(), test.cause), j.String())
					assert.NotContains(t, strings.Join(answers, ""), test.cause)
				}
			})
		})
	}
}

// errorOf returns err in its JSON form.
func errorOf(t *testing.T, err error) any {
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	return map[string]any{"code": e.Code, "message": e.Message, "data": e.Data}
}

// assertErrorIDs checks that each answer is an internal error with an id of its own, that
// one record of the log has, and that no record has another.
func assertErrorIDs(t *testing.T, answers []string, log string) {
	t.Helper()
	logged := map[string]int{}
	for d := json.NewDecoder(strings.NewReader(log)); d.More(); {
		var record struct {
			ID    string `json:"error_id"`
			Level slog.Level
		}
		require.NoError(t, d.Decode(&record))
		if record.ID != "" {
			logged[record.ID]++
			assert.Equal(t, slog.LevelError, record.Level, log)
		}
	}
	assert.NotEmpty(t, answers)
	for _, answer := range answers {
		var m struct {
			Error struct {
				Code    transport.Code
				Message string
				Data    struct{ ErrorID string }
			}
		}
		answer = strings.Trim(answer, "[]")
		require.NoError(t, json.Unmarshal([]byte(answer), &m), answer)
		id := m.Error.Data.ErrorID
		require.Equal(t, prompts.CodeInternalError, m.Error.Code, answer)
		require.NotEmpty(t, id, answer)
		assert.Contains(t, m.Error.Message, "(error id "+id+")")
		assert.Equal(t, 1, logged[id], "records of %s\n%s", answer, log)
		delete(logged, id)
	}
	assert.Empty(t, logged, log)
}

// A canceled request of a batch that ignores its end fails the requests after it, with an
// id that the log has.
func TestErrorIDOfABatch(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var j servertest.Journal
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Sleeper("deaf", time.Hour), servertest.TextPrompt("text", "hi")), prompts.Options{
			Logger: slog.New(slog.NewJSONHandler(&j, nil)),
		})).HandshakeIn("2025-03-26")
		c.Send("[" + servertest.GetLine("1", "deaf") + "," + servertest.GetLine("2", "text") + "]")
		synctest.Wait()
		c.Send(servertest.CancelLine("1"))
		time.Sleep(time.Minute)
		assertErrorIDs(t, c.ReceivedRaw(), j.String())
		require.NoError(t, c.End())
		time.Sleep(time.Hour)
	})
}
