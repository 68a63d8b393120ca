package prompttools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/speccheck"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

type review struct {
	Language string `json:"language" enum:"go,python" jsonschema:"of the code"`
	Lines    int    `json:"lines,omitempty" minimum:"1" maximum:"50" default:"10"`
	Strict   bool   `json:"strict,omitempty"`
	Tags     []int  `json:"tags,omitempty"`
	When     *struct {
		Day string `json:"day"`
	} `json:"when,omitempty"`
}

func reviewPrompt() prompts.Prompt {
	return prompts.NewText(prompts.Prompt{Name: "review", Title: "Review", Description: "Reviews code.", Tags: []string{"tool"}, Version: "2"},
		func(_ context.Context, in review) (string, error) {
			day := ""
			if in.When != nil {
				day = in.When.Day
			}
			return fmt.Sprintf("%s %d %t %v %s", in.Language, in.Lines, in.Strict, in.Tags, day), nil
		})
}

func textPrompt(name, text string, tags ...string) prompts.Prompt {
	return prompts.NewText(prompts.Prompt{Name: name, Tags: tags}, func(context.Context, struct{}) (string, error) { return text, nil })
}

func all(prompts.Prompt) bool { return true }

// serve returns a server of the prompts with tools.
func serve(t testing.TB, o prompttools.Options, so prompts.Options, ps ...prompts.Prompt) (*prompts.Server, *prompts.Registry) {
	t.Helper()
	reg := new(prompts.Registry)
	reg.MustAdd(ps...)
	tools, err := prompttools.New(reg, o)
	require.NoError(t, err)
	so.Features = append(so.Features, tools)
	if so.Logger == nil {
		so.Logger = slog.New(slog.DiscardHandler)
	}
	return prompts.MustNewServer(reg, so), reg
}

// client is a client of one protocol version. What the server sends is checked
// against the schemas of the specification.
type client struct {
	t       testing.TB
	server  *prompts.Server
	version string
	session transport.Session
	judge   *speccheck.Judge // nil without the schemas
	lastID  int
	asked   func(method string, params json.RawMessage) string // the result, of a question in a session
}

// specification judges what the server sends.
var specification = sync.OnceValues(speccheck.FromEnvironment)

func connect(t testing.TB, srv *prompts.Server, version string) *client {
	t.Helper()
	c := &client{t: t, server: srv, version: version}
	if os.Getenv(speccheck.Variable) != "" {
		checker, err := specification()
		require.NoError(t, err)
		c.judge = checker.Judge(speccheck.Options{HTTP: true})
	}
	if version < "2026" {
		c.session = srv.NewSession(transport.SessionOptions{})
		t.Cleanup(c.session.Close)
		c.request("initialize", fmt.Sprintf(`"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`, version))
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return c
}

func (c *client) send(msg string) (response string) {
	c.t.Helper()
	if c.judge != nil {
		c.judge.Client([]byte(msg))
	}
	x := transport.Exchange{Send: func(msg []byte, _ prompts.Code, last bool) error {
		if c.judge != nil {
			assert.NoError(c.t, c.judge.Server(slices.Clone(msg)), "%s", msg)
		}
		if last {
			response = string(msg)
			return nil
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		require.NoError(c.t, json.Unmarshal(msg, &m))
		if m.ID != nil {
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, c.asked(m.Method, m.Params))
			go func() {
				_ = c.session.Handle(context.Background(), []byte(answer), transport.Exchange{Send: func([]byte, prompts.Code, bool) error { return nil }})
			}()
		}
		return nil
	}}
	if c.session != nil {
		_ = c.session.Handle(context.Background(), []byte(msg), x)
	} else {
		_ = c.server.Handle(context.Background(), []byte(msg), x)
	}
	return response
}

// request returns the result of a request, or its error.
func (c *client) request(method, params string) string {
	c.t.Helper()
	c.lastID++
	if c.session == nil {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + c.version + `","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`
		params = strings.TrimSuffix(meta+","+params, ",")
	}
	response := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.lastID, method, params))
	var m struct{ Result, Error json.RawMessage }
	require.NoError(c.t, json.Unmarshal([]byte(response), &m), response)
	if m.Error != nil {
		return string(m.Error)
	}
	return string(m.Result)
}

