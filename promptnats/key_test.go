package promptnats_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptnats"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for path, key := range map[string]string{
		"review/code.md":  "review/code.md",
		"_partials/p.txt": "_partials/p.txt",
		"naïve.md":        "na=C3=AFve.md",
		"a b=c.md":        "a=20b=3Dc.md",
		".x/y.png":        "=2Ex/y.png",
		"a/.x":            "a/.x",
		"a..b":            "a.=2Eb",
		"a...b.":          "a.=2E=2Eb=2E",
		"v1./a.md":        "v1=2E/a.md",
		"*>$.md":          "=2A=3E=24.md",
	} {
		assert.Equal(t, key, promptnats.Key(path))
		got, err := promptnats.Path(key)
		require.NoError(t, err)
		assert.Equal(t, path, got)
	}
	for _, key := range []string{"", "/a", "a/", "a//b", "../a.md", "a/../b.md", ".", "=2E", "=2E=2E/a.md", "a=", "a=4", "a=zz", "a=41", "=2e.md", "a=2Fb", "a b", "ä.md", "a=00", "a=FF.md", "=+1"} {
		_, err := promptnats.Path(key)
		assert.Error(t, err, "%q", key)
	}
}

var natsKey = regexp.MustCompile(`^[-/_=.a-zA-Z0-9]+$`)

// Each path has one key, which NATS takes, and each key one path.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{"review/code.md", "a..b", "./a", "=2E", "team./a", "ä/=.md", "...", "a./.b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if fs.ValidPath(text) && text != "." && !strings.Contains(text, "\x00") {
			key := promptnats.Key(text)
			path, err := promptnats.Path(key)
			if err != nil || path != text {
				t.Fatalf("%q has the key %q, and that the path %q: %v", text, key, path, err)
			}
			if !natsKey.MatchString(key) || key[0] == '.' || strings.HasSuffix(key, ".") || strings.Contains(key, "..") || strings.Contains(key, "./") {
				t.Fatalf("%q has the key %q, which is none", text, key)
			}
		}
		if path, err := promptnats.Path(text); err == nil && promptnats.Key(path) != text {
			t.Fatalf("the key %q has the path %q, and that the key %q", text, path, promptnats.Key(path))
		}
	})
}
