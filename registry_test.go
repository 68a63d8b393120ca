package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// bare prompts differ in nothing but their names and descriptions.
func barePrompt(name, description string) prompts.Prompt {
	return prompts.Prompt{Name: name, Description: description, Render: servertest.Nothing}
}

func namesOf(r *prompts.Registry) []string {
	var names []string
	for p := range r.All() {
		names = append(names, p.Name)
	}
	return names
}

// The order is that of the names, byte by byte (GAP-43).
func TestRegistryOrder(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	names := []string{"b", "a", "B", "é", "ab", "a b", "a-b", "a/b", "\U0001F600", "\uFFFD", "z", "a.b", "10", "9"}
	for _, name := range names {
		require.NoError(t, r.Add(barePrompt(name, "")))
	}
	slices.Sort(names)
	assert.Equal(t, names, namesOf(&r))
	assert.Equal(t, len(names), r.Len())
	for p := range r.All() {
		assert.Equal(t, "10", p.Name)
		break
	}
	assert.True(t, r.Remove("a"))
	assert.False(t, r.Remove("a"))
	assert.Equal(t, len(names)-1, r.Len())

	// An iteration goes on with what it began with.
	var seen []string
	for p := range r.All() {
		seen = append(seen, p.Name)
		r.Remove("z")
		require.NoError(t, r.Set(barePrompt("zz", "")))
	}
	assert.Contains(t, seen, "z")
	assert.NotContains(t, seen, "zz")
}

// Subscribers are told once of each change that has an effect, and of no
// other; what is pending is one message, however many changes there were.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	changed, cancel := servertest.Signals(r.OnChange)
	other, cancelOther := servertest.Signals(r.OnChange)
	defer cancelOther()
	told := func() int {
		n := len(changed)
		for range n {
			<-changed
		}
		assert.Len(t, other, n)
		for range n {
			<-other
		}
		return n
	}
	failed := errors.New("failed")
	for _, c := range []struct {
		name string
		do   func()
		want int
	}{
		{"nothing", func() {}, 0},
		{"Add", func() { _ = r.Add(barePrompt("a", "")) }, 1},
		{"Add of several", func() { _ = r.Add(barePrompt("b", ""), barePrompt("c", "")) }, 1},
		{"Add of none", func() { _ = r.Add() }, 0},
		{"Add of a taken name", func() { _ = r.Add(barePrompt("z", ""), barePrompt("a", "")) }, 0},
		{"Add of a bad prompt", func() { _ = r.Add(prompts.Prompt{}) }, 0},
		{"Set", func() { _ = r.Set(barePrompt("a", "new")) }, 1},
		{"Set of none", func() { _ = r.Set() }, 0},
		{"Set of a bad prompt", func() { _ = r.Set(prompts.Prompt{Name: "a"}) }, 0},
		{"Remove", func() { r.Remove("c") }, 1},
		{"Remove of an absent one", func() { r.Remove("c") }, 0},
		{"Update", func() {
			_ = r.Update(func(tx *prompts.Tx) error {
				tx.Remove("b")
				return errors.Join(tx.Add(barePrompt("d", "")), tx.Set(barePrompt("e", "")))
			})
		}, 1},
		{"Update without a change", func() {
			_ = r.Update(func(tx *prompts.Tx) error {
				tx.Remove("absent")
				_ = tx.Add(prompts.Prompt{})
				_, _ = tx.Lookup("d")
				return nil
			})
		}, 0},
		{"Update that fails", func() {
			_ = r.Update(func(tx *prompts.Tx) error { tx.Remove("d"); return failed })
		}, 0},
		{"Update that panics", func() {
			assert.Panics(t, func() { _ = r.Update(func(tx *prompts.Tx) error { tx.Remove("d"); panic("x") }) })
		}, 0},
		{"Notify, although no prompt has changed", r.Notify, 1},
		{"Lookup", func() { r.Lookup("d"); r.Len(); namesOf(&r) }, 0},
		{"many", func() {
			for i := range 100 {
				_ = r.Set(barePrompt(fmt.Sprint(i), ""))
			}
		}, 1},
	} {
		c.do()
		assert.Equal(t, c.want, told(), c.name)
	}

	_ = r.Set(barePrompt("a", ""))
	cancel()
	cancel()
	<-changed // what is pending stays
	_ = r.Set(barePrompt("a", ""))
	assert.Empty(t, changed)
	assert.Len(t, other, 1)
}

// A Tx is good until Update returns, however that ends.
func TestTxEnds(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	require.NoError(t, r.Add(barePrompt("a", "")))
	for _, end := range []func() error{func() error { return nil }, func() error { return errors.New("x") }, func() error { panic("x") }} {
		var kept *prompts.Tx
		func() {
			defer func() { _ = recover() }()
			_ = r.Update(func(tx *prompts.Tx) error { kept = tx; return end() })
		}()
		assert.Panics(t, func() { _ = kept.Add(barePrompt("b", "")) })
		assert.Panics(t, func() { _ = kept.Set(barePrompt("b", "")) })
		assert.Panics(t, func() { kept.Remove("a") })
		assert.Panics(t, func() { kept.Lookup("a") })
	}
	assert.Equal(t, []string{"a"}, namesOf(&r))
}

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
	p := servertest.PromptOf[In](arguments...)
	p.Name = name
	return p
}

