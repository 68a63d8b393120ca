package prompts

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What it takes to add a prompt whose type is known: its definition and its
// entry, and of the registry the nodes that are replaced.
func TestAllocationsOfAdding(t *testing.T) {
	constrained := func(i int) Prompt {
		p := benchPrompt(i)
		p.Arguments = []Argument{{Name: "language", Title: "Language"}}
		return p
	}
	for _, test := range []struct {
		name          string
		declare       func(int) Prompt
		compile, most float64
	}{
		{"of a struct", benchPrompt, 2, 14},
		{"of a struct, completed", constrained, 6, 18},
		{"without a struct", dataPrompt, 4, 16},
	} {
		r := registryOf(manyPrompts(1000)...)
		p := test.declare(1001)
		compiling := testing.AllocsPerRun(100, func() {
			if _, err := compile(p); err != nil {
				t.Error(err)
			}
		})
		adding := testing.AllocsPerRun(100, func() {
			if err := r.Set(p); err != nil {
				t.Error(err)
			}
		})
		if !RaceEnabled { // the race detector allocates, and drops what is pooled
			assert.LessOrEqual(t, compiling, test.compile, test.name)
			assert.LessOrEqual(t, adding, test.most, test.name)
		}
	}
}

// A registry holds of each prompt what it is declared with, its encoded entry
// once, and little beside them.
func TestBytesOfAPrompt(t *testing.T) {
	const n = 10_000
	for _, test := range []struct {
		name    string
		declare func(int) []Prompt
		most    float64 // a fifth more than what was measured, which is 570 and 890
	}{
		{"of a struct", manyPrompts, 690},
		{"without a struct", manyData, 1070},
	} {
		registryOf(test.declare(1)...) // what their type declares is kept for ever
		all := test.declare(n)
		before := heapInUse()
		r := registryOf(all...)
		held := (heapInUse() - before) / n
		runtime.KeepAlive(all) // whose texts the registry shares
		runtime.KeepAlive(r)
		assert.Less(t, held, test.most, test.name)
		assert.Greater(t, held, 200.0, "%s: it has been measured at all", test.name)
	}
}

func heapInUse() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what finalizers and pools have kept
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// The shapes of an entry that are not encoded because they are equal to
// another are what encoding them gives.
func TestListedIsWhatEncodingGives(t *testing.T) {
	t.Parallel()
	type in struct {
		A string `json:"a"`
	}
	set := map[string]func(*Prompt){
		"title":          func(p *Prompt) { p.Title = "T" },
		"version":        func(p *Prompt) { p.Version = "1" },
		"meta":           func(p *Prompt) { p.Meta = Meta{"k": "v"} },
		"empty meta":     func(p *Prompt) { p.Meta = Meta{} },
		"icons":          func(p *Prompt) { p.Icons = []Icon{{Src: "https://example.com/i"}} },
		"argument":       func(p *Prompt) { p.Arguments = []Argument{{Name: "a", Description: "D"}} },
		"argument title": func(p *Prompt) { p.Arguments = []Argument{{Name: "a", Title: "A"}} },
		"schema's title": func(p *Prompt) { p.Arguments = []Argument{{Name: "a", Schema: titled("A")}} },
		"nothing":        func(*Prompt) {},
	}
	for first, setFirst := range set {
		for second, setSecond := range set {
			for _, p := range []Prompt{promptOf[in](), untyped()} {
				setFirst(&p)
				setSecond(&p)
				d := compiled(t, p)
				for _, rev := range revisions {
					e := encoder{rev: rev}
					e.prompt(d)
					assert.Equal(t, string(e.buf), string(d.listed[rev.Shape()]), "%s, %s and %s", rev, first, second)
				}
			}
		}
	}
}

// A filter gets the same copy of a prompt each time, however many ask at once.
func TestShownIsMadeOnce(t *testing.T) {
	t.Parallel()
	d := compiled(t, untyped(Argument{Name: "a", Schema: Enum("x")}))
	found := make(chan Prompt, 8)
	for range cap(found) {
		go func() { found <- d.filterCopy() }()
	}
	first := d.filterCopy()
	for range cap(found) {
		assert.Same(t, first.Arguments[0].Schema, (<-found).Arguments[0].Schema)
	}
	assert.NotSame(t, d.plan.Arguments[0].Schema, first.Arguments[0].Schema)
}

// compiled returns a definition that must have no errors.
func compiled(t testing.TB, p Prompt) *definition {
	t.Helper()
	d, err := compile(p)
	require.NoError(t, err)
	return d
}