type result struct {
	IsError bool
	Content []struct {
		Type, Text string
		Resource   struct{ URI string }
	}
	StructuredContent json.RawMessage
	ResultType        string
	Meta              map[string]any `json:"_meta"`
	Code              int
	Message           string
	Data              json.RawMessage
	InputRequests     map[string]json.RawMessage
	RequestState      string
}

// call calls a tool. more are members of params, such as inputResponses.
func (c *client) call(tool, arguments string, more ...string) result {
	c.t.Helper()
	params := fmt.Sprintf(`"name":%q`, tool)
	if arguments != "" {
		params += `,"arguments":` + arguments
	}
	text := c.request("tools/call", strings.Join(append([]string{params}, more...), ","))
	var r result
	require.NoError(c.t, json.Unmarshal([]byte(text), &r), text)
	return r
}

// list returns the names of the tools of a page, and the entries.
func (c *client) list(params string) (names []string, entries []map[string]any, next string) {
	c.t.Helper()
	var r struct {
		Tools      []map[string]any
		NextCursor string
	}
	require.NoError(c.t, json.Unmarshal([]byte(c.request("tools/list", params)), &r))
	for _, e := range r.Tools {
		names = append(names, e["name"].(string))
	}
	return names, r.Tools, r.NextCursor
}

// No prompt is a tool until it is chosen, by name, by tag or by a function.
func TestSelection(t *testing.T) {
	t.Parallel()
	ps := []prompts.Prompt{textPrompt("a", ""), textPrompt("b", "", "x"), textPrompt("c", "", "y")}
	for name, test := range map[string]struct {
		o    prompttools.Options
		want []string
	}{
		"none":     {prompttools.Options{}, nil},
		"name":     {prompttools.Options{Names: []string{"a", "missing"}}, []string{"a"}},
		"tag":      {prompttools.Options{Tags: []string{"x"}}, []string{"b"}},
		"function": {prompttools.Options{Select: func(p prompts.Prompt) bool { return p.Name > "a" }}, []string{"b", "c"}},
		"any":      {prompttools.Options{Names: []string{"a"}, Tags: []string{"y"}}, []string{"a", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, _ := serve(t, test.o, prompts.Options{}, ps...)
			c := connect(t, srv, "2025-11-25")
			names, _, _ := c.list("")
			assert.Equal(t, test.want, names)
			for _, p := range ps {
				r := c.call(p.Name, "{}")
				if slices.Contains(test.want, p.Name) {
					assert.Zero(t, r.Code)
				} else {
					assert.Equal(t, -32602, r.Code)
					assert.Equal(t, fmt.Sprintf(`unknown tool %q`, p.Name), r.Message)
				}
			}
		})
	}
}

// An entry has what its protocol version has, and the true schema of the arguments.
func TestEntries(t *testing.T) {
	t.Parallel()
	p := reviewPrompt()
	p.Icons = []prompts.Icon{{Src: "https://example.org/i.png"}}
	p.Meta = prompts.Meta{"example.org/a": 1}
	yes := true
	srv, _ := serve(t, prompttools.Options{Select: all, Annotations: func(prompts.Prompt) *prompttools.Annotations {
		return &prompttools.Annotations{ReadOnlyHint: &yes}
	}, Tools: []prompttools.Tool{{Name: "own", OutputSchema: &jsonschema.Schema{Type: "object"}, Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, nil }}}}, prompts.Options{}, p)
	members := map[string]string{
		"2024-11-05": "description inputSchema name",
		"2025-03-26": "annotations description inputSchema name",
		"2025-06-18": "_meta annotations description inputSchema name title",
		"2025-11-25": "_meta annotations description icons inputSchema name title",
		"2026-07-28": "_meta annotations description icons inputSchema name title",
	}
	for _, version := range prompttest.Versions() {
		_, entries, _ := connect(t, srv, version).list("")
		require.Len(t, entries, 2)
		var names []string
		for name := range entries[1] {
			names = append(names, name)
		}
		slices.Sort(names)
		assert.Equal(t, members[version], strings.Join(names, " "), version)
		assert.Equal(t, version >= "2025-06-18", entries[0]["outputSchema"] != nil, version)
		schema := entries[1]["inputSchema"].(map[string]any)["properties"].(map[string]any)
		assert.Equal(t, []any{"go", "python"}, schema["language"].(map[string]any)["enum"])
		assert.EqualValues(t, 50, schema["lines"].(map[string]any)["maximum"])
		assert.EqualValues(t, 10, schema["lines"].(map[string]any)["default"])
		if version >= "2025-06-18" {
			assert.Equal(t, map[string]any{"io.github.mcp-prompts/version": "2", "example.org/a": 1.0}, entries[1]["_meta"])
		}
	}
}

