package promptoci

import (
	"archive/tar"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	imagelayout "github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/opencontainers/go-digest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/file"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// moves is the number of moves in TestMovesUnderReaders.
var moves = flag.Int("moves", 60, "moves of a label under readers")

// TestSourceWithSecrets checks that no release names the user, the password or the token of
// a repository.
func TestSourceWithSecrets(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"https://ada:secret@example.org/x", "ssh://git@example.org/x", "https://example.org/x?token=secret", "https://example.org/x#secret"} {
		_, err := Build(nil, Info{Source: source})
		assert.ErrorContains(t, err, "without user, query and fragment")
		assert.NotContains(t, err.Error(), source)
	}
	for _, source := range []string{"", "https://example.org:8443/x", "ssh://example.org/x", "example.org:x"} {
		_, err := Build(nil, Info{Source: source})
		assert.NoError(t, err)
	}
}

// A release is the same on every machine, and comes back as it was.
func TestPushAndPull(t *testing.T) {
	t.Parallel()
	r, err := Build(map[string][]byte{"a/b.md": []byte("hello\n"), "c \"d\".md": []byte("é")}, Info{Message: "m", Author: "ada", Source: "https://example.org", Revision: "abc", Created: time.Unix(1_800_000_000, 5)})
	require.NoError(t, err)
	assert.EqualValues(t, "sha256:8176e9fddc2340e2261d3f25d827e6daea508d82342d3bc9f1778c1fb250f08b", r.Content)
	assert.EqualValues(t, "sha256:1d82c4203fa513875ed9891a3227ac978a305787634b8ffb09ba5bde6a5663d1", r.Digest)
	_, content := promptfs.Contents(r.Files)
	assert.EqualValues(t, content, r.Content)
	eachStore(t, func(t *testing.T, s Store) {
		ctx := t.Context()
		for range 2 {
			require.NoError(t, Push(ctx, s, r))
		}
		for _, by := range []string{r.Digest.String(), r.tag()} {
			pulled, err := Pull(ctx, s, by, Limits{})
			require.NoError(t, err)
			assert.Equal(t, r, pulled)
		}
		other := layout{t.TempDir()}
		pulled, err := Pull(ctx, s, r.tag(), Limits{})
		require.NoError(t, err)
		require.NoError(t, Push(ctx, other, pulled))
		copied, err := Pull(ctx, other, r.Digest.String(), Limits{})
		require.NoError(t, err)
		assert.Equal(t, r, copied)
		_, err = Pull(ctx, s, "absent", Limits{})
		assert.ErrorContains(t, err, "not found")
	})
}

// What another system could not write is no release.
func TestBuildErrors(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"../a": "invalid path", "/a": "invalid path", `a\b`: "invalid path", "a:b": "invalid path", "a\x01": "invalid path", "a\xff": "invalid path",
		"": "invalid path", ".": "invalid path", strings.Repeat("a/", 600) + "a": "limit 1024", "A.md": "differ only in case", "a.md/b": "a file and a folder", "A.MD/b": "differ only in case",
	} {
		_, err := Build(map[string][]byte{"a.md": nil, name: nil}, Info{})
		assert.ErrorContains(t, err, want, name)
	}
	_, err := Build(map[string][]byte{"caf\u00e9.md": nil, "cafe\u0301.md": nil}, Info{})
	assert.ErrorContains(t, err, "differ only in case, or in their Unicode form")
	_, err = Apply(t.Context(), layout{t.TempDir()}, Move{Label: "a", Reason: strings.Repeat("a", 5000)})
	assert.ErrorContains(t, err, "at most 4096 bytes")
	_, err = Build(map[string][]byte{"a.md": make([]byte, 65<<20)}, Info{})
	assert.ErrorContains(t, err, "layer exceeds the limit of 67108864")
	_, err = Build(nil, Info{Message: "\xff"})
	assert.ErrorContains(t, err, "Message is not valid UTF-8")
}

