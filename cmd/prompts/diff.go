package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

func newDiff() *cobra.Command {
	var write writer[*diffReport]
	var breaking bool
	cmd := &cobra.Command{
		Use:   "diff A B [PATTERN]",
		Short: "Show what changed between two folders, and what it means for clients",
		Long: `Diff compares the prompts of two folders: the front matter, the text by words, and the
messages that each case of the test files renders. It says which changes break clients:
requests that worked before are rejected, or mean something else.

A and B are folders, or folders of Git revisions such as HEAD~1:prompts. The folder of a
revision begins at the root of the repository, or with ./ at the current folder. Revisions
need Git 2.34 or later. A path that exists wins. A reference such as
oci-layout:releases:production is a release, see prompts push. A PATTERN such as
'review/*' selects prompts by their names. Texts above 64 MiB together are left out.

With --breaking, the exit code is 1 if a change breaks clients. The changes:
` + diffRuleTable(),
		Example: `  prompts diff HEAD:prompts prompts
  prompts diff --breaking origin/main:prompts prompts
  prompts diff --format markdown origin/main:prompts prompts >comment.md`,
		Args:              between(2, 3, "two folders or revisions are needed"),
		ValidArgsFunction: completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			pattern, err := patternOf(args[2:])
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			a, err := openSide(ctx, args[0])
			if err != nil {
				return err
			}
			defer a.remove()
			b, err := openSide(ctx, args[1])
			if err != nil {
				return err
			}
			defer b.remove()
			r, err := untilDone(ctx, func() (*diffReport, error) { return compareSides(ctx, a, b, pattern), nil })
			if err != nil {
				return err
			}
			if pattern != "" && r.selected == 0 && ctx.Err() == nil {
				return usageErrorf("no prompt of %s or %s matches %q; correct the pattern", a.name, b.name, pattern)
			}
			return write(r, breaking && r.Breaking > 0)
		},
	}
	write = addFormat(cmd, diffFormats)
	cmd.Flags().BoolVar(&breaking, "breaking", false, "exit with 1 if a change breaks clients")
	return cmd
}

func diffRuleTable() string {
	var b strings.Builder
	for _, r := range diffRules {
		kind := "        "
		if r.isBreaking {
			kind = "breaking"
		}
		fmt.Fprintf(&b, "  %-24s%s  %s\n", r.id, kind, r.text)
	}
	return strings.TrimRight(b.String(), "\n")
}

type diffReport struct {
	Old      string       `json:"old"`
	New      string       `json:"new"`
	Breaking int          `json:"breaking"` // changes
	Prompts  []promptDiff `json:"prompts"`
	Errors   []string     `json:"errors"` // of files in the old folder, which were not compared

	selected int // prompts, changed or not
}

type promptDiff struct {
	Name    string       `json:"name"`
	Path    string       `json:"path"` // in the folder
	Changes []diffChange `json:"changes"`
	Texts   []textDiff   `json:"texts,omitempty"` // of the file and of its partials
	Cases   []textDiff   `json:"cases,omitempty"` // what they render
}

type textDiff struct {
	Name      string `json:"name"` // the path of a file, or the name of a case
	Old       string `json:"old"`
	New       string `json:"new"`
	IsLeftOut bool   `json:"leftOut,omitempty"` // the texts are not in the report, which is too long
}

// addDiff adds a text that changed, or, if the budget is used up, its name alone.
func (b *budget) addDiff(all []textDiff, name, old, now string) []textDiff {
	// Short lines are filled up to the width.
	size := len(old) + len(now) + defaultWidth*(strings.Count(old, "\n")+strings.Count(now, "\n"))
	switch {
	case old == now:
		return all
	case !b.take(size):
		return append(all, textDiff{Name: name, IsLeftOut: true})
	}
	return append(all, textDiff{Name: name, Old: old, New: now})
}

type diffFolder struct {
	*testSuite
	side    *diffSide
	isWhole bool                     // texts have the front matter
	cases   map[string][]*cases.Case // by prompt
}

func newDiffFolder(ctx context.Context, side *diffSide, isWhole bool) *diffFolder {
	f := &diffFolder{testSuite: loadTests(ctx, side.dir), side: side, isWhole: isWhole, cases: map[string][]*cases.Case{}}
	for _, file := range f.files {
		f.cases[file.Prompt] = append(f.cases[file.Prompt], file.Cases...)
	}
	return f
}

