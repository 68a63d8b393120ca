package prompttemplate

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/coverage"
	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/trace"
)

// maxPartials is the maximum number of partials that one prompt uses, through
// others too. What the check of a prompt costs is bounded by it.
const maxPartials = 256

// Set contains partials and functions for many prompts. Each partial is parsed and
// checked once. Safe for concurrent use.
type Set struct {
	partials map[string]*text
	names    []string           // of the partials, in order
	funcs    template.FuncMap   // the author's
	faults   []*Error           // of functions
	coverage *coverage.Coverage // nil for none
	isTraced bool               // templates note their parts
	trials   sync.Pool          // of *trier with some of the partials
}

// NewSet returns a Set with the partials and functions of o. It returns all errors, joined, each an
// [*Error], together with the Set. Prompts that use only valid partials work.
func NewSet(o Options) (*Set, error) {
	s := newSet(o)
	return s, join(s.all(), "")
}

func newSet(o Options) *Set {
	s := &Set{funcs: template.FuncMap{}}
	for _, name := range slices.Sorted(maps.Keys(o.Funcs)) {
		s.addFunc(name, o.Funcs[name])
	}
	_ = s.read(context.Background(), o.Partials, nil) // which does not end
	return s
}

// With returns a Set with the functions of s and other partials, and the errors of
// [NewSet]. The result reuses a partial of s if the partial and all partials below
// are unchanged. If ctx ends first, With returns nil and the cause.
func (s *Set) With(ctx context.Context, partials map[string]string) (*Set, error) {
	other := &Set{funcs: s.funcs, faults: s.faults, coverage: coverage.From(ctx), isTraced: trace.IsNoted(ctx)}
	if err := other.read(ctx, partials, s.partials); err != nil {
		return nil, err
	}
	return other, join(other.all(), "")
}

// read reads the partials, until ctx ends. before are those of another Set with the same functions.
func (s *Set) read(ctx context.Context, partials map[string]string, before map[string]*text) error {
	s.partials = make(map[string]*text, len(partials))
	s.names = slices.Sorted(maps.Keys(partials))
	for _, name := range s.names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := parseText(place{isPartial: true, partial: name}, partials[name])
		if t.tree != nil {
			t.tree.ParseName = hex.EncodeToString([]byte(name)) // errors begin with it, up to a colon
			walk(t, nil, s.funcs)
		}
		s.partials[name] = t
	}
	for _, name := range s.names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.linkAll(s.partials[name], before)
	}
	return nil
}

func (s *Set) all() []*Error {
	faults := slices.Clone(s.faults)
	for _, name := range s.names {
		faults = append(faults, s.partials[name].faults...)
	}
	return faults
}

// Uses returns the names of all partials that a partial calls, directly or through
// others, and its own name first. The list may be incomplete for an invalid partial.
func (s *Set) Uses(partial string) []string {
	t := s.partials[partial]
	if t == nil {
		return nil
	}
	names := []string{partial}
	for _, p := range t.reach {
		if p != t {
			names = append(names, p.partial)
		}
	}
	return names
}

func (s *Set) addFunc(name string, f any) {
	fault := func(err error) { s.faults = append(s.faults, place{}.error(err)) }
	if slices.Contains(ours, name) || isInternal(name) {
		fault(hint.New("rename the function", "function name %q is reserved", name))
		return
	}
	if v := reflect.ValueOf(f); v.Kind() != reflect.Func || v.IsNil() {
		fault(fmt.Errorf("function %q is nil or not a function", name))
		return
	}
	if err := tryFunc(name, f); err != nil {
		fault(fmt.Errorf("function %q: %v", name, err))
		return
	}
	s.funcs[name] = f
}

// tryFunc returns what text/template panics with for a function that it does not take.
func tryFunc(name string, f any) (err any) {
	defer func() { err = recover() }()
	template.New("").Funcs(template.FuncMap{name: f})
	return nil
}