// tools/list has pages, whose cursors are those of no other list.
func TestPages(t *testing.T) {
	t.Parallel()
	var ps []prompts.Prompt
	for i := range 5 {
		ps = append(ps, textPrompt(fmt.Sprintf("p%d", i), ""))
	}
	srv, _ := serve(t, prompttools.Options{Select: all, PageSize: 2}, prompts.Options{PageSize: 2}, ps...)
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		var names []string
		params := ""
		for range 3 {
			page, _, next := c.list(params)
			names = append(names, page...)
			params = fmt.Sprintf(`"cursor":%q`, next)
		}
		assert.Equal(t, []string{"p0", "p1", "p2", "p3", "p4"}, names, version)
		var listed struct{ NextCursor string }
		require.NoError(t, json.Unmarshal([]byte(c.request("prompts/list", "")), &listed))
		for _, cursor := range []string{`""`, `"x"`, `1`, fmt.Sprintf("%q", listed.NextCursor)} {
			assert.Contains(t, c.request("tools/list", `"cursor":`+cursor), `"code":-32602`, cursor)
		}
	}
	ps = nil
	for i := range 1001 {
		ps = append(ps, textPrompt(fmt.Sprintf("p%d", i), ""))
	}
	srv, _ = serve(t, prompttools.Options{Select: all}, prompts.Options{}, ps...)
	page, _, next := connect(t, srv, "").list("")
	assert.Len(t, page, 1000, "some clients read one page only")
	assert.NotEmpty(t, next)
	srv, _ = serve(t, prompttools.Options{Select: all, Pair: &prompttools.Pair{}}, prompts.Options{}, ps...)
	var read struct{ StructuredContent struct{ Prompts []any } }
	raw := connect(t, srv, "").request("tools/call", `"name":"list_prompts"`)
	require.NoError(t, json.Unmarshal([]byte(raw), &read), raw)
	assert.Len(t, read.StructuredContent.Prompts, 100, "a model reads them")
}

// A page has 1 MiB of entries, and a larger entry is a page of its own.
func TestLargePages(t *testing.T) {
	t.Parallel()
	var ps []prompts.Prompt
	for i, size := range []int{10, 2 << 20, 500_000, 500_000, 100_000, 10} {
		p := textPrompt(fmt.Sprintf("p%d", i), "")
		p.Description = strings.Repeat("x", size)
		ps = append(ps, p)
	}
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, ps...)
	c := connect(t, srv, "")
	var pages [][]string
	for params := ""; ; {
		page, _, next := c.list(params)
		pages = append(pages, page)
		if next == "" {
			break
		}
		params = fmt.Sprintf(`"cursor":%q`, next)
	}
	assert.Equal(t, [][]string{{"p0"}, {"p1"}, {"p2", "p3"}, {"p4", "p5"}}, pages)
}

