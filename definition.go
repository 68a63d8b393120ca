package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/clone"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/memo"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file compiles a declared Prompt into a definition: its arguments as a plan of
// internal/argument, and its list entry as JSON for each protocol version.

// definition is a prompt as a registry holds it: compiled, checked, and never changed again. A
// registry may hold a million, so what few prompts have is behind a pointer.
type definition struct {
	prompt commonFields
	plan   *argument.Plan
	listed listEntries               // without the schema of the arguments
	rare   *rareFields               // nil without any of them, see more
	lazy   atomic.Pointer[lazyParts] // nil until any of it is asked for
}

type commonFields struct {
	Name, Title, Description string
	Render                   RenderFunc
	typed                    *typedPrompt
}

// rareFields are what few prompts have.
type rareFields struct {
	Icons                   []Icon
	Meta                    Meta
	Version, Digest, Source string
	DisableHints            bool
	Tags                    []string
	Cache                   Cache
	complete                []CompleteFunc // of the plan's arguments, by position; nil if none has one
	results                 *results       // kept for further requests; nil if none are
}

var noRareFields = new(rareFields)

// lazyParts is what a definition makes when it is asked for, once.
type lazyParts struct {
	filterCopy atomic.Pointer[Prompt]
	entries    [8]atomic.Pointer[listEntries] // for each entryKind; a prompt has one form at most
}

// newDefinition returns a definition without the arguments.
func newDefinition(p Prompt) *definition {
	p = p.clone()
	p.takeRender()
	d := &definition{prompt: commonFields{p.Name, p.Title, p.Description, p.Render, p.typed}}
	if len(p.Icons) > 0 || p.Meta != nil || p.Version != "" || p.Digest != "" || p.Source != "" || p.DisableHints || p.Tags != nil || p.Cache != (Cache{}) {
		d.rare = &rareFields{
			Icons: p.Icons, Meta: p.Meta, Version: p.Version, Digest: p.Digest, Source: p.Source, DisableHints: p.DisableHints, Tags: p.Tags,
			Cache: p.Cache, results: p.Cache.newResults(),
		}
	}
	return d
}

// more returns the rare fields, which must not be changed.
func (d *definition) more() *rareFields {
	if d.rare == nil {
		return noRareFields
	}
	return d.rare
}

// declared returns the prompt without the arguments.
func (d *definition) declared() Prompt {
	p, m := &d.prompt, d.more()
	return Prompt{
		Name: p.Name, Title: p.Title, Description: p.Description, Icons: m.Icons, Meta: m.Meta,
		Version: m.Version, Digest: m.Digest, Tags: m.Tags, Source: m.Source,
		DisableHints: m.DisableHints, Cache: m.Cache, Render: p.Render, typed: p.typed,
	}
}

func (d *definition) lazyParts() *lazyParts {
	if d.lazy.Load() == nil {
		d.lazy.CompareAndSwap(nil, new(lazyParts)) // another may have come first
	}
	return d.lazy.Load()
}

// listEntries are the entries of a prompt in prompts/list, one after the other: first the
// one with all members, which the later shapes share, then those with fewer.
type listEntries struct {
	text string
	ends [revision.Shapes]uint32 // of the entries up to full
	full revision.Shape          // the oldest with all members
}

// of returns the entry of a shape. A page calls it for each prompt.
func (e *listEntries) of(shape revision.Shape) string {
	if shape >= e.full {
		return e.text[:e.ends[e.full]]
	}
	return e.text[e.ends[shape+1]:e.ends[shape]]
}

