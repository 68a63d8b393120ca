package cases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/regular"
	schemas "github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

// maxErrors is how many errors of a file are reported.
const maxErrors = 100

// New reads the content of a test file. It returns the file with its valid cases, and all errors.
func New(name string, content []byte, parse Parse) (*File, []error) {
	f := &File{Path: name, Line: 1}
	f.Prompt = f.stem()
	raw, lineOf, err := parse(name, content)
	if err != nil {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			return nil, joined.Unwrap()
		}
		return nil, []error{err}
	}
	var value any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if err := numbers.Decode(&value); err != nil {
		return nil, []error{&Error{Path: name, Err: err}}
	}
	d := &decoder{file: f, lineOf: lineOf}
	d.readFile(node{value: value, key: "file"})
	slices.SortStableFunc(d.errs, func(a, b *Error) int { return a.Line - b.Line })
	var errs []error
	for i, e := range d.errs {
		if i == maxErrors {
			errs = append(errs, f.errorAt(e.Line, "fix these first", "too many errors (%d)", maxErrors))
			break
		}
		errs = append(errs, e)
	}
	return f, errs
}

type node struct {
	value any
	at    string // its JSON pointer
	key   string // how an error names it
}

type decoder struct {
	file   *File
	lineOf func(pointer string) int
	errs   []*Error
}

func (d *decoder) line(n node) int { return max(d.lineOf(n.at), 1) }

func (d *decoder) fault(n node, fix, format string, args ...any) {
	d.errs = append(d.errs, d.file.errorAt(d.line(n), fix, format, args...))
}

// meant are words of other programs, and the keys of test files that are probably meant.
var meant = map[string]string{
	"tests": "cases", "case": "name", "regex": "matches", "regexp": "matches", "pattern": "matches", "not_contains": "excludes", "notcontains": "excludes", "not-contains": "excludes",
	"assert": "expect", "output": "expect", "result": "expect",
}

// members returns the members of an object in the order of known, and reports other members.
func (d *decoder) members(n node, known ...string) []node {
	object, ok := n.value.(map[string]any)
	if !ok {
		d.fault(n, "write lines such as "+known[0]+": …", "%s must be key: value pairs, got %s", n.key, found(n.value))
		return nil
	}
	for _, name := range sortedKeys(object) {
		if !slices.Contains(known, name) {
			word := name
			if m := meant[strings.ToLower(name)]; slices.Contains(known, m) {
				word = m
			}
			d.fault(node{at: n.at + "/" + phrase.PointerToken(name)}, explain.Suggestion(word, known), "unknown key %q in %s", name, n.key)
		}
	}
	var all []node
	for _, name := range known {
		if value, ok := object[name]; ok {
			m := node{value, n.at + "/" + name, name}
			if value == nil {
				d.fault(m, "write a value, or remove the key", "%s is empty", name)
				continue
			}
			all = append(all, m)
		}
	}
	return all
}

// elements returns the elements of a list; a single value is a list of one if isOne says so.
func (d *decoder) elements(n node, isOne bool) []node {
	list, ok := n.value.([]any)
	if _, isScalar := textOf(n.value); !ok && isOne && isScalar {
		return []node{n}
	}
	if !ok || len(list) == 0 {
		d.fault(n, "write a list, or remove the key", "%s must be a list with elements, got %s", n.key, found(n.value))
		return nil
	}
	all := make([]node, len(list))
	for i, value := range list {
		all[i] = node{value, n.at + "/" + strconv.Itoa(i), "element of " + n.key}
	}
	return all
}

func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// text returns a text that is not empty, or the empty string after an error.
func (d *decoder) text(n node) string {
	text, ok := textOf(n.value)
	if !ok || text == "" {
		d.fault(n, "write a text", "%s must be a text, got %s", n.key, found(n.value))
	}
	return text
}

func (d *decoder) texts(n node) []Text {
	var all []Text
	for _, e := range d.elements(n, true) {
		if text := d.text(e); text != "" {
			all = append(all, Text{Value: text, Line: d.line(e)})
		}
	}
	return all
}

func (d *decoder) number(n node) *Number {
	number, ok := n.value.(json.Number)
	value, err := strconv.Atoi(number.String())
	if !ok || err != nil || value < 0 {
		d.fault(n, "write a number, for example "+n.key+": 2", "%s must be a non-negative integer, got %s", n.key, found(n.value))
		return nil
	}
	return &Number{value, d.line(n)}
}

func found(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "key: value pairs"
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case nil:
		return "no value"
	}
	text, _ := textOf(value)
	return phrase.Quote(text)
}