// Arguments are JSON of their types. What is wrong with them is a result that says so
// to a model.
func TestArguments(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Limits: prompts.Limits{MaxArguments: 6, MaxArgumentBytes: 250}}, reviewPrompt())
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for name, test := range map[string]struct{ arguments, want string }{
		"typed":                  {`{"language":"go","lines":3,"strict":true,"tags":[1,2],"when":{"day":"x"}}`, "go 3 true [1 2] x"},
		"defaults":               {`{"language":"go"}`, "go 10 false [] "},
		"an integer as a float":  {`{"language":"go","lines":3.0}`, "go 3 false [] "},
		"an integer as a power":  {`{"language":"go","lines":1e1}`, "go 10 false [] "},
		"a string for a number":  {`{"language":"go","lines":"3"}`, `!lines must be `},
		"a number for a string":  {`{"language":3}`, `!language must be `},
		"a fraction":             {`{"language":"go","lines":1.5}`, `!lines must be `},
		"a string for a boolean": {`{"language":"go","strict":"true"}`, `!strict must be `},
		"a string for a list":    {`{"language":"go","tags":"1,2"}`, `!tags must be `},
		"null":                   {`{"language":null}`, `!language must be `},
		"an enum":                {`{"language":"rust"}`, `!language must be one of`},
		"a bound":                {`{"language":"go","lines":51}`, `!lines `},
		"missing":                {`{}`, `!language is required`},
		"none at all":            {``, `!language is required`},
		"unknown":                {`{"language":"go","line":1}`, `!line is not an argument of this prompt (did you mean "lines"?)`},
		"no object":              {`[1]`, `!arguments must be a JSON object`},
		"too many":               {`{"language":"go","a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`, `!too many arguments (limit 6)`},
		"too large":              {`{"language":"` + strings.Repeat("x", 251) + `"}`, `!argument "language" exceeds the limit of 250 bytes`},
		"a list too large":       {`{"language":"go","tags":[` + strings.Repeat("1,", 125) + `1]}`, `!argument "tags" exceeds the limit of 250 bytes`},
		"nested":                 {`{"language":"go","when":` + deep + `}`, `!`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, version := range prompttest.Versions() {
				r := connect(t, srv, version).call("review", test.arguments)
				require.Len(t, r.Content, 1, "%s: %+v", version, r)
				want, isError := strings.CutPrefix(test.want, "!")
				assert.Equal(t, isError, r.IsError, version)
				if isError {
					assert.Contains(t, r.Content[0].Text, want, version)
				} else {
					assert.Equal(t, want, r.Content[0].Text, version)
				}
				isAboutOne := isError && name != "no object" && name != "too many" && !strings.HasSuffix(name, "too large")
				if version < "2025-06-18" || !isError {
					assert.Nil(t, r.StructuredContent, version)
				} else if isAboutOne {
					assert.Contains(t, string(r.StructuredContent), `,"prompt":"review","problems":[{"argument":`, version)
				}
			}
		})
	}
}

// A failure of the prompt is a result if the model or the user can do something about
// it, and else an error.
func TestFailures(t *testing.T) {
	t.Parallel()
	const internal = `{"code":-32603,"message":"internal error: prompt \"p\" failed (error id `
	failing := func(err error) prompts.Prompt {
		return prompts.NewText(prompts.Prompt{Name: "p"}, func(context.Context, struct{}) (string, error) { return "", err })
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"an Error":        {fmt.Errorf("secret: %w", &prompts.Error{Code: 7, Message: "no such branch", Data: map[string]int{"n": 1}}), `{"isError":true,"structuredContent":{"message":"no such branch","n":1},"content":[{"type":"text","text":"no such branch"}]}`},
		"an own message":  {&prompts.Error{Code: 7, Message: "no such branch", Data: map[string]string{"message": "other"}}, `{"isError":true,"content":[{"type":"text","text":"no such branch"}]}`},
		"empty data":      {&prompts.Error{Code: 7, Message: "no such branch", Data: struct{}{}}, `{"isError":true,"structuredContent":{"message":"no such branch"},"content":[{"type":"text","text":"no such branch"}]}`},
		"an argument":     {prompts.InvalidArgument("a", "is too old"), `{"isError":true,"structuredContent":{"message":"invalid arguments for prompt \"p\": a: is too old","prompt":"p","problems":[{"argument":"a","reason":"refused","message":"is too old"}]},"content":[{"type":"text","text":"invalid arguments for prompt \"p\": a: is too old"}]}`},
		"any other":       {errors.New("secret"), internal},
		"an open code":    {&prompts.Error{Code: -32000, Message: "m"}, internal},
		"not to be asked": {prompts.ErrElicitationUnavailable, `{"isError":true,"content":[{"type":"text","text":"the prompt asks the user for input, but no answer was received"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, failing(test.err))
			got := connect(t, srv, "2025-11-25").request("tools/call", `"name":"p"`)
			if test.want == internal {
				assert.Contains(t, got, internal)
				return
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// A result that prompts/get rejects is an internal error about the prompt.
func TestInvalidResults(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]*prompts.Result{
		"no result":       nil,
		"no content":      prompts.Messages(prompts.Message{Role: prompts.RoleUser}),
		"an unknown role": prompts.Messages(prompts.Message{Role: "system", Content: &prompts.Text{Text: "x"}}),
	} {
		srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return result, nil }})
		for _, version := range prompttest.Versions() {
			assert.Contains(t, connect(t, srv, version).request("tools/call", `"name":"p"`), `"message":"internal error: prompt \"p\" returned an invalid result`, name)
		}
	}
}

