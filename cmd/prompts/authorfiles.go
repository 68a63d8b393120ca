package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/internal/trial"
)

type savedCase struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Failures []string `json:"failures"` // of the case
}

func (a *authorPage) saveCase(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(in.Arguments)) {
		if !slices.Contains(trial.Names(p, false), name) {
			return nil, fmt.Errorf("unknown argument %q", name)
		}
	}
	a.saving.Lock() // two saves at once would lose one
	defer a.saving.Unlock()
	tests := a.testFile(dir, file, p.Name)
	full, err := inFolder(dir, tests.Path)
	if errors.Is(err, regular.ErrOutside) {
		return nil, errors.New("test file is a link to a place outside of the folder; the page writes only in the folder")
	}
	if err != nil {
		return nil, err
	}
	before, err := regular.ReadFile(ctx, full, maxRevisionFile)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return nil, err
	}
	at := tests.Path
	if isNew {
		tests = &cases.File{Path: at, Prompt: p.Name}
	} else { // an editor may have saved since the file was loaded
		tests, _ = cases.New(at, before, promptfile.ParseYAML)
		if tests == nil || len(tests.Cases) == 0 || tests.Prompt != p.Name {
			return nil, fmt.Errorf("file %s has errors, or is of another prompt; correct it first", at)
		}
	}
	expect := caseExpect{Contains: in.Expect.Contains}
	if in.Expect.IsGolden {
		expect.Golden = goldenName(dir, at, in.Name)
	}
	for _, argument := range p.Arguments {
		if value := strings.TrimSpace(in.Arguments[argument.Name]); argument.Sensitive && value != "" && strings.Contains(expect.Contains, value) {
			return nil, fmt.Errorf("expected text has the value of the sensitive argument %q; expect another text", argument.Name)
		}
	}
	content, c, err := withCase(tests, before, p, strings.TrimSpace(in.Name), a.argumentsOf(ctx, p, in.Arguments), expect)
	if err != nil {
		return nil, err
	}
	out := &savedCase{File: at, Line: c.Line, Failures: []string{}}
	_, _, failures := a.renderer.runCase(ctx, cases.Dir(dir), c)
	for _, f := range failures {
		if f.IsMissing { // which is the golden file
			if err := writeIn(dir, f.Golden, []byte(f.Text), true); err != nil {
				return nil, err
			}
			continue
		}
		out.Failures = append(out.Failures, f.Message)
	}
	if in.Expect.IsGolden && len(out.Failures) > 0 {
		return nil, fmt.Errorf("prompt has no messages to compare with: %s", out.Failures[0])
	}
	if err = writeIn(dir, at, content, isNew); err != nil {
		if c.Expect.Equals != nil {
			_ = os.Remove(filepath.Join(dir, filepath.FromSlash(c.Expect.Equals.Value))) // which no case expects
		}
		return nil, err
	}
	return out, nil
}

type caseExpect struct {
	Contains string `yaml:"contains,omitempty"`
	Golden   string `yaml:"equals,omitempty"` // path from the folder of the test file
}

type writtenCase struct {
	Name      string     `yaml:"name"`
	Arguments yaml.Node  `yaml:"arguments,omitempty"` // a mapping, in the order of the prompt
	Expect    caseExpect `yaml:"expect,omitempty"`
}

// goldenName returns a name, beside the test file, that no file has.
func goldenName(dir, tests, name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	short := []rune(strings.Join(words, "-"))
	stem := strings.TrimSuffix(path.Base(tests), cases.Extension) + "." + string(short[:min(len(short), 60)])
	golden := stem + ".golden"
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path.Dir(tests)), golden)); err != nil {
			return golden
		}
		golden = fmt.Sprintf("%s-%d.golden", stem, n)
	}
}

var lineStart = regexp.MustCompile(`(?m)^.`)

