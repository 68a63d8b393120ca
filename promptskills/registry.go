package promptskills

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/ordmap"
)

// Registry is a set of skills by path. The zero value is an empty registry. It must
// not be copied. Set the options before the first use. Safe for concurrent use.
//
// Reads never wait for changes. A read sees the skills before or after a change, and
// never a part of a change. A Registry retains replaced files, so a client that has
// listed a skill can read the files of the list: see Retain.
type Registry struct {
	// MaxTotalBytes is the maximum size of all files in bytes, including retained
	// files. Equal contents count once. A larger change is rejected with
	// [ErrTooLarge], and the skills are unchanged. Default: 1 GiB.
	MaxTotalBytes int
	// Retain limits how long the registry retains replaced and removed files. During
	// this time, a client with a list from before the change reads the files of its
	// list. Afterwards, or after the client gets the list or an entry again, the
	// client reads the current files. Default: 1 minute; negative: not at all.
	Retain time.Duration

	state atomic.Pointer[state]

	writing sync.Mutex       // held to change the skills; protects the fields below
	blobs   map[digest]*blob // all contents that are held
	bytes   int              // of these
	expiry  *time.Timer      // of what is retained; nil for none

	subscribers notify.Listeners[*change]
}

const (
	defaultMaxTotalBytes = 1 << 30
	defaultRetain        = time.Minute
)

// ErrExists is the error of [Registry.Add], wrapped, for a path in use.
var ErrExists = errors.New("skill already exists")

// ErrTooLarge is the error, wrapped, of a change above Registry.MaxTotalBytes.
var ErrTooLarge = errors.New("files of all skills are too large")

// snapshot is the skills at one time. It is immutable.
type snapshot struct {
	seq    uint64 // the number of changes before
	skills ordmap.Map[*entry]
}

// state is the current snapshot and those that are retained, the oldest first.
type state struct {
	snapshot
	past []past
}

type past struct {
	snapshot
	ended time.Time
	gone  []*compiled // what the change that ended it has replaced
}

type digest = [32]byte

type blob struct {
	data []byte
	refs int
}

// Add adds all skills, or none. It returns all errors, joined: [ErrExists] for a
// path in use, and each [*Error] of a skill.
func (r *Registry) Add(skills ...Skill) error {
	all := compileAll(skills)
	return r.Update(func(tx *Tx) error { return tx.put(all, false) })
}

// MustAdd is like [Registry.Add], for skills that are part of the program. It panics on an error.
func (r *Registry) MustAdd(skills ...Skill) {
	if err := r.Add(skills...); err != nil {
		panic(fmt.Errorf("promptskills: %w", err))
	}
}

// Set adds all skills, or none, and replaces skills with the same path. It returns
// all errors, joined.
func (r *Registry) Set(skills ...Skill) error {
	all := compileAll(skills)
	return r.Update(func(tx *Tx) error { return tx.put(all, true) })
}

// Remove removes a skill and reports whether the skill existed. Skills below are kept.
func (r *Registry) Remove(path string) bool {
	removed := false
	_ = r.Update(func(tx *Tx) error {
		removed = tx.Remove(path)
		return nil
	})
	return removed
}

