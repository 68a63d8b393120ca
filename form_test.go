package prompts

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// asField is a form with one required field, and asOptional one with one that
// need not be filled in.
type (
	asField[T any] struct {
		X T `json:"x"`
	}
	asOptional[T any] struct {
		X T `json:"x,omitempty"`
	}
)

// described has what jsonschema says of a field.
type described struct {
	X int `json:"x" jsonschema:"how many"`
}

func encodeForm[T any](t testing.TB, rev revision.Revision, arguments ...Argument) string {
	t.Helper()
	raw, needs, err := Form[T]("key", "Message", arguments...).ask().encode(rev)
	require.NoError(t, err)
	assert.Equal(t, clientCapabilities{form: true}, needs)
	return string(raw)
}

// fieldCase is a field, and its schema in the forms of 2025-06-18 and of
// later revisions.
type fieldCase struct {
	name   string
	encode func(testing.TB, revision.Revision) string
	older  string // empty if it is judged elsewhere
	newer  string // empty if it is the same
}

func fieldOf[T any](name string, a Argument, older, newer string) fieldCase {
	a.Name = "x"
	return fieldCase{name, func(t testing.TB, rev revision.Revision) string { return encodeForm[T](t, rev, a) }, older, newer}
}

func schemaArgument(s jsonschema.Schema) Argument { return Argument{Schema: &s} }