// Other tools get the folder: oras pull, and crane export.
func TestOtherClients(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"a/b/c.md": []byte("deep\n"), "d.md": []byte("é"), "empty.md": {}}
	r, err := Build(files, Info{})
	require.NoError(t, err)
	at := t.TempDir()
	s := layout{at}
	require.NoError(t, Push(t.Context(), s, r))
	moved(t, s, "production", r.Digest)

	dir := t.TempDir() // as oras pull does
	store, err := file.New(dir)
	require.NoError(t, err)
	defer store.Close()
	_, err = oras.Copy(t.Context(), s, "production", store, "production", oras.DefaultCopyOptions)
	require.NoError(t, err)
	pulled := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(filepath.Join(dir, folder), path)
		require.NoError(t, err)
		pulled[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	}))
	assert.Equal(t, files, pulled)

	index, err := imagelayout.ImageIndexFromPath(at) // as crane export does
	require.NoError(t, err)
	image, err := index.Image(v1.Hash{Algorithm: "sha256", Hex: r.Digest.Encoded()})
	require.NoError(t, err)
	exported := mutate.Extract(image)
	defer exported.Close()
	got := map[string][]byte{}
	for archive := tar.NewReader(exported); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if name, ok := strings.CutPrefix(h.Name, "prompts/"); ok && h.Typeflag == tar.TypeReg {
			got[name], err = io.ReadAll(archive)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, files, got)
}

// Moves are a stack: a rollback goes back, and a second one further.
func TestRollback(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s Store) {
		ctx := t.Context()
		_, err := Rollback(ctx, s, Move{Label: "production", By: "ada"})
		assert.ErrorIs(t, err, ErrNoHistory)
		var all []digest.Digest
		for n := range 4 {
			all = append(all, pushed(t, s, n))
			moved(t, s, "production", all[n])
		}
		assert.False(t, moved(t, s, "production", all[3]).Applied, "it is there already")
		at := func() digest.Digest {
			d, err := s.Resolve(ctx, "production")
			require.NoError(t, err)
			return d.Digest
		}
		back := func(to int) {
			t.Helper()
			m, err := Rollback(ctx, s, Move{Label: "production", By: "bob", Reason: "bad answers"})
			require.NoError(t, err)
			assert.Equal(t, all[to], m.To)
			assert.Equal(t, all[to], at())
		}
		_, err = Rollback(ctx, s, Move{Label: "production", From: all[2]})
		assert.ErrorIs(t, err, ErrMoved)
		_, err = Rollback(ctx, s, Move{Label: "production", From: all[2], To: all[0]})
		assert.ErrorIs(t, err, ErrMoved)
		assert.Equal(t, all[3], at())
		back(2)
		back(1)
		moved(t, s, "production", all[3])
		back(1)
		back(0)
		_, err = Rollback(ctx, s, Move{Label: "production", By: "bob"})
		assert.ErrorIs(t, err, ErrNoHistory)
		log := logOf(t, s, "production")
		require.Len(t, log, 9)
		assert.Equal(t, []any{KindRollback, "bob", "bad answers", all[0], all[1], true}, []any{log[0].Kind, log[0].By, log[0].Reason, log[0].To, log[0].From, log[0].Applied})
		_, err = Apply(ctx, s, Move{Label: "production", From: all[3], To: all[2]})
		assert.ErrorIs(t, err, ErrMoved)
		_, err = Apply(ctx, s, Move{Label: "a.b", To: all[2]})
		assert.ErrorContains(t, err, "invalid label")
		_, err = Apply(ctx, s, Move{Label: "production", To: digest.FromString("none")})
		assert.ErrorContains(t, err, "not found")
		// Another tool leaves no record, so there is nothing to go back to.
		d, err := s.Resolve(ctx, all[2].String())
		require.NoError(t, err)
		require.NoError(t, s.Tag(ctx, d, "production"))
		pushed(t, s, 9)
		outside := built(t, 9)
		d, err = s.Resolve(ctx, outside.Digest.String())
		require.NoError(t, err)
		require.NoError(t, s.Tag(ctx, d, "production"))
		_, err = Rollback(ctx, s, Move{Label: "production", By: "bob"})
		assert.ErrorIs(t, err, ErrNoHistory)
		assert.ErrorContains(t, err, "name the release to go back to")
		log = logOf(t, s, "production")
		assert.Equal(t, Move{Label: "production", From: all[0], To: outside.Digest, Kind: KindUnrecorded, Applied: true}, log[0])
		for _, m := range log {
			assert.True(t, m.Applied, "the moves before had an effect")
		}
		// A move from there is recorded, and can be undone. Nothing else is known.
		moved(t, s, "production", all[1])
		m, err := Rollback(ctx, s, Move{Label: "production", By: "bob"})
		require.NoError(t, err)
		assert.Equal(t, outside.Digest, m.To)
		_, err = Rollback(ctx, s, Move{Label: "production", By: "bob"})
		assert.ErrorIs(t, err, ErrNoHistory)
		// So is it after a move to a release that the label was never at.
		never := pushed(t, s, 10)
		_, err = Rollback(ctx, s, Move{Label: "production", To: never})
		require.NoError(t, err)
		_, err = Rollback(ctx, s, Move{Label: "production", By: "bob"})
		assert.ErrorIs(t, err, ErrNoHistory)
	})
}

