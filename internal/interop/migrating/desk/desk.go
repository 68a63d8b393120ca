// Package desk is what the prompts of docs/migrating.md are about, and what
// their authors would have whichever library they use.
package desk

import "fmt"

// Incident is one that is being looked into.
type Incident struct {
	ID, Service, Summary, Log string
}

var incidents = []Incident{
	{"INC-7", "checkout", "Payments time out", "12:04 timeout after 30s\n12:05 timeout after 30s\n"},
	{"INC-12", "search", "Results are empty", "09:31 index has 0 documents\n"},
	{"INC-13", "search", "Results are late", "10:02 query took 9s\n"},
}

// Find returns an incident.
func Find(id string) (Incident, bool) {
	for _, i := range incidents {
		if i.ID == id {
			return i, true
		}
	}
	return Incident{}, false
}

// IDs returns the ids of all incidents.
func IDs() []string {
	ids := make([]string, len(incidents))
	for i, incident := range incidents {
		ids[i] = incident.ID
	}
	return ids
}

// Commits returns the last n of them, a line each.
func Commits(n int) string {
	text := ""
	for i := range n {
		text += fmt.Sprintf("%07x Change %d\n", 0xabc1230+i, n-i)
	}
	return text
}
