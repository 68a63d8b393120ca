package prompts_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// digestOf returns a valid Digest that ends with a number.
func digestOf(n int) string { return fmt.Sprintf("sha256:%064x", n) }

// releaseOne is the release that most tests serve.
var releaseOne = prompts.Release{ID: "sha256:one", Label: "production", Source: "files:"}

// setRelease moves the registry to a release with one prompt, whose text names it.
func setRelease(t testing.TB, r *prompts.Registry, release prompts.Release, digest string) {
	t.Helper()
	p := textPrompt("greet", release.ID)
	p.Source, p.Digest = release.Source+"greet.md", digest
	require.NoError(t, r.Update(func(tx *prompts.Tx) error {
		return cmpErr(tx.Set(p), tx.SetRelease(release))
	}))
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// The list names the release, the entry the digest, and a get both (since 2025-06-18). A
// prompt of another Source is of no release.
func TestReleaseInMeta(t *testing.T) {
	t.Parallel()
	const (
		release = `"io.github.mcp-prompts/release":"sha256:one","io.github.mcp-prompts/label":"production"`
		list    = `{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`
	)
	digest := `"io.github.mcp-prompts/digest":"` + digestOf(1) + `"`
	r := registryOf(textPrompt("code", "in code"))
	setRelease(t, r, releaseOne, digestOf(1))
	for _, through := range []func(prompts.Handler) prompts.Handler{nil, func(next prompts.Handler) prompts.Handler { return next }} {
		for _, schemas := range []bool{false, true} {
			s := prompts.MustNewServer(r, prompts.Options{Middleware: through, InputSchemas: schemas})
			for version, has := range map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
				session := sessionIn(t, s, version)
				listed, got, ofCode := answerTo(t, s, session, list), answerTo(t, s, session, getLine("3", "greet")), answerTo(t, s, session, getLine("4", "code"))
				assert.Equal(t, has, strings.Contains(listed, `"_meta":{`+release+`}}`), "%s: %s", version, listed)
				assert.Equal(t, has, strings.Contains(listed, digest), "%s: %s", version, listed)
				assert.Equal(t, has, strings.Contains(got, `"_meta":{`+digest+`,`+release+`}`), "%s: %s", version, got)
				assert.NotContains(t, ofCode, "mcp-prompts", version)
			}
			stateless := answerTo(t, s, nil, envelopedLine("5", "prompts/list", ""))
			assert.Contains(t, stateless, release+`}}`)
			assert.Contains(t, answerTo(t, s, nil, envelopedGet("6", "greet")), digest+`,`+release+`}`)
			assert.NotContains(t, answerTo(t, s, nil, envelopedGet("7", "code")), "mcp-prompts/")
		}
	}
	for _, schemas := range []bool{false, true} {
		s := prompts.MustNewServer(r, prompts.Options{DisableReleaseMeta: true, InputSchemas: schemas})
		session := sessionIn(t, s, "2025-11-25")
		for _, answer := range []string{answerTo(t, s, session, list), answerTo(t, s, session, getLine("3", "greet"))} {
			assert.NotContains(t, answer, "/digest")
			assert.NotContains(t, answer, "/release")
		}
		assert.NotContains(t, answerTo(t, s, nil, envelopedLine("5", "prompts/list", "")), "sha256")
	}
	// With two releases, the list is of neither, and a get names that of its prompt.
	require.NoError(t, r.Update(func(tx *prompts.Tx) error {
		return tx.SetRelease(prompts.Release{ID: "revision 7", Source: "bucket:"})
	}))
	s := prompts.MustNewServer(r, prompts.Options{})
	session := sessionIn(t, s, "2025-11-25")
	assert.NotContains(t, answerTo(t, s, session, list), "/release")
	assert.Contains(t, answerTo(t, s, session, getLine("3", "greet")), release)
	require.NoError(t, r.Update(func(tx *prompts.Tx) error { return tx.SetRelease(prompts.Release{Source: "bucket:"}) }))
	assert.Equal(t, []prompts.Release{releaseOne}, r.Releases())
}

