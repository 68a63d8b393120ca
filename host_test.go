package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// What hosts cannot do is made up for, by the name of their client.

// getFor gets a prompt as a client, in a session and in 2026-07-28, through a middleware and
// without. It returns the result, or the error, which must be the same every time.
func getFor(t *testing.T, client, name, arguments string, ps ...prompts.Prompt) string {
	t.Helper()
	through := func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) { return next(ctx, r) }
	}
	params := fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments)
	var all []string
	for _, o := range []prompts.Options{{}, {Middleware: through}} {
		s := prompts.MustNewServer(servertest.RegistryOf(ps...), o)
		session := s.NewSession(transport.SessionOptions{})
		t.Cleanup(session.Close)
		servertest.AnswerTo(t, s, session, strings.Replace(servertest.InitializeLine, `"tester"`, fmt.Sprintf("%q", client), 1))
		all = append(all,
			servertest.AnswerTo(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{`+params+`}}`),
			servertest.AnswerTo(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{`+params+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":`+fmt.Sprintf("%q", client)+`,"version":"1"}}}}`))
		raw, err := s.Call(t.Context(), "prompts/get", []byte(`{`+params+`}`), prompts.CallOptions{Client: prompts.Implementation{Name: client, Version: "1"}})
		if err != nil {
			raw, _ = json.Marshal(map[string]any{"error": err})
		}
		all = append(all, string(raw))
	}
	var first string
	for i, response := range all {
		var m struct {
			Result   struct{ Messages json.RawMessage }
			Messages json.RawMessage
			Error    struct {
				Message string
				Data    struct {
					Problems []struct{ Argument, Reason string }
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(response), &m), response)
		got := string(m.Result.Messages) + string(m.Messages) + m.Error.Message
		for _, p := range m.Error.Data.Problems {
			got += "|" + p.Argument + " " + p.Reason
		}
		if i == 0 {
			first = got
		}
		assert.Equal(t, first, got, "door %d", i)
	}
	return first
}

// A client that sends placeholders gets the result with the placeholders of arguments
// that are printed, and else an error that says why.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	type in struct {
		Lang  string  `json:"lang" enum:"go,rust"`
		Since *string `json:"since,omitempty" format:"date" default:"2026-01-01"`
	}
	print := func(_ context.Context, in in) (string, error) { return in.Lang + " " + *in.Since, nil }
	declared := func(name string, arguments ...prompts.Argument) prompts.Prompt {
		return prompts.NewText(prompts.Prompt{Name: name, Arguments: arguments}, print)
	}
	minLength := 5
	ps := []prompts.Prompt{
		declared("printed", prompts.Argument{Name: "lang", Verbatim: true}, prompts.Argument{Name: "since", Verbatim: true}),
		declared("half", prompts.Argument{Name: "lang", Verbatim: true}),
		declared("code"),
		{Name: "map", Arguments: []prompts.Argument{
			{Name: "a", Verbatim: true, Schema: &jsonschema.Schema{Type: "string", Pattern: "^x+$", MinLength: &minLength}},
			{Name: "n", Verbatim: true, Schema: &jsonschema.Schema{Type: "integer"}},
			{Name: "s", Verbatim: true, Sensitive: true},
		}, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(args["a"] + args["n"] + args["s"])), nil
		}},
	}
	text := func(s string) string { return fmt.Sprintf(`[{"role":"user","content":{"type":"text","text":%q}}]`, s) }
	const needs = ` instead of the value, but this prompt needs the value itself; use a tool of this server, another prompt or another client`
	for _, test := range []struct{ client, prompt, arguments, want string }{
		{"opencode", "printed", `{"lang":"$1","since":"$2"}`, text("$1 $2")},
		{"opencode", "printed", `{"lang":"$ARGUMENTS"}`, text("$ARGUMENTS 2026-01-01")},
		{"opencode", "printed", `{"lang":"$1x"}`, `invalid arguments for prompt "printed": lang must be one of go, rust, got "$1x"|lang enum`},
		{"tester", "printed", `{"lang":"$1"}`, `invalid arguments for prompt "printed": lang must be one of go, rust, got "$1"|lang enum`},
		{"opencode", "half", `{"lang":"$1","since":"$2"}`, `invalid arguments for prompt "half": since: opencode sends "$2"` + needs + `|since placeholder`},
		{"opencode", "code", `{"lang":"$1","since":"$2"}`, `invalid arguments for prompt "code": lang: opencode sends "$1"` + needs + `; since: opencode sends "$2"` + needs + `|lang placeholder|since placeholder`},
		{"kilo", "code", `{"lang":"$1"}`, `invalid arguments for prompt "code": lang: Kilo Code sends "$1"` + needs + `|lang placeholder`},
		{"opencode", "code", `{"lang":"go"}`, text("go 2026-01-01")},
		{"opencode", "map", `{"a":"$1"}`, text("$1")},
		{"opencode", "map", `{"n":"$2"}`, `invalid arguments for prompt "map": n: opencode sends "$2"` + needs + `|n placeholder`},
		{"opencode", "map", `{"s":"$3"}`, `invalid arguments for prompt "map": s: opencode sends a placeholder` + needs + `|s placeholder`},
	} {
		assert.Equal(t, test.want, getFor(t, test.client, test.prompt, test.arguments, ps...), "%s %s %s", test.client, test.prompt, test.arguments)
	}
}

