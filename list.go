package prompts

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// convertList reads the elements of a list.
func (v *value) convertList(dst reflect.Value, text string, want bool) (any, *problem) {
	texts, p := v.split(text)
	if p != nil {
		return nil, p
	}
	if p := v.rules.checkItems(len(texts)); p != nil {
		return nil, p
	}
	if dst.IsValid() && dst.Kind() == reflect.Slice {
		dst.Set(reflect.MakeSlice(dst.Type(), len(texts), len(texts)))
	}
	var instance []any
	if want {
		instance = make([]any, len(texts))
	}
	for i, t := range texts {
		var slot reflect.Value
		if dst.IsValid() {
			slot = dst.Index(i)
		}
		item, p := v.elem.read(slot, t, want)
		if p != nil {
			p.Message = fmt.Sprintf("element %d: %s", i+1, p.Message)
			return nil, p
		}
		if want {
			instance[i] = item
		}
	}
	return instance, nil
}

// split returns the texts of a list's elements.
func (v *value) split(text string) ([]string, *problem) {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "[") {
		return v.splitJSON(text)
	}
	if trimmed == "" {
		return nil, nil
	}
	if !v.elem.splits() {
		return nil, v.wrongType(text)
	}
	texts := strings.Split(text, ",")
	for i, t := range texts {
		if texts[i] = strings.TrimSpace(t); texts[i] == "" {
			return nil, &problem{Reason: reasonType, Message: fmt.Sprintf("element %d is empty", i+1)}
		}
	}
	return texts, nil
}

// splits reports whether values of this kind may stand between commas.
func (v *value) splits() bool { return v.kind != kindJSON && v.kind != kindList }

// splitJSON returns the texts of the elements of a JSON array. Their JSON
// types must be the elements' own: "1" is no integer.
func (v *value) splitJSON(text string) ([]string, *problem) {
	var doc strictjson.Doc
	if doc.Parse(text, maxDepth) != nil {
		return nil, v.wrongType(text)
	}
	var texts []string
	for e := range doc.Root().Elements() {
		var t string
		fits := true
		switch v.elem.kind {
		case kindString, kindText, kindDuration, kindURL, kindBytes:
			t, fits = e.Text(), e.Kind() == strictjson.String
		case kindBool:
			t, fits = e.Raw(), e.Kind() == strictjson.Bool
		case kindInt, kindUint, kindFloat:
			t, fits = e.Raw(), e.Kind() == strictjson.Number
		default:
			t = e.Raw()
			fits = v.elem.kind != kindList || e.Kind() == strictjson.Array
		}
		if !fits {
			p := v.elem.wrongType(e.Raw())
			if v.elem.noun == "" { // then it is a text
				p.Message = quote(e.Raw()) + " is not a string"
			}
			p.Message = fmt.Sprintf("element %d: %s", len(texts)+1, p.Message)
			return nil, p
		}
		texts = append(texts, t)
	}
	return texts, nil
}
