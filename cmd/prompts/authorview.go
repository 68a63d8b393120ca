package main

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
)

// pageFinding is a finding of check or of test, as the page gets it.
type pageFinding struct {
	finding
	URL string `json:"url"` // opens the place in the author's editor
}

// findings returns what check says of the file of a prompt and of its test file, and
// which of its cases fail.
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

// pageDiff is a text that has changed, as pieces of both texts.
type pageDiff struct {
	Name   string      `json:"name"`
	Kind   string      `json:"kind"` // template or case
	Pieces []pagePiece `json:"pieces"`
}

// pagePiece is a part of two texts: same, old or new.
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