// withCase returns the test file with one more case, and the case. The rest of the file stays.
func withCase(tests *cases.File, before []byte, p *prompts.Prompt, name string, args map[string]string, expect caseExpect) ([]byte, *cases.Case, error) {
	if slices.ContainsFunc(tests.Cases, func(c *cases.Case) bool { return c.Name == name }) {
		return nil, nil, fmt.Errorf("a case with the name %q exists; choose another name", name)
	}
	indent, head := "  ", ""
	if len(tests.Cases) == 0 {
		head = "cases:\n"
		if strings.TrimSuffix(tests.Path, cases.Extension) != p.Name {
			head = yamlOf(map[string]string{"prompt": p.Name}) + head
		}
	} else {
		line := strings.Split(string(before), "\n")[tests.Cases[0].Line-1]
		indent = line[:len(line)-len(strings.TrimLeft(line, " "))]
		if !bytes.HasSuffix(before, []byte("\n")) {
			head = "\n"
		}
	}
	one := writtenCase{Name: name, Expect: expect}
	for _, argument := range trial.Names(p, false) {
		if value, ok := args[argument]; ok {
			one.Arguments.Kind = yaml.MappingNode
			for _, text := range []string{argument, value} {
				part := new(yaml.Node)
				_ = part.Encode(text) // no text has an error
				one.Arguments.Content = append(one.Arguments.Content, part)
			}
		}
	}
	added := head + lineStart.ReplaceAllString(yamlOf([]writtenCase{one}), indent+"$0")
	if bytes.Contains(before, []byte("\r\n")) {
		added = strings.ReplaceAll(added, "\n", "\r\n")
	}
	content := slices.Concat(before, []byte(added))
	after, errs := cases.New(tests.Path, content, promptfile.ParseYAML)
	if len(errs) > 0 && len(tests.Cases) == 0 {
		return nil, nil, fmt.Errorf("case is not valid: %w", errs[0])
	}
	if n := len(tests.Cases); len(errs) > 0 || len(after.Cases) != n+1 || !isAsGiven(after.Cases[n], name, args, expect) {
		return nil, nil, fmt.Errorf("case cannot be added to %s as the file is written: the list of cases must be last, one case below the other; add the case by hand", tests.Path)
	}
	return content, after.Cases[len(tests.Cases)], nil
}

func isAsGiven(c *cases.Case, name string, args map[string]string, expect caseExpect) bool {
	e := c.Expect
	if c.Name != name || !maps.Equal(c.Arguments, args) || (e.Equals != nil) != (expect.Golden != "") {
		return false
	}
	if expect.Contains == "" {
		return len(e.Contains) == 0
	}
	return len(e.Contains) == 1 && e.Contains[0].Value == expect.Contains
}

func yamlOf(v any) string {
	text, err := yaml.Dump(v, yaml.WithV4Defaults(), yaml.WithLineWidth(-1))
	if err != nil { // no text has an error
		panic(err)
	}
	return string(text)
}

type pageCommit struct {
	ID      string `json:"id"`
	Short   string `json:"short"` // form of the ID
	Time    string `json:"time"`  // RFC 3339
	Author  string `json:"author"`
	Subject string `json:"subject"`

	Others []string `json:"others"` // names of other prompts whose files it changed too
	NMore  int      `json:"nMore"`  // of them that are left out
}

type pageCommits struct {
	Commits   []pageCommit `json:"commits"` // the last one first
	IsMore    bool         `json:"more"`    // older ones are left out
	IsChanged bool         `json:"changed"` // the files differ from those of the current commit
}

const (
	maxCommits = 50 // that the page lists
	maxOthers  = 10 // other prompts of a commit that the page lists
)

func (a *authorPage) commits(ctx context.Context, p *prompts.Prompt, _ *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return nil, err
	}
	r, err := openRepository(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer r.close()
	text, err := readText(dir, file)
	if err != nil {
		return nil, err
	}
	out := &pageCommits{Commits: []pageCommit{}}
	files := []string{file}
	now := map[string]string{file: text}
	eachCalled(text, partialFiles(dir), func(partial string) string {
		files = append(files, partial)
		now[partial], _ = readText(dir, partial) // one that cannot be read is a finding
		return now[partial]
	})
	committed := file
	if _, err := r.output(ctx, "cat-file", "-e", "HEAD:"+r.prefix+file); err != nil { // the file may have been moved
		if side, err := r.side(ctx, "HEAD:./"); err == nil {
			defer side.remove()
			_, committed = a.find(newDiffFolder(ctx, side, true), p.Name, file, text)
		}
	}
	older, err := r.names(ctx, maxCommits+1, committed)
	if err != nil {
		return nil, err
	}
	log, err := r.log(ctx, maxCommits+1, append(older, files...))
	if err != nil {
		return nil, err
	}
	others := a.namesIn(dir, p.Name)
	for commit := range strings.SplitSeq(strings.TrimPrefix(string(log), "\x00"), "\x00\x00") {
		header, changed, _ := strings.Cut(commit, "\x00\n")
		fields := strings.SplitN(header, "\x1f", 5)
		if len(fields) < 5 { // of no commit
			continue
		}
		if out.IsMore = len(out.Commits) == maxCommits; out.IsMore {
			break
		}
		names := []string{}
		for file := range strings.SplitSeq(strings.TrimSuffix(changed, "\x00"), "\x00") {
			if others[file] != "" {
				names = append(names, others[file])
			}
		}
		shown := names[:min(len(names), maxOthers)]
		subject := strings.TrimSuffix(fields[4], "\x00")
		c := pageCommit{fields[0], fields[1], fields[2], fields[3], subject, shown, len(names) - len(shown)}
		out.Commits = append(out.Commits, c)
	}
	for _, name := range files {
		old, err := r.output(ctx, "cat-file", "blob", "HEAD:"+r.prefix+name)
		out.IsChanged = out.IsChanged || err != nil || strings.ReplaceAll(string(old), "\r\n", "\n") != now[name]
	}
	return out, nil
}

