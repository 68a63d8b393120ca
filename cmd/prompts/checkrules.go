package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/doubt"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/portable"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/internal/trial"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/promptfs"
)

// maxComfortableBytes is the size of a rendered prompt above which check warns: about 25,000 tokens.
const maxComfortableBytes = 100_000

type inspection struct {
	lineReader
	only    map[string]bool // paths of the files to report; nil for all
	clients []string        // whose limits are warnings; all are notes if there are none
	done    func()          // called after each prompt

	registry *prompts.Registry
	valid    int // prompts, of those that are reported
	skills   int // that are valid
	renderer *renderer
	findings []finding
	hasError map[finding]bool
	settings map[string]settings // by folder, as they are read
	nameOf   map[string]string   // of the valid prompts, by their source
	alike    map[string][]string // the names of the valid prompts, by their folded name
}

func (i *inspection) inspect(ctx context.Context) ([]finding, error) {
	reg, faults := loadFolders(ctx, i.dirs)
	i.start(reg, newRenderer(reg))
	for _, f := range faults {
		i.addError(f)
	}
	for p := range reg.All() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i.isWanted(p.Source) {
			i.valid++
			i.prompt(ctx, &p)
			i.done()
		}
	}
	i.tools(reg)
	for _, dir := range i.dirs {
		files, errs := loadCases(dir, reg, faults)
		for _, e := range errs {
			i.addError(e)
		}
		for _, f := range files {
			i.lost(&prompts.Prompt{Name: f.Prompt, Source: prefixOf(dir) + f.Path})
		}
		i.skillsOf(dir)
		i.texts(dir)
	}
	if i.only == nil {
		for _, dir := range i.dirs {
			i.format(ctx, dir)
		}
	}
	return i.sorted(), nil
}

func (i *inspection) inspectOne(ctx context.Context, reg *prompts.Registry, r *renderer, p *prompts.Prompt, dir, tests string) ([]finding, error) {
	i.start(reg, r)
	file := strings.TrimPrefix(p.Source, prefixOf(dir))
	content, err := regular.Read(ctx, regular.FS(dir), file, maxReadBytes)
	if err != nil {
		return nil, err
	}
	if _, err := promptfs.Parse(regular.FS(dir), file, content, promptfs.Options{ReadIgnore: readIgnore}); err != nil {
		for _, err := range all(err) {
			i.addError(findingOf(dir, "file", err))
		}
	} else {
		i.prompt(ctx, p)
	}
	i.textsIn(p.Source)
	if _, err := fs.Stat(regular.FS(dir), tests); err == nil {
		f, errs := cases.Read(regular.FS(dir), tests, promptfile.ParseYAML)
		if f != nil {
			errs = append(errs, f.Check(cases.PromptsOf(reg))...)
		}
		for _, err := range errs {
			i.addError(findingOf(dir, "case", err))
		}
		i.lost(&prompts.Prompt{Name: p.Name, Source: prefixOf(dir) + tests})
	}
	return i.sorted(), nil
}

func (i *inspection) start(reg *prompts.Registry, r *renderer) {
	i.registry, i.renderer = reg, r
	i.hasError, i.settings = map[finding]bool{}, map[string]settings{}
	i.nameOf, i.alike = map[string]string{}, map[string][]string{}
	for p := range reg.All() {
		i.nameOf[p.Source] = p.Name
		i.alike[folded(p.Name)] = append(i.alike[folded(p.Name)], p.Name)
	}
}

func (i *inspection) sorted() []finding {
	found := slices.DeleteFunc(i.findings, func(f finding) bool { return !i.isWanted(f.Path) })
	slices.SortStableFunc(found, byPlace)
	for n := range found {
		if lv := i.settingsOf(found[n].Path).Rules[found[n].Rule]; lv != "" {
			found[n].Level = lv
		}
	}
	return slices.DeleteFunc(found, func(f finding) bool { return f.Level == levelOff })
}

