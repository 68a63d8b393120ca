package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/trace"
)

type pageFinding struct {
	finding
	URL string `json:"url"` // opens the place in the author's editor
}

func (a *authorPage) findings(ctx context.Context, p *prompts.Prompt, _ *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return []pageFinding{}, nil // a prompt without a file has no lines
	}
	tests := a.testFile(dir, file, p.Name)
	i := &inspection{lineReader: *newLineReader(dir), only: map[string]bool{p.Source: true, prefixOf(dir) + tests.Path: true}, done: func() {}}
	var found []finding
	if strings.EqualFold(path.Base(file), "SKILL.md") {
		found, err = i.inspect(ctx)
	} else {
		found, err = i.inspectOne(ctx, a.registry, a.renderer, p, dir, tests.Path)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range tests.Cases {
		_, _, failures := a.renderer.runCase(ctx, cases.Dir(dir), c)
		for _, f := range failures {
			found = append(found, finding{Path: prefixOf(dir) + tests.Path, Line: f.Line, Level: levelError, Rule: "test", Prompt: p.Name, Message: fmt.Sprintf("case %q: %s", c.Name, f.Message)})
		}
	}
	secrets := secretsOf(p, tests)
	out := make([]pageFinding, 0, len(found))
	for _, f := range found {
		f.Message, f.Hint, f.Diff = secrets.Replace(f.Message), secrets.Replace(f.Hint), ""
		url := atPlace(a.editorURL(dir, strings.TrimPrefix(f.Path, prefixOf(dir))), f.Line, f.Column)
		f.Path = strings.TrimPrefix(f.Path, prefixOf(dir))
		out = append(out, pageFinding{f, url})
	}
	return out, nil
}

type pageDiff struct {
	Name   string      `json:"name"`
	Kind   string      `json:"kind"` // template or case
	Pieces []pagePiece `json:"pieces"`
}

type pagePiece struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

var pieceNames = map[pieceKind]string{pieceSame: "same", pieceOld: "old", pieceNew: "new"}

func newPageDiff(kind string, d textDiff) pageDiff {
	diff := pageDiff{Name: d.Name, Kind: kind}
	for _, piece := range joined(wordDiff(d.Old, d.New)) {
		diff.Pieces = append(diff.Pieces, pagePiece{pieceNames[piece.kind], piece.text})
	}
	return diff
}

// joined joins the changes of words that follow one another: a reader compares what was
// there with what is, and not each word.
func joined(pieces []piece) []piece {
	var out []piece
	var before, after string
	add := func(kind pieceKind, text string) {
		if text != "" {
			out = append(out, piece{kind, text})
		}
	}
	flush := func() {
		add(pieceOld, before)
		add(pieceNew, after)
		before, after = "", ""
	}
	for i, p := range pieces {
		isSpace := strings.Trim(p.text, " \t") == ""
		switch {
		case p.kind == pieceOld:
			before += p.text
		case p.kind == pieceNew:
			after += p.text
		case isSpace && before != "" && after != "" && i+1 < len(pieces):
			before, after = before+p.text, after+p.text
		default:
			flush()
			add(pieceSame, p.text)
		}
	}
	flush()
	return out
}

// maxTraced is the size of the longest result whose parts the page shows.
const maxTraced = 1 << 20

var errTraced = fmt.Errorf("result has more than %d bytes, which is the limit of this view", maxTraced)

type tracedMessage struct {
	Role   prompts.Role  `json:"role"`
	Kind   string        `json:"kind"` // of the content, such as text or image
	Pieces []tracedPiece `json:"pieces"`
}

type tracedPiece struct {
	Text      string   `json:"text"`
	File      string   `json:"file"`      // in the folder, or the URI of a resource
	Line      int      `json:"line"`      // in the file; 0 if unknown
	URL       string   `json:"url"`       // opens the line in the author's editor
	Action    string   `json:"action"`    // such as {{.code}}; empty for a text
	Arguments []string `json:"arguments"` // whose values the action writes
}