// Structured content is under the limit of a result, like content.
func TestStructuredContentIsBounded(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "large", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "ok"}}, Structured: map[string]string{"a": strings.Repeat("x", 1000)}}, nil
	}}}}, prompts.Options{Limits: prompts.Limits{MaxResultBytes: 900}})
	for _, version := range prompttest.Versions() {
		r := connect(t, srv, version).call("large", "")
		if version < "2025-06-18" {
			assert.Equal(t, "ok", r.Content[0].Text, "it is not sent")
		} else {
			assert.Contains(t, r.Message, `internal error: tool "large" returned an invalid result`)
		}
	}
}

// The limit of a result is not for the head of the response.
func TestSmallestLimitOfResults(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "hi", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "hi"}}}, nil
	}}}}, prompts.Options{Limits: prompts.Limits{MaxResultBytes: 2}})
	for _, version := range prompttest.Versions() {
		r := connect(t, srv, version).call("hi", "")
		require.Len(t, r.Content, 1, r.Message)
		assert.Equal(t, "hi", r.Content[0].Text)
	}
}

// Params of a wrong form, and tools that do not exist, are errors.
func TestBadCalls(t *testing.T) {
	t.Parallel()
	srv, reg := serve(t, prompttools.Options{Select: all}, prompts.Options{}, reviewPrompt(), textPrompt("gone", ""))
	reg.Remove("gone")
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		for params, want := range map[string]string{
			``:                             `params.name is required and must be a string`,
			`"name":1`:                     `params.name must be a string, got number`,
			`"Name":"review"`:              `unknown member \"Name\"`,
			`"name":"gone"`:                `unknown tool \"gone\"`,
			`"name":"reviews"`:             `unknown tool \"reviews\"; did you mean \"review\"?`,
			`"name":""`:                    `unknown tool \"\"`,
			`"name":"review","x":"\ud800"`: ``,
		} {
			got := c.request("tools/call", params)
			assert.Contains(t, got, want, version)
			if want != "" {
				assert.Contains(t, got, `"code":-32602`, version)
			}
		}
	}
}

// The messages become content in order. Only a conversation shows who speaks.
func TestContent(t *testing.T) {
	t.Parallel()
	messages := []prompts.Message{
		prompts.User("a"),
		prompts.UserContent(&prompts.Image{Data: []byte{1}, MIMEType: "image/png"}),
		prompts.UserContent(&prompts.EmbeddedResource{URI: "file:///a", Text: "b"}),
	}
	assert.Equal(t, []prompts.Content{&prompts.Text{Text: "a\n"}, messages[1].Content, messages[2].Content}, prompttools.Content(messages))
	assert.Equal(t, []prompts.Content{&prompts.Text{Text: "a\n"}, &prompts.Text{Text: "b\n"}, &prompts.Text{Text: "c"}},
		prompttools.Content([]prompts.Message{prompts.UserContent(&prompts.Text{Text: "a"}), prompts.User("b\n"), prompts.User("c")}))
	messages = append(messages, prompts.Assistant("c"))
	assert.Equal(t, []prompts.Content{
		&prompts.Text{Text: "User:\na\n"},
		&prompts.Text{Text: "User:\n"}, messages[1].Content,
		&prompts.Text{Text: "User:\n"}, messages[2].Content,
		&prompts.Text{Text: "Assistant:\nc"},
	}, prompttools.Content(messages))
	assert.Empty(t, prompttools.Content(nil))

	p := prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Meta: prompts.Meta{"example.org/a": 1}, Messages: append(slices.Clone(messages), prompts.UserContent(&prompts.ResourceLink{URI: "file:///b", Name: "b"}))}, nil
	}}
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, p)
	for _, version := range prompttest.Versions() {
		r := connect(t, srv, version).call("p", "{}")
		require.Len(t, r.Content, 8, version)
		assert.Equal(t, "image", r.Content[2].Type)
		assert.Equal(t, "file:///a", r.Content[4].Resource.URI)
		assert.Equal(t, 1.0, r.Meta["example.org/a"])
	}
	srv, _ = serve(t, prompttools.Options{Select: all, Content: func(m []prompts.Message) []prompts.Content {
		return []prompts.Content{&prompts.Text{Text: fmt.Sprint(len(m))}}
	}}, prompts.Options{}, p)
	assert.Equal(t, "5", connect(t, srv, "2025-11-25").call("p", "").Content[0].Text)
}

