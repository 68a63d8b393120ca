package prompts_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

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

func named[In any](name string, arguments ...prompts.Argument) prompts.Prompt {
	p := promptOf[In](arguments...)
	p.Name = name
	return p
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
		named[in]("colors", prompts.Argument{Name: "color", Title: "Color", Schema: prompts.Enum("red")}),
		named[in]("sizes", prompts.Argument{Name: "size", Description: "how large", Schema: &jsonschema.Schema{Maximum: jsonschema.Ptr(9.0), Default: []byte("3")}}),
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
		_, rows, _ := strings.Cut(prompts.Doc(r), "|---|---|---|---|\n")
		assert.Equal(t, want, rows)
	}
	check()
	spoil := func(p prompts.Prompt) {
		require.Len(t, p.Arguments, 2)
		assert.Equal(t, "string integer", p.Arguments[0].Schema.Type+" "+p.Arguments[1].Schema.Type)
		for i := range p.Arguments {
			p.Arguments[i].Schema.Enum = []any{"spoilt"}
			p.Arguments[i].Schema.Type = "boolean"
			p.Arguments[i] = prompts.Argument{Name: "spoilt"}
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
	_, e := callGet(t, storing(&got), `{"color":"blue","size":"10"}`, prompts.Options{})
	assert.Nil(t, e, "neither the enum nor the maximum of the others")
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
	r := new(prompts.Registry)
	var wg sync.WaitGroup
	const each = 20
	for i := range 4 {
		wg.Go(func() {
			for j := range each {
				at := fmt.Sprintf("%d_%02d", i, j)
				assert.NoError(t, r.Add(
					named[fresh]("fresh_"+at),
					named[fresh]("completed_"+at, prompts.Argument{Name: "c", Title: at}),
					named[Loop]("loop_"+at),
					named[pair[int, *fresh]]("pair_"+at),
					prompts.Prompt{Name: "data_" + at, Arguments: []prompts.Argument{{Name: "a"}}, Render: untyped().Render},
				))
				err := r.Add(named[branch]("branch_" + at))
				assert.ErrorContains(t, err, "branch_"+at)
				assert.ErrorContains(t, err, "holds itself")
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 4*each*5, r.Len())
	for p := range r.All() {
		if at, ok := strings.CutPrefix(p.Name, "completed_"); ok {
			assert.Equal(t, at, p.Arguments[2].Title)
		} else if strings.HasPrefix(p.Name, "fresh_") {
			assert.Empty(t, p.Arguments[2].Title)
		}
	}
}
