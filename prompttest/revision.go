package prompttest

// revision is what a client has to know of a released revision of the
// protocol. The table is the kit's own, so that a fault of the server's cannot
// hide in what both share.
type revision struct {
	version     string
	stateless   bool // no handshake: every request carries its envelope
	audio       bool // audio content
	batches     bool // several messages in an array
	titles      bool // title and _meta on what is listed and on content, annotations.lastModified
	links       bool // resource_link content
	context     bool // completion/complete takes the other arguments
	elicitation bool // the server may ask
	icons       bool
	modes       bool // elicitation has a form and a URL mode
}

var revisions = []revision{
	{version: "2024-11-05"},
	{version: "2025-03-26", audio: true, batches: true},
	{version: "2025-06-18", audio: true, titles: true, links: true, context: true, elicitation: true},
	{version: "2025-11-25", audio: true, titles: true, links: true, context: true, elicitation: true, icons: true, modes: true},
	{
		version: "2026-07-28", audio: true, titles: true, links: true, context: true, elicitation: true, icons: true, modes: true,
		stateless: true,
	},
}

// Versions returns the released revisions of the protocol that a [Client] can
// speak, the oldest first, for a test of all of them.
func Versions() []string {
	var all []string
	for _, r := range revisions {
		all = append(all, r.version)
	}
	return all
}

// revisionOf returns the revision of a version, the newest for none, and nil
// for one that there is not.
func revisionOf(version string) *revision {
	if version == "" {
		return &revisions[len(revisions)-1]
	}
	for i := range revisions {
		if revisions[i].version == version {
			return &revisions[i]
		}
	}
	return nil
}
