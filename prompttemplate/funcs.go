package prompttemplate

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/coverage"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/trace"
)

// functions returns the functions of this package, which count for r, but those that the author
// replaces. Those of text/template that are missing do little, however large their arguments are.
func (r *run) functions(author template.FuncMap) template.FuncMap {
	all := template.FuncMap{
		rangeFunc: r.iterable,
		madeFunc:  r.made,
		openFunc:  r.open,
		orEmpty:   r.orEmpty,
		coverFunc: r.cover,
		traceFunc: r.trace,

		"fence": func(language, code reflect.Value) (string, error) {
			return r.ofTexts(language, code, 3, prompts.Fence)
		},
		"untrusted": func(label, text reflect.Value) (string, error) {
			return r.ofTexts(label, text, 1, prompts.Untrusted)
		},
		"json": r.json,
		"list": r.list,

		"print":    func(args ...any) (string, error) { return r.format(args, nil, fmt.Sprint) },
		"println":  func(args ...any) (string, error) { return r.format(args, nil, fmt.Sprintln) },
		"printf":   r.printf,
		"html":     func(args ...any) (string, error) { return r.format(args, htmlSize, template.HTMLEscaper) },
		"js":       func(args ...any) (string, error) { return r.format(args, jsSize, template.JSEscaper) },
		"urlquery": func(args ...any) (string, error) { return r.format(args, querySize, template.URLQueryEscaper) },

		"index": r.index,
		"eq":    r.eq,
		"ne":    func(a, b reflect.Value) (bool, error) { equal, err := r.eq(a, b); return !equal, err },
		"lt":    func(a, b reflect.Value) (bool, error) { c, err := r.compare(a, b); return c < 0, err },
		"le":    func(a, b reflect.Value) (bool, error) { c, err := r.compare(a, b); return c <= 0, err },
		"gt":    func(a, b reflect.Value) (bool, error) { c, err := r.compare(a, b); return c > 0, err },
		"ge":    func(a, b reflect.Value) (bool, error) { c, err := r.compare(a, b); return c >= 0, err },
	}
	for i := range 1 + bits.Len(2*maxWeight) {
		all[stepFunc+strconv.Itoa(i)] = func() bool { return r.step(1 << i) }
	}
	for name := range author {
		delete(all, name)
	}
	return all
}

// step counts steps. It panics with the error, which text/template returns: a
// second result would cost more.
func (r *run) step(n int) bool {
	if err := r.take(n); err != nil {
		panic(err)
	}
	return false
}

func (r *run) cover(block int) bool {
	if r.trial == nil {
		coverage.From(r.ctx).Hit(block)
	}
	return false
}

// trace notes that a part of a text begins, unless the values are generated.
func (r *run) trace(place string) bool {
	if t := trace.From(r.ctx); t != nil && r.trial == nil {
		t.Add(r.message, trace.Piece{Place: place, Start: r.output.text.Len()})
	}
	return false
}

// ofTexts returns what f makes of the texts of two values, at most factor times as long.
func (r *run) ofTexts(a, b reflect.Value, factor int, f func(a, b string) string) (string, error) {
	first, err := r.textOf(a)
	if err != nil {
		return "", err
	}
	second, err := r.textOf(b)
	if err != nil {
		return "", err
	}
	if factor*(len(first)+len(second)) > r.bytes {
		return "", errBytes
	}
	s := f(first, second)
	return s, r.spend(len(s))
}

func (r *run) json(v reflect.Value) (string, error) {
	var value any
	switch {
	case !v.IsValid():
	case v.CanAddr(): // so that it may be the pointer that has the method MarshalJSON
		value = v.Addr().Interface()
	default:
		value = v.Interface()
	}
	s := &sizer{run: r, isJSON: true}
	if err := s.add(v, 0); err != nil {
		return "", err
	}
	if err := s.check(); err != nil {
		return "", err
	}
	text, err := jsonenc.Marshal(value)
	if err != nil {
		return "", err
	}
	return string(text), r.spend(len(text))
}

