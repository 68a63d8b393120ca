// Package portable finds prompts that the known clients cannot show.
package portable

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// CheckedOn is the day of the newest observation.
var CheckedOn = slices.MaxFunc(hosts.Table, func(a, b hosts.Host) int { return strings.Compare(a.Seen, b.Seen) }).Seen

// Rules are the limits of clients for prompts, in the order of the clients' names.
var Rules = rulesOf(hosts.Table)

func rulesOf(table []hosts.Host) (rules []Rule) {
	for _, h := range table {
		for _, l := range h.Limits {
			isServed := len(h.Clients) > 0
			switch l.Kind {
			case hosts.OnePage, hosts.NoToolAudio, hosts.NoToolLinks, hosts.JoinedTexts, hosts.StructuredOnly: // not of a prompt
			case hosts.OneMessage, hosts.OneWordValues, hosts.Dollars, hosts.Commands, hosts.NoEmptyServer, hosts.EmptyFields, hosts.HiddenErrors: // the server makes up for it
			default:
				if l.Kind == hosts.UserOnly && isServed {
					continue // the server makes up for it
				}
				rules = append(rules, Rule{Client: h.Name, Effect: l.Effect, Source: l.Source, Seen: h.Seen, cannot: limitation(l.Kind), isServed: isServed, most: hosts.ToolBytesOf[h.Name]})
			}
		}
	}
	return rules
}

type Rule struct {
	Client string
	// Effect is what the client does with a prompt that it cannot show.
	Effect string
	// Source is the URL of the client's code, of the issue, or of the run that says so.
	Source string
	// Seen is the day of the observation.
	Seen   string
	cannot limitation
	// isServed reports whether the server knows the client by its name, and so sends
	// the client text in place of other content.
	isServed bool
	// most is the number of bytes that the client keeps of the result of a tool.
	most int
}

func (r *Rule) HasNoPrompts() bool { return r.cannot == limitation(hosts.NoPrompts) }

// IsTotal reports whether a client with the limit cannot use the prompt at all. UserOnly is a rule of
// a client that rejects the prompt.
func (r *Rule) IsTotal() bool {
	return slices.Contains([]hosts.Kind{hosts.NoPrompts, hosts.OneArgument, hosts.Placeholders, hosts.UserOnly, hosts.AlternatingOnly, hosts.OwnNames}, hosts.Kind(r.cannot))
}

func (r *Rule) IsOfTools() bool { return r.cannot == limitation(hosts.ToolBytes) }

// Limit returns the limitation, such as "one argument".
func (r *Rule) Limit() string { return hosts.Limits[hosts.Kind(r.cannot)] }

// Find returns which part of a prompt the client cannot show, such as "2 arguments", or
// the empty string. results are what the prompt becomes.
func (r *Rule) Find(p *prompts.Prompt, results []*prompts.Result) string {
	if what := r.cannot.in(p); what != "" {
		return what
	}
	if r.cannot == limitation(hosts.OwnNames) && slices.Contains(strings.Fields(hosts.OwnNamesOf[r.Client]), p.Name) {
		return "name of a command or skill of the client"
	}
	for _, result := range results {
		if what := r.inResult(result); what != "" {
			return what
		}
	}
	return ""
}

// fixes are what an author can do about a limit.
var fixes = map[hosts.Kind]string{
	hosts.OneArgument:     "Declare one argument",
	hosts.Placeholders:    "Print the argument unchanged in a template",
	hosts.NamedOptional:   "Declare the argument as required",
	hosts.NoDefaults:      "Write the prompt so that an empty value works",
	hosts.NoSpaces:        "Write the name without spaces",
	hosts.PlainNames:      "Write the name with ASCII letters, digits and _ . / -",
	hosts.TextOnly:        "Send text",
	hosts.UserOnly:        "Send one message of the user",
	hosts.AlternatingOnly: "Let the roles take turns, the user first",
	hosts.ToolBytes:       "Send a shorter text",
	hosts.OwnNames:        "Choose another name",
	hosts.NoPrompts:       "Serve the prompts as tools by package prompttools",
}

