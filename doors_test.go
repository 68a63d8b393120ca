package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/prompttools"
)

// A client gets a prompt by prompts/get, or by tools/call with package prompttools.
// The tests of arguments do both.

// byTool is what tools/call answers instead.
type byTool struct {
	cases string // with the reasons, of the table in docs/tools.md, separated by "; "
	text  string // of the result, without the prompt's name
}

// Cases of the table in docs/tools.md.
const (
	caseForm       = "form of arguments"
	caseType       = "a value of another JSON type"
	caseEmpty      = "an empty string for a number, boolean or list"
	caseUndeclared = "an argument that is not declared"
	caseOrder      = "several arguments that are not declared"
)

// differences are where the two are not the same, by the prompt and its arguments, and
// whether the server has StrictArguments.
var differences = map[string]byTool{
	`greet {"who":"Ada","tone":true}`:        {caseType, `tone must be a string, got the boolean true`},
	`greet {"who":1}`:                        {caseType, `who must be a string, got the number 1`},
	`greet {"who":["Ada"]}`:                  {caseType, `who must be a string, got an array`},
	`greet {"who":null}`:                     {caseType, `who must be a string, got null`},
	`greet {"who":{"name":"Ada"}}`:           {caseType, `who must be a string, got an object`},
	`strict nothing {"a":"x","b":"y","c":1}`: {caseType, `a is not an argument of this prompt; b is not an argument of this prompt; c is not an argument of this prompt`},
	`nothing {"other":"x"}`:                  {caseUndeclared, `other is not an argument of this prompt`},
	`nothing {"other":1}`:                    {caseUndeclared, `other is not an argument of this prompt`},
	`p {"a":1          ,"b0":1,"b1":1,"b2":1,"b3":1,"b4":1,"b5":1,"b6":1,"b7":1,"b8":1,"b9":1,"b1…`: {caseType + "; " + caseOrder, `a is not an argument of this prompt; b0 is not an argument of this prompt; b1 is not an argument of this prompt; b10 is not an argument of this prompt; b100 is not an argument of this prompt; b101 is not an argument of this prompt; b102 is not an argument of this prompt; b103 is not an argument of this prompt; and 993 more`},
	`review {"Code":"x","lines":"1"}`:                                                                   {caseUndeclared, `code is required; Code is not an argument of this prompt (did you mean "code"?)`},
	`strict review {"code":"A` + strings.Repeat("é", 40) + "…":                                          {caseType, `code must match the pattern ^[a-z]+$, got "A` + strings.Repeat("é", 31) + `…"; lines must be an integer, got the string "A` + strings.Repeat("é", 31) + `…"; x` + strings.Repeat("é", 31) + `… is not an argument of this prompt`},
	`review {"code":"x","lines":"1","langauge":1}`:                                                      {caseType, `langauge is not an argument of this prompt (did you mean "language"?)`},
	`strict review {"code":"x","lines":"1","z":1,"y":"1"}`:                                              {caseType + "; " + caseOrder, `y is not an argument of this prompt; z is not an argument of this prompt`},
	`review {"lines":"0","code":"x","langauge":"go","urgent":"yes","fokus":"a"}`:                        {caseUndeclared + "; " + caseOrder, `lines must be from 1 to 9, got 0; fokus is not an argument of this prompt (did you mean "focus"?); langauge is not an argument of this prompt (did you mean "language"?); urgent is not an argument of this prompt`},
	`review {"lines":1,"language":null,"code":{"a":[]},"other":true}`:                                   {caseType, `code must be a string, got an object; language must be a string, got null; other is not an argument of this prompt`},
	`strict review {"other":"1","strict":"yes","focus":"a,b,c","lines":"10","language":"c","code":"A"}`: {caseType, `code must match the pattern ^[a-z]+$, got "A"; language must be one of go, rust, got "c"; lines must be from 1 to 9, got 10; focus must have at most 2 elements, got 3; strict must be true or false, got the string "yes"; other is not an argument of this prompt`},
	`types {"count":""}`: {caseEmpty, `count must be an integer, got the string ""`},
	`types {"count":"0","ratio":1,"loud":"TRUE","wait":"1","tags":"a,,b","code":"<&>","more":2}`: {caseType + "; " + caseForm, `count must be from 1 to 10, got 0; loud must be true or false, got the string "TRUE"; wait must be a duration such as 1h30m, got "1"; tags must have at most 2 elements, got 3; code must match the pattern ^[a-z]+$, got "<&>"; more is not an argument of this prompt`},
	`types {"count":"1","ratio":"","loud":"","wait":"","tags":""}`:                               {caseEmpty, `ratio must be a number, got the string ""; loud must be true or false, got the string ""; tags must be a JSON array, got the string ""`},
	`types {"count":"many"}`: {caseType, `count must be an integer, got the string "many"`},
	`types {"count":7}`:      {caseForm, `7 0 false 0s [] ""`},
	`types {"ratio":"half","loud":"yes","wait":"soon","tags":"a,b,c","code":"A"}`: {caseType, `count is required; ratio must be a number, got the string "half"; loud must be true or false, got the string "yes"; wait must be a duration such as 1h30m, got "soon"; tags must have at most 2 elements, got 3; code must have at least 2 characters, got 1`},
	`greet {"who":"Ada","whom":"Eve"}`:                                            {caseUndeclared, `whom is not an argument of this prompt (did you mean "who"?)`},
}

