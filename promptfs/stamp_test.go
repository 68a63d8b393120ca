package promptfs_test

import (
	"context"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// Whatever can be seen of a file without reading it is a reason to read it.
func TestWhatIsReadAgain(t *testing.T) {
	t.Parallel()
	old := time.Now().Add(-time.Hour)
	before := fstest.MapFile{Data: []byte("old"), ModTime: old, Mode: 0o644}
	for name, c := range map[string]struct {
		after fstest.MapFile
		want  string
	}{
		"nothing":     {fstest.MapFile{Data: []byte("new"), ModTime: old, Mode: 0o644}, "old"},
		"its size":    {fstest.MapFile{Data: []byte("newer"), ModTime: old, Mode: 0o644}, "newer"},
		"its time":    {fstest.MapFile{Data: []byte("new"), ModTime: old.Add(1), Mode: 0o644}, "new"},
		"its mode":    {fstest.MapFile{Data: []byte("new"), ModTime: old, Mode: 0o600}, "new"},
		"no old time": {fstest.MapFile{Data: []byte("new"), Mode: 0o644}, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{"p.md": &before}
			var reg prompts.Registry
			folder := promptfs.NewFolder(&reg, fsys, promptfs.Options{})
			require.NoError(t, folder.Reload(t.Context()))
			fsys["p.md"] = &c.after
			require.NoError(t, folder.Reload(t.Context()))
			assert.Equal(t, []string{c.want}, textsFrom(t, &reg, "p", nil))
		})
	}
}

// opened calls a function before it opens a file.
type opened struct {
	fs.FS
	before func(name string)
}

func (o *opened) Open(name string) (fs.File, error) {
	o.before(name)
	return o.FS.Open(name)
}

// If the context ends after the files were looked at, nothing is changed.
func TestReloadThatEndsLate(t *testing.T) {
	t.Parallel()
	fsys := &opened{fstest.MapFS{"p.md": {Data: []byte("text"), ModTime: time.Now().Add(-time.Hour)}}, func(string) {}}
	var reg prompts.Registry
	folder := promptfs.NewFolder(&reg, fsys, promptfs.Options{})
	require.NoError(t, folder.Reload(t.Context()))
	reg.Remove("p")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fsys.before = func(name string) { // which it is again only to make the prompt that has gone
		if name == "p.md" {
			cancel()
		}
	}
	require.ErrorIs(t, folder.Reload(ctx), context.Canceled)
	_, ok := reg.Lookup("p")
	assert.False(t, ok)
	require.NoError(t, folder.Reload(t.Context()))
	_, ok = reg.Lookup("p")
	assert.True(t, ok)
}