func compile(p Prompt) (*definition, error) {
	arguments := p.Arguments
	p.Arguments = nil
	d := newDefinition(p)
	var faults []error
	if err := argument.CheckName(p.Name); err != nil {
		faults = append(faults, err)
	}
	if len(p.Name) > cursor.MaxName {
		//lint:ignore ST1005 it begins with the name of a field
		faults = append(faults, fmt.Errorf("Name has %d bytes (limit %d)", len(p.Name), cursor.MaxName))
	}
	switch {
	case p.Render == nil:
		faults = append(faults, errors.New("no render function; set Render or use New"))
	case p.typed != nil && p.typed.isNil():
		faults = append(faults, errors.New("render function is nil"))
	case p.typed != nil && p.typed.more().hadRender:
		faults = append(faults, errors.New("Render is set, but New already provides a render function; remove one of the two; for a prompt of Lookup, set Render to nil before New"))
	}
	if p.Cache != (Cache{}) {
		faults = append(faults, p.Cache.check()...)
	}
	if p.Digest != "" {
		if err := checkDigest(p.Digest); err != nil {
			faults = append(faults, err)
		}
	}
	var argumentFaults []error
	var in reflect.Type
	if p.typed != nil {
		in = p.typed.in()
	}
	var few [8]argument.Spec // room for the arguments of most prompts
	specs, schemaFaults := appendSpecs(few[:0], arguments)
	d.plan, argumentFaults = argument.Compile(in, specs)
	faults = append(append(faults, schemaFaults...), argumentFaults...)
	d.setComplete(arguments)
	faults = append(faults, d.checkSensitive()...)
	entries, errs := d.encode(nil, withDigest)
	d.listed, faults = entries, append(faults, errs...)
	if len(faults) == 0 {
		if len(p.Meta) > 0 {
			d.rare.Meta = clone.Encoded(p.Meta)
		}
		return d, nil
	}
	for i, err := range faults {
		faults[i] = declarationError(p.Name, err)
	}
	return nil, errors.Join(faults...)
}

func (d *definition) checkSensitive() (errs []error) {
	for i := range d.plan.Arguments {
		a := &d.plan.Arguments[i]
		if !a.Sensitive {
			continue
		}
		if d.completer(i) != nil {
			errs = append(errs, &argument.DeclarationError{Name: a.Name, Err: errors.New("a sensitive argument cannot be completed; remove Complete")})
		}
		if d.more().results != nil {
			errs = append(errs, &argument.DeclarationError{Name: a.Name, Err: errors.New("a prompt with a sensitive argument cannot be cached; remove Cache")})
		}
	}
	return errs
}

const (
	defaultMaxResults = 1000
	defaultMaxBytes   = 64 << 20
)

func (c Cache) check() []error {
	if c.TTL == 0 {
		return []error{errors.New("Cache.TTL is 0, so Cache has no effect; set TTL")}
	}
	return option.Negative(struct{ Cache Cache }{c})
}

type results = memo.Cache[string, keptResult]

