package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

// watchFolders loads the folders into reg and follows their changes until ctx ends.
// Files with errors are logged, and the others are served. onReload, if not nil, returns
// a function for each folder that is called after each reload. names has what is in front of the
// names of the prompts of a folder.
func watchFolders(ctx context.Context, reg *prompts.Registry, dirs []string, names map[string]string, o promptfs.Options, onReload func(dir string) func(promptfs.Report)) error {
	logger := o.Logger
	o.ReadIgnore = readIgnore
	for _, dir := range dirs {
		foreign := findForeign(ctx, dir)
		o.SourcePrefix, o.NamePrefix, o.OnReload, o.Logger = prefixOf(dir), names[dir], nil, logger
		if len(foreign.paths) > 0 {
			e := foreign.error()
			logger.WarnContext(ctx, "folder is in the format of another program", slog.String("path", dir), slog.Any("error", e.Err), slog.String("fix", e.Hint))
			o.Logger = slog.New(onceHandler{logger.Handler(), &foreign})
		}
		if onReload != nil {
			report := onReload(dir)
			o.OnReload = func(r promptfs.Report) {
				r.Err = foreign.once(r.Err)
				report(r)
			}
			if len(foreign.paths) > 0 { // no reload may report anything
				report(promptfs.Report{Err: foreign.once(nil)})
			}
		}
		folder := promptfs.NewDir(reg, dir, o)
		err := folder.Reload(ctx)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && len(foreign.paths) == 0 && !hasPrompts(reg, o.SourcePrefix) {
			logger.WarnContext(ctx, "no prompts", slog.String("path", dir), slog.String("error", foreign.noPrompts()), slog.String("fix", noPromptsHint))
		}
		go folder.Watch(ctx) // ends with ctx
	}
	return nil
}

// loadFolders loads the folders into a registry, and returns the errors of files. The context,
// which may have a coverage, is that of the templates, too.
func loadFolders(ctx context.Context, dirs []string) (*prompts.Registry, []*finding) {
	reg := new(prompts.Registry)
	var errs []*finding
	for _, dir := range dirs {
		var loaded prompts.Registry
		err := promptfs.NewFolder(&loaded, regular.FS(dir), promptfs.Options{Logger: slog.New(slog.DiscardHandler), SourcePrefix: prefixOf(dir), ReadIgnore: readIgnore}).Reload(ctx)
		for _, err := range all(err) {
			errs = append(errs, findingOf(dir, "file", err))
		}
		for p := range loaded.All() {
			if other, ok := reg.Lookup(p.Name); ok {
				errs = append(errs, &finding{Path: p.Source, Level: levelError, Rule: "duplicate-name", Message: fmt.Sprintf("prompt %q is also in %s; rename one of the two, or serve the folders as NAME=DIR", p.Name, other.Source)})
				continue
			}
			if err := reg.Add(p); err != nil {
				errs = append(errs, &finding{Path: p.Source, Level: levelError, Rule: "file", Message: err.Error()})
			}
		}
	}
	return reg, errs
}

// testSuite is a folder with its cases.
type testSuite struct {
	dir      string
	fsys     fs.FS
	registry *prompts.Registry
	renderer *renderer
	files    []*cases.File // without errors
	errs     []*finding    // of prompts and of test files
}

// loadTests loads a folder. A test file with errors is left out.
func loadTests(ctx context.Context, dir string) *testSuite {
	reg, faults := loadFolders(ctx, []string{dir})
	files, errs := loadCases(dir, reg, faults)
	return &testSuite{dir: dir, fsys: cases.Dir(dir), registry: reg, renderer: newRenderer(reg), files: files, errs: append(faults, errs...)}
}

// loadCases loads the test files of a folder, and returns those without errors. known are the
// errors of loadFolders: that the prompt of a file with errors does not exist is no other error.
func loadCases(dir string, reg *prompts.Registry, known []*finding) (files []*cases.File, errs []*finding) {
	isInvalid := map[string]bool{} // files of prompts, without their extensions
	for _, f := range known {
		isInvalid[strings.TrimSuffix(f.Path, path.Ext(f.Path))] = true
	}
	found, faults := cases.Load(visibleFS(dir), promptfs.ParseYAML)
	isBroken := map[string]bool{}
	add := func(err error) {
		e := findingOf(dir, "case", err)
		errs = append(errs, e)
		isBroken[e.Path] = true
	}
	for _, err := range faults {
		add(err)
	}
	all := cases.PromptsOf(reg)
	for _, f := range found {
		file := prefixOf(dir) + f.Path
		if isInvalid[strings.TrimSuffix(file, cases.Extension)] {
			continue
		}
		for _, err := range f.Check(all) {
			add(err)
		}
		if !isBroken[file] {
			files = append(files, f)
		}
	}
	return files, errs
}

// patternOf returns the pattern of names in the arguments, of which there is one at most, in the
// form of the names.
func patternOf(args []string) (string, error) {
	pattern := norm.NFC.String(strings.Join(args, ""))
	if _, err := path.Match(pattern, ""); err != nil {
		return "", usageErrorf("invalid pattern %q; write a pattern such as 'review/*'", pattern)
	}
	return pattern, nil
}

// isSelected reports whether a pattern selects a prompt. The empty pattern selects all.
func isSelected(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == ""
}
