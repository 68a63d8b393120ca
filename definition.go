package prompts

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// definition is a prompt as a registry holds it: compiled, checked, and never
// changed again.
type definition struct {
	prompt  Prompt // a copy, without the arguments: the plan has them
	plan    *plan
	listed  [revision.Shapes][]byte // its entry in prompts/list; equal ones are shared
	results *results                // kept for further requests; nil if none are
	seen    atomic.Pointer[Prompt]  // what shown returns; nil until it is asked for
}

// compile checks everything about a declaration and returns all that is
// wrong with it, joined.
func compile(p Prompt) (*definition, error) {
	arguments := p.Arguments
	p.Arguments = nil
	d := &definition{prompt: p.clone(), results: p.Cache.newResults()}
	var faults []error
	if err := checkName(p.Name); err != nil {
		faults = append(faults, err)
	}
	switch {
	case p.typed == nil && p.Render == nil:
		faults = append(faults, errors.New("it has no render function"))
	case p.typed != nil && p.typed.isNil():
		faults = append(faults, errors.New("its render function is nil"))
	case p.typed != nil && p.Render != nil:
		faults = append(faults, errors.New("it has two render functions, Render and the one given to New"))
	}
	faults = append(faults, p.Cache.check()...)
	var argumentFaults []error
	d.plan, argumentFaults = compilePlan(p.typed, arguments)
	faults = append(faults, argumentFaults...)
	faults = append(faults, d.encode()...)
	if len(faults) == 0 {
		if len(p.Meta) > 0 {
			d.prompt.Meta = copyMeta(p.Meta)
		}
		return d, nil
	}
	for i, err := range faults {
		faults[i] = declarationFault(p.Name, err)
	}
	return nil, errors.Join(faults...)
}

func checkName(name string) error {
	if name == "" {
		return errors.New("it has no name")
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return errors.New("its name has a control character")
	}
	return nil // its encoding is checked with the rest of the entry
}

// revisions are all of them, the newest first.
var revisions = revision.All()

// encode encodes the prompt's entry in each shape, once for all lists.
func (d *definition) encode() []error {
	buffer := takeBuffer()
	defer giveBuffer(buffer)
	full := d.fullShape()
	e := encoder{buf: *buffer}
	for _, rev := range revisions {
		shape := rev.Shape()
		if d.listed[shape] != nil {
			continue
		}
		if shape+1 < revision.Shapes && shape >= full {
			d.listed[shape] = d.listed[shape+1]
			continue
		}
		e.rev, e.buf = rev, e.buf[:0]
		if e.prompt(d); len(e.faults) > 0 {
			break // the newest shape has every member, so these are all
		}
		d.listed[shape] = bytes.Clone(e.buf)
	}
	*buffer = e.buf
	return e.faults
}

// fullShape returns the oldest shape that has all members of the prompt's
// entry. The entries in later ones are equal to that.
func (d *definition) fullShape() revision.Shape {
	p := &d.prompt
	hasTitle := func(a argument) bool { return a.Title != "" }
	switch {
	case len(p.Icons) > 0:
		return revision.ShapeIcons
	case p.Title != "" || p.Version != "" || len(p.Meta) > 0 || slices.ContainsFunc(d.plan.arguments, hasTitle):
		return revision.ShapeTitled
	}
	return revision.ShapeBase
}

// prompt appends a prompt's entry in prompts/list.
func (e *encoder) prompt(d *definition) {
	p := &d.prompt
	e.raw("{")
	e.str("name", p.Name)
	if e.rev.Titles() {
		e.opt("title", p.Title)
	}
	e.opt("description", p.Description)
	if len(d.plan.arguments) > 0 {
		e.key("arguments")
		for i := range d.plan.arguments {
			e.buf = append(e.buf, "[,"[min(i, 1)])
			e.argument(&d.plan.arguments[i], !p.NoHints)
		}
		e.raw("]")
	}
	e.icons(p.Icons)
	e.promptMeta(p)
	e.raw("}")
}

// versionKey is the member of a prompt's _meta with its version.
const versionKey = "io.github.mcp-prompts/version"

func (e *encoder) promptMeta(p *Prompt) {
	if p.Version == "" || !e.rev.Titles() {
		e.metaFromTitles(p.Meta)
		return
	}
	if _, ok := p.Meta[versionKey]; ok {
		e.fault("its Meta has %q, which Version sets", versionKey)
	}
	own, ok := strictjson.AppendValidString([]byte(`"`+versionKey+`":`), p.Version)
	if !ok {
		e.fault("its version is not valid UTF-8")
	}
	e.metaAfter(own, p.Meta)
}

func (e *encoder) argument(a *argument, hints bool) {
	faults := len(e.faults)
	e.raw("{")
	e.str("name", a.Name)
	if e.rev.Titles() {
		e.opt("title", a.Title)
	}
	if hints {
		e.opt("description", a.hinted())
	} else {
		e.opt("description", a.Description)
	}
	if a.Required {
		e.raw(`,"required":true`)
	}
	e.raw("}")
	for i, err := range e.faults[faults:] {
		e.faults[faults+i] = &argumentFault{a.Name, err}
	}
}

// bind fills in the arguments of a call.
func (d *definition) bind(args []given) (bound, []problem) {
	var render bound
	var problems []problem
	if d.prompt.typed != nil {
		render, problems = d.prompt.typed.bind(d.plan, args)
	} else {
		render, problems = d.prompt.Render.bind(d.plan, args)
	}
	if d.results != nil {
		render = d.cached(args, render)
	}
	return render, problems
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

// export returns the prompt for an author to keep and to change.
func (d *definition) export() Prompt {
	p := d.prompt.clone()
	p.Meta = copyMeta(p.Meta)
	for i := range d.plan.arguments {
		a := d.plan.arguments[i].Argument
		a.Schema = deepCopy(a.Schema)
		p.Arguments = append(p.Arguments, a)
	}
	return p
}

// shown returns a copy of the prompt for filters, made once.
func (d *definition) shown() Prompt {
	if p := d.seen.Load(); p != nil {
		return *p
	}
	p := d.export()
	d.seen.CompareAndSwap(nil, &p) // another may have come first
	return *d.seen.Load()
}
