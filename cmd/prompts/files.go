package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
)

// findFolders looks for a relative path, without .., that does not exist in the folders above, up to the root
// of the repository: a client may start a server in any folder. found is called for each path found.
func findFolders(paths []string, found func(path, at string)) {
	above := []string{"."} // up to the root of the repository
	for at := "."; !exists(filepath.Join(at, ".git")); above = append(above, at) {
		if at = filepath.Join(at, ".."); absolute(at) == absolute(filepath.Join(at, "..")) {
			return
		}
	}
	for i, path := range paths {
		if path == "" || !filepath.IsLocal(path) || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") {
			continue
		}
		for _, at := range above {
			if _, err := os.Lstat(filepath.Join(at, path)); !errors.Is(err, fs.ErrNotExist) {
				if at != "." {
					paths[i] = filepath.Join(at, path)
					found(path, paths[i])
				}
				break
			}
		}
	}
}

// openFound is [findFolders] and [openFolders] for a command that has no log.
func openFound(cmd *cobra.Command, paths []string) error {
	findFolders(paths, func(path, at string) { showFound(cmd, path, at) })
	return openFolders(paths)
}

func showFound(cmd *cobra.Command, path, at string) {
	fmt.Fprintf(cmd.ErrOrStderr(), "prompts: folder %s found at %s\n", path, at)
}

func openFolders(paths []string) error {
	for i, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "":
			return errEmptyPath
		case errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "="):
			return usageErrorf("folder %s does not exist; NAME=DIR is for serve, install and check", path)
		case errors.Is(err, fs.ErrNotExist):
			return usageErrorf("folder %s does not exist", path)
		case err != nil:
			return fmt.Errorf("cannot read folder: %w", err)
		case !info.IsDir():
			return usageErrorf("%s is not a folder; give the folder of the file", path)
		}
		if _, err := os.ReadDir(path); err != nil {
			return fmt.Errorf("cannot read folder: %w", err)
		}
		for _, other := range paths[:i] {
			if isWithin(path, other) || isWithin(other, path) {
				return usageErrorf("folders %s and %s overlap; give only one of them", other, path)
			}
		}
	}
	return nil
}

func isWithin(path, dir string) bool {
	relative, err := filepath.Rel(absolute(dir), absolute(path))
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// absolute returns the absolute path without symbolic links.
func absolute(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// prefixOf returns the beginning of each Source in a folder: Source is the path as a user would write it.
func prefixOf(dir string) string {
	if dir = filepath.ToSlash(filepath.Clean(dir)); dir != "." {
		return strings.TrimSuffix(dir, "/") + "/"
	}
	return "./"
}

// repositoryPath returns a path from the root of its repository on, or unchanged if it is in none.
func repositoryPath(name string) string {
	real := absolute(filepath.FromSlash(name))
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			if relative, err := filepath.Rel(dir, real); err == nil {
				return filepath.ToSlash(relative)
			}
		}
		if parent := filepath.Dir(dir); parent == dir {
			return path.Clean(name)
		}
	}
}

const (
	maxReadBytes   = 1 << 20  // of a prompt file, as of promptfs
	maxServedBytes = 16 << 20 // of any file that is served: the largest is one of a skill
)

func readText(dir, file string) (string, error) {
	content, err := regular.Read(context.Background(), regular.FS(dir), file, maxServedBytes)
	if errors.Is(err, fs.ErrNotExist) && norm.NFC.String(file) != norm.NFD.String(file) {
		for _, other := range partialFiles(dir) { // whose name may have another Unicode form
			if other = strings.TrimPrefix(other, prefixOf(dir)); other != file && norm.NFC.String(other) == norm.NFC.String(file) {
				return readText(dir, other)
			}
		}
	}
	return promptfile.Text(content), err
}

const partialsFolder = "_partials"

func partialFiles(dir string, ignore ...string) map[string]string {
	files := map[string]string{}
	_ = fs.WalkDir(newVisible(dir, ignore), partialsFolder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && name != partialsFolder && !promptfile.IsReadme(name) { // errors were reported
			called := strings.TrimPrefix(strings.TrimSuffix(name, path.Ext(name)), partialsFolder+"/")
			files[norm.NFC.String(called)] = prefixOf(dir) + name
		}
		return nil
	})
	return files
}

