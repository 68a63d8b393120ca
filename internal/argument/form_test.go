package argument

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
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

func encodeForm[T any](t testing.TB, modes bool, specs ...Spec) string {
	t.Helper()
	raw, err := planOf[T](t, specs...).AppendForm(nil, "Message", true, modes)
	require.NoError(t, err)
	return string(raw)
}

// fieldCase is a field, and its schema in the forms of 2025-06-18 and of
// later revisions.
type fieldCase struct {
	name   string
	encode func(t testing.TB, modes bool) string
	older  string // empty if it is judged elsewhere
	newer  string // empty if it is the same
}

func fieldOf[T any](name string, a Spec, older, newer string) fieldCase {
	a.Name = "x"
	return fieldCase{name, func(t testing.TB, modes bool) string { return encodeForm[T](t, modes, a) }, older, newer}
}

func schemaSpec(s jsonschema.Schema) Spec { return Spec{Schema: &s} }

func fieldCases() []fieldCase {
	type req[T any] = asField[T]
	type opt[T any] = asOptional[T]
	return []fieldCase{
		fieldOf[req[string]]("a text", Spec{}, `{"type":"string"}`, ""),
		fieldOf[req[string]]("title and description", Spec{Title: "The X", Description: "what x is"}, `{"type":"string","title":"The X","description":"what x is"}`, ""),
		fieldOf[described]("the struct's description", Spec{}, `{"type":"integer","description":"how many"}`, ""),
		fieldOf[req[string]]("lengths", schemaSpec(jsonschema.Schema{MinLength: ptr(1), MaxLength: ptr(9)}), `{"type":"string","minLength":1,"maxLength":9}`, ""),
		fieldOf[req[string]]("a pattern", schemaSpec(jsonschema.Schema{Pattern: "^a+$"}), `{"type":"string","description":"matching ^a+$"}`, ""),
		fieldOf[req[string]]("a format that forms do not have", schemaSpec(jsonschema.Schema{Format: "ipv4"}), `{"type":"string","description":"an IPv4 address"}`, ""),
		fieldOf[req[string]]("a pattern, described", Spec{Description: "letters", Schema: &jsonschema.Schema{Pattern: "^a+$"}}, `{"type":"string","description":"letters (matching ^a+$)"}`, ""),
		fieldOf[req[string]]("a choice", schemaSpec(*enum("a", "b c")), `{"type":"string","enum":["a","b c"]}`, ""),
		fieldOf[opt[string]]("a default", schemaSpec(jsonschema.Schema{Default: json.RawMessage(`"a\"b"`), Enum: []any{`a"b`, "c"}}), "", `{"type":"string","enum":["a\"b","c"],"default":"a\"b"}`),
		fieldOf[req[bool]]("a boolean", Spec{}, `{"type":"boolean"}`, ""),
		fieldOf[opt[bool]]("a boolean with a default", schemaSpec(jsonschema.Schema{Default: json.RawMessage("true")}), `{"type":"boolean","default":true}`, ""),
		fieldOf[req[int]]("an integer", Spec{}, `{"type":"integer"}`, ""),
		fieldOf[req[int8]]("bounds", schemaSpec(jsonschema.Schema{Minimum: ptr(-3.0), Maximum: ptr(7.0)}), `{"type":"integer","minimum":-3,"maximum":7}`, ""),
		fieldOf[req[uint]]("an unsigned integer", Spec{}, `{"type":"integer","minimum":0}`, ""),
		fieldOf[req[uint]]("with a bound of its own", schemaSpec(jsonschema.Schema{Minimum: ptr(1.0)}), `{"type":"integer","minimum":1}`, ""),
		fieldOf[opt[int]]("an integer with a default", schemaSpec(jsonschema.Schema{Default: json.RawMessage("5")}), "", `{"type":"integer","default":5}`),
		fieldOf[req[float64]]("a number", Spec{}, `{"type":"number"}`, ""),
		fieldOf[opt[float32]]("a number with a default", schemaSpec(jsonschema.Schema{Default: json.RawMessage("0.5")}), "", `{"type":"number","default":0.5}`),
		fieldOf[req[float64]]("numbers without their bounds", schemaSpec(jsonschema.Schema{ExclusiveMinimum: ptr(0.0), ExclusiveMaximum: ptr(1.0)}), `{"type":"number","description":"a number, greater than 0, less than 1"}`, ""),
		fieldOf[req[float64]]("bounds that are fractions", schemaSpec(jsonschema.Schema{Minimum: ptr(-0.5), Maximum: ptr(1.5)}), `{"type":"number","minimum":-0.5,"maximum":1.5}`, ""),
		fieldOf[req[int]]("multiples", schemaSpec(jsonschema.Schema{MultipleOf: ptr(5.0)}), `{"type":"integer","description":"an integer, a multiple of 5"}`, ""),
		fieldOf[req[int]]("a choice of numbers", schemaSpec(jsonschema.Schema{Enum: []any{1, 2}}), `{"type":"integer","description":"one of: 1, 2"}`, ""),
		fieldOf[req[time.Time]]("a time", Spec{Description: "when"}, `{"type":"string","format":"date-time","description":"when"}`, ""),
		fieldOf[req[url.URL]]("a URL", Spec{}, `{"type":"string","description":"a URL"}`, ""),
		fieldOf[req[time.Duration]]("a duration", Spec{Title: "T"}, `{"type":"string","title":"T","description":"a duration such as 1h30m"}`, ""),
		fieldOf[req[[]string]]("a list", Spec{}, `{"type":"string","description":"comma-separated"}`, ""),
		fieldOf[req[[]string]]("a choice of several", schemaSpec(jsonschema.Schema{Items: enum("a", "b"), MinItems: ptr(1), MaxItems: ptr(2)}),
			`{"type":"string","description":"comma-separated; 1 to 2 elements; each one of: a, b"}`,
			`{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2}`),
		fieldOf[opt[[]string]]("a choice of several with a default", schemaSpec(jsonschema.Schema{Items: enum("a", "b"), Default: json.RawMessage(`["b"]`)}),
			`{"type":"string","description":"comma-separated; each one of: a, b; default [\"b\"]"}`,
			`{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["b"]}`),
		fieldOf[req[map[string]int]]("an object", Spec{}, `{"type":"string","description":"a JSON object"}`, ""),
		fieldOf[req[[]byte]]("bytes", Spec{}, `{"type":"string","description":"base64 data"}`, ""),
		fieldOf[req[any]]("anything", schemaSpec(jsonschema.Schema{Type: "integer"}), `{"type":"integer"}`, ""),
	}
}