// A name that not all clients accept is mapped, so that each prompt has a tool of its own.
// A clash is an error when the second is added, and nothing changes.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 128)
	srv, reg := serve(t, prompttools.Options{Select: all, Tools: []prompttools.Tool{{Name: "own", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, nil }}}},
		prompts.Options{}, textPrompt("code review", "1"), textPrompt("a-c_d", "2"), textPrompt("日", "3"), textPrompt(long, "4"), textPrompt("code/review", "8"))
	c := connect(t, srv, "2026-07-28")
	names, _, _ := c.list("")
	assert.Equal(t, []string{"_x65e5_", "a-c_d", "code_x20_review", "code_x2f_review", "own", long}, names)
	assert.Equal(t, "1", c.call("code_x20_review", "").Content[0].Text)
	assert.Equal(t, "8", c.call("code_x2f_review", "").Content[0].Text)
	assert.Equal(t, -32602, c.call("code review", "").Code)

	assert.EqualError(t, reg.Add(textPrompt("z", ""), textPrompt("own", "")), `prompt "own": Options.Tools has a tool "own", too; set Options.ToolName`)
	_, ok := reg.Lookup("z")
	assert.False(t, ok, "nothing was added")
	assert.ErrorContains(t, reg.Add(textPrompt(long+"x", "")), `(129 bytes) is invalid: must have 1 to 128 of the characters`)
	assert.ErrorContains(t, reg.Add(textPrompt(strings.Repeat("日", 19), "")), `(133 bytes) is invalid: must have 1 to 128 of the characters`)

	lower, same := serve(t, prompttools.Options{Select: all, ToolName: strings.ToLower}, prompts.Options{}, textPrompt("P", "1"))
	c = connect(t, lower, "2026-07-28")
	assert.EqualError(t, same.Add(textPrompt("p", "")), `prompt "p": prompt "P" has the tool "p", too; set Options.ToolName`)
	require.NoError(t, same.Update(func(tx *prompts.Tx) error {
		tx.Remove("P")
		return tx.Add(textPrompt("p", "5"))
	}), "the name is free at the end of the change")
	assert.Equal(t, "5", c.call("p", "").Content[0].Text)
	require.NoError(t, same.Set(textPrompt("p", "6")))
	assert.Equal(t, "6", c.call("p", "").Content[0].Text)
	assert.True(t, same.Remove("p"))
	require.NoError(t, same.Add(textPrompt("P", "7")))
	assert.Equal(t, "7", c.call("p", "").Content[0].Text)
}

// The names of tools are those of prompts, but for characters that a client may not
// accept and for what looks like their escapes.
func TestToolName(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"review":     "review",
		"Code-Re_v2": "Code-Re_v2",
		"a b":        "a_x20_b",
		"a/b":        "a_x2f_b",
		"a.b":        "a_x2e_b",
		"über":       "_xfc_ber",
		"🙂":          "_x1f642_",
		"a_b":        "a_b",
		"to_xml":     "to_xml",
		"max_x":      "max_x",
		"max_x2":     "max_x2",
		"_x20":       "_x20",
		"a_x20_b":    "a_x5f_x20_b",
		"_x20_x21_":  "_x5f_x20_x5f_x21_",
		"a_x2 b":     "a_x5f_x2_x20_b",
		"a_x2Ab":     "a_x2Ab",
		"_ _":        "__x20__",
	} {
		assert.Equal(t, want, prompttools.ToolName(prompt), prompt)
	}
}

