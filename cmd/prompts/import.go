package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/internal/regular"
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
	i := &inspection{lineReader: *newLineReader(folder), only: only, done: func() {}}
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
