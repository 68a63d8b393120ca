package strictjson_test

import (
	"fmt"
	"runtime"
	"strings"
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

// A Doc takes no more memory to parse a text than MaxMemory says, and that is no more than 30 times the text.
func TestMaxMemory(t *testing.T) {
	const size = 1 << 20
	repeat := func(begin, part, end string) string {
		return begin + strings.Repeat(part, (size-len(begin)-len(end))/len(part)) + end
	}
	var keys strings.Builder
	for i := range size / 10 {
		fmt.Fprintf(&keys, `"%x":0,`, i)
	}
	few := ""
	for i := range 17 {
		few += fmt.Sprintf(`"%c":0,`, 'a'+i)
	}
	for name, src := range map[string]string{
		"numbers":       repeat("[1", ",1", "]"),
		"empty arrays":  repeat("[[]", ",[]", "]"),
		"text":          repeat(`"`, ",:[{", `"`),
		"small objects": repeat(`[{"a":0}`, `,{"a":0}`, "]"),
		"one object":    "{" + keys.String() + `"last":0}`,
		"objects":       repeat("[0", ",{"+few[:len(few)-1]+"}", "]"),
		"escaped keys":  repeat("[0", `,{"\\n":0}`, "]"),
	} {
		most := uint64(strictjson.MaxMemory([]byte(src)))
		assert.LessOrEqual(t, most, uint64(30*len(src)+100), name)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var d strictjson.Doc
		require.NoError(t, d.Parse(src, 100), name)
		runtime.ReadMemStats(&after)
		taken := after.TotalAlloc - before.TotalAlloc // more than is held at any time
		t.Logf("%s: %.1f of %.1f times its size", name, float64(taken)/float64(len(src)), float64(most)/float64(len(src)))
		assert.LessOrEqual(t, taken, most+128<<10, name)
		runtime.KeepAlive(&d)
	}
}