// revision is what names a commit. It cannot be an option of Git.
var revision = regexp.MustCompile(`^[\pL\pN_@][\pL\pN_@.~^{}/-]*$`)

// changes compares two texts of the page, or the template of a prompt, and what its cases
// render, with a commit, or a commit with the one before.
func (a *authorPage) changes(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	if in.Texts != nil {
		out := []pageDiff{}
		for _, t := range in.Texts {
			if t.Old != t.New {
				out = append(out, newPageDiff(t.Kind, t.textDiff))
			}
		}
		return out, nil
	}
	if !revision.MatchString(in.With) {
		return nil, fmt.Errorf("invalid revision %q; write one such as HEAD or main~2", in.With)
	}
	dir, file, err := a.file(p)
	if err != nil {
		return nil, err
	}
	r, err := openRepository(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer r.close()
	side, err := r.side(ctx, in.With+":./")
	if err != nil {
		return nil, err
	}
	defer side.remove()
	if !in.IsAlone {
		return a.compare(ctx, p, dir, file, side, &diffSide{dir, dir, func() {}})
	}
	before, err := r.side(ctx, in.With+"^:./")
	if err != nil { // the first commit, or the first one with the folder
		if before, err = emptySide(in.With + "^"); err != nil {
			return nil, err
		}
	}
	defer before.remove()
	return a.compare(ctx, p, dir, file, before, side)
}

func (a *authorPage) sinceRelease(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return nil, err
	}
	side, err := releaseSide(ctx, in.With)
	if err != nil {
		return nil, err
	}
	if side == nil {
		return nil, fmt.Errorf("invalid release %q; write one such as oci-layout:releases:production", in.With)
	}
	defer side.remove()
	return a.compare(ctx, p, dir, file, side, &diffSide{dir, dir, func() {}})
}

// dir and file are those of the prompt now.
func (a *authorPage) compare(ctx context.Context, p *prompts.Prompt, dir, file string, from, to *diffSide) (any, error) {
	var before, after *diffFolder
	var loading sync.WaitGroup
	loading.Go(func() { before = newDiffFolder(ctx, from, true) })
	loading.Go(func() { after = newDiffFolder(ctx, to, true) })
	loading.Wait()
	text, err := readText(dir, file)
	if err != nil {
		return nil, err
	}
	old, oldFile := a.find(before, p.Name, file, text)
	now, newFile := a.find(after, p.Name, file, text)
	secrets := secretsOf(p, slices.Concat(before.files, after.files)...)
	out := []pageDiff{}
	budget := newBudget(maxAsked)
	add := func(kind string, all []textDiff) {
		for _, d := range all {
			if d.IsLeftOut {
				d.New = leftOut
			}
			out = append(out, newPageDiff(kind, textDiff{Name: d.Name, Old: secrets.Replace(d.Old), New: secrets.Replace(d.New)}))
		}
	}
	if old != nil && now != nil {
		add("name", budget.addDiff(nil, "", oldFile, newFile))
	}
	add("template", textsOf(before, after, partialsOf(before, after), budget, oldFile, newFile))
	if old != nil && now != nil {
		add("case", casesOf(ctx, before, after, budget, old, now))
	}
	return out, nil
}

// find returns a prompt and its file: the one of the name, or else the one with most of the text whose
// name does not exist now; nil for none.
func (a *authorPage) find(f *diffFolder, name, file, text string) (p *prompts.Prompt, of string) {
	if p, ok := f.registry.Lookup(name); ok {
		return &p, f.path(&p)
	}
	p = f.moved(func(p *prompts.Prompt) bool {
		_, isOther := a.registry.Lookup(p.Name)
		return !isOther
	})(text)
	if p == nil {
		return nil, file
	}
	return p, f.path(p)
}
