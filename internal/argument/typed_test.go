package argument

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// differences are the reasons why an argument of a test of this package is not the
// same as a string and as JSON of its type. All others are: see bothDoors.
var differences = map[string]string{
	"no JSON of the type": "a text such as yes, a,b or 007 has no typed form; as a JSON string it has another type",
	"empty":               "an empty string is an empty field of a form; as a typed value only a string is empty",
	"integer":             "JSON schema counts 7.0 and 7e0 as integers",
	"undeclared":          "the schema does not allow undeclared arguments, so they are not ignored",
	"null":                "the string null is JSON, which the schema rejects; null itself is the same as no value",
	"not a string":        "as a string it has another type, typed it is the value",
}

// differ notes that a difference of the table was met.
func differ(t testing.TB, why string) {
	t.Helper()
	require.Contains(t, differences, why)
}

// typedText returns the JSON of the argument's type that the text stands for.
func typedText(v *value, text string) (string, bool) {
	var doc strictjson.Doc
	isJSON := doc.Parse(text, jsonenc.MaxDepth) == nil && doc.Root().Raw() == text // and no space around it
	switch v.kind {
	case schema.Bool:
		return text, text == "true" || text == "false"
	case schema.Int, schema.Uint, schema.Float:
		return text, isJSON && doc.Root().Kind() == strictjson.Number
	case schema.List:
		return text, isJSON && doc.Root().Kind() == strictjson.Array
	case schema.JSON:
		return text, isJSON
	}
	return string(strictjson.AppendString(nil, text)), true
}

// bothDoors checks that the arguments, as JSON of their types, have the same problems
// and the same values as the strings have, but for the differences of the table.
func bothDoors(t testing.TB, d declared, arguments strictjson.Value, problems []Problem) {
	t.Helper()
	var members, asStrings []string // numbers as such, and as strings
	for name, v := range arguments.Members() {
		i := d.plan.Find(name)
		switch {
		case v.Kind() != strictjson.String:
			differ(t, "not a string")
			return
		case i < 0:
			differ(t, "undeclared")
			return
		}
		a := &d.plan.Arguments[i]
		own := a.value.trim(v.Text())
		text, ok := typedText(a.value, own)
		if a.value.kind.IsNumber() && !ok && own != "" {
			text, ok = v.Raw(), true
		}
		if !ok && own == "" {
			differ(t, "empty")
			return
		}
		if !ok {
			differ(t, "no JSON of the type")
			if a.value.kind == schema.JSON {
				return // which may be a string
			}
			_, asString := typedDoor(t, d, `{`+string(strictjson.AppendString(nil, name))+`:`+v.Raw()+`}`)
			require.True(t, slices.ContainsFunc(asString, func(p Problem) bool { return p.Argument == name }), "%s as a JSON string", v.Raw())
			return
		}
		if text == "null" && !a.admitsNull {
			differ(t, "null")
			return
		}
		key := string(strictjson.AppendString(nil, name)) + ":"
		if a.value.kind.IsNumber() {
			asStrings = append(asStrings, key+v.Raw())
		} else {
			asStrings = append(asStrings, key+text)
		}
		if (a.value.kind == schema.Int || a.value.kind == schema.Uint) && text[0] != '"' && strings.ContainsAny(text, ".eE") {
			differ(t, "integer")
			text = v.Raw()
		}
		members = append(members, key+text)
	}
	for _, all := range [][]string{members, asStrings} {
		object := "{" + strings.Join(all, ",") + "}"
		got, typed := typedDoor(t, d, object)
		assert.Equal(t, jsonenc.Text(problems), jsonenc.Text(typed), "%s", object)
		if len(problems) == 0 && d.in.IsValid() {
			assert.Equal(t, d.in.Interface(), got.Interface(), "%s", object)
		}
	}
}

// typedDoor fills a new struct from a JSON object of typed arguments.
func typedDoor(t testing.TB, d declared, object string) (reflect.Value, []Problem) {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(object, jsonenc.MaxDepth), object)
	texts, problems, _ := d.plan.Collect(nil, Given{Object: doc.Root(), IsTyped: true})
	asTexts, nonStrings := TextsOf(doc.Root(), true, false)
	changed, others, _ := d.plan.Collect(nil, Given{Object: doc.Root(), IsTyped: true, IsAltered: true, Texts: asTexts, NonStrings: nonStrings})
	require.Equal(t, texts, changed, object)
	require.Equal(t, problems, others, object)
	if !d.in.IsValid() {
		_, more := d.plan.Texts(t.Context(), texts)
		return reflect.Value{}, append(more, problems...)
	}
	in := reflect.New(d.in.Type()).Elem()
	return in, append(d.plan.Fill(t.Context(), in, texts), problems...)
}

