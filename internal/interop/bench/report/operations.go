package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// operation is one whose growth is shown: Benchmark<work>/<library>/n=<size>/<name>.
type operation struct {
	file, title string
	work, name  string
	libraries   []string
	measures    []measure
}

// measure is one way to measure an operation.
type measure struct {
	name, unit string
	isPerUnit  bool // so the value is multiplied by the size
}

var operations = []operation{
	{"get", "prompts/get, among n prompts", "Growth", "get", allLibraries, timeAndMemory},
	{"list", "prompts/list, a page of 100 of n prompts", "Growth", "list", allLibraries, timeAndMemory},
	{"walk", "A walk of n prompts in pages of 100", "Growth", "walk", allLibraries, timeAndMemory},
	{"add", "Add a prompt to n, then list a page of 100", "Growth", "add", allLibraries, timeAndMemory},
	{"each", "Declare and add n prompts one by one", "Fill", "each", allLibraries, timeAndMemory},
	{"batch", "Declare and add n prompts in one batch", "Fill", "batch", allLibraries, timeAndMemory},
	{"held", "What a server of n prompts holds", "Fill", "memory", allLibraries, []measure{{"memory", "B/prompt", true}}},
	{"tell", "Tell n subscribers of a change", "Change", "tell",
		[]string{"prompts", "prompts-listen", "go-sdk", "mcp-go"},
		[]measure{{"time", "cpu-ns/op", false}, {"memory", "B/op", false}}},
}

var (
	allLibraries  = []string{"prompts", "go-sdk", "mcp-go"}
	timeAndMemory = []measure{{"time", "ns/op", false}, {"memory", "B/op", false}}
)

// series returns the medians of an operation of a library by size, those of
// size 0 left out.
func (o operation) series(m *measurements, library string, of measure) []point {
	var points []point
	for k, values := range m.values {
		size, ok := o.sizeOf(k)
		if !ok || k.library != library || size == 0 || len(values[of.unit]) == 0 {
			continue
		}
		value := median(values[of.unit])
		if of.isPerUnit {
			value *= float64(size)
		}
		points = append(points, point{float64(size), value})
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.size, b.size) })
	return points
}

// sizes returns those at which some library was measured.
func (o operation) sizes(m *measurements) []int {
	var sizes []int
	for k := range m.values {
		if size, ok := o.sizeOf(k); ok && size > 0 {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

func (o operation) sizeOf(k key) (int, bool) {
	size, name, _ := strings.Cut(k.name, "/")
	digits, sized := strings.CutPrefix(size, "n=")
	if k.work != o.work || name != o.name || !sized {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}
