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

var errDeep = errors.New("the value is nested too deep to be written")

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

// fmtWidth is the largest width and precision that package fmt takes.
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
		d := directive{rest: format[at+1:], values: values, next: next, isIndexed: !ordered}
		d.read()
		format, next = d.rest, d.next
		ordered = ordered && !d.isBroken
		if d.verb == '%' { // which writes no value
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

// directive is one of a format, such as %-8.3f.
type directive struct {
	rest      string // of the format
	values    []any
	next      int // of the values
	width     int // with the precision
	isSharp   bool
	isIndexed bool // the format, so that any value may be the width
	isBroken  bool // where it ends, and which values come next, is not known
	verb      byte
}

// read reads up to the verb.
func (d *directive) read() {
	number, isNumber := 0, false
	end := func() {
		if isNumber {
			d.width += min(number, fmtWidth)
		}
		number, isNumber = 0, false
	}
	for i := range len(d.rest) {
		switch c := d.rest[i]; {
		case '0' <= c && c <= '9':
			number, isNumber = min(10*number+int(c-'0'), fmtWidth), true
		case c == '*':
			d.width += fmtWidth // whatever the value is
			if !d.isIndexed && d.next < len(d.values) {
				if n, ok := d.values[d.next].(int); ok {
					d.width += min(max(n, -n), fmtWidth) - fmtWidth
				}
			}
			d.next++
		case c == '#':
			d.isSharp = true
		case strings.IndexByte("+- .[]", c) >= 0:
			end()
		default:
			end()
			if c == '%' && i > 0 { // package fmt may have ended the directive before
				d.isBroken, d.rest = true, d.rest[i:]
				return
			}
			d.verb, d.rest = c, d.rest[i+1:]
			return
		}
	}
	end()
	d.rest = ""
}