// list returns the elements of a list, or of its text: those of a JSON array, else what stands
// between commas. An element of JSON that is no string is its JSON.
func (r *run) list(v reflect.Value) (reflect.Value, error) {
	d := indirect(v)
	if d.Kind() == reflect.Slice || d.Kind() == reflect.Array {
		return d, nil
	}
	text, err := r.textOf(v)
	if err != nil {
		return reflect.Value{}, err
	}
	const most = 24 // bytes for each of the text
	if most*len(text) > r.bytes {
		return reflect.Value{}, errBytes
	}
	elements := splitList(text)
	return reflect.ValueOf(elements), r.spend(len(text) + 16*len(elements))
}

// iterable returns what a range goes through, if that can be bounded.
func (r *run) iterable(v reflect.Value) (reflect.Value, error) {
	d := indirect(v)
	switch {
	case d.Kind() == reflect.Map: // which is sorted
		return v, r.take(4 * d.Len())
	case !d.IsValid(), d.Kind() == reflect.Slice, d.Kind() == reflect.Array, d.CanInt(), d.CanUint(),
		d.Kind() == reflect.Func && (d.Type().CanSeq() || d.Type().CanSeq2()):
		return v, nil
	}
	// Text/template would quote a string, and wait for a channel.
	return v, never("range cannot go through a %s", d.Kind())
}

// open is made for values whose types depend on other values. What a template does
// with these may fail with made-up arguments only.
func (r *run) open(v reflect.Value) (reflect.Value, error) {
	if r.trial != nil {
		r.trial.isOpen = true
	}
	return r.made(v)
}

// made counts what code has returned that is not ours.
func (r *run) made(v reflect.Value) (reflect.Value, error) {
	d := indirect(v)
	switch d.Kind() {
	case reflect.Pointer, reflect.Interface: // text/template would follow it for ever
		return v, errDeep
	case reflect.String:
		return v, r.spend(d.Len())
	case reflect.Slice, reflect.Map:
		n := d.Len()
		if size := d.Type().Elem().Size(); size > 0 && d.Kind() == reflect.Slice {
			n *= int(size)
		}
		return v, r.spend(n)
	}
	return v, nil
}

// oneOf returns a fix that also names the known names, if there are some.
func oneOf(otherwise string, names []string) string {
	if len(names) == 0 {
		return otherwise
	}
	return otherwise + ", or use one of: " + phrase.Enumerate(names)
}

// The functions that are put into the parse trees.
const (
	stepFunc  = "_step"    // at the beginning of what a range repeats, with a number
	rangeFunc = "_range"   // behind what a range goes through
	madeFunc  = "_made"    // behind a call of code that is not ours
	openFunc  = "_open"    // the same, if the value may be of any type
	orEmpty   = "_orEmpty" // behind a value that is written
	coverFunc = "_cover"   // at the beginning of a block, for a coverage, with its number
	traceFunc = "_trace"   // before what is written, for a trace, with a place
)

// isInternal reports whether a function is one of those.
func isInternal(name string) bool {
	return strings.HasPrefix(name, stepFunc) || name == rangeFunc || name == madeFunc || name == openFunc || name == orEmpty || name == coverFunc || name == traceFunc
}

// ours are the functions that this package adds to those of text/template; the
// author cannot replace them.
var ours = []string{"fence", "untrusted", "json"}

var builtins = map[string]bool{
	"and": true, "call": true, "html": true, "index": true, "slice": true, "js": true, "len": true, "not": true,
	"or": true, "print": true, "printf": true, "println": true, "urlquery": true,
	"eq": true, "ge": true, "gt": true, "le": true, "lt": true, "ne": true,
}

func isFunction(author template.FuncMap, name string) bool {
	_, isAuthors := author[name]
	return isAuthors || builtins[name] || slices.Contains(ours, name) || name == "list"
}
