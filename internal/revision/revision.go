// Package revision is the one table of what each released revision of the
// protocol knows. Code that depends on a revision asks this table; it never
// compares version strings.
package revision

// Revision is a released revision of the protocol. Later revisions are
// greater. The zero value is no revision.
type Revision uint8

// The released revisions, oldest first.
const (
	V20241105 Revision = iota + 1
	V20250326
	V20250618
	V20251125
	V20260728
)

// Shape tells apart the forms in which a prompt is listed: each adds members
// to the one before.
type Shape uint8

// The shapes of a listed prompt.
const (
	ShapeBase   Shape = iota // name, description, arguments
	ShapeTitled              // adds title and _meta
	ShapeIcons               // adds icons
	Shapes                   // their number
)

type traits struct {
	version      string
	served       bool  // this library answers it
	stateless    bool  // no handshake: every request carries its envelope
	shape        Shape // of a listed prompt
	titles       bool  // title, _meta on what is sent, annotations.lastModified
	icons        bool  // icons; description and websiteUrl of an implementation
	audio        bool  // audio content
	resourceLink bool  // resource_link content
}

var table = [...]traits{
	V20241105: {version: "2024-11-05"},
	V20250326: {version: "2025-03-26", audio: true},
	V20250618: {version: "2025-06-18", audio: true, titles: true, resourceLink: true, shape: ShapeTitled},
	V20251125: {version: "2025-11-25", audio: true, titles: true, resourceLink: true, shape: ShapeIcons, icons: true, served: true},
	V20260728: {version: "2026-07-28", audio: true, titles: true, resourceLink: true, shape: ShapeIcons, icons: true, stateless: true},
}

// Parse returns the revision of a version string. It reports false if there
// is no such revision; whether it is served is another question.
func Parse(version string) (Revision, bool) {
	for r := V20241105; int(r) < len(table); r++ {
		if table[r].version == version {
			return r, true
		}
	}
	return 0, false
}

// All returns every released revision, newest first.
func All() []Revision {
	var rs []Revision
	for r := Revision(len(table) - 1); r >= V20241105; r-- {
		rs = append(rs, r)
	}
	return rs
}

// Newest returns the newest served revision of the handshake era: what is
// offered to a client that asks for one that is not served (LIF-07).
func Newest() Revision {
	for _, r := range All() {
		if r.Served() && !r.Stateless() {
			return r
		}
	}
	panic("revision: no handshake revision is served")
}

// Served reports whether this library answers the revision.
func (r Revision) Served() bool { return table[r].served }

// Stateless reports whether the revision has no handshake and every request
// carries its own envelope.
func (r Revision) Stateless() bool { return table[r].stateless }

// Shape returns the form of a listed prompt.
func (r Revision) Shape() Shape { return table[r].shape }

// Titles reports whether the revision knows titles, _meta on prompts and
// content, and annotations.lastModified.
func (r Revision) Titles() bool { return table[r].titles }

// Icons reports whether the revision knows icons, and the description and
// website of an implementation.
func (r Revision) Icons() bool { return table[r].icons }

// Audio reports whether a message may be audio.
func (r Revision) Audio() bool { return table[r].audio }

// ResourceLink reports whether a message may be a resource link.
func (r Revision) ResourceLink() bool { return table[r].resourceLink }

// String returns the version string, such as "2025-11-25".
func (r Revision) String() string { return table[r].version }
