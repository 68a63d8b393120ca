package prompts

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// A text is a cursor iff it is the one that appendCursor makes of a name.
func FuzzCursor(f *testing.F) {
	for _, name := range []string{"", "a", "code_review", "é\U0001F600", "a\x00b", "\xff"} {
		f.Add(name)
		f.Add(string(appendCursor(nil, name)))
		f.Add(string(appendCursor(nil, name)) + "=")
		f.Add(string(appendCursor(nil, name)) + "\n")
	}
	f.Add("AQbF2WRjb2RlX3Jldmlldx")
	f.Fuzz(func(t *testing.T, text string) {
		if name, ok := parseCursor(text); ok {
			if again := string(appendCursor(nil, name)); again != text {
				t.Fatalf("%q is taken for %q, whose cursor is %q", text, name, again)
			}
			if name == "" || !utf8.ValidString(name) {
				t.Fatalf("%q has the name %q", text, name)
			}
		}
		name, ok := parseCursor(string(appendCursor(nil, text)))
		if want := text != "" && utf8.ValidString(text); ok != want || ok && name != text {
			t.Fatalf("the cursor of %q is taken for %q, %t", text, name, ok)
		}

		// And the same by way of params.
		raw, err := json.Marshal(map[string]string{"cursor": text})
		if err != nil {
			t.Fatal(err)
		}
		var doc strictjson.Doc
		if err := doc.Parse(string(raw), maxDepth); err != nil {
			t.Fatal(err)
		}
		params, e := parseListParams(doc.Root())
		var got string
		if e == nil {
			got, e = params.after()
		}
		if after, ok := parseCursor(text); utf8.ValidString(text) && (ok != (e == nil) || after != got) {
			t.Fatalf("%q: %v, %v", text, params, e)
		}
	})
}
