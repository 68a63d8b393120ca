package prompts_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts"
)

// manyPrompts declares n prompts of one type, in the order of their names.
func manyPrompts(n int) []prompts.Prompt {
	all := make([]prompts.Prompt, n)
	for i := range all {
		all[i] = benchPrompt(i)
	}
	return all
}

func benchPrompt(i int) prompts.Prompt {
	return prompts.New(
		prompts.Prompt{Name: fmt.Sprintf("code_review_%07d", i), Description: fmt.Sprintf("Reviews code, %07d", i)},
		func(context.Context, benchReview) (*prompts.Result, error) { return prompts.Messages(), nil },
	)
}

// manyData declares n prompts without a struct.
func manyData(n int) []prompts.Prompt {
	all := make([]prompts.Prompt, n)
	for i := range all {
		all[i] = dataPrompt(i)
	}
	return all
}

func dataPrompt(i int) prompts.Prompt {
	return prompts.Prompt{
		Name:        fmt.Sprintf("code_review_%07d", i),
		Description: fmt.Sprintf("Reviews code, %07d", i),
		Arguments: []prompts.Argument{
			{Name: "code", Description: "the code to review", Required: true},
			{Name: "language", Description: "its programming language"},
		},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil },
	}
}

// fillSizes returns the sizes of registries. Those that take long are for a
// -bench that names them, such as AddBatch/100000.
func fillSizes(large ...int) []int {
	sizes := []int{1000}
	for _, n := range large {
		if strings.Contains(flag.Lookup("test.bench").Value.String(), fmt.Sprint(n)) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// BenchmarkAdd adds prompts one by one, all over a registry that has as many
// as its name says, and removes them from time to time.
func BenchmarkAdd(b *testing.B) {
	for _, n := range fillSizes(100_000, 1_000_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r prompts.Registry
			if err := r.Add(manyPrompts(n)...); err != nil {
				b.Fatal(err)
			}
			added := make([]prompts.Prompt, 1000)
			for i := range added {
				added[i] = benchPrompt(i * 7919 % n)
				added[i].Name += fmt.Sprintf("_%d", i)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i == len(added) {
					b.StopTimer()
					for _, p := range added {
						r.Remove(p.Name)
					}
					i = 0
					b.StartTimer()
				}
				if err := r.Add(added[i]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// BenchmarkAddBatch adds all prompts at once to an empty registry.
func BenchmarkAddBatch(b *testing.B) {
	for _, kind := range []struct {
		name    string
		declare func(int) []prompts.Prompt
	}{{"struct", manyPrompts}, {"data", manyData}} {
		for _, n := range fillSizes(100_000) {
			b.Run(fmt.Sprintf("%s/%d", kind.name, n), func(b *testing.B) {
				all := kind.declare(n)
				b.ReportAllocs()
				for b.Loop() {
					var r prompts.Registry
					if err := r.Add(all...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