func (c Cache) newResults() *results {
	if c.TTL <= 0 {
		return nil
	}
	if c.MaxResults == 0 {
		c.MaxResults = defaultMaxResults
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	return memo.New[string, keptResult](c.TTL, c.MaxResults, c.MaxBytes)
}

func (d *definition) setComplete(arguments []Argument) {
	for _, a := range arguments {
		i := d.plan.Find(a.Name)
		if i < 0 || a.Complete == nil {
			continue
		}
		if d.rare == nil {
			d.rare = new(rareFields)
		}
		if d.rare.complete == nil {
			d.rare.complete = make([]CompleteFunc, len(d.plan.Arguments))
		}
		d.rare.complete[i] = a.Complete
	}
}

func (d *definition) completer(i int) CompleteFunc {
	if complete := d.more().complete; complete != nil {
		return complete[i]
	}
	return nil
}

var revisions = revision.All()

// entryKind says what the entries of a list contain in addition to the declaration.
type entryKind uint8

const (
	withDigest entryKind = 0
	noDigest   entryKind = 1 // Options.DisableReleaseMeta
	withSchema entryKind = 2 // Options.InputSchemas

	// The forms for hosts that decide by the list what they send, see formFor.
	noneRequired entryKind = 4
	onlyRequired entryKind = 8 // the argument of a prompt that has one
	forms                  = noneRequired | onlyRequired
)

// formFor returns the form of the entries for the host of a client. The server checks the
// arguments as they are declared. With a public ClientCache, all clients get the same list.
func (s *Server) formFor(host *hosts.Client) entryKind {
	switch {
	case s.options.ClientCache.Public:
	case s.options.ElicitArguments && host.Has(hosts.SplitsWords): // it would reject what the user is asked for
		return noneRequired
	case host.Has(hosts.SkipsOptional): // it would drop what the user writes
		return onlyRequired
	}
	return 0
}

func (d *definition) hasOneOptional() bool {
	return len(d.plan.Arguments) == 1 && !d.plan.Arguments[0].Required
}

func (d *definition) hasForm(kind entryKind) bool {
	return kind&onlyRequired != 0 && d.hasOneOptional() ||
		kind&noneRequired != 0 && slices.ContainsFunc(d.plan.Arguments, func(a argument.Argument) bool { return a.Required })
}

// entries returns the entries of the prompt for a kind. They are made once.
func (d *definition) entries(kind entryKind) *listEntries {
	if kind == withDigest { // the loop over a page inlines this
		return &d.listed
	}
	return d.variant(kind)
}

func (d *definition) variant(kind entryKind) *listEntries {
	if !d.hasForm(kind) {
		kind &^= forms
	}
	if kind == withDigest || kind == noDigest && d.more().Digest == "" {
		return &d.listed
	}
	kept := &d.lazyParts().entries[min(kind, kind&3|4)]
	if entries := kept.Load(); entries != nil {
		return entries
	}
	entries := d.listed
	var text []byte
	var err error
	if kind&withSchema != 0 {
		text, err = jsonenc.Marshal(d.plan.InputSchema())
	}
	if err == nil {
		if made, errs := d.encode(text, kind); len(errs) == 0 {
			entries = made
		}
	}
	kept.CompareAndSwap(nil, &entries) // another may have come first
	return kept.Load()
}

// encode encodes the entry in each shape. schema, if not nil, becomes a member of _meta.
func (d *definition) encode(schema []byte, kind entryKind) (entries listEntries, errs []error) {
	buffer := wire.GetBuffer()
	defer wire.PutBuffer(buffer)
	entries.full = d.fullShape()
	if schema != nil {
		entries.full = max(entries.full, revision.ShapeTitled)
	}
	e := encoder{buf: (*buffer)[:0]}
	for _, rev := range revisions {
		shape := min(rev.Shape(), entries.full)
		if entries.ends[shape] != 0 {
			continue
		}
		e.rev = rev
		if e.prompt(d, schema, kind); len(e.errs) > 0 {
			break // the first entry has every member, so these are all
		}
		entries.ends[shape] = uint32(len(e.buf))
	}
	entries.text = string(e.buf)
	*buffer = e.buf
	return entries, e.errs
}

// fullShape returns the oldest shape that has all members of the prompt's
// entry. The entries in later ones are equal to that.
func (d *definition) fullShape() revision.Shape {
	p, m := &d.prompt, d.more()
	hasTitle := func(a argument.Argument) bool { return a.Title != "" }
	switch {
	case len(m.Icons) > 0:
		return revision.ShapeIcons
	case p.Title != "" || m.Version != "" || m.Digest != "" || len(m.Meta) > 0 || slices.ContainsFunc(d.plan.Arguments, hasTitle):
		return revision.ShapeTitled
	}
	return revision.ShapeBase
}

func (e *encoder) prompt(d *definition, schema []byte, kind entryKind) {
	p, m := &d.prompt, d.more()
	e.raw("{")
	e.str("name", p.Name)
	if e.rev.Titles() {
		e.opt("title", p.Title)
	}
	e.opt("description", p.Description)
	if len(d.plan.Arguments) > 0 {
		e.key("arguments")
		for i := range d.plan.Arguments {
			e.buf = append(e.buf, "[,"[min(i, 1)])
			a := &d.plan.Arguments[i]
			e.argument(a, !m.DisableHints, kind&forms == 0 && a.Required || kind&onlyRequired != 0)
		}
		e.raw("]")
	}
	e.icons(m.Icons)
	e.promptMeta(m, schema, kind&noDigest == 0)
	e.raw("}")
}

const (
	versionKey     = "io.github.mcp-prompts/version"
	inputSchemaKey = "io.github.mcp-prompts/inputSchema"
)

func (e *encoder) promptMeta(p *rareFields, schema []byte, digest bool) {
	if _, ok := p.Meta[versionKey]; ok && p.Version != "" {
		e.errorf("Meta[%q] is reserved for Version; set Version instead", versionKey)
	}
	if _, ok := p.Meta[inputSchemaKey]; ok {
		e.errorf("Meta[%q] is reserved for Options.InputSchemas", inputSchemaKey)
	}
	if _, ok := p.Meta[digestKey]; ok && p.Digest != "" {
		e.errorf("Meta[%q] is reserved for Digest; set Digest instead", digestKey)
	}
	digest = digest && p.Digest != ""
	if !e.rev.Titles() || len(p.Meta) == 0 && p.Version == "" && schema == nil && !digest {
		return
	}
	e.key("_meta")
	e.raw("{")
	if p.Version != "" {
		e.key(versionKey)
		var ok bool
		if e.buf, ok = strictjson.AppendValidString(e.buf, p.Version); !ok {
			e.errorf("Version is not valid UTF-8")
		}
	}
	if digest {
		e.str(digestKey, p.Digest)
	}
	if schema != nil {
		e.key(inputSchemaKey)
		e.buf = append(e.buf, schema...)
	}
	e.metaMembers(p.Meta)
	e.raw("}")
}

func (e *encoder) argument(a *argument.Argument, hints, required bool) {
	faults := len(e.errs)
	e.raw("{")
	e.str("name", a.Name)
	if e.rev.Titles() {
		e.opt("title", a.Title)
	}
	if hints {
		e.opt("description", a.DescriptionWithHint())
	} else {
		e.opt("description", a.Description)
	}
	if required {
		e.raw(`,"required":true`)
	}
	e.raw("}")
	for i, err := range e.errs[faults:] {
		e.errs[faults+i] = &argument.DeclarationError{Name: a.Name, Err: err}
	}
}

// clone returns a copy that shares nothing changeable with p, but for values
// inside Meta and for Schemas.
func (p Prompt) clone() Prompt {
	p.Arguments = slices.Clone(p.Arguments)
	p.Tags = slices.Clone(p.Tags)
	p.Icons = slices.Clone(p.Icons)
	for i := range p.Icons {
		p.Icons[i].Sizes = slices.Clone(p.Icons[i].Sizes)
	}
	p.Meta = maps.Clone(p.Meta)
	return p
}

// InputSchema returns the JSON schema (2020-12) of an object with all arguments of the prompt,
// for tools, previews and documentation. The schema contains types, constraints, defaults,
// titles, descriptions and the required arguments, as the server checks them.
//
// The schema describes typed JSON: an integer is 3, although prompts/get has the string "3". In
// an object, an absent optional argument is left out and not empty. A type with UnmarshalText
// may reject values that its schema allows. Undeclared arguments are not allowed, as with
// Options.StrictArguments. A sensitive argument is writeOnly.
//
// The prompt need not be in a registry. InputSchema returns an
// error if [Registry.Add] would return an error for the prompt.
func (p Prompt) InputSchema() (json.RawMessage, error) {
	d, err := compile(p)
	if err != nil {
		return nil, err
	}
	return jsonenc.Marshal(d.plan.InputSchema())
}

// export returns a copy of the prompt that the application may change.
func (d *definition) export() Prompt {
	p := d.declared().clone()
	p.Meta = clone.Encoded(p.Meta)
	for i := range d.plan.Arguments {
		a := &d.plan.Arguments[i]
		p.Arguments = append(p.Arguments, Argument{
			Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required, Sensitive: a.Sensitive, Verbatim: a.Verbatim,
			Schema: schema.AsAny(clone.Deep(a.Schema)), Complete: d.completer(i),
		})
	}
	return p
}

func (d *definition) filterCopy() Prompt {
	kept := &d.lazyParts().filterCopy
	if p := kept.Load(); p != nil {
		return *p
	}
	p := d.export()
	kept.CompareAndSwap(nil, &p) // another may have come first
	return *kept.Load()
}
