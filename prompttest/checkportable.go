package prompttest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-prompts/prompts"
)

// CheckPortable says what of the registry's prompts known clients cannot show:
// several arguments or messages, messages of the assistant, content that is no
// text, names with spaces or other characters. Each finding has its source, and
// the day on which the client was looked at.
//
// It reports what the clients that are named cannot show through t.Errorf, for
// an author who wants to be usable there. Without any, it only logs: for all
// clients that it knows, to be seen with go test -v. A prompt that cannot be
// rendered is reported in either case.
func CheckPortable(t testing.TB, reg *prompts.Registry, o CheckOptions, clients ...string) {
	t.Helper()
	known := map[string]bool{}
	for _, r := range clientRules {
		known[r.client] = true
	}
	for _, name := range clients {
		if !known[name] {
			t.Errorf("prompttest: nothing is known of the client %q, but of %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	report := t.Errorf
	if len(clients) == 0 {
		report = t.Logf
	}
	isMeant := func(r clientRule) bool { return len(clients) == 0 || slices.Contains(clients, r.client) }
	c := newChecker(t, reg, o)
	for _, r := range clientRules {
		if isMeant(r) && r.cannot == noPrompts && len(c.prompts) > 0 {
			report("%s %s (%s, seen on %s)", r.client, r.effect, r.source, lookedAt)
		}
	}
	for i := range c.prompts {
		p := &c.prompts[i]
		all := c.renderings(p)
		for _, r := range clientRules {
			if !isMeant(r) {
				continue
			}
			if what := r.cannot.in(p, all); what != "" {
				report("prompt %q: %s: %s %s (%s, seen on %s)", p.Name, what, r.client, r.effect, r.source, lookedAt)
			}
		}
	}
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]*$`)

// in returns what of a prompt has the limitation, and the empty string for
// nothing.
func (l limitation) in(p *prompts.Prompt, all []*rendering) string {
	switch l {
	case oneArgument:
		if n := len(p.Arguments); n > 1 {
			return fmt.Sprintf("it has %d arguments", n)
		}
	case oneWordValues:
		if n := len(p.Arguments); n > 1 && slices.ContainsFunc(p.Arguments, mayHaveSpaces) {
			return fmt.Sprintf("it has %d arguments, and their values may have spaces", n)
		}
	case noSpaces:
		if strings.ContainsFunc(p.Name, unicode.IsSpace) {
			return "its name has a space"
		}
	case plainNames:
		if !plainName.MatchString(p.Name) {
			return "its name has more than ASCII letters, digits and _ . -"
		}
	}
	for _, r := range all {
		if what := l.inResult(r.result); what != "" {
			return what
		}
	}
	return ""
}

// mayHaveSpaces reports whether a value of an argument may be several words.
func mayHaveSpaces(a prompts.Argument) bool {
	if values := finite(&a); values != nil {
		return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, " ") })
	}
	return a.Schema == nil || a.Schema.Type != "integer" && a.Schema.Type != "number"
}

func (l limitation) inResult(r *prompts.Result) string {
	switch l {
	case oneMessage:
		if n := len(r.Messages); n > 1 {
			return fmt.Sprintf("it has %d messages", n)
		}
	case textOnly:
		for i, m := range r.Messages {
			if _, ok := m.Content.(prompts.Text); !ok {
				head, _, _ := describe(m.Content)
				return fmt.Sprintf("message %d is no text (%s)", i+1, head)
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
