// Package cases reads test files of prompts and checks what prompts return against them.
// The command prompts and package prompttest run the same cases by it.
package cases

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/problem"
)

// Extension is how the name of a test file ends.
const Extension = ".test.yaml"

var (
	// almost is how a name may end by mistake.
	almost = regexp.MustCompile(`(?i)\.tests?\.(?:ya?ml|json)$|_tests?\.ya?ml$`)
	// another is the extension of a file that has cases if isTest matches the content.
	another = regexp.MustCompile(`(?i)(?:[._-][a-z]+)?\.ya?ml$`)
	isTest  = regexp.MustCompile(`(?m)^cases:(?s:.*)^[ -]+expect:`)
)

// Parse returns a YAML file as JSON, and the line of each value by its JSON pointer:
// promptfile.ParseYAML.
type Parse = func(path string, content []byte) (value json.RawMessage, lineOf func(pointer string) int, err error)

type File struct {
	Path   string // in the folder
	Prompt string // that the cases are of
	Line   int    // of the name of the prompt, or 1
	Cases  []*Case
}

// Case is one call of a prompt, and what is expected of it.
type Case struct {
	File      *File
	Name      string
	Line      int
	Arguments map[string]string
	lines     map[string]int // of the arguments
	Answers   []Answer       // of the user, to forms
	Tags      []string       // of the principal; nil if all prompts are visible
	Expect    Expect
	Model     *Model // what is expected of a model; nil for nothing
}

type Texts struct {
	Contains, Excludes []Text
	Matches            []Text // with Pattern
	MaxCharacters      *Number
}

// Text is a text with its line, and the pattern that it is.
type Text struct {
	Value   string
	Line    int
	Pattern *regexp.Regexp
}

type Number struct{ Value, Line int }

type Expect struct {
	Texts
	Messages *Number
	Roles    []Text
	Equals   *Text // the path of a golden file in the folder
	JSON     int   // the line of json: true; 0 without
	Error    *ExpectedError
	Line     int
}

type ExpectedError struct {
	Line    int
	Kind    string                    // unknown or internal; empty for Reasons
	Reasons map[string]problem.Reason // by argument
}

type Model struct {
	Texts
	Schema *jsonschema.Resolved // of the answer as JSON; nil for none
	Line   int                  // of the schema
}

// Answer is the user's answer to a form.
type Answer struct {
	Message string // a part of the question's; empty for any question
	Action  string // accept, decline or cancel
	Content json.RawMessage
}

type Error struct {
	Path string
	Line int // from 1; 0 if unknown
	Err  error
	Hint string // how to fix the error
}

func (e *Error) Error() string {
	place := e.Path
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, e.Line)
	}
	return place + ": " + hint.New(e.Hint, "%w", e.Err).Error()
}

func (e *Error) Unwrap() error { return e.Err }

func (f *File) errorAt(line int, fix, format string, args ...any) *Error {
	return &Error{f.Path, line, fmt.Errorf(format, args...), fix}
}

// maxFileBytes is the size of the largest test file and of the largest golden file.
const maxFileBytes = 4 << 20

