package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

// importFormat is a format from which import converts.
type importFormat struct {
	sources string // what a folder has no files of, if nothing can be converted
	// target returns the path of the prompt for the path of a file, and whether the
	// file is one of the format.
	target  func(name string) (string, bool)
	convert func(c *conversion)
	// isFolder says that a prompt is a folder, and has its name, also if SRC is the folder.
	isFolder bool
}

var importFormats = map[string]importFormat{
	"claude":    {"*.md", extension(".md"), (*conversion).claude, false},
	"vscode":    {"*.prompt.md", extension(".prompt.md"), (*conversion).vscode, false},
	"gemini":    {"*.toml", extension(".toml"), (*conversion).gemini, false},
	"fabric":    {"system.md", fabricTarget, (*conversion).fabric, true},
	"dotprompt": {"*.prompt", dotpromptTarget, (*conversion).dotprompt, false},
}

// importNames are the formats in the order of the documentation.
var importNames = []string{"claude", "vscode", "gemini", "fabric", "dotprompt"}

// extension returns the target of files with an extension.
func extension(of string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		bare, ok := strings.CutSuffix(name, of)
		return bare + ".md", ok
	}
}

func newImport() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "import " + strings.Join(importNames, "|") + " SRC DIR",
		Short: "Convert prompts of other programs",
		Long: `Import converts the prompts in SRC, a file or a folder, and writes them into DIR. An
existing file is never changed.

  claude     commands of Claude Code: *.md, as in .claude/commands
  vscode     prompt files of VS Code: *.prompt.md, as in .github/prompts
  gemini     commands of Gemini CLI: *.toml, as in .gemini/commands
  fabric     patterns of fabric: */system.md, as in data/patterns
  dotprompt  files of Dotprompt: *.prompt, with partials _*.prompt

It reports all that a prompt cannot express, and ends with a check of what it wrote.
A command that runs programs of the shell is refused, because a prompt server must not
run what is in a text.

The exit code is 1 if a file was refused, or if what was written has errors.`,
		Example: `  prompts import claude .claude/commands prompts
  prompts import vscode .github/prompts prompts
  prompts import gemini .gemini/commands prompts
  prompts import fabric fabric/data/patterns prompts`,
		Args:      exactly(3),
		ValidArgs: importNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, ok := importFormats[args[0]]
			if !ok {
				return unknown("format", args[0], importNames)
			}
			if slices.Contains(args, "") {
				return errEmptyPath
			}
			return runImport(cmd.Context(), cmd.OutOrStdout(), format, args[1], args[2], dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "report only, and write nothing")
	return cmd
}

func runImport(ctx context.Context, out io.Writer, format importFormat, src, dir string, dryRun bool) error {
	files, root, err := importFiles(src, format)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return usageErrorf("no %s files in %s", format.sources, src)
	}
	written := dir
	if dryRun {
		if written, err = os.MkdirTemp("", "prompts"); err != nil {
			return err
		}
		defer os.RemoveAll(written)
	}
	refused := 0
	imported := map[string]bool{} // paths of prompts
	for _, f := range files {
		c := &conversion{source: f.source, path: f.target, root: root}
		if c.run(ctx, format); ctx.Err() != nil {
			return ctx.Err() // and not the file's error
		}
		target := filepath.Join(dir, filepath.FromSlash(c.path))
		if !c.isRefused && dryRun {
			if _, err := os.Lstat(target); err == nil {
				c.refuse(0, "%v", errExists(target))
			}
		}
		if !c.isRefused {
			path := filepath.Join(written, filepath.FromSlash(c.path))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := create(path, c.result); err != nil {
				c.refuse(0, "%v", err)
			}
		}
		if c.isRefused {
			refused++
		} else {
			imported[c.path] = true
		}
		c.report(out, filepath.ToSlash(target))
	}
	isValid, err := checkImported(ctx, out, written, dir, imported)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s converted, %d refused\n", plural(len(files)-refused, "file"), refused)
	if refused > 0 || !isValid {
		return errReported
	}
	return nil
}

// report writes what became of a file.
func (c *conversion) report(out io.Writer, target string) {
	if c.isRefused {
		fmt.Fprintf(out, "%s: refused\n", printable(c.source))
	} else {
		fmt.Fprintf(out, "%s -> %s\n", printable(c.source), printable(target))
	}
	slices.SortStableFunc(c.notes, func(a, b note) int { return a.line - b.line })
	for _, n := range c.notes {
		if n.line > 0 {
			fmt.Fprintf(out, "  line %d: %s\n", n.line, printable(n.text))
		} else {
			fmt.Fprintf(out, "  %s\n", printable(n.text))
		}
	}
}

