package prompts

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/markdown"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file has the registry: an immutable ordered map behind an atomic pointer. Readers load
// the pointer. Writers copy what they change. definition.go compiles the prompts.

// Registry is a set of prompts by name. The zero value is an empty registry. A
// Registry must not be copied. Safe for concurrent use.
//
// Reads do not wait for changes. Only the first read after [Registry.Add] or [Registry.Set] of
// a single prompt may wait for another such call, for microseconds. A read sees the prompts
// before or after a change, and never a part of a change. [Registry.OnChange] reports changes.
type Registry struct {
	prompts atomic.Pointer[snapshot] // nil if there are changes in unread

	writing   sync.Mutex // held to change prompts, and for the field below
	followers []follower

	// Prompts that are added one by one are changes of one Tx until somebody reads, so that
	// not every one of them copies a part of the map.
	inserting sync.Mutex // locked after writing; protects the field below, no code of the application runs
	unread    *Tx        // nil without changes

	subscribers notify.Listeners[struct{}]
}

// snapshot is the content of a registry at one time. It is never changed.
type snapshot struct {
	ordmap.Map[*definition]
	releases []*release
}

var emptySnapshot = &snapshot{}

func (s *snapshot) change() *Tx { return &Tx{edit: s.Edit(), releases: s.releases} }

// Add adds all prompts, or none. It returns all errors, joined: [ErrExists] for a
// name in use, by the registry or an earlier prompt of the call, and a
// [*DeclarationError] for each error of a declaration.
func (r *Registry) Add(prompts ...Prompt) error {
	return r.put(compileAll(prompts), false)
}

// MustAdd is like [Registry.Add], for prompts that are part of the program. It panics on an error.
func (r *Registry) MustAdd(prompts ...Prompt) {
	if err := r.Add(prompts...); err != nil {
		panic(fmt.Errorf("prompts: %w", err))
	}
}

// Set is like [Registry.Add], but replaces prompts with the same names.
func (r *Registry) Set(prompts ...Prompt) error {
	return r.put(compileAll(prompts), true)
}

// put adds all prompts, or none.
func (r *Registry) put(all []ordmap.Entry[*definition], replace bool) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if len(all) != 1 || len(r.followers) > 0 {
		return r.change(func(tx *Tx) error { return tx.put(all, replace) })
	}
	if err := r.insert(all, replace); err != nil {
		return err
	}
	r.Notify()
	return nil
}

// insert adds the prompts to the changes that nobody has read.
func (r *Registry) insert(all []ordmap.Entry[*definition], replace bool) error {
	r.inserting.Lock()
	defer r.inserting.Unlock()
	tx := r.unread
	if tx == nil {
		tx = r.published().change()
	}
	if err := tx.put(all, replace); err != nil {
		return err
	}
	r.unread = tx
	r.prompts.Store(nil)
	return nil
}

// Remove removes a prompt and reports whether the prompt existed.
func (r *Registry) Remove(name string) bool {
	removed := false
	_ = r.Update(func(tx *Tx) error {
		removed = tx.Remove(name)
		return nil
	})
	return removed
}

// Update combines many changes into one: readers see all or none of them, and
// subscribers get one signal. It calls f on the caller's goroutine, with a Tx that
// is valid until f returns. If f returns nil, the changes take effect. If f returns
// an error or panics, nothing changes, and Update returns the error.
//
// Other changes wait until f returns. Inside f, change the registry only through the
// Tx. Any other change that f makes or waits for is a deadlock.
func (r *Registry) Update(f func(tx *Tx) error) error {
	if err := option.Check("prompts: Registry.Update", struct{}{}, "function", f); err != nil {
		return err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.change(f)
}

// change is Update. The caller holds writing.
func (r *Registry) change(f func(tx *Tx) error) error {
	before := r.snapshot()
	tx := before.change()
	if len(r.followers) > 0 {
		tx.touched = map[string]bool{}
	}
	defer func() { tx.edit = nil }()
	if err := f(tx); err != nil || !tx.changed && !tx.released {
		return err
	}
	if !tx.changed {
		r.prompts.Store(&snapshot{before.Map, tx.releases})
		return nil
	}
	m := tx.edit.Map()
	var commits []func()
	for _, follow := range r.followers {
		changes := changesOf(m, slices.Sorted(maps.Keys(tx.touched)))
		commit, err := follow(changes)
		if err != nil {
			return err
		}
		if commit != nil {
			commits = append(commits, commit)
		}
	}
	r.prompts.Store(&snapshot{m, tx.releases})
	for _, commit := range commits {
		commit()
	}
	r.Notify()
	return nil
}

func changesOf(m ordmap.Map[*definition], names []string) []call.Change[Prompt] {
	changes := make([]call.Change[Prompt], len(names))
	for i, name := range names {
		changes[i].Name = name
		if d, ok := m.Get(name); ok {
			p := d.export()
			changes[i].Prompt = &p
		}
	}
	return changes
}

// follow calls f for each change of the registry before the change takes effect, and at once
// for the prompts that exist, in the order of their names, until the end of the registry. An
// error of f rejects the change: Add, Set and Update return the error, and so does follow, which
// then has no effect. The error joins a [*DeclarationError] for each prompt that f rejects: a
// source of many prompts, such as a folder, leaves out these prompts. commit, if not nil, is
// called when the change has taken effect, and not if another function rejects the change. Calls
// of f and commit do not overlap. They must not use the registry: a change is a deadlock.
func (r *Registry) follow(f follower) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	m := r.snapshot().Map
	var names []string
	for name := range m.All() {
		names = append(names, name)
	}
	commit, err := f(changesOf(m, names))
	if err != nil {
		return err
	}
	if commit != nil {
		commit()
	}
	r.followers = append(r.followers, f)
	return nil
}

