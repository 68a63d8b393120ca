package argument

import (
	"encoding/json"
	"io"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
)

// faultOf declares an optional argument a of type T, and returns what is wrong
// with it.
func faultOf[T any](s *jsonschema.Schema) error {
	return faultOfStruct[struct {
		A T `json:"a,omitempty"`
	}](Spec{Name: "a", Schema: s})
}

// faultOfStruct declares the arguments of an In, and returns what is wrong.
func faultOfStruct[In any](arguments ...Spec) error {
	return errorOf[In](arguments...)
}

type declaredCase struct {
	name  string
	fault error
	want  []string // each error; none for no error
}

func checkDeclared(t *testing.T, cases []declaredCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.want == nil {
				assert.NoError(t, c.fault)
				return
			}
			assert.EqualError(t, c.fault, strings.Join(c.want, "\n"))
		})
	}
}

// A type that no text can fill is refused when the prompt is added, with what
// to write in its place.
func TestDeclaredTypes(t *testing.T) {
	t.Parallel()
	no := func(typ string) []string {
		return []string{`argument "a": unsupported argument type ` + typ + `; use a string, a number, a bool, a slice, a struct, or a type with UnmarshalText`}
	}
	checkDeclared(t, []declaredCase{
		{"channel", faultOf[chan int](nil), no("chan int")},
		{"function", faultOf[func()](nil), no("func()")},
		{"complex64", faultOf[complex64](nil), no("complex64")},
		{"complex128", faultOf[complex128](nil), no("complex128")},
		{"uintptr", faultOf[uintptr](nil), no("uintptr")},
		{"unsafe.Pointer", faultOf[unsafe.Pointer](nil), no("unsafe.Pointer")},
		{"interface with methods", faultOf[io.Reader](nil), no("io.Reader")},
		{"error", faultOf[error](nil), no("error")},
		{"behind a pointer", faultOf[*io.Reader](nil), no("io.Reader")},
		{"behind two pointers", faultOf[**func(int) bool](nil), no("func(int) bool")},
		{"in a slice", faultOf[[]complex128](nil), no("complex128")},
		{"in an array", faultOf[[2]chan<- string](nil), no("chan<- string")},
		{"in a slice of slices", faultOf[[][]uintptr](nil), no("uintptr")},
		{"any, which its schema fills", faultOf[any](nil), nil},
	})
}

type (
	linked  struct{ Next *linked }
	tree    struct{ Kids []tree }
	mapped  map[string]mapped
	ping    struct{ Pong *pong }
	pong    struct{ Ping *ping }
	listed  []listed
	endless *endless
)

type hiding struct {
	Common
	Other string `json:"note"`
}