// What another tool writes beside releases and records hides none of them.
func TestOtherTools(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s Store) {
		ctx := t.Context()
		one, two, three := pushed(t, s, 1), pushed(t, s, 2), pushed(t, s, 3)
		for _, d := range []digest.Digest{one, two, three} {
			moved(t, s, "production", d)
		}
		image := otherArtifact(t, s)
		for _, tag := range []string{"release.1.2", "release.20990101T000000Z.000000000000", "move.production.next", "moved"} {
			require.NoError(t, s.Tag(ctx, image, tag))
		}
		all, err := Releases(ctx, s)
		require.NoError(t, err)
		require.Len(t, all, 3)
		assert.Equal(t, three, all[0].Digest)
		assert.Len(t, logOf(t, s, "production"), 3)
		// The record of the second move is damaged: the log says so, and has the others.
		tags, err := tagsOf(ctx, s, moveForm, "move.production.")
		require.NoError(t, err)
		require.NoError(t, s.Tag(ctx, image, tags[1]))
		var got []Move
		var errs []error
		for m, err := range Log(ctx, s, "production") {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			got = append(got, m)
		}
		require.Len(t, errs, 1)
		assert.ErrorIs(t, errs[0], ErrInvalid)
		assert.ErrorContains(t, errs[0], tags[1])
		require.Len(t, got, 3)
		assert.Equal(t, Move{Label: "production", From: one, To: two, Kind: KindUnrecorded, Applied: true}, got[1])
		m, err := Rollback(ctx, s, Move{Label: "production", By: "ada"})
		require.NoError(t, err)
		assert.Equal(t, two, m.To)
	})
}

// The log tells moves by other tools from those without effect.
func TestLinked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		records, now, want string // FROM>TO, the last first; - in place of > is without effect, ~ unrecorded
	}{
		"as recorded":                   {"b>c a>b 0>a", "c", "b>c a>b 0>a"},
		"ended before the move":         {"b>c a>b 0>a", "b", "b-c a>b 0>a"},
		"two at once, the first won":    {"a>c a>b 0>a", "b", "a-c a>b 0>a"},
		"two at once, the last won":     {"a>c a>b 0>a", "c", "a>c a-b 0>a"},
		"another tool, at last":         {"a>b 0>a", "x", "b~x a>b 0>a"},
		"another tool, in between":      {"x>c a>b 0>a", "c", "x>c b~x a>b 0>a"},
		"another tool, at first":        {"x>a", "a", "x>a 0~x"},
		"only another tool":             {"", "x", "0~x"},
		"no label":                      {"", "0", ""},
		"a label that was removed":      {"a>b 0>a", "0", "b~0 a>b 0>a"},
		"removed, and set again":        {"0>c a>b 0>a", "c", "0>c b~0 a>b 0>a"},
		"there and back by another one": {"a>b 0>a", "a", "a-b 0>a"},
	} {
		at := func(text string) digest.Digest { return digest.Digest(strings.TrimPrefix(text, "0")) }
		var records []Move
		for _, text := range strings.Fields(c.records) {
			from, to, _ := strings.Cut(text, ">")
			records = append(records, Move{From: at(from), To: at(to)})
		}
		var got []string
		for _, m := range linked(records, "l", at(c.now)) {
			sign := ">"
			if !m.Applied {
				sign = "-"
			} else if m.Kind == KindUnrecorded {
				sign = "~"
			}
			got = append(got, cmp.Or(string(m.From), "0")+sign+cmp.Or(string(m.To), "0"))
		}
		assert.Equal(t, c.want, strings.Join(got, " "), name)
	}
}

