package prompttemplate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
)

const (
	// maxText is the maximum number of bytes of the text of a message.
	maxText = 16 << 20
	// maxMade is the maximum number of bytes of all texts and values that one rendering makes.
	maxMade = 2 * maxText
	// maxSteps is the maximum number of steps of one rendering: about one for
	// each node of the parse tree that is executed.
	maxSteps = 10_000_000
)

// run bounds one rendering. The functions that templates call belong to one.
type run struct {
	ctx   context.Context
	steps int    // that are left
	bytes int    // that are left
	trial *trial // nil unless the values are generated

	message int     // that is executed, for a trace
	output  *output // of the message
}

// spend counts n bytes that were made, or are about to be.
func (r *run) spend(n int) error {
	if err := r.work(n); err != nil {
		return err
	}
	if n > r.bytes {
		return errBytes
	}
	r.bytes -= n
	return nil
}

// work counts n bytes that are read.
func (r *run) work(n int) error { return r.take(1 + n/512) }

func (r *run) take(n int) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.steps -= n; r.steps < 0 {
		return errSteps
	}
	return nil
}

// output is the text of a message while it is written.
type output struct {
	run          *run
	text         strings.Builder
	last, failed []byte // what was written last, and what was not
	err          error  // why
}

func (o *output) Write(p []byte) (int, error) {
	err := o.run.spend(len(p))
	if err == nil && o.text.Len()+len(p) > maxText {
		err = fmt.Errorf("rendered text exceeds the limit of %d bytes", maxText)
	}
	if err != nil {
		o.failed, o.err = p, err
		return 0, err
	}
	o.last = p
	if o.run.trial != nil { // nobody reads the text
		return len(p), nil
	}
	return o.text.Write(p)
}

var (
	errSteps = hint.New("repeat less", "template exceeds the limit of %d steps", maxSteps)
	errBytes = hint.New("shorten the result", "text and values of the template exceed the limit of %d bytes", maxMade)
)

type trial struct {
	values map[string]any
	isOpen bool // a value was used whose type may be another with other arguments
}

// checkFormat returns an error if package fmt has found a format unfit for its
// values. A format that is an argument is a generated value itself.
func (t *trial) checkFormat(format string, values []any, made string) error {
	at := strings.Index(made, "%!")
	if at < 0 || strings.Contains(format, "%!") || strings.Contains(fmt.Sprint(values...), "%!") {
		return nil
	}
	for _, v := range t.values {
		if v == format {
			return nil
		}
	}
	return hint.New("write a %v for each value", "%w", never("format %q does not match its values, got %q", explain.Short(format), explain.Short(made[at:])))
}

// typeError is an error that depends on the type of a value, and not on what the value is.
type typeError struct{ text string }

func (e *typeError) Error() string { return e.text }

func never(format string, args ...any) error { return &typeError{fmt.Sprintf(format, args...)} }

// sizer counts what package fmt or encoding/json would write for values, from above. Text/template
// cannot stop them, so nothing is formatted before it is known to be small enough. What the methods
// of the author's types return is counted when it is there.
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
	return s, s.check()
}

func (s *sizer) check() error {
	if s.bytes+valueSize*s.values > s.run.bytes {
		return errBytes
	}
	return s.run.take(s.values / 4)
}