// What JSON can be no value of is refused in the depth, too, with what to write
// in its place.
func TestDeclaredTypesInside(t *testing.T) {
	t.Parallel()
	no := func(at, typ string) []string {
		return []string{`argument "a": ` + at + `unsupported argument type ` + typ + `; use a string, a number, a bool, a slice, a struct, or a type with UnmarshalText`}
	}
	itself := func(at, typ string) []string {
		return []string{`argument "a": ` + at + `recursive type argument.` + typ + `; use json.RawMessage and decode it in the render function`}
	}
	keys := func(at, typ string) []string {
		return []string{`argument "a": ` + at + `map keys must be strings; use map[string]` + typ}
	}
	deep := []string{`argument "a": type has too many nested lists; use json.RawMessage`}
	checkDeclared(t, []declaredCase{
		{"channel in a map", faultOf[map[string]chan int](nil), no("", "chan int")},
		{"function in a struct", faultOf[struct{ F func() }](nil), no(`member "F": `, "func()")},
		{"complex in a struct in a list", faultOf[[]struct{ F complex64 }](nil), no(`member "F": `, "complex64")},
		{"interface with methods in a map", faultOf[map[string]io.Reader](nil), no("", "io.Reader")},
		{"error in a struct", faultOf[struct{ E error }](nil), no(`member "E": `, "error")},
		{"uintptr in a struct", faultOf[struct{ P *uintptr }](nil), no(`member "P": `, "uintptr")},
		{"struct without exported fields", faultOf[atomic.Int64](nil), no("", "atomic.Int64")},
		{"such a struct inside", faultOf[map[string][]sync.Mutex](nil), no("", "sync.Mutex")},
		{"struct without fields", faultOf[map[string]struct{}](nil), nil},
		{"list that holds itself", faultOf[listed](nil), deep},
		{"such a list inside", faultOf[struct{ L listed }](nil), itself(`member "L": `, "listed")},
		{"pointer to itself", faultOf[endless](nil), no("", "argument.endless")},
		{"struct that points to itself", faultOf[linked](nil), itself(`member "Next": `, "linked")},
		{"struct that holds itself", faultOf[tree](nil), itself(`member "Kids": `, "tree")},
		{"list of such", faultOf[[]tree](nil), itself(`member "Kids": `, "tree")},
		{"map that holds itself", faultOf[mapped](nil), itself("", "mapped")},
		{"two that hold each other", faultOf[ping](nil), itself(`member "Pong": member "Ping": `, "ping")},
		{"integer as a key", faultOf[map[int]string](nil), keys("", "string")},
		{"bool as a key", faultOf[map[bool]string](nil), keys("", "string")},
		{"any as a key", faultOf[map[any]string](nil), keys("", "string")},
		{"duration as a key", faultOf[map[time.Duration]int](nil), keys("", "int")},
		{"struct as a key", faultOf[map[struct{ A int }]string](nil), keys("", "string")},
		{"such a map in a list", faultOf[[]map[int]string](nil), keys("", "string")},
		{"such a map in a struct", faultOf[struct{ M map[int]string }](nil), keys(`member "M": `, "string")},
		{"text as a key", faultOf[map[netip.Addr]string](nil), nil},
		{"URL in a struct", faultOf[struct{ U *url.URL }](nil), []string{
			`argument "a": member "U": url.URL cannot be a member of JSON; use a string and parse the URL in the render function`}},
		{"embedded pointer to what is not exported", faultOf[struct{ *secretBase }](nil), []string{
			`argument "a": member "secretBase": embedded pointer to secretBase cannot be set, because the type is not exported; embed the struct itself`}},
		{"two embedded members of one name", faultOf[struct {
			first
			second
		}](nil), []string{`argument "a": member "Same": two fields have this name; rename one of them in the json tag`}},
		{"a member that hides another of another name", faultOf[hiding](nil), nil},
		{"a member that hides one of its name", faultOf[struct {
			Common
			Note int `json:"note"`
		}](nil), nil},
		{"option misspelled", faultOf[struct {
			//lint:ignore SA5008 it is the point
			A int `json:"x,omitzer"`
		}](nil), []string{`argument "a": member "x": json tag of field A has the unknown option "omitzer"; did you mean "omitzero"?`}},
		{"backslash in the name of a member", faultOf[struct {
			//lint:ignore SA5008 the invalid name is the point
			A string `json:"x\\y"`
		}](nil), []string{`argument "a": member "x\\y": json tag of field A has a quote or a backslash in the name, so that encoding/json would ignore the name; rename the field`}},
		{"jsonschema tag of keywords", faultOf[struct {
			A int `jsonschema:"minimum=1"`
		}](nil), []string{`argument "a": member "A": jsonschema tag "minimum=1" looks like a constraint, but the tag is a description; write a constraint as a tag of its own, such as minimum:"1"`}},
	})
}

type secretBase struct{ X string }

type (
	first  struct{ Same string }
	second struct{ Same string }

	firstSecret  struct{ secretBase }
	secondSecret struct{ secretBase }
)

