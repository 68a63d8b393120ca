package argument

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// For a string argument the value is the zero Value, because the argument itself is no JSON.
type instance struct {
	kind  strictjson.Kind
	text  string           // of a string the decoded text, of a number the source
	value strictjson.Value // of an array or an object
}

// No text is copied, except for a string with escapes.
func instanceOf(v strictjson.Value) instance {
	in := instance{kind: v.Kind(), value: v}
	switch in.kind {
	case strictjson.String:
		in.text = v.Text()
	case strictjson.Number, strictjson.Bool:
		in.text = v.Raw()
	}
	return in
}

// number returns the number, which must not be huge: the error of ParseFloat is then impossible.
func (in instance) number() number {
	f, _ := strconv.ParseFloat(in.text, 64)
	return floatNumber(in.text, f)
}

// Messages go to a client or a model, so 64 bytes are enough to recognize the value.
func (in instance) shown() string {
	switch {
	case in.kind == strictjson.String:
		return phrase.Quote(in.text)
	case in.text != "":
		return phrase.Clip(in.text, 64)
	}
	return phrase.Clip(in.value.Raw(), 64)
}

func (in instance) described() string {
	if in.kind == strictjson.Null {
		return "null"
	}
	return describeJSON(in.shown())
}

func shown(v strictjson.Value) string {
	if v.Kind() == strictjson.String {
		return phrase.Quote(v.Text())
	}
	return phrase.Clip(v.Raw(), 64)
}

// The first byte decides, because the beginning of a value may be clipped.
func describeJSON(shown string) string {
	switch shown[0] {
	case '"':
		return "the string " + shown
	case '[':
		return "an array"
	case '{':
		return "an object"
	case 't', 'f':
		return "the boolean " + shown
	case 'n':
		return "null"
	}
	return "the number " + shown
}

// appendKey appends the key of a JSON value in a set. Values have the same key if and only if
// they are equal for JSON Schema. No key is a prefix of another: strings begin with their
// length, and arrays, objects and numbers have an end.
func appendKey(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, 'n')
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return appendTextKey(dst, v)
	case []any:
		dst = append(dst, '[')
		for _, e := range v {
			dst = appendKey(dst, e)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range sortedKeys(v) {
			dst = appendKey(appendTextKey(dst, name), v[name])
		}
		return append(dst, '}')
	case float64:
		return shortestOf(v).appendKey(dst)
	}
	// The schema was not cloned, which is a bug of this library.
	panic(fmt.Sprintf("prompts: %T is not from encoding/json", v))
}

// appendInstanceKey is appendKey for JSON that was read. It ends with false when the key has more
// than most bytes, so that a large value is not read for small ones. The key of a value is the same
// as that of appendKey for the value that encoding/json decodes, except for numbers that a float64
// would round: those keep all digits, and so equal no value of a schema.
func appendInstanceKey(dst []byte, in instance, most int) (key []byte, ok bool) {
	// Checked before the text is copied: a string may have megabytes.
	if len(dst)+len(in.text) > most && in.kind == strictjson.String {
		return dst, false
	}
	switch in.kind {
	case strictjson.Null:
		dst = append(dst, 'n')
	case strictjson.Bool:
		dst = append(dst, in.text...)
	case strictjson.String:
		dst = appendTextKey(dst, in.text)
	case strictjson.Number:
		if n := in.number(); !n.isRounded() {
			dst = shortestOf(n.float).appendKey(dst)
		} else {
			dst = parseDecimal(in.text).appendKey(dst)
		}
	case strictjson.Array:
		dst = append(dst, '[')
		for e := range in.value.Elements() {
			if dst, ok = appendInstanceKey(dst, instanceOf(e), most); !ok {
				return dst, false
			}
		}
		dst = append(dst, ']')
	case strictjson.Object:
		members := map[string]strictjson.Value{}
		for name, v := range in.value.Members() {
			// Each member needs a byte of the key at least, so an object with more
			// members has a longer key.
			if members[name] = v; len(dst)+len(members) > most {
				return dst, false
			}
		}
		dst = append(dst, '{')
		for _, name := range sortedKeys(members) {
			if dst, ok = appendInstanceKey(appendTextKey(dst, name), instanceOf(members[name]), most); !ok {
				return dst, false
			}
		}
		dst = append(dst, '}')
	}
	return dst, len(dst) <= most
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func appendTextKey(dst []byte, text string) []byte {
	dst = append(dst, '"')
	dst = strconv.AppendInt(dst, int64(len(text)), 10)
	dst = append(dst, ':')
	return append(dst, text...)
}