// checkImported checks the prompts that were written, by their paths in a folder, and
// reports errors and warnings. The folder has the name dir in the report.
func checkImported(ctx context.Context, out io.Writer, folder, dir string, imported map[string]bool) (isValid bool, err error) {
	if len(imported) == 0 {
		return true, nil
	}
	only := map[string]bool{}
	for path := range imported {
		only[prefixOf(folder)+path] = true
	}
	i := &inspection{dirs: []string{folder}, only: only, done: func() {}}
	found, err := i.inspect(ctx)
	if err != nil {
		return false, err
	}
	found = slices.DeleteFunc(found, func(f finding) bool {
		return f.Level == levelNote || f.Rule == "syntax" // the report has the line of the source
	})
	r := &report{findings: findings{found, i.lines, hasColor(out)}}
	r.count()
	if folder != dir {
		r.lines = func(path string) []string { return i.lines(prefixOf(folder) + strings.TrimPrefix(path, prefixOf(dir))) }
		for n := range found {
			found[n].Path = prefixOf(dir) + strings.TrimPrefix(found[n].Path, prefixOf(folder))
		}
	}
	return r.Errors == 0, r.writeText(out)
}

// importFile is a file to convert and the path of its prompt, both with slashes.
type importFile struct{ source, target string }

// importFiles returns the files to convert, and the folder of their paths.
func importFiles(src string, format importFormat) (files []importFile, root fs.FS, err error) {
	info, err := os.Stat(src)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, usageErrorf("%s does not exist", src)
	}
	if err != nil {
		return nil, nil, err
	}
	own := src
	if !info.IsDir() {
		own = filepath.Dir(src)
	}
	if own, err = filepath.Abs(own); err != nil {
		return nil, nil, err
	}
	targetOf := func(name string) (string, bool) {
		if format.isFolder && path.Dir(name) == "." {
			name = path.Join(filepath.Base(own), name)
		}
		return format.target(name)
	}
	if !info.IsDir() {
		target, ok := targetOf(filepath.Base(src))
		if !ok {
			return nil, nil, usageErrorf("%s is not a %s file", src, format.sources)
		}
		return []importFile{{filepath.Base(src), target}}, regular.FS(filepath.Dir(src)), nil
	}
	root = regular.FS(src)
	err = fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		isLink := err == nil && d.Type()&fs.ModeSymlink != 0
		if err != nil || !d.Type().IsRegular() && !isLink {
			return err
		}
		target, ok := targetOf(p)
		if info, err := os.Stat(filepath.Join(src, filepath.FromSlash(p))); isLink && err == nil && info.IsDir() {
			ok = true // and read refuses the link
		}
		if ok {
			files = append(files, importFile{p, target})
		}
		return nil
	})
	return files, root, err
}

// conversion is the conversion of a file.
type conversion struct {
	source string // the path of the file in root
	root   fs.FS
	path   string // of the prompt, from the root of the folder of prompts

	front     map[string]string // the keys of the source's front matter
	frontLine map[string]int
	frontText string
	body      string
	bodyLine  int  // of the source
	isOneLine bool // the body is on one line of the source, with escapes

	isPartial bool
	partials  map[string]string // that the prompt calls, by name
	prompt    promptFile
	result    []byte
	notes     []note
	noted     map[note]bool
	isRefused bool

	lined  string // the body whose lines are known
	breaks []int  // offsets of its line breaks
}

// note is something that the prompt does not express, or why a file is refused.
type note struct {
	line int
	text string
}

func (c *conversion) note(line int, format string, args ...any) {
	n := note{line, fmt.Sprintf(format, args...)}
	c.noteUnless(n, n)
}

// noteOnce is note for a text that one line of the report is enough for.
func (c *conversion) noteOnce(line int, format string, args ...any) {
	n := note{line, fmt.Sprintf(format, args...)}
	c.noteUnless(n, note{anyLine, n.text})
}

// anyLine is the line of a text that is noted, whatever its line is.
const anyLine = -1

// noteUnless adds a note, unless another is noted.
func (c *conversion) noteUnless(n, other note) {
	if c.noted[other] {
		return
	}
	if c.noted == nil {
		c.noted = map[note]bool{}
	}
	c.noted[n], c.noted[note{anyLine, n.text}] = true, true
	c.notes = append(c.notes, n)
}

func (c *conversion) refuse(line int, format string, args ...any) {
	c.isRefused = true
	c.note(line, format, args...)
}

// run converts the file.
func (c *conversion) run(ctx context.Context, format importFormat) {
	text, ok := c.read(c.source)
	if !ok {
		return
	}
	c.body, c.bodyLine, c.partials = text, 1, map[string]string{}
	if format.convert(c); !c.isRefused {
		c.finish(ctx)
	}
}

