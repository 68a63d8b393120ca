package prompts

import "strings"

// hinted returns the description of an argument with the hint of what is
// accepted, which the protocol has no other place for.
func (a *argument) hinted() string {
	hint := a.value.hint(false)
	if a.hasDefault && a.defaultText != "" {
		hint = joined("; ", hint, "default "+clip(a.defaultText, 64))
	}
	switch {
	case hint == "":
		return a.Description
	case a.Description == "":
		return hint
	}
	return a.Description + " (" + hint + ")"
}

// hint says in a few words what the text of the value may be; empty if
// anything may. An element of a list says it of the JSON that it is.
func (v *value) hint(element bool) string {
	switch {
	case v.rules.texts != nil:
		return "one of: " + v.rules.choices()
	case v.rules.enum != nil:
		return "one of: " + enumeration(v.rules.enumTexts())
	case v.kind.isNumber():
		bounds := v.rules.bounds()
		if strings.HasPrefix(bounds, "from ") {
			return v.noun + " " + bounds
		}
		return joined(", ", v.noun, bounds)
	case v.kind == kindList:
		form, each := v.noun, v.elem.hint(true)
		if !element && v.elem.splits() {
			form = "separated by commas"
		}
		if each != "" {
			each = "each " + each
		}
		return joined("; ", form, v.rules.items(), each)
	case v.kind == kindJSON:
		return v.noun
	}
	pattern := ""
	if v.rules.pattern != nil {
		pattern = "matching " + clip(v.rules.pattern.String(), 64)
	}
	return joined(", ", v.noun, v.rules.length(), pattern)
}

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, separator)
}
