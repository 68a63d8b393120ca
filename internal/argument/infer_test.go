package argument

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
		plan *Plan
		want string // name, and "?" if optional
	}{
		{planOf[struct{}](t), ""},
		{planOf[struct{ B, A string }](t), "B A"},
		{planOf[struct {
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
		}](t), "x B? c? - F G omitempty a b.ä/<"},
		{planOf[struct {
			A *string
			B **int `json:"b"`
			C []*string
			D any
			E *any
		}](t), "A? b? C D E?"},
		{planOf[struct {
			Lang
			Named
			Two   Named
			Third *Named `json:"third"`
		}](t), "Lang X Y Two third?"},
		{planOf[struct {
			Named `json:"named"`
			*Deep `json:"deep"`
		}](t), "named deep?"},
		{planOf[struct {
			time.Time
			lower
			*Deep
		}](t), "Time Inside level?"},
		// The shallowest field of a name is the argument, where it stands.
		{planOf[struct {
			shadowed
			C string
			A int `json:",omitempty"`
		}](t), "B C A?"},
		{planOf[struct {
			A int
			shadowed
		}](t), "A B"},
		{planOf[struct {
			*Extra
			*Deep
		}](t), "tags? level?"},
		{planOf[Loop](t), "A"},
	} {
		var names []string
		for _, a := range c.plan.Arguments {
			if !a.Required {
				a.Name += "?"
			}
			names = append(names, a.Name)
		}
		assert.Equal(t, c.want, strings.Join(names, " "))
	}
	err := errorOf[struct {
		shadowed
		byTag
	}]()
	assert.EqualError(t, err, `argument "B": two fields have this name; rename one of them in the json tag`, "encoding/json would take the tagged one without a word")
}

// What is listed wins over what the struct says, member by member.
func TestInferDescriptions(t *testing.T) {
	t.Parallel()
	got := planOf[struct {
		A string `json:"a" jsonschema:"of the struct, a=b"`
		B string `json:"b" jsonschema:"of the struct"`
	}](t, Spec{Name: "b", Title: "B", Description: "listed"}, Spec{Name: "a", Title: "A"})
	var specs []Spec
	for _, a := range got.Arguments {
		assert.Equal(t, "string", a.Schema.Type)
		a.Schema = nil
		specs = append(specs, a.Spec)
	}
	assert.Equal(t, []Spec{
		{Name: "a", Title: "A", Description: "of the struct, a=b", Required: true},
		{Name: "b", Title: "B", Description: "listed", Required: true},
	}, specs)
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
				assert.NoError(t, errorOf[in](Spec{Name: "a", Schema: bounded(i)}, Spec{Name: "c", Schema: enum(fmt.Sprint(i))}))
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

// Invalid tags of arguments, and of fields inside of an argument. A struct type
// with such a tag would not pass vet.
func TestInvalidTags(t *testing.T) {
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
			`argument "x": json tag of field A has the unknown option " omitempty"; did you mean "omitempty"?`,
			`member "x": json tag of field A has the unknown option " omitempty"; did you mean "omitempty"?`},
		{[]reflect.StructField{field("A", ""), field("b", `json:"y"`)},
			`argument "y": field b has a json tag, but is not exported; export the field, or remove the tag`,
			`member "y": field b has a json tag, but is not exported; export the field, or remove the tag`},
		{[]reflect.StructField{field("A", `json:"x"`), field("B", `json:"x"`)},
			`argument "x": two fields have this name; rename one of them in the json tag`,
			`member "x": two fields have this name; rename one of them in the json tag`},
		{[]reflect.StructField{field("A", `json:"B"`), field("B", "")},
			`argument "B": two fields have this name; rename one of them in the json tag`,
			`member "B": two fields have this name; rename one of them in the json tag`},
	} {
		typ := reflect.StructOf(c.fields)
		errs := infer(typ).errs
		if assert.Len(t, errs, 1) {
			assert.EqualError(t, errs[0], c.argument)
		}
		_, err := schemaOf(typ)
		assert.EqualError(t, err, c.inside)
	}
}
