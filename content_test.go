package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

type embedsText struct{ prompts.Text }

// All errors of a result are logged, each with the number of its message. The client
// gets an internal error without details (PRG-08, JRP-30, MET-02 to MET-04).
func TestInvalidContent(t *testing.T) {
	t.Parallel()
	in := func(c prompts.Content) *prompts.Result {
		return prompts.Messages(prompts.User("ok"), prompts.Message{prompts.RoleUser, c})
	}
	notes := func(a prompts.Annotations) *prompts.Result { return in(&prompts.Text{Annotations: &a}) }
	for _, c := range []struct {
		name   string
		result *prompts.Result
		want   []string
	}{
		{"nil", nil, []string{"render function returned neither a result nor an error"}},
		{"zero message", prompts.Messages(prompts.Message{}), []string{`message 1: unknown role; use "user" or "assistant"`, "message 1: content is nil"}},
		{"role", prompts.Messages(prompts.Message{"system", &prompts.Text{}}, prompts.Message{"User", &prompts.Text{}}), []string{`message 1: unknown role; use`, `message 2: unknown role; use`}},
		{"nil pointer", in((*prompts.Image)(nil)), []string{"message 2: content is nil"}},
		{"embedding", in(&embedsText{}), []string{"message 2: unsupported content type *prompts_test.embedsText"}},
		{"UTF-8 in a text", in(&prompts.Text{Text: "a\xff"}), []string{"message 2: text is not valid UTF-8"}},
		{"surrogates", in(&prompts.Text{Text: "\xed\xa0\x80"}), []string{"message 2: text is not valid UTF-8"}},
		{"UTF-8 in a description", &prompts.Result{Description: "\xff"}, []string{"description is not valid UTF-8"}},
		{"UTF-8 in a role", prompts.Messages(prompts.Message{"\xff", &prompts.Text{}}), []string{`message 1: unknown role; use`, "message 1: role is not valid UTF-8"}},
		{"UTF-8 in _meta", &prompts.Result{Meta: prompts.Meta{"a": "\xff"}}, []string{`_meta: invalid UTF-8`}},
		{"UTF-8 in a name", in(&prompts.ResourceLink{URI: "a:b", Name: "\xff", Title: "\xff", Description: "\xff"}),
			[]string{"message 2: name is not", "message 2: title is not", "message 2: description is not"}},
		{"UTF-8 in a resource", in(&prompts.EmbeddedResource{URI: "a:b\xff", Text: "\xff", MIMEType: "a/\xff"}), []string{
			"message 2: uri is not valid UTF-8", `message 2: uri: a URI must be percent-encoded`,
			"message 2: mimeType is not valid UTF-8", `message 2: MIME type: `, "message 2: text is not valid UTF-8"}},
		{"no MIME type", in(&prompts.Image{}), []string{`message 2: MIME type is missing`}},
		{"no MIME type of audio", in(&prompts.Audio{}), []string{`message 2: MIME type is missing`}},
		{"MIME type", in(&prompts.Image{MIMEType: "png"}), []string{`message 2: MIME type: no subtype`}},
		{"priority above 1", notes(prompts.Annotations{Priority: ptr(1.01)}), []string{"message 2: priority must be from 0 to 1, got 1.01"}},
		{"priority below 0", notes(prompts.Annotations{Priority: ptr(-0.1)}), []string{"message 2: priority must be from 0 to 1, got -0.1"}},
		{"priority NaN", notes(prompts.Annotations{Priority: ptr(math.NaN())}), []string{"message 2: priority must be from 0 to 1, got NaN"}},
		{"priority infinite", notes(prompts.Annotations{Priority: ptr(math.Inf(1))}), []string{"message 2: priority must be from 0 to 1, got +Inf"}},
		{"audience", notes(prompts.Annotations{Audience: []prompts.Role{prompts.RoleUser, "model"}}), []string{`message 2: unknown audience; use "user" or "assistant"`}},
		{"year 10000", notes(prompts.Annotations{LastModified: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}), []string{"message 2: lastModified: year 10000"}},
		{"year 10000 in UTC", notes(prompts.Annotations{LastModified: time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -7200))}), []string{"message 2: lastModified: year 10000"}},
		{"year -1", notes(prompts.Annotations{LastModified: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)}), []string{"message 2: lastModified: year -1"}},
		{"text and blob", in(&prompts.EmbeddedResource{URI: "a:b", Text: "x", Blob: []byte{}}), []string{`message 2: resource has both Text and Blob; set one of the two`}},
		{"no URI", in(&prompts.EmbeddedResource{Text: "x"}), []string{`message 2: uri: not an absolute URI`}},
		{"relative URI", in(&prompts.ResourceLink{URI: "/a/b", Name: "n"}), []string{`message 2: uri: not an absolute URI: it has no scheme`}},
		{"no name", in(&prompts.ResourceLink{URI: "a:b"}), []string{`message 2: resource link has no Name`}},
		{"negative size", in(&prompts.ResourceLink{URI: "a:b", Name: "n", Size: ptr(int64(-1))}), []string{"message 2: size must not be negative, got -1"}},
		{"icon", in(&prompts.ResourceLink{URI: "a:b", Name: "n", Icons: []prompts.Icon{{Src: "x"}}}), []string{`message 2: icon 1: src must be an https, http or data URI`}},
		{"icons", in(&prompts.ResourceLink{URI: "a:b", Name: "n", MIMEType: "x", Icons: []prompts.Icon{{Src: "file:///x", MIMEType: "x", Sizes: []string{"x"}, Theme: "x"}}}), []string{
			`message 2: MIME type: no subtype`, `message 2: icon 1: src must be an https`, `message 2: icon 1: MIME type: no subtype`,
			`message 2: icon 1: invalid size; use`, `message 2: icon 1: unknown theme; use`}},
		{"reserved _meta", in(&prompts.Text{Meta: prompts.Meta{"io.modelcontextprotocol/x": 1}}), []string{`message 2: _meta key: the prefix is reserved for the protocol`}},
		{"_meta of a resource", in(&prompts.EmbeddedResource{URI: "a:b", ResourceMeta: prompts.Meta{"a b": 1}}), []string{`message 2: _meta key: a name must`}},
		{"_meta with duplicate keys", &prompts.Result{Meta: prompts.Meta{"a": json.RawMessage(`{"a":1,"a":2}`)}}, []string{`_meta: `}},
		{"_meta that panics", &prompts.Result{Meta: prompts.Meta{"a": panics{}}}, []string{`_meta: panic: a panic`}},
		{"_meta too deep", &prompts.Result{Meta: prompts.Meta{"a": json.RawMessage(strings.Repeat("[", 200) + strings.Repeat("]", 200))}}, []string{`_meta: `}},
		{"all of them", prompts.Messages(prompts.Message{}, prompts.Message{prompts.RoleUser, &prompts.Image{}}), []string{"message 1: unknown role", "message 1: content is nil", `message 2: MIME type is missing`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, faults := prompts.EncodeResult(revision.V20251125, c.result)
			if assert.Len(t, faults, len(c.want), errors.Join(faults...)) {
				for i, want := range c.want {
					assert.True(t, strings.HasPrefix(faults[i].Error(), want), "%s\n%s", want, faults[i])
				}
			}
			var log strings.Builder
			p := prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return c.result, nil }}
			// Not as a tool, too: the result of a tool has no roles and other content.
			s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, e := callMethod(t, s, "prompts/get", "p", `{}`)
			require.NotNil(t, e)
			assert.Equal(t, prompts.CodeInternalError, e.Code)
			assert.Nil(t, servertest.NeutralError(e).Data)
			assert.NotContains(t, e.Message, "message 1")
			assert.Equal(t, 1, strings.Count(log.String(), "\n"))
			for _, err := range faults {
				assert.Contains(t, log.String(), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(err.Error()))
			}
		})
	}
}

