package prompttemplate

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/mcp-prompts/prompts"
)

// text is a template: a message's or a partial.
type text struct {
	place         // without a line
	label  string // how an error names it
	source string
	tree   *parse.Tree // nil if it cannot be used
}

// line returns the line in which the node stands.
func (t *text) line(n parse.Node) int {
	return 1 + strings.Count(t.source[:n.Position()], "\n")
}

// at returns where the node stands.
func (t *text) at(n parse.Node) place {
	at := t.place
	at.line = t.line(n)
	return at
}

// set is the messages of one prompt and what they may call.
type set struct {
	messages []Message
	texts    []*text // of the messages; nil for one that is content
	partials map[string]*text
	funcs    template.FuncMap // ours and the author's
	faults   []error
}

func (s *set) fault(format string, args ...any) { s.faultAt(place{}, format, args...) }

func (s *set) faultAt(at place, format string, args ...any) {
	s.faults = append(s.faults, at.fault(fmt.Errorf(format, args...)))
}

// parseAll parses everything that a prompt is made of.
func parseAll(o Options, messages []Message) *set {
	s := &set{messages: messages, partials: map[string]*text{}, funcs: functions()}
	for _, name := range slices.Sorted(maps.Keys(o.Funcs)) {
		s.addFunc(name, o.Funcs[name])
	}
	if len(messages) == 0 {
		s.fault("it has no messages; give at least one, such as User(text)")
	}
	for i, m := range messages {
		s.texts = append(s.texts, s.message(place{message: i + 1}, m))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Partials)) {
		s.addPartial(name, o.Partials[name])
	}
	return s
}

// addFunc adds a function of the author's.
func (s *set) addFunc(name string, f any) {
	if _, ours := s.funcs[name]; ours {
		s.fault("function %q: the name is taken by this package; give it another", name)
		return
	}
	if v := reflect.ValueOf(f); v.Kind() != reflect.Func || v.IsNil() {
		s.fault("function %q: it is no function, or nil", name)
		return
	}
	if err := tryFunc(name, f); err != nil {
		s.fault("function %q: %v", name, err)
		return
	}
	s.funcs[name] = f
}

// tryFunc returns what text/template panics with for a function that it does
// not take.
func tryFunc(name string, f any) (err any) {
	defer func() { err = recover() }()
	template.New("").Funcs(template.FuncMap{name: f})
	return nil
}

// message checks a message and parses its text.
func (s *set) message(at place, m Message) *text {
	if m.Role != prompts.RoleUser && m.Role != prompts.RoleAssistant {
		s.faultAt(at, "role %q is neither %q nor %q; use User or Assistant", m.Role, prompts.RoleUser, prompts.RoleAssistant)
	}
	switch {
	case m.Content == nil && m.Text == "":
		s.faultAt(at, "it is empty; set Text or Content")
		return nil
	case m.Content != nil && m.Text != "":
		s.faultAt(at, "it has both Text and Content; make two messages of it")
	case m.Content != nil:
		if v := reflect.ValueOf(m.Content); v.Kind() == reflect.Pointer && v.IsNil() {
			s.faultAt(at, "its Content is a nil pointer")
		}
		return nil
	}
	t := s.parse(at, m.Text)
	if t.tree != nil && parse.IsEmptyTree(t.tree.Root) {
		s.faultAt(at, "its text is empty but for white space and comments")
	}
	return t
}

func (s *set) addPartial(name, source string) {
	at := place{isPartial: true, partial: name}
	if slices.ContainsFunc(s.texts, func(t *text) bool { return t != nil && t.label == name }) {
		s.faultAt(at, "this is what errors call a message; give it another name")
	}
	s.partials[name] = s.parse(at, source)
}

// parse parses one text. Whether its functions exist is checked later, for
// all of them.
func (s *set) parse(at place, source string) *text {
	t := &text{place: at, label: at.String(), source: source}
	trees := map[string]*parse.Tree{}
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(source, "", "", trees, s.funcs); err != nil {
		line, message, _ := strings.Cut(strings.TrimPrefix(err.Error(), "template: :"), ": ")
		at.line, _ = strconv.Atoi(line)
		s.faultAt(at, "%s", explain(message))
		return t
	}
	defines := false
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		if trees[name] != tree {
			defines = true
			s.faultAt(t.at(trees[name].Root), "it defines the template %q; put that into Options.Partials", name)
		}
	}
	if !defines {
		tree.ParseName = t.label // which is in the errors of the execution
		t.tree = tree
	}
	return t
}

const (
	literal     = `a literal {{ is written {{"{{"}}`
	otherSyntax = "this is another language's template; write such as {{if .name}} and {{end}}; " + literal
)

// explanations say what to write instead, by how text/template's message
// begins.
var explanations = []struct{ prefix, advice string }{
	{"unclosed action", "end it with }}"},
	{"bad character U+007D '}'", "end an action with two braces, }}"},
	{"bad character U+002D '-'", `write a name with a hyphen as {{index . "the-name"}}, and a trim marker with a space, as in {{.name -}}`},
	{"bad character", `write a name that is no identifier as {{index . "the name"}}`},
	{"unexpected EOF", "an if, range, with or define has no {{end}}"},
	{"unexpected {{end}}", "there is nothing that it could end"},
	{"unexpected {{else}}", "it belongs into an if, range or with"},
	{"missing value for command", "there is nothing between the braces; " + literal},
	{"undefined variable", "declare it in the same block with {{$name := ...}}"},
	{"unclosed comment", "end it with */}}"},
	{"unrecognized character", "write straight quotes and plain spaces between the braces; " + literal},
	{`unexpected "#"`, otherSyntax},
	{`unexpected "!"`, otherSyntax},
	{`unexpected ">"`, otherSyntax},
	{`unexpected "/"`, otherSyntax},
	{`unexpected "{"`, otherSyntax},
}

// explain returns text/template's message with advice, if there is any.
func explain(message string) string {
	for _, e := range explanations {
		if strings.HasPrefix(message, e.prefix) {
			return message + "; " + e.advice
		}
	}
	return message
}
