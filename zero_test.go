package prompts_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// A value that no function made says which function makes it.
func TestValuesNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &prompts.Server{}, "prompts: Server is not made by NewServer")
	notmade.Check(t, &streamablehttp.Handler{}, "streamablehttp: Handler is not made by NewHandler")
	notmade.Check(t, &stdio.Conn{}, "stdio: Conn is not made by New or NewStream", "LimitMessages", "TransportInfo")
	notmade.Check(t, &stdio.LogWriter{}, "stdio: LogWriter is not made by NewLogWriter")
}

// A zero Registry is an empty registry, an Exchange needs Send, and Serve a connection.
func TestZeroValuesOfAServer(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	s := prompts.MustNewServer(&reg, prompts.Options{})
	session := s.NewSession(transport.SessionOptions{})
	defer session.Close()
	for _, x := range []transport.Exchange{{}, {ClientKey: "k"}} {
		for _, msg := range []string{servertest.InitializeLine, `{`, ``} {
			const want = "prompts: Handle: Exchange.Send must be a function, got nil; set Send"
			assert.EqualError(t, s.Handle(t.Context(), []byte(msg), x), want)
			assert.EqualError(t, session.Handle(t.Context(), []byte(msg), x), want)
		}
	}
	for _, version := range []string{"nonsense", "2026-07-28"} {
		unknown := s.NewSession(transport.SessionOptions{Version: version})
		defer unknown.Close()
		want := "prompts: SessionOptions.Version must be a protocol version with sessions, such as 2025-11-25, got \"" + version + "\""
		assert.EqualError(t, unknown.Notifications(t.Context(), nil), want)
		for _, msg := range []string{servertest.InitializeLine, servertest.PingLine("1"), `[]`} {
			released := 0
			x := transport.Exchange{
				Session: func(transport.RequestInfo) (transport.Session, error) { return unknown, nil },
				Send:    func(msg []byte, _ transport.Code, _ bool) error { t.Errorf("sent %s", msg); return nil },
				Release: func() { released++ },
			}
			assert.EqualError(t, s.Handle(t.Context(), []byte(msg), x), want)
			x.Session = nil
			assert.EqualError(t, unknown.Handle(t.Context(), []byte(msg), x), want)
			x.Send = nil
			assert.Error(t, s.Handle(t.Context(), []byte(msg), x))
			assert.Equal(t, 3, released)
		}
	}
	assert.EqualError(t, s.Serve(t.Context(), nil), "prompts: Serve: connection is nil")
	assert.ErrorContains(t, s.Serve(t.Context(), &stdio.Conn{}), "stdio: Conn is not made by New or NewStream")
	assert.ErrorContains(t, s.Serve(t.Context(), (*stdio.Conn)(nil)), "stdio: Conn is not made by New or NewStream")
	assert.NotErrorIs(t, s.Serve(t.Context(), &stdio.Conn{}), io.EOF)
}

// A function with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	var skills promptskills.Registry
	notmade.Nil(t, "prompts: NewServer: registry is nil; for a server without prompts, use new(prompts.Registry)", prompts.NewServer)
	notmade.Nil(t, "prompts: MarkdownTable: registry is nil", prompts.MarkdownTable)
	notmade.Nil(t, "prompts: Registry.OnChange: function is nil", reg.OnChange)
	notmade.Nil(t, "prompts: Registry.Update: function is nil", reg.Update)
	assert.NoError(t, reg.Update(func(tx *prompts.Tx) error {
		notmade.Nil(t, "prompts: Tx.Merge: registry is nil", tx.Merge)
		return nil
	}))
	notmade.Nil(t, "prompts: Once: function is nil", prompts.Once[int], t.Context(), "key")
	notmade.Nil(t, "prompts: Server.Reject: rejection is nil", prompts.MustNewServer(&reg, prompts.Options{}).Reject, t.Context())
	for _, q := range []prompts.Question{nil, (*prompts.Answer[string])(nil)} {
		var err error
		reg.Set(prompts.Prompt{Name: "asks", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			err = prompts.Ask(ctx, q)
			return prompts.Messages(), nil
		}})
		servertest.AnswerTo(t, prompts.MustNewServer(&reg, prompts.Options{}), nil, servertest.EnvelopedLine("1", "prompts/get", `"name":"asks"`))
		assert.EqualError(t, err, "prompts: Ask: question is nil")
	}
	notmade.Nil(t, "promptskills: New: registry is nil", promptskills.New)
	notmade.Nil(t, "promptskills: Registry.OnChange: function is nil", skills.OnChange)
	notmade.Nil(t, "promptskills: Registry.Update: function is nil", skills.Update)
	notmade.Nil(t, "prompttools: registry is nil; for tools without prompts, use new(prompts.Registry)", prompttools.New)
	notmade.Nil(t, "streamablehttp: NewHandler: server is nil", streamablehttp.NewHandler)
	notmade.Nil(t, "streamablehttp: Choose: function is nil", streamablehttp.Choose)
	notmade.Nil(t, "streamablehttp: NewHandler: server is nil", streamablehttp.ListenAndServe, t.Context(), "127.0.0.1:0")
	notmade.Nil(t, "stdio: Run: server is nil", stdio.Run, t.Context())
	notmade.Nil(t, "stdio: NewLogWriter: writer is nil", stdio.NewLogWriter)
	notmade.Nil(t, "stdio: NewStream: reader is nil", stdio.NewStream, nil, io.Discard)
	notmade.Nil(t, "stdio: NewStream: reader is nil", stdio.NewStream, (*os.File)(nil), io.Discard)
	notmade.Nil(t, "stdio: NewStream: writer is nil", stdio.NewStream, io.MultiReader())
}

