package prompts_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// A client gets a prompt by prompts/get, or by tools/call with package prompttools.
// The tests of arguments do both.

// difference is where the two are not the same: the cases of the table in docs/tools.md,
// separated by "; ", and the text of the result, without the prompt's name.
type difference struct{ cases, text string }

// differences returns the differences by the prompt and its arguments, after "strict" for a
// server with StrictArguments.
func differences(t testing.TB) map[string]difference {
	all := map[string]difference{}
	for _, row := range servertest.Table(t, "tools", 3) {
		all[row[0]] = difference{row[1], row[2]}
	}
	return all
}

// callGet gets the prompt p through Server.Call, and returns the result or the error
// as the client has it. It also calls the tools of the prompt, with the arguments as
// JSON of their types, and wants the same answer from them, or that of differences.
func callGet(t testing.TB, p prompts.Prompt, arguments string, o prompts.Options) (string, *prompts.Error) {
	t.Helper()
	result, e := callMethod(t, prompts.MustNewServer(servertest.RegistryOf(p), o), "prompts/get", p.Name, arguments)
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
		d, ok := differences(t)[key]
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
	reg := servertest.RegistryOf(p)
	tools, err := prompttools.New(reg, prompttools.Options{Names: []string{p.Name}, Pair: pair})
	require.NoError(t, err)
	o.Features = append(slices.Clone(o.Features), tools)
	o.Logger = slog.New(slog.DiscardHandler)
	name := prompttools.ToolName(p.Name)
	if pair != nil {
		name, arguments = "get_prompt", fmt.Sprintf(`{"name":%s,"arguments":%s}`, servertest.JsonText(p.Name), arguments)
	}
	result, e := callMethod(t, prompts.MustNewServer(reg, o), "tools/call", name, arguments)
	return answerOf(t, result, e)
}

// callMethod calls a method that has a name and arguments.
func callMethod(t testing.TB, s *prompts.Server, method, name, arguments string) (string, *prompts.Error) {
	t.Helper()
	return servertest.Call(t, s, method, fmt.Sprintf(`{"name":%s,"arguments":%s}`, servertest.JsonText(name), arguments))
}

// answer is what prompts/get and tools/call have in common.
type answer struct {
	isError bool
	code    transport.Code // of an error that is no result
	text    string         // of all messages, as [prompttools.Content] has them, or of the error
	data    string         // of an error, if it is an object
}

// answerOf reads the answer of either method.
func answerOf(t testing.TB, result string, e *prompts.Error) answer {
	t.Helper()
	if e != nil {
		a := answer{code: e.Code, text: servertest.NeutralError(e).Message}
		if data := servertest.JsonText(servertest.NeutralError(e).Data); data[0] == '{' {
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
	for i, c := range r.Content {
		text := c.Text
		if i < len(r.Content)-1 {
			var ok bool
			text, ok = strings.CutSuffix(text, "\n")
			assert.True(t, ok, "some clients join the texts")
		}
		texts = append(texts, text)
	}
	a := answer{isError: r.IsError, text: strings.Join(texts, "\n"), data: string(r.StructuredContent)}
	if a.data != "" { // which some clients show the model without the text
		rest, ok := strings.CutPrefix(a.data, `{"message":`+servertest.JsonText(a.text))
		assert.True(t, ok, a.data)
		a.data = "{" + strings.TrimPrefix(rest, ",")
	}
	return a
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
	raw, err := p.InputSchema()
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &schema))
	var members []string
	for name, v := range doc.Root().Members() {
		value := v.Raw()
		if s := schema.Properties[name]; s != nil && v.Kind() == strictjson.String {
			value = sample.JSON(s, v.Text())
		}
		members = append(members, servertest.JsonText(name)+":"+value)
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