func (d *decoder) readFile(n node) {
	if n.value == nil {
		d.fault(n, "write cases: and the cases below it", "file is empty")
		return
	}
	hasCases := false
	for _, m := range d.members(n, "prompt", "cases") {
		switch m.key {
		case "prompt":
			d.file.Prompt, d.file.Line = d.text(m), d.line(m)
		case "cases":
			hasCases = true
			names := map[string]int{}
			for i, e := range d.elements(m, false) {
				e.key = fmt.Sprintf("case %d", i+1)
				if c := d.readCase(e); c != nil {
					if first := names[c.Name]; first > 0 {
						d.fault(node{at: e.at + "/name"}, "rename one", "duplicate case %q (first defined on line %d)", c.Name, first)
						continue
					}
					names[c.Name] = d.line(node{at: e.at + "/name"})
					d.file.Cases = append(d.file.Cases, c)
				}
			}
		}
	}
	if _, ok := n.value.(map[string]any); ok && !hasCases {
		d.fault(n, "write cases: and the cases below it", "file has no cases")
	}
}

// readCase returns a case, or nil if it has errors.
func (d *decoder) readCase(n node) *Case {
	before := len(d.errs)
	c := &Case{File: d.file, Line: d.line(n), Arguments: map[string]string{}, lines: map[string]int{}}
	members := d.members(n, "name", "arguments", "answers", "tags", "expect", "answer")
	for _, m := range members {
		switch m.key {
		case "name":
			if c.Name = d.text(m); c.Name != "" && !isName(c.Name) {
				d.fault(m, "write a short name on one line", "name must be one line of at most %d bytes", maxName)
			}
		case "arguments":
			d.arguments(m, c)
		case "answers":
			for _, e := range d.elements(m, false) {
				c.Answers = append(c.Answers, d.answer(e))
			}
		case "tags":
			c.Tags = []string{}
			for _, t := range d.texts(m) {
				c.Tags = append(c.Tags, t.Value)
			}
		case "expect":
			d.expect(m, c)
		case "answer":
			c.Model = d.model(m)
		}
	}
	if _, ok := n.value.(map[string]any); ok && !slices.ContainsFunc(members, func(m node) bool { return m.key == "name" }) {
		d.fault(n, "write name: and a name", "%s has no name", n.key)
	}
	if c.Model != nil && c.Expect.Error != nil {
		d.fault(node{at: n.at + "/answer"}, "remove one of the two", "case expects an error, and so there is no answer of a model")
	}
	if len(d.errs) > before {
		return nil
	}
	return c
}

func (d *decoder) arguments(n node, c *Case) {
	object, ok := n.value.(map[string]any)
	if !ok {
		d.fault(n, "write lines such as code: x := 1", "arguments must be key: value pairs, got %s", found(n.value))
		return
	}
	for _, name := range sortedKeys(object) {
		m := node{object[name], n.at + "/" + phrase.PointerToken(name), "argument " + strconv.Quote(name)}
		c.lines[name] = d.line(m)
		text, isText := textOf(m.value)
		switch {
		case m.value == nil:
			d.fault(m, `write a value, "" for an empty one, or remove the argument`, "%s has no value", m.key)
		case isText:
			c.Arguments[name] = text
		default:
			c.Arguments[name] = jsonenc.Text(m.value)
		}
	}
}

var actions = []string{"accept", "decline", "cancel"}

func (d *decoder) answer(n node) Answer {
	a := Answer{Action: actions[0], Content: json.RawMessage("{}")}
	hasContent := false
	for _, m := range d.members(n, "message", "action", "content") {
		switch m.key {
		case "message":
			a.Message = d.text(m)
		case "action":
			if a.Action = d.text(m); !slices.Contains(actions, a.Action) {
				d.fault(m, nearest.OneOf(a.Action, actions), "unknown action %q", a.Action)
			}
		case "content":
			hasContent = true
			if _, ok := m.value.(map[string]any); !ok {
				d.fault(m, "write lines such as version: 1.2.0", "content must be key: value pairs, got %s", found(m.value))
			}
			a.Content = json.RawMessage(jsonenc.Text(m.value))
		}
	}
	if hasContent && a.Action != actions[0] {
		d.fault(n, "remove content, or the action", "answer with the action %s has no content", a.Action)
	}
	return a
}

var textKeys = []string{"contains", "excludes", "matches", "maxCharacters"}

func (d *decoder) expectTexts(m node, t *Texts) {
	switch m.key {
	case "contains":
		t.Contains = d.texts(m)
	case "excludes":
		t.Excludes = d.texts(m)
	case "matches":
		t.Matches = d.texts(m)
		for i, one := range t.Matches {
			pattern, err := regexp.Compile(one.Value)
			if err != nil {
				message, fix := explain.Pattern(err, one.Value)
				d.errs = append(d.errs, d.file.errorAt(one.Line, cmp.Or(fix, "correct the regular expression, in single quotes"), "matches: %s", message))
			}
			t.Matches[i].Pattern = pattern
		}
	case "maxCharacters":
		t.MaxCharacters = d.number(m)
	}
}

