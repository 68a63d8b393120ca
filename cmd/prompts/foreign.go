package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

// foreignErrors match the errors that a file of another format has.
var foreignErrors = regexp.MustCompile(`file is empty|invalid YAML: |unknown key |unknown function |arguments must be a list `)

// commandKeys are keys that commands of several programs have in their front matter, and prompts
// never have.
var commandKeys = regexp.MustCompile(`(?m)^(?:agent|allowed-tools|argument-hint|disable-model-invocation|invokable|mode|model|subtask|tools|when_to_use)[ \t]*:`)

// foreignFolder is what a folder has of another program.
type foreignFolder struct {
	dir        string
	format     *format         // nil if several programs have such files
	paths      map[string]bool // of the files, in the folder
	extensions []string        // of all files
}

// findForeign returns what a folder has of another program: all files of its format if the
// folder is the program's own, and otherwise those with an extension or with keys that no prompt
// has, if that is at least half of the files. Otherwise, and if ctx ends, paths is empty.
func findForeign(ctx context.Context, dir string) foreignFolder {
	f := foreignFolder{dir: dir, format: formatOfFolder(dir), paths: map[string]bool{}}
	isOwn := f.format != nil
	extensions := map[string]bool{}
	seen := map[*format]bool{} // of files that one program alone has
	files := 0
	root := visibleFS(dir)
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // is reported by the check
			return nil
		case d.IsDir() && name != "." && (base[0] == '.' || base[0] == '_' || base == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || base[0] == '.' || base[0] == '_':
			return nil
		}
		extensions[path.Ext(name)] = true
		if !slices.Contains([]string{".md", ".toml", ".prompt"}, path.Ext(name)) || checkLoaded(name) != nil {
			return nil
		}
		content, err := regular.Read(ctx, root, name, maxReadBytes)
		if err != nil || isImport(content) {
			return nil
		}
		files++
		if isOwn {
			if _, ok := f.format.target(name); ok {
				f.paths[name] = true
			}
		} else if of, ok := formatOfFile(name, content); ok {
			f.paths[name], seen[of] = true, true
		}
		return nil
	})
	if ctx.Err() != nil || len(f.paths)*2 < files {
		f.paths = nil
	}
	delete(seen, nil)
	if !isOwn && len(seen) == 1 {
		for f.format = range seen {
		}
	}
	f.extensions = slices.Sorted(maps.Keys(extensions))
	return f
}

// formatOfFile reports whether a file is one of another program, and of which if no other has
// such files.
func formatOfFile(name string, content []byte) (of *format, ok bool) {
	front := frontOf(content)
	for i := range commandFormats {
		f := &commandFormats[i]
		switch {
		case f.key != nil && f.key.Match(front),
			f.name == "vscode" && strings.HasSuffix(name, f.files[0]),
			f.name == "gemini" && path.Ext(name) == f.files[0] && tomlPrompt.Match(content):
			return f, true
		}
	}
	return nil, commandKeys.Match(front)
}

// frontOf returns the front matter of a file.
func frontOf(content []byte) []byte {
	rest, ok := bytes.CutPrefix(content, []byte("---"))
	if !ok {
		return nil
	}
	front, _, _ := bytes.Cut(rest, []byte("\n---"))
	return front
}

const noPromptsHint = "write prompts into files with the extension .md"

// hasPrompts reports whether a registry has prompts from below a path.
func hasPrompts(reg *prompts.Registry, prefix string) bool {
	for p := range reg.All() {
		if strings.HasPrefix(p.Source, prefix) {
			return true
		}
	}
	return false
}

// noPrompts says that the folder has no prompts, and the extensions of its files.
func (f *foreignFolder) noPrompts() string {
	if len(f.extensions) == 0 {
		return "folder has no prompts"
	}
	return "folder has no prompts, but files with the extensions " + strings.Join(f.extensions, ", ")
}

// error returns the error of the folder, once for all files.
func (f *foreignFolder) error() *promptfs.Error {
	name, files := "FORMAT", "commands of another program"
	if f.format != nil {
		name, files = f.format.name, "commands of "+f.format.title
	}
	look := "look"
	if len(f.paths) == 1 {
		look = "looks"
	}
	return &promptfs.Error{
		Path: ".", Err: fmt.Errorf("%s %s like %s", plural(len(f.paths), "file"), look, files),
		Hint: fmt.Sprintf("run: prompts import %s %s NEW-FOLDER", name, f.dir),
	}
}

// isOf reports whether an error of a file is one of the other format.
func (f *foreignFolder) isOf(path, text string) bool {
	return f.paths[path] && foreignErrors.MatchString(text)
}

// once returns the errors of the files with one error for all of the other format.
func (f *foreignFolder) once(err error) error {
	if len(f.paths) == 0 {
		return err
	}
	errs := []error{f.error()}
	for _, err := range all(err) {
		if e := (*promptfs.Error)(nil); !errors.As(err, &e) || !f.isOf(e.Path, e.Error()) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// onceHandler is the handler of a log without the errors of the other format.
type onceHandler struct {
	slog.Handler
	folder *foreignFolder
}

func (h onceHandler) Handle(ctx context.Context, r slog.Record) error {
	path, text := "", ""
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "path":
			path = a.Value.String()
		case "error":
			text = a.Value.String()
		}
		return true
	})
	if h.folder.isOf(path, text) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