// callGet gets the prompt p through Server.Call, and returns the result or the error
// as the client has it. It also calls the tools of the prompt, with the arguments as
// JSON of their types, and wants the same answer from them, or that of differences.
func callGet(t testing.TB, p prompts.Prompt, arguments string, o prompts.Options) (string, *prompts.Error) {
	t.Helper()
	result, e := callMethod(t, prompts.NewServer(registryOf(p), o), "prompts/get", p.Name, arguments)
	want := answerOf(t, result, e)
	if e != nil && (e.Code != prompts.CodeInternalError || !strings.HasPrefix(e.Message, "internal error")) {
		want.isError, want.code = true, 0
	}
	key := p.Name + " " + phrase.Clip(arguments, 90)
	if o.StrictArguments {
		key = "strict " + key
	}
	typed := typedArguments(t, p, arguments)
	for _, pair := range []*prompttools.Pair{nil, {}} {
		got := callTool(t, p, typed, o, pair)
		d, ok := differences[key]
		if !ok {
			assert.Equal(t, want, got, "%s\nby a tool with %s", key, phrase.Clip(typed, 1000))
			continue
		}
		assert.NotEqual(t, want, got, key)
		assert.Equal(t, d.text, strings.TrimPrefix(got.text, fmt.Sprintf("invalid arguments for prompt %q: ", p.Name)), key)
		for name := range strings.SplitSeq(d.cases, "; ") {
			assert.Contains(t, documentedDifferences(), name)
		}
	}
	return result, e
}

// callTool calls a prompt as a tool of its own or by the second tool of a pair.
func callTool(t testing.TB, p prompts.Prompt, arguments string, o prompts.Options, pair *prompttools.Pair) answer {
	t.Helper()
	reg := registryOf(p)
	tools, err := prompttools.New(reg, prompttools.Options{Names: []string{p.Name}, Pair: pair})
	require.NoError(t, err)
	o.Features = append(slices.Clone(o.Features), tools)
	o.Logger = slog.New(slog.DiscardHandler)
	name := prompttools.ToolName(p.Name)
	if pair != nil {
		name, arguments = "get_prompt", fmt.Sprintf(`{"name":%s,"arguments":%s}`, jsonText(p.Name), arguments)
	}
	result, e := callMethod(t, prompts.NewServer(reg, o), "tools/call", name, arguments)
	return answerOf(t, result, e)
}

