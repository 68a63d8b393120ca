package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

// errEmptyPath is for a path that a variable of a script may have left out.
var errEmptyPath = usageErrorf("path is empty; write . for the current folder")

// openFolders checks that each path is a folder, and that none is in another one.
func openFolders(paths []string) error {
	for i, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "":
			return errEmptyPath
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

// isWithin reports whether the folder at path is dir or in dir.
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

// prefixOf returns the beginning of the Source of each prompt of a folder, so that
// Source is the path of the file as a user would write it.
func prefixOf(dir string) string {
	if dir = filepath.ToSlash(filepath.Clean(dir)); dir != "." {
		return strings.TrimSuffix(dir, "/") + "/"
	}
	return "./"
}

// watchFolders loads the folders into reg and follows their changes until ctx ends.
// Files with errors are logged, and the others are served. onReload, if not nil, returns
// a function for each folder that is called after each reload.
func watchFolders(ctx context.Context, reg *prompts.Registry, dirs []string, o promptfs.Options, onReload func(dir string) func(promptfs.Report)) error {
	logger := o.Logger
	for _, dir := range dirs {
		foreign := findForeign(ctx, dir)
		o.SourcePrefix, o.OnReload, o.Logger = prefixOf(dir), nil, logger
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

// loadFolders loads the folders into a registry, and returns the errors of files,
// each a [finding]. The context, which may have a coverage, is that of the templates, too.
func loadFolders(ctx context.Context, dirs []string) (*prompts.Registry, error) {
	reg := new(prompts.Registry)
	var errs []error
	for _, dir := range dirs {
		var loaded prompts.Registry
		err := promptfs.NewFolder(&loaded, regular.FS(dir), promptfs.Options{Logger: slog.New(slog.DiscardHandler), SourcePrefix: prefixOf(dir)}).Reload(ctx)
		for _, err := range all(err) {
			errs = append(errs, findingOf(dir, "file", err))
		}
		for p := range loaded.All() {
			if other, ok := reg.Lookup(p.Name); ok {
				errs = append(errs, &finding{Path: p.Source, Level: levelError, Rule: "duplicate-name", Message: fmt.Sprintf("prompt %q is also in %s; rename one of the two", p.Name, other.Source)})
				continue
			}
			if err := reg.Add(p); err != nil {
				errs = append(errs, &finding{Path: p.Source, Level: levelError, Rule: "file", Message: err.Error()})
			}
		}
	}
	return reg, errors.Join(errs...)
}

// withHint returns a message with its hint on one line.
func withHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "; " + hint
}

// findingOf returns an error of a file in dir as a finding.
func findingOf(dir, rule string, err error) *finding {
	f := &finding{Path: dir, Level: levelError, Rule: rule, Message: err.Error()}
	var ofCases *cases.Error
	var ofFile *promptfs.Error
	switch {
	case errors.As(err, &ofCases):
		f.Path, f.Line, f.Message, f.Hint = prefixOf(dir)+ofCases.Path, ofCases.Line, ofCases.Err.Error(), ofCases.Hint
	case errors.As(err, &ofFile):
		f.Path, f.Line, f.Column, f.Message, f.Hint = prefixOf(dir)+ofFile.Path, ofFile.Line, ofFile.Column, ofFile.Err.Error(), ofFile.Hint
		if rule == "file" && errors.Is(err, promptfs.ErrDuplicateName) {
			f.Rule = "duplicate-name"
		}
	}
	return f
}

// all returns the errors that err joins.
func all(err error) []error {
	switch e := err.(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		var errs []error
		for _, err := range e.Unwrap() {
			errs = append(errs, all(err)...)
		}
		return errs
	}
	return []error{err}
}
