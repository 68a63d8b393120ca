package promptfs

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// Who waits for files to be left alone does not read one that has just been
// written, and changes nothing meanwhile; who does not wait reads it.
func TestReloadAfter(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	fsys := fstest.MapFS{
		"a.md": &fstest.MapFile{Data: []byte("1"), ModTime: time.Now()},
		"b.md": &fstest.MapFile{Data: []byte("1"), ModTime: time.Now().Add(-time.Hour)},
	}
	f := NewFolder(&reg, fsys, Options{OnReload: func(Report) { assert.NotZero(t, reg.Len()) }})
	require.ErrorIs(t, f.reloadAfter(t.Context(), time.Minute), errChanging)
	assert.Zero(t, reg.Len())
	fsys["a.md"].ModTime = time.Now().Add(coarse / 2) // as of one that is written while others are looked at
	require.ErrorIs(t, f.reloadAfter(t.Context(), time.Minute), errChanging)
	require.NoError(t, f.reloadAfter(t.Context(), 0))
	assert.Equal(t, 2, reg.Len())

	fsys["a.md"].ModTime = time.Now().Add(time.Hour) // a clock that is wrong keeps nobody waiting
	require.NoError(t, f.reloadAfter(t.Context(), time.Minute))
}

// An invalid file is read again when one of its dependencies has changed, and not
// with each change of another file: there may be thousands.
func TestMirrorReadsNoInvalidFileInVain(t *testing.T) {
	t.Parallel()
	m := NewMirror(&prompts.Registry{}, Options{})
	bad := func(path, text string) File { return File{Path: path, Content: []byte(text), Revision: 1} }
	require.Error(t, m.Reset(t.Context(), bad("a.md", "{{if}}"), bad("b.md", "--- user: image i.png ---"), bad("c.md", "{{template \"p\"}}")))
	table := m.folder.table
	a, b, c := table.entries["a.md"], table.entries["b.md"], table.entries["c.md"]
	require.Error(t, m.Apply(t.Context(), bad("d.md", "d"), bad("e.png", "e")))
	assert.Same(t, a, table.entries["a.md"])
	assert.Same(t, b, table.entries["b.md"])
	assert.Same(t, c, table.entries["c.md"])
	require.ErrorContains(t, m.Apply(t.Context(), bad("i.png", "i")), "a.md:1")
	assert.Same(t, a, table.entries["a.md"])
	assert.Empty(t, table.entries["b.md"].faults)
	require.Error(t, m.Apply(t.Context(), bad("_partials/p.md", "p")))
	assert.Empty(t, table.entries["c.md"].faults)
}
