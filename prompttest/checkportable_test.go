package prompttest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/portable"
)

// What a client cannot show fails the test of an author who wants to be usable
// there.
func TestCheckPortable(t *testing.T) {
	t.Parallel()
	on := func(clients ...string) check {
		return func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckPortable(t, reg, o, clients...) }
	}
	message := func(role prompts.Role, content prompts.Content) prompts.Message {
		return prompts.Message{Role: role, Content: content}
	}
	of := func(name string, messages ...prompts.Message) prompts.Prompt {
		return data(name, func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(messages...), nil
		})
	}
	hi := message(prompts.RoleUser, &prompts.Text{Text: "hi"})
	picture := message(prompts.RoleUser, &prompts.Image{MIMEType: "image/png"})
	reply := prompts.Assistant("hi")
	asText := of("p", prompts.UserContent(&prompts.Audio{Data: []byte{1}, MIMEType: "audio/wav"}), prompts.UserContent(&prompts.ResourceLink{URI: "file:///a", Name: "a"}),
		prompts.UserContent(&prompts.EmbeddedResource{URI: "file:///a", Text: "a"}))
	two := text([]prompts.Argument{{Name: "a"}, {Name: "b"}}, func(map[string]string) (string, error) { return "", nil })
	for _, test := range []struct {
		name   string
		check  check
		prompt prompts.Prompt
		want   []string
	}{
		{"nothing", on("Zed", "Gemini CLI", "Continue", "goose", "VS Code", "Claude Code"), of("p", hi), nil},
		{"two arguments", on("Zed"), two, []string{`prompt "p": 2 arguments: Zed does not offer the prompt (https://github.com/zed-industries/zed/`}},
		{"values with spaces", on("Claude Code"), two, nil},
		{"an only argument that is optional", on("Gemini CLI", "Qwen Code"), text([]prompts.Argument{{Name: "a"}}, func(map[string]string) (string, error) { return "", nil }), nil},
		{"optional arguments by their position", on("Qwen Code"), two, nil},
		{"a number for a placeholder", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true}, {Name: "severity", Verbatim: true, Schema: &jsonschema.Schema{Type: "integer"}}},
			func(map[string]string) (string, error) { return "", nil }), []string{`prompt "p": argument severity is a number: opencode users cannot use this prompt`}},
		{"a placeholder", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true}}, func(map[string]string) (string, error) { return "", nil }), nil},
		{"a prompt in Go", on("Kilo Code"), text([]prompts.Argument{{Name: "a"}}, func(map[string]string) (string, error) { return "", nil }), []string{"argument a is not only printed: Kilo Code users cannot"}},
		{"a secret", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true, Sensitive: true}}, func(map[string]string) (string, error) { return "", nil }), []string{"argument a is sensitive: opencode"}},
		{"a default", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true, Schema: &jsonschema.Schema{Default: []byte(`"x"`)}}},
			func(map[string]string) (string, error) { return "", nil }), []string{"argument a has a default: opencode uses an empty text"}},
		{"two messages, which the server joins", on("Gemini CLI"), of("p", hi, hi), nil},
		{"an assistant", on("Zed"), of("p", hi, reply), []string{"message 2 is the assistant's: Zed rejects the prompt"}},
		{"by turns", on("goose"), of("p", hi, reply, hi), nil},
		{"not by turns", on("goose"), of("p", hi, hi), []string{"message 2 is of the role user, so the roles do not take turns: goose"}},
		{"the assistant first", on("goose"), of("p", reply), []string{"message 1 is of the role assistant"}},
		{"a picture", on("Continue"), of("p", picture), []string{"message 1 is not text but an image"}},
		{"a picture for a known client", on("Gemini CLI"), of("p", picture), []string{"message 1 is not text but an image"}},
		{"content that becomes text", on("opencode"), asText, nil},
		{"content of an unknown client", on("Zed"), asText, []string{"message 1 is not text but audio: Zed drops the message"}},
		{"a resource with data", on("opencode"), of("p", prompts.UserContent(&prompts.EmbeddedResource{URI: "file:///a", Blob: []byte{1}})), []string{"message 1 is not text but a resource with binary data: opencode gets a line of text"}},
		{"syntax of the client", on("opencode", "Kilo Code"), of("p", prompts.User("costs $100, $ARGUMENTS, !`date`")), nil},
		{"a name in a folder", on("VS Code"), of("team/review.md", hi), nil},
		{"a name with spaces", on("Gemini CLI"), of("a b", hi), []string{`prompt "a b": name has a space: Gemini CLI replaces each space with a hyphen`}},
		{"a name with a colon", on("VS Code"), of("a:b", hi), []string{"name has more than ASCII letters, digits and _ . / -: VS Code"}},
		{"a name with other letters", on("VS Code"), of("grüße", hi), []string{"VS Code replaces each other character with an underscore"}},
		{"no prompts", on("Codex"), of("p", hi), []string{"Codex does not offer the prompts of a server (https://github.com/mcp-prompts/prompts/blob/main/internal/interop/hosts/testdata/codex.golden, seen on 20"}},
		{"a long result of a tool", on("Cline"), of("p", prompts.User(strings.Repeat("x", 4000)), prompts.User(strings.Repeat("x", 4001))), []string{"Cline does not offer", "8001 bytes of text: Cline keeps 8,000 characters"}},
		{"a result of a tool that is kept", on("Claude Code"), of("p", prompts.User(strings.Repeat("x", 48_000))), nil},
		{"a command of the client", on("Qwen Code"), of("plan", hi), []string{`prompt "plan": name of a command or skill of the client: Qwen Code runs its own command or skill in place of the prompt`}},
		{"no command of the client", on("Qwen Code"), of("plans", hi), nil},
		{"an optional argument", on("Gemini CLI"), two, []string{"argument a is optional: Gemini CLI gives a value"}},
		{"another client", on("Nano"), of("p", hi), []string{`unknown client "Nano"; expected one of Claude Code, Cline, Codex, `}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checked(t, test.check, CheckOptions{}, test.prompt).errors, test.want)
		})
	}
	for _, r := range portable.Rules {
		assert.NotEmpty(t, r.Fix(), "%s: %s", r.Client, r.Effect)
	}
	// Nobody named: all of it is logged, and nothing fails.
	r := checked(t, on(), CheckOptions{}, of("a b", picture, reply))
	assert.Empty(t, r.errors)
	assert.Greater(t, len(r.logs), 8)
}
