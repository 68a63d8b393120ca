package prompts_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// naive is a model of a registry: descriptions by name.
type naive map[string]string

// contents returns what a registry has, as a naive one.
func contents(t testing.TB, r *prompts.Registry) naive {
	t.Helper()
	all := naive{}
	last := ""
	for p := range r.All() {
		if p.Name <= last {
			t.Errorf("%q comes after %q", p.Name, last)
		}
		last = p.Name
		all[p.Name] = p.Description
	}
	return all
}

// step does one thing at random to a registry and, if it is to have an effect,
// the same to the model. It holds what the registry returns to the model.
func (m naive) step(t testing.TB, random *rand.Rand, r *prompts.Registry, description string) naive {
	t.Helper()
	name := func() string { return fmt.Sprintf("n%02d", random.IntN(40)) }
	some := func() (ps []prompts.Prompt) {
		for range random.IntN(4) {
			ps = append(ps, barePrompt(name(), description))
		}
		return ps
	}
	next := maps.Clone(m)
	// put is Add, or Set, of the registry or of a Tx.
	put := func(replace bool, ps []prompts.Prompt, err error) {
		after := maps.Clone(next)
		taken := false
		for _, p := range ps {
			_, had := after[p.Name]
			taken = taken || had
			after[p.Name] = description
		}
		if replace || !taken {
			assert.NoError(t, err)
			next = after
		} else {
			assert.ErrorIs(t, err, prompts.ErrExists)
		}
	}
	remove := func(name string, removed bool) {
		_, had := next[name]
		assert.Equal(t, had, removed)
		delete(next, name)
	}
	lookup := func(name string, p prompts.Prompt, ok bool) {
		want, had := next[name]
		assert.Equal(t, had, ok)
		assert.Equal(t, want, p.Description)
	}
	switch random.IntN(10) {
	case 0, 1:
		ps := some()
		put(false, ps, r.Add(ps...))
	case 2, 3:
		ps := some()
		put(true, ps, r.Set(ps...))
	case 4:
		n := name()
		remove(n, r.Remove(n))
	case 5:
		n := name()
		p, ok := r.Lookup(n)
		lookup(n, p, ok)
	default:
		ending := random.IntN(5)
		failed := errors.New("failed")
		var err error
		ended := make(chan any)
		go func() { // which the function may end
			defer func() { ended <- recover() }()
			err = r.Update(func(tx *prompts.Tx) error {
				for range random.IntN(8) {
					switch n := name(); random.IntN(4) {
					case 0:
						ps := some()
						put(false, ps, tx.Add(ps...))
					case 1:
						ps := some()
						put(true, ps, tx.Set(ps...))
					case 2:
						remove(n, tx.Remove(n))
					case 3:
						p, ok := tx.Lookup(n)
						lookup(n, p, ok)
					}
				}
				switch ending {
				case 0:
					return failed
				case 1:
					panic(failed)
				case 2:
					runtime.Goexit()
				}
				return nil
			})
		}()
		panicked := <-ended
		switch ending {
		case 0:
			assert.Equal(t, failed, err)
		case 1:
			assert.Equal(t, failed, panicked)
		default:
			assert.NoError(t, err)
		}
		if ending < 3 {
			return m
		}
	}
	return next
}

// What Add, Set, Remove, Lookup and Update return, whatever the function of an
// Update does in the end, is what they would of a plain map.
func TestRegistryAgainstAMap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 6))
			var r prompts.Registry
			model := naive{}
			for i := range 3000 {
				model = model.step(t, random, &r, fmt.Sprint(i))
				if i%3 == 0 { // not always: changes collect until somebody reads
					require.Equal(t, len(model), r.Len(), "step %d", i)
				}
				if i%20 == 0 {
					require.Equal(t, model, contents(t, &r), "step %d", i)
				}
			}
		})
	}
}

// Reads are linearizable: while one goroutine changes the registry, each read
// of others is of a state that was the registry's at some time between its
// beginning and its end, and none is of an older state than the one before.
func TestReadsAreLinearizable(t *testing.T) {
	t.Parallel()
	const steps = 2000
	random := rand.New(rand.NewPCG(1, 6))
	var r prompts.Registry
	states := make([]naive, steps+1) // after each step; written before begun says so
	states[0] = naive{}
	var begun, done atomic.Int64 // steps

	var readers sync.WaitGroup
	for reader := range 4 {
		readers.Go(func() {
			own := rand.New(rand.NewPCG(uint64(reader), 7))
			oldest := int64(0)
			for reads := 0; done.Load() < steps || reads < 100; reads++ {
				from := max(oldest, done.Load())
				var matches func(naive) bool
				what := "All"
				switch own.IntN(3) {
				case 0:
					got := contents(t, &r)
					matches = func(m naive) bool { return maps.Equal(m, got) }
				case 1:
					n := fmt.Sprintf("n%02d", own.IntN(40))
					p, ok := r.Lookup(n)
					what = "Lookup of " + n
					matches = func(m naive) bool { want, had := m[n]; return had == ok && want == p.Description }
				case 2:
					n := r.Len()
					what = "Len"
					matches = func(m naive) bool { return len(m) == n }
				}
				to := begun.Load()
				for from <= to && !matches(states[from]) {
					from++
				}
				if from > to {
					t.Errorf("%s: no state from step %d to %d is the one that was read", what, done.Load(), to)
					return
				}
				oldest = from
			}
		})
	}

	model := naive{}
	twin := new(prompts.Registry) // tells what a step will come to
	for i := range steps {
		seed := random.Uint64()
		description := fmt.Sprint(i)
		model = model.step(t, rand.New(rand.NewPCG(seed, 0)), twin, description)
		states[i+1] = model
		begun.Store(int64(i + 1))
		states[i].step(t, rand.New(rand.NewPCG(seed, 0)), &r, description)
		done.Store(int64(i + 1))
	}
	readers.Wait()
}

// A subscriber that receives a signal sees the change.
func TestSubscriberSeesEachSignaledChange(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	changed, cancel := servertest.Signals(r.OnChange)
	defer cancel()
	for i := range 1000 {
		version := fmt.Sprint(i)
		go func() { assert.NoError(t, r.Set(barePrompt("p", version))) }()
		<-changed
		p, _ := r.Lookup("p")
		require.Equal(t, version, p.Description)
	}
}