func (f *diffFolder) path(p *prompts.Prompt) string {
	return strings.TrimPrefix(p.Source, prefixOf(f.side.dir))
}

// text returns the text of a file, by default what is below the front matter.
func (f *diffFolder) text(name string) string {
	text, err := readText(f.side.dir, name)
	if err != nil {
		return "" // it is not in this folder
	}
	if f.isWhole {
		return text
	}
	if !strings.HasPrefix(name, partialsFolder+"/") {
		_, text, _ = promptfile.Split(text)
	}
	return strings.Trim(text, "\n")
}

func compareSides(ctx context.Context, a, b *diffSide, pattern string) *diffReport {
	r := &diffReport{Old: a.name, New: b.name, Errors: []string{}, Prompts: []promptDiff{}}
	before, after := newDiffFolder(ctx, a, false), newDiffFolder(ctx, b, false)
	partials, budget := partialsOf(before, after), newBudget(maxReportBytes)
	for _, e := range before.errs {
		if e.Rule != "case" {
			e.Path = path.Join(a.name, strings.TrimPrefix(e.Path, prefixOf(a.dir)))
			r.Errors = append(r.Errors, e.Error())
		}
	}
	invalid := map[string]*finding{} // files of the new folder
	for _, e := range after.errs {
		if e.Rule != "case" {
			invalid[strings.TrimPrefix(e.Path, prefixOf(b.dir))] = e
		}
	}
	byPath := map[string]string{} // names of prompts that are new
	for p := range after.registry.All() {
		if _, ok := before.registry.Lookup(p.Name); !ok {
			byPath[after.path(&p)] = p.Name
		}
	}
	moved := after.moved(func(p *prompts.Prompt) bool { return byPath[after.path(p)] != "" })
	isOld := map[string]bool{} // names of the new folder that the old one has, too
	for old := range before.registry.All() {
		file := before.path(&old)
		d := promptDiff{Name: old.Name, Path: file}
		var c changeList
		now, ok := after.registry.Lookup(old.Name)
		if !ok && byPath[file] != "" {
			now, ok = after.registry.Lookup(byPath[file])
		}
		if !ok && invalid[file] == nil {
			if p := moved(before.text(file)); p != nil && !isOld[p.Name] {
				now, ok = *p, true
			}
		}
		if ok {
			isOld[now.Name] = true
		}
		if !isSelected(pattern, old.Name) && (!ok || !isSelected(pattern, now.Name)) {
			continue
		}
		r.selected++
		if ok {
			d.Path = after.path(&now)
			c.all = changesOf(&old, &now)
			d.Texts = textsOf(before, after, partials, budget, file, d.Path)
			d.Cases = casesOf(ctx, before, after, budget, &old, &now)
			if len(d.Texts)+len(d.Cases) > 0 {
				c.add("messages-changed", "messages", "", "")
			}
		} else if e := invalid[file]; e != nil {
			c.add("prompt-invalid", "file", "", withHint(fmt.Sprintf("line %d: %s", e.Line, e.Message), e.Hint))
		} else {
			c.add("prompt-removed", "name", old.Name, "")
		}
		if d.Changes = c.all; len(d.Changes) > 0 {
			r.Prompts = append(r.Prompts, d)
		}
	}
	for p := range after.registry.All() {
		if _, ok := before.registry.Lookup(p.Name); ok || isOld[p.Name] || !isSelected(pattern, p.Name) {
			continue
		}
		r.selected++
		var c changeList
		c.add("prompt-added", "name", "", p.Name)
		r.Prompts = append(r.Prompts, promptDiff{Name: p.Name, Path: after.path(&p), Changes: c.all})
	}
	slices.SortFunc(r.Prompts, func(a, b promptDiff) int { return cmp.Compare(a.Name, b.Name) })
	for _, d := range r.Prompts {
		for _, c := range d.Changes {
			if c.Breaking {
				r.Breaking++
			}
		}
	}
	return r
}

const maxHolders = 16 // prompts that a line is compared with