// MRT-26, MRT-29: a form is flat, its fields are what the revision knows, and a
// hint says what its schema cannot.
func TestFormFields(t *testing.T) {
	t.Parallel()
	for _, test := range fieldCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, modes := range []bool{false, true} {
				field, mode := test.older, ""
				if modes {
					mode = `"mode":"form",`
					if test.newer != "" {
						field = test.newer
					}
				}
				raw := test.encode(t, modes)
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
				assert.JSONEq(t, `{`+mode+`"message":"Message","requestedSchema":{"type":"object","properties":{"x":`+field+`}`+required+`}}`, raw)
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
		encodeForm[form](t, true))
	assert.Equal(t, `{"message":"Message","requestedSchema":{"type":"object","properties":{}}}`, encodeForm[struct{}](t, false))
}

// MRT-26: the protocol's own schema has the last word on all these forms.
func TestFormsByTheProtocolsSchema(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("MCP_SCHEMA_DIR")
	if dir == "" {
		t.Skip("MCP_SCHEMA_DIR is not set")
	}
	for version, definition := range map[string]string{
		"2025-06-18": "ElicitRequest",
		"2025-11-25": "ElicitRequestFormParams",
		"2026-07-28": "ElicitRequestFormParams",
	} {
		validator := protocolSchema(t, dir, version, definition)
		for _, test := range fieldCases() {
			var form any
			require.NoError(t, json.Unmarshal([]byte(test.encode(t, version != "2025-06-18")), &form))
			if definition == "ElicitRequest" {
				form = map[string]any{"method": "elicitation/create", "params": form}
			}
			assert.NoError(t, validator.Validate(form), "%s: %s", version, test.name)
		}
		assert.Error(t, validator.Validate(map[string]any{"method": "elicitation/create", "params": map[string]any{"message": "no schema"}}), "the schema judges")
	}
}

