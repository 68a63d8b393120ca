package argument

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/problem"
)

// A schema under which no value can pass, or not the intended one, is an error of the
// declaration.
func TestSchemasWithoutValues(t *testing.T) {
	t.Parallel()
	of := func(s string) *jsonschema.Schema { return schemaOfJSON(t, s) }
	anyOf := func(schema string) error { return faultOf[any](of(schema)) }
	const nothing = "so no value is allowed"
	for _, c := range []struct {
		name string
		err  error
		want string // "" for no error
	}{
		{"minimum above an int8", faultOf[int8](of(`{"minimum":200}`)), "minimum is 200, but the type holds -128 to 127, " + nothing},
		{"maximum below an int8", faultOf[int8](of(`{"maximum":-129}`)), "maximum is -129, but the type holds -128 to 127, " + nothing},
		{"exclusiveMinimum above a uint8", faultOf[uint8](of(`{"exclusiveMinimum":256}`)), "exclusiveMinimum is 256, but the type holds 0 to 255, " + nothing},
		{"maximum below a uint", faultOf[uint](of(`{"minimum":-9,"maximum":-5}`)), "maximum is -5, but the type holds 0 to 18446744073709551615, " + nothing},
		{"exclusiveMaximum of a uint", faultOf[uint16](of(`{"exclusiveMaximum":0}`)), "minimum is 0 and exclusiveMaximum is 0, " + nothing},
		{"minimum above an int64", faultOf[int64](of(`{"minimum":9223372036854775808}`)), "but the type holds -9223372036854775808 to 9223372036854775807, " + nothing},
		{"minimum above a float32", faultOf[float32](of(`{"minimum":1e39}`)), nothing},
		{"largest of an int8", faultOf[int8](of(`{"minimum":127}`)), ""},
		{"no integer", faultOf[int](of(`{"minimum":1.2,"maximum":1.8}`)), "no integer is from 1.2 to 1.8, " + nothing},
		{"no integer of a float", faultOf[float64](of(`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`)), nothing},
		{"no multiple", faultOf[int](of(`{"minimum":1,"maximum":4,"multipleOf":5}`)), "no multiple of multipleOf is in the range, " + nothing},
		{"no multiple of a decimal", faultOf[float64](of(`{"minimum":0.31,"maximum":0.39,"multipleOf":0.1}`)), nothing},
		{"one multiple of a decimal", faultOf[float64](of(`{"minimum":0.3,"maximum":0.3,"multipleOf":0.1}`)), ""},
		{"enum beyond the type", faultOf[int8](of(`{"enum":[1,300]}`)), "enum value 300 is not a valid value"},
		{"const below the minimum", faultOf[int](of(`{"const":1,"minimum":2}`)), "const 1 is not a valid value"},
		{"default above the maximum", faultOf[*int](of(`{"default":7,"maximum":5}`)), "default: must be at most 5, got 7"},
		{"default not of the format", faultOf[*string](of(`{"default":"x","format":"date"}`)), `default: must be a date such as 2026-05-31, got "x"`},
		{"enum not of the format", faultOf[string](of(`{"enum":["x"],"format":"uuid"}`)), `enum value "x" is not a valid value`},
		{"lengths", faultOf[string](of(`{"minLength":5,"maxLength":2}`)), "minLength is 5 and maxLength is 2, " + nothing},
		{"false", anyOf(`{"not":{}}`), nothing},
		{"null", anyOf(`{"type":"null"}`), nothing},
		{"types in conflict", anyOf(`{"type":"string","allOf":[{"type":"integer"}]}`), nothing},
		{"type of a reference in conflict", faultOf[int](of(`{"$ref":"#/$defs/s","$defs":{"s":{"type":"string"}}}`)), nothing},
		{"const in oneOf twice", faultOf[string](of(`{"oneOf":[{"const":"a"},{"const":"a"}]}`)), `oneOf has the const "a" twice, so the value is never allowed; remove one`},

		{"integer or a word", anyOf(`{"anyOf":[{"type":"integer"},{"const":"auto"}]}`),
			"a string can be converted to one type only, not to string or integer; use a string with a pattern"},
		{"integer or a word, by references", anyOf(`{"oneOf":[{"$ref":"#/$defs/n"},{"enum":["auto"]}],"$defs":{"n":{"type":"integer"}}}`),
			"a string can be converted to one type only"},
		{"integer or a word, of a string", faultOf[string](of(`{"anyOf":[{"type":"integer"},{"const":"auto"}]}`)),
			"/anyOf/0 allows only integer, but this value is read as string; remove it"},
		{"two types of a string", faultOf[string](of(`{"type":["string","integer"]}`)), "remove the other types"},
		{"integer or a word, in a list", faultOf[[]string](of(`{"items":{"anyOf":[{"type":"integer"},{"const":"auto"}]}}`)), "items: schema: /anyOf/0 allows only integer"},
		{"a string or null", faultOf[*string](of(`{"type":["string","null"]}`)), ""},
		{"either pattern", faultOf[string](of(`{"anyOf":[{"pattern":"^a"},{"type":"string","maxLength":1}]}`)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.want == "" {
				assert.NoError(t, c.err)
				return
			}
			assert.ErrorContains(t, c.err, c.want)
		})
	}
}