// The fields of a struct, and what is listed beside them.
func TestDeclaredStructs(t *testing.T) {
	t.Parallel()
	type plain struct {
		A int `json:"a"`
	}
	const notStruct = "New: type argument must be a struct; without a struct, set Arguments and Render"
	checkDeclared(t, []declaredCase{
		{"not a struct", faultOfStruct[string](), []string{notStruct}},
		{"a slice", faultOfStruct[[]string](), []string{notStruct}},
		{"a pointer", faultOfStruct[*plain](), []string{"New: type argument must be a struct, got *argument.plain; use argument.plain"}},
		{"a map", faultOfStruct[map[string]string](), []string{notStruct}},
		{"any", faultOfStruct[any](), []string{notStruct}},
		{"embedded pointer to what is not exported", faultOfStruct[struct{ *secretBase }](), []string{
			`argument "secretBase": embedded pointer to secretBase cannot be set, because the type is not exported; embed the struct itself`}},
		{"embedded struct that is not exported", faultOfStruct[struct{ secretBase }](), nil},
		{"a field with the name that another's tag has", faultOfStruct[struct {
			A string
			B int `json:"A"`
		}](), []string{`argument "A": two fields have this name; rename one of them in the json tag`}},
		{"two embedded fields of one name", faultOfStruct[struct {
			first
			second
		}](), []string{`argument "Same": two fields have this name; rename one of them in the json tag`}},
		{"a struct that two others embed", faultOfStruct[struct {
			firstSecret
			secondSecret
		}](), []string{`argument "X": two fields have this name; rename one of them in the json tag`}},
		{"names that differ in case", faultOfStruct[struct {
			A string `json:"x"`
			B int    `json:"X"`
		}](), nil},
		{"the option string", faultOfStruct[struct {
			A int `json:"a,string"`
		}](), []string{`argument "a": json tag option "string" is not needed, because arguments are always sent as strings; remove the option`}},
		{"the option string inside", faultOf[struct {
			A int `json:"n,string"`
		}](nil), []string{`argument "a": json tag of member "n" has the option "string", which the schema does not know; remove the option, or declare the member as a string`}},
		{"control character in a name", faultOfStruct[struct {
			A string `json:"a\tb"`
		}](), []string{`argument "a\tb": Name contains a control character`}},
		{"empty jsonschema tag", faultOfStruct[struct {
			A string `json:"a" jsonschema:""`
		}](), []string{`argument "a": jsonschema tag is empty`}},
		{"jsonschema tag of keywords", faultOfStruct[struct {
			A string `json:"a" jsonschema:"enum=x,enum=y"`
		}](), []string{`argument "a": jsonschema tag "enum=x,enum=y" looks like a constraint, but the tag is a description; write a constraint as a tag of its own, such as enum:"x"`}},
		{"listed without a field", faultOfStruct[plain](Spec{Name: "A"}), []string{`argument "A": unknown field; the fields are a; did you mean "a"?`}},
		{"listed twice", faultOfStruct[plain](Spec{Name: "a"}, Spec{Name: "a"}), []string{`argument "a": argument is declared twice`}},
		{"listed as required, though optional", faultOfStruct[struct {
			A *int `json:"a"`
		}](Spec{Name: "a", Required: true}), []string{
			`argument "a": Required conflicts with the field, which is optional; remove omitempty or the pointer`}},
		{"all of it at once", faultOfStruct[struct {
			A chan int
			B int `json:"b,string"`
			*secretBase
		}](Spec{Name: "c"}), []string{
			`argument "b": json tag option "string" is not needed, because arguments are always sent as strings; remove the option`,
			`argument "secretBase": embedded pointer to secretBase cannot be set, because the type is not exported; embed the struct itself`,
			`argument "A": unsupported argument type chan int; use a string, a number, a bool, a slice, a struct, or a type with UnmarshalText`,
			`argument "c": unknown field; the fields are A, b`}},
		{"listed with no fields", faultOfStruct[struct{}](Spec{Name: "a"}), []string{`argument "a": unknown field; the struct has no fields`}},
		{"option misspelled", faultOfStruct[struct {
			//lint:ignore SA5008 it is the point
			A int `json:"a,omitempy"`
		}](), []string{`argument "a": json tag of field A has the unknown option "omitempy"; did you mean "omitempty"?`}},
		{"option that there is not", faultOfStruct[struct {
			A int `json:"a,inline"`
		}](), []string{`argument "a": json tag of field A has the unknown option "inline"`}},
		{"quote in a name", errorOf[struct {
			//lint:ignore SA5008 the invalid name is the point
			A string `json:"it's"`
		}](), []string{`argument "it's": json tag of field A has a quote or a backslash in the name, so that encoding/json would ignore the name; rename the field`}},
		{"tag that leaves out a field that is not exported", faultOfStruct[struct {
			//lint:ignore U1000,SA5008 that it is no argument is the point
			a int `json:"-"`
		}](), nil},
	})
}

