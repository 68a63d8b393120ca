package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

func newImport() *cobra.Command {
	var dryRun bool
	var list strings.Builder
	names := formatNames(isImported)
	for _, name := range names {
		f := formatOf(name, isImported)
		fmt.Fprintf(&list, "  %-12s %s: %s, as in %s\n", name, f.title, f.fileNames(), f.dir)
	}
	cmd := &cobra.Command{
		Use:   "import FORMAT SRC DIR",
		Short: "Convert prompts of other programs",
		Long: `Import converts the prompts in SRC, a file or a folder, and writes them into DIR. A second
import of the same source updates the files that nobody changed since. Other files are never
changed.

The formats:
` + list.String() + `
It reports all that a prompt cannot express, and ends with a check of what it wrote.
A command that runs programs of the shell is refused, because a prompt server must not
run what is in a text.

The exit code is 1 if a file was refused, or if what was written has errors.`,
		Example: `  prompts import claude .claude/commands prompts
  prompts import opencode .opencode/commands prompts
  prompts import vscode .github/prompts prompts
  prompts import gemini .gemini/commands prompts`,
		Args:              exactly(3),
		ValidArgsFunction: completeFirst(names, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := formatOf(args[0], isImported)
			switch {
			case args[0] == "dotprompt":
				return usageErrorf("import does not read Dotprompt; copy each text into a file NAME.md, and write {{.x}} in place of {{x}}")
			case f == nil:
				return unknown("format", args[0], names)
			case slices.Contains(args, ""):
				return errEmptyPath
			}
			return runImport(cmd.Context(), cmd.OutOrStdout(), f, args[1], args[2], dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "report only, and write nothing")
	return cmd
}

func runImport(ctx context.Context, out io.Writer, f *format, src, dir string, dryRun bool) error {
	written := dir
	if dryRun {
		var err error
		if written, err = os.MkdirTemp("", "prompts"); err != nil {
			return err
		}
		defer os.RemoveAll(written)
	}
	files, refused := 0, 0
	imported := map[string]bool{} // paths of written files
	err := convert(ctx, f, src, func(c *conversion) {
		if files++; !c.isRefused {
			origin, err := filepath.Rel(absolute(dir), filepath.Join(absolute(c.folder), filepath.FromSlash(c.source)))
			if err != nil { // on another drive
				origin = c.source
			}
			content := marked(c.result, filepath.ToSlash(origin))
			if err = writeOwn(ctx, dir, c.path, content, dryRun, isImportOf(filepath.ToSlash(origin))); err == nil && dryRun {
				err = writeOwn(ctx, written, c.path, content, false, func(string, string) error {
					return errExists(filepath.Join(dir, filepath.FromSlash(c.path)))
				})
			}
			if err != nil {
				c.refuse(0, "%v", err)
			}
		}
		target := ""
		if c.isRefused {
			refused++
		} else {
			imported[prefixOf(written)+c.path] = true
			target = filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(c.path)))
		}
		writeOutcome(out, c.source, target, c.notes)
	})
	if err != nil {
		return err
	}
	isValid, err := checkImported(ctx, out, written, dir, imported)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s converted, %d refused\n", plural(files-refused, "file"), refused)
	if refused > 0 || !isValid {
		return errReported
	}
	return nil
}

func marked(content []byte, origin string) []byte {
	below := strings.TrimPrefix(string(content), "---\n")
	return []byte("---\n" + markOf(origin, below) + "\n" + below)
}

func markOf(origin, below string) string {
	sum := sha256.Sum256([]byte(origin + "\n" + below))
	return importMark + hex.EncodeToString(sum[:8])
}

func isImportOf(origin string) func(path, content string) error {
	return func(path, content string) error {
		mark, below, _ := strings.Cut(strings.TrimPrefix(content, "---\n"), "\n")
		switch {
		case mark == markOf(origin, below):
			return nil
		case strings.HasPrefix(mark, importMark):
			return fmt.Errorf("file %s was changed, or has another source; to import this one, rename the file", path)
		}
		return errExists(path)
	}
}

func convert(ctx context.Context, f *format, src string, done func(c *conversion)) error {
	files, folder, err := importFiles(src, f)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return usageErrorf("no %s files in %s", f.fileNames(), src)
	}
	for _, file := range files {
		c := &conversion{source: file.source, path: file.target, folder: folder, root: regular.FS(folder)}
		if c.run(ctx, f); ctx.Err() != nil {
			return ctx.Err() // and not the file's error
		}
		done(c)
	}
	return nil
}

func (c *conversion) run(ctx context.Context, f *format) {
	if c.read() {
		c.command(f)
	}
	if !c.isRefused {
		c.finish(ctx)
	}
}

// writeOutcome writes what became of a file or a prompt. target is empty if it is refused.
func writeOutcome(out io.Writer, name, target string, notes []note) {
	if target == "" {
		fmt.Fprintf(out, "%s: refused\n", printable(name))
	} else {
		fmt.Fprintf(out, "%s -> %s\n", printable(name), printable(target))
	}
	for _, n := range slices.SortedStableFunc(slices.Values(notes), func(a, b note) int { return a.line - b.line }) {
		fmt.Fprintf(out, "  %s%s\n", atLine(n.line), printable(n.text))
	}
}

func atLine(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", line)
}

// checkImported reports errors and warnings of written prompts. The folder has the name dir in the report.
func checkImported(ctx context.Context, out io.Writer, folder, dir string, only map[string]bool) (isValid bool, err error) {
	if len(only) == 0 {
		return true, nil
	}
	i := &inspection{lineReader: *newLineReader(folder), only: only, done: func() {}}
	found, err := i.inspect(ctx)
	if err != nil {
		return false, err
	}
	found = slices.DeleteFunc(found, func(f finding) bool {
		return f.Level == levelNote || f.Rule == "syntax" // the report has the line of the source
	})
	r := &report{findings: findings{found, i.lines}}
	r.count()
	if folder != dir {
		r.lines = func(path string) []string { return i.lines(prefixOf(folder) + strings.TrimPrefix(path, prefixOf(dir))) }
		for n := range found {
			found[n].Path = prefixOf(dir) + strings.TrimPrefix(found[n].Path, prefixOf(folder))
		}
	}
	return r.Errors == 0, r.writeText(out)
}

type importFile struct{ source, target string }

func importFiles(src string, f *format) (files []importFile, folder string, err error) {
	info, err := os.Stat(src)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", usageErrorf("%s does not exist", src)
	}
	if err != nil {
		return nil, "", err
	}
	if folder = src; !info.IsDir() {
		folder = filepath.Dir(src)
	}
	own, err := filepath.Abs(folder)
	if err != nil {
		return nil, "", err
	}
	targetOf := func(name string) (string, bool) {
		if f.folder && path.Dir(name) == "." {
			name = path.Join(filepath.Base(own), name)
		}
		return f.target(name)
	}
	if !info.IsDir() {
		target, ok := targetOf(filepath.Base(src))
		if !ok {
			return nil, "", usageErrorf("%s is not a %s file", src, f.fileNames())
		}
		return []importFile{{filepath.Base(src), target}}, folder, nil
	}
	err = fs.WalkDir(regular.FS(src), ".", func(p string, d fs.DirEntry, err error) error {
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
	return files, folder, err
}
