package prompts

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// This file completes what an argument's type and schema say enough about.

// completions returns the first values that what was typed may stand for, the
// best first, and how many there are.
func (v *value) completions(typed string) (values []string, total int) {
	if v.kind == kindList {
		l, ok := openListOf(typed)
		if !ok || !v.elem.splits() {
			return nil, 0
		}
		return l.close(v.elem.matches(l.typed))
	}
	values = v.matches(typed)
	return values[:min(len(values), maxCompletions)], len(values)
}

func (v *value) matches(typed string) []string {
	x := v.candidates()
	if len(x.values) == 0 && v.kind == kindDuration {
		return v.durations(typed)
	}
	return x.match(typed)
}

// listCandidates returns the texts that a value with the schema can have, if
// these are few by its type, or listed by its schema.
func (v *value) listCandidates() []string {
	switch {
	case v.kind == kindList:
		return nil // its elements may have some
	case v.rules.texts != nil:
		return v.rules.texts
	case v.rules.enum != nil:
		return v.rules.enumTexts()
	}
	switch v.kind {
	case kindBool:
		return v.allowed([]string{"true", "false"})
	case kindInt, kindUint:
		return v.allowed(v.rules.integers())
	}
	return nil
}

// allowed returns the texts that are values. It reuses the slice.
func (v *value) allowed(texts []string) []string {
	some := texts[:0]
	for _, text := range texts {
		if _, p := v.read(reflect.Value{}, text, false); p == nil {
			some = append(some, text)
		}
	}
	return some
}

// widest is how far apart the bounds of an integer may be for it to complete.
const widest = 100

// integers returns those between the bounds, if these are not too far apart.
func (r *rules) integers() []string {
	low, high := math.Inf(-1), math.Inf(1)
	if r.minimum != nil {
		low = math.Ceil(*r.minimum)
	}
	if r.exclusiveMinimum != nil {
		low = max(low, math.Floor(*r.exclusiveMinimum)+1)
	}
	if r.maximum != nil {
		high = math.Floor(*r.maximum)
	}
	if r.exclusiveMaximum != nil {
		high = min(high, math.Ceil(*r.exclusiveMaximum)-1)
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) || high-low > widest || low < -exactFloat || high > exactFloat {
		return nil
	}
	var texts []string
	for n := int64(low); n <= int64(high); n++ {
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return texts
}

// durations returns the durations of which the number has been typed.
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
	return v.allowed(texts)
}

// openList is a list separated by commas whose last element is completed.
type openList struct {
	head     string   // the text before that element
	typed    string   // what there is of it
	elements []string // before it
}

// maxHead is how much of a list there may be before the element that is
// completed, in bytes: each value repeats it.
const maxHead = 1 << 10

// openListOf returns the list that was typed, unless it is JSON or too long.
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

func isJSONList(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "[") }

// close returns the first lists that end in one of the values, and how many
// there are. It leaves out the values that the list has already, and those that
// would be read as something else.
func (l *openList) close(values []string) (lists []string, total int) {
	has := make(map[string]bool, len(l.elements))
	for _, e := range l.elements {
		has[e] = true
	}
	for _, v := range values {
		if has[v] || strings.IndexByte(v, ',') >= 0 || strings.TrimSpace(v) != v || len(l.elements) == 0 && isJSONList(v) {
			continue
		}
		if total++; total <= maxCompletions {
			lists = append(lists, l.head+v)
		}
	}
	return lists, total
}