// Goroutines may add prompts of a type that is new to the server, recursive and generic
// types included.
func TestAddConcurrently(t *testing.T) {
	t.Parallel()
	type fresh struct {
		A reviewArguments   `json:"a"`
		B pair[string, int] `json:"b"`
		C []string          `json:"c,omitempty"`
	}
	r := new(prompts.Registry)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 20 {
				at := fmt.Sprintf("%d_%02d", i, j)
				assert.NoError(t, r.Add(
					named[fresh]("fresh_"+at),
					named[fresh]("titled_"+at, prompts.Argument{Name: "c", Title: at}),
					named[Loop]("loop_"+at),
					named[pair[int, *fresh]]("pair_"+at),
				))
				assert.ErrorContains(t, r.Add(named[branch]("branch_"+at)), "recursive type")
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 4*20*4, r.Len())
	for p := range r.All() {
		if name, at, _ := strings.Cut(p.Name, "_"); name == "titled" {
			assert.Equal(t, at, p.Arguments[2].Title)
		} else if name == "fresh" {
			assert.Empty(t, p.Arguments[2].Title)
		}
	}
}

// A follower that has nothing to do once the change has taken effect returns no commit.
func TestFollowWithoutCommit(t *testing.T) {
	t.Parallel()
	reg := servertest.RegistryOf(servertest.TextPrompt("a", ""))
	var seen []string
	err := promptfeature.Follow(reg, func(changes []call.Change[prompts.Prompt]) (func(), error) {
		for _, c := range changes {
			seen = append(seen, c.Name)
		}
		return nil, nil
	})
	require.NoError(t, err)
	changed, cancel := servertest.Signals(reg.OnChange)
	defer cancel()
	reg.MustAdd(servertest.TextPrompt("b", ""))
	assert.Equal(t, []string{"a", "b"}, seen)
	assert.Len(t, changed, 1)
}

func TestDoc(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	assert.Equal(t, "| Prompt | Argument | Required | Description |\n|---|---|---|---|\n", prompts.MarkdownTable(&reg))
	render := func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }
	require.NoError(t, reg.Add(
		prompts.Prompt{Name: "b", Render: render},
		prompts.Prompt{
			Name: "a|`x", Title: "Title", Description: "One *line*\r\n\n and <another>\n", Version: "1.0", Render: render,
			Arguments: []prompts.Argument{
				{Name: "code_text", Title: "The code", Description: "a snake_case _word_ & a | pipe", Required: true},
				{Name: "language", Enum: []string{"go", "c|c++"}},
				{Name: "other"},
			},
		},
		prompts.Prompt{Name: "c", DisableHints: true, Arguments: []prompts.Argument{{Name: "n", Description: `\[x]~`, Enum: []string{"a"}}}, Render: render},
	))
	assert.Equal(t, `| Prompt | Argument | Required | Description |
|---|---|---|---|
| `+"``a\\|`x``"+` 1.0 | | | **Title**<br>One \*line\*<br>and \<another\> |
| | `+"`code_text`"+` | yes | The code: a snake_case \_word\_ \& a \| pipe |
| | `+"`language`"+` | | one of: go, c\|c++ |
| | `+"`other`"+` | | |
| `+"`b`"+` | | | |
| `+"`c`"+` | | | |
| | `+"`n`"+` | | \\\[x\]\~ |
`, prompts.MarkdownTable(&reg))
}

// Merge adds what another registry has, compiled once, and replaces prompts of the same
// names.
func TestMerge(t *testing.T) {
	rendered := 0
	shared := prompts.Prompt{
		Name: "b", Description: "new", Cache: prompts.Cache{TTL: time.Hour},
		Arguments: []prompts.Argument{{Name: "x", Schema: &jsonschema.Schema{Enum: []any{"1", "2"}}}},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			rendered++
			return prompts.Messages(prompts.User("hello")), nil
		},
	}
	source, r := servertest.RegistryOf(shared, barePrompt("c", "")), servertest.RegistryOf(barePrompt("a", ""), barePrompt("b", "old"))
	var seen []string
	err := promptfeature.Follow(r, func(changes []call.Change[prompts.Prompt]) (func(), error) {
		for _, c := range changes {
			seen = append(seen, c.Name+c.Prompt.Description)
		}
		return nil, nil
	})
	require.NoError(t, err)
	changed, cancel := servertest.Signals(r.OnChange)
	defer cancel()
	require.NoError(t, r.Update(func(tx *prompts.Tx) error {
		tx.Merge(source)
		tx.Merge(new(prompts.Registry)) // which has none
		p, _ := tx.Lookup("b")
		assert.Equal(t, "new", p.Description)
		return nil
	}))
	<-changed
	assert.Equal(t, []string{"a", "bold", "bnew", "c"}, seen)
	assert.Equal(t, 3, r.Len())

	source.Remove("b") // which the other registry keeps
	s := prompts.MustNewServer(r, prompts.Options{})
	for range 2 {
		result, _ := servertest.Call(t, s, "prompts/get", `{"name":"b"}`)
		assert.Contains(t, result, "hello")
	}
	assert.Equal(t, 1, rendered)

	require.Error(t, r.Update(func(tx *prompts.Tx) error {
		tx.Merge(servertest.RegistryOf(barePrompt("d", "")))
		return errors.New("no")
	}))
	assert.Equal(t, 3, r.Len())
	allocations := testing.AllocsPerRun(100, func() {
		_ = r.Update(func(tx *prompts.Tx) error { tx.Merge(source); return nil })
	})
	if !servertest.RaceEnabled {
		assert.LessOrEqual(t, allocations, 25.0)
	}
	var after *prompts.Tx
	_ = r.Update(func(tx *prompts.Tx) error { after = tx; return nil })
	assert.Panics(t, func() { after.Merge(source) })
}
