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
	// Column is the column in the line, in characters counted from 1, or 0 if
	// unknown.
	Column int
	// Err describes the error and a fix. The text may change.
	Err error
}

// Error returns the path, the line, the column if known, and the error, such as
// `review/code.md:7: a prompt has no key "titel"; did you mean title?`. The text may
// change.
func (e *Error) Error() string { return e.place() + ": " + e.Err.Error() }

// place returns path, line and column, as far as they are known.
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
	if strings.ContainsFunc(path, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(path)
	}
	return path
}

// maxErrors is the maximum number of errors that are reported for one file.
const maxErrors = 100

// fileErrors are the errors of one file.
type fileErrors struct {
	path string
	all  []*Error
	said map[string]bool // their texts
}

// add adds an error, unless the file already has the same error or maxErrors
// errors.
func (f *fileErrors) add(line int, format string, args ...any) { f.addAt(line, 0, format, args...) }

// addAt is add for an error whose column is known.
func (f *fileErrors) addAt(line, column int, format string, args ...any) {
	if f.isFull() {
		return
	}
	e := &Error{Path: f.path, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
	text := e.Error()
	if f.said[text] {
		return
	}
	if f.said == nil {
		f.said = map[string]bool{}
	}
	f.said[text] = true
	if f.all = append(f.all, e); f.isFull() {
		f.all = append(f.all, &Error{Path: f.path, Line: line, Err: hint.New("fix these first", "too many errors (%d)", maxErrors)})
	}
}

// isFull reports whether add ignores further errors.
func (f *fileErrors) isFull() bool { return len(f.all) >= maxErrors }

// join returns the errors as one, in the order of paths and lines; nil for
// none.
func join(all []*Error) error {
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *Error) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	errs := make([]error, len(all))
	for i, e := range all {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// flat returns the errors that err joins, those of joined ones among them.
func flat(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, err := range joined.Unwrap() {
			all = append(all, flat(err)...)
		}
		return all
	}
	return []error{err}
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
