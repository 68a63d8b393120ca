package promptnats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptfs"
)

// ErrConflict reports a concurrent write to the bucket during [Publish].
var ErrConflict = errors.New("bucket was modified during Publish; publish again")

// ErrFull reports that a bucket has reached its --max-bucket-size. The error of
// [Publish] contains the commands that make room.
var ErrFull = errors.New("bucket is full")

// Published lists the changes of [Publish], also after an error.
type Published struct {
	// Added, Changed and Removed are keys, in the order of the writes.
	Added, Changed, Removed []string
	// Left are ignored keys in this part of the bucket, which are not valid paths.
	Left []string
}

// Publish uploads a folder to a bucket, or to the part of the bucket in Options.Prefix: prompts,
// partials and included files, as from [promptfs.Files]. Keys with the same value are unchanged,
// and keys without a file are removed. Publish writes nothing and returns an error if a file is
// invalid or too large for the broker, or if there are no prompts.
//
// Each key is written only if unchanged since the start of Publish. Otherwise Publish returns
// [ErrConflict]. So two concurrent calls are always detected. Included files are written before the
// prompts that use them, and removed after them, so no reader sees an incomplete prompt. If a write
// fails, the changes so far stay and are returned, and another Publish continues. If the bucket is
// full, Publish returns [ErrFull].
//
// Each write contains the number of further writes, so a Follower of a bucket that
// was created again knows when the content is complete.
//
// The bucket must exist. The operator sets its size and its number of replicas.
func Publish(ctx context.Context, js jetstream.JetStream, bucket string, fsys fs.FS, o Options) (*Published, error) {
	p := place{bucket, o.Prefix}
	if err := o.check("Publish", "JetStream", js, "file system", fsys); err != nil {
		return nil, err
	}
	settings := o.filled(p, defaultTiming)
	files, err := promptfs.Files(fsys, settings.Files)
	if err != nil {
		return nil, fmt.Errorf("promptnats: publish aborted, nothing written: %w", err)
	}
	if !slices.ContainsFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return isPrompt(name, settings.Files.Partials) }) {
		return nil, errors.New("promptnats: publish aborted, nothing written: folder has no prompts")
	}
	w := &writer{place: p, options: settings, js: js, files: files}
	if err := w.read(ctx); err != nil {
		return nil, fmt.Errorf("promptnats: publish aborted, nothing written: %w", err)
	}
	if err := w.write(ctx); err != nil {
		return &w.done, fmt.Errorf("promptnats: %w", err)
	}
	return &w.done, nil
}

func isPrompt(name, partials string) bool {
	return promptfile.IsPrompt(name) && !promptfile.IsHidden(name) && !strings.HasPrefix(name, partials+"/")
}

type writer struct {
	place   place
	options settings
	js      jetstream.JetStream
	files   map[string][]byte        // by path
	there   map[string]promptfs.File // in the bucket, by path
	info    *jetstream.StreamInfo    // of the bucket, at the beginning
	done    Published
}

func (w *writer) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.options.Timeout)
	defer cancel()
	f, err := w.place.open(ctx, w.js, w.options.timing)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, f.stop)
	defer func() {
		stop()
		f.stop()
		f.removeConsumer()
	}()
	w.info = f.info
	if err := w.check(f.info.Config.MaxMsgSize); err != nil {
		return err
	}
	w.there = make(map[string]promptfs.File, f.pending)
	for received := uint64(0); received < f.pending; received++ {
		e, err := f.next()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case e.isOurs && e.file.Err != nil && !e.file.Removed:
			w.done.Left = append(w.done.Left, e.key)
		case e.isOurs && e.file.Err == nil:
			w.there[e.file.Path] = e.file
		}
		if e.isLast {
			break
		}
	}
	slices.Sort(w.done.Left)
	return nil
}

const (
	// headers is how large those of a write are at most, which count as content.
	headers = 128
	// longest is the maximum length of a subject. By default, a broker accepts lines of 4,096
	// bytes, which also have an inbox and numbers, and disconnects the sender of a longer line.
	longest = 3500
)