// Whatever is in a result may be the value of an argument, which must not reach the log.
func TestContentErrorsDoNotQuoteArguments(t *testing.T) {
	t.Parallel()
	const secret = "s3cret value"
	for _, r := range []*prompts.Result{
		prompts.Messages(prompts.Message{Role: secret, Content: &prompts.Text{}}),
		{Meta: prompts.Meta{secret: 1}},
		{Meta: prompts.Meta{"s3cret": func() {}}},
	} {
		_, faults := prompts.EncodeResult(revision.V20251125, r)
		assert.NotEmpty(t, faults)
		assert.NotContains(t, errors.Join(faults...).Error(), "s3cret")
	}
	for _, c := range []prompts.Content{
		&prompts.Text{Annotations: &prompts.Annotations{Audience: []prompts.Role{secret}}},
		&prompts.ResourceLink{URI: "a:b", Name: "n", Icons: []prompts.Icon{{Src: secret, MIMEType: secret, Sizes: []string{secret}, Theme: secret}}},
		&prompts.ResourceLink{URI: "a:b", Name: "n", Icons: []prompts.Icon{{Src: "s3cret:x"}}},
		&prompts.EmbeddedResource{URI: secret}, &prompts.ResourceLink{URI: secret}, &prompts.Image{MIMEType: secret},
		&prompts.EmbeddedResource{URI: "a:b", Text: secret, Blob: []byte(secret)}, &prompts.Text{Text: secret + "\xff"},
	} {
		_, faults := prompts.EncodeResult(revision.V20251125, prompts.Messages(prompts.Message{prompts.RoleUser, c}))
		assert.NotEmpty(t, faults)
		assert.NotContains(t, errors.Join(faults...).Error(), "s3cret")
	}
}

