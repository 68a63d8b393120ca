package prompts

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func titled(title string) *jsonschema.Schema { return &jsonschema.Schema{Title: title} }

type (
	// pair is a generic type, of which each instance is a type of its own.
	pair[K, V any] struct {
		Key   K `json:"key" jsonschema:"what to look up"`
		Value V `json:"value,omitempty"`
	}
	// branch is a recursive one, which is a fault.
	branch struct {
		Name string  `json:"name"`
		Next *branch `json:"next,omitempty"`
	}
)

func named[In any](name string, arguments ...Argument) Prompt {
	p := promptOf[In](arguments...)
	p.Name = name
	return p
}

// All prompts of one type that list no arguments have one plan, and prompts
// that list some have their own.
func TestPlansAreShared(t *testing.T) {
	t.Parallel()
	type in struct {
		A string `json:"a"`
		B int    `json:"b,omitempty"`
	}
	plain := compiled(t, promptOf[in]())
	assert.Same(t, plain.plan, compiled(t, promptOf[in]()).plan)
	listed := compiled(t, promptOf[in](Argument{Name: "a", Schema: Enum("x")}))
	assert.NotSame(t, plain.plan, listed.plan)
	assert.Same(t, compiled(t, promptOf[pair[string, int]]()).plan, compiled(t, promptOf[pair[string, int]]()).plan)
	assert.NotSame(t, compiled(t, promptOf[pair[string, int]]()).plan, compiled(t, promptOf[pair[int, string]]()).plan)
	value := func(p Prompt) *value { return compiled(t, p).plan.arguments[0].value }
	assert.Same(t, value(untyped(Argument{Name: "a"})), value(untyped(Argument{Name: "b", Required: true})))
	assert.NotSame(t, value(untyped(Argument{Name: "a"})), value(untyped(Argument{Name: "a", Schema: Enum("x")})))
}

// What one prompt lists, and what is done to a prompt that was handed out,
// shows in no other prompt of the type.
func TestPromptsOfATypeAreApart(t *testing.T) {
	t.Parallel()
	type in struct {
		Color string `json:"color" jsonschema:"which color"`
		Size  int    `json:"size,omitempty"`
	}
	r := registryOf(
		named[in]("plain"),
		named[in]("colors", Argument{Name: "color", Title: "Color", Schema: Enum("red")}),
		named[in]("sizes", Argument{Name: "size", Description: "how large", Schema: &jsonschema.Schema{Maximum: jsonschema.Ptr(9.0), Default: []byte("3")}}),
		named[in]("again"),
	)
	const want = "| `again` | | | |\n" +
		"| | `color` | yes | which color |\n" +
		"| | `size` | | an integer |\n" +
		"| `colors` | | | |\n" +
		"| | `color` | yes | Color: which color (one of: red) |\n" +
		"| | `size` | | an integer |\n" +
		"| `plain` | | | |\n" +
		"| | `color` | yes | which color |\n" +
		"| | `size` | | an integer |\n" +
		"| `sizes` | | | |\n" +
		"| | `color` | yes | which color |\n" +
		"| | `size` | | how large (an integer, at most 9; default 3) |\n"
	check := func() {
		t.Helper()
		_, rows, _ := strings.Cut(Doc(r), "|---|---|---|---|\n")
		assert.Equal(t, want, rows)
	}
	check()
	spoil := func(p Prompt) {
		require.Len(t, p.Arguments, 2)
		assert.Equal(t, "string integer", p.Arguments[0].Schema.Type+" "+p.Arguments[1].Schema.Type)
		for i := range p.Arguments {
			p.Arguments[i].Schema.Enum = []any{"spoilt"}
			p.Arguments[i].Schema.Type = "boolean"
			p.Arguments[i] = Argument{Name: "spoilt"}
		}
	}
	for p := range r.All() {
		spoil(p)
	}
	for _, name := range []string{"again", "colors", "plain", "sizes"} {
		p, ok := r.Lookup(name)
		require.True(t, ok)
		assert.Equal(t, "color size", p.Arguments[0].Name+" "+p.Arguments[1].Name)
		spoil(p)
	}
	check()
	require.NoError(t, r.Set(named[in]("again")))
	check()
	var got in
	d := compiled(t, typed(&got))
	_, problems := d.bind([]given{{text: "blue", ok: true}, {text: "10", ok: true}})
	assert.Empty(t, problems, "neither the enum nor the maximum of the others")
}

// Any number of goroutines may add prompts of a type that nobody has added
// before, recursive and generic ones included.
func TestAddConcurrently(t *testing.T) {
	t.Parallel()
	type fresh struct {
		A reviewArguments   `json:"a"`
		B pair[string, int] `json:"b"`
		C []string          `json:"c,omitempty"`
	}
	r := new(Registry)
	var wg sync.WaitGroup
	const each = 20
	for i := range 4 {
		wg.Go(func() {
			for j := range each {
				at := fmt.Sprintf("%d_%02d", i, j)
				assert.NoError(t, r.Add(
					named[fresh]("fresh_"+at),
					named[fresh]("completed_"+at, Argument{Name: "c", Title: at}),
					named[Loop]("loop_"+at),
					named[pair[int, *fresh]]("pair_"+at),
					Prompt{Name: "data_" + at, Arguments: []Argument{{Name: "a"}}, Render: untyped().Render},
				))
				err := r.Add(named[branch]("branch_" + at))
				assert.ErrorContains(t, err, "branch_"+at)
				assert.ErrorContains(t, err, "holds itself")
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 4*each*5, r.Len())
	for name, d := range r.snapshot().All() {
		if at, ok := strings.CutPrefix(name, "completed_"); ok {
			assert.Equal(t, at, d.plan.arguments[2].Title)
		} else if strings.HasPrefix(name, "fresh_") {
			assert.Empty(t, d.plan.arguments[2].Title)
		}
	}
}

// A duplicate is found among many arguments as among few, and does not hide
// what comes after it.
func TestArgumentsDeclaredTwice(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, linear, linear + 1, 100} {
		var arguments []Argument
		for i := range n {
			arguments = append(arguments, Argument{Name: fmt.Sprintf("a%d", i)})
		}
		d := compiled(t, untyped(arguments...))
		for i, a := range arguments {
			assert.Equal(t, i, d.plan.find(a.Name))
		}
		assert.Equal(t, -1, d.plan.find("b"))
		_, err := compile(untyped(append(arguments, arguments[n-1], Argument{})...))
		assert.EqualError(t, err, fmt.Sprintf("prompt \"p\": argument \"a%d\": declared twice\nprompt \"p\": argument \"\": it has no name", n-1))
	}
}
