package prompttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/trial"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/transport"
)

// This file renders prompts with values as users type them, and finds what breaks.

const (
	fences     = "one\n```\ntwo\n~~~\nthree"
	asTemplate = `{{print "tame" "less"}}`
	executed   = "tameless"
)

// untame are values for strings. Cut at any byte, one of the two long ones is no UTF-8.
var untame = []string{
	"two words", "50% of %d", `say "hi"`, "a `b` c", fences, asTemplate, " ",
	strings.Repeat("漢字", 60), "a" + strings.Repeat("é漢", 60), strings.Repeat("long", 1<<10),
}

// untameValues returns values for an argument of strings, or for a list.
func untameValues(a *prompts.Argument) []string {
	switch s := a.Schema; {
	case s == nil || s.Type == "string" || s.Type == "" && sample.IsString(s):
		return untame
	case s.Type == "array" && (s.Items == nil || sample.IsString(s.Items)):
		return []string{"[]", golden.JSON(untame)}
	case s.Type == "array":
		return []string{"[]"}
	}
	return nil
}

// checkValues reports the arguments that break the prompt with an untame value, or by their
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
		for _, v := range untameValues(a) {
			with := maps.Clone(base.Arguments)
			with[a.Name] = v
			if reason := c.try(p, base, with, v); reason == problem.Type || reason == problem.Enum {
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
	got, refusal := c.get(p, arguments)
	if got != nil {
		c.inspect(p, base, got, value)
		return ""
	}
	for _, reason := range problem.Reasons(refusal.err) {
		return reason
	}
	if e := refusal.err; e != nil && e.Code != prompts.CodeInternalError {
		return "" // which the function has chosen
	}
	const most = 4 // failures of a prompt whose records are read
	if c.effort(p).failures++; c.effort(p).failures > most {
		return ""
	}
	text := refusal.text(c, changes(base.Arguments, arguments), 0)
	c.oncef(p, "fails "+repairOf(text), "rendering failed %s\n\t%s", text, repairOf(text))
	return ""
}

// changes returns the arguments that differ from those of the base, or none.
func changes(base, arguments map[string]string) map[string]string {
	changed := maps.Clone(arguments)
	maps.DeleteFunc(changed, func(name, v string) bool { return base[name] == v })
	if len(changed) == 0 { // one is absent
		return arguments
	}
	return changed
}

// repairOf returns the likely fix of a failure.
func repairOf(text string) string {
	for _, r := range []struct{ part, remedy string }{
		{"out of range", "Check the length before you use an index."},
		{"uri: ", "Escape the value in the URI by url.PathEscape or url.QueryEscape."},
		{"UTF-8", "Cut strings between characters, not between bytes: convert to []rune."},
		{"template:", "Pass the value to Execute. Do not parse the value as a template."},
		{"nil pointer", "Check an optional argument for nil."},
	} {
		if strings.Contains(text, r.part) {
			return r.remedy
		}
	}
	return "Accept the value, or reject it with prompts.InvalidArgument."
}

var (
	formatError = regexp.MustCompile(`%!.?\(`)
	jsonBlock   = regexp.MustCompile("(?s)```json\n(.*?)\n```")
	// leftovers are texts that a missing value or a pointer becomes.
	leftovers = regexp.MustCompile(`<no value>|<nil>|\b0x[0-9a-f]{10,12}\b`)
)

// inspect reports what a value of an argument, or none, has broken in a result.
func (c *checker) inspect(p *prompts.Prompt, base, got *rendering, value string) {
	c.t.Helper()
	given := strings.Join(slices.Collect(maps.Values(got.Arguments)), "\n")
	with := "with " + list(changes(base.Arguments, got.Arguments))
	if got == base {
		with = "with " + list(got.Arguments)
	}
	report := func(kind, text, remedy string) {
		c.oncef(p, kind, "%s: got %s\n\t%s", with, trial.Quote(text), remedy)
	}
	if at := formatError.FindStringIndex(got.Form); at != nil && !strings.Contains(given, "%!") {
		report("format", lineAt(got.Form, at[0]), `A value is part of the format of package fmt. Write fmt.Sprintf("… %s", value).`)
	}
	if at := leftovers.FindStringIndex(got.Form); at != nil && !leftovers.MatchString(given) {
		report("leftover", lineAt(got.Form, at[0]), "Write the value of a pointer, and nothing for an absent argument.")
	}
	if at := strings.Index(got.Form, executed); at >= 0 && strings.Contains(value, asTemplate[:7]) {
		report("template", lineAt(got.Form, at), "The value is executed as a template. Pass the value to Execute instead.")
	}
	for _, text := range golden.Texts(got.Result) {
		if at := strings.Index(text, fences); at >= 0 {
			if fence := openFence(text[:at]); fence != "" && len(fence) <= 3 {
				report("fence", text[max(0, at-8):at+len(fences)], "The value ends the code block. Write the block by prompts.Fence, or by {{fence .language .code}} in a template.")
			}
		}
	}
	for i, doc := range documents(got.Result) {
		if before := documents(base.Result); !json.Valid([]byte(doc)) && i < len(before) && json.Valid([]byte(before[i])) && value != fences {
			report("json", doc, "The value breaks the JSON. Encode the value by json.Marshal.")
		}
	}
}

// documents returns the parts of a result that say that they are JSON.
func documents(r *prompts.Result) []string {
	var all []string
	for _, m := range r.Messages {
		switch c := m.Content.(type) {
		case *prompts.EmbeddedResource:
			if c.MIMEType == "application/json" {
				all = append(all, c.Text)
			}
		case *prompts.Text:
			for _, block := range jsonBlock.FindAllStringSubmatch(c.Text, -1) {
				all = append(all, block[1])
			}
		}
	}
	return all
}

// lineAt returns the line of a text at an offset.
func lineAt(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	if at-begin > 40 {
		line = "…" + strings.ToValidUTF8(text[at-20:at-begin+begin], "") + line[at-begin:]
	}
	return line
}

// ruled are the reasons of the rules that an argument declares.
var ruled = []problem.Reason{problem.Type, problem.Enum, problem.Format, problem.Pattern, problem.Length, problem.Range, problem.Schema}

// checkCompletions reports a completion that the rules of its argument reject.
func (c *checker) checkCompletions(p *prompts.Prompt, a *prompts.Argument, base *rendering) {
	c.t.Helper()
	if a.Complete == nil {
		return
	}
	for _, v := range c.completions(p, a, base.Arguments) {
		with := maps.Clone(base.Arguments)
		with[a.Name] = v
		_, refusal := c.get(p, with)
		if refusal != nil && slices.Contains(ruled, problem.Reasons(refusal.err)[a.Name]) {
			c.errorf(p, "argument %q: Complete returns %s, which the rules of the argument reject: %s\n\tReturn only valid values, or change the rules.", a.Name, trial.Quote(v), refusal.err.Message)
			return
		}
	}
}

// defaultNamed finds the default in a description, such as "default: en" or "(default en)". The
// texts "the default branch" and "by default all of it" name no default.
var defaultNamed = regexp.MustCompile("(?i)(?:\\bdefault(?:s to| value is| is|:| ?=) *|\\(default )[\"'`“]?([^\\s\"'`”,;()]+)[\"'`”]?(?:[.,;)]|$)")

// noDefault are words that say that the argument has no default.
var noDefault = []string{"", "none", "empty", "all", "no", "nothing", "the"}

// checkDefault reports a default that only the description of an argument has: the
// result without the argument is not the result with that value.
func (c *checker) checkDefault(p *prompts.Prompt, a *prompts.Argument, base *rendering) {
	c.t.Helper()
	named := defaultNamed.FindStringSubmatch(a.Description)
	if named == nil || a.Required || a.Schema != nil && a.Schema.Default != nil {
		return
	}
	value := strings.TrimRight(named[1], ".")
	if slices.Contains(noDefault, strings.ToLower(value)) {
		return
	}
	with, without := maps.Clone(base.Arguments), maps.Clone(base.Arguments)
	with[a.Name] = value
	delete(without, a.Name)
	given, _ := c.get(p, with)
	absent, refusal := c.get(p, without)
	if given == nil || absent != nil && absent.Form == given.Form || refusal != nil && problem.Reasons(refusal.err) == nil {
		return
	}
	c.errorf(p, "argument %q: the description has the default %s, and no default is declared: the result without the argument differs from the result with this value\n\tDeclare the default, such as by the tag default:%q, or correct the description.", a.Name, trial.Quote(value), value)
}

// checkRefusal reports an error about an argument that the prompt does not have.
func (c *checker) checkRefusal(p *prompts.Prompt, arguments map[string]string, err *prompts.Error) {
	c.t.Helper()
	if err == nil || err.Code != transport.CodeInvalidParams || c.client.options.ToolName != nil {
		return // a tool has other names
	}
	for name, reason := range problem.Reasons(err) {
		isDeclared := slices.ContainsFunc(p.Arguments, func(a prompts.Argument) bool { return a.Name == name })
		if reason == problem.Refused && !isDeclared {
			c.oncef(p, "refused "+name, "with %s: the function rejects the argument %q, which the prompt does not have; it has %q\n\tCorrect the name in prompts.InvalidArgument.", list(arguments), name, trial.Names(p, false))
		}
	}
}

// oncef is errorf for the first finding of a kind.
func (c *checker) oncef(p *prompts.Prompt, kind, format string, args ...any) {
	c.t.Helper()
	key := p.Name + "\x00" + kind
	if !c.told[key] {
		c.told[key] = true
		c.errorf(p, "%s", fmt.Sprintf(format, args...))
	}
}