func fieldCases() []fieldCase {
	type req[T any] = asField[T]
	type opt[T any] = asOptional[T]
	return []fieldCase{
		fieldOf[req[string]]("a text", Argument{}, `{"type":"string"}`, ""),
		fieldOf[req[string]]("title and description", Argument{Title: "The X", Description: "what x is"}, `{"type":"string","title":"The X","description":"what x is"}`, ""),
		fieldOf[described]("the struct's description", Argument{}, `{"type":"integer","description":"how many"}`, ""),
		fieldOf[req[string]]("lengths", schemaArgument(jsonschema.Schema{MinLength: ptr(1), MaxLength: ptr(9)}), `{"type":"string","minLength":1,"maxLength":9}`, ""),
		fieldOf[req[string]]("a pattern", schemaArgument(jsonschema.Schema{Pattern: "^a+$"}), `{"type":"string","description":"matching ^a+$"}`, ""),
		fieldOf[req[string]]("a pattern, described", Argument{Description: "letters", Schema: &jsonschema.Schema{Pattern: "^a+$"}}, `{"type":"string","description":"letters (matching ^a+$)"}`, ""),
		fieldOf[req[string]]("a choice", schemaArgument(*Enum("a", "b c")), `{"type":"string","enum":["a","b c"]}`, ""),
		fieldOf[opt[string]]("a default", schemaArgument(jsonschema.Schema{Default: json.RawMessage(`"a\"b"`), Enum: []any{`a"b`, "c"}}), "", `{"type":"string","enum":["a\"b","c"],"default":"a\"b"}`),
		fieldOf[req[bool]]("a boolean", Argument{}, `{"type":"boolean"}`, ""),
		fieldOf[opt[bool]]("a boolean with a default", schemaArgument(jsonschema.Schema{Default: json.RawMessage("true")}), `{"type":"boolean","default":true}`, ""),
		fieldOf[req[int]]("an integer", Argument{}, `{"type":"integer"}`, ""),
		fieldOf[req[int8]]("bounds", schemaArgument(jsonschema.Schema{Minimum: ptr(-3.0), Maximum: ptr(7.0)}), `{"type":"integer","minimum":-3,"maximum":7}`, ""),
		fieldOf[req[uint]]("an unsigned integer", Argument{}, `{"type":"integer","minimum":0}`, ""),
		fieldOf[req[uint]]("with a bound of its own", schemaArgument(jsonschema.Schema{Minimum: ptr(1.0)}), `{"type":"integer","minimum":1}`, ""),
		fieldOf[opt[int]]("an integer with a default", schemaArgument(jsonschema.Schema{Default: json.RawMessage("5")}), "", `{"type":"integer","default":5}`),
		fieldOf[req[float64]]("a number", Argument{}, `{"type":"number"}`, ""),
		fieldOf[opt[float32]]("a number with a default", schemaArgument(jsonschema.Schema{Default: json.RawMessage("0.5")}), "", `{"type":"number","default":0.5}`),
		fieldOf[req[float64]]("numbers without their bounds", schemaArgument(jsonschema.Schema{ExclusiveMinimum: ptr(0.0), ExclusiveMaximum: ptr(1.0)}), `{"type":"number","description":"a number, greater than 0, less than 1"}`, ""),
		fieldOf[req[float64]]("bounds that are fractions", schemaArgument(jsonschema.Schema{Minimum: ptr(-0.5), Maximum: ptr(1.5)}), `{"type":"number","minimum":-0.5,"maximum":1.5}`, ""),
		fieldOf[req[int]]("multiples", schemaArgument(jsonschema.Schema{MultipleOf: ptr(5.0)}), `{"type":"integer","description":"an integer, a multiple of 5"}`, ""),
		fieldOf[req[int]]("a choice of numbers", schemaArgument(jsonschema.Schema{Enum: []any{1, 2}}), `{"type":"integer","description":"one of: 1, 2"}`, ""),
		fieldOf[req[time.Time]]("a time", Argument{Description: "when"}, `{"type":"string","format":"date-time","description":"when"}`, ""),
		fieldOf[req[url.URL]]("a URL", Argument{}, `{"type":"string","description":"a URL"}`, ""),
		fieldOf[req[time.Duration]]("a duration", Argument{Title: "T"}, `{"type":"string","title":"T","description":"a duration such as 1h30m"}`, ""),
		fieldOf[req[[]string]]("a list", Argument{}, `{"type":"string","description":"separated by commas"}`, ""),
		fieldOf[req[[]string]]("a choice of several", schemaArgument(jsonschema.Schema{Items: Enum("a", "b"), MinItems: ptr(1), MaxItems: ptr(2)}),
			`{"type":"string","description":"separated by commas; 1 to 2 elements; each one of: a, b"}`,
			`{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2}`),
		fieldOf[opt[[]string]]("a choice of several with a default", schemaArgument(jsonschema.Schema{Items: Enum("a", "b"), Default: json.RawMessage(`["b"]`)}),
			`{"type":"string","description":"separated by commas; each one of: a, b; default [\"b\"]"}`,
			`{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["b"]}`),
		fieldOf[req[struct{ A int }]]("an object", Argument{}, `{"type":"string","description":"a JSON object"}`, ""),
		fieldOf[req[[]byte]]("bytes", Argument{}, `{"type":"string","description":"base64 data"}`, ""),
		fieldOf[req[any]]("anything", schemaArgument(jsonschema.Schema{Type: "integer"}), `{"type":"integer"}`, ""),
	}
}

// MRT-26, MRT-29: a form is flat, its fields are what the revision knows, and a
// hint says what its schema cannot.
func TestFormFields(t *testing.T) {
	t.Parallel()
	for _, test := range fieldCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, rev := range []revision.Revision{revision.V20250618, revision.V20251125, revision.V20260728} {
				field, mode := test.older, ""
				if rev != revision.V20250618 {
					mode = `"mode":"form",`
					if test.newer != "" {
						field = test.newer
					}
				}
				raw := test.encode(t, rev)
				if field == "" {
					continue
				}
				var form struct {
					RequestedSchema struct{ Required []string }
				}
				require.NoError(t, json.Unmarshal([]byte(raw), &form))
				required := ""
				if form.RequestedSchema.Required != nil {
					required = `,"required":["x"]`
				}
				assert.JSONEq(t, `{`+mode+`"message":"Message","requestedSchema":{"type":"object","properties":{"x":`+field+`}`+required+`}}`, raw, rev)
			}
		})
	}
}

