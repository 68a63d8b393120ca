package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// importFormat is a format from which import converts.
type importFormat struct {
	extension string
	convert   func(c *conversion)
}

var importFormats = map[string]importFormat{
	"claude": {".md", convertClaude},
	"vscode": {".prompt.md", convertVSCode},
}

func newImport() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "import claude|vscode SRC DIR",
		Short: "Convert commands of Claude Code or prompt files of VS Code",
		Long: `Import converts the commands of Claude Code (*.md, as in .claude/commands) or the
prompt files of VS Code (*.prompt.md, as in .github/prompts) in SRC, a file or a
folder, and writes the prompts into DIR. An existing file is never changed.

It reports all that a prompt cannot express. A command that runs programs of the
shell is refused, because a prompt server must not run what is in a text.

The exit code is 1 if a file was refused.`,
		Example: `  prompts import claude .claude/commands prompts
  prompts import vscode .github/prompts prompts`,
		Args:      exactly(3),
		ValidArgs: []string{"claude", "vscode"},
		RunE: func(cmd *cobra.Command, args []string) error {
			format, ok := importFormats[args[0]]
			if !ok {
				return usageErrorf("format must be claude or vscode, got %q", args[0])
			}
			return runImport(cmd.Context(), cmd.OutOrStdout(), format, args[1], args[2], dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "report only, and write nothing")
	return cmd
}

func runImport(ctx context.Context, out io.Writer, format importFormat, src, dir string, dryRun bool) error {
	paths, root, err := importPaths(src, format.extension)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return usageErrorf("no *%s files in %s", format.extension, src)
	}
	refused := 0
	for _, p := range paths {
		c := &conversion{path: strings.TrimSuffix(p, format.extension) + ".md"}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil {
			c.refuse(0, "cannot read file: %v", err)
		} else if c.split(string(content)); !c.isRefused {
			format.convert(c)
			c.finish(ctx)
		}
		target := filepath.Join(dir, filepath.FromSlash(c.path))
		if !c.isRefused && !dryRun {
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				return err
			}
			if err := create(target, c.result); err != nil {
				c.refuse(0, "%v", err)
			}
		}
		if c.isRefused {
			refused++
			fmt.Fprintf(out, "%s: refused\n", printable(p))
		} else {
			fmt.Fprintf(out, "%s -> %s\n", printable(p), printable(filepath.ToSlash(target)))
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
	fmt.Fprintf(out, "%s converted, %d refused\n", plural(len(paths)-refused, "file"), refused)
	if refused > 0 {
		return errReported
	}
	return nil
}

// importPaths returns the files to convert, relative to root and with slashes.
func importPaths(src, extension string) (paths []string, root string, err error) {
	info, err := os.Stat(src)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", usageErrorf("%s does not exist", src)
	}
	if err != nil {
		return nil, "", err
	}
	if !info.IsDir() {
		if !strings.HasSuffix(src, extension) {
			return nil, "", usageErrorf("%s is not a *%s file", src, extension)
		}
		return []string{filepath.Base(src)}, filepath.Dir(src), nil
	}
	err = fs.WalkDir(os.DirFS(src), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(p, extension) {
			paths = append(paths, p)
		}
		return err
	})
	return paths, src, err
}

// conversion is the conversion of a file.
type conversion struct {
	path string // of the prompt, from the root of the folder of prompts

	front     map[string]string // the keys of the source's front matter
	frontLine map[string]int
	body      string
	bodyLine  int // of the source

	prompt    promptFile
	result    []byte
	notes     []note
	isRefused bool
}

// note is something that the prompt does not express, or why a file is refused.
type note struct {
	line int
	text string
}

func (c *conversion) note(line int, format string, args ...any) {
	n := note{line, fmt.Sprintf(format, args...)}
	if !slices.Contains(c.notes, n) {
		c.notes = append(c.notes, n)
	}
}

func (c *conversion) refuse(line int, format string, args ...any) {
	c.isRefused = true
	c.note(line, format, args...)
}

// split reads the front matter, which has one line "key: value" for each key; more
// lines, as of a list, belong to the key above. It is not read as YAML, because hints
// of arguments such as "[file] [line]" are not.
func (c *conversion) split(text string) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	c.front, c.frontLine = map[string]string{}, map[string]int{}
	c.body, c.bodyLine = text, 1
	lines := strings.Split(text, "\n")
	isSeparator := func(line string) bool { return strings.TrimRight(line, " \t") == "---" }
	if !isSeparator(lines[0]) {
		return
	}
	end := 1 + slices.IndexFunc(lines[1:], isSeparator)
	if end == 0 {
		c.refuse(1, "front matter is not closed; write a line --- below it")
		return
	}
	c.body, c.bodyLine = strings.Join(lines[end+1:], "\n"), end+2
	last := ""
	for n, line := range lines[1:end] {
		key, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case ok && key != "" && strings.TrimLeft(key, " \t-") == key:
			last = strings.TrimSpace(key)
			c.front[last], c.frontLine[last] = unquoted(strings.TrimSpace(value)), n+2
		case last != "":
			c.front[last] = strings.TrimSpace(strings.TrimRight(c.front[last], "|>-") + " " + strings.TrimSpace(line))
		}
	}
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
	return c.bodyLine + strings.Count(c.body[:offset], "\n")
}

// finish writes the prompt and checks that it is valid and can be rendered.
func (c *conversion) finish(ctx context.Context) {
	if c.isRefused {
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
	p, err := promptfs.Parse(fstest.MapFS{}, c.path, c.result, promptfs.Options{})
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