// A host that runs commands in the text of a prompt gets none, also if it first removes or
// replaces placeholders. Any other host gets the text as it is.
func TestCommandsForHosts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"run !`date` and !`id`":    "run ! `date` and ! `id`",
		"!!`date`":                 "!! `date`",
		"!$1`date`":                "! $1`date`",
		"!$1$22$ARGUMENTS`date`":   "! $1$22$ARGUMENTS`date`",
		"!$$1ARGUMENTS`date`":      "! $$1ARGUMENTS`date`",
		"!`":                       "! `",
		"go! `date` is a command!": "go! `date` is a command!",
		"costs $100!":              "costs $100!",
		"!\n`date`":                "!\n`date`",
		"":                         "",
	} {
		p := servertest.Rendered("p", func(context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(text), prompts.UserContent(&prompts.EmbeddedResource{URI: "note://8", Text: text})), nil
		})
		read := func(client string) (texts []string) {
			var m []struct {
				Content struct {
					Text     string
					Resource struct{ Text string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(getFor(t, client, "p", `{}`, p)), &m))
			for _, m := range m {
				texts = append(texts, m.Content.Text+m.Content.Resource.Text)
			}
			return texts
		}
		assert.Equal(t, []string{want, "note://8:\n" + want}, read("opencode"), text)
		assert.Equal(t, []string{want, text}, read("kilo"), "it drops resources")
		assert.Equal(t, []string{text, text}, read("claude-code"), text)
	}
}