// linkAll links a partial, those that it leads to first. One that was linked
// before, with all that it leads to, is taken instead.
func (s *Set) linkAll(first *text, before map[string]*text) {
	type frame struct {
		t    *text
		next int // of its calls
	}
	if first.state != isNew {
		return
	}
	first.state = isOpen
	stack := []frame{{t: first}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.t.calls) {
			if old := before[top.t.partial]; old != nil && s.isSame(old, top.t, before) {
				s.partials[old.partial] = old
			} else {
				s.link(top.t, "", nil)
			}
			top.t.state = isLinked
			stack = stack[:len(stack)-1]
			continue
		}
		c := top.t.calls[top.next]
		top.next++
		switch callee := s.partials[c.partial]; {
		case callee == nil:
		case callee.state == isNew:
			callee.state = isOpen
			stack = append(stack, frame{t: callee})
		case callee.state == isOpen:
			begin := slices.IndexFunc(stack, func(f frame) bool { return f.t == callee })
			var path []string
			for _, f := range stack[begin:min(len(stack), begin+10)] {
				path = append(path, f.t.partial)
			}
			if begin+10 < len(stack) {
				path = append(path, "...")
			}
			top.t.add(c.pos, hint.New("use {{range}} for repetition", "recursive partial: %s -> %s", strings.Join(path, " -> "), c.partial))
		}
	}
}

func (s *Set) isSame(old, t *text, before map[string]*text) bool {
	return old.why == nil && old.source == t.source && !slices.ContainsFunc(t.calls, func(c call) bool {
		return s.partials[c.partial] != before[c.partial]
	})
}

// link finds what follows from the partials that a text calls, which are
// linked, and puts into its tree what bounds it. prompt is the name of a message's.
// arguments are the data of a message; nil for a struct and for a partial.
func (s *Set) link(t *text, prompt string, arguments *named) {
	if t.isPartial {
		t.reach, t.given = []*text{t}, []*text{t}
	}
	reach, given := union{all: t.reach}, union{all: t.given}
	if len(t.uses) > 0 {
		t.wants = &t.uses[0]
		t.wants.in = t
	}
	for _, c := range t.calls {
		if len(t.faults) >= maxErrors {
			break
		}
		callee := s.partials[c.partial]
		if callee == nil {
			stem := strings.TrimSuffix(c.partial, ".md")
			fix := fmt.Sprintf("create the partial: the file _partials/%s.md, or Options.Partials in Go", explain.Short(stem))
			names := s.names[:min(len(s.names), comparedNames)]
			fix = nearest.Fix(c.partial, names, fix)
			if n := slices.IndexFunc(names, func(name string) bool { return path.Base(name) == path.Base(stem) }); n >= 0 {
				fix = fmt.Sprintf("did you mean %q?", names[n])
			}
			t.add(c.pos, hint.New(fix, "unknown partial %q", c.partial))
			continue
		}
		if callee.state == isOpen { // the text already has an error for this cycle
			continue
		}
		if callee.why != nil {
			t.why = cmp.Or(t.why, callee.why)
			continue
		}
		if c.levels+callee.levels > maxNesting && t.levels <= maxNesting {
			t.add(c.pos, hint.New("nest fewer", "blocks and partials exceed the limit of %d nested levels", maxNesting))
		}
		t.levels = max(t.levels, c.levels+callee.levels)
		reach.add(callee.reach)
		t.reach = reach.all
		if c.given == nothing && callee.wants != nil {
			at := callee.wants.in.at(callee.wants.pos)
			t.add(c.pos, hint.New(fmt.Sprintf("write {{template %q .}}", c.partial), "partial %q is called without arguments, but %s uses {{%s}}", c.partial, at, callee.wants.source))
		}
		if c.given == same {
			if t.wants == nil {
				t.wants = callee.wants
			}
			given.add(callee.given)
			t.given = given.all
		}
		if len(t.reach) > maxPartials {
			t.add(c.pos, hint.New("use fewer", "too many partials are called, directly or by other partials (limit %d)", maxPartials))
			break
		}
	}
	if t.why == nil && len(t.faults) == 0 {
		b := bounder{
			funcs: s.funcs, partials: s.partials, coverage: s.coverage, isTraced: s.isTraced,
			text: t, prompt: prompt, arguments: arguments, scalars: map[string]bool{},
		}
		dot := anyDot
		if arguments != nil {
			dot = argsDot
		}
		t.weight = b.list(t.tree.Root, dot)
		b.check(t.tree.Root.Pos, t.weight)
		if s.coverage != nil && t.isPartial {
			b.coverList(t.tree.Root, t.tree.Root.Pos, "", false)
		}
	}
	if len(t.faults) > 0 {
		t.why = t.faults[0]
	}
}