// moved returns a function that finds the prompt whose file was most likely moved from elsewhere: of the
// prompts that may be it, the one with most lines of the text that was there, and more than half.
func (f *diffFolder) moved(mayBe func(*prompts.Prompt) bool) func(text string) *prompts.Prompt {
	holders := map[string][]*prompts.Prompt{} // by line
	for p := range f.registry.All() {
		if mayBe(&p) {
			for line := range linesIn(f.text(f.path(&p))) {
				holders[line] = append(holders[line], &p)
			}
		}
	}
	return func(text string) (best *prompts.Prompt) {
		known := map[*prompts.Prompt]int{} // lines
		lines := linesIn(text)
		for line := range lines {
			if len(holders[line]) > maxHolders { // which says nothing
				delete(lines, line)
				continue
			}
			for _, p := range holders[line] {
				known[p]++
			}
		}
		for p, n := range known {
			if 2*n > len(lines) && (best == nil || n > known[best] || n == known[best] && p.Name < best.Name) {
				best = p
			}
		}
		return best
	}
}

func linesIn(text string) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines[line] = true
		}
	}
	return lines
}

func textsOf(before, after *diffFolder, partials map[string]string, b *budget, from, to string) []textDiff {
	old, now := before.text(from), after.text(to)
	all := b.addDiff(nil, to, old, now)
	eachCalled(old+now, partials, func(file string) string {
		old, now := before.text(file), after.text(file)
		all = b.addDiff(all, file, old, now)
		return old + now
	})
	return all
}

func partialsOf(before, after *diffFolder) map[string]string {
	partials := partialFiles(before.side.dir)
	maps.Copy(partials, partialFiles(after.side.dir))
	return partials
}

var partialCall = regexp.MustCompile(`template ("(?:[^"\\\n]|\\.)*")`)

// eachCalled calls read for the partials that a text calls, directly or through others.
func eachCalled(text string, partials map[string]string, read func(file string) string) {
	seen := map[string]bool{}
	var queue []string
	add := func(text string) {
		var called []string
		for _, m := range partialCall.FindAllStringSubmatch(text, -1) {
			name, err := strconv.Unquote(m[1])
			name = norm.NFC.String(name)
			if err == nil && partials[name] != "" && !seen[name] {
				name = strings.Clone(name) // which would keep the text
				called, seen[name] = append(called, name), true
			}
		}
		slices.Sort(called)
		queue = append(queue, called...)
	}
	for add(text); len(queue) > 0; queue = queue[1:] {
		add(read(path.Join(partialsFolder, queue[0]+path.Ext(partials[queue[0]]))))
	}
}

// casesOf returns the cases whose messages changed, or, without cases, what generated values render.
func casesOf(ctx context.Context, before, after *diffFolder, b *budget, from, to *prompts.Prompt) []textDiff {
	var all []textDiff
	known := map[string]bool{}
	compared := slices.Concat(after.cases[to.Name], before.cases[from.Name])
	if len(compared) == 0 {
		return generatedCase(ctx, before, after, b, from, to)
	}
	for _, c := range compared {
		if known[c.Name] {
			continue
		}
		known[c.Name] = true
		old, _ := before.render(ctx, from, c)
		now, _ := after.render(ctx, to, c)
		all = b.addDiff(all, c.Name, old, now)
	}
	return all
}

func generatedCase(ctx context.Context, before, after *diffFolder, b *budget, from, to *prompts.Prompt) []textDiff {
	older, _ := before.renderer.values(ctx, from) // without values, the next ones may do
	newer, _ := after.renderer.values(ctx, to)
	for _, args := range []map[string]string{older, newer} {
		all := maps.Clone(newer) // for arguments that were added
		if all == nil {
			all = map[string]string{}
		}
		maps.Copy(all, args)
		c := &cases.Case{Name: "generated values", Arguments: all}
		old, isOld := before.render(ctx, from, c)
		now, isNew := after.render(ctx, to, c)
		if isOld && isNew {
			return b.addDiff(nil, c.Name, old, now)
		}
	}
	return nil
}

// render leaves out arguments that this side does not have yet, or any more.
func (f *diffFolder) render(ctx context.Context, p *prompts.Prompt, c *cases.Case) (text string, ok bool) {
	args := map[string]string{}
	for _, a := range p.Arguments {
		if value, ok := c.Arguments[a.Name]; ok {
			args[a.Name] = value
		}
	}
	result, _, failures := f.renderer.runCase(ctx, f.fsys, &cases.Case{File: &cases.File{Prompt: p.Name}, Arguments: args, Answers: c.Answers, Tags: c.Tags})
	if result != nil {
		return strings.TrimSuffix(golden.Format(result), "\n"), true
	}
	for _, failure := range failures {
		return failure.Message, false
	}
	return "", false
}
