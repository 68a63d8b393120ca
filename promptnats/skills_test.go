package promptnats_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
	"github.com/mcp-prompts/prompts/promptskills"
)

// A bucket carries skills with all files, binary ones too, as far as the broker
// takes them, and servers follow what is written.
func TestSkills(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, func(o *server.Options) { o.MaxPayload = 1 << 20 }).url())
	newBucket(t, js)
	const main = "---\nname: refunds\ndescription: Process refunds\n---\nDo it.\n"
	image := "\x89PNG\x00" + strings.Repeat("\xff", 500_000)
	fsys := files(map[string]string{"acme/refunds/SKILL.md": main, "acme/refunds/logo.png": image, "acme/refunds/refs/a b.md": "a"})
	var served promptskills.Registry
	o := promptnats.Options{Files: promptfs.Options{Skills: new(promptskills.Registry)}}
	publish := func() error {
		_, err := promptnats.Publish(t.Context(), js, bucket, fsys, o)
		return err
	}
	require.NoError(t, publish())
	f, err := promptnats.Follow(t.Context(), new(prompts.Registry), js, bucket, promptnats.Options{
		Files: promptfs.Options{Skills: &served, Debounce: 10 * time.Millisecond, Logger: slog.New(slog.DiscardHandler)},
	})
	require.NoError(t, err)
	defer f.Close()
	file := func(name string) string { s, _ := served.Lookup("acme/refunds"); return string(s.Files[name]) }
	assert.True(t, file("logo.png") == image)
	assert.Equal(t, "a", file("refs/a b.md"))

	fsys["acme/refunds/refs/a b.md"] = &fstest.MapFile{Data: []byte("b")}
	require.NoError(t, publish())
	require.Eventually(t, func() bool { return file("refs/a b.md") == "b" }, long, 10*time.Millisecond)
	fsys["acme/refunds/SKILL.md"] = &fstest.MapFile{Data: []byte("no front matter")}
	assert.ErrorContains(t, publish(), "acme/refunds/SKILL.md:1: skill must start with front matter", "nothing is published")
	fsys["acme/refunds/SKILL.md"] = &fstest.MapFile{Data: []byte(main)}
	fsys["acme/refunds/large.bin"] = &fstest.MapFile{Data: make([]byte, 2<<20)}
	assert.ErrorContains(t, publish(), "acme/refunds/large.bin: file has ")
	assert.Equal(t, main, file("SKILL.md"))
}