// Without a Go type, the type can come from any part of the schema.
func TestTypeOfSchema(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema, text string
		want         any // nil for a problem
	}{
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, "5", int64(5)},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, "x", nil},
		{`{"$ref":"#n","$defs":{"n":{"$anchor":"n","allOf":[{"type":"boolean"}]}}}`, "true", true},
		{`{"allOf":[{"type":"integer"},{"minimum":5}]}`, "7", int64(7)},
		{`{"allOf":[{"type":"integer"},{"minimum":5}]}`, "3", nil},
		{`{"allOf":[{"type":["string","integer"]},{"type":["integer","null"]}]}`, "7", int64(7)},
		{`{"anyOf":[{"type":"integer"},{"type":"number"}]}`, "1.5", 1.5},
		{`{"oneOf":[{"type":"null"},{"type":"array","items":{"type":"integer"}}]}`, "[1]", []any{1.0}},
		{`{"oneOf":[{"type":"null"},{"type":"array","items":{"type":"integer"}}]}`, `["x"]`, nil},
		{`{"allOf":[{"minLength":2}]}`, "ab", "ab"},
		{`{"allOf":[{"minLength":2}]}`, "a", nil},
	} {
		t.Run(c.schema+c.text, func(t *testing.T) {
			t.Parallel()
			got, problems := readAs[any](t, c.text, schemaOfJSON(t, c.schema))
			if c.want == nil {
				assert.Len(t, problems, 1)
				return
			}
			require.Empty(t, problems)
			assert.Equal(t, c.want, got)
		})
	}
}

// A hint promises no value that the type cannot hold.
func TestHintsWithinTheType(t *testing.T) {
	t.Parallel()
	of := func(s string) *jsonschema.Schema { return schemaOfJSON(t, s) }
	for _, c := range []struct{ want, got string }{
		{"an integer from 0 to 255", hintOf[uint8](t, of(`{"maximum":1000}`))},
		{"an integer from 0 to 255", hintOf[uint8](t, of(`{"exclusiveMaximum":1000}`))},
		{"an integer from -128 to 5", hintOf[int8](t, of(`{"minimum":-500,"maximum":5}`))},
		{"an integer, at least 0", hintOf[uint](t, of(`{"minimum":-5}`))},
		{"an integer, at least 0", hintOf[uint](t, of(`{"exclusiveMinimum":-5}`))},
		{"an integer, at least 7", hintOf[uint](t, of(`{"minimum":7,"exclusiveMinimum":-5}`))},
		{"an integer from 0 to 9", hintOf[uint8](t, of(`{"maximum":9,"exclusiveMaximum":1000}`))},
		{"an integer", hintOf[int](t, of(`{"minimum":-1e30,"maximum":1e30}`))},
		{"a number", hintOf[float32](t, of(`{"maximum":1e300}`))},
		{"an integer", hintOf[float64](t, of(`{"type":"integer"}`))},
		{"an integer from 1 to 3", hintOf[float64](t, of(`{"allOf":[{"type":"integer"}],"minimum":1,"maximum":3}`))},
	} {
		assert.Equal(t, c.want, c.got)
	}
	_, problems := readAs[float64](t, "1.5", of(`{"type":"integer"}`))
	require.Len(t, problems, 1)
	assert.Equal(t, `must be an integer, got "1.5"`, problems[0].Message)
	f, isFull := valueOf[float64](t, of(`{"type":"integer"}`)).field(true)
	assert.Equal(t, "integer", f.Type)
	assert.True(t, isFull)
}

// Consts with titles are an enum, for hints, completion and problems.
func TestTitledConstsAreAnEnum(t *testing.T) {
	t.Parallel()
	for _, keyword := range []string{"anyOf", "oneOf"} {
		s := schemaOfJSON(t, `{"`+keyword+`":[{"const":"go","title":"Go"},{"type":"string","const":"rust","description":"not the oxide"}]}`)
		p := planOf[maybe[string]](t, Spec{Name: "a", Schema: s})
		assert.Equal(t, "one of: go, rust", p.Arguments[0].DescriptionWithHint())
		values, _ := p.Arguments[0].Complete("r")
		assert.Equal(t, []string{"rust"}, values[:1])
		var got maybe[string]
		problems := fill(p, &got, text("rusty"))
		require.Len(t, problems, 1)
		assert.Equal(t, Problem{Argument: "a", Reason: "enum", Message: `must be one of go, rust, got "rusty" (did you mean "rust"?)`, Allowed: []string{"go", "rust"}, Suggestion: "rust"}, problems[0])
		assert.Nil(t, p.Arguments[0].value.validator)
	}
	// Numbers too, and without a Go type.
	got, problems := readAs[any](t, "2", schemaOfJSON(t, `{"oneOf":[{"const":1,"title":"low"},{"const":2,"title":"high"}]}`))
	assert.Empty(t, problems)
	assert.Equal(t, int64(2), got)
}