// Load reads all test files of a folder, in the order of their paths, and the errors of
// invalid ones: each an *Error, or an error of parse. Files and folders whose names begin
// with a dot or an underscore are skipped, and so are the folders of skills.
func Load(fsys fs.FS, parse Parse) (files []*File, errs []error) {
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			errs = append(errs, &Error{Path: name, Err: reason(err)})
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case promptfile.IsHidden(name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if name != "." && isSkill(fsys, name) {
				return fs.SkipDir
			}
			return nil
		case !IsTestFile(name):
			if fix := renamed(fsys, name); fix != "" {
				errs = append(errs, &Error{Path: name, Err: fmt.Errorf("name of a test file must end in %s, got %s", Extension, path.Base(name)), Hint: fix})
			}
			return nil
		}
		f, faults := Read(fsys, name, parse)
		if errs = append(errs, faults...); f != nil {
			files = append(files, f)
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return files, errs
}

func IsTestFile(name string) bool { return strings.HasSuffix(strings.ToLower(name), Extension) }

// renamed returns the fix for the name of a file that is no test file and is meant as one, or "".
func renamed(fsys fs.FS, name string) string {
	end, otherwise := almost.FindString(name), "NAME"
	isAlmost := end != ""
	if !isAlmost {
		if end = another.FindString(name); end == "" {
			return ""
		}
		content, err := regular.Read(context.Background(), fsys, name, maxFileBytes)
		if err != nil || !isTest.Match(content) {
			return ""
		}
	}
	var stems []string
	entries, _ := fs.ReadDir(fsys, path.Dir(name)) // the walk reports the error
	for _, e := range entries {
		if promptfile.IsPrompt(e.Name()) && !promptfile.IsHidden(e.Name()) {
			stems = append(stems, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
		}
	}
	stem := path.Base(strings.TrimSuffix(name, end))
	switch {
	case isAlmost:
		otherwise = stem
	case len(stems) == 1:
		otherwise = stems[0]
	}
	return "rename the file to " + path.Join(path.Dir(name), cmp.Or(nearest.Name(stem, stems), otherwise)+Extension)
}

func isSkill(fsys fs.FS, dir string) bool {
	entries, _ := fs.ReadDir(fsys, dir) // the walk reports the error
	return promptfile.HasSkill(entries)
}

// reason returns an error of a file system without the path.
func reason(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}

// Dir returns the files of a folder. No link leads out of the folder, or to a hidden file,
// so that the content of another file is in no report.
func Dir(dir string) fs.FS { return regular.FS(dir) }

// Read reads one test file. It returns the file with its valid cases, and all errors.
func Read(fsys fs.FS, name string, parse Parse) (*File, []error) {
	content, fix, err := readFile(fsys, name)
	if err != nil {
		return nil, []error{&Error{Path: name, Err: err, Hint: fix}}
	}
	return New(name, content, parse)
}

func readFile(fsys fs.FS, name string) (content []byte, fix string, err error) {
	content, err = regular.Read(context.Background(), fsys, name, maxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist): // of a folder that is read, a link
		fix = "remove the link, or write the file that the link names"
	case errors.As(err, new(regular.LimitError)):
		fix = "write fewer cases"
	case errors.As(err, new(regular.TypeError)):
		fix = "give the file another name, or replace the file"
	case err != nil:
		fix = "replace the link or the file with a readable file in the folder"
	}
	return content, fix, reason(err)
}

type Prompts struct {
	lookup   func(name string) (prompts.Prompt, bool)
	names    []string
	bySource map[string]string // names, by each end of the path of the file without its extension
}

func PromptsOf(reg *prompts.Registry) *Prompts {
	all := &Prompts{lookup: reg.Lookup, bySource: map[string]string{}}
	for p := range reg.All() {
		all.names = append(all.names, p.Name)
		source, _, _ := strings.Cut(strings.TrimSuffix(p.Source, path.Ext(p.Source)), "/SKILL")
		for i := range len(source) {
			if source[i] == '/' || source[i] == ':' {
				all.bySource[source[i+1:]] = p.Name
			}
		}
	}
	return all
}

// Check returns the errors of cases that only a look at the prompts finds: a prompt or an argument
// that does not exist. A case that expects an error about an argument may name an unknown one.
func (f *File) Check(all *Prompts) []error {
	p, ok := all.lookup(f.Prompt)
	if !ok {
		fix := "write prompt: NAME above the cases"
		if near := nearest.Name(f.Prompt, all.names); near != "" {
			fix = fmt.Sprintf("did you mean prompt: %s?", near)
		}
		// The prompt whose file is beside the test file can have another name.
		if name := all.bySource[f.stem()]; name != "" && f.stem() == f.Prompt {
			fix = "write prompt: " + name
		}
		return []error{f.errorAt(f.Line, fix, "unknown prompt %q", f.Prompt)}
	}
	var arguments []string
	isArgument := make(map[string]bool, len(p.Arguments))
	for _, a := range p.Arguments {
		arguments = append(arguments, a.Name)
		isArgument[a.Name] = true
	}
	var errs []error
	for _, c := range f.Cases {
		if c.Expect.Error != nil {
			for _, name := range sortedKeys(c.Expect.Error.Reasons) {
				_, isGiven := c.Arguments[name]
				if !isGiven && !isArgument[name] {
					errs = append(errs, f.errorAt(c.Expect.Error.Line, nearest.OneOf(name, arguments), "case %q expects an error of the unknown argument %q", c.Name, name))
				}
			}
			continue
		}
		for _, name := range sortedKeys(c.Arguments) {
			if !isArgument[name] {
				errs = append(errs, f.errorAt(c.lines[name], nearest.OneOf(name, arguments), "case %q has the unknown argument %q", c.Name, name))
			}
		}
	}
	return errs
}

// stem returns the path without the extension: the name of the prompt by default.
func (f *File) stem() string { return f.Path[:len(f.Path)-len(Extension)] }

// maxName is the length of the longest name of a case, in bytes.
const maxName = 200

func isName(s string) bool {
	return s != "" && len(s) <= maxName && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

type tagsKey struct{}

// WithTags returns the context of a client whose principal has the tags; nil: it sees all prompts.
func WithTags(ctx context.Context, tags []string) context.Context {
	return context.WithValue(ctx, tagsKey{}, tags)
}

// Options returns the options of a server for cases: misspelled arguments are errors, the
// user is asked for missing arguments if the client can, no rate is limited, a prompt with
// tags is visible to principals that have one of them, and results do not name the release,
// so that golden files stay the same.
func Options(o prompts.Options) prompts.Options {
	o.DisableReleaseMeta = true
	o.StrictArguments = true
	o.ElicitArguments = true
	o.Limits.GetsPerSecond = -1
	o.Visible = func(ctx context.Context, p prompts.Prompt) (bool, error) {
		tags, _ := ctx.Value(tagsKey{}).([]string)
		return tags == nil || len(p.Tags) == 0 || slices.ContainsFunc(p.Tags, func(tag string) bool { return slices.Contains(tags, tag) }), nil
	}
	return o
}