// filled answers a form of one field with the JSON of its value.
func filled[T any](t testing.TB, value string, specs ...Spec) (T, []Problem) {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(`{"x":`+value+`}`, jsonenc.MaxDepth))
	p := planOf[asOptional[T]](t, specs...)
	var got asOptional[T]
	texts, problems := p.ReadForm(doc.Root(), true)
	if len(problems) == 0 {
		problems = fill(p, &got, texts...)
	}
	return got.X, problems
}

func takes[T any](t testing.TB, value string, want T, arguments ...Spec) {
	t.Helper()
	got, problems := filled[T](t, value, arguments...)
	require.Empty(t, problems, value)
	assert.Equal(t, want, got, value)
}

func doesNotTake[T any](t testing.TB, value string, why problem.Reason, message string, arguments ...Spec) {
	t.Helper()
	_, problems := filled[T](t, value, arguments...)
	require.Len(t, problems, 1)
	assert.Equal(t, "x "+message, problems[0].Sentence())
	assert.Equal(t, why, problems[0].Reason)
}

// MRT-19, MRT-24: a field takes values of its type, as JSON has them, within
// its bounds.
func TestFormValues(t *testing.T) {
	t.Parallel()
	x := func(s jsonschema.Schema) Spec { return Spec{Name: "x", Schema: &s} }

	takes(t, `"a"`, "a")
	takes(t, `""`, "")
	takes(t, `"é\u0000"`, "é\x00")
	takes(t, `null`, "")
	doesNotTake[string](t, `1`, "type", "must be a string")
	doesNotTake[string](t, `true`, "type", "must be a string")
	doesNotTake[string](t, `["a"]`, "type", "must be a string")
	doesNotTake[string](t, `{"a":1}`, "type", "must be a string")
	doesNotTake[string](t, `"aaa"`, "length", "must have at most 2 characters, got 3", x(jsonschema.Schema{MaxLength: ptr(2)}))
	doesNotTake[string](t, `"b"`, "pattern", `must match the pattern ^a$, got "b"`, x(jsonschema.Schema{Pattern: "^a$"}))
	doesNotTake[string](t, `"c"`, "enum", `must be one of a, b, got "c"`, x(*enum("a", "b")))

	takes(t, `true`, true)
	takes(t, `false`, false)
	doesNotTake[bool](t, `"true"`, "type", "must be a boolean")
	doesNotTake[bool](t, `1`, "type", "must be a boolean")

	takes(t, `-7`, -7)
	takes(t, `9007199254740993`, int64(9007199254740993))
	doesNotTake[int](t, `"7"`, "type", "must be a number")
	doesNotTake[int](t, `true`, "type", "must be a number")
	doesNotTake[int](t, `7.5`, "type", `must be an integer, got "7.5"`)
	doesNotTake[int8](t, `128`, "range", `must be an integer from -128 to 127, got "128"`)
	doesNotTake[uint](t, `-1`, "range", `must be an integer from 0 to 18446744073709551615, got "-1"`)
	doesNotTake[int](t, `3`, "range", `must be at least 4, got 3`, x(jsonschema.Schema{Minimum: ptr(4.0)}))

	takes(t, `0.5`, 0.5)
	takes(t, `1e3`, 1000.0)
	takes(t, `7`, 7.0)
	doesNotTake[float64](t, `"0.5"`, "type", "must be a number")
	doesNotTake[float64](t, `1e999`, "range", `must be a number that a float of 64 bits can hold, got "1e999"`)
	doesNotTake[float64](t, `1`, "range", `must be less than 1, got 1`, x(jsonschema.Schema{ExclusiveMaximum: ptr(1.0)}))

	takes(t, `"2026-07-28T01:02:03Z"`, time.Date(2026, 7, 28, 1, 2, 3, 0, time.UTC))
	doesNotTake[time.Time](t, `"today"`, "type", `must be a time such as 2026-05-31T14:30:00Z, got "today"`)
	doesNotTake[time.Time](t, `0`, "type", `must be a string`)
	takes(t, `"1h30m"`, 90*time.Minute)
	doesNotTake[time.Duration](t, `5`, "type", "must be a string")

	several := x(jsonschema.Schema{Items: enum("a", "b"), MaxItems: ptr(2)})
	takes(t, `["b","a"]`, []string{"b", "a"}, several)
	takes(t, `[]`, []string{}, several)
	doesNotTake[[]string](t, `["a",1]`, "type", "must be an array of strings", several)
	doesNotTake[[]string](t, `[["a"]]`, "type", "must be an array of strings", several)
	doesNotTake[[]string](t, `[null]`, "type", "must be an array of strings", several)
	doesNotTake[[]string](t, `{}`, "type", "must be an array of strings", several)
	doesNotTake[[]string](t, `["a","b","a"]`, "length", "must have at most 2 elements, got 3", several)
	takes(t, `"a, b"`, []string{"a", "b"}) // as the form wants it
	doesNotTake[[]string](t, `["a"]`, "type", "must be a string")
	takes(t, `"{\"a\":1}"`, map[string]int{"a": 1})
	doesNotTake[map[string]int](t, `{"a":1}`, "type", "must be a string")
}

