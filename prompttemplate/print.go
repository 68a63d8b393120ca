package prompttemplate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// What templates write for a value is what package fmt writes, but for numbers
// and lists: see [written].

// format returns what f makes of the values. size is that of a byte of a string then; nil for 1.
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

// number reads a width or a precision, and reports whether an index is the last that was read.
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

// indirect returns what a pointer or an interface leads to; a pointer or an
// interface if it leads to itself, or very far.
func indirect(v reflect.Value) reflect.Value {
	for range maxValueDepth {
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			break
		}
		v = v.Elem()
	}
	return v
}

// orEmpty returns what an action writes for v: a string, unless text/template
// writes the same, and it is known to be short. It panics as step does.
func (r *run) orEmpty(v reflect.Value) reflect.Value {
	d := indirect(v)
	switch d.Kind() {
	case reflect.Invalid:
		return reflect.ValueOf("")
	case reflect.String:
		if d.Type() == stringType {
			return d
		}
	case reflect.Bool, reflect.Int, reflect.Int64:
		if d.Type().PkgPath() == "" {
			return d
		}
	}
	s, err := r.textOf(v)
	if err != nil {
		panic(err)
	}
	return reflect.ValueOf(s)
}

var stringType = reflect.TypeFor[string]()

func (r *run) textOf(v reflect.Value) (string, error) {
	d := indirect(v)
	switch {
	case !d.IsValid():
		return "", nil
	case d.Type() == stringType:
		return d.String(), nil
	case d.Kind() == reflect.Pointer || d.Kind() == reflect.Interface: // text/template would follow it for ever
		return "", errDeep
	case d.Kind() == reflect.Func || d.Kind() == reflect.Chan:
		return "", fmt.Errorf("cannot write a value of type %s", d.Type())
	}
	if _, err := r.bound([]any{d.Interface()}, nil); err != nil {
		return "", err
	}
	value := d.Interface()
	if d.CanAddr() { // so that it may be the pointer that has the method
		switch p := d.Addr().Interface().(type) {
		case fmt.Stringer, error:
			value = p
		}
	}
	s := fmt.Sprint(writtenOf(value))
	return s, r.spend(len(s))
}

// written is a number or a list, for package fmt. With %v it is written as JSON writes the number,
// without an exponent from 1e-6 up to 1e21, and the elements of the list with commas between them.
// With other verbs, a precision, or a flag for digits it is written as package fmt does.
type written struct{ value any }

func writtenOf(v any) any {
	switch v.(type) {
	case nil, string, int, bool, fmt.Formatter, fmt.Stringer, error:
		return v
	case float64, []string:
		return written{v}
	}
	t := reflect.TypeOf(v)
	if isFloat(t) || (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && isElement(t.Elem()) {
		return written{v}
	}
	return v
}

func isFloat(t reflect.Type) bool { return t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32 }

// isElement reports whether lists of a type are written with commas: of strings,
// numbers and booleans, but not of bytes.
func isElement(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uint8
}

// Format writes the value.
func (w written) Format(s fmt.State, verb rune) {
	v := reflect.ValueOf(w.value)
	_, isPlain := s.Precision()
	isPlain = !isPlain && (verb == 'v' || verb == 's' && !isFloat(v.Type()) && v.Type().Elem().Kind() == reflect.String)
	for _, flag := range "# 0" {
		isPlain = isPlain && !s.Flag(int(flag))
	}
	format, value := fmt.FormatString(s, verb), w.value
	if isPlain {
		format, value = fmt.FormatString(s, 's'), textOfPlain(v)
	}
	fmt.Fprintf(s, format, value)
}

func textOfPlain(v reflect.Value) string {
	if isFloat(v.Type()) {
		var number any = v.Float()
		if v.Kind() == reflect.Float32 {
			number = float32(v.Float())
		}
		text, err := json.Marshal(number)
		if err != nil { // not a number, or infinite
			return fmt.Sprint(number)
		}
		return string(text)
	}
	var b strings.Builder
	for i := range v.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		if e := v.Index(i); e.Type() == stringType {
			b.WriteString(e.String())
		} else {
			fmt.Fprint(&b, writtenOf(e.Interface()))
		}
	}
	return b.String()
}
