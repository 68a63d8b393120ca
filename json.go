package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// appendJSON appends v as encoding/json encodes it, but for HTML: what is not
// markup needs no escapes. It refuses what a strict reader would refuse. What
// it has appended on failure is null.
func appendJSON(dst []byte, v any) ([]byte, error) {
	out, err := encodeJSON(v)
	if err == nil {
		err = checkOwnJSON(out)
	}
	if err != nil {
		return append(dst, "null"...), err
	}
	return append(dst, out...), nil
}

// encodeJSON runs encoding/json, which runs an author's Marshalers.
func encodeJSON(v any) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// checkOwnJSON refuses output of encoding/json that hides a fault of the
// author's: duplicate keys from a RawMessage or a Marshaler, nesting that our
// own reader would not take, and invalid UTF-8.
func checkOwnJSON(out []byte) error {
	var doc strictjson.Doc
	if err := doc.Parse(string(out), maxDepth); err != nil {
		return err
	}
	// encoding/json replaces invalid UTF-8 by this escape, and writes a real
	// U+FFFD as itself.
	const replaced = `\ufffd`
	for rest := out; ; {
		i := bytes.Index(rest, []byte(replaced))
		if i < 0 {
			return nil
		}
		backslashes := 0
		for backslashes < i && rest[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return errors.New("a string is not valid UTF-8")
		}
		rest = rest[i+len(replaced):]
	}
}