// A negative number of each option has the meaning of its comment, or is an error. The other
// modules have the same test.
func TestNegativeOptions(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	notmade.Negative(t, func(o prompts.Options) error { return servertest.OptionsError(o) },
		"Timeouts.Render", "Timeouts.Complete", "Timeouts.Elicit", "Timeouts.Drain")
	withMethod := func(m feature.Method) error {
		m.Func = func(context.Context, json.RawMessage) (any, error) { return nil, nil }
		return servertest.OptionsError(prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"m": m}}}})
	}
	notmade.Negative(t, withMethod)
	assert.ErrorContains(t, withMethod(feature.Method{ClientCache: &feature.ClientCache{TTL: -1}}), `method "m": ClientCache.TTL must not be negative, got -1ns`)
	notmade.Negative(t, func(c prompts.Cache) error {
		if c.TTL == 0 {
			c.TTL = time.Hour
		}
		p := servertest.TextPrompt("p", "hi")
		p.Cache = c
		return new(prompts.Registry).Add(p)
	})
	notmade.Negative(t, func(o promptskills.Options) error {
		_, err := promptskills.New(new(promptskills.Registry), o)
		return err
	})
	assert.ErrorIs(t, (&promptskills.Registry{MaxTotalBytes: -1}).Add(promptskills.Skill{
		Path: "a", Frontmatter: json.RawMessage(`{"name":"a","description":"b"}`), Files: map[string][]byte{"SKILL.md": nil},
	}), promptskills.ErrTooLarge)
	notmade.Negative(t, func(o prompttools.Options) error { _, err := prompttools.New(&reg, o); return err })
	server := prompts.MustNewServer(&reg, prompts.Options{})
	notmade.Negative(t, func(o streamablehttp.Options) error { _, err := streamablehttp.NewHandler(server, o); return err },
		"SessionTimeout", "ReadTimeout", "WriteTimeout", "KeepAlive")
	notmade.Negative(t, func(o stdio.Options) error { stdio.NewStream(io.MultiReader(), io.Discard, o); return nil })
}

// A test of the kind above has each struct of options with a number, and a number of bytes is an int.
func TestNumbersAmongTheOptions(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/options.md")
	require.NoError(t, err)
	var with []string
	for _, section := range strings.Split(string(page), "\n### ")[1:] {
		if regexp.MustCompile("`(int|float64|time.Duration)`").MatchString(section) {
			name, _, _ := strings.Cut(section, "\n")
			with = append(with, name)
		}
		assert.NotContains(t, section, "`int64`")
	}
	assert.ElementsMatch(t, []string{
		"prompts.Options", "prompts.Cache", "prompts.Timeouts", "prompts.Limits", "feature.ClientCache", "promptskills.Options", "prompttools.Options",
		"streamablehttp.Options", "stdio.Options", "promptfs.Options", "promptnats.Options", "promptoci.Options", "promptoci.Limits",
		"prompttest.ClientOptions", "prompttest.TransportOptions", // which fail the test
	}, with)
}