// check finds what the broker, or a bucket with a largest message, would not take.
func (w *writer) check(largest int32) error {
	most := w.js.Conn().MaxPayload()
	if largest > 0 && (most <= 0 || int64(largest) < most) {
		most = int64(largest)
	}
	for _, name := range slices.Sorted(maps.Keys(w.files)) {
		if most > 0 && int64(len(w.files[name])) > most-headers {
			return &promptfs.Error{Path: name, Err: fmt.Errorf("file has %d bytes, but the limit is %d (%d of the broker or the bucket, less %d for headers): %w", len(w.files[name]), most-headers, most, headers, nats.ErrMaxPayload)}
		}
		if length, limit := len(w.place.key(name)), longest-len(w.place.stem()); length > limit {
			return &promptfs.Error{Path: name, Err: fmt.Errorf("key has %d bytes, but the limit is %d; use a shorter path", length, limit)}
		}
	}
	return nil
}

func (w *writer) write(ctx context.Context) error {
	var parts, whole, goneParts, goneWhole []string
	for _, name := range slices.Sorted(maps.Keys(w.files)) {
		switch old, ok := w.there[name]; {
		case ok && !old.Removed && bytes.Equal(old.Content, w.files[name]):
		case w.isPart(name):
			parts = append(parts, name)
		default:
			whole = append(whole, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.there)) {
		_, stays := w.files[name]
		switch {
		case stays || w.there[name].Removed:
		case w.isPart(name):
			goneParts = append(goneParts, name)
		default:
			goneWhole = append(goneWhole, name)
		}
	}
	all := slices.Concat(parts, whole, goneWhole, goneParts)
	for i, name := range all {
		if err := w.one(ctx, name, len(all)-1-i); err != nil {
			return fmt.Errorf("stopped at key %q, %d of %d changes written: %w", w.place.key(name), i, len(all), err)
		}
	}
	return nil
}

// isPart reports whether prompts may be made of the file.
func (w *writer) isPart(name string) bool {
	return !isPrompt(name, w.options.Files.Partials)
}

func (w *writer) one(ctx context.Context, name string, remaining int) error {
	ctx, cancel := context.WithTimeout(ctx, w.options.Timeout)
	defer cancel()
	key, old := w.place.key(name), w.there[name]
	content, stays := w.files[name]
	m := nats.NewMsg(w.apiPrefix() + w.place.stem() + key)
	m.Data = content
	m.Header.Set(remainingHeader, strconv.Itoa(remaining))
	if !stays {
		m.Header.Set("KV-Operation", "DEL")
	}
	_, err := w.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(old.Revision)) // 0 for none, which is so
	var refused *jetstream.APIError
	switch {
	case errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		return fmt.Errorf("%w (%w)", ErrConflict, err)
	case refused != nil && strings.Contains(refused.Description, "maximum bytes exceeded"):
		return w.full(err)
	case err != nil:
		return explained(w.js, err)
	case !stays:
		w.done.Removed = append(w.done.Removed, key)
	case old.Revision == 0 || old.Removed:
		w.done.Added = append(w.done.Added, key)
	default:
		w.done.Changed = append(w.done.Changed, key)
	}
	return nil
}

// apiPrefix is what a connection with a domain, or with another prefix, puts in
// front of the subject of a write.
func (w *writer) apiPrefix() string {
	o := w.js.Options()
	switch prefix := strings.TrimSuffix(o.APIPrefix, ".") + "."; {
	case o.Domain != "":
		return "$JS." + o.Domain + ".API."
	case o.APIPrefix != "" && prefix != jetstream.DefaultAPIPrefix:
		return prefix
	}
	return ""
}

// full returns the error of a bucket without room, which not even a removal can
// make: that is a write, too.
func (w *writer) full(err error) error {
	stream, most := w.info.Config.Name, w.info.Config.MaxBytes
	return fmt.Errorf("%w: the limit is %d bytes, including history and removals; "+
		"raise the limit (nats stream edit %s --max-bytes %d) or purge old keys (nats stream purge %s --subject '%sold.md'), then publish again: %w",
		ErrFull, most, stream, 2*most, stream, w.place.stem(), err)
}
