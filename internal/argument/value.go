package argument

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/mcp-prompts/prompts/internal/match"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// value says how the string of an argument is read, and which values are valid. It is
// immutable. To read a string is to convert it, which checks the rules of strings, numbers and
// lengths, then to check an enum of other values and the validator, and last to fill the Go
// value from JSON. So nothing that is invalid gets into a Go value of the application, except
// for types with UnmarshalText. The elements of a list are values too.
type value struct {
	kind       schema.Kind
	bits       int    // of an integer or a float
	isLiteral  bool   // a json.Number, which keeps the text
	isIntegral bool   // a float that the schema restricts to integers
	elem       *value // of a list
	expected   string // such as "an integer"; "" if any text is valid
	isAddress  bool   // of net/netip, where the empty text gives an invalid address
	isTime     bool   // of RFC 3339
	rules      rules
	validator  *Validator // for the rest of the schema; nil if the rules are all
	// A limit in bytes and not in time, so that a call fails in the same way on every machine.
	maxBytes int         // of a text; 0: no limit but that of an argument
	members  *memberCase // of JSON; nil if it contains no struct
	// candidates complete the text.
	candidates func() *match.Index
	tree       func() *subschema // of the schema of a list, to complete JSON
}

// maxPatternWork limits the bytes of a text times the instructions of the patterns in the schema.
// To match that much takes about a second. Package regexp takes time linear in the text, but with
// the size of the program as a factor. Without the limit, an argument of some megabytes could take
// minutes for a large pattern.
const maxPatternWork = 64 << 20

func tooLong(maxBytes int) *Problem {
	return &Problem{Reason: problem.Length, Message: fmt.Sprintf("exceeds the limit of %d bytes for values whose schema has a pattern", maxBytes)}
}

func (v *value) typeProblem(text string) *Problem {
	return &Problem{Reason: problem.Type, Message: mustBe(cmp.Or(v.expected, "a valid value"), phrase.Quote(text))}
}

func (v *value) outOfRange(text string) *Problem {
	expected := v.expected
	if v.kind != schema.Float {
		_, _, held := v.held()
		expected += " from " + held
	} else {
		expected += fmt.Sprintf(" that a float of %d bits can hold", v.bits)
	}
	return &Problem{Reason: problem.Range, Message: mustBe(expected, phrase.Quote(text))}
}

// read reads the text into dst and validates it. The zero dst is not filled, as for a prompt
// without a struct. With want, read returns the value as encoding/json would decode it. The
// problems have everything but the name of the argument. If there are problems, dst may be filled
// in part. UnmarshalText of the application may panic, and the caller of the prompt recovers.
func (v *value) read(ctx context.Context, dst reflect.Value, text string, want bool) (any, []Problem) {
	// Before any pattern runs: matching takes time in proportion to text and pattern.
	if v.maxBytes > 0 && len(text) > v.maxBytes {
		return nil, []Problem{*tooLong(v.maxBytes)}
	}
	if dst.IsValid() {
		// A pointer says that an argument may be absent. A value that is given always gets one.
		for dst.Kind() == reflect.Pointer {
			dst.Set(reflect.New(dst.Type().Elem()))
			dst = dst.Elem()
		}
		// The value must be complete before dst is set, so dst is not passed on.
		if dst.Kind() == reflect.Interface {
			return v.readAny(ctx, dst, text)
		}
	}
	switch v.kind {
	case schema.List:
		return v.readList(ctx, dst, text, want)
	case schema.JSON:
		return v.readJSON(ctx, dst, text, want)
	}
	// The converted value is validated last: most calls end here without a validator.
	instance, p := v.convert(dst, text, want)
	if p == nil && v.validator != nil {
		return instance, v.validator.check(ctx, v.instanceOf(text))
	}
	return instance, problemsOf(p)
}

func (v *value) readAny(ctx context.Context, dst reflect.Value, text string) (any, []Problem) {
	instance, problems := v.read(ctx, reflect.Value{}, text, true)
	if problems == nil && instance != nil {
		dst.Set(reflect.ValueOf(instance))
	}
	return instance, problems
}

// readList is read for a list. The instance is made only if the validator or the caller needs
// it, because a list of texts fills its slice directly.
func (v *value) readList(ctx context.Context, dst reflect.Value, text string, want bool) (any, []Problem) {
	instance, problems := v.convertList(ctx, dst, text, want || v.validator != nil)
	if problems == nil && v.validator != nil {
		problems = v.validateList(ctx, instance, text)
	}
	return instance, problems
}

// A nil slice means success to all callers, so a slice with a nil problem must never be made.
func problemsOf(p *Problem) []Problem {
	if p == nil {
		return nil
	}
	return []Problem{*p}
}

// The instance is made of the text directly, without JSON in between. For a string kind the schema
// validates the text that was sent, not the Go value: the pattern of a duration applies to "1h30m".
func (v *value) instanceOf(text string) instance {
	switch {
	case v.kind.IsString():
		return instance{kind: strictjson.String, text: text}
	case v.kind == schema.Bool:
		return instance{kind: strictjson.Bool, text: text}
	}
	return instance{kind: strictjson.Number, text: text}
}

// An element that is a list or an object may contain commas itself, so such lists must be JSON.
func (v *value) isElement() bool { return v.kind != schema.JSON && v.kind != schema.List }

// The end is exclusive, because 2^63 and 2^64 are float64s, and the largest
// integers before them are not.
func (v *value) held() (low, end float64, text string) {
	switch {
	case v.kind == schema.Int:
		end = math.Ldexp(1, v.bits-1)
		return -end, end, fmt.Sprintf("%d to %d", int64(-1)<<(v.bits-1), int64(1)<<(v.bits-1)-1)
	case v.kind == schema.Uint:
		return 0, math.Ldexp(1, v.bits), fmt.Sprintf("0 to %d", ^uint64(0)>>(64-v.bits))
	case v.bits == 32:
		return -math.MaxFloat32, math.Nextafter(math.MaxFloat32, math.Inf(1)), "the numbers of 32 bits"
	}
	return math.Inf(-1), math.Inf(1), ""
}

// The text is what a client would send as a string for the same value, so one
// function reads both forms.
func (v *value) textOf(given strictjson.Value) (text string, ok bool) {
	switch {
	case !v.hasType(given.Kind()):
		return "", false
	case v.kind.IsString():
		return given.Text(), true
	case v.kind == schema.Int || v.kind == schema.Uint:
		// For JSON Schema 3.0 is an integer, but strconv.ParseInt rejects the text.
		return plainInteger(given.Raw()), true
	}
	return given.Raw(), true
}

func (v *value) hasType(k strictjson.Kind) bool {
	switch v.kind {
	case schema.Bool:
		return k == strictjson.Bool
	case schema.Int, schema.Uint, schema.Float:
		return k == strictjson.Number
	case schema.List:
		return k == strictjson.Array
	case schema.JSON:
		return true // which the schema decides
	}
	return k == strictjson.String
}

func (v *value) notTyped(shown string) *Problem {
	return &Problem{Reason: problem.Type, Message: mustBe(cmp.Or(v.expected, "a string"), describeJSON(shown))}
}

// A list has its tree for completion only: its validator has the rest of the schema, if any.
func (v *value) treeOf() *subschema {
	switch {
	case v.kind == schema.JSON && v.validator != nil:
		return v.validator.root
	case v.tree == nil:
		return nil
	}
	return v.tree()
}
