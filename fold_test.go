package prompts

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	var got one[T]
	d := compiled(t, typed(&got))
	p, v := *d.plan, *d.plan.arguments[0].value // which others share
	v.judge = nil                               // as if the author's schema allowed anything
	p.arguments = slices.Clone(p.arguments)
	p.arguments[0].value = &v
	d.plan = &p
	_, problems := d.bind([]given{{text: text, ok: true}})
	if message == "" {
		assert.Empty(t, problems, text)
		return
	}
	if assert.Len(t, problems, 1, text) {
		assert.Equal(t, problem{Argument: "a", Reason: reasonType, Message: message}, problems[0])
	}
}

// encoding/json lets "LEVEL" fill a field named "level", so a value that no
// schema has judged under this name would get into the struct.
func TestFoldedNames(t *testing.T) {
	t.Parallel()
	const want = `"LEVEL" must be written "level"`
	folds[leveled](t, `{"level":1}`, "")
	folds[leveled](t, `{"level":1,"LEVEL":99}`, want)
	folds[leveled](t, `{"LEVEL":99}`, want)
	folds[leveled](t, `{"LE\u0056EL":99}`, want)
	folds[leveled](t, `{"level":1,"levels":[{"LEVEL":1}]}`, "")
	folds[inner](t, `{"name":"x","ſize":1}`, `"ſize" must be written "size"`)
	folds[untagged](t, `{"level":1}`, `"level" must be written "Level"`)
	folds[*leveled](t, `{"LEVEL":99}`, want)
	folds[[]leveled](t, `[{"level":1},{"LEVEL":99}]`, "element 2: "+want)
	folds[map[string]leveled](t, `{"LEVEL":{"level":1}}`, "")
	folds[map[string]leveled](t, `{"a":{"LEVEL":99}}`, want)
	folds[map[string][]*leveled](t, `{"a":[{"level":1},{"LEVEL":99}]}`, want)
	folds[struct{ A [1]leveled }](t, `{"A":[{"LEVEL":99}]}`, want)
	folds[nested](t, `{"in":{"LEVEL":99}}`, want)
	folds[nested](t, `{"IN":{"level":99}}`, `"IN" must be written "in"`)
	folds[deeper](t, `{"LEVEL":99}`, want)
	folds[hidingCase](t, `{"level":{"SIZE":99}}`, `"SIZE" must be written "size"`)
	folds[twoCases](t, `{"level":1,"LEVEL":2}`, "")
	folds[twoCases](t, `{"Level":1}`, `"Level" must be written "level"`)

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
	refused := func(p Prompt, text string) {
		t.Helper()
		_, e := callGet(t, p, `{"x":`+strconv.Quote(text)+`}`, Options{})
		require.NotNil(t, e)
		assert.Equal(t, CodeInvalidParams, e.Code)
		assert.Contains(t, jsonText(e.Data), `\"LEVEL\" must be written \"level\"`)
	}
	open := &jsonschema.Schema{AdditionalProperties: &jsonschema.Schema{}, Properties: level}
	refused(promptOf[struct {
		X leveled `json:"x"`
	}](Argument{Name: "x", Schema: open}), `{"level":1,"LEVEL":99}`)
	refused(promptOf[struct {
		X []leveled `json:"x"`
	}](Argument{Name: "x", Schema: &jsonschema.Schema{PrefixItems: []*jsonschema.Schema{open}, Items: open}}), `[{"level":1,"LEVEL":99}]`)
}

// encoding/json would read such a member from a string, which no schema says.
func TestStringOption(t *testing.T) {
	t.Parallel()
	_, err := compile(promptOf[struct {
		N int `json:"n,string"`
		M int `json:"m,omitempty,string"`
	}]())
	assert.EqualError(t, err, `prompt "p": argument "n": the json tag has the option "string"; remove it, every argument is a string on the wire and becomes what the field is`+"\n"+
		`prompt "p": argument "m": the json tag has the option "string"; remove it, every argument is a string on the wire and becomes what the field is`)
	type quoted struct {
		N int `json:"n,string"`
	}
	const want = `the json tag of its member "n" has the option "string"`
	_, err = compile(promptOf[one[quoted]]())
	assert.ErrorContains(t, err, want)
	_, err = compile(promptOf[one[[]map[string]*quoted]]())
	assert.ErrorContains(t, err, want)
	_, err = compile(promptOf[one[struct{ quoted }]]())
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
	s := compiled(t, promptOf[one[tree]]()).export().Arguments[0].Schema
	assert.Equal(t, []string{"b"}, s.Required)
	for _, text := range []string{`{"b":1}`, `{"b":1,"p":null}`, `{"b":1,"p":{"q":1}}`, `{"b":1,"l":[{"q":1}],"m":{"x":{"q":1}}}`} {
		var got one[tree]
		_, problems := compiled(t, typed(&got)).bind([]given{{text: text, ok: true}})
		assert.Empty(t, problems, text)
	}
	for _, text := range []string{`{}`, `{"b":1,"p":{}}`, `{"b":1,"l":[{}]}`, `{"b":1,"m":{"x":{}}}`} {
		var got one[tree]
		_, problems := compiled(t, typed(&got)).bind([]given{{text: text, ok: true}})
		assert.Len(t, problems, 1, text)
	}
	assert.Nil(t, compiled(t, promptOf[one[struct{ P *int }]]()).export().Arguments[0].Schema.Required)
}
