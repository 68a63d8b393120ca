package prompts_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// contentIn returns the message that a client of a revision gets for content,
// or the error.
func contentIn(t testing.TB, version string, content prompts.Content, o prompts.Options) (string, error) {
	t.Helper()
	p := rendered("p", func(context.Context) (*prompts.Result, error) {
		return prompts.Messages(prompts.Message{Role: prompts.RoleUser, Content: content}), nil
	})
	raw, err := prompts.NewServer(registryOf(p), o).Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(raw), `"messages":[{"role":"user","content":`)
	message, _, ok := strings.Cut(rest, `}]`)
	require.True(t, ok, "%s", raw)
	return message, nil
}

var (
	someAudio = prompts.Audio{Data: []byte("RIFF"), MIMEType: "audio/wav"}
	someLink  = prompts.ResourceLink{URI: "note://7", Name: "seven"}
)

// What the author returns is content like any other.
func TestFallbackOfTheAuthor(t *testing.T) {
	t.Parallel()
	failed := internalError(invalidResult)
	for _, test := range []struct {
		name     string
		content  prompts.Content
		fallback func(prompts.Content, string) prompts.Content
		want     string
		err      error
		log      string
	}{
		{"a pointer", someAudio, func(prompts.Content, string) prompts.Content { return &prompts.Text{Text: "x"} }, `{"type":"text","text":"x"}`, nil, ""},
		{"of what it is", someAudio, func(c prompts.Content, _ string) prompts.Content {
			return prompts.Text{Text: string(c.(prompts.Audio).Data)}
		}, `{"type":"text","text":"RIFF"}`, nil, ""},
		{"audio for audio", someAudio, func(c prompts.Content, _ string) prompts.Content { return c }, "", failed, "Options.Fallback"},
		{"audio for a link", someLink, func(prompts.Content, string) prompts.Content { return someAudio }, "", failed, "of the client has no audio"},
		{"a link for audio", someAudio, func(prompts.Content, string) prompts.Content { return someLink }, `{"type":"text","text":"seven: note://7"}`, nil, ""},
		{"a link for a link", someLink, func(prompts.Content, string) prompts.Content { return prompts.ResourceLink{URI: "a:b", Name: "other"} }, `{"type":"text","text":"other: a:b"}`, nil, ""},
		{"a nil pointer", someLink, func(prompts.Content, string) prompts.Content { return (*prompts.Text)(nil) }, "", failed, "content is nil"},
		{"not valid", someLink, func(prompts.Content, string) prompts.Content { return prompts.Text{Text: "\xff"} }, "", failed, "not valid UTF-8"},
		{"of no type of ours", someLink, func(prompts.Content, string) prompts.Content { return struct{ prompts.Text }{} }, "", failed, "use one of the types of package prompts"},
		{"a panic", someLink, func(prompts.Content, string) prompts.Content { panic(errors.New("a secret")) }, "", internalError(renderFailed), "a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j journal
			got, err := contentIn(t, "2024-11-05", test.content, prompts.Options{Fallback: test.fallback, Logger: j.logger()})
			assert.Equal(t, test.want, got)
			if test.err == nil {
				assert.NoError(t, err)
				assert.Empty(t, j.String())
				return
			}
			assert.Equal(t, test.err, asNeutral(err))
			assert.Contains(t, j.String(), test.log)
		})
	}
}