// A schema that contradicts the Go type, or itself.
func TestDeclaredSchemas(t *testing.T) {
	t.Parallel()
	type S = jsonschema.Schema
	typ := func(name string) *S { return &S{Type: name} }
	items := func(s *S) *S { return &S{Items: s} }
	checkDeclared(t, []declaredCase{
		{"string as an integer", faultOf[string](typ("integer")), []string{`argument "a": schema: type is integer, but this value is read as string`}},
		{"bool as an integer", faultOf[bool](typ("integer")), []string{`argument "a": schema: type is integer, but this value is read as boolean`}},
		{"integer as a string", faultOf[int](typ("string")), []string{`argument "a": schema: type is string, but this value is read as integer`}},
		{"integer as a number", faultOf[int](typ("number")), nil},
		{"float as a boolean", faultOf[float64](typ("boolean")), []string{`argument "a": schema: type is boolean, but this value is read as number`}},
		{"float as an integer", faultOf[float64](typ("integer")), nil},
		{"list as a string", faultOf[[]string](typ("string")), []string{`argument "a": schema: type is string, but this value is read as array`}},
		{"list as an object", faultOf[[]point](typ("object")), []string{`argument "a": schema: type is object, but this value is read as array`}},
		{"elements as integers", faultOf[[]string](items(typ("integer"))), []string{`argument "a": items: schema: type is integer, but this value is read as string`}},
		{"elements of elements", faultOf[[][]bool](items(items(typ("string")))), []string{`argument "a": items: items: schema: type is string, but this value is read as boolean`}},
		{"duration as an integer", faultOf[time.Duration](typ("integer")), []string{`argument "a": schema: type is integer, but this value is read as string`}},
		{"time as an object", faultOf[time.Time](typ("object")), []string{`argument "a": schema: type is object, but this value is read as string`}},
		{"URL as an object", faultOf[*url.URL](typ("object")), []string{`argument "a": schema: type is object, but this value is read as string`}},
		{"bytes as an array", faultOf[[]byte](typ("array")), []string{`argument "a": schema: type is array, but this value is read as string`}},
		{"UnmarshalText as an integer", faultOf[compass](typ("integer")), []string{`argument "a": schema: type is integer, but this value is read as string`}},
		{"string or null", faultOf[string](&S{Types: []string{"string", "null"}}), nil},
		{"neither of two", faultOf[string](&S{Types: []string{"integer", "null"}}), []string{`argument "a": schema: type is integer or null, but this value is read as string`}},
		{"any of two", faultOf[any](&S{Types: []string{"string", "integer"}}), []string{`argument "a": schema: a string can be converted to one type only, not to string or integer; use a string with a pattern`}},
		{"any of no such type", faultOf[any](typ("date")), []string{`argument "a": schema: unknown type "date"`}},
		{"any of a type in another case", faultOf[any](typ("String")), []string{`argument "a": schema: unknown type "String"; did you mean "string"?`}},
		{"string of a type in another case", faultOf[string](typ("String")), []string{`argument "a": schema: unknown type "String"; did you mean "string"?`}},
		{"one of its types in another case", faultOf[string](&S{Types: []string{"string", "Null"}}), []string{`argument "a": schema: unknown type "Null"; did you mean "null"?`}},
		{"a part of no such type", faultOf[string](&S{Not: typ("int")}), []string{`argument "a": schema: /not: unknown type "int"; did you mean "integer"?`}},
		{"map as a string", faultOf[map[string]int](typ("string")), []string{`argument "a": schema: type is string, but this value is read as object`}},
		{"struct as an array", faultOf[point](typ("array")), []string{`argument "a": schema: type is array, but this value is read as object`}},
		{"struct in a list as a string", faultOf[[]point](items(typ("string"))), []string{`argument "a": items: schema: type is string, but this value is read as object`}},
		{"any of a mixed enum", faultOf[any](&S{Enum: []any{"x", true}}), []string{`argument "a": schema: a string can be converted to one type only, not to string or boolean; use a string with a pattern`}},

		{"enum of numbers on a string", faultOf[string](&S{Enum: []any{1, 2}}), []string{`argument "a": schema: enum value 1 is not a string`}},
		{"enum of numbers on a duration", faultOf[time.Duration](&S{Enum: []any{5}}), []string{`argument "a": schema: enum value 5 is not a string`}},
		{"enum of fractions on an integer", faultOf[int](&S{Enum: []any{1, 1.5}}), []string{`argument "a": schema: enum value 1.5 is not of type integer`}},
		{"enum of bools on a float", faultOf[float64](&S{Enum: []any{1, true}}), []string{`argument "a": schema: enum value true is not of type number`}},
		{"enum of numbers on a bool", faultOf[bool](&S{Enum: []any{0, 1}}), []string{`argument "a": schema: enum value 0 is not of type boolean`}},
		{"enum of elements on a list", faultOf[[]int](&S{Enum: []any{1}}), []string{`argument "a": schema: enum value 1 is not an array; set enum value of the elements on Items`}},
		{"enum of numbers on elements", faultOf[[]string](items(&S{Enum: []any{1}})), []string{`argument "a": items: schema: enum value 1 is not a string`}},
		{"empty enum", faultOf[string](enum()), []string{`argument "a": schema: enum is empty, so no value is allowed`}},
		{"integer that a float cannot hold", faultOf[int64](&S{Enum: []any{int64(9007199254740993)}}), []string{
			`argument "a": schema: integer 9007199254740993 exceeds the precision of JSON numbers in a schema; use a string argument, or check the value in the render function`}},
		{"array of another length", faultOf[[2]int](&S{MinItems: ptr(1)}), []string{`argument "a": schema: the type has 2 elements, so minItems and maxItems must be 2`}},
		{"enum of a text on an integer", faultOf[int](enum("1")), []string{`argument "a": schema: enum value "1" is not of type integer`}},
		{"enum of null", faultOf[string](&S{Enum: []any{"a", nil}}), []string{`argument "a": schema: enum value null is not a string`}},
		{"multiple of nothing", faultOf[int](&S{MultipleOf: ptr(0.0)}), []string{`argument "a": schema: multipleOf must be greater than 0`}},
	})
}