// A value of another JSON type is a problem for each kind of argument, and null is the same
// as no value.
func TestTypedArguments(t *testing.T) {
	t.Parallel()
	type all struct {
		Text  string         `json:"text"`
		Bool  bool           `json:"bool"`
		Int   int            `json:"int"`
		Uint  uint8          `json:"uint"`
		Float float64        `json:"float"`
		List  []string       `json:"list"`
		JSON  map[string]any `json:"json"`
		Any   any            `json:"any"`
		Token string         `json:"token" sensitive:"true"`
	}
	values := map[string]string{"string": `"x"`, "number": `5`, "bool": `true`, "array": `["a"]`, "object": `{"a":1}`, "null": `null`}
	accepts := map[string]string{"text": "string", "bool": "bool", "int": "number", "uint": "number", "float": "number", "list": "array", "json": "object", "any": "string", "token": "string"}
	for argument, kind := range accepts {
		for name, value := range values {
			var in all
			_, problems := typedDoor(t, filling(t, &in), `{"`+argument+`":`+value+`}`)
			i := slices.IndexFunc(problems, func(p Problem) bool { return p.Argument == argument })
			if name == kind {
				assert.Equal(t, -1, i, "%s: %s", argument, value)
			} else if assert.GreaterOrEqual(t, i, 0, "%s: %s", argument, value) && name == "null" {
				assert.Equal(t, problem.Missing, problems[i].Reason, "%s: %s", argument, value)
			} else if i >= 0 {
				assert.Contains(t, []problem.Reason{problem.Type, problem.Schema}, problems[i].Reason, "%s: %s", argument, value)
				if argument == "token" {
					assert.Equal(t, "is not valid", problems[i].Message)
				}
			}
		}
	}
	for text, want := range map[string]int64{"3.0": 3, "3e0": 3, "1e3": 1000, "-0.0": 0, "9007199254740991.0": 9007199254740991, "9007199254740993.0": 9007199254740993} {
		var got one[int64]
		d := filling(t, &got)
		in, problems := typedDoor(t, d, `{"a":`+text+`}`)
		assert.Empty(t, problems, text)
		assert.Equal(t, want, in.Interface().(one[int64]).A, text)
	}
	var list one[[]int]
	in, problems := typedDoor(t, filling(t, &list), `{"a":[3.0,1e2]}`)
	assert.Empty(t, problems)
	assert.Equal(t, []int{3, 100}, in.Interface().(one[[]int]).A)
	for _, text := range []string{"3.5", "1e400", "1e-3", "1.0000000000000000001", "1e999999999"} {
		var got one[int]
		_, problems := typedDoor(t, filling(t, &got), `{"a":`+text+`}`)
		assert.Len(t, problems, 1, text)
	}
}

// The whole value of a sensitive argument is a secret, whatever its JSON type: a
// middleware may have it in an error.
func TestTypedSecrets(t *testing.T) {
	t.Parallel()
	p := planOf[struct {
		Token string `json:"token" sensitive:"true"`
		PIN   int    `json:"pin" sensitive:"true"`
	}](t)
	long := strings.Repeat("s", 100)
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(`{"token":["`+long+`"],"pin":"`+long+`"}`, jsonenc.MaxDepth))
	texts, _, _ := p.Collect(nil, Given{Object: doc.Root(), IsTyped: true})
	assert.Equal(t, []string{`["` + long + `"]`, long}, p.Secrets(texts))
	_, problems := p.Texts(t.Context(), texts)
	assert.NotContains(t, jsonenc.Text(problems), "sss")
}

// What a middleware has changed is a string again, and what it has added.
func TestTypedTextsThatWereChanged(t *testing.T) {
	t.Parallel()
	p := planOf[struct {
		A int    `json:"a"`
		B []int  `json:"b"`
		C string `json:"c"`
	}](t)
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(`{"a":"1","b":[2],"c":3}`, jsonenc.MaxDepth))
	altered := Given{Object: doc.Root(), IsTyped: true, IsAltered: true, Texts: map[string]string{"a": "11", "b": "2,3", "c": "x"}}
	texts, _, _ := p.Collect(nil, altered)
	got, problems := p.Texts(t.Context(), texts)
	assert.Empty(t, problems)
	assert.Equal(t, map[string]string{"a": "11", "b": "2,3", "c": "x"}, got)
	altered.Texts = map[string]string{"d": "x"}
	_, undeclared, _ := p.Collect(nil, altered)
	assert.Equal(t, `[{"argument":"d","reason":"unknown","message":"is not an argument of this prompt"}]`, jsonenc.Text(undeclared))
}