// addError adds an error of a file, unless another rule has the same error.
func (i *inspection) addError(f *finding) {
	same := finding{Path: f.Path, Line: f.Line, Message: f.Message}
	if f.Rule != "skill" || !i.hasError[same] {
		i.findings = append(i.findings, *f)
		i.hasError[same] = true
	}
}

// tools reports the prompts that serve leaves out with --tools, whatever its value.
func (i *inspection) tools(reg *prompts.Registry) {
	said := map[string]bool{}
	for _, value := range []string{"each", "pair"} {
		var served prompts.Registry
		_, err := toolsOf(&served, value)
		if err == nil {
			err = served.Update(func(tx *prompts.Tx) error { tx.Merge(reg); return nil })
		}
		for _, err := range all(err) {
			var rejected *prompts.DeclarationError
			if !errors.As(err, &rejected) || said[rejected.Prompt] {
				continue
			}
			said[rejected.Prompt] = true
			if p, ok := reg.Lookup(rejected.Prompt); ok {
				i.add(&p, 0, levelWarning, "tool", "serve --tools does not serve the prompt: %v", rejected.Err)
			}
		}
	}
}

func (i *inspection) skillsOf(dir string) {
	valid, err := promptfs.LoadSkills(regular.FS(dir), promptfs.Options{Logger: slog.New(slog.DiscardHandler), ReadIgnore: readIgnore})
	for _, s := range valid {
		if i.isWanted(prefixOf(dir) + strings.TrimPrefix(s.Source, "promptfs:")) {
			i.skills++
		}
	}
	for _, err := range all(err) {
		i.addError(findingOf(dir, "skill", err))
	}
}

func (i *inspection) format(ctx context.Context, dir string) {
	f := findForeign(ctx, dir)
	prefix := prefixOf(dir)
	isIn := func(g finding) bool { return strings.HasPrefix(g.Path, prefix) || g.Path == dir }
	if len(f.paths) == 0 {
		if !hasPrompts(i.registry, prefix) && !slices.ContainsFunc(i.findings, isIn) {
			i.findings = append(i.findings, finding{Path: dir, Level: levelWarning, Rule: "no-prompts", Message: f.noPrompts(), Hint: noPromptsHint})
		}
		return
	}
	e := f.error()
	one := finding{Path: dir, Level: levelWarning, Rule: "format", Message: e.Err.Error(), Hint: e.Hint}
	i.findings = slices.DeleteFunc(i.findings, func(g finding) bool {
		if g.Rule == "secret" || !f.paths[strings.TrimPrefix(g.Path, prefix)] {
			return false
		}
		if g.Level == levelError {
			one.Level = levelError
		}
		return true
	})
	if !slices.ContainsFunc(slices.Collect(maps.Keys(f.paths)), func(name string) bool { return path.Ext(name) == ".md" }) {
		one.Level = levelError // none of them is served
	}
	i.findings = append(i.findings, one)
}

func (i *inspection) settingsOf(file string) settings {
	dir, _ := i.fileOf(file)
	s, ok := i.settings[dir]
	if !ok && dir != "" {
		s, _ = readSettings(regular.FS(dir))
		i.settings[dir] = s
	}
	return s
}

func (i *inspection) isWanted(path string) bool { return i.only == nil || i.only[path] }

// texts reports doubts about the Markdown files that are served, those with errors included, and about partials.
func (i *inspection) texts(dir string) {
	root := visibleFS(dir)
	files := slices.Collect(maps.Values(partialFiles(dir, root.ignore...)))
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimPrefix(file, prefixOf(dir)))
	}
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() { // errors were reported
			return nil
		}
		names = append(names, name)
		if promptfile.IsPrompt(name) || promptfile.IsMarkdown(name) && root.inSkill[path.Dir(name)] {
			files = append(files, prefixOf(dir)+name)
		} else if d, ok := doubt.Unread(name, func() string { return strings.Join(i.lines(prefixOf(dir)+name), "\n") }); ok && !root.inSkill[path.Dir(name)] {
			i.hint(&prompts.Prompt{Source: prefixOf(dir) + name}, d.Line, 0, d.Rule, d.Fix, "%s", d.Message)
		}
		return nil
	})
	for _, d := range doubt.Names(names, folded) {
		i.hint(&prompts.Prompt{Source: prefixOf(dir) + d.Path}, 0, 0, d.Rule, d.Fix, "%s", d.Message)
	}
	for _, file := range files {
		if i.isWanted(file) {
			i.textsIn(file)
		}
	}
}

