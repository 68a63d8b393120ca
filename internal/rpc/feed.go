package rpc

import (
	"slices"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// feed notifies the clients of a server of the changes of a list. The feed of a list is made
// by NewDispatcher and lives as long as the server. The feed of a resource belongs to one
// subscriber. A feed has a timer only during a burst of changes, and no goroutine.
type feed struct {
	list     feature.List
	notifier *notify.Notifier
	uri      string // of a resource; empty for a list
}

// params returns the params of the notification. meta is a JSON object with _meta, or nil.
func (f *feed) params(meta []byte) []byte {
	if f.uri == "" {
		return meta
	}
	dst := []byte{'{'}
	if meta != nil {
		// A subscription uses meta again for its next notification.
		dst = append(slices.Clone(meta[:len(meta)-1]), ',')
	}
	dst = append(dst, `"uri":`...)
	return append(strictjson.AppendString(dst, f.uri), '}')
}

type listener struct {
	*notify.Subscriber
	feed   *feed
	held   holding // for a resource of a session
	client string  // whose memory that is
}

// subscribe returns subscribers of the lists, which share a courier. A delivery says only
// that some list has changed, and Signaled says which.
func subscribe(feeds []*feed, courier *notify.Courier) []listener {
	var all []listener
	for _, f := range feeds {
		all = append(all, listener{Subscriber: f.notifier.Subscribe(courier), feed: f})
	}
	return all
}

// end ends what subscribe or addResource began. own is the share of the session, if any. The
// memory is released first, in case that the application's function panics.
func (l *listener) end(e *engine, own *share) {
	defer e.recoverPanic() // of the application's cancel function
	e.memory.release(&l.held, own, l.client)
	l.Unsubscribe()
}

// filter says which changes a subscription is notified of. The filter outlives the message:
// its strings are copies.
type filter struct {
	feeds []*feed
	uris  []string // of resources
	from  feature.ClientID
}

// resourceBytes is about what a subscription to a resource costs besides its URI.
const resourceBytes = 1 << 10

func (f *filter) bytes() (n int) {
	for _, uri := range f.uris {
		n += resourceBytes + len(uri)
	}
	return n
}
