package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/promptfs"
)

// authorPage answers what the page of preview asks about the files of prompts. The page has
// checked who asks.
type authorPage struct {
	registry *prompts.Registry // that is served
	renderer *renderer
	dirs     []string
	saving   sync.Mutex // held from reading a test file to writing it
	authorOptions
}

type authorOptions struct {
	modelCommand
	editor string // URL
}

// maxAsked is the size of the largest request, which has the values of a form.
const maxAsked = 8 << 20

type asked struct {
	Prompt    string            `json:"prompt"`
	Name      string            `json:"name"` // of a case
	Arguments map[string]string `json:"arguments"`
	Expect    askedExpect       `json:"expect"` // of a case
	Search    string            `json:"search"` // words of texts
	With      string            `json:"with"`   // the commit to compare with
	IsAlone   bool              `json:"alone"`  // what the commit itself has changed
	Texts     []askedTexts      `json:"texts"`  // to compare; nil for a commit
}

// askedExpect is what the page expects of a case.
type askedExpect struct {
	Contains string `json:"contains"`
	IsGolden bool   `json:"golden"` // the messages of now
}

// askedTexts are two texts that the page has.
type askedTexts struct {
	Kind string `json:"kind"`
	textDiff
}

type pageCase struct {
	Name      string            `json:"name"`
	Line      int               `json:"line"`
	Arguments map[string]string `json:"arguments"`
	Text      string            `json:"text"` // what it renders; empty if that is not known
}

// maxCaseTexts is the size of what all cases of a prompt render, for the page.
const maxCaseTexts = 1 << 20

// pagePrompt is what the page gets of a prompt beside its declaration.
type pagePrompt struct {
	Root   string            `json:"root"` // absolute path of the folder, with slashes
	File   string            `json:"file"`
	Text   string            `json:"text"`
	Cases  []pageCase        `json:"cases"`
	Values map[string]string `json:"values"` // to begin with; null if none is valid
	Origin string            `json:"origin"` // of the values: case, examples or generated
	CanAsk bool              `json:"canAsk"` // a command answers
	Folder string            `json:"folder"` // as the program got it
}

func (a *authorPage) prompt(ctx context.Context, p *prompts.Prompt, _ *asked) (any, error) {
	out := &pagePrompt{CanAsk: a.exec != "", Cases: []pageCase{}}
	if dir, file, err := a.file(p); err == nil {
		content, err := readText(dir, file)
		if err != nil {
			return nil, err
		}
		out.Root, out.File, out.Text, out.Folder = pageRoot(dir), file, content, dir
		tests := a.testFile(dir, file, p.Name)
		secrets := secretsOf(p, tests)
		left := newBudget(maxCaseTexts)
		side := &diffFolder{testSuite: &testSuite{renderer: a.renderer, fsys: cases.Dir(dir)}}
		for _, c := range tests.Cases {
			one := pageCase{c.Name, c.Line, c.Arguments, ""}
			if left.take(0) {
				if text, _ := side.render(ctx, p, c); left.take(len(text)) {
					one.Text = secrets.Replace(text)
				}
			}
			out.Cases = append(out.Cases, one)
			if out.Values == nil && c.Expect.Error == nil {
				out.Values, out.Origin = c.Arguments, "case"
			}
		}
	}
	if out.Values == nil {
		out.Values, out.Origin = a.values(ctx, p)
	}
	if out.Values == nil && out.Origin == "case" { // a case without arguments
		out.Values = map[string]string{}
	}
	return out, nil
}

// values returns the examples of the arguments, and generated values for required ones
// without an example.
func (a *authorPage) values(ctx context.Context, p *prompts.Prompt) (values map[string]string, origin string) {
	all, err := a.renderer.values(ctx, p)
	if err != nil {
		return nil, ""
	}
	origin = "generated"
	values = map[string]string{}
	for _, argument := range p.Arguments {
		declared := schema.Of(argument.Schema)
		hasExample := declared != nil && len(declared.Examples) > 0
		if hasExample {
			origin = "examples"
		}
		if argument.Required || hasExample {
			values[argument.Name] = all[argument.Name]
		}
	}
	return values, origin
}

