package argument

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/problem"
)

type (
	leveled struct {
		Level int `json:"level"`
	}
	untagged struct{ Level int }
	// ownCase reads both cases, and means it.
	ownCase struct{ low, high int }
	ownText struct{ text string }
	nested  struct {
		In leveled `json:"in"`
	}
	deeper struct {
		*Deep
		Other string `json:"other,omitempty"`
	}
	hidingCase struct {
		leveled
		Level struct {
			Size int `json:"size"`
		} `json:"level"`
	}
	twoCases struct {
		Low  int `json:"level"`
		High int `json:"LEVEL"`
	}
)

func (o *ownCase) UnmarshalJSON(b []byte) error {
	var m map[string]int
	err := json.Unmarshal(b, &m)
	o.low, o.high = m["level"], m["LEVEL"]
	return err
}

func (o *ownText) UnmarshalText(b []byte) error { o.text = string(b); return nil }

// folds expects a member in the wrong case to be refused although the schema
// allows it, and the right case to be taken.
func folds[T any](t *testing.T, text, message string) {
	t.Helper()
	v := *planOf[one[T]](t).Arguments[0].value // a copy: others share it
	v.validator = nil                          // as if the author's schema allowed anything
	if v.elem != nil {
		elem := *v.elem
		elem.validator = nil
		v.elem = &elem
	}
	var got T
	_, p := v.read(t.Context(), reflect.ValueOf(&got).Elem(), text, false)
	if message == "" {
		assert.Nil(t, p, text)
		return
	}
	require.Len(t, p, 1, text)
	assert.Equal(t, problem.Unknown, p[0].Reason, text)
	assert.Equal(t, message, p[0].inside(), text)
}

// encoding/json lets "LEVEL" fill a field named "level", so a value that no
// schema has judged under this name would get into the struct.
func TestFoldedNames(t *testing.T) {
	t.Parallel()
	const is = ` is unknown (did you mean "level"?)`
	folds[leveled](t, `{"level":1}`, "")
	folds[leveled](t, `{"level":1,"LEVEL":99}`, "LEVEL"+is)
	folds[leveled](t, `{"LEVEL":99}`, "LEVEL"+is)
	folds[leveled](t, `{"LE\u0056EL":99}`, "LEVEL"+is)
	folds[leveled](t, `{"level":1,"levels":[{"LEVEL":1}]}`, "")
	folds[inner](t, `{"name":"x","ſize":1}`, `["ſize"] is unknown (did you mean "size"?)`)
	folds[untagged](t, `{"level":1}`, `level is unknown (did you mean "Level"?)`)
	folds[*leveled](t, `{"LEVEL":99}`, "LEVEL"+is)
	folds[[]leveled](t, `[{"level":1},{"LEVEL":99}]`, "[1].LEVEL"+is)
	folds[map[string]leveled](t, `{"LEVEL":{"level":1}}`, "")
	folds[map[string]leveled](t, `{"a":{"LEVEL":99}}`, "a.LEVEL"+is)
	folds[map[string][]*leveled](t, `{"a":[{"level":1},{"LEVEL":99}]}`, "a[1].LEVEL"+is)
	folds[struct{ A [1]leveled }](t, `{"A":[{"LEVEL":99}]}`, "A[0].LEVEL"+is)
	folds[nested](t, `{"in":{"LEVEL":99}}`, "in.LEVEL"+is)
	folds[nested](t, `{"IN":{"level":99}}`, `IN is unknown (did you mean "in"?)`)
	folds[deeper](t, `{"LEVEL":99}`, "LEVEL"+is)
	folds[hidingCase](t, `{"level":{"SIZE":99}}`, `level.SIZE is unknown (did you mean "size"?)`)
	folds[twoCases](t, `{"level":1,"LEVEL":2}`, "")
	folds[twoCases](t, `{"Level":1}`, `Level is unknown (did you mean "LEVEL"?)`)

	// What reads itself, and what has no fields, is left alone.
	folds[ownCase](t, `{"level":1,"LEVEL":2}`, "")
	folds[struct{ A ownCase }](t, `{"A":{"level":1,"LEVEL":2}}`, "")
	folds[map[string]ownText](t, `{"a":"LEVEL","A":"level"}`, "")
	folds[map[string]any](t, `{"level":1,"LEVEL":{"a":1,"A":2}}`, "")
	folds[struct{ A any }](t, `{"A":{"level":1,"LEVEL":2}}`, "")
}

// The schemas by which a folded name could be smuggled past a maximum.
func TestFoldedNamesPastSchema(t *testing.T) {
	t.Parallel()
	level := map[string]*jsonschema.Schema{"level": {Maximum: jsonschema.Ptr(5.0)}}
	refused := func(problems []Problem) {
		t.Helper()
		require.Len(t, problems, 1)
		assert.Equal(t, "/LEVEL", problems[0].Path[len(problems[0].Path)-len("/LEVEL"):])
		assert.Equal(t, `is unknown (did you mean "level"?)`, problems[0].Message)
	}
	open := &jsonschema.Schema{AdditionalProperties: &jsonschema.Schema{}, Properties: level}
	_, problems := readAs[leveled](t, `{"level":1,"LEVEL":99}`, open)
	refused(problems)
	_, problems = readAs[[]leveled](t, `[{"level":1,"LEVEL":99}]`, &jsonschema.Schema{PrefixItems: []*jsonschema.Schema{open}, Items: open})
	refused(problems)
}

// encoding/json would read such a member from a string, which no schema says.
func TestStringOption(t *testing.T) {
	t.Parallel()
	err := errorOf[struct {
		N int `json:"n,string"`
		M int `json:"m,omitempty,string"`
	}]()
	assert.EqualError(t, err, `argument "n": json tag option "string" is not needed, because arguments are always sent as strings; remove the option`+"\n"+
		`argument "m": json tag option "string" is not needed, because arguments are always sent as strings; remove the option`)
	type quoted struct {
		N int `json:"n,string"`
	}
	const want = `json tag of member "n" has the option "string"`
	err = errorOf[one[quoted]]()
	assert.ErrorContains(t, err, want)
	err = errorOf[one[[]map[string]*quoted]]()
	assert.ErrorContains(t, err, want)
	err = errorOf[one[struct{ quoted }]]()
	assert.ErrorContains(t, err, want)
}

// A pointer is optional wherever it stands.
func TestNestedPointersAreOptional(t *testing.T) {
	t.Parallel()
	type base struct {
		B int `json:"b"`
	}
	type leaf struct {
		P *int `json:"p"`
		Q int  `json:"q"`
	}
	type tree struct {
		*Deep
		base
		P *leaf            `json:"p"`
		L []leaf           `json:"l,omitempty"`
		M map[string]*leaf `json:"m,omitempty"`
	}
	s := planOf[one[tree]](t).Arguments[0].Schema
	assert.Equal(t, []string{"b"}, s.Required)
	for _, text := range []string{`{"b":1}`, `{"b":1,"p":null}`, `{"b":1,"p":{"q":1}}`, `{"b":1,"l":[{"q":1}],"m":{"x":{"q":1}}}`} {
		_, problems := readAs[tree](t, text, nil)
		assert.Empty(t, problems, text)
	}
	for _, text := range []string{`{}`, `{"b":1,"p":{}}`, `{"b":1,"l":[{}]}`, `{"b":1,"m":{"x":{}}}`} {
		_, problems := readAs[tree](t, text, nil)
		assert.Len(t, problems, 1, text)
	}
	assert.Nil(t, planOf[one[struct{ P *int }]](t).Arguments[0].Schema.Required)
}
