package prompts

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	Lang  string
	Named struct{ X, Y string }
	lower struct {
		Inside string
		hidden string //lint:ignore U1000 that it is no argument is the point
	}
	shadowed struct {
		A, B string
	}
	byTag struct {
		B string `json:"B,omitempty"`
	}
)

// The arguments of a struct: their names, order, and which are required.
func TestInferFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt Prompt
		want   string // name, and "?" if optional
	}{
		{promptOf[struct{}](), ""},
		{promptOf[struct{ B, A string }](), "B A"},
		{promptOf[struct {
			A string `json:"x"`
			B string `json:",omitempty"`
			C string `json:"c,omitzero"`
			D string `json:"-"`
			//lint:ignore SA5008 encoding/json takes it for a field named "-"
			E string `json:"-,"`
			F string `json:""`
			G string `xml:"g"`
			J string `json:"omitempty"`
			K string `json:"a b.ä/<"`
		}](), "x B? c? - F G omitempty a b.ä/<"},
		{promptOf[struct {
			A *string
			B **int `json:"b"`
			C []*string
			D any
			E *any
		}](), "A? b? C D E?"},
		{promptOf[struct {
			Lang
			Named
			Two   Named
			Third *Named `json:"third"`
		}](), "Lang X Y Two third?"},
		{promptOf[struct {
			Named `json:"named"`
			*Deep `json:"deep"`
		}](), "named deep?"},
		{promptOf[struct {
			time.Time
			lower
			*Deep
		}](), "Time Inside level?"},
		// The shallowest field of a name is the argument, where it stands.
		{promptOf[struct {
			shadowed
			C string
			A int `json:",omitempty"`
		}](), "B C A?"},
		{promptOf[struct {
			A int
			shadowed
		}](), "A B"},
		{promptOf[struct {
			*Extra
			*Deep
		}](), "tags? level?"},
		{promptOf[Loop](), "A"},
	} {
		var names []string
		for _, a := range compiled(t, c.prompt).export().Arguments {
			if !a.Required {
				a.Name += "?"
			}
			names = append(names, a.Name)
		}
		assert.Equal(t, c.want, strings.Join(names, " "))
	}
	_, err := compile(promptOf[struct {
		shadowed
		byTag
	}]())
	assert.EqualError(t, err, `prompt "p": argument "B": two fields have this name; rename one in its json tag`, "encoding/json would take the tagged one without a word")
}

// What is listed wins over what the struct says, member by member.
func TestInferDescriptions(t *testing.T) {
	t.Parallel()
	p := promptOf[struct {
		A string `json:"a" jsonschema:"of the struct, a=b"`
		B string `json:"b" jsonschema:"of the struct"`
	}](Argument{Name: "b", Title: "B", Description: "listed"}, Argument{Name: "a", Title: "A"})
	got := compiled(t, p).export().Arguments
	require.Len(t, got, 2)
	for i := range got {
		assert.Equal(t, "string", got[i].Schema.Type)
		got[i].Schema = nil
	}
	assert.Equal(t, []Argument{
		{Name: "a", Title: "A", Description: "of the struct, a=b", Required: true},
		{Name: "b", Title: "B", Description: "listed", Required: true},
	}, got)
}

// What is inferred for a type is kept, and given to any number at a time.
func TestInferIsShared(t *testing.T) {
	t.Parallel()
	type in struct {
		A int    `json:"a"`
		B inner  `json:"b"`
		C string `json:"c,omitempty"`
	}
	var wg sync.WaitGroup
	found := make([]*inferred, 8)
	for i := range found {
		wg.Go(func() {
			found[i] = infer(reflect.TypeFor[in]())
			for range 20 {
				_, err := compile(promptOf[in](Argument{Name: "a", Schema: bounded(i)}, Argument{Name: "c", Schema: Enum(fmt.Sprint(i))}))
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	for _, inf := range found {
		assert.Same(t, found[0], inf)
		assert.Nil(t, inf.fields[0].schema.Minimum)
		assert.Nil(t, inf.fields[2].schema.Enum)
	}
}

// What is wrong with a tag, as an argument's and inside of one. A struct type
// with such a tag would not pass vet.
func TestTagFaults(t *testing.T) {
	t.Parallel()
	field := func(name, tag string) reflect.StructField {
		f := reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)}
		if name[0] >= 'a' {
			f.PkgPath = "example.com/p"
		}
		return f
	}
	for _, c := range []struct {
		fields           []reflect.StructField
		argument, inside string
	}{
		{[]reflect.StructField{field("A", `json:"x, omitempty"`)},
			`the json tag of the field A has the unknown option " omitempty"; did you mean omitempty?`,
			`its member "x": the json tag of the field A has the unknown option " omitempty"; did you mean omitempty?`},
		{[]reflect.StructField{field("A", ""), field("b", `json:"y"`)},
			"the field b has a json tag, but is not exported; export it, or remove the tag",
			`its member "b": the field b has a json tag, but is not exported; export it, or remove the tag`},
		{[]reflect.StructField{field("A", `json:"x"`), field("B", `json:"x"`)},
			`argument "x": two fields have this name; rename one in its json tag`,
			`its member "x": two of its fields have the name "x"; rename one in its json tag`},
		{[]reflect.StructField{field("A", `json:"B"`), field("B", "")},
			`argument "B": two fields have this name; rename one in its json tag`,
			`its member "B": two of its fields have the name "B"; rename one in its json tag`},
	} {
		typ := reflect.StructOf(c.fields)
		faults := infer(typ).faults
		if assert.Len(t, faults, 1) {
			assert.EqualError(t, faults[0], c.argument)
		}
		_, err := schemaOf(typ)
		assert.EqualError(t, err, c.inside)
	}
}
