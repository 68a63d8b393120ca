package promptfs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

type partial struct {
	name   string
	path   string
	text   string
	before int // blank lines before the text
	stamp  stamp
	sum    [sha256.Size]byte
	size   int64
	own    []*Error // the errors of the file
	faults []*Error // own, and the errors of the template
	// What the partials are that it leads to, itself among them.
	uses []*partial
	all  [sha256.Size]byte // the sum of these
}

type partials struct {
	named map[string]*partial
	set   *prompttemplate.Set // nil for none
}

func newPartial(path string, content []byte) *partial {
	p := &partial{path: path, sum: sha256.Sum256(content), size: int64(len(content))}
	f := fileErrors{path: path}
	text, ok := textOf(content, &f)
	if p.text, p.before = trimmed(callsInNFC(text)); ok && p.text == "" {
		f.add(0, hint.New("write the text, or remove the file", "partial is empty"))
	}
	p.own, p.faults = f.all, f.all
	return p
}

// partialCall is the beginning of a call of a partial, and the name.
var partialCall = regexp.MustCompile("({{-?\\s*template\\s+)(\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`)")

// callsInNFC returns a text whose calls of partials have the names in NFC, as the partials have.
func callsInNFC(text string) string {
	if norm.NFC.IsNormalString(text) {
		return text
	}
	return partialCall.ReplaceAllStringFunc(text, norm.NFC.String)
}

// sum returns the sum of a partial and of those that it leads to; that of none is zero.
func (all partials) sum(name string) [sha256.Size]byte {
	if p := all.named[name]; p != nil {
		return p.all
	}
	return [sha256.Size]byte{}
}

// newPartials parses the partials that have changed since before, and finds the
// errors of each partial on its own. It returns no partials if ctx ends.
func newPartials(ctx context.Context, named map[string]*partial, before partials, o *Options) partials {
	all := partials{named: named}
	texts := make(map[string]string, len(named))
	for name, p := range named {
		texts[name] = p.text // empty if the file is invalid
		p.faults = p.own
	}
	if before.set == nil {
		before.set, _ = prompttemplate.NewSet(prompttemplate.Options{Funcs: o.Funcs}) // errors of functions are reported with each prompt
	}
	var err error
	if all.set, err = before.set.With(ctx, texts); all.set == nil {
		return partials{}
	}
	more := map[string]*fileErrors{}
	for _, err := range flat(err) {
		e := (*prompttemplate.Error)(nil)
		if !errors.As(err, &e) || named[e.Partial] == nil || len(named[e.Partial].own) > 0 {
			continue
		}
		p := named[e.Partial]
		if more[e.Partial] == nil {
			more[e.Partial] = &fileErrors{path: p.path}
		}
		more[e.Partial].addAt(p.line(e.Line), e.Column, e.Err)
	}
	for name, f := range more {
		named[name].faults = f.all
	}
	for name, p := range named {
		h := sha256.New()
		p.uses = nil
		for _, used := range all.set.Uses(name) {
			u := named[used]
			p.uses = append(p.uses, u)
			fmt.Fprintf(h, "%q", used)
			h.Write(u.sum[:])
		}
		p.all = [sha256.Size]byte(h.Sum(nil))
	}
	return all
}

// line returns the line of the file of one of its text.
func (p *partial) line(line int) int {
	if line == 0 {
		return 0
	}
	return p.before + line
}

func (p *partial) error(e *prompttemplate.Error) *Error {
	return newError(p.path, p.line(e.Line), e.Column, e.Err)
}
