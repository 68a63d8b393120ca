package prompts_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts"
)

// A string is a cursor if and only if it is the cursor after a name.
func FuzzCursor(f *testing.F) {
	for _, name := range []string{"", "a", "code_review", "é\U0001F600", "a\x00b", "\xff"} {
		f.Add(name)
		f.Add(cursorAfter(name))
		f.Add(cursorAfter(name) + "=")
		f.Add(cursorAfter(name) + "\n")
	}
	f.Add("AQbF2WRjb2RlX3Jldmlldx")
	s := prompts.NewServer(registryOf(textPrompt("b", "")), prompts.Options{})
	isCursor := func(t *testing.T, text string) bool {
		params, err := json.Marshal(map[string]string{"cursor": text})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Call(t.Context(), methodList, params, prompts.CallOptions{})
		return err == nil
	}
	f.Fuzz(func(t *testing.T, text string) {
		if want := text != "" && utf8.ValidString(text); isCursor(t, cursorAfter(text)) != want {
			t.Fatalf("the cursor after %q is accepted: %t, want %t", text, !want, want)
		}
		if !utf8.ValidString(text) {
			return // JSON has no such string
		}
		name := ""
		if raw, err := base64.RawURLEncoding.DecodeString(text); err == nil && len(raw) > 5 {
			name = string(raw[5:])
		}
		if want := name != "" && utf8.ValidString(name) && text == cursorAfter(name); isCursor(t, text) != want {
			t.Fatalf("the cursor %q is accepted: %t, want %t", text, !want, want)
		}
	})
}
