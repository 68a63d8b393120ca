// Package trace records which part of a template has made which part of a text. A context with
// [With] lets templates that are loaded with it note their parts, and one with a [Trace] records
// the parts of a rendering. Without a context of the first kind, templates are what they were.
package trace

import (
	"context"
	"encoding/json"
	"sync"
)

// Place is a part of a template: a text, or an action that writes a value. As text it is in
// the template itself.
type Place struct {
	Partial   string   `json:",omitempty"` // the name of a partial; empty for a message
	Line      int      // where the part begins in the message or the partial, from 1
	Action    string   `json:",omitempty"` // such as {{.code}}; empty for a text
	Arguments []string `json:",omitempty"` // whose values the action writes
}

func (p Place) String() string {
	text, _ := json.Marshal(p) // which has no error
	return string(text)
}

// Piece is where a part of a text begins. It ends at the next one.
type Piece struct {
	Place string // see [Place.String]
	Start int    // offset in bytes
}

type Message struct {
	Source string // the template
	Pieces []Piece
}

// MaxPieces is how many pieces one rendering records. The rest is of the last one.
const MaxPieces = 20_000

// Trace is the messages of one rendering, by their indexes. Safe for concurrent use.
type Trace struct {
	mu       sync.Mutex // protects the fields below
	n        int
	messages map[int]*Message
}

func (t *Trace) Begin(message int, source string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.messages == nil {
		t.messages = map[int]*Message{}
	}
	t.messages[message] = &Message{Source: source}
}

func (t *Trace) Add(message int, p Piece) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n++; t.n <= MaxPieces {
		t.messages[message].Pieces = append(t.messages[message].Pieces, p)
	}
}

// Messages returns the messages that templates have made, by their indexes.
func (t *Trace) Messages() map[int]*Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.messages
}

type key struct{}

// With returns a context for loading templates that note their parts.
func With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, (*Trace)(nil)) }

// IsNoted reports whether templates of the context note their parts.
func IsNoted(ctx context.Context) bool { _, ok := ctx.Value(key{}).(*Trace); return ok }

// Record returns a context for a rendering that is recorded in t.
func Record(ctx context.Context, t *Trace) context.Context { return context.WithValue(ctx, key{}, t) }

// From returns the trace of a context; nil if nothing is recorded.
func From(ctx context.Context) *Trace {
	t, _ := ctx.Value(key{}).(*Trace)
	return t
}