// Whatever a prompt is named, the name of its tool has only characters that all clients
// accept, and leads back to the name.
func FuzzToolName(f *testing.F) {
	for _, name := range []string{"a b", "_x20_", "_x2_x3_", "_x2 _x20_", "_x_x20_", "日本_x65e5_", "_x5f_x20_"} {
		f.Add(name)
	}
	escape := regexp.MustCompile(`_x([0-9a-f]+)_`)
	f.Fuzz(func(t *testing.T, prompt string) {
		if !utf8.ValidString(prompt) {
			t.Skip("no registry accepts it")
		}
		tool := prompttools.ToolName(prompt)
		assert.Regexp(t, `^[A-Za-z0-9_-]*$`, tool)
		back := escape.ReplaceAllStringFunc(tool, func(e string) string {
			r, err := strconv.ParseUint(e[2:len(e)-1], 16, 32)
			require.NoError(t, err)
			return string(rune(r))
		})
		assert.Equal(t, prompt, back, tool)
	})
}

// Options that cannot be served are errors.
func TestOptionErrors(t *testing.T) {
	t.Parallel()
	call := func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, nil }
	for want, o := range map[string]prompttools.Options{
		"PageSize must not be negative": {PageSize: -1},
		"CacheTTL must not be negative": {CacheTTL: -1},
		`tool "a": Call is nil`:         {Tools: []prompttools.Tool{{Name: "a"}}},
		`tool name "a b" (3 bytes) is invalid: must have 1 to 128 of the characters A-Z a-z 0-9 . - _`: {Tools: []prompttools.Tool{{Name: "a b", Call: call}}},
		`tool "a" is defined twice`:                                      {Tools: []prompttools.Tool{{Name: "a", Call: call}, {Name: "a", Call: call}}},
		`tool "list_prompts" is defined twice`:                           {Pair: &prompttools.Pair{}, Tools: []prompttools.Tool{{Name: "list_prompts", Call: call}}},
		`tool "x" is defined twice`:                                      {Pair: &prompttools.Pair{List: "x", Get: "x"}},
		`InputSchema: schema: type must be "object", got "string"`:       {Tools: []prompttools.Tool{{Name: "a", Call: call, InputSchema: &jsonschema.Schema{Type: "string"}}}},
		`OutputSchema: schema: type must be "object", got "string"`:      {Tools: []prompttools.Tool{{Name: "a", Call: call, OutputSchema: &jsonschema.Schema{Type: "string"}}}},
		`InputSchema: schema: /properties/a: pattern: missing closing )`: {Tools: []prompttools.Tool{{Name: "a", Call: call, InputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": {Pattern: "("}}}}}},
		`Options.Tools has a tool "p", too; set Options.ToolName`:        {Select: all, Tools: []prompttools.Tool{{Name: "p", Call: call}}},
		`tool name "a b" (3 bytes) is invalid: must have 1 to 128 of the characters A-Z a-z 0-9 . - _; set Options.ToolName`: {Select: all, ToolName: func(string) string { return "a b" }},
	} {
		var reg prompts.Registry
		reg.MustAdd(textPrompt("p", ""))
		_, err := prompttools.New(&reg, o)
		assert.ErrorContains(t, err, want)
		require.NoError(t, reg.Add(textPrompt("q", "")), "a failed New leaves nothing behind")
	}
	tools, err := prompttools.New(new(prompts.Registry), prompttools.Options{})
	require.NoError(t, err)
	assert.PanicsWithError(t, `prompts: options: method "tools/list" is defined twice`, func() {
		prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{tools}, Methods: map[string]prompts.Method{
			"tools/list": func(context.Context, json.RawMessage) (any, error) { return nil, nil },
		}})
	})
}
