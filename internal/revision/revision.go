// Package revision is the table of differences between the released protocol versions. Other
// packages ask a [Revision] for a difference instead of comparing version strings. Mounts of an
// older version use the package, so that exported names are only added.
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

// MaxCompletions is the number of values that one completion may have, in every version (CMP-05).
const MaxCompletions = 100

// Shape is the form in which a prompt is listed. Each shape adds members to the shape before it.
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
	stateless    bool  // no initialize: every request has metadata in _meta
	shape        Shape // of a listed prompt
	titles       bool  // title, _meta on what is sent, annotations.lastModified
	icons        bool  // icons; description and websiteUrl of an implementation
	audio        bool  // audio content
	resourceLink bool  // resource_link content
	batches      bool  // several messages in an array
	completions  bool  // the capability of that name
	context      bool  // completion/complete knows the other arguments
	progress     bool  // progress notifications have a message
	nullID       bool  // an error whose request has no readable id says so with null
	elicitation  bool  // the server may ask the client for input
	modes        bool  // elicitation has modes; its forms have defaults and multiple choice
	sampling     bool  // the capability for sampling has parts
	toolHints    bool  // tools have annotations
	structured   bool  // results of tools have structured content, and tools a schema of it
	anyContent   bool  // structured content may be any JSON value
}

var table = [...]traits{
	V20241105: {version: "2024-11-05", nullID: true},
	V20250326: {version: "2025-03-26", nullID: true, audio: true, batches: true, completions: true, progress: true, toolHints: true},
	V20250618: {
		version: "2025-06-18", nullID: true, audio: true, completions: true, progress: true,
		titles: true, resourceLink: true, shape: ShapeTitled, context: true, elicitation: true, toolHints: true, structured: true,
	},
	V20251125: {
		version: "2025-11-25", audio: true, completions: true, progress: true,
		titles: true, resourceLink: true, shape: ShapeIcons, icons: true, context: true, elicitation: true, modes: true, sampling: true, toolHints: true, structured: true,
	},
	V20260728: {
		version: "2026-07-28", audio: true, completions: true, progress: true,
		titles: true, resourceLink: true, shape: ShapeIcons, icons: true, context: true, elicitation: true, modes: true, sampling: true, toolHints: true, structured: true,
		anyContent: true, stateless: true,
	},
}

const Count = len(table) - 1

// HTTPStatus returns the HTTP status of an error with the code, if the request is stateless and its
// metadata is valid. Invalid arguments get 200: a client may take 400 for a server that has another
// revision, and send initialize (GAP-11).
func HTTPStatus(code int) int {
	switch code {
	case -32601: // unknown method
		return 404
	case -32700, -32600, -32020, -32021, -32022: // no request, headers, capability, version
		return 400
	}
	return 200
}

// Parse returns the revision of a version string, and reports whether there is one.
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

// NewestStateful returns the newest revision with sessions: the one that a client is
// offered if it asks for an unknown one (LIF-07).
func NewestStateful() Revision {
	for _, r := range All() {
		if !r.Stateless() {
			return r
		}
	}
	panic("revision: there is no revision with sessions")
}

// Stateless reports whether the revision has no initialize, so that every request
// contains its version and capabilities in _meta.
func (r Revision) Stateless() bool { return table[r].stateless }

func (r Revision) Shape() Shape { return table[r].shape }

// Titles reports whether the revision knows titles, _meta on prompts and
// content, and annotations.lastModified.
func (r Revision) Titles() bool { return table[r].titles }

// Icons reports whether the revision knows icons, and the description and
// website of an implementation.
func (r Revision) Icons() bool { return table[r].icons }

func (r Revision) Audio() bool { return table[r].audio }

func (r Revision) ResourceLink() bool { return table[r].resourceLink }

func (r Revision) Batches() bool { return table[r].batches }

func (r Revision) Completions() bool { return table[r].completions }

// Context reports whether a request for completion may give the values of other arguments.
func (r Revision) Context() bool { return table[r].context }

// ProgressMessages reports whether a progress notification may have a message.
func (r Revision) ProgressMessages() bool { return table[r].progress }

// NullID reports whether an error over a byte stream has the id null if the id of
// the request could not be read. In other revisions the error has no id (GAP-13).
func (r Revision) NullID() bool { return table[r].nullID }

func (r Revision) Elicitation() bool { return table[r].elicitation }

// ElicitationModes reports whether elicitation has modes, and forms with
// defaults and multiple choice.
func (r Revision) ElicitationModes() bool { return table[r].modes }

// SamplingParts reports whether clients declare separately what a request for sampling may contain.
func (r Revision) SamplingParts() bool { return table[r].sampling }

func (r Revision) ToolAnnotations() bool { return table[r].toolHints }

// StructuredContent reports whether results of tools have structured content, and
// tools a schema of it.
func (r Revision) StructuredContent() bool { return table[r].structured }

// AnyStructuredContent reports whether structured content may be any JSON value. In
// other revisions it is an object.
func (r Revision) AnyStructuredContent() bool { return table[r].anyContent }

// String returns the version string, such as "2025-11-25".
func (r Revision) String() string { return table[r].version }
