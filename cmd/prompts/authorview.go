package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/trace"
)

func (a *authorPage) findings(ctx context.Context, p *prompts.Prompt, _ *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return []finding{}, nil // a prompt without a file has no lines
	}
	tests := a.testFile(dir, file, p.Name)
	i := &inspection{lineReader: *newLineReader(dir), only: map[string]bool{p.Source: true, prefixOf(dir) + tests.Path: true}, done: func() {}}
	var found []finding
	if promptfile.IsSkill(file) {
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

type pageTests struct { // of a folder
	Root   string     `json:"root"`
	Cases  []pageTest `json:"cases"`
	Errors []finding  `json:"errors"` // of files
}

type pageTest struct {
	Prompt   string    `json:"prompt"`
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Line     int       `json:"line"`
	NotAsked bool      `json:"notAsked"` // the answer of a model is not checked
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
			of.Cases = append(of.Cases, pageTest{r.c.File.Prompt, r.c.Name, r.c.File.Path, r.c.Line, r.notAsked, inPage(dir, secretsOf(&p, r.c.File), r.found)})
		}
		isFailure := func(f finding) bool { return f.Rule == "test" }
		of.Errors = inPage(dir, strings.NewReplacer(), slices.DeleteFunc(report.Findings, isFailure))
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
					line, _ := excerpt(strings.Split(text, "\n")[n], 1+utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]))
					found[name] = placeOf(files[i], n+1, 0) + ": " + line
				}
			}
		}
	}
	return found, nil
}

type pageDiff struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"` // template or case
	Pieces []piece `json:"pieces"`
}

func newPageDiff(kind string, d textDiff) pageDiff {
	return pageDiff{Name: d.Name, Kind: kind, Pieces: joined(wordDiff(d.Old, d.New))}
}

// joined joins the changes of words that follow one another, which readers compare as a whole.
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
		isSpace := strings.Trim(p.Text, " \t") == ""
		switch {
		case p.Kind == pieceOld:
			before += p.Text
		case p.Kind == pieceNew:
			after += p.Text
		case isSpace && before != "" && after != "" && i+1 < len(pieces):
			before, after = before+p.Text, after+p.Text
		default:
			flush()
			add(pieceSame, p.Text)
		}
	}
	flush()
	return out
}

const maxTraced = 1 << 20 // bytes of a result whose parts the page shows

type tracedMessage struct {
	Role   prompts.Role  `json:"role"`
	Kind   string        `json:"kind"` // of the content, such as text or image
	Pieces []tracedPiece `json:"pieces"`
}

type tracedPiece struct {
	Text      string   `json:"text"`
	File      string   `json:"file"`      // in the folder, or the URI of a resource
	Line      int      `json:"line"`      // in the file; 0 if unknown
	Action    string   `json:"action"`    // such as {{.code}}; empty for a text
	Arguments []string `json:"arguments"` // whose values the action writes
}

// trace returns the parts of the messages. A part with a sensitive value has no text.
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
		kind := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", m.Content), "*prompts."))
		one := tracedMessage{Role: m.Role, Kind: kind, Pieces: []tracedPiece{}}
		text, uri := "", ""
		var pieces []trace.Piece // of a text
		source := ""
		switch c := m.Content.(type) {
		case *prompts.Text:
			text = c.Text
			if message := recorded.Messages()[i]; message != nil {
				pieces, source = message.Pieces, message.Source
			}
		case *prompts.EmbeddedResource:
			text, uri = c.Text, c.URI
		}
		if size += len(text); size > maxTraced {
			return nil, fmt.Errorf("result has more than %d bytes, which is the limit of this view", maxTraced)
		}
		if len(pieces) == 0 && (text != "" || kind == "text") {
			one.Pieces = append(one.Pieces, tracedPiece{Text: hide.Replace(text), File: uri, Arguments: []string{}})
		}
		for n, piece := range pieces {
			end := len(text)
			if n+1 < len(pieces) {
				end = pieces[n+1].Start
			}
			if piece.Start >= end {
				continue // nothing was written
			}
			var at trace.Place
			_ = json.Unmarshal([]byte(piece.Place), &at) // which is of a Place
			t := place(i, source, at)
			t.Text = hide.Replace(text[piece.Start:end])
			if slices.ContainsFunc(at.Arguments, func(name string) bool { return isSensitive[name] }) {
				t.Text = hiddenValue
			}
			one.Pieces = append(one.Pieces, t)
		}
		out = append(out, one)
	}
	return out, nil
}

// The function returns the place of a part. source is the template of the message.
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
		if t, ok := known[k]; ok {
			return t
		}
		t := tracedPiece{File: file, Action: at.Action, Arguments: append([]string{}, at.Arguments...)}
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
		known[k] = t
		return t
	}
}

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
