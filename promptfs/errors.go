package promptfs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts/internal/hint"
)

// Error is an error in a file.
type Error struct {
	// Path is the path of the file or folder, relative to the root.
	Path string
	// Line is the line in the file, counted from 1, or 0 if unknown.
	Line int
	// Column is the column in the line, in characters counted from 1, or 0 if unknown.
	Column int
	// Err describes the error. The text may change.
	Err error
	// Hint is how to fix the error, such as `did you mean "title"?`, or empty if
	// unknown. The text may change.
	Hint string
}

// newError returns an error of a file, with the fix of err apart.
func newError(path string, line, column int, err error) *Error {
	fix, bare := hint.Split(err)
	return &Error{Path: path, Line: line, Column: column, Err: bare, Hint: fix}
}

// Error returns the path, the line, the column if known, the error, and the fix, such
// as `review/code.md:7: unknown key "titel" in front matter; did you mean "title"?`.
// The text may change.
func (e *Error) Error() string { return e.place() + ": " + e.bare().Error() }

// bare returns the error and the fix without the place.
func (e *Error) bare() error { return hint.New(e.Hint, "%w", e.Err) }

func (e *Error) place() string {
	switch {
	case e.Line == 0:
		return shown(e.Path)
	case e.Column > 0:
		return fmt.Sprintf("%s:%d:%d", shown(e.Path), e.Line, e.Column)
	}
	return fmt.Sprintf("%s:%d", shown(e.Path), e.Line)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// shown returns a path that cannot be mistaken for anything else in a log.
func shown(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar
	}) {
		return strconv.Quote(path)
	}
	return path
}

// maxErrors is the maximum number of errors that are reported for one file.
const maxErrors = 100

// maxLogged is the maximum number of errors of one reload that are logged, so that
// invalid files cannot fill a disk.
const maxLogged = 100

type fileErrors struct {
	path string
	all  []*Error
	said map[string]bool // their texts
	yaml []string        // the lines that were read
	// warnings are texts that a prompt loses, up to maxErrors.
	warnings []*Error
	isYAML   bool // the whole file is, and not its front matter alone
}

// lineOf returns the line of the file of one of its YAML. The first line of front matter
// is not part of the YAML.
func (f *fileErrors) lineOf(line int) int {
	if f.isYAML {
		return line
	}
	return line + 1
}

// add adds an error, unless the file already has the same error or maxErrors errors.
func (f *fileErrors) add(line int, err error) { f.addAt(line, 0, err) }

func (f *fileErrors) addAt(line, column int, err error) {
	if f.isFull() {
		return
	}
	e := newError(f.path, line, column, err)
	text := e.Error()
	if f.said[text] {
		return
	}
	if f.said == nil {
		f.said = map[string]bool{}
	}
	f.said[text] = true
	if f.all = append(f.all, e); f.isFull() {
		f.all = append(f.all, newError(f.path, line, 0, hint.New("fix these first", "too many errors (%d)", maxErrors)))
	}
}

// isFull reports whether add ignores further errors.
func (f *fileErrors) isFull() bool { return len(f.all) >= maxErrors }

// join returns the errors as one, in the order of paths and lines; nil for none.
func join(all []*Error) error {
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, a.Column-b.Column)
	})
	errs := make([]error, len(all))
	for i, e := range all {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// flat returns the errors that err joins, those of joined ones among them.
func flat(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, err := range joined.Unwrap() {
			all = append(all, flat(err)...)
		}
		return all
	}
	return []error{err}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
