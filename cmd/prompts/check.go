package main

import (
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

func newCheck() *cobra.Command {
	var write writer[*report]
	var strict bool
	var clients []string
	cmd := &cobra.Command{
		Use:   "check DIR|NAME=DIR|FILE...",
		Short: "Report the errors of prompts",
		Long: `Check loads all prompts in the folders, renders each with made-up values, and
reports errors (the prompt is not served, or cannot be rendered), warnings (it is
served, but probably not as it was meant) and notes (a client cannot show it).

For a FILE, check reports the errors of this file alone, as in a hook before a commit. The
partials and settings of the file come from the next folder above with a folder _partials or a
file prompts.yaml, or from the folder of the file. For a partial, check reports the errors of all prompts of the folder.

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
				if err := checkClient(c); err != nil {
					return err
				}
			}
			paths, names, err := namedFolders(paths)
			if err != nil {
				return err
			}
			findFolders(paths, func(path, at string) { showFound(cmd, path, at); names[at] = names[path] })
			scopes, err := checkScopes(paths, names)
			if err != nil {
				return err
			}
			step, end := startProgress(cmd.ErrOrStderr(), "prompts checked")
			r := &report{findings: findings{Findings: []finding{}}}
			for _, i := range scopes {
				i.clients, i.done = clients, step
				found, err := untilDone(cmd.Context(), func() ([]finding, error) { return i.inspect(cmd.Context()) })
				if err != nil {
					end()
					return err
				}
				r.add(i, found)
			}
			end()
			r.count()
			return write(r, r.Errors > 0 || strict && r.Warnings > 0)
		},
	}
	write = addFormat(cmd, formats)
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 if there are warnings")
	cmd.Flags().StringArrayVar(&clients, "client", nil, "report the limits of this client as warnings, and of no other (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(clientNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checkScopes returns the folders together, but those with names of their own, and the files of each root.
func checkScopes(paths []string, names map[string]string) ([]*inspection, error) {
	folders := &inspection{}
	files := map[string]*inspection{} // by root
	isFile := func(path string) bool { info, err := os.Stat(path); return err == nil && !info.IsDir() }
	folders.dirs = slices.DeleteFunc(slices.Clone(paths), isFile) // openFolders reports the error of a path
	var loaded []func(file string) bool
	for _, dir := range folders.dirs {
		loaded = append(loaded, loadedFrom(dir))
	}
	for _, path := range paths {
		if !isFile(path) || slices.ContainsFunc(loaded, func(isLoaded func(string) bool) bool { return isLoaded(path) }) {
			continue
		}
		root, relative, err := rootOf(path)
		if err != nil {
			return nil, err
		}
		isPartial := isWithin(path, filepath.Join(root, partialsFolder))
		if !promptfile.IsMarkdown(path) && !cases.IsTestFile(path) && !isPartial && relative != settingsFile {
			return nil, usageErrorf("%s is neither a Markdown file nor a test file; give *.md files, *%s files or folders", path, cases.Extension)
		}
		i := files[root]
		if i == nil {
			isFolder := slices.ContainsFunc(folders.dirs, func(dir string) bool { return absolute(dir) == absolute(root) }) // which has the settings
			i = &inspection{lineReader: *newLineReader(root), only: map[string]bool{prefixOf(root) + settingsFile: !isFolder}}
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
	folders.dirs = slices.DeleteFunc(folders.dirs, func(dir string) bool {
		if names[dir] != "" { // whose prompts may have the names of others
			all = append(all, &inspection{lineReader: *newLineReader(dir)})
		}
		return names[dir] != ""
	})
	if len(folders.dirs) > 0 {
		all = append(all, folders)
	}
	for _, root := range slices.Sorted(maps.Keys(files)) {
		all = append(all, files[root])
	}
	return all, nil
}

// loadedFrom returns a function that reports whether dir has a file, and does not skip it.
func loadedFrom(dir string) (isLoaded func(file string) bool) {
	root, folders := visibleFS(dir), map[string]map[string]bool{}
	return func(file string) bool {
		relative, err := filepath.Rel(dir, file)
		if err != nil || !filepath.IsLocal(relative) {
			relative, err = filepath.Rel(absolute(dir), absolute(file))
		}
		at := "."
		for part := range strings.SplitSeq(filepath.ToSlash(relative), "/") {
			names := folders[at]
			if names == nil {
				names = map[string]bool{}
				entries, _ := root.ReadDir(at)
				for _, e := range entries {
					names[e.Name()] = true
				}
				folders[at] = names
			}
			if at = path.Join(at, part); at != partialsFolder && !names[part] {
				return false
			}
		}
		return err == nil
	}
}

// rootOf returns the next folder above a file with partials or settings, or that of the file or its skill.
func rootOf(name string) (root, relative string, err error) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return "", "", err
	}
	own, root, relative := filepath.Dir(name), filepath.Dir(name), filepath.Base(name)
	for inRoot := relative; ; {
		if info, err := os.Stat(filepath.Join(dir, partialsFolder)); err == nil && info.IsDir() || exists(filepath.Join(dir, settingsFile)) {
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

type report struct {
	Prompts  int `json:"prompts"` // that are valid
	Skills   int `json:"skills"`  // that are valid
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	findings
	files lineReader
}

func (r *report) add(i *inspection, found []finding) {
	r.Findings = append(r.Findings, found...)
	r.Prompts += i.valid
	r.Skills += i.skills
	r.files.dirs = append(r.files.dirs, i.dirs...)
	r.lines = r.files.lines
}

func (r *report) count() {
	counts := map[level]*int{levelError: &r.Errors, levelWarning: &r.Warnings, levelNote: &r.Notes}
	for _, f := range r.Findings {
		*counts[f.Level]++
	}
}

var formats = map[string]func(io.Writer, *report) error{
	"text":   writeText,
	"sarif":  writeSARIF,
	"github": func(w io.Writer, r *report) error { return r.writeGitHub(w) },
}

func writeText(w io.Writer, r *report) error {
	if err := r.writeText(w); err != nil {
		return err
	}
	valid := plural(r.Prompts, "valid prompt")
	if r.Skills > 0 {
		valid += ", " + plural(r.Skills, "valid skill")
	}
	_, err := fmt.Fprintf(w, "%s, %s, %s, %s\n", valid, plural(r.Errors, "error"), plural(r.Warnings, "warning"), plural(r.Notes, "note"))
	return err
}

func writeSARIF(w io.Writer, r *report) error {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	known, results := []object{}, []object{}
	for _, r := range rules {
		known = append(known, object{"id": r.id, "shortDescription": text(r.text)})
	}
	for _, f := range r.Findings {
		place := object{"artifactLocation": object{"uri": uriOf(repositoryPath(f.Path))}}
		if f.Line > 0 {
			region := object{"startLine": f.Line}
			if f.Column > 0 {
				region["startColumn"] = f.Column
			}
			place["region"] = region
		}
		results = append(results, object{"ruleId": f.Rule, "level": f.Level, "message": text(withHint(f.Message, f.Hint)), "locations": []object{{"physicalLocation": place}}})
	}
	driver := object{"name": "prompts", "informationUri": "https://github.com/mcp-prompts/prompts", "version": version(), "rules": known}
	return writeIndented(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}},
	})
}

// uriOf returns a path as a relative URI reference, or as a file URI if it is absolute.
func uriOf(p string) string {
	u := url.URL{Path: path.Clean(p)}
	if path.IsAbs(p) {
		u.Scheme = "file"
	}
	return u.String()
}

func ruleTable() string {
	var b strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&b, "  %-15s %s\n", r.id, r.text)
	}
	return strings.TrimRight(b.String(), "\n")
}
