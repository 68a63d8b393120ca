package prompts_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// The list names the release, the entry the digest, and a get both (since 2025-06-18). A
// prompt of another Source is of no release.
func TestReleaseInMeta(t *testing.T) {
	t.Parallel()
	const (
		release = `"io.github.mcp-prompts/release":"sha256:one","io.github.mcp-prompts/label":"production"`
		list    = `{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`
	)
	digest := `"io.github.mcp-prompts/digest":"` + servertest.DigestOf(1) + `"`
	r := servertest.RegistryOf(servertest.TextPrompt("code", "in code"))
	servertest.SetRelease(t, r, servertest.ReleaseOne, servertest.DigestOf(1))
	for _, through := range []func(prompts.Handler) prompts.Handler{nil, func(next prompts.Handler) prompts.Handler { return next }} {
		for _, schemas := range []bool{false, true} {
			s := prompts.MustNewServer(r, prompts.Options{Middleware: through, InputSchemas: schemas})
			for version, has := range map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
				session := servertest.SessionIn(t, s, version)
				listed, got, ofCode := servertest.AnswerTo(t, s, session, list), servertest.AnswerTo(t, s, session, servertest.GetLine("3", "greet")), servertest.AnswerTo(t, s, session, servertest.GetLine("4", "code"))
				assert.Equal(t, has, strings.Contains(listed, `"_meta":{`+release+`}}`), "%s: %s", version, listed)
				assert.Equal(t, has, strings.Contains(listed, digest), "%s: %s", version, listed)
				assert.Equal(t, has, strings.Contains(got, `"_meta":{`+digest+`,`+release+`}`), "%s: %s", version, got)
				assert.NotContains(t, ofCode, "mcp-prompts", version)
			}
			stateless := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("5", "prompts/list", ""))
			assert.Contains(t, stateless, release+`}}`)
			assert.Contains(t, servertest.AnswerTo(t, s, nil, servertest.EnvelopedGet("6", "greet")), digest+`,`+release+`}`)
			assert.NotContains(t, servertest.AnswerTo(t, s, nil, servertest.EnvelopedGet("7", "code")), "mcp-prompts/")
		}
	}
	for _, schemas := range []bool{false, true} {
		s := prompts.MustNewServer(r, prompts.Options{DisableReleaseMeta: true, InputSchemas: schemas})
		session := servertest.SessionIn(t, s, "2025-11-25")
		for _, answer := range []string{servertest.AnswerTo(t, s, session, list), servertest.AnswerTo(t, s, session, servertest.GetLine("3", "greet"))} {
			assert.NotContains(t, answer, "/digest")
			assert.NotContains(t, answer, "/release")
		}
		assert.NotContains(t, servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("5", "prompts/list", "")), "sha256")
	}
	// With two releases, the list is of neither, and a get names that of its prompt.
	require.NoError(t, r.Update(func(tx *prompts.Tx) error {
		return tx.SetRelease(prompts.Release{ID: "revision 7", Source: "bucket:"})
	}))
	s := prompts.MustNewServer(r, prompts.Options{})
	session := servertest.SessionIn(t, s, "2025-11-25")
	assert.NotContains(t, servertest.AnswerTo(t, s, session, list), "/release")
	assert.Contains(t, servertest.AnswerTo(t, s, session, servertest.GetLine("3", "greet")), release)
	require.NoError(t, r.Update(func(tx *prompts.Tx) error { return tx.SetRelease(prompts.Release{Source: "bucket:"}) }))
	assert.Contains(t, servertest.AnswerTo(t, s, session, list), release)
}

// What is invalid is rejected, and what the application says of itself stays.
func TestReleaseErrors(t *testing.T) {
	t.Parallel()
	r := new(prompts.Registry)
	set := func(v prompts.Release) error { return r.Update(func(tx *prompts.Tx) error { return tx.SetRelease(v) }) }
	assert.EqualError(t, set(prompts.Release{ID: strings.Repeat("a", 257)}), "prompts: Release.ID has 257 bytes (limit 256)")
	assert.EqualError(t, set(prompts.Release{ID: "a", Label: "\xff"}), "prompts: Release.Label is not valid UTF-8")
	for _, digest := range []string{"a", "sha256:", "sha512:" + strings.Repeat("0", 64), servertest.DigestOf(1) + "0", "sha256:" + strings.Repeat("A", 64)} {
		p := servertest.TextPrompt("p", "hi")
		p.Digest = digest
		assert.ErrorContains(t, r.Add(p), "Digest must be sha256: and 64 lowercase hexadecimal digits", digest)
	}
	p := servertest.TextPrompt("p", "hi")
	p.Digest, p.Meta = servertest.DigestOf(1), prompts.Meta{"io.github.mcp-prompts/digest": "x"}
	assert.ErrorContains(t, r.Add(p), `Meta["io.github.mcp-prompts/digest"] is reserved for Digest`)

	passedOn := prompts.Meta{"io.github.mcp-prompts/digest": "a", "io.github.mcp-prompts/release": "b"}
	relay := servertest.Rendered("relay", func(context.Context) (*prompts.Result, error) {
		return &prompts.Result{Messages: []prompts.Message{prompts.User("hi")}, Meta: passedOn}, nil
	})
	relay.Digest = servertest.DigestOf(1)
	r.MustAdd(relay)
	require.NoError(t, set(prompts.Release{ID: "one"}))
	s := prompts.MustNewServer(r, prompts.Options{})
	assert.Contains(t, servertest.AnswerTo(t, s, servertest.SessionIn(t, s, "2025-11-25"), servertest.GetLine("3", "relay")),
		`"_meta":{"io.github.mcp-prompts/digest":"a","io.github.mcp-prompts/release":"b"}`)
}

