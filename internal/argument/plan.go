// Package argument reads the arguments of a prompt: strings of a client become
// Go values, by the Go types and the JSON schemas that the prompt declares.
//
// When a prompt is added, [Compile] makes a [Plan] of the declaration, or returns
// all errors of the declaration (compile.go, compile_struct.go, compile_value.go). A plan is immutable and serves
// all calls. A call takes three steps:
//
//	texts, problems, ignored := plan.Collect(nil, params.Get("arguments"), strict, false)
//	more := plan.Fill(reflect.ValueOf(&in).Elem(), texts) // plan.Texts without a struct
//	problems = append(problems, more...)                  // all of them go into one error
//
// The plan also describes its arguments (form.go) and completes them
// (complete.go). The package knows neither prompts nor JSON-RPC.
package argument

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Spec is what a prompt declares of an argument.
type Spec struct {
	Name        string
	Title       string
	Description string
	Required    bool
	Sensitive   bool
	Verbatim    bool
	Schema      *jsonschema.Schema
}

// Plan is the compiled form of a prompt's arguments. It is immutable.
type Plan struct {
	Arguments    []Argument
	HasSensitive bool           // whether an argument is sensitive
	byName       map[string]int // nil for a few arguments, see linear
}

// Argument is a compiled argument.
type Argument struct {
	Spec               // as declared, completed by the struct and the schema
	Index        []int // of the struct's field, see reflect.Value.FieldByIndex
	value        *value
	hasDefault   bool
	defaultValue string
	// emptyIsAbsent says that the empty string is no value, but an empty field of
	// a client's form.
	emptyIsAbsent bool
}

// Text is what a call gives for one argument.
type Text struct {
	Value     string
	Given     bool
	notString bool // the value is no string; Given is false, and Value is the example
	unchecked bool // the value is a placeholder, see Placeholders
	notTyped  bool // the value has another JSON type; Given is false, and Value is its JSON: see Argument.typed
}

// Find returns the position of the argument with the name, and -1 without one.
func (p *Plan) Find(name string) int {
	// Most prompts have a few arguments, for which a search is faster than a map.
	if p.byName != nil {
		if i, ok := p.byName[name]; ok {
			return i
		}
		return -1
	}
	for i := range p.Arguments {
		if p.Arguments[i].Name == name {
			return i
		}
	}
	return -1
}

// Subset returns a plan of the arguments at the positions.
func (p *Plan) Subset(positions []int) *Plan {
	some := &Plan{Arguments: make([]Argument, len(positions))}
	for i, at := range positions {
		some.Arguments[i] = p.Arguments[at]
	}
	return some
}

// Collect returns the text of each argument by position, the problems of names
// that the prompt does not declare, and the first of the names that are ignored. An
// undeclared name is a problem if strict is set or if its value is no string
// (PRG-06). With detach the texts are copies, which do not keep the message in
// memory. Collect appends to dst, whose capacity must be zeroed.
func (p *Plan) Collect(dst []Text, args strictjson.Value, strict, detach bool) (texts []Text, problems []Problem, ignored []string) {
	texts = slices.Grow(dst, len(p.Arguments))[:len(p.Arguments)]
	for name, v := range args.Members() {
		i := p.Find(name)
		if detach && i < 0 {
			// An unknown name is kept for the log, and must not keep the whole message in
			// memory.
			name = strings.Clone(name)
		}
		isString := v.Kind() == strictjson.String
		switch {
		case i >= 0:
			texts[i] = Text{Value: v.Text(), Given: isString, notString: !isString}
			if !isString {
				// A number in place of a string is the most common error of clients. The
				// message shows the string that was meant.
				texts[i].Value = ExampleOf(v)
			}
			if detach {
				texts[i].Value = strings.Clone(texts[i].Value)
			}
		// The total is exact, but a message for each of a million names would be work for
		// nobody.
		case (strict || !isString) && len(problems) >= MaxProblems:
			problems = append(problems, undeclared(name)) // only counted
		case !isString:
			problems = append(problems, p.undeclaredNotString(name, ExampleOf(v)))
		case strict:
			problems = append(problems, p.Undeclared(name))
		case len(ignored) < MaxProblems:
			ignored = append(ignored, strings.Clone(phrase.Clip(name, phrase.MaxEcho)))
		}
	}
	return texts, problems, ignored
}

// ExampleOf returns the text that was meant by a value that is not a string; "" if
// that is not clear.
func ExampleOf(v strictjson.Value) string {
	const most = 64
	if raw := v.Raw(); v.Kind() != strictjson.Null && len(raw) <= most {
		return raw
	}
	return ""
}

