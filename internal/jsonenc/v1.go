//go:build !go1.27 || (!goexperiment.jsonv2 && !go1.28)

package jsonenc

import (
	"bytes"
	"encoding/json"
	"errors"
)

// marshalStrictly is json.Marshal without escapes for HTML. It returns an error if a string is not
// valid UTF-8. This implementation of encoding/json replaces such a string's bytes by the escape
// \ufffd, but writes a valid U+FFFD as itself. So a Marshaler cannot use this escape.
func marshalStrictly(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	out := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if hasReplacementEscape(out) {
		return nil, errors.New("invalid UTF-8")
	}
	return out, nil
}

func hasReplacementEscape(text []byte) bool {
	const escape = `\ufffd`
	for {
		i := bytes.Index(text, []byte(escape))
		if i < 0 {
			return false
		}
		before := len(text[:i]) - len(bytes.TrimRight(text[:i], `\`))
		if before%2 == 0 {
			return true
		}
		text = text[i+len(escape):]
	}
}