// comparedNames is the maximum number of partials that the name of an unknown one is compared with.
const comparedNames = 200

// union is texts, each once.
type union struct {
	all  []*text
	seen map[*text]bool // nil up to the second part, as many have one
}

func (u *union) add(texts []*text) {
	switch {
	case len(u.all) == 0:
		u.all = texts[:len(texts):len(texts)]
		return
	case u.seen == nil:
		u.seen = map[*text]bool{}
		for _, t := range u.all {
			u.seen[t] = true
		}
	}
	for _, t := range texts {
		if !u.seen[t] {
			u.seen[t] = true
			u.all = append(u.all, t)
		}
	}
}

// Call is the place where a message calls a partial.
type Call struct {
	Partial string
	// Message and Line are the place of the call, counted from 1.
	Message, Line int
}

// Prompt returns p with a render function that executes the messages, like [New], and the calls of
// partials in the messages, including unknown partials. Each partial is listed once.
//
// Prompt also executes the messages with generated values, within a small budget,
// and returns an error if a message can never work. Errors in functions are errors
// of each prompt, and errors in a partial are errors of each message that uses the
// partial. If a function in Options.Funcs returns anything but a string, a number, a
// boolean, or a list or map of these, the rest of the message is not checked.
func (s *Set) Prompt(ctx context.Context, p prompts.Prompt, messages ...Message) (prompts.Prompt, []Call, error) {
	d := namedOf(p.Arguments)
	c, faults := s.compile(p, messages, d, slices.Clip(s.faults))
	var calls []Call
	known := map[string]bool{}
	for _, m := range c.messages {
		if m.text == nil {
			continue
		}
		for _, call := range m.text.calls {
			if !known[call.partial] {
				known[call.partial] = true
				at := m.text.at(call.pos)
				calls = append(calls, Call{call.partial, at.message, at.line})
			}
		}
	}
	if len(faults) == 0 {
		t, ok := s.trials.Get().(*trier)
		if !ok {
			t = &trier{newExecutor(s.funcs), map[string]any{}, map[string]any{}, map[string]string{}}
		}
		faults = t.try(ctx, c, p.Arguments, d)
		s.trials.Put(t)
	}
	if len(faults) > 0 {
		return prompts.Prompt{}, calls, join(faults, p.Name)
	}
	return c.named(p, d), calls, nil
}

// compile checks the prompt and its messages, and returns all errors, behind the
// given ones. Without data the arguments are not checked.
func (s *Set) compile(p prompts.Prompt, messages []Message, d data, faults []*Error) (*compiled, []*Error) {
	c := &compiled{funcs: s.funcs, prompt: p.Name}
	if p.Render != nil {
		err := hint.New("remove Render: the messages are rendered", "prompt has a render function and messages")
		faults = slices.Insert(slices.Clone(faults), 0, place{}.error(err))
	}
	if len(messages) == 0 {
		faults = append(faults, place{}.error(hint.New("add one, for example User(text)", "prompt has no messages")))
	}
	arguments, _ := d.(*named)
	var used union
	check := &checker{partials: s.partials, data: d, used: map[string]bool{}, tested: map[string]bool{}, said: map[string]bool{}, called: map[*text]bool{}}
	texts := make([]*text, len(messages))
	for i, m := range messages {
		if m.Text != "" {
			texts[i] = parseText(place{message: i + 1}, m.Text)
		}
	}
	joinBlocks(texts)
	for i, m := range messages {
		at, t := place{message: i + 1}, texts[i]
		if err := checkMessage(m); err != nil {
			faults = append(faults, at.error(err))
		}
		if t != nil {
			if t.tree != nil {
				t.tree.ParseName = "message " + strconv.Itoa(i+1)
				if parse.IsEmptyTree(t.tree.Root) {
					t.addAt(at, hint.New("write the text", "text contains only white space and comments"))
				}
				walk(t, check.arguments(), s.funcs)
				s.link(t, p.Name, arguments)
			}
			check.message(t)
			used.add(t.reach)
		}
		c.messages = append(c.messages, message{m.Role, m.Content, t})
	}
	c.partials, c.tested = used.all, check.tested
	return c, append(faults, check.done(len(messages) > 0)...)
}