// A result is of the release that it names, with what it includes, whenever the release
// changes. A change of the release alone is no change of the list.
func TestReleaseIsThatOfTheResult(t *testing.T) {
	t.Parallel()
	r := new(prompts.Registry)
	move := func(n int) {
		id := fmt.Sprint("release-", n)
		outer := servertest.Rendered("outer", func(ctx context.Context) (*prompts.Result, error) {
			included, err := prompts.Include(ctx, "greet", nil)
			if err != nil {
				return nil, err
			}
			return prompts.Messages(append(included.Messages, prompts.User(id))...), nil
		})
		inner := servertest.TextPrompt("greet", id)
		outer.Source, inner.Source = "files:outer.md", "files:greet.md"
		require.NoError(t, r.Update(func(tx *prompts.Tx) error {
			return servertest.CmpErr(tx.Set(outer, inner), tx.SetRelease(prompts.Release{ID: id, Source: "files:"}))
		}))
	}
	move(0)
	for _, through := range []func(prompts.Handler) prompts.Handler{nil, prompts.AuditLog(slog.New(slog.DiscardHandler))} {
		s := prompts.MustNewServer(r, prompts.Options{Middleware: through})
		var readers sync.WaitGroup
		done := make(chan struct{})
		for range 2 {
			session := servertest.SessionIn(t, s, "2025-11-25")
			readers.Go(func() {
				for n := 1; ; n++ {
					answer := servertest.AnswerTo(t, s, session, servertest.GetLine(fmt.Sprint(n), "outer"))
					_, id, _ := strings.Cut(answer, `"io.github.mcp-prompts/release":"`)
					id, _, _ = strings.Cut(id, `"`)
					if !assert.Equal(t, 3, strings.Count(answer, `"`+id+`"`), answer) {
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		for n := range 200 {
			move(n)
		}
		close(done)
		readers.Wait()
	}
	listed := func() string {
		result, _ := servertest.Call(t, prompts.MustNewServer(r, prompts.Options{}), "prompts/list", "")
		return result
	}
	changed, cancel := servertest.Signals(r.OnChange)
	defer cancel()
	require.NoError(t, r.Update(func(tx *prompts.Tx) error { return tx.SetRelease(prompts.Release{ID: "other", Source: "files:"}) }))
	assert.Empty(t, changed)
	assert.Contains(t, listed(), `"io.github.mcp-prompts/release":"other"`)
	require.Error(t, r.Update(func(tx *prompts.Tx) error {
		return servertest.CmpErr(tx.SetRelease(prompts.Release{ID: "failed", Source: "files:"}), assert.AnError)
	}))
	assert.Contains(t, listed(), `"io.github.mcp-prompts/release":"other"`)
}

// A release adds no allocation to a get, and not 5 % of its bytes.
func TestReleaseAllocations(t *testing.T) {
	measure := func(r *prompts.Registry) (allocs, bytes float64) {
		session := servertest.NewSession(t, prompts.MustNewServer(r, prompts.Options{Timeouts: prompts.Timeouts{Render: -1}}))
		raw, ctx, x := []byte(servertest.GetLine("1", "greet")), t.Context(), transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }}
		run := func() { assert.NoError(t, session.Handle(ctx, raw, x)) }
		return testing.AllocsPerRun(200, run), bytesPerRun(200, run)
	}
	with := new(prompts.Registry)
	servertest.SetRelease(t, with, servertest.ReleaseOne, servertest.DigestOf(1))
	allocs, bytes := measure(servertest.RegistryOf(servertest.TextPrompt("greet", "sha256:one")))
	more, moreBytes := measure(with)
	if !servertest.RaceEnabled {
		assert.Equal(t, allocs, more)
		assert.LessOrEqual(t, moreBytes, bytes*1.05)
	}
}