type follower = func(changes []call.Change[Prompt]) (commit func(), err error)

func init() { call.Follow = (*Registry).follow }

// Lookup returns a copy of the prompt, with the arguments of its struct, and reports
// whether the prompt exists. You may change the copy and pass it to Set.
func (r *Registry) Lookup(name string) (Prompt, bool) {
	d, ok := r.snapshot().Get(name)
	if !ok {
		return Prompt{}, false
	}
	return d.export(), true
}

// All returns the prompts at the start of the iteration, in the order of their
// names. Each prompt is a copy, as from [Registry.Lookup].
func (r *Registry) All() iter.Seq[Prompt] {
	return func(yield func(Prompt) bool) {
		for _, d := range r.snapshot().All() {
			if !yield(d.export()) {
				return
			}
		}
	}
}

// Len returns the number of prompts.
func (r *Registry) Len() int { return r.snapshot().Len() }

func (r *Registry) snapshot() *snapshot {
	if s := r.prompts.Load(); s != nil {
		return s
	}
	return r.read()
}

// read publishes the changes that nobody has read.
func (r *Registry) read() *snapshot {
	r.inserting.Lock()
	defer r.inserting.Unlock()
	if tx := r.unread; tx != nil {
		r.unread = nil
		r.prompts.Store(&snapshot{tx.edit.Map(), tx.releases})
	}
	return r.published()
}

// published returns the prompts without the changes that nobody has read.
func (r *Registry) published() *snapshot {
	if s := r.prompts.Load(); s != nil {
		return s
	}
	return emptySnapshot
}

// Tx changes a [Registry] inside of [Registry.Update]. A Tx is not safe for
// concurrent use, and panics after Update has returned.
type Tx struct {
	edit    *ordmap.Editor[*definition]
	changed bool
	touched map[string]bool // the names of the prompts that have changed; nil without followers

	releases []*release
	released bool // the releases have changed
}

// Add adds all prompts, or none. It returns the errors of [Registry.Add].
func (tx *Tx) Add(prompts ...Prompt) error { return tx.put(compileAll(prompts), false) }

// Set is like [Tx.Add], but replaces prompts with the same names.
func (tx *Tx) Set(prompts ...Prompt) error { return tx.put(compileAll(prompts), true) }

// compileAll compiles declarations. It may run the application's code, and depends
// on nothing in the registry, so it is called before the registry is locked.
func compileAll(prompts []Prompt) []ordmap.Entry[*definition] {
	all := make([]ordmap.Entry[*definition], len(prompts))
	for i, p := range prompts {
		d, err := compile(p)
		all[i] = ordmap.Entry[*definition]{Key: p.Name, Value: d, Err: err}
	}
	return all
}

// Merge sets all prompts of another registry. The prompts are not compiled again, and their cached
// results are shared. A source of prompts can so check each prompt with a registry of its own, and
// add all of them in one step. Releases and subscriptions of from are not part of it.
func (tx *Tx) Merge(from *Registry) {
	option.Must("prompts: Tx.Merge", struct{}{}, "registry", from)
	other := from.snapshot()
	all := make([]ordmap.Entry[*definition], 0, other.Len())
	for name, d := range other.All() {
		all = append(all, ordmap.Entry[*definition]{Key: name, Value: d})
	}
	_ = tx.put(all, true) // which has no errors
}

func (tx *Tx) put(all []ordmap.Entry[*definition], replace bool) error {
	exists := func(name string) error { return fmt.Errorf("prompt %q: %w", name, ErrExists) }
	if err := tx.editor().Put(all, replace, exists); err != nil {
		return err
	}
	for _, c := range all {
		tx.touch(c.Key)
	}
	return nil
}