// visibleFolder is a folder for [fs.WalkDir] without the files that package promptfs skips. Links that
// the package follows are the files and folders to which they lead. A walk begins at . or at the partials.
type visibleFolder struct {
	regular.FS
	ignore  []string
	inSkill map[string]bool   // the folders with a SKILL.md and those below
	linked  map[string]string // the first link to a folder, by the path of the folder
}

func newVisible(dir string, ignore []string) visibleFolder {
	forms := make([]string, len(ignore)) // in NFC, as package promptfs compares them
	for i, pattern := range ignore {
		forms[i] = norm.NFC.String(pattern)
	}
	return visibleFolder{regular.FS(dir), forms, map[string]bool{}, map[string]string{}}
}

func (v visibleFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(v.FS, name)
	v.inSkill[name] = v.inSkill[path.Dir(name)] || promptfile.HasSkill(entries)
	var all []fs.DirEntry
	for _, e := range entries {
		below := path.Join(name, e.Name())
		if promptfile.IsHidden(e.Name()) && (!v.inSkill[name] || e.Name()[0] == '.') || below == partialsFolder || regular.Matches(v.ignore, norm.NFC.String(below)) {
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 {
			e = v.follow(below, e)
		}
		all = append(all, e)
	}
	return all, err
}

type target struct {
	fs.FileInfo
	name string // of the link
}

func (t target) Name() string { return t.name }

// follow returns the link itself if promptfs reports the link: it leads to no file that may be read,
// or to a folder that the walk reads without the link, or through another link.
func (v visibleFolder) follow(name string, link fs.DirEntry) fs.DirEntry {
	info, err := fs.Stat(v.FS, name)
	if err != nil {
		return link
	}
	if info.IsDir() {
		real, err := regular.Resolve(v.FS, name)
		if first := v.linked[real]; err != nil || !promptfile.IsHidden(strings.TrimPrefix(real+"/", partialsFolder+"/")) || first != "" && first != name {
			return link
		}
		v.linked[real] = name
	}
	return fs.FileInfoToDirEntry(target{info, link.Name()})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// create writes a file that must not exist. After an error there is no file.
func create(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return errExists(path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

func errExists(path string) error { return fmt.Errorf("file %s already exists", path) }

// writeOwn replaces an older file if check returns no error for its content, which has LF at the end of lines.
func writeOwn(ctx context.Context, dir, name string, content []byte, dryRun bool, check func(path, content string) error) error {
	target := filepath.Join(dir, filepath.FromSlash(name))
	old, err := regular.Read(ctx, regular.FS(dir), name, maxReadBytes)
	isNew := errors.Is(err, fs.ErrNotExist)
	switch {
	case isNew:
		err = nil
	case err == nil:
		err = check(target, strings.ReplaceAll(string(old), "\r\n", "\n"))
	}
	if err != nil || dryRun || !isNew && bytes.Equal(old, content) {
		return err
	}
	return writeIn(dir, name, content, isNew)
}

// writeIn writes a file in a folder, a new one or in place of the old one. No link leads out of the folder.
func writeIn(dir, name string, content []byte, isNew bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path, err := inFolder(dir, name)
	if err != nil {
		return err
	}
	if !isNew {
		return replace(path, content)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return create(path, content)
}

// inFolder returns the path of a file, which need not exist, without links. None may lead out of the folder.
func inFolder(dir, name string) (string, error) {
	d, err := regular.OpenDir(dir)
	if err != nil {
		return "", err
	}
	defer d.Close()
	for rest := ""; ; rest, name = path.Join(path.Base(name), rest), path.Dir(name) {
		real, err := regular.Resolve(d, name)
		if name == "." || !errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(dir, filepath.FromSlash(path.Join(real, rest))), err
		}
	}
}

// replace replaces the content of a file, or of its target, at once: readers see the old or the new one.
func replace(path string, content []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is a link to a file that does not exist", path)
	}
	mode := fs.FileMode(0o600) // of a new file: configurations can have secrets
	if info, err := os.Stat(path); err == nil {
		if mode = info.Mode().Perm(); mode&0o200 == 0 {
			return fmt.Errorf("%s is read-only", path)
		}
	}
	return regular.Replace(path, content, mode)
}

// writeRelease writes files into a new folder, and nowhere else.
func writeRelease(dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