// What no text of a client's can give is refused in an enum and as a const.
func TestDeclaredEnums(t *testing.T) {
	t.Parallel()
	type S = jsonschema.Schema
	constant := func(v any) *S { return &S{Const: &v} }
	enum := func(values ...any) *S { return &S{Enum: values} }
	checkDeclared(t, []declaredCase{
		{"no time", faultOf[time.Time](enum("2026-03-04T12:00:00Z", "noon")), []string{
			`argument "a": schema: enum value "noon" is not a valid value: must be a time such as 2026-05-31T14:30:00Z, got "noon"`}},
		{"no duration", faultOf[time.Duration](enum("5")), []string{`argument "a": schema: enum value "5" is not a valid value: must be a duration such as 1h30m, got "5"`}},
		{"no URL", faultOf[url.URL](enum("")), []string{`argument "a": schema: enum value "" is not a valid value: must be a URL, got ""`}},
		{"no base64", faultOf[[]byte](enum("?")), []string{`argument "a": schema: enum value "?" is not a valid value: must be base64 data, got "?"`}},
		{"no value of UnmarshalText", faultOf[compass](enum("up")), []string{`argument "a": schema: enum value "up" is not a valid value: must be a valid value, got "up"`}},
		{"out of an int8's range", faultOf[int8](enum(127, 300)), []string{`argument "a": schema: enum value 300 is not a valid value: must be an integer from -128 to 127, got "300"`}},
		{"negative for a uint", faultOf[uint](enum(-1)), []string{`argument "a": schema: enum value -1 is not a valid value: must be an integer from 0 to 18446744073709551615, got "-1"`}},
		{"out of a float32's range", faultOf[float32](enum(1e300)), []string{`argument "a": schema: enum value 1e+300 is not a valid value: must be a number that a float of 32 bits can hold, got "1e+300"`}},
		{"outside of the bounds", faultOf[int](&S{Enum: []any{5, 11}, Maximum: ptr(10.0)}), []string{`argument "a": schema: enum value 11 is not a valid value: must be at most 10, got 11`}},
		{"against the pattern", faultOf[string](&S{Enum: []any{"a", "B"}, Pattern: "^[a-z]"}), []string{`argument "a": schema: enum value "B" is not a valid value: must match the pattern ^[a-z], got "B"`}},
		{"too long", faultOf[string](&S{Enum: []any{"ab"}, MaxLength: ptr(1)}), []string{`argument "a": schema: enum value "ab" is not a valid value: must have at most 1 character, got 2`}},
		{"against the rest", faultOf[string](&S{Enum: []any{"a"}, Not: enum("a")}), []string{`argument "a": schema: enum value "a" is not a valid value: must not be a`}},
		{"of elements", faultOf[[]time.Duration](&S{Items: enum("1s", "x")}), []string{`argument "a": items: schema: enum value "x" is not a valid value: must be a duration such as 1h30m, got "x"`}},
		{"of a list", faultOf[[]int8](enum([]int{1}, []int{300})), []string{`argument "a": schema: enum value [300] is not a valid value: [0] must be an integer from -128 to 127, got "300"`}},
		{"of a list that is too long", faultOf[[]int](&S{Enum: []any{[]int{1, 2}}, MaxItems: ptr(1)}), []string{`argument "a": schema: enum value [1,2] is not a valid value: must have at most 1 element, got 2`}},
		{"of a map", faultOf[map[string]int](enum(map[string]any{"a": "x"})), []string{
			`argument "a": schema: enum value {"a":"x"} is not a valid value: a must be an integer, got the string "x"`}},
		{"of a struct", faultOf[point](enum(map[string]any{"x": 1})), []string{
			`argument "a": schema: enum value {"x":1} is not a valid value: y is required`}},
		{"good ones", faultOf[time.Duration](enum("1s", "1m0s")), nil},
		{"good floats", faultOf[float32](enum(0.1, 1e21)), nil},
		{"good lists", faultOf[[]string](enum([]string{}, []string{"a,b"})), nil},
		{"good structs", faultOf[point](enum(map[string]any{"x": 1, "y": 2, "note": "<b>"})), nil},

		{"text as an integer's const", faultOf[int](constant("1")), []string{`argument "a": schema: const "1" is not of type integer`}},
		{"integer as a string's const", faultOf[string](constant(1)), []string{`argument "a": schema: const 1 is not a string`}},
		{"const of elements on a list", faultOf[[]string](constant("x")), []string{`argument "a": schema: const "x" is not an array; set const of the elements on Items`}},
		{"const that no text gives", faultOf[time.Duration](constant("soon")), []string{`argument "a": schema: const "soon" is not a valid value: must be a duration such as 1h30m, got "soon"`}},
		{"const outside of the enum", faultOf[string](&S{Enum: []any{"a"}, Const: ptr(any("b"))}), []string{`argument "a": schema: const "b" is not in the enum, so no value is allowed`}},
		{"good const", faultOf[int](constant(1)), nil},
	})
}

