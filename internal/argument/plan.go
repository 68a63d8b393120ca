// Package argument reads the arguments of a prompt: strings of a client become
// Go values, by the Go types and the JSON schemas that the prompt declares.
//
// When a prompt is added, [Compile] makes a [Plan] of the declaration, or returns all errors of
// the declaration (compile.go, compile_struct.go, compile_value.go). A plan is immutable and
// serves all calls. A call takes three steps:
//
//	texts, problems, ignored := plan.Collect(nil, argument.Given{Object: params.Get("arguments")})
//	more := plan.Fill(reflect.ValueOf(&in).Elem(), texts) // plan.Texts without a struct
//	problems = append(problems, more...)                  // all of them go into one error
//
// Collect (collect.go) is the only way from what a client sent to the texts of a plan. The
// plan also describes its arguments (form.go) and completes them
// (complete.go). The package knows neither prompts nor JSON-RPC.
package argument

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/problem"
)

// Spec is what a prompt declares of an argument, in its list or as the field of a struct.
type Spec struct {
	Name        string
	Title       string
	Description string
	Required    bool
	// Sensitive keeps the value out of messages, logs, forms and completions.
	Sensitive bool
	// Verbatim says that the prompt prints the string unchanged and decides nothing
	// by it. Only such an argument may be a placeholder, see Placeholders.
	Verbatim bool
	// Schema is nil for a string without rules. Compile never changes the schema of
	// the caller: the plan holds a copy.
	Schema *jsonschema.Schema
}

// Plan is the compiled form of a prompt's arguments. It is immutable.
//
// After Compile without errors, a plan keeps these invariants:
//   - The names of the arguments are distinct and pass [CheckName].
//   - Arguments are in the declared order, and all positions are indexes into it.
//   - Each argument has a value, and a default that the value accepts.
//   - No sensitive argument has a default.
//
// Any number of goroutines may use a plan at once. Everything that is made later,
// such as an index of completions, is made behind a sync.OnceValue.
type Plan struct {
	Arguments    []Argument
	HasSensitive bool           // whether an argument is sensitive
	byName       map[string]int // nil for a few arguments, see linear
}

// Argument is a compiled argument. Required says that a call without the argument is an error. A
// required argument has no default, because nothing could ever use the default.
type Argument struct {
	Spec        // as declared, completed by the struct and the schema
	Index []int // of the struct's field, see reflect.Value.FieldByIndex
	value *value
	// The default is a string like that of a client, and is read like one. So a
	// default that is a list or an object gives a new Go value in each call, and no
	// call can change the value of another.
	hasDefault   bool
	defaultValue string
	// emptyIsAbsent says that the empty string is no value, but an empty field of a client's form.
	emptyIsAbsent bool
	// admitsNull says that JSON null is a value of the argument. For any other argument,
	// null is the same as leaving the argument out.
	admitsNull bool
}

// Text is what a call gives for one argument. At most one of Given, IsNull, notString and notTyped
// is true. If none is, the argument is absent, and its default applies. A text that is notString or
// notTyped is no absent one: the client sent a value, and a default in its place would hide the
// error.
type Text struct {
	Value  string
	Given  bool
	IsNull bool // the value is null, which the schema admits but no string means: the Go value stays zero
	// IsPlaceholder says that the value is a placeholder that is not checked, see Placeholders.
	IsPlaceholder bool
	notString     bool // the value is no string; Given is false, and Value is the example
	notTyped      bool // the value has another JSON type; Given is false, and Value is its JSON: see Argument.typed
}

// Find returns the position of the argument with the name, and -1 without one. Names are compared
// byte by byte: the protocol has no rule for case or normalization.
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

// Subset returns a plan of the arguments at the positions, which it shares with p. names has
// other names for some of them, whose own name then becomes the title, unless they have one.
// The subset has no map of names and does not set HasSensitive: AppendForm rejects sensitive
// arguments, and an answer is matched to few fields.
func (p *Plan) Subset(positions []int, names map[string]string) *Plan {
	some := &Plan{Arguments: make([]Argument, len(positions))}
	for i, at := range positions {
		some.Arguments[i] = p.Arguments[at]
		if a := &some.Arguments[i]; names[a.Name] != "" {
			a.Title, a.Name = cmp.Or(a.Title, a.Name), names[a.Name]
		}
	}
	return some
}