// Fix returns the likely fix, without a period.
func (r *Rule) Fix() string { return fixes[hosts.Kind(r.cannot)] }

// limitation is a limit of a client for prompts.
type limitation hosts.Kind

// plainName has "/", too, which a host may replace: names of files in folders stay readable.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_./-]*$`)

func (l limitation) in(p *prompts.Prompt) string {
	switch hosts.Kind(l) {
	case hosts.OneArgument:
		if n := len(p.Arguments); n > 1 {
			return fmt.Sprintf("%d arguments", n)
		}
	case hosts.Placeholders:
		for _, a := range p.Arguments {
			if why := unprinted(a); why != "" {
				return fmt.Sprintf("argument %s is %s", a.Name, why)
			}
		}
	case hosts.NamedOptional:
		// The server lists an only argument as required.
		if i := slices.IndexFunc(p.Arguments, func(a prompts.Argument) bool { return !a.Required }); i >= 0 && len(p.Arguments) > 1 {
			return fmt.Sprintf("argument %s is optional", p.Arguments[i].Name)
		}
	case hosts.NoDefaults:
		for _, a := range p.Arguments {
			if s := schema.Of(a.Schema); s != nil && s.Default != nil {
				return fmt.Sprintf("argument %s has a default", a.Name)
			}
		}
	case hosts.NoSpaces:
		if strings.ContainsFunc(p.Name, unicode.IsSpace) {
			return "name has a space"
		}
	case hosts.PlainNames:
		if !plainName.MatchString(p.Name) {
			return "name has more than ASCII letters, digits and _ . / -"
		}
	}
	return ""
}

func unprinted(a prompts.Argument) string {
	of := ""
	if s := schema.Of(a.Schema); s != nil {
		of = s.Type
	}
	switch {
	case a.Sensitive:
		return "sensitive"
	case of == "integer" || of == "number":
		return "a number"
	case of == "boolean":
		return "a boolean"
	case of == "array":
		return "a list"
	case of == "object":
		return "a JSON object"
	case !a.Verbatim:
		return "not only printed"
	}
	return ""
}

func (r *Rule) inResult(result *prompts.Result) string {
	switch hosts.Kind(r.cannot) {
	case hosts.TextOnly:
		for i, m := range result.Messages {
			if kind, becomesText := kindOf(m.Content); kind != "text" && (!r.isServed || !becomesText) {
				return fmt.Sprintf("message %d is not text but %s", i+1, kind)
			}
		}
	case hosts.UserOnly:
		for i, m := range result.Messages {
			if m.Role != prompts.RoleUser {
				return fmt.Sprintf("message %d is the assistant's", i+1)
			}
		}
	case hosts.ToolBytes:
		size := 0
		for _, m := range result.Messages {
			if t, ok := m.Content.(*prompts.Text); ok {
				size += len(t.Text)
			}
		}
		if size > r.most {
			return fmt.Sprintf("%d bytes of text", size)
		}
	case hosts.AlternatingOnly:
		for i, m := range result.Messages {
			if (m.Role == prompts.RoleUser) != (i%2 == 0) {
				return fmt.Sprintf("message %d is of the role %s, so the roles do not take turns", i+1, m.Role)
			}
		}
	}
	return ""
}

// kindOf returns the kind of content in words, and whether the server sends text in its
// place to a client that reads nothing else.
func kindOf(c prompts.Content) (kind string, becomesText bool) {
	switch c := c.(type) {
	case *prompts.Text:
		return "text", true
	case *prompts.Image:
		return "an image", false
	case *prompts.Audio:
		return "audio", true
	case *prompts.ResourceLink:
		return "a resource link", true
	case *prompts.EmbeddedResource:
		if c.Blob != nil {
			return "a resource with binary data", false
		}
	}
	return "a resource", true
}
