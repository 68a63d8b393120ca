package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/trace"
)

// findings returns what check says of the file of a prompt and of its test file.
func (a *authorPage) findings(ctx context.Context, p *prompts.Prompt, _ *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return []finding{}, nil // a prompt without a file has no lines
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
	return inPage(dir, secretsOf(p, tests), found), nil
}

// inPage returns findings with the paths in the folder, and without secrets.
func inPage(dir string, secrets *strings.Replacer, found []finding) []finding {
	out := make([]finding, 0, len(found))
	for _, f := range found {
		f.Path = strings.TrimPrefix(f.Path, prefixOf(dir))
		f.Message, f.Hint, f.Diff = secrets.Replace(f.Message), secrets.Replace(f.Hint), secrets.Replace(f.Diff)
		out = append(out, f)
	}
	return out
}

// pageTests are the results of the cases of a folder.
type pageTests struct {
	Root   string     `json:"root"`
	Cases  []pageTest `json:"cases"`
	Errors []finding  `json:"errors"` // of test files
}

type pageTest struct {
	Prompt   string    `json:"prompt"`
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Failures []finding `json:"failures"`
}

// tests runs all cases, as the command test does. A folder without test files has no results.
func (a *authorPage) tests(ctx context.Context, _ *prompts.Prompt, _ *asked) (any, error) {
	out := []pageTests{}
	for _, dir := range a.dirs {
		report, err := (&testRun{dir: dir, jobs: runtime.GOMAXPROCS(0), done: func() {}}).all(ctx)
		if err != nil {
			continue
		}
		of := pageTests{Root: pageRoot(dir), Cases: []pageTest{}}
		for _, r := range report.results {
			p, _ := a.registry.Lookup(r.c.File.Prompt)
			of.Cases = append(of.Cases, pageTest{r.c.File.Prompt, r.c.Name, r.c.File.Path, r.c.Line, inPage(dir, secretsOf(&p, r.c.File), r.found)})
		}
		isOther := func(f finding) bool { return f.Rule != "case" } // a failure, or an error that the page has
		of.Errors = inPage(dir, strings.NewReplacer(), slices.DeleteFunc(report.Findings, isOther))
		out = append(out, of)
	}
	return out, ctx.Err()
}

// search returns the prompts whose names, files and partials have all words, each with the line that
// has the first of them.
func (a *authorPage) search(ctx context.Context, _ *prompts.Prompt, in *asked) (any, error) {
	found := map[string]string{}
	words := strings.Fields(strings.ToLower(in.Search))
	if len(words) == 0 {
		return found, nil
	}
	for _, dir := range a.dirs {
		partials, known := partialFiles(dir), map[string]string{}
		for file, name := range a.namesIn(dir, "") {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			text, _ := readText(dir, file) // one that cannot be read is a finding
			files, texts := []string{file}, []string{text}
			eachCalled(text, partials, func(partial string) string {
				if _, ok := known[partial]; !ok {
					known[partial], _ = readText(dir, partial)
				}
				files, texts = append(files, partial), append(texts, known[partial])
				return known[partial]
			})
			all := strings.ToLower(name + "\n" + strings.Join(texts, "\n"))
			if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, word) }) {
				continue
			}
			found[name] = ""
			for i, text := range texts {
				before, _, ok := strings.Cut(strings.ToLower(text), words[0])
				if n := strings.Count(before, "\n"); ok && found[name] == "" {
					found[name] = placeOf(files[i], n+1, 0) + ": " + shortened(strings.Split(text, "\n")[n])
				}
			}
		}
	}
	return found, nil
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

// tracedMessage is a message as the parts that the template has made.
type tracedMessage struct {
	Role   prompts.Role  `json:"role"`
	Kind   string        `json:"kind"` // of the content, such as text or image
	Pieces []tracedPiece `json:"pieces"`
}

// tracedPiece is a part of a text, and where it is from.
type tracedPiece struct {
	Text      string   `json:"text"`
	File      string   `json:"file"`      // in the folder, or the URI of a resource
	Line      int      `json:"line"`      // in the file; 0 if unknown
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
		known[k] = t
		return t
	}
}

// files returns the path of each prompt's file, by the name of the prompt.
func (a *authorPage) files(context.Context, *prompts.Prompt, *asked) (any, error) {
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
	return all, nil
}
