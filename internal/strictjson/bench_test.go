package strictjson_test

import (
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func BenchmarkParse(b *testing.B) {
	for _, bb := range []struct{ name, src string }{
		{"request", getRequest},
		{"20KB", largeRequest()},
		{"CJK", `["` + strings.Repeat("漢字かな", 500) + `"]`},
		{"keys100k", object(100_000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var doc strictjson.Doc
			b.SetBytes(int64(len(bb.src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := doc.Parse(bb.src, 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	var doc strictjson.Doc
	if err := doc.Parse(getRequest, 64); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if doc.Root().Get("params").Get("_meta").Kind() != strictjson.Object {
			b.Fatal("absent")
		}
	}
}

func BenchmarkAppendString(b *testing.B) {
	for _, bb := range []struct{ name, s string }{
		{"short", "code_review"},
		{"text", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)},
		{"escapes", strings.Repeat("func main() {\n\tfmt.Println(\"x\")\n}\n", 20)},
		{"CJK", strings.Repeat("漢字かな", 80)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			buf := make([]byte, 0, 4096)
			b.SetBytes(int64(len(bb.s)))
			b.ReportAllocs()
			for b.Loop() {
				buf = strictjson.AppendString(buf[:0], bb.s)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	var d strictjson.Doc
	src := `"func total(xs []int) int {\n\tsum := 0\n\tfor _, x := range xs {\n\t\tsum += x\n\t}\n\treturn sum\n}\n"`
	if err := d.Parse(src, 1); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		_ = d.Root().Text()
	}
}