// A keyword that judges nothing, or lets nothing pass, is a mistake.
func TestDeclaredKeywords(t *testing.T) {
	t.Parallel()
	type S = jsonschema.Schema
	inside := func(s *S) *S { return &S{Properties: map[string]*S{"note": s}} }
	checkDeclared(t, []declaredCase{
		{"minimum of a string", faultOf[string](&S{Minimum: ptr(1.0)}), []string{`argument "a": schema: minimum applies to numbers, but this value is read as string`}},
		{"maximum of a duration", faultOf[time.Duration](&S{Maximum: ptr(1.0)}), []string{`argument "a": schema: maximum applies to numbers, but this value is read as string`}},
		{"length of an integer", faultOf[int](&S{MinLength: ptr(1)}), []string{`argument "a": schema: minLength applies to strings, but this value is read as integer`}},
		{"pattern of a bool", faultOf[bool](&S{Pattern: "a"}), []string{`argument "a": schema: pattern applies to strings, but this value is read as boolean`}},
		{"items of a string", faultOf[string](&S{Items: &S{}}), []string{`argument "a": schema: items applies to arrays, but this value is read as string`}},
		{"unique items of a float", faultOf[float64](&S{UniqueItems: true}), []string{`argument "a": schema: uniqueItems applies to arrays, but this value is read as number`}},
		{"length of a list", faultOf[[]string](&S{MaxLength: ptr(1)}), []string{`argument "a": schema: maxLength applies to strings, but this value is read as array`}},
		{"length of elements that are numbers", faultOf[[]int](&S{Items: &S{MaxLength: ptr(1)}}), []string{`argument "a": items: schema: maxLength applies to strings, but this value is read as integer`}},
		{"properties of a list", faultOf[[]point](inside(&S{})), []string{`argument "a": schema: properties applies to objects, but this value is read as array`}},
		{"items of a struct", faultOf[point](&S{Items: &S{}}), []string{`argument "a": schema: items applies to arrays, but this value is read as object`}},
		{"minimum of a member", faultOf[point](inside(&S{Minimum: ptr(1.0)})), []string{`argument "a": schema: /properties/note: minimum applies to numbers, but this value is read as string`}},
		{"minimum of one of several types", faultOf[json.RawMessage](&S{Types: []string{"integer", "string"}, Minimum: ptr(1.0)}), nil},
		{"pattern of a part without a type", faultOf[string](&S{AnyOf: []*S{{Pattern: "a"}}}), nil},
		{"bounds of any JSON", faultOf[json.RawMessage](&S{Minimum: ptr(1.0), MinLength: ptr(1)}), nil},

		{"minimum above the maximum", faultOf[int](&S{Minimum: ptr(5.0), Maximum: ptr(4.0)}), []string{`argument "a": schema: minimum is 5 and maximum is 4, so no value is allowed`}},
		{"minimum at the exclusive maximum", faultOf[int](&S{Minimum: ptr(5.0), ExclusiveMaximum: ptr(5.0)}), []string{`argument "a": schema: minimum is 5 and exclusiveMaximum is 5, so no value is allowed`}},
		{"exclusive minimum at the maximum", faultOf[int](&S{ExclusiveMinimum: ptr(5.0), Maximum: ptr(5.0)}), []string{`argument "a": schema: exclusiveMinimum is 5 and maximum is 5, so no value is allowed`}},
		{"exclusive bounds", faultOf[float64](&S{ExclusiveMinimum: ptr(0.5), ExclusiveMaximum: ptr(0.5)}), []string{`argument "a": schema: exclusiveMinimum is 0.5 and exclusiveMaximum is 0.5, so no value is allowed`}},
		{"maximum below an inferred minimum", faultOf[uint](&S{Maximum: ptr(-1.0)}), []string{`argument "a": schema: minimum is 0 and maximum is -1, so no value is allowed`}},
		{"one number", faultOf[int](&S{Minimum: ptr(5.0), Maximum: ptr(5.0)}), nil},
		{"lengths", faultOf[string](&S{MinLength: ptr(3), MaxLength: ptr(2)}), []string{`argument "a": schema: minLength is 3 and maxLength is 2, so no value is allowed`}},
		{"counts of elements", faultOf[[]int](&S{MinItems: ptr(3), MaxItems: ptr(2)}), []string{`argument "a": schema: minItems is 3 and maxItems is 2, so no value is allowed`}},
		{"counts of members", faultOf[map[string]int](&S{MinProperties: ptr(3), MaxProperties: ptr(2)}), []string{`argument "a": schema: minProperties is 3 and maxProperties is 2, so no value is allowed`}},
		{"negative length", faultOf[string](&S{MinLength: ptr(-1)}), []string{`argument "a": schema: minLength must not be negative, got -1`}},
		{"negative count", faultOf[[]int](&S{MaxItems: ptr(-1)}), []string{`argument "a": schema: maxItems must not be negative, got -1`}},
		{"lengths of a part", faultOf[string](&S{Not: &S{MinLength: ptr(3), MaxLength: ptr(2)}}), []string{`argument "a": schema: /not: minLength is 3 and maxLength is 2, so no value is allowed`}},
		{"pattern", faultOf[string](&S{Pattern: "[a"}), []string{"argument \"a\": schema: pattern: missing closing ]: `[a`"}},
		{"pattern of a part", faultOf[string](&S{Not: &S{Pattern: "a**"}}), []string{"argument \"a\": schema: /not: pattern: invalid nested repetition operator: `**` in a**"}},
		{"pattern of names", faultOf[map[string]int](&S{PatternProperties: map[string]*S{"*": {}}}), []string{"argument \"a\": schema: patternProperties: missing argument to repetition operator: `*`"}},

		{"property that there is not", faultOf[point](&S{Properties: map[string]*S{"Note": {}}}), []string{`argument "a": schema: the type has no member "Note"; did you mean "note"?`}},
		{"required that there is not", faultOf[point](&S{Required: []string{"other"}}), []string{`argument "a": schema: the type has no member "other"`}},
		{"nil as a property", faultOf[point](inside(nil)), []string{`argument "a": schema: /properties/note is nil`}},
		{"nil in a list", faultOf[string](&S{AnyOf: []*S{{}, nil}}), []string{`argument "a": schema: /anyOf/1 is nil`}},
		{"required of elements that there is not", faultOf[[]point](&S{Items: &S{Required: []string{"tag"}}}), []string{`argument "a": items: schema: the type has no member "tag"; did you mean "tags"?`}},
		{"property of another type", faultOf[point](inside(&S{Type: "integer"})), []string{`argument "a": schema: /properties/note: type is integer, but this value is read as string`}},
		{"elements of a property of another type", faultOf[point](&S{Properties: map[string]*S{"tags": {Items: &S{Type: "integer"}}}}), []string{
			`argument "a": schema: /properties/tags: /items: type is integer, but this value is read as string`}},
		{"values of another type", faultOf[map[string]int](&S{AdditionalProperties: &S{Type: "string"}}), []string{`argument "a": schema: /additionalProperties: type is string, but this value is read as integer`}},
		{"a property's values of another type", faultOf[map[string]int](inside(&S{Type: "string"})), []string{`argument "a": schema: /properties/note: type is string, but this value is read as integer`}},
		{"properties of the members' types", faultOf[point](&S{Properties: map[string]*S{"x": {Type: "number", Minimum: ptr(1.0)}, "note": {Type: "string"}}, Required: []string{"note"}}), nil},
		{"property of any type", faultOf[struct {
			V any `json:"v"`
		}](&S{Properties: map[string]*S{"v": {Type: "string"}}}), nil},
	})
}

