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

// foreignFormat is a format of another program.
type foreignFormat struct {
	files string // what they look like
	name  string // for import; empty if import does not have the format
}

// foreignFormats are the formats by the marks of their files.
var foreignFormats = []struct {
	foreignFormat
	matches func(name string, front, content []byte) bool
}{
	{foreignFormat{"prompt files of VS Code", "vscode"}, func(name string, _, _ []byte) bool {
		return strings.HasSuffix(name, ".prompt.md")
	}},
	{foreignFormat{"commands of Claude Code", "claude"}, func(name string, front, content []byte) bool {
		return path.Ext(name) == ".md" && (claudeKeys.Match(front) || bytes.Contains(content, []byte("$ARGUMENTS")))
	}},
	{foreignFormat{"patterns of fabric", "fabric"}, func(name string, _, _ []byte) bool {
		return path.Base(name) == "system.md" && path.Dir(name) != "."
	}},
	{foreignFormat{"commands of Gemini CLI", "gemini"}, func(name string, _, content []byte) bool {
		return path.Ext(name) == ".toml" && geminiPrompt.Match(content)
	}},
	{foreignFormat{"prompts of Dotprompt", "dotprompt"}, func(name string, _, _ []byte) bool { return path.Ext(name) == ".prompt" }},
	{foreignFormat{"templates of mcp-prompt-engine", ""}, func(name string, _, _ []byte) bool { return path.Ext(name) == ".tmpl" }},
}

var (
	claudeKeys = regexp.MustCompile(`(?m)^(?:agent|allowed-tools|argument-hint|disable-model-invocation|mode|model|tools)[ \t]*:`)
	// ownKeys and ownActions match what no command of Claude Code has.
	ownKeys    = regexp.MustCompile(`(?m)^(?:template|title)[ \t]*:|^arguments[ \t]*:[ \t]*\n[ \t]*-[ \t]+\w+:`)
	ownActions = regexp.MustCompile(`\{\{-?[ \t]*(?:\.|untrusted )`)
	// foreignErrors match the errors that a file of another format has.
	foreignErrors = regexp.MustCompile(`file is empty|invalid YAML: |unknown key |unknown function |arguments must be a list `)
)

// foreignFolder is what a folder has of another program.
type foreignFolder struct {
	foreignFormat
	dir        string
	paths      map[string]bool // in the folder
	count      int             // of the files that show the format
	extensions []string        // of all files
}

// enoughForeign is how many files show the format of a folder in which no more than as many
// others show that they are prompts.
const enoughForeign = 3

// findForeign returns what a folder has of another program, if that is at least half of its
// files. Markdown that could be of Claude Code or a prompt is what the others of the folder
// are. Otherwise, and if ctx ends, paths is empty.
func findForeign(ctx context.Context, dir string) foreignFolder {
	f := foreignFolder{dir: dir, paths: map[string]bool{}}
	all := make([]map[string]bool, len(foreignFormats))
	extensions := map[string]bool{}
	markdown := 0
	var plain []string // Markdown that could be of Claude Code, too
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
		extension := path.Ext(name)
		extensions[extension] = true
		if checkLoaded(name) != nil || !slices.Contains([]string{".md", ".toml", ".prompt", ".tmpl"}, extension) {
			return nil
		}
		if extension == ".md" {
			markdown++
		}
		content, err := regular.Read(ctx, root, name, maxReadBytes)
		if err != nil {
			return nil
		}
		front := frontOf(content)
		for i, format := range foreignFormats {
			if format.matches(name, front, content) {
				if all[i] == nil {
					all[i] = map[string]bool{}
				}
				all[i][name] = true
				return nil
			}
		}
		if extension == ".md" && !ownKeys.Match(front) && !ownActions.Match(content) {
			plain = append(plain, name)
		}
		return nil
	})
	if ctx.Err() != nil {
		return f
	}
	f.extensions = slices.Sorted(maps.Keys(extensions))
	for i, paths := range all {
		isMost := len(paths)*2 >= markdown || len(paths) >= enoughForeign && len(paths)*2 >= markdown-len(plain)
		if len(paths) > len(f.paths) && isMost {
			f.paths, f.foreignFormat = paths, foreignFormats[i].foreignFormat
		}
	}
	isClaude := f.name == "claude" && len(f.paths) >= enoughForeign
	f.count = len(f.paths)
	for _, name := range plain {
		if isClaude {
			f.paths[name] = true
			f.count++
		} else if f.name == "fabric" && path.Base(name) == "user.md" && f.paths[path.Join(path.Dir(name), "system.md")] {
			f.paths[name] = true // a part of the pattern
		}
	}
	return f
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
	hint := "convert the files to Markdown with front matter"
	if f.name != "" {
		hint = fmt.Sprintf("run: prompts import %s %s NEW-FOLDER", f.name, f.dir)
	}
	look := "look"
	if f.count == 1 {
		look = "looks"
	}
	return &promptfs.Error{Path: ".", Err: fmt.Errorf("%s %s like %s", plural(f.count, "file"), look, f.files), Hint: hint}
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

// The rules of Gemini CLI that gemini follows are in docs/import.md, with the version that
// they were read from.
var (
	geminiPrompt  = regexp.MustCompile(`(?m)^[ \t]*["']?prompt["']?[ \t]*=[ \t]*(?:("""|''')(\n)?)?`)
	geminiSegment = regexp.MustCompile(`[^a-zA-Z0-9_.-]`)
)
