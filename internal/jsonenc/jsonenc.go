// Package jsonenc encodes values of the application with encoding/json. It
// returns an error for output that a strict reader would reject.
package jsonenc

import (
	"fmt"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// MaxDepth limits how deep arrays and objects may nest in a message.
const MaxDepth = 128

// Append appends the JSON of v, without the escapes for HTML. If v cannot be
// encoded, Append appends null and returns an error.
func Append(dst []byte, v any) ([]byte, error) {
	out, err := Marshal(v)
	if err == nil {
		// A RawMessage or a Marshaler may have duplicate keys, or nesting that
		// our own reader rejects.
		var doc strictjson.Doc
		err = doc.Parse(string(out), MaxDepth)
	}
	if err != nil {
		return append(dst, "null"...), err
	}
	return append(dst, out...), nil
}

// Marshal returns the JSON of v, without the escapes for HTML. It returns an error if a string is
// not valid UTF-8 or if a Marshaler of the application panics.
func Marshal(v any) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return marshalStrictly(v)
}

// Text returns the JSON of v for a message, or what fmt prints if v cannot be encoded.
func Text(v any) string {
	b, err := Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