// A default must be what a client could have given, and be of use.
func TestDeclaredDefaults(t *testing.T) {
	t.Parallel()
	type S = jsonschema.Schema
	def := func(text string) *S { return &S{Default: json.RawMessage(text)} }
	with := func(text string, s S) *S { s.Default = json.RawMessage(text); return &s }
	checkDeclared(t, []declaredCase{
		{"not JSON", faultOf[string](def(`go`)), []string{`argument "a": schema: default go is not valid JSON; quote strings, as in "go"`}},
		{"number for a string", faultOf[string](def(`5`)), []string{`argument "a": default 5 is not of type string`}},
		{"null for a string", faultOf[string](def(`null`)), []string{`argument "a": default null is not of type string`}},
		{"text for an integer", faultOf[int](def(`"5"`)), []string{`argument "a": default "5" is not of type integer`}},
		{"fraction for an integer", faultOf[int](def(`5.5`)), []string{`argument "a": default: must be an integer, got "5.5"`}},
		{"out of an int8's range", faultOf[int8](def(`300`)), []string{`argument "a": default: must be an integer from -128 to 127, got "300"`}},
		{"negative for a uint", faultOf[uint](def(`-1`)), []string{`argument "a": default: must be an integer from 0 to 18446744073709551615, got "-1"`}},
		{"text for a bool", faultOf[bool](def(`"true"`)), []string{`argument "a": default "true" is not of type boolean`}},
		{"text for a list", faultOf[[]string](def(`"x,y"`)), []string{`argument "a": default "x,y" is not of type array`}},
		{"number in a list of strings", faultOf[[]string](def(`["x",1]`)), []string{`argument "a": default: [1] must be a string, got the number 1`}},
		{"number for a duration", faultOf[time.Duration](def(`5`)), []string{`argument "a": default 5 is not of type string`}},
		{"no duration", faultOf[time.Duration](def(`"soon"`)), []string{`argument "a": default: must be a duration such as 1h30m, got "soon"`}},
		{"no time", faultOf[time.Time](def(`"today"`)), []string{`argument "a": default: must be a time such as 2026-05-31T14:30:00Z, got "today"`}},
		{"no base64", faultOf[[]byte](def(`"?"`)), []string{`argument "a": default: must be base64 data, got "?"`}},
		{"no value of UnmarshalText", faultOf[compass](def(`"up"`)), []string{`argument "a": default: must be a valid value, got "up"`}},
		{"not in the enum", faultOf[string](with(`"c"`, S{Enum: []any{"a", "b"}})), []string{`argument "a": default: must be one of a, b, got "c"`}},
		{"below the minimum", faultOf[int](with(`4`, S{Minimum: ptr(5.0)})), []string{`argument "a": default: must be at least 5, got 4`}},
		{"against the pattern", faultOf[string](with(`"B"`, S{Pattern: "^[a-z]"})), []string{`argument "a": default: must match the pattern ^[a-z], got "B"`}},
		{"too long", faultOf[string](with(`"ab"`, S{MaxLength: ptr(1)})), []string{`argument "a": default: must have at most 1 character, got 2`}},
		{"too many elements", faultOf[[]int](with(`[1,2]`, S{MaxItems: ptr(1)})), []string{`argument "a": default: must have at most 1 element, got 2`}},
		{"element not in the enum", faultOf[[]string](with(`["b"]`, S{Items: enum("a")})), []string{`argument "a": default: [0] must be a, got "b"`}},
		{"of a required argument", faultOfStruct[struct {
			A int `json:"a"`
		}](Spec{Name: "a", Schema: def(`1`)}), []string{`argument "a": a required argument never uses its default; tag the field omitempty`}},
		{"good ones", faultOf[[]time.Duration](def(`["1s","2m"]`)), nil},
	})
}
