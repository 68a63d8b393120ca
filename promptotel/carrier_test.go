package promptotel

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// FuzzCarrier compares the members that propagators read with those of encoding/json.
func FuzzCarrier(f *testing.F) {
	for _, meta := range []string{
		`{}`, `{"a":1}`, ` { "a" : "b" , "c" : [1,{"d":"}"},"]"] , "e":null}`, `{"a":"\"}\\","\u0062":"x\ny","":true}`,
		`{"o":{"a":[{},[]],"b":"{"},"traceparent":"00-1-2-03"}`, `{"a":-1.5e3,"b":false}`, `[1]`, `"a"`, `{"a":{}}`, `{"a":[],"b":[[]]}`,
	} {
		f.Add(meta)
	}
	f.Fuzz(func(t *testing.T, meta string) {
		c := carrier(meta)
		if !utf8.ValidString(meta) {
			assert.NotPanics(t, func() { c.Keys() }) // the server rejects it
			return
		}
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(meta), &want) != nil || want == nil {
			assert.NotPanics(t, func() { c.Keys() })
			return
		}
		names := map[string]int{}
		for name, value := range c.members() {
			names[name]++
			assert.True(t, json.Valid([]byte(value)), value)
		}
		for name, raw := range want {
			if names[name] != 1 {
				return // more than once
			}
			var text string
			_ = json.Unmarshal(raw, &text)
			if name != "baggage" {
				assert.Equal(t, text, c.Get(name), meta)
			}
		}
		assert.Len(t, names, len(want), meta)
	})
}
