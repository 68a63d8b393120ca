package prompttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/markdown"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

// This file renders prompts with values as users type them, and finds what breaks.

const (
	fences     = "one\n`````\ntwo\n~~~~~\nthree"
	asTemplate = `{{print "tame" "less"}}`
	executed   = "tameless"
	special    = "a `b` (c[d\\e" // in regular expressions, globs and JSON
)

// fenced finds fences in a text, reindented or in a quote, too.
var fenced = regexp.MustCompile("one\n[ \t>]*`````\n[ \t>]*two\n[ \t>]*~~~~~\n[ \t>]*three")

// difficultTexts are values for strings. Cut at any byte, one of a pair of long ones is no
// UTF-8. An argument may have a limit that only allows the first pair.
var difficultTexts = []string{
	"two words", "50% of %d", `say "hi"`, special, fences, asTemplate, " ",
	strings.Repeat("漢字", 60), "a" + strings.Repeat("é漢", 60), strings.Repeat("long", 1<<10),
	strings.Repeat("漢字", 1<<9), "a" + strings.Repeat("é漢", 1<<9),
}

var untameNumbers = []string{"0", "-1", "100", "1000000"}

// difficultValues returns values for an argument, and the string in each, or "".
func difficultValues(a *prompts.Argument) (values, parts []string) {
	s := schema.Of(a.Schema)
	if sample.IsString(s) {
		return difficultTexts, difficultTexts
	}
	kinds := schema.TypesOf(s)
	isList := slices.Contains(kinds, "array")
	switch {
	case slices.Contains(kinds, "integer") || slices.Contains(kinds, "number"):
		return untameNumbers, make([]string, len(untameNumbers))
	case isList && (s.Items == nil || sample.IsString(s.Items)):
		all := golden.JSON(difficultTexts)
		return []string{"[]", all}, []string{"[]", all}
	case isList:
		values, parts = []string{"[]"}, []string{"[]"}
	}
	for _, v := range sample.Empty(a.Name, s) {
		values, parts = append(values, v), append(parts, "[]")
		break
	}
	for _, word := range difficultTexts {
		around := sample.Around(word, a.Name, s)
		if len(around) == 0 || slices.Contains(values, around[0]) {
			break // the value has no string that may be any
		}
		values, parts = append(values, around[0]), append(parts, word)
	}
	return values, parts
}

// checkValues reports the arguments that break the prompt with a difficult value, or by their
// absence, and those whose declaration contradicts itself.
func (c *checker) checkValues(p *prompts.Prompt, base *rendering) {
	c.t.Helper()
	c.inspect(p, base, base, "")
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if !a.Required {
			without := maps.Clone(base.Arguments)
			delete(without, a.Name)
			c.try(p, base, without, "")
		}
		values, parts := difficultValues(a)
		// With many arguments, each gets some of the values, and the next argument others.
		e := c.effort(p)
		some := max(1, (e.most/3-e.calls)/(len(p.Arguments)-i))
		for n := range min(some, len(values)) {
			j := n
			if some < len(values) {
				j = (i*some + n) % len(values)
			}
			v := values[j]
			with := maps.Clone(base.Arguments)
			with[a.Name] = v
			if reason := c.try(p, base, with, parts[j]); reason == problem.Type || reason == problem.Enum {
				break // no string is valid, but few
			}
		}
		c.checkCompletions(p, a, base)
		c.checkDefault(p, a, base)
	}
}

