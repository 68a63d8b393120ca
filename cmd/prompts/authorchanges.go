package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts"
)

// This file compares a prompt with what it was.

type pageCommit struct {
	ID      string `json:"id"`
	Short   string `json:"short"` // form of the ID
	Time    string `json:"time"`  // RFC 3339
	Author  string `json:"author"`
	Subject string `json:"subject"`

	Others []string `json:"others"` // names of other prompts whose files it changed too
	NMore  int      `json:"nMore"`  // of them that are left out
}

// pageCommits are the last commits of a prompt.
type pageCommits struct {
	Commits   []pageCommit `json:"commits"` // the last one first
	IsMore    bool         `json:"more"`    // older ones are left out
	IsChanged bool         `json:"changed"` // the files differ from those of the current commit
}

// maxCommits is how many commits the page lists.
const maxCommits = 50

// maxOthers is how many other prompts of a commit the page lists.
const maxOthers = 10

// commits returns the commits of the file of a prompt, and of the partials that it calls.
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
			before := newDiffFolder(ctx, side, true)
			if old := a.find(before, p.Name, file, text); old != nil {
				committed = before.path(old)
			}
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
		c := pageCommit{fields[0], fields[1], fields[2], fields[3], strings.TrimSuffix(fields[4], "\x00"), []string{}, 0}
		for file := range strings.SplitSeq(strings.TrimSuffix(changed, "\x00"), "\x00") {
			c.add(others[file])
		}
		out.Commits = append(out.Commits, c)
	}
	for _, name := range files {
		old, err := r.output(ctx, "cat-file", "blob", "HEAD:"+r.prefix+name)
		out.IsChanged = out.IsChanged || err != nil || strings.ReplaceAll(string(old), "\r\n", "\n") != now[name]
	}
	return out, nil
}

// namesIn returns the names of the prompts of a folder but one, by their files.
func (a *authorPage) namesIn(dir, but string) map[string]string {
	names := map[string]string{}
	for p := range a.registry.All() {
		if file, ok := strings.CutPrefix(p.Source, prefixOf(dir)); ok && p.Name != but {
			names[file] = p.Name
		}
	}
	return names
}

// add adds another prompt, unless its name is empty.
func (c *pageCommit) add(other string) {
	switch {
	case other == "":
	case len(c.Others) < maxOthers:
		c.Others = append(c.Others, other)
	default:
		c.NMore++
	}
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

// compare compares the files of a prompt, and what its cases render, in two states of the
// folder. file is that of the prompt now.
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
	old, now := a.find(before, p.Name, file, text), a.find(after, p.Name, file, text)
	oldFile, newFile := file, file
	if old != nil {
		oldFile = before.path(old)
	}
	if now != nil {
		newFile = after.path(now)
	}
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

// find returns the prompt with a name, or else that of a file, or else one that has another name now
// and most of a text; nil for none.
func (a *authorPage) find(f *diffFolder, name, file, text string) *prompts.Prompt {
	if p, ok := f.registry.Lookup(name); ok {
		return &p
	}
	for p := range f.registry.All() {
		if f.path(&p) == file {
			return &p
		}
	}
	return f.moved(func(p *prompts.Prompt) bool {
		_, isOther := a.registry.Lookup(p.Name)
		return !isOther
	})(text)
}