func (tx *Tx) editor() *ordmap.Editor[*definition] {
	if tx.edit == nil {
		panic("prompts: Tx used after its Update returned")
	}
	return tx.edit
}

// Remove removes a prompt and reports whether the prompt existed.
func (tx *Tx) Remove(name string) bool {
	removed := tx.editor().Delete(name)
	if removed {
		tx.touch(name)
	}
	return removed
}

func (tx *Tx) touch(name string) {
	tx.changed = true
	if tx.touched != nil {
		tx.touched[name] = true
	}
}

// Lookup is [Registry.Lookup] with the changes made so far.
func (tx *Tx) Lookup(name string) (Prompt, bool) {
	d, ok := tx.editor().Get(name)
	if !ok {
		return Prompt{}, false
	}
	return d.export(), true
}

// OnChange calls changed after each change, until cancel is called. changed must return at
// once, and must not use the registry: a change is a deadlock. To wait for changes, let changed
// send to a channel of one element, and drop the signal if the channel is full.
func (r *Registry) OnChange(changed func()) (cancel func()) {
	option.Must("prompts: Registry.OnChange", struct{}{}, "function", changed)
	return r.subscribers.Add(func(struct{}) { changed() })
}

// Notify signals a change to all subscribers, although the registry did not change.
// Call Notify if clients may have read an older list from another replica: a client
// that this server has notified may read the list from a replica that lags behind.
func (r *Registry) Notify() { r.subscribers.Call(struct{}{}) }

// MarkdownTable returns a Markdown table of the registry's prompts and arguments for a README,
// in list order. The descriptions are those of prompts/list, including hints. An argument with
// structure has a row for each member, such as scope.region or filters[].name, up to 64. A
// member can be required within its object. The table ends with a line break. The same prompts
// always give the same table, so a test can compare the table with a document.
func MarkdownTable(r *Registry) string {
	option.Must("prompts: MarkdownTable", struct{}{}, "registry", r)
	var b strings.Builder
	b.WriteString("| Prompt | Argument | Required | Description |\n|---|---|---|---|\n")
	for _, d := range r.snapshot().All() {
		p := &d.prompt
		name := markdown.CellCode(p.Name)
		if version := d.more().Version; version != "" {
			name += " " + markdown.Cell(version)
		}
		about := markdown.Cell(p.Title)
		if about != "" {
			about = "**" + about + "**"
		}
		markdown.Row(&b, name, "", "", phrase.Join("<br>", about, markdown.Cell(p.Description)))
		for i := range d.plan.Arguments {
			a := &d.plan.Arguments[i]
			required, description := "", a.Description
			if a.Required {
				required = "yes"
			}
			if !d.more().DisableHints {
				description = a.DescriptionWithHint()
			}
			markdown.Row(&b, "", markdown.CellCode(a.Name), required, phrase.Join(": ", markdown.Cell(a.Title), markdown.Cell(description)))
			for _, m := range a.Members() {
				required := ""
				if m.IsRequired {
					required = "yes"
				}
				markdown.Row(&b, "", markdown.CellCode(m.Name), required, markdown.Cell(phrase.Join(": ", m.Description, m.Hint)))
			}
		}
	}
	return b.String()
}

// SetRelease sets the release of the prompts whose Source starts with r.Source. It
// replaces the release with the same Source. A Release without an ID removes that. The
// release takes effect together with the other changes of the Tx, so each request sees
// the release of the prompts that it sees.
//
// The result of prompts/get names the release of its prompt, in its _meta. If the
// registry has a single release, the result of prompts/list names that. The release
// alone is no change of the list: subscribers get no signal. SetRelease returns an error
// if the ID or the Label is not valid UTF-8 or too long.
func (tx *Tx) SetRelease(r Release) error {
	_ = tx.editor() // panics if the Tx has ended
	served, err := newRelease(r)
	if err != nil {
		return err
	}
	isOther := func(other *release) bool { return other.Source == r.Source }
	at := slices.IndexFunc(tx.releases, isOther)
	if at >= 0 && tx.releases[at].Release == r || at < 0 && r.ID == "" {
		return nil
	}
	next := slices.DeleteFunc(slices.Clone(tx.releases), isOther)
	if r.ID != "" {
		next = append(next, served)
	}
	tx.releases, tx.released = next, true
	return nil
}

// releaseOf returns nil if prompts with the source have no release. The longest Source wins.
func (s *snapshot) releaseOf(source string) *release {
	var found *release
	for _, r := range s.releases {
		if strings.HasPrefix(source, r.Source) && (found == nil || len(r.Source) > len(found.Source)) {
			found = r
		}
	}
	return found
}

func (s *snapshot) releaseOfList() *release {
	if len(s.releases) != 1 {
		return nil
	}
	return s.releases[0]
}