// trace renders a prompt and returns the parts of its messages. A part with the value of a
// sensitive argument has no text.
func (a *authorPage) trace(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return nil, err
	}
	recorded := new(trace.Trace)
	result, _, cause, err := a.renderer.render(trace.Record(ctx, recorded), p.Name, in.Arguments)
	if err != nil {
		return nil, renderError(err, cause)
	}
	isSensitive := map[string]bool{}
	var secrets []string
	for _, argument := range p.Arguments {
		if isSensitive[argument.Name] = argument.Sensitive; argument.Sensitive {
			secrets = append(secrets, in.Arguments[argument.Name])
		}
	}
	hide := hiding(secrets)
	place := a.placer(dir, file, p.Source)
	size := 0
	out := []tracedMessage{}
	for i, m := range result.Messages {
		content, isText := m.Content.(*prompts.Text)
		one := tracedMessage{Role: m.Role, Kind: "text", Pieces: []tracedPiece{}}
		if !isText {
			one.Kind = strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", m.Content), "*prompts."))
			if r, ok := m.Content.(*prompts.EmbeddedResource); ok && r.Text != "" {
				if size += len(r.Text); size > maxTraced {
					return nil, errTraced
				}
				one.Pieces = append(one.Pieces, tracedPiece{Text: hide.Replace(r.Text), File: r.URI, Arguments: []string{}})
			}
			out = append(out, one)
			continue
		}
		if size += len(content.Text); size > maxTraced {
			return nil, errTraced
		}
		recordedMessage := recorded.Messages()[i]
		if recordedMessage == nil || len(recordedMessage.Pieces) == 0 {
			one.Pieces = append(one.Pieces, tracedPiece{Text: hide.Replace(content.Text), Arguments: []string{}})
			out = append(out, one)
			continue
		}
		for n, piece := range recordedMessage.Pieces {
			end := len(content.Text)
			if n+1 < len(recordedMessage.Pieces) {
				end = recordedMessage.Pieces[n+1].Start
			}
			if piece.Start >= end {
				continue // nothing was written
			}
			var at trace.Place
			_ = json.Unmarshal([]byte(piece.Place), &at) // which is of a Place
			t := place(i, recordedMessage.Source, at)
			t.Text = hide.Replace(content.Text[piece.Start:end])
			if slices.ContainsFunc(at.Arguments, func(name string) bool { return isSensitive[name] }) {
				t.Text = hiddenValue
			}
			one.Pieces = append(one.Pieces, t)
		}
		out = append(out, one)
	}
	return out, nil
}

// placer returns a function with the place of a part in the files of a prompt. source is
// the template of the message.
func (a *authorPage) placer(dir, file, path string) func(message int, source string, at trace.Place) tracedPiece {
	lines := newLineReader(dir).lines
	lineOf := newLineFinder(lines)
	partials := partialFiles(dir)
	type key struct {
		message int
		at      string
	}
	known := map[key]tracedPiece{}
	return func(message int, source string, at trace.Place) tracedPiece {
		k := key{message, at.String()}
		if at.Partial != "" {
			k.message = -1
		}
		if t, ok := known[k]; ok {
			return t
		}
		t := tracedPiece{File: file, Action: at.Action, Arguments: at.Arguments}
		if at.Partial == "" {
			t.Line = lineOf(path, source, at.Line)
		} else if full := partials[at.Partial]; full != "" {
			t.File = strings.TrimPrefix(full, prefixOf(dir))
			t.Line = at.Line
			for _, line := range lines(full) { // blank lines are no part of a partial
				if strings.TrimSpace(line) != "" {
					break
				}
				t.Line++
			}
		} else {
			t.File = ""
		}
		if t.Arguments == nil {
			t.Arguments = []string{}
		}
		if t.File != "" {
			t.URL = atPlace(a.editorURL(dir, t.File), t.Line, 1)
		}
		known[k] = t
		return t
	}
}

func (a *authorPage) files() map[string]string {
	all := map[string]string{}
	for p := range a.registry.All() {
		for _, dir := range a.dirs {
			if file, ok := strings.CutPrefix(p.Source, prefixOf(dir)); ok {
				all[p.Name] = file
				if len(a.dirs) > 1 {
					all[p.Name] = filepath.ToSlash(filepath.Join(filepath.Base(dir), file))
				}
			}
		}
	}
	return all
}
