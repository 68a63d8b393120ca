package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// bare prompts differ in nothing but their names and descriptions.
func barePrompt(name, description string) prompts.Prompt {
	return prompts.Prompt{Name: name, Description: description, Render: nothing}
}

func namesOf(r *prompts.Registry) []string {
	var names []string
	for p := range r.All() {
		names = append(names, p.Name)
	}
	return names
}

func TestRegistryZero(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	assert.Zero(t, r.Len())
	assert.Empty(t, namesOf(&r))
	_, ok := r.Lookup("a")
	assert.False(t, ok)
	assert.False(t, r.Remove("a"))
	assert.NoError(t, r.Update(func(*prompts.Tx) error { return nil }))
	assert.Equal(t, `{"prompts":[]}`, callList(t, &r))
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
	changed, cancel := r.Subscribe()
	other, cancelOther := r.Subscribe()
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

// A subscription that nobody reads holds up nothing, and one that is
// cancelled is forgotten.
func TestSubscriptionsAreForgotten(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	for range 100 {
		_, cancel := r.Subscribe()
		defer cancel()
		_, gone := r.Subscribe()
		gone()
	}
	assert.Equal(t, 100, r.Subscribers())
	for i := range 10 {
		require.NoError(t, r.Set(barePrompt(fmt.Sprint(i), "")))
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	require.NoError(t, r.Add(barePrompt("a", "1"), barePrompt("b", "1")))

	// A Tx sees its own changes; readers see none of them before it is done.
	require.NoError(t, r.Update(func(tx *prompts.Tx) error {
		assert.True(t, tx.Remove("a"))
		assert.False(t, tx.Remove("a"))
		_, ok := tx.Lookup("a")
		assert.False(t, ok)
		assert.NoError(t, tx.Add(barePrompt("a", "2"), barePrompt("c", "2")))
		assert.ErrorIs(t, tx.Add(barePrompt("d", ""), barePrompt("c", "")), prompts.ErrExists)
		_, ok = tx.Lookup("d")
		assert.False(t, ok, "all or nothing")
		assert.NoError(t, tx.Set(barePrompt("b", "2")))
		p, _ := tx.Lookup("b")
		assert.Equal(t, "2", p.Description)

		assert.Equal(t, []string{"a", "b"}, namesOf(&r))
		p, _ = r.Lookup("b")
		assert.Equal(t, "1", p.Description)
		return nil
	}))
	assert.Equal(t, []string{"a", "b", "c"}, namesOf(&r))

	// Nothing is changed by one that fails or panics, and the next one works.
	before := callList(t, &r)
	failed := errors.New("failed")
	spoil := func(tx *prompts.Tx) {
		tx.Remove("a")
		_ = tx.Set(barePrompt("b", "spoiled"), barePrompt("z", ""))
	}
	assert.Equal(t, failed, r.Update(func(tx *prompts.Tx) error { spoil(tx); return failed }))
	assert.Equal(t, before, callList(t, &r))
	assert.PanicsWithValue(t, "a panic", func() { _ = r.Update(func(tx *prompts.Tx) error { spoil(tx); panic("a panic") }) })
	assert.Equal(t, before, callList(t, &r))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = r.Update(func(tx *prompts.Tx) error { spoil(tx); runtime.Goexit(); return nil })
	}()
	<-done
	assert.Equal(t, before, callList(t, &r))
	assert.NoError(t, r.Update(func(tx *prompts.Tx) error { return tx.Add(barePrompt("after", "")) }))
	assert.Equal(t, 4, r.Len())
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

// Changes by other goroutines wait for an Update, and readers do not.
func TestUpdateHoldsOthersOff(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	require.NoError(t, r.Add(barePrompt("a", "")))
	var order []string // by whoever holds the registry
	var others sync.WaitGroup
	require.NoError(t, r.Update(func(tx *prompts.Tx) error {
		for i := range 8 {
			others.Go(func() {
				assert.NoError(t, r.Update(func(tx *prompts.Tx) error {
					order = append(order, "other")
					return tx.Add(barePrompt(fmt.Sprintf("c%d", i), ""))
				}))
			})
			others.Go(func() { assert.NoError(t, r.Set(barePrompt("d", ""))) })
			others.Go(func() { assert.False(t, r.Remove("absent")) })
		}
		for range 1000 {
			runtime.Gosched()
		}
		assert.Equal(t, []string{"a"}, namesOf(&r))
		assert.Equal(t, 1, r.Len())
		order = append(order, "update")
		return tx.Add(barePrompt("b", ""))
	}))
	others.Wait()
	assert.Equal(t, append([]string{"update"}, slices.Repeat([]string{"other"}, 8)...), order)
	assert.Equal(t, 11, r.Len())
}

// Readers never see half an Update, however many there are.
func TestUpdateIsAtomic(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	srv := prompts.NewServer(&r, prompts.Options{})
	set := func(version int) error {
		return r.Update(func(tx *prompts.Tx) error {
			for i := range 20 {
				name := fmt.Sprintf("p%02d", i)
				if (i+version)%3 == 0 {
					tx.Remove(name)
					continue
				}
				if err := tx.Set(barePrompt(name, fmt.Sprintf("<%d>", version))); err != nil {
					return err
				}
			}
			return tx.Set(barePrompt("q", fmt.Sprintf("<%d>", version)))
		})
	}
	require.NoError(t, set(0))
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				versions := map[string]bool{}
				var names []string
				for p := range r.All() {
					versions[p.Description] = true
					names = append(names, p.Name)
				}
				assert.Len(t, versions, 1)
				assert.True(t, slices.IsSorted(names))

				list, err := srv.Call(context.Background(), "prompts/list", nil, prompts.CallOptions{})
				assert.NoError(t, err)
				seen := map[string]bool{}
				for part := range strings.SplitSeq(string(list), `"description":"`) {
					version, _, _ := strings.Cut(part, `"`)
					seen[version] = true
				}
				assert.LessOrEqual(t, len(seen), 2) // what is before the first, and the one
			}
		})
	}
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			for i := range 150 {
				assert.NoError(t, set(1+2*i+w))
			}
		})
	}
	writers.Wait()
	stop.Store(true)
	wg.Wait()
}