// try renders a prompt, and reports a failure and what the value of an argument has broken.
// It returns the reason of an error about arguments.
func (c *checker) try(p *prompts.Prompt, base *rendering, arguments map[string]string, value string) (reason problem.Reason) {
	c.t.Helper()
	got, err := c.get(p, arguments)
	if got != nil {
		c.inspect(p, base, got, value)
		return ""
	}
	for _, reason := range problem.Reasons(err) {
		return reason
	}
	if e := clientError(err); e != nil && e.Code != prompts.CodeInternalError {
		return "" // which the function has chosen
	}
	const most = 4 // failures of a prompt whose records are read
	if c.effort(p).failures++; c.effort(p).failures > most {
		return ""
	}
	changed := changes(base.Arguments, arguments)
	text := c.text(err, changed, 0)
	repair := repairOf(text, "Accept the value, or reject it with prompts.InvalidArgument.")
	kind := "fails " + repair
	if c.logged == nil { // so nothing says why
		kind += list(changed)
	}
	c.errorfOnce(p, kind, "rendering failed %s\n\t%s", text, repair)
	return ""
}

func changes(base, arguments map[string]string) map[string]string {
	changed := maps.Clone(arguments)
	maps.DeleteFunc(changed, func(name, v string) bool { return base[name] == v })
	if len(changed) == 0 { // one is absent
		return arguments
	}
	return changed
}

func repairOf(text, other string) string {
	for _, r := range []struct{ part, remedy string }{
		{"out of range", "Check the length before you use an index."},
		{"value of a sensitive argument", "Remove the value from the link."},
		{"uri: ", "Escape the value in the URI by url.PathEscape or url.QueryEscape."},
		{"UTF-8", "Cut strings between characters, not between bytes: convert to []rune."},
		{"template:", "Pass the value to Execute. Do not parse the value as a template."},
		{"error parsing regexp", "Quote the value by regexp.QuoteMeta."},
		{"divide by zero", "Check the number before you divide by it."},
		{"nil pointer", "Check an optional argument for nil."},
	} {
		if strings.Contains(text, r.part) {
			return r.remedy
		}
	}
	return other
}

// residues are texts that a bug leaves in place of a value. Each may be a text of the author. Each
// pattern begins with a literal, which makes the search fast.
var residues = []struct {
	kind   string
	text   *regexp.Regexp
	remedy string
}{
	{"format", regexp.MustCompile(`%!.?\([^)\n]*`), `A value is part of a format of package fmt, or does not fit its verb. Write fmt.Sprintf("… %v", value).`},
	{"absence", regexp.MustCompile(`<no value>|<nil>`), absentRemedy},
	{"absence", regexp.MustCompile(`0001-01-01\b`), absentTimeRemedy},
	{"absence", regexp.MustCompile(`Jan(?:uary)? 0?1, 0001\b`), absentTimeRemedy},
	{"pointer", regexp.MustCompile(`0x[0-9a-f]{9,14}\b`), absentRemedy},
}

const (
	absentRemedy     = "Write the value of a pointer, and nothing for an absent argument."
	absentTimeRemedy = "Write nothing for an absent time: check the time with IsZero."
)