// textsIn reports the doubts about a file, and its credentials.
func (i *inspection) textsIn(file string) {
	for n, line := range i.lines(file) {
		if what := doubt.Secret(line); what != "" {
			i.findings = append(i.findings, finding{Path: file, Line: n + 1, Level: levelWarning, Rule: "secret",
				Message: fmt.Sprintf("line contains what looks like %s; remove it, because clients and models receive the text", what)})
		}
	}
	kind := doubt.Prompt
	dir, name := i.fileOf(file)
	switch {
	case strings.HasPrefix(name, partialsFolder+"/"):
		kind = doubt.Partial
	case promptfile.IsSkill(name):
		kind = doubt.Skill
	case !promptfile.IsPrompt(name): // of a skill
		return
	}
	exists := func(p string) bool {
		plain, err := url.PathUnescape(p)
		return err == nil && regular.IsFile(regular.FS(dir), path.Join(path.Dir(name), plain))
	}
	of := &prompts.Prompt{Name: i.nameOf[file], Source: file}
	text := strings.Join(i.lines(file), "\n")
	if !utf8.ValidString(text) { // is an error
		return
	}
	for _, d := range doubt.Find(text, kind, codeOf, exists) {
		i.hint(of, d.Line, d.Column, d.Rule, d.Fix, "%s", d.Message)
	}
}

func (i *inspection) add(p *prompts.Prompt, line int, lv level, rule, format string, args ...any) {
	i.findings = append(i.findings, finding{Path: p.Source, Line: line, Level: lv, Rule: rule, Prompt: p.Name, Message: fmt.Sprintf(format, args...)})
}

func (i *inspection) lost(p *prompts.Prompt) {
	_, file := i.fileOf(p.Source)
	for _, e := range promptfs.Warnings(file, []byte(strings.Join(i.lines(p.Source), "\n"))) {
		i.hint(p, e.Line, 0, "lost-text", e.Hint, "%v", e.Err)
	}
}

func (i *inspection) hint(p *prompts.Prompt, line, column int, rule, fix, format string, args ...any) {
	i.findings = append(i.findings, finding{Path: p.Source, Line: line, Column: column, Level: levelWarning, Rule: rule, Prompt: p.Name, Message: fmt.Sprintf(format, args...), Hint: fix})
}