// A nil pointer is no content.
func TestNilContent(t *testing.T) {
	t.Parallel()
	for _, c := range []prompts.Content{
		(*prompts.Text)(nil), (*prompts.Image)(nil), (*prompts.Audio)(nil), (*prompts.EmbeddedResource)(nil), (*prompts.ResourceLink)(nil),
	} {
		for _, rev := range revision.All() {
			_, faults := prompts.EncodeResult(rev, prompts.Messages(prompts.Message{prompts.RoleUser, c}))
			assert.EqualError(t, errors.Join(faults...), "message 1: content is nil", "%T", c)
		}
	}
}

// The number of errors reported for one result is limited.
func TestErrorsOfResultAreBounded(t *testing.T) {
	t.Parallel()
	_, faults := prompts.EncodeResult(revision.V20251125, prompts.Messages(make([]prompts.Message, 50_000)...))
	require.Len(t, faults, servertest.MaxResultErrors+1)
	assert.EqualError(t, faults[0], `message 1: unknown role; use "user" or "assistant"`)
	assert.EqualError(t, faults[servertest.MaxResultErrors], "and 99984 more")

	_, faults = prompts.EncodeResult(revision.V20251125, prompts.Messages(make([]prompts.Message, servertest.MaxResultErrors/2)...))
	assert.Len(t, faults, servertest.MaxResultErrors)
}

// contentIn returns the message that a client of a revision gets for content,
// or the error.
func contentIn(t testing.TB, version string, content prompts.Content, o prompts.Options) (string, error) {
	t.Helper()
	p := servertest.Rendered("p", func(context.Context) (*prompts.Result, error) {
		return prompts.Messages(prompts.Message{Role: prompts.RoleUser, Content: content}), nil
	})
	raw, err := prompts.MustNewServer(servertest.RegistryOf(p), o).Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(raw), `"messages":[{"role":"user","content":`)
	message, _, ok := strings.Cut(rest, `}]`)
	require.True(t, ok, "%s", raw)
	return message, nil
}

var (
	someAudio = &prompts.Audio{Data: []byte("RIFF"), MIMEType: "audio/wav"}
	someLink  = &prompts.ResourceLink{URI: "note://7", Name: "seven"}
)

// What the author returns is content like any other.
func TestFallbackOfTheAuthor(t *testing.T) {
	t.Parallel()
	failed := servertest.InternalError(servertest.InvalidResult)
	for _, test := range []struct {
		name     string
		content  prompts.Content
		fallback func(context.Context, prompts.Fallback) prompts.Content
		want     string
		err      error
		log      string
	}{
		{"a pointer", someAudio, func(context.Context, prompts.Fallback) prompts.Content { return &prompts.Text{Text: "x"} }, `{"type":"text","text":"x"}`, nil, ""},
		{"of what it is", someAudio, func(_ context.Context, f prompts.Fallback) prompts.Content {
			return &prompts.Text{Text: string(f.Content.(*prompts.Audio).Data)}
		}, `{"type":"text","text":"RIFF"}`, nil, ""},
		{"of a link", someLink, func(_ context.Context, f prompts.Fallback) prompts.Content {
			return &prompts.Text{Text: f.Content.(*prompts.ResourceLink).URI}
		}, `{"type":"text","text":"note://7"}`, nil, ""},
		{"audio for audio", someAudio, func(_ context.Context, f prompts.Fallback) prompts.Content { return f.Content }, `{"type":"text","text":"[audio left out: audio/wav, 4 bytes]"}`, nil, ""},
		{"audio for a link", someLink, func(context.Context, prompts.Fallback) prompts.Content { return someAudio }, `{"type":"text","text":"[audio left out: audio/wav, 4 bytes]"}`, nil, ""},
		{"invalid audio", &prompts.Audio{MIMEType: "wav"}, nil, "", failed, "MIME type"},
		{"a link for audio", someAudio, func(context.Context, prompts.Fallback) prompts.Content { return someLink }, `{"type":"text","text":"seven: note://7"}`, nil, ""},
		{"a link for a link", someLink, func(context.Context, prompts.Fallback) prompts.Content {
			return &prompts.ResourceLink{URI: "a:b", Name: "other"}
		}, `{"type":"text","text":"other: a:b"}`, nil, ""},
		{"a nil pointer", someLink, func(context.Context, prompts.Fallback) prompts.Content { return (*prompts.Text)(nil) }, "", failed, "content is nil"},
		{"not valid", someLink, func(context.Context, prompts.Fallback) prompts.Content { return &prompts.Text{Text: "\xff"} }, "", failed, "not valid UTF-8"},
		{"of no type of ours", someLink, func(context.Context, prompts.Fallback) prompts.Content { return &struct{ prompts.Text }{} }, "", failed, "use one of the types of package prompts"},
		{"a panic", someLink, func(context.Context, prompts.Fallback) prompts.Content { panic(errors.New("a secret")) }, "", servertest.InternalError(servertest.RenderFailed), "a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j servertest.Journal
			got, err := contentIn(t, "2024-11-05", test.content, prompts.Options{Fallback: test.fallback, Logger: j.Logger()})
			assert.Equal(t, test.want, got)
			if test.err == nil {
				assert.NoError(t, err)
				assert.Empty(t, j.String())
				return
			}
			assert.Equal(t, test.err, servertest.AsNeutral(err))
			assert.Contains(t, j.String(), test.log)
		})
	}
}