// inspect reports what a value of an argument, or none, has broken in a result.
func (c *checker) inspect(p *prompts.Prompt, base, got *rendering, value string) {
	c.t.Helper()
	with := "with " + list(changes(base.Arguments, got.Arguments))
	if got == base {
		with = "with " + list(got.Arguments)
	}
	report := func(kind, text, remedy string) {
		c.t.Helper()
		c.errorfOnce(p, kind, "%s: got %s\n\t%s", with, phrase.Quote(text), remedy)
	}
	for _, r := range residues {
		for _, at := range r.text.FindAllStringIndex(got.Form, -1) {
			if c.isResidue(p, base, got, value, r.kind, at[0], at[1]) {
				report(r.remedy, lineAt(got.Form, at[0]), r.remedy)
				break
			}
		}
	}
	if at := strings.Index(got.Form, executed); at >= 0 && strings.Contains(value, asTemplate[:7]) {
		report("template", lineAt(got.Form, at), "The value is executed as a template. Pass the value to Execute instead.")
	}
	for _, text := range golden.Texts(got.Result) {
		for _, at := range fenced.FindAllStringIndex(text, -1) {
			rest, _, _ := strings.Cut(text[at[1]:], "\n")
			if begin := strings.LastIndexByte(text[:at[0]], '\n') + 1; isRow(text[begin:at[0]] + rest) {
				report("table", text[begin:at[1]]+rest, "The value ends the row of the table. Replace line ends and | in the value.")
			}
			// The value before may have begun a block, too.
			blocks := markdown.Blocks(fenced.ReplaceAllString(text[:at[0]], ""))
			if n := len(blocks); n > 0 && blocks[n-1].IsOpen && len(blocks[n-1].Fence) <= 5 {
				report("fence", text[max(0, at[0]-8):at[1]], "The value ends the code block. Write the block by prompts.Fence, or by {{fence .language .code}} in a template.")
			}
		}
	}
	// An author who passes JSON on has examples of JSON.
	for name := range changes(base.Arguments, got.Arguments) {
		if own := base.Arguments[name]; strings.HasPrefix(own, "{") && json.Valid([]byte(own)) && sample.IsString(c.schemaOf(p, name)) {
			return
		}
	}
	before := documents(base.Result)
	for i, doc := range documents(got.Result) {
		// A whole document is JSON of the user.
		if !json.Valid([]byte(doc)) && i < len(before) && json.Valid([]byte(before[i])) && value != fences && strings.TrimSpace(doc) != strings.TrimSpace(value) {
			report("json", doc, "The value breaks the JSON. Encode the value by json.Marshal.")
		}
	}
}

func isRow(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 1 && line[0] == '|' && line[len(line)-1] == '|'
}

func (c *checker) schemaOf(p *prompts.Prompt, argument string) *jsonschema.Schema {
	for _, a := range p.Arguments {
		if a.Name == argument {
			return schema.Of(a.Schema)
		}
	}
	return nil
}

// isResidue reports whether a text in a result is what a bug leaves, and not a text of the
// author or of an argument.
func (c *checker) isResidue(p *prompts.Prompt, base, got *rendering, value, kind string, begin, end int) bool {
	text := got.Form[begin:end]
	for _, v := range got.Arguments {
		if strings.Contains(v, text) {
			return false
		}
	}
	count := func(r *rendering) int { return strings.Count(r.Form, text) }
	switch {
	case kind == "pointer": // another one in each run, near a new one of this process
		near := fmt.Sprintf("%p", new(int))
		if digits := len(near) - 8; len(text) != len(near) || text[:digits] != near[:digits] {
			return false
		}
		again, _ := c.get(p, got.Arguments)
		return again != nil && count(again) == 0
	case got != base && count(got) <= count(base):
		return false
	case kind == "format":
		return strings.Contains(value, "%") || slices.ContainsFunc(slices.Collect(maps.Values(got.Arguments)), func(v string) bool { return v != "" && strings.Contains(text, v) })
	}
	// The text is in the place of a value if the base has the same line up to there.
	line := got.Form[strings.LastIndexByte(got.Form[:begin], '\n')+1 : begin]
	return got != base && strings.Contains(base.Form, line) && !strings.Contains(base.Form, line+text)
}

// documents returns the parts of a result that say that they are JSON.
func documents(r *prompts.Result) []string {
	var all []string
	for _, m := range r.Messages {
		switch c := m.Content.(type) {
		case *prompts.EmbeddedResource:
			if kind, _, _ := strings.Cut(c.MIMEType, ";"); kind == "application/json" || strings.HasSuffix(kind, "+json") {
				all = append(all, c.Text)
			}
		case *prompts.Text:
			for _, block := range markdown.Blocks(c.Text) {
				if block.Language == "json" {
					all = append(all, strings.TrimSuffix(block.Content, "\n"))
				}
			}
		}
	}
	return all
}

var ruled = []problem.Reason{problem.Type, problem.Enum, problem.Format, problem.Pattern, problem.Length, problem.Range, problem.Schema}