// callMethod calls a method that has a name and arguments.
func callMethod(t testing.TB, s *prompts.Server, method, name, arguments string) (string, *prompts.Error) {
	t.Helper()
	params := fmt.Sprintf(`{"name":%s,"arguments":%s}`, jsonText(name), arguments)
	result, err := s.Call(context.Background(), method, json.RawMessage(params), prompts.CallOptions{})
	if err != nil {
		var e *prompts.Error
		require.ErrorAs(t, err, &e)
		return "", e
	}
	return string(result), nil
}

// answer is what prompts/get and tools/call have in common.
type answer struct {
	isError bool
	code    prompts.Code // of an error that is no result
	text    string       // of all messages, as [prompttools.Content] has them, or of the error
	data    string       // of an error, if it is an object
}

// answerOf reads the answer of either method.
func answerOf(t testing.TB, result string, e *prompts.Error) answer {
	t.Helper()
	if e != nil {
		a := answer{code: e.Code, text: neutralError(e).Message}
		if data := jsonText(neutralError(e).Data); data[0] == '{' {
			a.data = data
		}
		return a
	}
	type content struct{ Text string }
	var r struct {
		Messages []struct {
			Role    string
			Content content
		}
		Content           []content
		IsError           bool
		StructuredContent json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(result), &r), result)
	var texts []string
	for _, m := range r.Messages {
		text := m.Content.Text
		if strings.Contains(result, `"role":"assistant"`) {
			text = strings.ToUpper(m.Role[:1]) + m.Role[1:] + ":\n" + text
		}
		texts = append(texts, text)
	}
	for _, c := range r.Content {
		texts = append(texts, c.Text)
	}
	return answer{isError: r.IsError, text: strings.Join(texts, "\n"), data: string(r.StructuredContent)}
}

// typedArguments returns arguments as JSON of the types in the schema of the prompt. A
// string that no JSON of its type stands for stays a string.
func typedArguments(t testing.TB, p prompts.Prompt, arguments string) string {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(arguments, 100))
	if doc.Root().Kind() != strictjson.Object {
		return arguments
	}
	schema, err := p.InputSchema()
	require.NoError(t, err)
	var members []string
	for name, v := range doc.Root().Members() {
		value := v.Raw()
		if s := schema.Properties[name]; s != nil && v.Kind() == strictjson.String {
			value = sample.JSON(s, v.Text())
		}
		members = append(members, jsonText(name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// documentedDifferences are the cases of the table of differences in docs/tools.md,
// each of which has a reason there.
var documentedDifferences = sync.OnceValue(func() []string {
	page, err := os.ReadFile("docs/tools.md")
	if err != nil {
		panic(err)
	}
	var cases []string
	_, table, _ := strings.Cut(string(page), "\n| Case |")
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|[^|]+\|[^|]+\| [^|]+ \|$`).FindAllStringSubmatch(table, -1) {
		cases = append(cases, row[1])
	}
	return cases
})

// The recorded sessions of arguments have the same answers by tools.
func TestArgumentSessionsByTools(t *testing.T) {
	t.Parallel()
	played := 0
	for file, options := range map[string]prompts.Options{"arguments": {}, "strict_arguments": {StrictArguments: true}} {
		raw, err := os.ReadFile("testdata/sessions/" + file + ".txt")
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct {
					Name      string
					Arguments json.RawMessage
				}
			}
			msg, ok := strings.CutPrefix(line, "C> ")
			if !ok || json.Unmarshal([]byte(msg), &m) != nil || m.Method != "prompts/get" {
				continue
			}
			played++
			p, _ := goldenRegistry().Lookup(m.Params.Name)
			arguments := "{}"
			if m.Params.Arguments != nil {
				arguments = string(m.Params.Arguments)
			}
			t.Run(file+"/"+string(m.ID), func(t *testing.T) { callGet(t, p, arguments, options) })
		}
	}
	assert.GreaterOrEqual(t, played, 30)
}