// What need not be filled in is not required; the fields keep their order.
func TestFormOfSeveralFields(t *testing.T) {
	t.Parallel()
	type form struct {
		B string  `json:"b"`
		A *int    `json:"a"`
		C float64 `json:"c,omitzero"`
		D bool    `json:"d"`
		e int
	}
	_ = form{}.e
	assert.Equal(t, `{"mode":"form","message":"Message","requestedSchema":{"type":"object","properties":{`+
		`"b":{"type":"string"},"a":{"type":"integer"},"c":{"type":"number"},"d":{"type":"boolean"}},"required":["b","d"]}}`,
		encodeForm[form](t, revision.V20260728))
	assert.Equal(t, `{"message":"Message","requestedSchema":{"type":"object","properties":{}}}`, encodeForm[struct{}](t, revision.V20250618))
}

// protocolSchema judges by a definition of a revision's schema.json.
func protocolSchema(t testing.TB, dir, version, definition string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, version+".json"))
	require.NoError(t, err)
	root := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal(text, root))
	prefix := "#/$defs/"
	if root.Defs == nil { // before 2025-11-25
		prefix = "#/definitions/"
	}
	root.Ref = prefix + definition
	resolved, err := root.Resolve(nil)
	require.NoError(t, err)
	return resolved
}

// MRT-26: the protocol's own schema has the last word on all these forms.
func TestFormsByTheProtocolsSchema(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("MCP_SCHEMA_DIR")
	if dir == "" {
		t.Skip("MCP_SCHEMA_DIR is not set")
	}
	for rev, definition := range map[revision.Revision]string{
		revision.V20250618: "ElicitRequest",
		revision.V20251125: "ElicitRequestFormParams",
		revision.V20260728: "ElicitRequestFormParams",
	} {
		judge := protocolSchema(t, dir, rev.String(), definition)
		for _, test := range fieldCases() {
			var form any
			require.NoError(t, json.Unmarshal([]byte(test.encode(t, rev)), &form))
			if definition == "ElicitRequest" {
				form = map[string]any{"method": methodElicit, "params": form}
			}
			assert.NoError(t, judge.Validate(form), "%s: %s", rev, test.name)
		}
		assert.Error(t, judge.Validate(map[string]any{"method": methodElicit, "params": map[string]any{"message": "no schema"}}), "the schema judges")
	}
}

// filled answers a form of one field with the JSON of its value.
func filled[T any](t testing.TB, value string, arguments ...Argument) (T, error) {
	t.Helper()
	form := Form[asOptional[T]]("key", "Message", arguments...)
	err := form.ask().take(revision.V20260728, accepting(`{"x":`+value+`}`))
	return form.Value.X, err
}

func takes[T any](t testing.TB, value string, want T, arguments ...Argument) {
	t.Helper()
	got, err := filled[T](t, value, arguments...)
	require.NoError(t, err, value)
	assert.Equal(t, want, got, value)
}

func doesNotTake[T any](t testing.TB, value string, why reason, message string, arguments ...Argument) {
	t.Helper()
	_, err := filled[T](t, value, arguments...)
	var e *Error
	if !assert.ErrorAs(t, err, &e, value) {
		return
	}
	assert.Equal(t, CodeInvalidParams, e.Code)
	assert.Equal(t, "x: "+message, e.Message)
	data, ok := e.Data.(inputData)
	require.True(t, ok)
	assert.Equal(t, "key", data.Input)
	require.Len(t, data.Problems, 1)
	assert.Equal(t, "x", data.Problems[0].Argument)
	assert.Equal(t, why, data.Problems[0].Reason)
}

