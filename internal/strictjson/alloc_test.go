package strictjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func TestAllocations(t *testing.T) {
	require.Len(t, getRequest, 334)
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(getRequest, 64))
	root := doc.Root()
	arguments := root.Get("params").Get("arguments")
	escaped := parse(t, `{"\u006eame":"x\ny","list":[1,2,3]}`)
	buf := make([]byte, 0, 1024)
	var sink int

	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"Parse", 0, func() {
			if doc.Parse(getRequest, 64) != nil {
				panic("refused")
			}
		}},
		{"Parse after Reset", 0, func() {
			doc.Reset()
			if doc.Parse(getRequest, 64) != nil {
				panic("refused")
			}
		}},
		{"Text", 0, func() { sink += len(arguments.Get("code").Text()) }},
		{"Text with escapes", 1, func() { sink += len(escaped.Get("name").Text()) }},
		{"Get", 0, func() { sink += len(root.Get("params").Get("name").Raw()) }},
		{"Get with escapes", 0, func() { sink += len(escaped.Get("name").Raw()) }},
		{"Members", 0, func() {
			for name, member := range arguments.Members() {
				sink += len(name) + len(member.Text())
			}
		}},
		{"Elements", 0, func() {
			for element := range escaped.Get("list").Elements() {
				sink += len(element.Raw())
			}
		}},
		{"AppendString", 0, func() { sink += len(strictjson.AppendString(buf, "a \"b\"\n\x00 é \xff c")) }},
		{"AppendValidString", 0, func() {
			out, _ := strictjson.AppendValidString(buf, "a \"b\"\n\x00 é c")
			sink += len(out)
		}},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, testing.AllocsPerRun(100, tt.f), tt.name)
	}
}

// A Doc that is used for the first time takes its memory in one piece.
func TestAllocationsOfNewDoc(t *testing.T) {
	allocs := testing.AllocsPerRun(100, func() {
		var doc strictjson.Doc
		if doc.Parse(getRequest, 64) != nil {
			panic("refused")
		}
	})
	assert.LessOrEqual(t, allocs, 2.0)
}