// read returns the text of a file, with LF at the end of its lines and without a byte
// order mark. It follows no link, because a collection may link to any file.
func (c *conversion) read(name string) (text string, ok bool) {
	if info, err := fs.Lstat(c.root, name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		c.refuse(0, "%s is a symbolic link; copy what the link points to", name)
		return "", false
	}
	content, err := regular.Read(context.Background(), c.root, name, maxReadBytes)
	if err != nil {
		fix := ""
		if errors.As(err, new(regular.LimitError)) {
			fix = "split the file"
		}
		c.refuse(0, "cannot read file: %s", withHint(err.Error(), fix))
		return "", false
	}
	if !utf8.Valid(content) {
		valid := content
		for i := range string(content) { // ends at the first byte that is not UTF-8
			if r, size := utf8.DecodeRune(content[i:]); r == utf8.RuneError && size == 1 {
				valid = content[:i]
				break
			}
		}
		c.refuse(1+bytes.Count(valid, []byte("\n")), "file is not valid UTF-8; save the file as UTF-8")
		return "", false
	}
	return strings.TrimPrefix(strings.ReplaceAll(string(content), "\r\n", "\n"), "\ufeff"), true
}

// split reads the front matter off the body, which has one line "key: value" for each key; more
// lines, as of a list, belong to the key above. It is not read as YAML, because hints
// of arguments such as "[file] [line]" are not.
func (c *conversion) split() (ok bool) {
	c.front, c.frontLine = map[string]string{}, map[string]int{}
	lines := strings.Split(c.body, "\n")
	isSeparator := func(line string) bool { return strings.TrimRight(line, " \t") == "---" }
	if !isSeparator(lines[0]) {
		return true
	}
	end := 1 + slices.IndexFunc(lines[1:], isSeparator)
	if end == 0 {
		c.refuse(1, "front matter is not closed; write a line --- below it")
		return false
	}
	c.body, c.bodyLine = strings.Join(lines[end+1:], "\n"), end+2
	c.frontText = strings.Join(lines[1:end], "\n")
	last, more := "", map[string][]string{} // lines that belong to a key above
	for n, line := range lines[1:end] {
		key, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case ok && key != "" && strings.TrimLeft(key, " \t-") == key:
			last = strings.TrimSpace(key)
			c.front[last], c.frontLine[last] = unquoted(strings.TrimSpace(value)), n+2
			delete(more, last)
		case last != "":
			more[last] = append(more[last], strings.TrimSpace(line))
		}
	}
	for key, rest := range more {
		all := append([]string{c.front[key]}, rest...)
		for i := range len(rest) {
			all[i] = strings.TrimRight(all[i], "|>-")
		}
		c.front[key] = strings.TrimSpace(strings.Join(all, " "))
	}
	return true
}

// unquoted returns a value of YAML without its quotes.
func unquoted(s string) string {
	if len(s) < 2 || s[len(s)-1] != s[0] {
		return s
	}
	inner := s[1 : len(s)-1]
	switch s[0] {
	case '\'':
		return strings.ReplaceAll(inner, "''", "'")
	case '"':
		if text, err := strconv.Unquote(s); err == nil {
			return text
		}
		return inner
	}
	return s
}

// leaveOut notes the keys of the front matter that have no meaning for a prompt.
func (c *conversion) leaveOut(known ...string) {
	for key, line := range c.frontLine {
		if !slices.Contains(known, key) {
			c.note(line, "key %q is left out", key)
		}
	}
}

// line returns the line of an offset in the body.
func (c *conversion) line(offset int) int {
	if c.isOneLine {
		return c.bodyLine
	}
	if c.lined != c.body {
		c.lined, c.breaks = c.body, nil
		for i := range len(c.body) {
			if c.body[i] == '\n' {
				c.breaks = append(c.breaks, i)
			}
		}
	}
	n, _ := slices.BinarySearch(c.breaks, offset)
	return c.bodyLine + n
}

// finish writes the prompt and checks that it is valid and can be rendered.
func (c *conversion) finish(ctx context.Context) {
	if c.isPartial {
		c.result = c.prompt.partial()
		return
	}
	if err := checkLoaded(c.path); err != nil {
		c.refuse(0, "%v", err)
		return
	}
	c.result = c.prompt.content()
	if len(c.result) > maxReadBytes {
		c.refuse(0, "prompt would have %d bytes (limit %d)", len(c.result), maxReadBytes)
		return
	}
	partials := fstest.MapFS{}
	for name, text := range c.partials {
		partials["_partials/"+name+".md"] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := promptfs.Parse(partials, c.path, c.result, promptfs.Options{})
	if err != nil {
		for _, err := range all(err) {
			c.refuse(0, "prompt would be invalid: %v", err)
		}
		return
	}
	reg := new(prompts.Registry)
	if err := reg.Add(p); err != nil {
		c.refuse(0, "prompt would be invalid: %v", err)
		return
	}
	if _, failures := newRenderer(reg).try(ctx, &p); len(failures) > 0 {
		c.refuse(0, "prompt cannot be rendered: %v", errors.Join(failures...))
	}
}
