package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcp-prompts/prompts"
)

// manyCandidates is how many candidates completion is made to be fast for.
const manyCandidates = 100_000

// candidateNames are like those of branches, and all different.
func candidateNames(n int) []string {
	areas := []string{"parser", "scanner", "registry", "session", "transport", "completion", "cursor", "schema"}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("feature/%s-%05d", areas[i%len(areas)], i)
	}
	return names
}

// BenchmarkSuggest makes a list ready.
func BenchmarkSuggest(b *testing.B) {
	names := candidateNames(manyCandidates)
	b.ReportAllocs()
	for b.Loop() {
		prompts.Suggest(names...)
	}
}

var typedInBenchmarks = []struct{ name, typed string }{
	{"nothing", ""},
	{"one letter, a prefix", "f"},
	{"one letter, a word", "p"},
	{"one letter, inside", "n"},
	{"five letters, a prefix", "featu"},
	{"five letters, a word", "curso"},
	{"five letters, inside", "ursor"},
	{"five letters, none", "zzzzz"},
	{"one of them", "feature/session-00003"},
}

// BenchmarkSuggestKey is one key that is pressed, all the way through Call.
func BenchmarkSuggestKey(b *testing.B) {
	names := candidateNames(manyCandidates)
	for what, f := range map[string]prompts.CompleteFunc{
		"fixed": prompts.Suggest(names...),
		"function": prompts.SuggestFunc(func(context.Context, map[string]string) ([]string, error) {
			return names, nil
		}),
	} {
		s := prompts.NewServer(registryOf(completing("p", f)), prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: -1}})
		for _, test := range typedInBenchmarks {
			b.Run(what+"/"+test.name, func(b *testing.B) {
				params := json.RawMessage(`{` + completeParamsOf("p", "a", test.typed) + `}`)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Call(context.Background(), methodComplete, params, prompts.CallOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCompleteEnum is one key that is pressed for an argument that
// completes by itself.
func BenchmarkCompleteEnum(b *testing.B) {
	s := prompts.NewServer(registryOf(completing("p", completed())), prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: -1}})
	params := json.RawMessage(`{` + completeParamsOf("p", "b", "g") + `}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Call(context.Background(), methodComplete, params, prompts.CallOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompleteLargeEnum is the same with as many values as completion is
// made for.
func BenchmarkCompleteLargeEnum(b *testing.B) {
	p := completing("p", nil)
	p.Arguments[1].Schema = prompts.Enum(candidateNames(manyCandidates)...)
	s := prompts.NewServer(registryOf(p), prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: -1}})
	for _, test := range typedInBenchmarks {
		b.Run(test.name, func(b *testing.B) {
			params := json.RawMessage(`{` + completeParamsOf("p", "b", test.typed) + `}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Call(context.Background(), methodComplete, params, prompts.CallOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