// What is invalid is rejected, and what the application says of itself stays.
func TestReleaseErrors(t *testing.T) {
	t.Parallel()
	r := new(prompts.Registry)
	set := func(v prompts.Release) error { return r.Update(func(tx *prompts.Tx) error { return tx.SetRelease(v) }) }
	assert.EqualError(t, set(prompts.Release{ID: strings.Repeat("a", 257)}), "prompts: Release.ID has 257 bytes (limit 256)")
	assert.EqualError(t, set(prompts.Release{ID: "a", Label: "\xff"}), "prompts: Release.Label is not valid UTF-8")
	for _, digest := range []string{"a", "sha256:", "sha512:" + strings.Repeat("0", 64), digestOf(1) + "0", "sha256:" + strings.Repeat("A", 64)} {
		p := textPrompt("p", "hi")
		p.Digest = digest
		assert.ErrorContains(t, r.Add(p), "Digest must be sha256: and 64 lowercase hexadecimal digits", digest)
	}
	p := textPrompt("p", "hi")
	p.Digest, p.Meta = digestOf(1), prompts.Meta{"io.github.mcp-prompts/digest": "x"}
	assert.ErrorContains(t, r.Add(p), `Meta["io.github.mcp-prompts/digest"] is reserved for Digest`)

	passedOn := prompts.Meta{"io.github.mcp-prompts/digest": "a", "io.github.mcp-prompts/release": "b"}
	relay := rendered("relay", func(context.Context) (*prompts.Result, error) {
		return &prompts.Result{Messages: []prompts.Message{prompts.User("hi")}, Meta: passedOn}, nil
	})
	relay.Digest = digestOf(1)
	r.MustAdd(relay)
	require.NoError(t, set(prompts.Release{ID: "one"}))
	s := prompts.MustNewServer(r, prompts.Options{})
	assert.Contains(t, answerTo(t, s, sessionIn(t, s, "2025-11-25"), getLine("3", "relay")),
		`"_meta":{"io.github.mcp-prompts/digest":"a","io.github.mcp-prompts/release":"b"}`)
}

// A result is of the release that it names, with what it includes, whenever the release
// changes. A change of the release alone is no change of the list.
func TestReleaseIsThatOfTheResult(t *testing.T) {
	t.Parallel()
	r := new(prompts.Registry)
	move := func(n int) {
		id := fmt.Sprint("release-", n)
		outer := rendered("outer", func(ctx context.Context) (*prompts.Result, error) {
			included, err := prompts.Include(ctx, "greet", nil)
			if err != nil {
				return nil, err
			}
			return prompts.Messages(append(included.Messages, prompts.User(id))...), nil
		})
		inner := textPrompt("greet", id)
		outer.Source, inner.Source = "files:outer.md", "files:greet.md"
		require.NoError(t, r.Update(func(tx *prompts.Tx) error {
			return cmpErr(tx.Set(outer, inner), tx.SetRelease(prompts.Release{ID: id, Source: "files:"}))
		}))
	}
	move(0)
	for _, through := range []func(prompts.Handler) prompts.Handler{nil, prompts.AuditLog(slog.New(slog.DiscardHandler))} {
		s := prompts.MustNewServer(r, prompts.Options{Middleware: through})
		var readers sync.WaitGroup
		done := make(chan struct{})
		for range 2 {
			session := sessionIn(t, s, "2025-11-25")
			readers.Go(func() {
				for n := 1; ; n++ {
					answer := answerTo(t, s, session, getLine(fmt.Sprint(n), "outer"))
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
	changed, cancel := r.Subscribe()
	defer cancel()
	require.NoError(t, r.Update(func(tx *prompts.Tx) error { return tx.SetRelease(prompts.Release{ID: "other", Source: "files:"}) }))
	assert.Empty(t, changed)
	assert.Equal(t, "other", r.Releases()[0].ID)
	require.Error(t, r.Update(func(tx *prompts.Tx) error {
		return cmpErr(tx.SetRelease(prompts.Release{ID: "failed", Source: "files:"}), assert.AnError)
	}))
	assert.Equal(t, "other", r.Releases()[0].ID)
}

// The audit log, a middleware and an observer get the version.
func TestReleaseIsObserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, log, seen := new(prompts.Registry), &journal{}, &watcher{}
		setRelease(t, r, releaseOne, digestOf(1))
		audit := prompts.AuditLog(log.logger())
		s := prompts.MustNewServer(r, prompts.Options{Observer: seen, Middleware: audit})
		session := newSession(t, s)
		answerTo(t, s, session, getLine("3", "greet"))
		require.NoError(t, s.Flush(t.Context()))
		assert.Contains(t, log.String(), "digest="+digestOf(1)+" release=sha256:one label=production outcome=complete")
		last := seen.ends[len(seen.ends)-1].out
		assert.Equal(t, []string{"greet", digestOf(1), "sha256:one", "production"}, []string{last.Prompt, last.Digest, last.Release, last.Label})
	})
}

// A release adds no allocation to a get, and not 5 % of its bytes.
func TestReleaseAllocations(t *testing.T) {
	measure := func(r *prompts.Registry) (allocs, bytes float64) {
		session := newSession(t, prompts.MustNewServer(r, prompts.Options{Timeouts: prompts.Timeouts{Render: -1}}))
		raw, ctx, x := []byte(getLine("1", "greet")), t.Context(), transport.Exchange{Send: func([]byte, prompts.Code, bool) error { return nil }}
		run := func() { assert.NoError(t, session.Handle(ctx, raw, x)) }
		return testing.AllocsPerRun(200, run), bytesPerRun(200, run)
	}
	with := new(prompts.Registry)
	setRelease(t, with, releaseOne, digestOf(1))
	allocs, bytes := measure(registryOf(textPrompt("greet", "sha256:one")))
	more, moreBytes := measure(with)
	if !prompts.RaceEnabled {
		assert.Equal(t, allocs, more)
		assert.LessOrEqual(t, moreBytes, bytes*1.05)
	}
}