// In every version and by every door, Fallback gets each content that the version does not have,
// with the version of the response and the client's description of itself.
func TestFallbackSeesTheClient(t *testing.T) {
	t.Parallel()
	const info = `{"name":"browser","version":"9","title":"Browser"}`
	audio, link := someAudio, someLink
	p := servertest.Rendered("p", func(context.Context) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(audio), prompts.UserContent(link), prompts.User("words")), nil
	})
	replaced := map[string][]prompts.Content{"2024-11-05": {audio, link}, "2025-03-26": {link}}
	get := func(version string, o prompts.CallOptions) func(t *testing.T, s *prompts.Server) string {
		return func(t *testing.T, s *prompts.Server) string {
			o.Version = version
			raw, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), o)
			require.NoError(t, err)
			return string(raw)
		}
	}
	for _, version := range append(slices.Clone(servertest.HandshakeVersions), "2026-07-28") {
		doors := map[string]func(t *testing.T, s *prompts.Server) string{
			"Call":              get(version, prompts.CallOptions{ClientInfo: json.RawMessage(info)}),
			"Call of no client": get(version, prompts.CallOptions{}),
			"a session": func(t *testing.T, s *prompts.Server) string {
				session := s.NewSession(transport.SessionOptions{})
				defer session.Close()
				for _, line := range []string{
					`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":` + info + `}}`, servertest.InitializedLine,
				} {
					_, err := servertest.Handle(t, s, session, line)
					require.NoError(t, err)
				}
				return servertest.AnswerTo(t, s, session, servertest.GetLine("2", "p"))
			},
		}
		if version == "2026-07-28" { // has no initialize
			line := servertest.EnvelopedLine("1", "prompts/get", `"name":"p"`)
			line = strings.Replace(line, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/clientInfo":`+info+`,`, 1)
			doors["a session"] = func(t *testing.T, s *prompts.Server) string {
				return servertest.AnswerTo(t, s, servertest.SessionIn(t, s, "2024-11-05"), line) // the version of the request wins
			}
			doors["Handle"] = func(t *testing.T, s *prompts.Server) string { return servertest.AnswerTo(t, s, nil, line) }
		}
		for door, get := range doors {
			var seen []prompts.Fallback
			s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Fallback: func(_ context.Context, f prompts.Fallback) prompts.Content {
				seen = append(seen, f)
				return &prompts.Text{Text: fmt.Sprintf("%T for %s", f.Content, f.Client.Title)}
			}})
			got := get(t, s)
			client := prompts.Implementation{Name: "browser", Version: "9", Title: "Browser"}
			if door == "Call of no client" {
				client = prompts.Implementation{}
			}
			var want []prompts.Fallback
			for _, content := range replaced[version] {
				want = append(want, prompts.Fallback{Content: content, Version: version, Client: client})
				assert.Contains(t, got, fmt.Sprintf(`{"type":"text","text":"%T for %s"}`, content, client.Title), "%s by %s", version, door)
			}
			assert.Equal(t, want, seen, "%s by %s", version, door)
			assert.Equal(t, len(want) < 2, strings.Contains(got, `"type":"audio"`), "%s by %s", version, door)
			assert.Equal(t, len(want) < 1, strings.Contains(got, `"type":"resource_link"`), "%s by %s", version, door)
		}
	}
}

func TestContentMessages(t *testing.T) {
	t.Parallel()
	image := &prompts.Image{Data: []byte{1}, MIMEType: "image/png"}
	assert.Equal(t, prompts.Message{Role: prompts.RoleUser, Content: image}, prompts.UserContent(image))
	assert.Equal(t, prompts.Message{Role: prompts.RoleAssistant, Content: image}, prompts.AssistantContent(image))
}
