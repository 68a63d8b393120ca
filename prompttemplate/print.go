package prompttemplate

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// sizer counts what package fmt or encoding/json would write for values, from
// above. Text/template cannot stop them, so nothing is formatted before it is
// known to be small enough. What the methods of the author's types return is
// counted when it is there.
type sizer struct {
	run    *run
	isJSON bool           // follows pointers, as encoding/json does
	size   func(byte) int // of a byte of a string where it is written; nil for 1
	values int
	bytes  int
}

// maxValueDepth is the maximum nesting of a value that is written.
const maxValueDepth = 100

var errDeep = fmt.Errorf("value exceeds the limit of %d nested levels", maxValueDepth)

func (s *sizer) add(v reflect.Value, depth int) error {
	if s.values++; s.values%1024 == 0 {
		if err := s.run.take(256); err != nil {
			return err
		}
	}
	if s.values+s.bytes > s.run.bytes {
		return errBytes
	}
	if depth > maxValueDepth {
		return errDeep
	}
	switch v.Kind() {
	case reflect.String:
		s.bytes += s.sizeOf(v.String())
	case reflect.Interface:
		return s.add(v.Elem(), depth+1)
	case reflect.Pointer:
		if s.isJSON || depth == 0 {
			return s.add(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Bool, reflect.Int8, reflect.Uint8, reflect.Int, reflect.Int64, reflect.Float64:
			s.values += v.Len()
			return nil
		}
		for i := range v.Len() {
			if err := s.add(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		for iter := v.MapRange(); iter.Next(); {
			if err := errors.Join(s.add(iter.Key(), depth+1), s.add(iter.Value(), depth+1)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if s.isJSON {
				s.bytes += len(v.Type().Field(i).Name) + len(v.Type().Field(i).Tag)
			}
			if err := s.add(v.Field(i), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizeOf returns how many bytes a string has where it is written.
func (s *sizer) sizeOf(text string) int {
	switch {
	case s.size != nil:
		n := 0
		for i := range len(text) {
			n += s.size(text[i])
		}
		return n
	case !s.isJSON:
		return len(text)
	}
	escaped, isValid := 0, utf8.ValidString(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || !isValid && c >= utf8.RuneSelf:
			escaped += 5
		case c == '"' || c == '\\' || c >= utf8.RuneSelf:
			escaped++
		}
	}
	return len(text) + escaped
}

// htmlSize, jsSize and querySize return how many bytes html, js and urlquery make of
// one, from above.
func htmlSize(c byte) int {
	if strings.IndexByte("\000\"'&<>", c) >= 0 {
		return 5
	}
	return 1
}

func jsSize(c byte) int {
	if c < ' ' || c >= utf8.RuneSelf || strings.IndexByte("\\\"'<>&=\x7f", c) >= 0 {
		return 6
	}
	return 1
}

func querySize(c byte) int {
	if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == ' ' || strings.IndexByte("-_.~", c) >= 0 {
		return 1
	}
	return 3
}

// valueSize is more than fmt and encoding/json write for a number, a bool or a
// nil, and for the separators around any value.
const valueSize = 32

// bound returns how much the values have, or an error if that is too much. size
// is that of a byte of a string where it is written; nil for 1.
func (r *run) bound(values []any, size func(byte) int) (*sizer, error) {
	s := &sizer{run: r, size: size}
	for _, v := range values {
		if text, ok := v.(string); ok { // most are
			s.values, s.bytes = s.values+1, s.bytes+s.sizeOf(text)
		} else if err := s.add(reflect.ValueOf(v), 0); err != nil {
			return nil, err
		}
	}
	if err := r.take(s.values / 4); err != nil {
		return nil, err
	}
	if s.bytes+valueSize*s.values > r.bytes {
		return nil, errBytes
	}
	return s, nil
}

func (r *run) boundJSON(v reflect.Value) error {
	s := &sizer{run: r, isJSON: true}
	if err := s.add(v, 0); err != nil {
		return err
	}
	if s.bytes+valueSize*s.values > r.bytes {
		return errBytes
	}
	return r.take(s.values / 4)
}

// format returns what f makes of the values. size is that of a byte of a string
// then; nil for 1.
func (r *run) format(values []any, size func(byte) int, f func(...any) string) (string, error) {
	if _, err := r.bound(values, size); err != nil {
		return "", err
	}
	for i, v := range values {
		values[i] = writtenOf(v)
	}
	s := f(values...)
	return s, r.spend(len(s))
}

// printf is fmt.Sprintf.
func (r *run) printf(format string, values ...any) (string, error) {
	all, err := r.bound(values, nil)
	if err != nil {
		return "", err
	}
	n, err := r.directives(format, values, all)
	if err != nil {
		return "", err
	}
	if n > r.bytes {
		return "", errBytes
	}
	s := fmt.Sprintf(format, values...)
	if r.trial != nil {
		if err := r.trial.checkFormat(format, values, s); err != nil {
			return "", err
		}
	}
	return s, r.spend(len(s))
}

// fmtWidth is the largest value that package fmt takes as a width or a precision. A
// number in a format may have another digit.
const fmtWidth = 1_000_000

// directives returns how many bytes a format makes, from above, and makes the
// values those that package fmt is to write.
func (r *run) directives(format string, values []any, all *sizer) (int, error) {
	// Values that no directive writes are written at the end, with their types.
	n := len(format) + all.bytes + 2*valueSize*all.values
	for _, v := range values {
		n += len(fmt.Sprintf("%T", v))
	}
	next, hasType := 0, false
	ordered := !strings.Contains(format, "[") // else any directive may write any value
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 || n > r.bytes {
			break
		}
		d := directive{rest: format[at+1:], values: values, next: next, ordered: ordered}
		d.read()
		format, next = d.rest, d.next
		if d.verb == '%' { // which writes no value, but may write the error of a width
			n += valueSize
			continue
		}
		s := all
		if ordered {
			s = &sizer{run: r}
			if next < len(values) {
				if err := s.add(reflect.ValueOf(values[next]), 0); err != nil {
					return 0, err
				}
				if d.verb == 'v' || d.verb == 's' {
					values[next] = writtenOf(values[next])
				}
			}
			next++
		}
		if err := r.take(1 + s.values/4); err != nil {
			return 0, err
		}
		hasType = hasType || d.verb == 'T'
		each := d.width + valueSize
		switch d.verb {
		case 'b', 'e', 'E', 'f', 'F', 'g', 'G':
			each += 400 // digits of a float64
		}
		factor := 1
		switch {
		case d.isSharp:
			factor, each = 6, each+100 // with the types
		case d.verb == 'x' || d.verb == 'X' || d.verb == 'q':
			factor = 5
		}
		n += factor*s.bytes + each*max(s.values, 1)
	}
	if !ordered && !hasType {
		for i, v := range values {
			values[i] = writtenOf(v)
		}
	}
	return n, nil
}

// directive is one of a format, such as %-8.3f. It is read as package fmt does, so
// that neither finds one that the other does not.
type directive struct {
	rest    string // of the format
	values  []any
	next    int // of the values
	ordered bool
	width   int // with the precision
	isSharp bool
	verb    byte // the first of the verb's bytes; 0 if the verb is missing
}

func (d *directive) read() {
	for d.rest != "" && strings.IndexByte("#0+- ", d.rest[0]) >= 0 {
		d.isSharp = d.isSharp || d.rest[0] == '#'
		d.rest = d.rest[1:]
	}
	isIndexed := d.number(d.index())
	if len(d.rest) > 1 && d.rest[0] == '.' {
		d.rest = d.rest[1:]
		isIndexed = d.number(d.index())
	}
	if !isIndexed {
		d.index()
	}
	if d.rest != "" {
		_, size := utf8.DecodeRuneInString(d.rest)
		d.verb, d.rest = d.rest[0], d.rest[size:]
	}
}

// index reads the index of a value, such as [1], and reports whether there is one.
func (d *directive) index() bool {
	if d.rest == "" || d.rest[0] != '[' {
		return false
	}
	end := strings.IndexByte(d.rest, ']')
	if end < 0 {
		d.rest = d.rest[1:]
		return false
	}
	_, after, ok := digits(d.rest[1:end])
	d.rest = d.rest[end+1:]
	return ok && after == ""
}

// number reads a width or a precision, and reports whether an index is the last
// that was read.
func (d *directive) number(isIndexed bool) bool {
	if d.rest != "" && d.rest[0] == '*' {
		width := fmtWidth // whatever the value is
		if d.next < len(d.values) {
			if n, ok := d.values[d.next].(int); ok && d.ordered {
				width = min(max(n, -n), fmtWidth)
			}
			d.next++
		}
		d.width, d.rest = d.width+width, d.rest[1:]
		return false
	}
	n, after, _ := digits(d.rest)
	d.width, d.rest = d.width+n, after
	return isIndexed
}

// digits reads the number that a text begins with. If the number is too large for
// package fmt, digits returns no number, and the rest of the text is lost.
func digits(text string) (n int, after string, ok bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case c < '0' || c > '9':
			return n, text[i:], ok
		case n > fmtWidth:
			return 0, "", false
		default:
			n, ok = 10*n+int(c-'0'), true
		}
	}
	return n, "", ok
}
