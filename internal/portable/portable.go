// Package portable finds prompts that the known clients cannot show.
package portable

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/sample"
)

// Rule is a limitation of a client.
type Rule struct {
	Client string
	cannot limitation
	// Effect is what the client does with a prompt that it cannot show.
	Effect string
	// Source is the URL of the client's code or of the issue that says so.
	Source string
}

// HasNoPrompts reports whether the client shows no prompts at all.
func (r *Rule) HasNoPrompts() bool { return r.cannot == noPrompts }

// Limit returns the limitation, such as "one argument".
func (r *Rule) Limit() string { return limits[r.cannot] }

// Find returns which part of a prompt the client cannot show, such as "2 arguments", or
// the empty string. results are what the prompt becomes.
func (r *Rule) Find(p *prompts.Prompt, results []*prompts.Result) string {
	return r.cannot.in(p, results)
}

// limitation is a way in which a client cannot show a prompt.
type limitation int

const (
	noPrompts       limitation = iota // no prompts at all
	oneArgument                       // more than one argument
	oneWordValues                     // values with a space in them, beside other arguments
	oneMessage                        // more than one message
	textOnly                          // content that is not text
	userOnly                          // a message of the assistant
	alternatingOnly                   // messages that are not the user's and the assistant's by turns
	noSpaces                          // a name with a space
	plainNames                        // a name with more than ASCII letters, digits and _ . -
)

// limits are the limitations in words, for a table.
var limits = map[limitation]string{
	noPrompts:       "no prompts",
	oneArgument:     "one argument",
	oneWordValues:   "no spaces in values if the prompt has several arguments",
	oneMessage:      "one message",
	textOnly:        "text only",
	userOnly:        "no messages of the assistant",
	alternatingOnly: "messages of the user and the assistant by turns",
	noSpaces:        "no spaces in names",
	plainNames:      "names of ASCII letters, digits, `_`, `.` and `-`",
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]*$`)

// in returns what of a prompt has the limitation, and the empty string for
// nothing.
func (l limitation) in(p *prompts.Prompt, results []*prompts.Result) string {
	switch l {
	case oneArgument:
		if n := len(p.Arguments); n > 1 {
			return fmt.Sprintf("%d arguments", n)
		}
	case oneWordValues:
		if n := len(p.Arguments); n > 1 && slices.ContainsFunc(p.Arguments, mayHaveSpaces) {
			return fmt.Sprintf("%d arguments, whose values may have spaces", n)
		}
	case noSpaces:
		if strings.ContainsFunc(p.Name, unicode.IsSpace) {
			return "name has a space"
		}
	case plainNames:
		if !plainName.MatchString(p.Name) {
			return "name has more than ASCII letters, digits and _ . -"
		}
	}
	for _, r := range results {
		if what := l.inResult(r); what != "" {
			return what
		}
	}
	return ""
}

// mayHaveSpaces reports whether a value of an argument may be several words.
func mayHaveSpaces(a prompts.Argument) bool {
	if values := sample.Finite(a.Schema); values != nil {
		return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, " ") })
	}
	return a.Schema == nil || a.Schema.Type != "integer" && a.Schema.Type != "number"
}

func (l limitation) inResult(r *prompts.Result) string {
	switch l {
	case oneMessage:
		if n := len(r.Messages); n > 1 {
			return fmt.Sprintf("%d messages", n)
		}
	case textOnly:
		for i, m := range r.Messages {
			if kind := kindOf(m.Content); kind != "text" {
				return fmt.Sprintf("message %d is not text but %s", i+1, kind)
			}
		}
	case userOnly:
		for i, m := range r.Messages {
			if m.Role != prompts.RoleUser {
				return fmt.Sprintf("message %d is the assistant's", i+1)
			}
		}
	case alternatingOnly:
		for i, m := range r.Messages {
			if (m.Role == prompts.RoleUser) != (i%2 == 0) {
				return fmt.Sprintf("message %d is of the role %s, so the roles do not take turns", i+1, m.Role)
			}
		}
	}
	return ""
}

func kindOf(c prompts.Content) string {
	switch c.(type) {
	case prompts.Text, *prompts.Text:
		return "text"
	case prompts.Image, *prompts.Image:
		return "an image"
	case prompts.Audio, *prompts.Audio:
		return "audio"
	case prompts.ResourceLink, *prompts.ResourceLink:
		return "a resource link"
	}
	return "a resource"
}
