package promptfs_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A Folder or a Mirror that no function made says which function makes it.
func TestValuesNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &promptfs.Folder{}, "promptfs: Folder is not made by NewFolder or NewDir")
	notmade.Check(t, &promptfs.Mirror{}, "promptfs: Mirror is not made by NewMirror")
}

// A function with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	notmade.Nil(t, "promptfs: NewFolder: file system is nil", promptfs.NewFolder, &reg)
	notmade.Nil(t, "promptfs: NewFolder: registry is nil", promptfs.NewFolder, nil, fs.FS(fstest.MapFS{}))
	notmade.Nil(t, "promptfs: NewDir: registry is nil", promptfs.NewDir)
	notmade.Nil(t, "promptfs: NewMirror: registry is nil", promptfs.NewMirror)
	notmade.Nil(t, "promptfs: Load: file system is nil", promptfs.Load)
	notmade.Nil(t, "promptfs: LoadSkills: file system is nil", promptfs.LoadSkills)
	notmade.Nil(t, "promptfs: Files: file system is nil", promptfs.Files)
	notmade.Nil(t, `promptfs: NewDir: directory is empty; use "." for the current directory`, promptfs.NewDir, &reg)
}

// A negative number of each option is an error.
func TestNegativeOptions(t *testing.T) {
	t.Parallel()
	fsys, reg := fstest.MapFS{}, new(prompts.Registry)
	for name, use := range map[string]func(o promptfs.Options) error{
		"Load":       func(o promptfs.Options) error { _, err := promptfs.Load(fsys, o); return err },
		"LoadSkills": func(o promptfs.Options) error { _, err := promptfs.LoadSkills(fsys, o); return err },
		"Parse":      func(o promptfs.Options) error { _, err := promptfs.Parse(nil, "a.md", []byte("hi"), o); return err },
		"Files":      func(o promptfs.Options) error { _, err := promptfs.Files(fsys, o); return err },
		"NewFolder":  func(o promptfs.Options) error { promptfs.NewFolder(reg, fsys, o); return nil },
		"NewDir":     func(o promptfs.Options) error { promptfs.NewDir(reg, ".", o); return nil },
		"NewMirror":  func(o promptfs.Options) error { promptfs.NewMirror(reg, o); return nil },
	} {
		t.Run(name, func(t *testing.T) { notmade.Negative(t, use) })
	}
}
