package prompts

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contentIn returns the message that a client of a revision gets for content,
// or the error.
func contentIn(t testing.TB, version string, content Content, o Options) (string, error) {
	t.Helper()
	p := rendered("p", func(context.Context) (*Result, error) {
		return Messages(Message{Role: RoleUser, Content: content}), nil
	})
	raw, err := NewServer(registryOf(p), o).Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), CallOptions{Version: version})
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(raw), `"messages":[{"role":"user","content":`)
	message, _, ok := strings.Cut(rest, `}]`)
	require.True(t, ok, "%s", raw)
	return message, nil
}

var (
	someAudio = Audio{Data: []byte("RIFF"), MIMEType: "audio/wav"}
	someLink  = ResourceLink{URI: "note://7", Name: "seven"}
	allWires  = append([]string{"2026-07-28"}, handshakeVersions...)
)

// lacks reports whether a revision has no such content (CNT-07, CNT-08).
func lacks(version string, c Content) bool {
	switch c.(type) {
	case Audio, *Audio:
		return version == "2024-11-05"
	case ResourceLink, *ResourceLink:
		return version < "2025-06-18"
	}
	return false
}

// GAP-37, CNT-07, CNT-08: the author is asked about content that the revision
// has not, which is a value even where a pointer was returned; and about nothing
// else.
func TestFallbackIsCalledForWhatTheRevisionHasNot(t *testing.T) {
	t.Parallel()
	for _, content := range []Content{
		Text{Text: "x"}, &Text{Text: "x"}, Image{MIMEType: "image/png"}, EmbeddedResource{URI: "a:b"},
		someAudio, &someAudio, someLink, &someLink,
	} {
		for _, version := range allWires {
			type call struct {
				content Content
				version string
			}
			var calls []call
			got, err := contentIn(t, version, content, Options{Fallback: func(c Content, version string) Content {
				calls = append(calls, call{c, version})
				return Text{Text: "instead"}
			}})
			require.NoError(t, err)
			if !lacks(version, content) {
				assert.Empty(t, calls, "%T in %s", content, version)
				assert.NotContains(t, got, "instead")
				continue
			}
			want := call{version: version}
			switch content.(type) {
			case Audio, *Audio:
				want.content = someAudio
			default:
				want.content = someLink
			}
			assert.Equal(t, []call{want}, calls, "%T in %s", content, version)
			assert.Equal(t, `{"type":"text","text":"instead"}`, got)
		}
	}
}

// CNT-06, GAP-37: without a fallback, or one that returns nil, a link is a text
// that says what the link says, and audio fails.
func TestFallbackOfTheLibrary(t *testing.T) {
	t.Parallel()
	half := 0.5
	full := ResourceLink{
		URI: "https://example.org/a?b&c", Name: "a.txt", Title: "The <a>", Description: "Goes there", MIMEType: "text/plain",
		Meta: Meta{"x": 1}, Icons: []Icon{{Src: "https://example.org/i.png"}},
		Annotations: &Annotations{Audience: []Role{RoleUser}, Priority: &half, LastModified: time.Unix(0, 0)},
	}
	silent := func(Content, string) Content { return nil }
	for _, fallback := range []func(Content, string) Content{nil, silent} {
		o := Options{Fallback: fallback}
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
		for _, audio := range []Content{someAudio, &someAudio} {
			var j journal
			_, err := contentIn(t, "2024-11-05", audio, Options{Fallback: fallback, Logger: j.logger()})
			assert.Equal(t, internalError("the prompt's content is not valid"), err)
			assert.Contains(t, j.String(), "Options.Fallback", "the author is told what helps")
			assert.Contains(t, j.String(), "2024-11-05")
		}
	}
}

// A link is checked even where it becomes a text, so that a fault shows in
// whatever revision the author tries.
func TestFallbackIsChecked(t *testing.T) {
	t.Parallel()
	minus := int64(-1)
	for _, link := range []ResourceLink{
		{URI: "no uri", Name: "x"}, {URI: "a:b"}, {URI: "a:b", Name: "\xff"}, {URI: "a:b", Name: "x", Title: "\xff"},
		{URI: "a:b", Name: "x", Description: "\xff"}, {URI: "a:b", Name: "x", Size: &minus}, {URI: "a:b", Name: "x", MIMEType: "text"},
		{URI: "a:b", Name: "x", Annotations: &Annotations{Audience: []Role{"system"}}},
	} {
		for _, version := range allWires {
			_, err := contentIn(t, version, link, Options{})
			assert.Equal(t, internalError("the prompt's content is not valid"), err, "%+v in %s", link, version)
		}
	}
}

// What the author returns is content like any other.
func TestFallbackOfTheAuthor(t *testing.T) {
	t.Parallel()
	failed := internalError("the prompt's content is not valid")
	for _, test := range []struct {
		name     string
		content  Content
		fallback func(Content, string) Content
		want     string
		err      error
		log      string
	}{
		{"a pointer", someAudio, func(Content, string) Content { return &Text{Text: "x"} }, `{"type":"text","text":"x"}`, nil, ""},
		{"of what it is", someAudio, func(c Content, _ string) Content { return Text{Text: string(c.(Audio).Data)} }, `{"type":"text","text":"RIFF"}`, nil, ""},
		{"audio for audio", someAudio, func(c Content, _ string) Content { return c }, "", failed, "Options.Fallback"},
		{"audio for a link", someLink, func(Content, string) Content { return someAudio }, "", failed, "which has no audio"},
		{"a link for audio", someAudio, func(Content, string) Content { return someLink }, `{"type":"text","text":"seven: note://7"}`, nil, ""},
		{"a link for a link", someLink, func(Content, string) Content { return ResourceLink{URI: "a:b", Name: "other"} }, `{"type":"text","text":"other: a:b"}`, nil, ""},
		{"a nil pointer", someLink, func(Content, string) Content { return (*Text)(nil) }, "", failed, "content is nil"},
		{"not valid", someLink, func(Content, string) Content { return Text{Text: "\xff"} }, "", failed, "not valid UTF-8"},
		{"of no type of ours", someLink, func(Content, string) Content { return struct{ Text }{} }, "", failed, "use one of this package's own types"},
		{"a panic", someLink, func(Content, string) Content { panic(errors.New("a secret")) }, "", internalError("the prompt could not be rendered"), "a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j journal
			got, err := contentIn(t, "2024-11-05", test.content, Options{Fallback: test.fallback, Logger: j.logger()})
			assert.Equal(t, test.want, got)
			if test.err == nil {
				assert.NoError(t, err)
				assert.Empty(t, j.String())
				return
			}
			assert.Equal(t, test.err, err)
			assert.Contains(t, j.String(), test.log)
		})
	}
}

// A nil pointer has nothing that could stand in for it.
func TestFallbackOfNothing(t *testing.T) {
	t.Parallel()
	for _, content := range []Content{nil, (*Audio)(nil), (*ResourceLink)(nil), (*Text)(nil)} {
		var j journal
		_, err := contentIn(t, "2024-11-05", content, Options{Logger: j.logger(), Fallback: func(Content, string) Content {
			t.Error("called for nothing")
			return nil
		}})
		assert.Error(t, err)
		assert.Contains(t, j.String(), "content is nil")
	}
}