func (i *inspection) prompt(ctx context.Context, p *prompts.Prompt) {
	lines := i.lines(p.Source)
	lineOf := argumentLines(lines)
	i.lost(p)
	if n, _ := doubt.FakeFront(lines); p.Description == "" && n == 0 {
		_, name := i.fileOf(p.Source)
		i.add(p, 1, levelWarning, "no-description", "prompt has no description; %s", doubt.Describe(name))
	}
	i.declared(ctx, p, lines, lineOf)
	for _, a := range p.Arguments {
		if a.Description == "" {
			i.add(p, lineOf[a.Name], levelWarning, "no-description", "argument %q has no description; add the key description", a.Name)
		}
	}
	trials, failures := i.renderer.try(ctx, p)
	for _, err := range failures {
		i.failure(p, err)
	}
	var results []*prompts.Result
	largest := 0
	for _, t := range trials {
		results = append(results, t.Result)
		largest = max(largest, len(jsonenc.Text(t.Result)))
	}
	if largest > maxComfortableBytes {
		i.add(p, 0, levelWarning, "size", "messages have %d bytes with short values; split the prompt, because models receive only a part of so much text", largest)
	}
	if len(trials) > 0 && len(trials[0].Arguments) == len(p.Arguments) { // or the server rejects so many arguments
		i.deadArguments(ctx, p, lineOf, trials[0])
	}
	clients := i.clients
	if len(clients) == 0 {
		clients = i.settingsOf(p.Source).Clients
	}
	for n := range portable.Rules {
		r := &portable.Rules[n]
		if (r.HasNoPrompts() || r.IsOfTools()) && len(clients) == 0 || len(clients) > 0 && !slices.Contains(clients, r.Client) {
			continue
		}
		lv := levelNote
		if len(clients) > 0 {
			lv = levelWarning
		}
		what := r.Find(p, results)
		if what == "" && !r.HasNoPrompts() {
			continue
		}
		i.add(p, 0, lv, "client", "%s", strings.TrimPrefix(fmt.Sprintf("%s: %s %s", what, r.Client, r.Effect), ": "))
		i.findings[len(i.findings)-1].limit = r.Client + ": " + r.Limit()
	}
}

// declared reports doubts about names, texts for users, and files that the messages send.
func (i *inspection) declared(ctx context.Context, p *prompts.Prompt, lines []string, lineOf map[string]int) {
	for _, d := range doubt.Declared(p, i.alike[folded(p.Name)], folded) {
		inFront := 1 + slices.IndexFunc(lines, func(line string) bool { return d.Key != "" && strings.HasPrefix(line, d.Key+":") })
		i.hint(p, cmp.Or(lineOf[d.Argument], inFront, 1), 0, d.Rule, d.Fix, "%s", d.Message)
	}
	dir, name := i.fileOf(p.Source)
	for n, line := range lines {
		if m, ok := promptfile.ParseMark(line); ok && m.File != "" {
			data, err := regular.Read(ctx, regular.FS(dir), path.Join(path.Dir(name), m.File), maxServedBytes)
			if what := doubt.Secret(string(data)); what != "" {
				i.hint(p, n+1, 0, "secret", "remove it, because clients and models receive the file", "%s contains what looks like %s", m.File, what)
			}
			if message, fix := doubt.Content(m.Kind, m.File, data, http.DetectContentType(data)); err == nil && message != "" {
				i.hint(p, n+1, 0, "text", fix, "%s", message)
			}
		}
	}
}

func (i *inspection) failure(p *prompts.Prompt, err error) {
	var e *promptfs.Error
	switch {
	case errors.As(err, &e):
		f := finding{Path: p.Source, Line: e.Line, Column: e.Column, Level: levelError, Rule: "render", Prompt: p.Name, Message: "prompt cannot be rendered: " + e.Err.Error(), Hint: e.Hint}
		if _, own := i.fileOf(p.Source); e.Path != own { // a partial
			f.Path = strings.TrimSuffix(p.Source, own) + e.Path
		}
		i.findings = append(i.findings, f)
	case len(problem.Of(err)) > 0:
		message, fix := doubt.Values(err.Error())
		i.hint(p, 0, 0, "values", fix, "prompt was not rendered, because no generated value is valid: %s", message)
	default:
		i.add(p, 0, levelError, "render", "prompt cannot be rendered: %v", err)
	}
}

func (i *inspection) deadArguments(ctx context.Context, p *prompts.Prompt, lineOf map[string]int, base *trial.Rendering) {
	for n := range p.Arguments {
		a := &p.Arguments[n]
		r := &trial.Reach{Subject: i.renderer.subject(ctx, p), Argument: a, Base: base}
		if !r.Found() && len(r.Tried) > 0 {
			i.add(p, lineOf[a.Name], levelWarning, "dead-argument", "argument %q changes nothing in the messages; use the argument in the text, or remove it", a.Name)
		}
	}
}
