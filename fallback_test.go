package prompts_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

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
	allWires  = append([]string{"2026-07-28"}, handshakeVersions...)
)

// CNT-06, GAP-37: without a fallback, or one that returns nil, a link is a text
// that says what the link says, and audio fails.
func TestFallbackOfTheLibrary(t *testing.T) {
	t.Parallel()
	half := 0.5
	full := prompts.ResourceLink{
		URI: "https://example.org/a?b&c", Name: "a.txt", Title: "The <a>", Description: "Goes there", MIMEType: "text/plain",
		Meta: prompts.Meta{"x": 1}, Icons: []prompts.Icon{{Src: "https://example.org/i.png"}},
		Annotations: &prompts.Annotations{Audience: []prompts.Role{prompts.RoleUser}, Priority: &half, LastModified: time.Unix(0, 0)},
	}
	silent := func(prompts.Content, string) prompts.Content { return nil }
	for _, fallback := range []func(prompts.Content, string) prompts.Content{nil, silent} {
		o := prompts.Options{Fallback: fallback}
		for _, version := range allWires {
			got, err := contentIn(t, version, someLink, o)
			require.NoError(t, err)
			all, err := contentIn(t, version, &full, o)
			require.NoError(t, err)
			if version >= "2025-06-18" {
				assert.Equal(t, `{"type":"resource_link","uri":"note://7","name":"seven"}`, got)
				assert.Contains(t, all, `"type":"resource_link"`)
				continue
			}
			assert.Equal(t, `{"type":"text","text":"seven: note://7"}`, got)
			assert.Equal(t, `{"type":"text","text":"The <a> (a.txt): https://example.org/a?b&c\nGoes there","annotations":{"audience":["user"],"priority":0.5}}`, all)
		}
		for _, audio := range []prompts.Content{someAudio, &someAudio} {
			var j journal
			_, err := contentIn(t, "2024-11-05", audio, prompts.Options{Fallback: fallback, Logger: j.logger()})
			assert.Equal(t, internalError(invalidResult), asNeutral(err))
			assert.Contains(t, j.String(), "Options.Fallback", "the author is told what helps")
			assert.Contains(t, j.String(), "2024-11-05")
		}
	}
}

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
