package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	m := &measurements{values: map[key]map[string][]float64{
		{"Get", "prompts", "a"}:             {"ns/op": {2400, 2500, 9000}},
		{"Get", "prompts-serve", "a"}:       {"ns/op": {9000}},
		{"Get", "prompts-unlimited", "a"}:   {"ns/op": {8000}},
		{"Get", "go-sdk", "a"}:              {"ns/op": {20_000}},
		{"Fill", "prompts", "n=10/memory"}:  {"B/prompt": {650}, "B-listed/prompt": {200}, "B-declared/prompt": {250}},
		{"Fill", "prompts", "n=100/memory"}: {"B/prompt": {651}, "B-listed/prompt": {200}, "B-declared/prompt": {250}},
	}}
	get := func(library string) key { return key{"Get", library, "a"} }
	for name, test := range map[string]struct {
		row  row
		want string
	}{
		"at the bound":         {row{ours: get("prompts"), unit: "ns/op", target: atMost(2500, "")}, "met"},
		"over it":              {row{ours: get("prompts"), unit: "ns/op", target: atMost(2499, "")}, "not met"},
		"no target":            {row{ours: get("prompts"), unit: "ns/op"}, ""},
		"not measured":         {row{ours: get("mcp-go"), unit: "ns/op", target: atMost(1, "")}, ""},
		"another unit":         {row{ours: get("prompts"), unit: "B/op", target: atMost(1, "")}, ""},
		"a part":               {row{ours: get("prompts"), unit: "ns/op", target: partOf("go-sdk", 8, "")}, "met"},
		"more than a part":     {row{ours: get("prompts"), unit: "ns/op", target: partOf("go-sdk", 10, "")}, "not met"},
		"a multiple":           {row{ours: get("go-sdk"), unit: "ns/op", target: times("prompts", 8, "")}, "met"},
		"of what there is not": {row{ours: get("go-sdk"), unit: "ns/op", target: times("net-http", 8, "")}, ""},
		"a difference":         {row{ours: get("prompts-serve"), minus: "prompts-unlimited", unit: "ns/op", target: atMost(1000, "")}, "met"},
		"too much of one":      {row{ours: get("prompts-serve"), minus: "prompts-unlimited", unit: "ns/op", target: atMost(999, "")}, "not met"},
		"of nothing":           {row{ours: get("prompts-serve"), minus: "nothing", unit: "ns/op", target: atMost(1000, "")}, ""},
		"memory":               {row{ours: key{"Fill", "prompts", "n=10/memory"}, unit: "B/prompt", target: memory()}, "met"},
		"too much memory":      {row{ours: key{"Fill", "prompts", "n=100/memory"}, unit: "B/prompt", target: memory()}, "not met"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, test.row.verdict(m))
		})
	}
}
