package prompttest

import (
	"slices"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// protocol reads what a server sends in a version of the protocol.
type protocol struct {
	revision.Revision
	note func(format string, args ...any) // what is no error; nil for nobody
}

// Versions returns the protocol versions that a [Client] supports, the oldest first.
func Versions() []string {
	var all []string
	for _, r := range revision.All() {
		all = append(all, r.String())
	}
	slices.Reverse(all)
	return all
}

// protocolOf returns the protocol of a version, the newest for none, and whether there is one.
func protocolOf(version string) (protocol, bool) {
	if version == "" {
		return protocol{Revision: revision.All()[0]}, true
	}
	r, ok := revision.Parse(version)
	return protocol{Revision: r}, ok
}