const mostCompleted = 100

// checkCompletions reports a completion that the rules of its argument reject. A completion
// that the user continues, such as the name of a folder, is not the value.
func (c *checker) checkCompletions(p *prompts.Prompt, a *prompts.Argument, base *rendering) {
	c.t.Helper()
	if a.Complete == nil {
		return
	}
	values := c.completions(p, a, "", base.Arguments)
	c.completions(p, a, special, base.Arguments) // which reports a failure
	for i := 0; i < len(values) && i < mostCompleted; i++ {
		v := values[i]
		with := maps.Clone(base.Arguments)
		with[a.Name] = v
		_, err := c.get(p, with)
		if !slices.Contains(ruled, problem.Reasons(err)[a.Name]) {
			continue
		}
		longer := slices.DeleteFunc(slices.Clone(c.completions(p, a, v, base.Arguments)), func(more string) bool {
			return !strings.HasPrefix(more, v) || slices.Contains(values, more)
		})
		if values = append(values[:len(values):len(values)], longer...); len(longer) > 0 {
			continue
		}
		c.errorf(p, "argument %q: Complete returns %s, which the rules of the argument reject: %s\n\tReturn only valid values, or change the rules.", a.Name, phrase.Quote(v), clientError(err).Message)
		return
	}
}

// defaultsNamed find the default in a description: "default: en", "(default en)", and "`en` by
// default" or "10 by default".
var defaultsNamed = []*regexp.Regexp{
	regexp.MustCompile("(?i)(?:\\bdefault(?:s to| value is| is|:| ?=) *|\\(default )([\"'`“][^\"'`“”]+[\"'`”]|[^\"'`“”\\s,;()][^\"'`“”,;()]*?)(?:[.,;)](?:\\s|$)|\\)|$)"),
	regexp.MustCompile("(?i)([\"'`“][^\"'`“”]+[\"'`”]|\\b[0-9]+) by default\\b"),
}

// noDefault are words that say that the argument has no default.
var noDefault = []string{"", "none", "empty", "all", "no", "nothing", "the"}

// checkDefault reports a default that only the description of an argument has. A number, a
// boolean, a value of an enum and a text in quotes is a value, and the result with the value
// must be the one without the argument. Other words may be prose, such as "current": then the
// result without the argument must not be the one with the value, less the value.
func (c *checker) checkDefault(p *prompts.Prompt, a *prompts.Argument, base *rendering) {
	c.t.Helper()
	s := schema.Of(a.Schema)
	isDeclared := s != nil && s.Default != nil
	if a.Required {
		return
	}
	for _, r := range defaultsNamed {
		named := r.FindStringSubmatch(a.Description)
		if named == nil {
			continue
		}
		value := strings.Trim(named[1], "\"'`“”")
		isValue := value != named[1] || !sample.IsString(s) || slices.Contains(sample.Finite(s), value)
		if slices.Contains(noDefault, strings.ToLower(value)) || isDeclared && !isValue {
			continue
		}
		with, without := maps.Clone(base.Arguments), maps.Clone(base.Arguments)
		with[a.Name] = value
		delete(without, a.Name)
		given, _ := c.get(p, with)
		absent, err := c.get(p, without)
		if given == nil || absent == nil && problem.Reasons(err) == nil || absent != nil && (absent.Form == given.Form || !isValue && strings.ReplaceAll(given.Form, value, "") != absent.Form) {
			continue
		}
		what, remedy := "no default is declared", fmt.Sprintf("Declare the default, such as by the tag default:%q, or correct the description.", value)
		if isDeclared {
			what, remedy = fmt.Sprintf("the declared default is %s", s.Default), "Declare the default of the description, or correct the description."
		}
		c.errorf(p, "argument %q: the description has the default %s, and %s: the result without the argument differs from the result with this value\n\t%s", a.Name, phrase.Quote(value), what, remedy)
		return
	}
}