// Any sequence of changes leaves what a plain map would have; pages that are
// walked meanwhile repeat no prompt and miss none that stays (GAP-23).
func TestRegistryModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 2))
			var r prompts.Registry
			model := map[string]string{}
			w := newWalk(t, &r, 1+random.IntN(7))
			changed, cancel := r.Subscribe()
			defer cancel()
			name := func() string { return fmt.Sprintf("n%02d", random.IntN(60)) }
			for step := range 1500 {
				description := fmt.Sprint(step)
				effect := true
				next := maps.Clone(model)
				switch random.IntN(6) {
				case 0:
					n := name()
					_, taken := next[n]
					err := r.Add(barePrompt(n, description))
					assert.Equal(t, taken, errors.Is(err, prompts.ErrExists))
					if effect = !taken; effect {
						next[n] = description
					}
				case 1:
					n, m := name(), name()
					require.NoError(t, r.Set(barePrompt(n, description), barePrompt(m, description)))
					next[n], next[m] = description, description
				case 2, 3:
					n := name()
					_, effect = next[n]
					assert.Equal(t, effect, r.Remove(n))
					delete(next, n)
				case 4:
					fail := random.IntN(3) == 0
					err := r.Update(func(tx *prompts.Tx) error {
						effect = false
						for range random.IntN(10) {
							n := name()
							if random.IntN(2) == 0 {
								_, had := next[n]
								assert.Equal(t, had, tx.Remove(n))
								effect = effect || had
								delete(next, n)
								continue
							}
							effect = true
							require.NoError(t, tx.Set(barePrompt(n, description)))
							next[n] = description
						}
						if fail {
							return errors.New("failed")
						}
						return nil
					})
					require.Equal(t, fail, err != nil)
					if fail {
						next, effect = maps.Clone(model), false
					}
				case 5:
					effect = false
					w.page(model)
				}
				w.note(model, next)
				model = next
				require.Equal(t, effect, len(changed) == 1, "step %d", step)
				if effect {
					<-changed
				}
				require.Equal(t, len(model), r.Len())
				if step%50 == 0 {
					require.Equal(t, slices.Sorted(maps.Keys(model)), namesOf(&r))
					for p := range r.All() {
						require.Equal(t, model[p.Name], p.Description)
					}
				}
			}
			assert.Greater(t, w.walks, 3)
		})
	}
}

// walk walks through the pages of a registry that changes meanwhile.
type walk struct {
	t      *testing.T
	srv    *prompts.Server
	size   int
	cursor string
	walks  int

	stayed map[string]bool // since the walk began
	seen   map[string]bool
	last   string
}

func newWalk(t *testing.T, r *prompts.Registry, size int) *walk {
	return &walk{t: t, size: size, srv: prompts.NewServer(r, prompts.Options{PageSize: size})}
}

// note notes what a change has removed.
func (w *walk) note(before, after map[string]string) {
	for n := range before {
		if _, ok := after[n]; !ok {
			delete(w.stayed, n)
		}
	}
}

// page gets the next page and holds it to the model.
func (w *walk) page(model map[string]string) {
	params := json.RawMessage(`{}`)
	if w.cursor == "" {
		w.seen, w.stayed, w.last = map[string]bool{}, map[string]bool{}, ""
		for n := range model {
			w.stayed[n] = true
		}
	} else {
		params = json.RawMessage(`{"cursor":` + jsonText(w.cursor) + `}`)
	}
	raw, err := w.srv.Call(context.Background(), "prompts/list", params, prompts.CallOptions{})
	require.NoError(w.t, err)
	var page struct {
		Prompts    []struct{ Name, Description string }
		NextCursor *string
	}
	require.NoError(w.t, json.Unmarshal(raw, &page))
	assert.LessOrEqual(w.t, len(page.Prompts), w.size)
	for _, p := range page.Prompts {
		assert.False(w.t, w.seen[p.Name], "%s is repeated", p.Name)
		assert.Greater(w.t, p.Name, w.last)
		assert.Equal(w.t, model[p.Name], p.Description)
		w.seen[p.Name], w.last = true, p.Name
	}
	if page.NextCursor != nil {
		assert.NotEmpty(w.t, page.Prompts)
		w.cursor = *page.NextCursor
		return
	}
	for n := range w.stayed {
		assert.True(w.t, w.seen[n], "%s is missed", n)
	}
	w.cursor = ""
	w.walks++
}