// The enum of a type with UnmarshalText comes before the method.
func TestEnumOfTextType(t *testing.T) {
	t.Parallel()
	_, problems := readAs[weekday](t, "mom", enum("mon", "tue"))
	require.Len(t, problems, 1)
	assert.Equal(t, []string{"mon", "tue"}, problems[0].Allowed)
	assert.Equal(t, "mon", problems[0].Suggestion)
	assert.Equal(t, problem.Enum, problems[0].Reason)
}

// GAP-21: an empty text is no value of a required argument, unless its schema says so.
func TestEmptyRequired(t *testing.T) {
	t.Parallel()
	missing := []Problem{{Argument: "a", Reason: problem.Missing, Message: "is required"}}
	var s one[string]
	assert.Equal(t, missing, empty(t, &s))
	assert.Equal(t, missing, empty(t, &s, Spec{Name: "a", Schema: &jsonschema.Schema{MinLength: ptr(1)}}))
	assert.Equal(t, missing, empty(t, &s, Spec{Name: "a", Schema: enum("x")}))
	assert.Empty(t, empty(t, &s, Spec{Name: "a", Schema: &jsonschema.Schema{MinLength: ptr(0)}}))
	assert.Empty(t, empty(t, &s, Spec{Name: "a", Schema: enum("x", "")}))
	var n one[int]
	assert.Equal(t, missing, empty(t, &n))
	var l one[[]string]
	assert.Equal(t, missing, empty(t, &l))
	assert.Empty(t, fill(planOf[one[[]string]](t), &l, text("[]")))
	_, problems := listPlan(t, Spec{Name: "a", Required: true}).Texts(t.Context(), []Text{text("")})
	assert.Equal(t, missing, problems)
}

// Which formats a Go type can have, and where.
func TestDeclaredFormats(t *testing.T) {
	t.Parallel()
	format := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Format: name} }
	const all = "the formats are date, time, date-time, duration, email, hostname, ipv4, ipv6, uri, uri-reference, uuid, regex, json-pointer"
	checkDeclared(t, []declaredCase{
		{"unknown", faultOf[string](format("datetime")), []string{`argument "a": schema: unknown format "datetime"; did you mean "date-time"?; ` + all}},
		{"far from all", faultOf[string](format("phone")), []string{`argument "a": schema: unknown format "phone"; ` + all}},
		{"integer", faultOf[int](format("date")), []string{`argument "a": schema: format applies to strings, but this value is read as integer`}},
		{"list", faultOf[[]string](format("date")), []string{`argument "a": schema: format applies to strings, but this value is read as array`}},
		{"elements", faultOf[[]string](itemsOf(format("date"))), nil},
		{"time", faultOf[time.Time](format("date")), nil},
		{"time with its own", faultOf[*time.Time](format("date-time")), nil},
		{"time with another", faultOf[time.Time](format("uuid")), []string{`argument "a": schema: format uuid conflicts with the type of the value, a time such as 2026-05-31T14:30:00Z; remove the format`}},
		{"duration", faultOf[time.Duration](format("duration")), []string{`argument "a": schema: format duration conflicts with the type of the value, a duration such as 1h30m; remove the format`}},
		{"address", faultOf[netip.Addr](format("ipv4")), nil},
		{"URL", faultOf[url.URL](format("uri")), nil},
		{"bytes", faultOf[[]byte](format("uuid")), []string{`argument "a": schema: format uuid conflicts with the type of the value, base64 data; remove the format`}},
		{"own text form", faultOf[weekday](format("hostname")), nil},
		{"JSON", faultOf[json.RawMessage](format("date")), nil},
		{"member", faultOf[map[string]any](&jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"k": format("date")}}), nil},
		{"branch", faultOf[string](&jsonschema.Schema{AnyOf: []*jsonschema.Schema{format("ipv4"), format("ipv6")}}), nil},
	})
}

// A time.Time with the format date is read from a date.
func TestDate(t *testing.T) {
	t.Parallel()
	s := &jsonschema.Schema{Format: "date"}
	got, problems := readAs[time.Time](t, "2026-03-01", s)
	assert.Empty(t, problems)
	assert.Equal(t, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), got)
	_, problems = readAs[time.Time](t, "2026-02-29", s)
	assert.Equal(t, []Problem{{Argument: "a", Reason: "format", Message: `must be a date such as 2026-05-31, got "2026-02-29"`, Allowed: "date"}}, problems)
	assert.Equal(t, "a date such as 2026-05-31", hintOf[time.Time](t, s))
	f, isFull := valueOf[time.Time](t, s).field(true)
	assert.Equal(t, "date", f.Format)
	assert.True(t, isFull)
}
