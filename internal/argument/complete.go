package argument

import (
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// Complete returns the first values that match what the user typed, best first, and the number
// of all. The values are checked one by one, as far as that decides.
func (a *Argument) Complete(typed string) (values []string, total int) {
	switch v := a.value; {
	// Completions of a secret would say which values are valid.
	case a.Sensitive:
		return nil, 0
	case v.kind == schema.JSON && v.rules.enum == nil, v.kind == schema.List && (isJSONList(typed) || !v.elem.isElement()):
		return completeJSON(v.treeOf(), typed)
	case v.kind != schema.List:
		return v.matches(typed, revision.MaxCompletions)
	default:
		if l, ok := openListOf(typed); ok {
			values, _ = v.elem.matches(l.typed, math.MaxInt)
			return l.close(values)
		}
	}
	return nil, 0
}

// CompleteWith is Complete by a function of the application, which decides which values match
// and in which order. complete gets the last element of a comma-separated list. It is not
// called for a list in JSON.
func (a *Argument) CompleteWith(typed string, complete func(typed string) ([]string, error)) (values []string, total int, err error) {
	if a.value.kind != schema.List || !a.value.elem.isElement() {
		values, err = complete(typed)
		return values[:min(len(values), revision.MaxCompletions)], len(values), err
	}
	l, ok := openListOf(typed)
	if !ok {
		return nil, 0, nil
	}
	if values, err = complete(l.typed); err != nil {
		return nil, 0, err
	}
	values, total = l.close(values)
	return values, total, nil
}

// A type without candidates gives none: no completion is no error in the protocol.
func (v *value) matches(typed string, most int) (values []string, total int) {
	x := v.candidates()
	if x.Len() == 0 && v.kind == schema.Duration {
		values = v.durations(typed)
		return values, len(values)
	}
	return x.Match(typed, most)
}

// A duration has too many values to list, but the unit is what users forget.
func (v *value) durations(typed string) []string {
	if strings.Trim(typed, "+-.0123456789") != "" {
		return nil
	}
	var texts []string
	for _, unit := range []string{"s", "m", "h", "ms"} {
		if _, err := time.ParseDuration(typed + unit); err == nil {
			texts = append(texts, typed+unit)
		}
	}
	return v.valid(texts)
}

// openList is a comma-separated list whose last element is being typed. Of "red, blue, gr" the head
// is "red, blue, ", the typed text is "gr", and the elements are red and blue. A client replaces
// the whole text of the argument by a completion, so each completion repeats the head.
type openList struct {
	head     string   // the text before that element
	typed    string   // what there is of it
	elements []string // before it
}

// openListOf returns the list that was typed. It returns false for JSON, and for a list that is too
// long. The head is kept as it was typed, spaces included.
func openListOf(text string) (l openList, ok bool) {
	at := strings.LastIndexByte(text, ',') + 1
	l.typed = strings.TrimLeftFunc(text[at:], unicode.IsSpace)
	l.head = text[:len(text)-len(l.typed)]
	if len(l.head) > maxHead || isJSONList(text) {
		return l, false
	}
	if at > 0 {
		for e := range strings.SplitSeq(text[:at-1], ",") {
			l.elements = append(l.elements, strings.TrimSpace(e))
		}
	}
	return l, true
}

// close returns the first lists that end in one of the values, and the number of all. It leaves
// out values that are in the list already, and values that would be read as something else:
// with a comma, with spaces at the ends, or with a bracket at the beginning of the first.
func (l *openList) close(values []string) (lists []string, total int) {
	has := make(map[string]bool, len(l.elements))
	for _, e := range l.elements {
		has[e] = true
	}
	for _, v := range values {
		if has[v] || strings.IndexByte(v, ',') >= 0 || strings.TrimSpace(v) != v || len(l.elements) == 0 && isJSONList(v) {
			continue
		}
		if total++; total <= revision.MaxCompletions {
			lists = append(lists, l.head+v)
		}
	}
	return lists, total
}
