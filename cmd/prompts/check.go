package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/portable"
)

func newCheck() *cobra.Command {
	var write func(io.Writer, *report) error
	var strict bool
	var clients []string
	cmd := &cobra.Command{
		Use:   "check DIR|FILE...",
		Short: "Report the errors of prompts",
		Long: `Check loads all prompts in the folders, renders each with made-up values, and
reports errors (the prompt is not served, or cannot be rendered), warnings (it is
served, but probably not as it was meant) and notes (a client cannot show it).

For a FILE, check reports the errors of this file alone, as in a hook before a commit. The
partials of the file come from the next folder above with a folder _partials, or from the
folder of the file. For a partial, check reports the errors of all prompts of the folder.

The exit code is 1 if there are errors; with --strict, if there are warnings.

The rules:
` + ruleTable(),
		Example: `  prompts check .
  prompts check prompts/review.md prompts/explain.md
  prompts check --strict --format github prompts
  prompts check --format sarif prompts >prompts.sarif
  prompts check --client Zed --client "VS Code" prompts`,
		Args: atLeastOne("folder"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			for _, c := range clients {
				if names := clientNames(); !slices.Contains(names, c) {
					return unknown("client", c, names)
				}
			}
			scopes, err := checkScopes(paths)
			if err != nil {
				return err
			}
			progress := startProgress(cmd.ErrOrStderr(), "prompts checked")
			r := &report{findings: findings{Findings: []finding{}, color: hasColor(cmd.OutOrStdout())}}
			for _, i := range scopes {
				i.clients, i.done = clients, progress.step
				var found []finding
				var err error
				ended := untilDone(cmd.Context(), func() { found, err = i.inspect(cmd.Context()) })
				if err := cmp.Or(ended, err); err != nil {
					progress.end()
					return err
				}
				r.add(i, found)
			}
			progress.end()
			r.count()
			if err := write(cmd.OutOrStdout(), r); err != nil {
				return err
			}
			if r.Errors > 0 || strict && r.Warnings > 0 {
				return errReported
			}
			return nil
		},
	}
	write = addFormat(cmd, formats)
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 if there are warnings")
	cmd.Flags().StringArrayVar(&clients, "client", nil, "report the limits of this client as warnings, and of no other (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(clientNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checkScopes returns what to check: all folders together, and the files of each root.
func checkScopes(paths []string) ([]*inspection, error) {
	folders := &inspection{}
	files := map[string]*inspection{} // by root
	isFile := func(path string) bool { info, err := os.Stat(path); return err == nil && !info.IsDir() }
	folders.dirs = slices.DeleteFunc(slices.Clone(paths), isFile) // openFolders reports the error of a path
	for _, path := range paths {
		if !isFile(path) || slices.ContainsFunc(folders.dirs, func(dir string) bool { return isLoaded(path, dir) }) {
			continue
		}
		root, relative, err := rootOf(path)
		if err != nil {
			return nil, err
		}
		isPartial := isWithin(path, filepath.Join(root, "_partials"))
		if ext := strings.ToLower(filepath.Ext(path)); ext != ".md" && ext != ".markdown" && !cases.IsTestFile(path) && !isPartial {
			return nil, usageErrorf("%s is neither a Markdown file nor a test file; give *.md files, *%s files or folders", path, cases.Extension)
		}
		i := files[root]
		if i == nil {
			i = &inspection{dirs: []string{root}, only: map[string]bool{}}
			files[root] = i
		}
		if isPartial {
			i.only = nil // a partial may break any prompt
		} else if i.only != nil {
			i.only[prefixOf(root)+relative] = true
		}
	}
	if err := openFolders(folders.dirs); err != nil {
		return nil, err
	}
	var all []*inspection
	if len(folders.dirs) > 0 {
		all = append(all, folders)
	}
	for _, root := range slices.Sorted(maps.Keys(files)) {
		all = append(all, files[root])
	}
	return all, nil
}

// isLoaded reports whether dir has the file at path, and does not skip it as hidden.
func isLoaded(path, dir string) bool {
	relative, err := filepath.Rel(absolute(dir), absolute(path))
	return err == nil && !strings.HasPrefix(relative, ".") && !strings.Contains(relative, string(filepath.Separator)+".")
}

// rootOf returns the folder of prompts that a file is in: the next one above with
// partials, or that of the file, or, for the main file of a skill, that of the skill.
// relative is the path of the file in the folder, with slashes.
func rootOf(name string) (root, relative string, err error) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return "", "", err
	}
	own, root, relative := filepath.Dir(name), filepath.Dir(name), filepath.Base(name)
	for inRoot := relative; ; {
		if info, err := os.Stat(filepath.Join(dir, "_partials")); err == nil && info.IsDir() {
			return root, inRoot, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		inRoot = path.Join(filepath.Base(dir), inRoot)
		dir, root = parent, filepath.Join(root, "..")
		if strings.EqualFold(relative, "SKILL.md") {
			own, relative = root, inRoot
		}
	}
	return own, relative, nil
}

func ruleTable() string {
	var b strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&b, "  %-15s %s\n", r.id, r.text)
	}
	return strings.TrimRight(b.String(), "\n")
}

// clientNames returns the clients whose limits are known.
func clientNames() []string {
	var names []string
	for _, r := range portable.Rules {
		if !slices.Contains(names, r.Client) {
			names = append(names, r.Client)
		}
	}
	return names
}

// atLeastOne accepts one argument or more.
func atLeastOne(what string) cobra.PositionalArgs { return between(1, math.MaxInt, what+" is missing") }

// between accepts as many arguments. missing is the error for fewer.
func between(least, most int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return usageErrorf("%s; usage: %s", missing, cmd.UseLine())
		}
		return cobra.MaximumNArgs(most)(cmd, args)
	}
}

// exactly accepts n arguments.
func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageErrorf("wrong number of arguments: expected %d, got %d; usage: %s", n, len(args), cmd.UseLine())
		}
		return nil
	}
}

// hasColor reports whether w is a terminal with colors, and NO_COLOR is not set.
func hasColor(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && hasEscapes(w) }

// hasEscapes reports whether w is a terminal that executes escape sequences.
func hasEscapes(w io.Writer) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// progress shows on a terminal how far a command is that takes more than a second.
type progress struct {
	n    atomic.Int64
	stop chan struct{}
	done chan struct{} // closed when nothing is shown any more
}

func startProgress(w io.Writer, what string) *progress {
	p := &progress{stop: make(chan struct{}), done: make(chan struct{})}
	if !hasEscapes(w) {
		close(p.done)
		return p
	}
	go p.show(w, what) // ends with end
	return p
}

func (p *progress) step() { p.n.Add(1) }

func (p *progress) show(w io.Writer, what string) {
	defer close(p.done)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if n := p.n.Load(); n > 0 {
				fmt.Fprintf(w, "%sG%d %s", mark, n, what)
			} else {
				fmt.Fprintf(w, "%sGreading files", mark)
			}
		case <-p.stop:
			fmt.Fprintf(w, "%[1]sG%[1]sK", mark)
			return
		}
	}
}

// end removes what is shown.
func (p *progress) end() {
	close(p.stop)
	<-p.done
}

// completeFolders completes the folders on the command line.
func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// promptNames completes the names of the prompts in a folder.
func promptNames(dir string) []string {
	if openFolders([]string{dir}) != nil {
		return nil
	}
	reg, _ := loadFolders(context.Background(), []string{dir})
	var names []string
	for p := range reg.All() {
		names = append(names, cobra.CompletionWithDesc(p.Name, p.Description))
	}
	return names
}