// file returns the folder that a prompt is in, and the path of its file in the folder.
func (a *authorPage) file(p *prompts.Prompt) (dir, file string, err error) {
	for _, d := range a.dirs {
		if rest, ok := strings.CutPrefix(p.Source, prefixOf(d)); ok && (dir == "" || len(d) > len(dir)) {
			if info, err := os.Stat(filepath.Join(d, filepath.FromSlash(rest))); err == nil && info.Mode().IsRegular() {
				dir, file = d, rest
			}
		}
	}
	if dir == "" {
		return "", "", fmt.Errorf("prompt %q has no file in the folders", p.Name)
	}
	return dir, file, nil
}

// testFile returns the test file with the cases of a prompt. Without one, the result has
// no cases, and the path for a new file.
func (a *authorPage) testFile(dir, file, prompt string) *cases.File {
	stem := strings.TrimSuffix(file, path.Ext(file))
	if dir := path.Dir(stem); strings.EqualFold(path.Base(stem), "SKILL") && dir != "." {
		stem = dir // the folder of a skill has no test files
	}
	// The file beside that of the prompt first: a folder may have many others.
	beside, _ := cases.Read(cases.Dir(dir), stem+cases.Extension, promptfs.ParseYAML) // errors are findings
	if beside != nil && beside.Prompt == prompt {
		return beside
	}
	files, _ := cases.Load(visibleFS(dir), promptfs.ParseYAML)
	for _, f := range files {
		if f.Prompt == prompt {
			return f
		}
	}
	return &cases.File{Path: stem + cases.Extension, Prompt: prompt}
}

// pageRoot returns the path of a folder for the page, which makes links to the author's editor.
func pageRoot(dir string) string { return filepath.ToSlash(absolutePath(dir)) }

// argumentsOf returns the arguments of a case that is written: without values of sensitive
// arguments, in whose place generated values stand.
func (a *authorPage) argumentsOf(ctx context.Context, p *prompts.Prompt, values map[string]string) map[string]string {
	kept := map[string]string{}
	var generated map[string]string
	for _, argument := range p.Arguments {
		value, ok := values[argument.Name]
		switch {
		case !ok:
		case !argument.Sensitive:
			kept[argument.Name] = value
		case argument.Required:
			if generated == nil {
				generated, _ = a.renderer.values(ctx, p) // without values the case is left to the author
			}
			kept[argument.Name] = generated[argument.Name]
		}
	}
	return kept
}

var errNoExec = errors.New("no command answers; start the preview with --exec")

// answer renders a prompt and returns what the command of --exec answers. If the page
// ends the request, the command and all programs that it has started end.
func (a *authorPage) answer(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	if a.exec == "" {
		return nil, errNoExec
	}
	_, raw, cause, err := a.renderer.render(ctx, p.Name, in.Arguments)
	if err != nil {
		return nil, renderError(err, cause)
	}
	text, err := a.ask(ctx, p.Name, "preview", raw)
	if err != nil {
		return nil, err
	}
	return map[string]string{"answer": text}, nil
}

// hiddenValue stands where a sensitive value was.
const hiddenValue = "•••"

// secretsOf replaces the values that the cases have for sensitive arguments.
func secretsOf(p *prompts.Prompt, files ...*cases.File) *strings.Replacer {
	var secrets []string
	for _, f := range files {
		for _, c := range f.Cases {
			for _, argument := range p.Arguments {
				if argument.Sensitive {
					secrets = append(secrets, c.Arguments[argument.Name])
				}
			}
		}
	}
	return hiding(secrets)
}

func hiding(secrets []string) *strings.Replacer {
	for i, value := range secrets {
		secrets[i] = strings.TrimSpace(value)
	}
	// The longest first: another value may be its beginning.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, value := range secrets {
		if value != "" {
			pairs = append(pairs, value, hiddenValue)
		}
	}
	return strings.NewReplacer(pairs...)
}

// errNoFolder is for a test file that would be written elsewhere.
var errNoFolder = errors.New("test file is a link to a place outside of the folder; the page writes only in the folder")