// MRT-19, MRT-24: a field takes values of its type, as JSON has them, within
// its bounds.
func TestFormValues(t *testing.T) {
	t.Parallel()
	x := func(s jsonschema.Schema) Argument { return Argument{Name: "x", Schema: &s} }

	takes(t, `"a"`, "a")
	takes(t, `""`, "")
	takes(t, `"é\u0000"`, "é\x00")
	takes(t, `null`, "")
	doesNotTake[string](t, `1`, reasonType, "must be a string")
	doesNotTake[string](t, `true`, reasonType, "must be a string")
	doesNotTake[string](t, `["a"]`, reasonType, "must be a string")
	doesNotTake[string](t, `{"a":1}`, reasonType, "must be a string")
	doesNotTake[string](t, `"aaa"`, reasonLength, "must be at most 2 characters, not 3", x(jsonschema.Schema{MaxLength: ptr(2)}))
	doesNotTake[string](t, `"b"`, reasonPattern, `"b" does not match ^a$`, x(jsonschema.Schema{Pattern: "^a$"}))
	doesNotTake[string](t, `"c"`, reasonEnum, `"c" is not one of a, b`, x(*Enum("a", "b")))

	takes(t, `true`, true)
	takes(t, `false`, false)
	doesNotTake[bool](t, `"true"`, reasonType, "must be a boolean")
	doesNotTake[bool](t, `1`, reasonType, "must be a boolean")

	takes(t, `-7`, -7)
	takes(t, `9007199254740993`, 9007199254740993)
	doesNotTake[int](t, `"7"`, reasonType, "must be a number")
	doesNotTake[int](t, `true`, reasonType, "must be a number")
	doesNotTake[int](t, `7.5`, reasonType, `"7.5" is not an integer`)
	doesNotTake[int8](t, `128`, reasonRange, `"128" is out of range`)
	doesNotTake[uint](t, `-1`, reasonRange, `"-1" is out of range`)
	doesNotTake[int](t, `3`, reasonRange, `3 is not at least 4`, x(jsonschema.Schema{Minimum: ptr(4.0)}))

	takes(t, `0.5`, 0.5)
	takes(t, `1e3`, 1000.0)
	takes(t, `7`, 7.0)
	doesNotTake[float64](t, `"0.5"`, reasonType, "must be a number")
	doesNotTake[float64](t, `1e999`, reasonRange, `"1e999" is out of range`)
	doesNotTake[float64](t, `1`, reasonRange, `1 is not less than 1`, x(jsonschema.Schema{ExclusiveMaximum: ptr(1.0)}))

	takes(t, `"2026-07-28T01:02:03Z"`, time.Date(2026, 7, 28, 1, 2, 3, 0, time.UTC))
	doesNotTake[time.Time](t, `"today"`, reasonType, `"today" is not a time such as 2006-01-02T15:04:05Z`)
	doesNotTake[time.Time](t, `0`, reasonType, `must be a string`)
	takes(t, `"1h30m"`, 90*time.Minute)
	doesNotTake[time.Duration](t, `5`, reasonType, "must be a string")

	several := x(jsonschema.Schema{Items: Enum("a", "b"), MaxItems: ptr(2)})
	takes(t, `["b","a"]`, []string{"b", "a"}, several)
	takes(t, `[]`, []string{}, several)
	doesNotTake[[]string](t, `["a",1]`, reasonType, "must be an array of strings", several)
	doesNotTake[[]string](t, `[["a"]]`, reasonType, "must be an array of strings", several)
	doesNotTake[[]string](t, `[null]`, reasonType, "must be an array of strings", several)
	doesNotTake[[]string](t, `{}`, reasonType, "must be an array of strings", several)
	doesNotTake[[]string](t, `["a","b","a"]`, reasonLength, "must be at most 2 elements, not 3", several)
	takes(t, `"a, b"`, []string{"a", "b"}) // as the form wants it
	doesNotTake[[]string](t, `["a"]`, reasonType, "must be a string")
	takes(t, `"{\"a\":1}"`, map[string]int{"a": 1})
	doesNotTake[map[string]int](t, `{"a":1}`, reasonType, "must be a string")
}