// Readers never see parts of two releases, and the log has every move.
func TestMovesUnderReaders(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s Store) {
		reg := new(prompts.Registry)
		digests := make([]digest.Digest, 4)
		for n := range digests {
			digests[n] = pushed(t, s, n)
		}
		moved(t, s, "production", digests[0])
		f, err := Follow(t.Context(), reg, s, "production", Options{Files: quiet, Interval: time.Millisecond})
		require.NoError(t, err)
		defer f.Close()
		srv := prompts.MustNewServer(reg, prompts.Options{})
		done := make(chan struct{})
		var readers sync.WaitGroup
		read := make([]int, 2)
		for i := range read {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					got, err := srv.Call(t.Context(), "prompts/get", []byte(`{"name":"p1"}`), prompts.CallOptions{Version: "2025-11-25"})
					if !assert.NoError(t, err) {
						return
					}
					_, rest, _ := strings.Cut(string(got), "1 says v")
					version := rest[0] - '0'
					if !assert.Equal(t, fmt.Sprintf("%c v%c", rest[0], rest[0]), rest[:4]) || !assert.Contains(t, string(got), digests[version].String()) {
						return
					}
					read[i]++
				}
			})
		}
		for i := range *moves {
			moved(t, s, "production", digests[(i+1)%len(digests)])
		}
		close(done)
		readers.Wait()
		log := logOf(t, s, "production")
		assert.Len(t, log, *moves+1)
		for _, m := range log {
			assert.True(t, m.Applied)
		}
		t.Logf("%d moves, %d and %d results read", *moves, read[0], read[1])
	})
}

// Four promoters at once lose no record, and a conflict is an error.
func TestFourPromoters(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s Store) {
		var digests []digest.Digest
		for n := range 4 {
			digests = append(digests, pushed(t, s, n))
		}
		moved(t, s, "production", digests[0])
		const each = 10
		var all sync.WaitGroup
		recorded := make([]int, 4)
		conflicts := make([]int, 4)
		for i := range 4 {
			all.Go(func() {
				for n := range each {
					m, err := Apply(t.Context(), s, Move{Label: "production", To: digests[(i+n)%4], By: fmt.Sprint(i)})
					if err != nil && assert.ErrorIs(t, err, ErrMoved) {
						conflicts[i]++
					}
					if !m.At.IsZero() { // it was recorded
						recorded[i]++
					}
				}
			})
		}
		all.Wait()
		log := logOf(t, s, "production")
		assert.Len(t, log, 1+recorded[0]+recorded[1]+recorded[2]+recorded[3])
		d, err := s.Resolve(t.Context(), "production")
		require.NoError(t, err)
		for _, m := range log {
			if m.Applied {
				assert.Equal(t, d.Digest, m.To)
				break
			}
		}
		t.Logf("recorded %v, conflicts %v", recorded, conflicts)
	})
}

func TestParseRef(t *testing.T) {
	t.Parallel()
	sum := digest.FromString("a").String()
	for text, want := range map[string]Ref{
		"oci://ghcr.io/acme/prompts:production": {Registry: "ghcr.io", Repository: "acme/prompts", Label: "production"},
		"oci://localhost:5000/p":                {Registry: "localhost:5000", Repository: "p"},
		"oci://localhost:5000/p@" + sum:         {Registry: "localhost:5000", Repository: "p", Digest: digest.Digest(sum)},
		"oci-layout:/srv/releases:staging":      {Layout: "/srv/releases", Label: "staging"},
		"oci-layout:releases@" + sum:            {Layout: "releases", Digest: digest.Digest(sum)},
		`oci-layout:C:\releases:staging`:        {Layout: `C:\releases`, Label: "staging"},
		"oci-layout:./with:colon/releases":      {Layout: "./with:colon/releases"},
	} {
		got, err := ParseRef(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, text, got.String())
	}
	for _, text := range []string{"", "prompts", "oci://", "oci://host", "oci://host/p:a.b", "oci://host/p:UP", "oci://host/p@sha256:12", "oci-layout:", "oci-layout:a:release.x", "http://host/p:a", "oci://ho st/p"} {
		_, err := ParseRef(text)
		assert.ErrorContains(t, err, "invalid reference", text)
	}
	assert.Error(t, errors.Join(CheckLabel(""), CheckLabel("-a")))
}