// OmitEmpty leaves out each empty text that the schema does not state: for clients that send
// "" for every field that the user leaves empty (GAP-21).
func (p *Plan) OmitEmpty(texts []Text) {
	for i := range p.Arguments {
		if texts[i].Given && texts[i].Value == "" && !p.Arguments[i].value.acceptsEmpty(true) {
			texts[i] = Text{}
		}
	}
}

// Fill fills the struct v with the texts, and returns the problems of all arguments in the declared
// order. The texts are those of Collect, one for each argument. v must be addressable and of the
// type given to [Compile]. If there are problems, v is filled in part, and the caller must not use
// it.
func (p *Plan) Fill(ctx context.Context, v reflect.Value, texts []Text) []Problem {
	return p.decode(texts, func(a *Argument, t Text) []Problem {
		return a.value.fill(ctx, fieldAt(v, a.Index), t)
	})
}

// Texts is Fill for a prompt without a struct. It returns the strings by name, defaults
// included. Each string is validated as for a struct, so that a prompt can move to a struct
// without a change for its clients.
func (p *Plan) Texts(ctx context.Context, texts []Text) (map[string]string, []Problem) {
	byName := make(map[string]string, len(texts))
	problems := p.decode(texts, func(a *Argument, t Text) []Problem {
		byName[a.Name] = t.forRender()
		return a.value.fill(ctx, reflect.Value{}, t)
	})
	return byName, problems
}

// All problems are collected before the call fails, so that a client can fix all of
// them at once. The problems of one argument follow each other, and MaxProblems is
// applied later, to all of the response.
func (p *Plan) decode(texts []Text, read func(*Argument, Text) []Problem) []Problem {
	var problems []Problem
	for i := range p.Arguments {
		a := &p.Arguments[i]
		t, first := texts[i], len(problems)
		if t.Given {
			t.Value = a.value.trim(t.Value)
		}
		// Clients send the empty string for a field of their form that the user left empty.
		if t.Value == "" && a.emptyIsAbsent {
			t.Given = false
		}
		// A default is applied after the check of the empty string: an empty field
		// of a form must give the default, and not the empty string.
		if !t.Given && !t.IsNull && !t.notString && !t.notTyped && a.hasDefault {
			t = Text{Value: a.defaultValue, Given: true}
		}
		if t.Given {
			for _, problem := range read(a, t) {
				problem.Argument = a.Name
				problems = append(problems, problem)
			}
		} else if p := a.notGiven(t); p != nil {
			problems = append(problems, *p)
		}
		// Each rule that a secret breaks or keeps says something about the secret.
		if a.Sensitive && len(problems) > first {
			problems = problems[:first+1] // others would reveal more of the value
			a.withhold(&problems[first])
		}
	}
	return problems
}

func (a *Argument) notGiven(t Text) *Problem {
	switch {
	case t.notString:
		p := notString(a.Name, t.Value)
		return &p
	case t.notTyped:
		p := a.value.notTyped(t.Value)
		p.Argument = a.Name
		return p
	case t.IsNull: // a value, so that the argument is not missing
	case a.Required:
		return &Problem{Argument: a.Name, Reason: problem.Missing, Message: "is required"}
	}
	return nil
}

// reflect.Value.FieldByIndex cannot be used here, because that method panics at a
// nil pointer to an embedded struct.
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

// Undeclared returns the problem of an argument that the prompt does not have, with a suggestion.
func (p *Plan) Undeclared(name string) Problem {
	u := undeclared(name)
	u.suggest(name, p.names())
	return u
}

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

// Ignored is an argument of a call that the prompt does not declare. It may be the misspelled
// name of a missing argument. The JSON names are part of the error data.
type Ignored struct {
	Argument   string `json:"argument"`
	Suggestion string `json:"suggestion,omitempty"` // the argument that was probably meant
}

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