// CollectTexts is Collect for strings. notStrings are the names of other values, and
// examples what they could be as strings, by ExampleOf.
func (p *Plan) CollectTexts(args map[string]string, notStrings []string, examples map[string]string, strict bool) (texts []Text, problems []Problem, ignored []string) {
	texts = make([]Text, len(p.Arguments))
	for _, name := range notStrings {
		if _, ok := args[name]; ok {
			continue
		}
		if i := p.Find(name); i >= 0 {
			texts[i] = Text{Value: examples[name], notString: true}
		} else {
			problems = append(problems, p.undeclaredNotString(strings.ToValidUTF8(name, "\ufffd"), examples[name]))
		}
	}
	var others []string
	for name, value := range args {
		if i := p.Find(name); i >= 0 {
			texts[i] = Text{Value: value, Given: true}
		} else {
			others = append(others, name)
		}
	}
	// A map has no order, and the response should not change from call to call.
	slices.Sort(others)
	for _, name := range others {
		if strict {
			problems = p.addUndeclared(problems, name)
		} else if len(ignored) < MaxProblems {
			ignored = append(ignored, strings.ToValidUTF8(phrase.Clip(name, phrase.MaxEcho), "\ufffd"))
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Argument, b.Argument) })
	return texts, problems, ignored
}

// Fill fills the struct v with the texts, and returns the problems of all
// arguments in the declared order.
func (p *Plan) Fill(v reflect.Value, texts []Text) []Problem {
	return p.decode(texts, func(a *Argument, t Text) []Problem {
		return a.value.fill(fieldAt(v, a.Index), t)
	})
}

// Texts is Fill for a prompt without a struct. It returns the strings by name,
// defaults included.
func (p *Plan) Texts(texts []Text) (map[string]string, []Problem) {
	byName := make(map[string]string, len(texts))
	problems := p.decode(texts, func(a *Argument, t Text) []Problem {
		byName[a.Name] = t.Value
		return a.value.fill(reflect.Value{}, t)
	})
	return byName, problems
}

// decode calls read for each argument that has a text or a default.
func (p *Plan) decode(texts []Text, read func(*Argument, Text) []Problem) []Problem {
	var problems []Problem
	for i := range p.Arguments {
		a := &p.Arguments[i]
		t, first := texts[i], len(problems)
		// Clients send the empty string for a field of their form that the user left empty.
		if t.Value == "" && a.emptyIsAbsent {
			t.Given = false
		}
		if !t.Given && !t.notString && !t.notTyped && a.hasDefault {
			t = Text{Value: a.defaultValue, Given: true}
		}
		switch {
		case t.notString:
			problems = append(problems, notString(a.Name, t.Value))
		case t.notTyped:
			problem := a.value.notTyped(t.Value)
			problem.Argument = a.Name
			problems = append(problems, *problem)
		case t.Given:
			for _, problem := range read(a, t) {
				problem.Argument = a.Name
				problems = append(problems, problem)
			}
		case a.Required:
			problems = append(problems, Problem{Argument: a.Name, Reason: ReasonMissing, Message: "is required"})
		}
		// Each rule that a secret breaks or keeps says something about the secret.
		if a.Sensitive && len(problems) > first {
			problems = problems[:first+1] // others would reveal more of the value
			a.withhold(&problems[first])
		}
	}
	return problems
}

// fieldAt returns the field at the index, and allocates the embedded pointers on
// the way.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			// Only now, so that a struct whose arguments are all absent keeps its nil pointer.
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// Undeclared returns the problem of an argument that the prompt does not have,
// with a suggestion.
func (p *Plan) Undeclared(name string) Problem {
	u := undeclared(name)
	u.suggest(name, p.names())
	return u
}

// addUndeclared appends the problem of an undeclared argument, which is only counted if
// there are many.
func (p *Plan) addUndeclared(problems []Problem, name string) []Problem {
	if name = strings.ToValidUTF8(name, "\ufffd"); len(problems) < MaxProblems {
		return append(problems, p.Undeclared(name))
	}
	return append(problems, undeclared(name))
}

// undeclaredNotString is Undeclared for a value that is no string, which is not
// ignored.
func (p *Plan) undeclaredNotString(name, example string) Problem {
	if p.HasSensitive {
		example = "" // the name may be that of a sensitive argument, misspelled
	}
	u := notString(name, example)
	u.Message = notDeclared + ", and " + u.Message
	u.suggest(name, p.names())
	return u
}

func (p *Plan) names() []string {
	names := make([]string, len(p.Arguments))
	for i := range p.Arguments {
		names[i] = p.Arguments[i].Name
	}
	return names
}

// Ignored is an argument of a call that the prompt does not declare.
type Ignored struct {
	Argument   string `json:"argument"`
	Suggestion string `json:"suggestion,omitempty"` // the argument that was probably meant
}

// Ignored returns the ignored arguments with the names, and a sentence about them.
func (p *Plan) Ignored(names []string) (ignored []Ignored, sentence string) {
	var meant []string
	for _, name := range names {
		near := nearest.Name(name, p.names())
		ignored = append(ignored, Ignored{name, near})
		if near != "" && !slices.Contains(meant, near) {
			meant = append(meant, near)
		}
	}
	sentence = "ignored arguments: " + phrase.List(names, func(name string) string { return phrase.Choice(phrase.Clip(name, 64)) })
	if meant != nil {
		sentence += " (did you mean " + phrase.List(meant, strconv.Quote) + "?)"
	}
	return ignored, sentence
}