// MRT-13: two texts have the same canonical form only if they have the same value. A list
// that does not begin with a bracket is split, and no JSON.
func TestCanonical(t *testing.T) {
	t.Parallel()
	p := planOf[struct {
		Text string         `json:"text"`
		List []string       `json:"list"`
		JSON map[string]any `json:"json"`
	}](t)
	for _, test := range []struct {
		argument, a, b string
		same           bool
	}{
		{"text", `["a"]`, `[ "a" ]`, false},
		{"list", `["a","b"]`, ` [ "\u0061", "b" ]`, true},
		{"list", `["a"]`, `["b"]`, false},
		{"list", `"a"`, `"\u0061"`, false},
		{"list", `{"a":1,"b":2}`, `{"a":1, "b":2}`, false},
		{"list", `a,b`, `b,a`, false},
		{"json", `{"a":1,"b":[]}`, ` { "b": [ ], "\u0061": 1 } `, true},
		{"json", `{"a":1}`, `{"a":2}`, false},
	} {
		a := &p.Arguments[p.Find(test.argument)]
		assert.Equal(t, test.same, a.Canonical(test.a) == a.Canonical(test.b), "%s: %s and %s", test.argument, test.a, test.b)
	}
}

// Of many undeclared arguments, the first by name have suggestions, in whatever order
// they come.
func TestManyUndeclaredTyped(t *testing.T) {
	t.Parallel()
	var in struct {
		Language string `json:"language"`
	}
	members := make([]string, MaxProblems+2)
	for i := range members {
		members[i] = fmt.Sprintf(`"language%c":1`, '\u0400'+len(members)-i)
	}
	_, problems := typedDoor(t, filling(t, &in), "{"+strings.Join(members, ",")+"}")
	require.Len(t, problems, 1+len(members)) // the required one, too
	assert.Equal(t, "language", problems[1].Suggestion)
	assert.Empty(t, problems[len(members)].Suggestion)
}

// A string of white space of any kind is no value: for prompts/get an empty field of a form,
// and as JSON an error. White space around a value and its elements goes.
func TestSpaces(t *testing.T) {
	t.Parallel()
	type all struct {
		Int  int      `json:"int,omitempty"`
		Bool bool     `json:"bool,omitempty"`
		List []string `json:"list,omitempty"`
	}
	p, errs := Compile(reflect.TypeFor[all](), []Spec{{Name: "int", Schema: &jsonschema.Schema{Default: []byte("3")}}, {Name: "bool", Schema: &jsonschema.Schema{Default: []byte("true")}}, {Name: "list", Schema: &jsonschema.Schema{Default: []byte(`["x"]`)}}})
	require.Empty(t, errs)
	for _, space := range []string{"", " ", "\t\n", "\v", "\u00a0", "\u2003 "} {
		var in all
		assert.Empty(t, fill(p, &in, Text{Value: space, Given: true}, Text{Value: space, Given: true}, Text{Value: space + "," + space, Given: true}), "%q", space)
		assert.Equal(t, all{3, true, []string{"x"}}, in, "%q", space)
		assert.Empty(t, fill(p, &in, Text{Value: space + "7", Given: true}, Text{Value: "false" + space, Given: true}, Text{Value: space + "a" + space + ",b" + space, Given: true}), "%q", space)
		assert.Equal(t, all{7, false, []string{"a", "b"}}, in, "%q", space)
		assert.Empty(t, fill(p, &in, Text{}, Text{}, Text{Value: space + `["c"]` + space, Given: true}), "%q", space)
		assert.Equal(t, []string{"c"}, in.List, "%q", space)
		raw := string(strictjson.AppendString(nil, space))
		_, problems := typedDoor(t, declared{plan: p, in: reflect.ValueOf(&in).Elem()}, `{"int":`+raw+`,"bool":`+raw+`,"list":`+raw+`}`)
		require.Len(t, problems, 3, "%q", space)
		for _, p := range problems {
			assert.Equal(t, problem.Type, p.Reason, "%q", space)
		}
	}
}