var roles = []string{string(prompts.RoleUser), string(prompts.RoleAssistant)}

func (d *decoder) expect(n node, c *Case) {
	e := &c.Expect
	e.Line = d.line(n)
	members := d.members(n, append(slices.Clone(textKeys), "messages", "roles", "equals", "json", "error")...)
	for _, m := range members {
		switch m.key {
		case "messages":
			e.Messages = d.number(m)
		case "roles":
			e.Roles = d.texts(m)
			for _, role := range e.Roles {
				if !slices.Contains(roles, role.Value) {
					d.errs = append(d.errs, d.file.errorAt(role.Line, nearest.OneOf(role.Value, roles), "unknown role %q", role.Value))
				}
			}
		case "equals":
			e.Equals = d.golden(m)
		case "json":
			if e.JSON = d.line(m); m.value != true {
				d.fault(m, "write json: true, or remove the key", "json must be true, got %s", found(m.value))
			}
		case "error":
			e.Error = d.expectedError(m)
		default:
			d.expectTexts(m, &e.Texts)
		}
	}
	if e.Error != nil && len(members) > 1 {
		d.fault(n, "remove error, or the other keys", "expect has error and other keys, but an error has no messages")
	}
	if object, ok := n.value.(map[string]any); ok && len(object) == 0 {
		d.fault(n, "write a key such as contains, or remove expect", "expect is empty")
	}
}

// golden returns the path of a golden file from the root of the folder.
func (d *decoder) golden(n node) *Text {
	name := d.text(n)
	full := path.Join(path.Dir(d.file.Path), name)
	extension := strings.ToLower(path.Ext(name))
	switch {
	case name == "":
		return nil
	case strings.ContainsAny(name, `\:`) || path.IsAbs(name) || full == "." || full == ".." || strings.HasPrefix(full, "../"):
		d.fault(n, "write a path with / from the folder of the test file, such as code.golden", "equals must be a file in the folder, got %q", name)
	case regular.IsHidden(full) || strings.HasPrefix(path.Base(full), "."): // which is of no prompt, and may have secrets
		d.fault(n, "rename the file", "equals must not have a name that begins with a dot, got %q", name)
	case extension == ".md" || extension == ".markdown" || IsTestFile(name):
		d.fault(n, "write a name such as code.golden", "equals must not be a prompt or a test file, got %q", name)
	}
	return &Text{Value: full, Line: d.line(n)}
}

// The kinds of errors that are not about arguments.
const (
	kindUnknown  = "unknown"
	kindInternal = "internal"
)

// reasons are the constants of package problem.
var reasons = []string{
	"missing", "unknown", "type", "enum", "format", "pattern", "length", "range", "schema", "refused", "placeholder", "not_string",
}

func (d *decoder) expectedError(n node) *ExpectedError {
	e := &ExpectedError{Line: d.line(n), Reasons: map[string]problem.Reason{}}
	kinds := []string{kindUnknown, kindInternal}
	if kind, ok := n.value.(string); ok {
		if e.Kind = kind; !slices.Contains(kinds, kind) {
			d.fault(n, "write the argument and the reason, such as {code: missing}, or one of: "+strings.Join(kinds, ", "), "unknown error %q", kind)
		}
		return e
	}
	object, ok := n.value.(map[string]any)
	if !ok || len(object) == 0 {
		d.fault(n, "write the argument and the reason, such as {code: missing}", "error must be argument: reason pairs, got %s", found(n.value))
		return e
	}
	for _, name := range sortedKeys(object) {
		m := node{object[name], n.at + "/" + phrase.PointerToken(name), "reason of " + strconv.Quote(name)}
		reason := d.text(m)
		if reason != "" && !slices.Contains(reasons, reason) {
			d.fault(m, nearest.OneOf(reason, reasons), "unknown reason %q", reason)
		}
		e.Reasons[name] = problem.Reason(reason)
	}
	return e
}

func (d *decoder) model(n node) *Model {
	m := new(Model)
	members := d.members(n, append(slices.Clone(textKeys), "schema")...)
	for _, member := range members {
		if member.key != "schema" {
			d.expectTexts(member, &m.Texts)
			continue
		}
		m.Line = d.line(member)
		var schema jsonschema.Schema
		err := json.Unmarshal([]byte(jsonenc.Text(member.value)), &schema)
		if err == nil { // Check, as jsonschema-go follows references without an end
			err = schemas.Check(&schema)
		}
		if err == nil {
			m.Schema, err = schema.Resolve(nil)
		}
		if err != nil {
			message := strings.TrimPrefix(err.Error(), "schema: ")
			d.fault(member, "write a JSON Schema, such as {type: object, required: [summary]}", "invalid schema: %s", message)
		}
	}
	if object, ok := n.value.(map[string]any); ok && len(object) == 0 {
		d.fault(n, "write a key such as contains, or remove answer", "answer is empty")
	}
	return m
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
