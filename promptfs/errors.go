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
)

// Error is a fault of a file.
type Error struct {
	// Path is the file's or the folder's path, from the root of the folder of
	// prompts.
	Path string
	// Line is where in the file the fault is, counted from 1; 0 if it is in no
	// line of it.
	Line int
	// Column is the column of the line, in characters counted from 1; 0 if it is
	// not known.
	Column int
	// Err says what is wrong, and what to write instead. The text may change.
	Err error
}

// Error returns path, line, the column if it is known, and what is wrong, such
// as `review/code.md:7: a prompt has no key "titel"; did you mean title?`. The
// text may change.
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

// maxFaults is how many faults of one file are told.
const maxFaults = 100

// faults are what is wrong with one file.
type faults struct {
	path string
	all  []*Error
	said map[string]bool // their texts
}

// add adds a fault, unless it is there already. Of very many the others are
// not told.
func (f *faults) add(line int, format string, args ...any) { f.addAt(line, 0, format, args...) }

// addAt is add for a fault whose column is known.
func (f *faults) addAt(line, column int, format string, args ...any) {
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
		f.all = append(f.all, &Error{Path: f.path, Line: line, Err: errors.New("there may be more faults; mend these first")})
	}
}

// isFull reports whether no more faults are told.
func (f *faults) isFull() bool { return len(f.all) >= maxFaults }

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
