package promptnats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts/promptfs"
)

// watcher reads the last revision of each key in a bucket, and then the changes to the bucket, in
// the order of revisions. It ends at the first error, and never continues after a gap.
type watcher struct {
	place    place
	stream   jetstream.Stream
	info     *jetstream.StreamInfo // as it was at the beginning
	consumer jetstream.Consumer
	messages jetstream.MessagesContext
	pending  uint64 // how many there were at the beginning
	last     uint64 // the number of the last message of this watcher
	keys     map[string]bool
	seen     atomic.Uint64 // how many keys there were
	timing   timing
}

// mostMessages is how many messages are on their way at once.
const mostMessages = 256

type entry struct {
	file promptfs.File
	key  string
	// isLast says that there was no other when it was sent.
	isLast bool
	// isOurs says that the key is in this part of the bucket.
	isOurs bool
	// remaining is how many writes of a Publish follow; -1 if it is of none.
	remaining int
}

// remainingHeader has the number of writes of a [Publish] that follow the write
// with the header: 0 marks the end of the publication.
const remainingHeader = "Prompts-Remaining"

func (p place) open(ctx context.Context, js jetstream.JetStream, t timing) (*watcher, error) {
	ctx, cancel := context.WithTimeout(ctx, t.request)
	defer cancel()
	f := &watcher{place: p, timing: t, keys: map[string]bool{}}
	var err error
	if f.stream, err = js.Stream(ctx, "KV_"+p.bucket); err != nil {
		return nil, explained(js, fmt.Errorf("open bucket %q: %w", p.bucket, asBucket(err)))
	}
	f.info = f.stream.CachedInfo()
	if f.info.Config.MaxMsgsPerSubject < 1 || f.info.Config.Mirror != nil {
		return nil, fmt.Errorf("open bucket %q: %w", p.bucket, jetstream.ErrBadBucket)
	}
	f.consumer, err = f.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject:     p.filter(),
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: 30*time.Second + 4*t.heartbeat, // after which the broker removes it by itself
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return nil, explained(js, fmt.Errorf("read bucket %q: %w", p.bucket, asBucket(err)))
	}
	f.pending = f.consumer.CachedInfo().NumPending
	f.messages, err = f.consumer.Messages(
		jetstream.PullMaxMessages(mostMessages), jetstream.PullExpiry(4*t.heartbeat), jetstream.PullHeartbeat(t.heartbeat),
		jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		f.removeConsumer()
		return nil, fmt.Errorf("read bucket %q: %w", p.bucket, err)
	}
	return f, nil
}

func asBucket(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("%w (%w)", jetstream.ErrBucketNotFound, err)
	}
	return err
}

// explained adds the last error of the connection, because the broker does not answer
// a request that it does not permit.
func explained(js jetstream.JetStream, err error) error {
	if last := js.Conn().LastError(); last != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)) {
		return fmt.Errorf("%w (last connection error: %w)", err, last)
	}
	return err
}

var errGap = errors.New("gap in the messages of the bucket")

func (w *watcher) next() (entry, error) {
	for {
		msg, err := w.messages.Next()
		if err != nil {
			return entry{}, fmt.Errorf("subscription to the bucket ended: %w", err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			return entry{}, fmt.Errorf("subscription to the bucket ended: %w", err)
		}
		if meta.Sequence.Consumer <= w.last {
			continue // it has been delivered before
		}
		if meta.Sequence.Consumer != w.last+1 {
			return entry{}, errGap
		}
		w.last = meta.Sequence.Consumer
		e := entry{key: msg.Subject()[len(w.place.stem()):], isLast: meta.NumPending == 0}
		w.keys[e.key] = true
		w.seen.Store(uint64(len(w.keys)))
		rest, ok := w.place.rest(e.key)
		e.isOurs = ok
		if e.remaining, err = strconv.Atoi(msg.Headers().Get(remainingHeader)); err != nil {
			e.remaining = -1
		}
		e.file = promptfs.File{Content: msg.Data(), Revision: meta.Sequence.Stream, Removed: isRemoval(msg.Headers())}
		if e.file.Path, err = Path(rest); err != nil {
			// No file has such a path, whatever the key is.
			e.file.Path, e.file.Content, e.file.Err = partMark+rest, nil, err
		}
		return e, nil
	}
}

func isRemoval(h nats.Header) bool {
	switch h.Get("KV-Operation") {
	case "DEL", "PURGE":
		return true
	}
	return h.Get(jetstream.MarkerReasonHeader) != "" // which the broker writes itself
}

func (w *watcher) stop() { w.messages.Stop() }

// removeConsumer removes the consumer of the watcher. If the broker does not answer, the
// consumer expires.
func (w *watcher) removeConsumer() {
	ctx, cancel := context.WithTimeout(context.Background(), min(time.Second, w.timing.request))
	defer cancel()
	_ = w.stream.DeleteConsumer(ctx, w.consumer.CachedInfo().Name)
}
