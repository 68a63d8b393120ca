package prompttest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/portable"
)

// CheckPortable reports the features of the registry's prompts that known clients do not show:
// several arguments or messages, messages of the assistant, content other than text, and names with
// spaces or other characters. Each finding names the source and the date of the observation.
//
// With names of clients, CheckPortable reports the findings for these clients
// through t.Errorf. Without names, it logs the findings for all known clients: run
// go test -v. In both cases it reports prompts that fail to render.
func CheckPortable(t testing.TB, reg *prompts.Registry, o CheckOptions, clients ...string) {
	t.Helper()
	known := map[string]bool{}
	for _, r := range portable.Rules {
		known[r.Client] = true
	}
	for _, name := range clients {
		if !known[name] {
			t.Errorf("prompttest: unknown client %q; expected one of %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	report := t.Errorf
	if len(clients) == 0 {
		report = t.Logf
	}
	isMeant := func(r portable.Rule) bool { return len(clients) == 0 || slices.Contains(clients, r.Client) }
	c := newChecker(t, reg, o)
	for _, r := range portable.Rules {
		if isMeant(r) && r.HasNoPrompts() && len(c.prompts) > 0 {
			report("%s %s (%s, seen on %s)\n\t%s.", r.Client, r.Effect, r.Source, r.Seen, r.Fix())
		}
	}
	for i := range c.prompts {
		p := &c.prompts[i]
		var results []*prompts.Result
		for _, r := range c.renderings(p) {
			results = append(results, r.Result)
		}
		for _, r := range portable.Rules {
			if !isMeant(r) {
				continue
			}
			if what := r.Find(p, results); what != "" {
				report("prompt %q: %s: %s %s (%s, seen on %s)\n\t%s, or leave the client out.", p.Name, what, r.Client, r.Effect, r.Source, r.Seen, r.Fix())
			}
		}
	}
}