// The model calls a tool with values, so a placeholder is a value like any other.
func TestPlaceholdersOfATool(t *testing.T) {
	t.Parallel()
	reg := servertest.RegistryOf(prompts.NewText(prompts.Prompt{Name: "p"}, func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return in.Text, nil
	}))
	tools, err := prompttools.New(reg, prompttools.Options{Names: []string{"p"}})
	require.NoError(t, err)
	s := prompts.MustNewServer(reg, prompts.Options{Features: []feature.Feature{tools}})
	raw, err := s.Call(t.Context(), "tools/call", []byte(`{"name":"p","arguments":{"text":"$1"}}`), prompts.CallOptions{Client: prompts.Implementation{Name: "opencode"}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[{"type":"text","text":"$1"}]}`, string(raw))
}

// A host that drops content gets text in its place: of prompts and of tools, and in no
// other host.
func TestContentForHosts(t *testing.T) {
	t.Parallel()
	contents := map[string]prompts.Content{
		"audio": someAudio, "link": someLink,
		"resource": &prompts.EmbeddedResource{URI: "note://8", Text: "words"},
		"blob":     &prompts.EmbeddedResource{URI: "note://9", Blob: []byte("RIFF")},
		"image":    &prompts.Image{Data: []byte{1}, MIMEType: "image/png"},
	}
	texts := map[string]string{
		"audio": "[audio left out: audio/wav, 4 bytes]", "link": "seven: note://7", "resource": "note://8:\nwords",
		"image": "[image left out: image/png, 1 bytes]", "blob": "[note://9 left out: application/octet-stream, 4 bytes]",
	}
	for name, content := range contents {
		p := servertest.Rendered("p", func(context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.UserContent(content)), nil
		})
		two := servertest.Rendered("two", func(context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.UserContent(content), prompts.User("after")), nil
		})
		read := func(messages string) string {
			var m []struct{ Content struct{ Type, Text string } }
			require.NoError(t, json.Unmarshal([]byte(messages), &m), messages)
			if m[0].Content.Type == "text" {
				return m[0].Content.Text
			}
			return ""
		}
		assert.Equal(t, texts[name], read(getFor(t, "gemini-cli-mcp-client", "p", `{}`, p)), name)
		assert.Empty(t, read(getFor(t, "claude-code", "p", `{}`, p)), name)

		reg := servertest.RegistryOf(p, two)
		tools, err := prompttools.New(reg, prompttools.Options{Names: []string{"p", "two"}})
		require.NoError(t, err)
		fallback := func(prompts.Content, string) prompts.Content { return nil }
		raw := func(client, tool string) string {
			raw, err := prompts.MustNewServer(reg, prompts.Options{Features: []feature.Feature{tools}, Fallback: fallback}).Call(t.Context(), "tools/call", []byte(`{"name":"`+tool+`"}`), prompts.CallOptions{Client: prompts.Implementation{Name: client}})
			require.NoError(t, err)
			return string(raw)
		}
		call := func(client, tool string) string {
			var r struct{ Content []struct{ Type, Text string } }
			require.NoError(t, json.Unmarshal([]byte(raw(client, tool)), &r))
			if r.Content[0].Type == "text" {
				return r.Content[0].Text
			}
			return ""
		}
		want := texts[name]
		if name != "audio" && name != "link" {
			want = "" // of which the server makes no text in the result of a tool
		}
		assert.Equal(t, want, call("copilot-cli", "p"), name)
		assert.Empty(t, call("claude-code", "p"), name)
		if name == "resource" {
			assert.Contains(t, raw("copilot-cli", "two"), `"text":"words\n"`, "it joins the texts")
			assert.Contains(t, raw("claude-code", "two"), `"text":"words"`)
		}
		if want != "" {
			assert.Equal(t, want+"\n", call("copilot-cli", "two"), "it joins the texts")
			for _, text := range []string{"other", "other\n"} {
				fallback = func(prompts.Content, string) prompts.Content { return &prompts.Text{Text: text} }
				assert.Equal(t, text, call("copilot-cli", "p"))
				assert.Equal(t, "other\n", call("copilot-cli", "two"), "it joins the texts")
			}
		}
	}
}

// A host that reads only the first message gets one message with the texts of all, and any
// other host gets them as they are.
func TestOneMessageForHosts(t *testing.T) {
	t.Parallel()
	const few = `[{"role":"user","content":{"type":"text","text":"one"}},{"role":"assistant","content":{"type":"text","text":"two"}}]`
	image := prompts.UserContent(&prompts.Image{Data: []byte{1}, MIMEType: "image/png"})
	for name, test := range map[string]struct {
		messages []prompts.Message
		want     string
	}{
		"one":   {[]prompts.Message{prompts.Assistant("one")}, `[{"role":"assistant","content":{"type":"text","text":"one"}}]`},
		"same":  {[]prompts.Message{prompts.User("one"), image, prompts.User("three")}, `[{"role":"user","content":{"type":"text","text":"one\n\n[image left out: image/png, 1 bytes]\n\nthree"}}]`},
		"roles": {[]prompts.Message{prompts.User("one"), prompts.Assistant("two")}, `[{"role":"user","content":{"type":"text","text":"User:\none\n\nAssistant:\ntwo"}}]`},
		"none":  {nil, `[]`},
	} {
		p := servertest.Rendered("p", func(context.Context) (*prompts.Result, error) { return prompts.Messages(test.messages...), nil })
		for _, client := range []string{"gemini-cli-mcp-client", "qwen-cli-mcp-client-review"} {
			assert.JSONEq(t, test.want, getFor(t, client, "p", `{}`, p), name)
		}
	}
	p := servertest.Rendered("p", func(context.Context) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("one"), prompts.Assistant("two")), nil
	})
	for _, client := range []string{"opencode", "claude-code", "tester"} {
		assert.JSONEq(t, few, getFor(t, client, "p", `{}`, p), client)
	}
	// The limit of a result is that of its messages.
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("p", func(context.Context) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("12345"), prompts.Assistant("67890")), nil
	})), prompts.Options{Limits: prompts.Limits{MaxResultBytes: 10}})
	_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Client: prompts.Implementation{Name: "gemini-cli-mcp-client"}})
	assert.NoError(t, err)
}