// MRT-20, MRT-24: all that is wrong with a form is said in one error.
func TestFormProblems(t *testing.T) {
	t.Parallel()
	type form struct {
		A string `json:"a"`
		B int    `json:"b"`
		C bool   `json:"c,omitempty"`
	}
	s := NewServer(registryOf(rendered("form", func(ctx context.Context) (*Result, error) {
		answer, err := Elicit[form](ctx, "f", "Fill in", Argument{Name: "b", Schema: &jsonschema.Schema{Maximum: ptr(9.0)}})
		return Messages(User(answer.A)), err
	})), Options{})
	for content, problems := range map[string]string{
		`{}`:                 `[{"argument":"a","reason":"missing","message":"is required"},{"argument":"b","reason":"missing","message":"is required"}]`,
		`{"A":"x","b":1}`:    `[{"argument":"a","reason":"missing","message":"is required"}]`,
		`{"a":null,"b":1}`:   `[{"argument":"a","reason":"missing","message":"is required"}]`,
		`{"a":1,"b":"1"}`:    `[{"argument":"a","reason":"type","message":"must be a string"},{"argument":"b","reason":"type","message":"must be a number"}]`,
		`{"a":"x","b":10}`:   `[{"argument":"b","reason":"range","message":"10 is not at most 9","allowed":{"maximum":9}}]`,
		`{"b":10}`:           `[{"argument":"a","reason":"missing","message":"is required"},{"argument":"b","reason":"range","message":"10 is not at most 9","allowed":{"maximum":9}}]`,
		`{"a":"x","b":1e99}`: "",
	} {
		o := newRounds(t, s, "form").get(`{"f":` + accepting(content) + `}`)
		require.NotNil(t, o.Error, content)
		assert.Equal(t, CodeInvalidParams, o.Error.Code, content)
		if problems != "" {
			assert.JSONEq(t, `{"input":"f","problems":`+problems+`}`, string(o.Error.Data), content)
		}
	}
	// Members that were not asked for are ignored (MRT-21).
	assert.Equal(t, "x", newRounds(t, s, "form").get(`{"f":`+accepting(`{"a":"x","b":1,"d":{"e":[1]}}`)+`}`).text(t))
}

// A default fills what is left empty.
func TestFormDefault(t *testing.T) {
	t.Parallel()
	five := Argument{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage("5")}}
	takes(t, `null`, 5, five)
	takes(t, `6`, 6, five)
}

// What is wrong with the declaration of a form is the author's to know.
func TestFaultyForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ask func(ctx context.Context) error
		log string
	}{
		"no struct": {func(ctx context.Context) error { _, err := Elicit[string](ctx, "q", "?"); return err }, "must be a struct"},
		"no such field": {func(ctx context.Context) error {
			_, err := Elicit[colour](ctx, "q", "?", Argument{Name: "color"})
			return err
		}, `\"color\"`},
		"a type that no text fills": {func(ctx context.Context) error { _, err := Elicit[asField[chan int]](ctx, "q", "?"); return err }, `argument \"x\"`},
		"a bad default": {func(ctx context.Context) error {
			_, err := Elicit[asOptional[int]](ctx, "q", "?", Argument{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage(`"a"`)}})
			return err
		}, `argument \"x\"`},
		"a message that is no text": {func(ctx context.Context) error { _, err := Elicit[colour](ctx, "q", "\xff"); return err }, "message is not valid UTF-8"},
		"a choice that is no text": {func(ctx context.Context) error {
			_, err := Elicit[colour](ctx, "q", "?", Argument{Name: "colour", Schema: Enum("\xff")})
			return err
		}, "not valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := NewServer(registryOf(rendered("form", func(ctx context.Context) (*Result, error) { return nil, test.ask(ctx) })), Options{Logger: j.logger()})
			for _, responses := range []string{"", `{"q":` + red + `}`} {
				if responses != "" && name == "a message that is no text" {
					continue // it is not sent, since the answer is there
				}
				assert.Empty(t, newRounds(t, s, "form").get(responses).fails(t, CodeInternalError, renderFailed), responses)
			}
			assert.Contains(t, j.String(), test.log)
			assert.Contains(t, j.String(), "level=ERROR")
		})
	}
}