// Update combines several changes into one: readers see all or none of them, and subscribers get
// one signal. It calls f with a Tx that is valid until f returns. If f returns an error or panics,
// or if the result is invalid, nothing changes, and Update returns the errors.
//
// Other changes wait until f returns. Inside f, change the registry only through the
// Tx. Any other change that f makes or waits for is a deadlock.
func (r *Registry) Update(f func(tx *Tx) error) error {
	if err := option.Check("promptskills: Registry.Update", struct{}{}, "function", f); err != nil {
		return err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	before := r.load()
	tx := &Tx{edit: before.skills.Edit(), changed: map[string]bool{}}
	defer func() { tx.edit = nil }()
	if err := f(tx); err != nil || len(tx.changed) == 0 {
		return err
	}
	if err := tx.compose(); err != nil {
		return err
	}
	next := snapshot{before.seq + 1, tx.edit.Map()}
	added, gone := differences(before.skills, next.skills, tx.changed)
	if len(added)+len(gone) == 0 {
		return nil // the same skills were set again
	}
	if err := r.hold(added); err != nil {
		return err
	}
	now := time.Now()
	pasts := append(slices.Clone(before.past), past{before.snapshot, now, gone})
	r.state.Store(&state{next, r.forget(pasts, now)})
	r.subscribers.Call(&change{before.skills, next.skills, next.seq, tx.changed})
	return nil
}

// differences returns the versions of skills that a change has brought, and those
// that it has replaced.
func differences(before, after ordmap.Map[*entry], changed map[string]bool) (added, gone []*compiled) {
	for path := range changed {
		old, hadOld := before.Get(path)
		now, hasNow := after.Get(path)
		if hadOld && hasNow && (old.compiled == now.compiled || old.equal(now.compiled)) {
			if old.compiled != now.compiled {
				// The same content again, which must not count twice.
				now.compiled = old.compiled
			}
			continue
		}
		if hadOld {
			gone = append(gone, old.compiled)
		}
		if hasNow {
			added = append(added, now.compiled)
		}
	}
	return added, gone
}

// hold counts the contents of skills, or returns ErrTooLarge.
func (r *Registry) hold(added []*compiled) error {
	most := cmp.Or(r.MaxTotalBytes, defaultMaxTotalBytes)
	if r.blobs == nil {
		r.blobs = map[digest]*blob{}
	}
	for _, c := range added {
		for i := range c.files {
			f := &c.files[i]
			b := r.blobs[f.digest]
			if b == nil {
				b = &blob{data: f.data}
				r.blobs[f.digest] = b
				r.bytes += len(b.data)
			}
			b.refs++
			f.data = b.data // so that equal contents are in memory once
		}
	}
	if r.bytes <= most {
		return nil
	}
	total := r.bytes
	r.release(added)
	return fmt.Errorf("%w: %d bytes, including retained files (limit %d); raise Registry.MaxTotalBytes", ErrTooLarge, total, most)
}

func (r *Registry) release(gone []*compiled) {
	for _, c := range gone {
		for _, f := range c.files {
			if b := r.blobs[f.digest]; b != nil {
				if b.refs--; b.refs == 0 {
					delete(r.blobs, f.digest)
					r.bytes -= len(b.data)
				}
			}
		}
	}
}

// forget returns the snapshots that are still retained, and starts the timer for the next to go.
func (r *Registry) forget(pasts []past, now time.Time) []past {
	retain := cmp.Or(r.Retain, defaultRetain)
	for len(pasts) > 0 && (now.Sub(pasts[0].ended) >= retain || len(pasts) > maxPast) {
		r.release(pasts[0].gone)
		pasts = pasts[1:]
	}
	switch {
	case len(pasts) == 0:
		if r.expiry != nil {
			r.expiry.Stop()
		}
	case r.expiry == nil:
		r.expiry = time.AfterFunc(retain, r.expire)
	default:
		r.expiry.Reset(pasts[0].ended.Add(retain).Sub(now))
	}
	return pasts
}

// maxPast is the maximum number of snapshots that are retained.
const maxPast = 1024

func (r *Registry) expire() {
	r.writing.Lock()
	defer r.writing.Unlock()
	s := *r.load()
	s.past = r.forget(slices.Clone(s.past), time.Now())
	r.state.Store(&s)
}

// Lookup returns the skill with the path, and reports whether the skill exists. The
// Frontmatter, the Files and their contents must not be changed.
func (r *Registry) Lookup(path string) (Skill, bool) {
	e, ok := r.load().skills.Get(path)
	if !ok {
		return Skill{}, false
	}
	return e.skill, true
}

// All returns the skills at the start of the iteration, in the order of their paths,
// as from [Registry.Lookup].
func (r *Registry) All() iter.Seq[Skill] {
	return func(yield func(Skill) bool) {
		for _, e := range r.load().skills.All() {
			if !yield(e.skill) {
				return
			}
		}
	}
}

// Len returns the number of skills.
func (r *Registry) Len() int { return r.load().skills.Len() }

var empty state

func (r *Registry) load() *state {
	if s := r.state.Load(); s != nil {
		return s
	}
	return &empty
}

// at returns the snapshot that a client with a list of this number has seen: that
// one if it is retained, else the current one.
func (s *state) at(seq uint64) *snapshot {
	i, ok := slices.BinarySearchFunc(s.past, seq, func(p past, seq uint64) int { return cmp.Compare(p.seq, seq) })
	if ok {
		return &s.past[i].snapshot
	}
	return &s.snapshot
}

// Tx changes a [Registry] inside of [Registry.Update]. A Tx is not safe for
// concurrent use, and panics after Update has returned.
type Tx struct {
	edit    *ordmap.Editor[*entry]
	changed map[string]bool // paths
}

// Add adds all skills, or none. It returns the errors of [Registry.Add].
func (tx *Tx) Add(skills ...Skill) error { return tx.put(compileAll(skills), false) }

// Set adds all skills, or none, and replaces skills with the same path. It returns
// the errors of [Registry.Set].
func (tx *Tx) Set(skills ...Skill) error { return tx.put(compileAll(skills), true) }

// Remove removes a skill and reports whether the skill existed.
func (tx *Tx) Remove(path string) bool {
	removed := tx.editor().Delete(path)
	if removed {
		tx.changed[path] = true
	}
	return removed
}

// Lookup is [Registry.Lookup] with the changes made so far.
func (tx *Tx) Lookup(path string) (Skill, bool) {
	e, ok := tx.editor().Get(path)
	if !ok {
		return Skill{}, false
	}
	return e.skill, true
}

func compileAll(skills []Skill) []ordmap.Entry[*entry] {
	all := make([]ordmap.Entry[*entry], len(skills))
	for i, s := range skills {
		c, err := compile(s)
		all[i] = ordmap.Entry[*entry]{Key: s.Path, Value: &entry{compiled: c}, Err: err}
	}
	return all
}

func (tx *Tx) put(all []ordmap.Entry[*entry], replace bool) error {
	exists := func(path string) error { return &Error{Skill: path, Err: ErrExists} }
	if err := tx.editor().Put(all, replace, exists); err != nil {
		return err
	}
	for _, c := range all {
		tx.changed[c.Key] = true
	}
	return nil
}

func (tx *Tx) editor() *ordmap.Editor[*entry] {
	if tx.edit == nil {
		panic("promptskills: Tx used after its Update returned")
	}
	return tx.edit
}

type change struct {
	before, after ordmap.Map[*entry]
	seq           uint64
	paths         map[string]bool // of skills
}

func (c *change) affects(path string) bool {
	for at := range c.paths {
		if strings.HasPrefix(path, at+"/") {
			_, old, hadOld := find(c.before, path)
			_, now, hasNow := find(c.after, path)
			return hadOld != hasNow || hadOld && (old == nil || now == nil || old.digest != now.digest)
		}
	}
	return false
}

// OnChange calls changed after each change, until cancel is called. changed must return at
// once, and must not use the registry: a change is a deadlock.
func (r *Registry) OnChange(changed func()) (cancel func()) {
	option.Must("promptskills: Registry.OnChange", struct{}{}, "function", changed)
	return r.subscribers.Add(func(*change) { changed() })
}

// Notify signals a change to all subscribers, although the registry did not change. Call Notify if
// clients may have read an older list elsewhere, such as on another replica that lags behind.
func (r *Registry) Notify() { r.subscribers.Call(&change{}) }