// A default fills what is left empty.
func TestFormDefault(t *testing.T) {
	t.Parallel()
	five := Spec{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage("5")}}
	takes(t, `null`, 5, five)
	takes(t, `6`, 6, five)
}

// The forms of 2025-06-18 have no place for a default but of a boolean, so
// that a hint has to say it.
func TestFormDefaultIsHintedWhereItHasNoPlace(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		`5`:   encodeForm[asOptional[int]](t, false, Spec{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage("5")}}),
		`0.5`: encodeForm[asOptional[float64]](t, false, Spec{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage("0.5")}}),
		`a`: encodeForm[asOptional[string]](t, false, Spec{Name: "x", Schema: &jsonschema.Schema{
			Default: json.RawMessage(`"a"`), Enum: []any{"a", "b"},
		}}),
	} {
		assert.Contains(t, field, "default "+text)
	}
}

// JSON Schema takes 7.0 for an integer, and so do clients whose numbers have
// one form.
func TestFormTakesIntegersInAnyForm(t *testing.T) {
	t.Parallel()
	takes(t, `7.0`, 7)
	takes(t, `7e0`, 7)
	takes(t, `70e-1`, uint8(7))
	takes(t, `-0.0`, 0)
	takes(t, `-5.0`, -5)
	takes(t, `9007199254740991.0`, int64(1<<53-1))
	takes(t, `9007199254740993.0`, int64(1<<53+1))
	takes(t, `255.0`, uint8(255))
	doesNotTake[int](t, `7.5`, "type", `must be an integer, got "7.5"`)
	doesNotTake[uint8](t, `256.0`, "range", `must be an integer from 0 to 255, got "256"`)
	doesNotTake[uint8](t, `-1.0`, "range", `must be an integer from 0 to 255, got "-1"`)
	doesNotTake[int](t, `1e400`, "type", `must be an integer, got "1e400"`)
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
