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
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// authorPage answers the page of preview about the files of prompts. The page has checked who asks.
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

const maxAsked = 8 << 20 // bytes of a request, which has the values of a form

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

type askedExpect struct {
	Contains string `json:"contains"`
	IsGolden bool   `json:"golden"` // the messages of now
}

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

const maxCaseTexts = 1 << 20 // bytes that all cases of a prompt render, for the page

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
	return out, nil
}

// values returns the examples of the arguments, and generated values for required ones without.
func (a *authorPage) values(ctx context.Context, p *prompts.Prompt) (values map[string]string, origin string) {
	all, err := a.renderer.values(ctx, p)
	if err != nil {
		return nil, ""
	}
	values, origin = map[string]string{}, "generated"
	for _, argument := range p.Arguments {
		hasExample := len(orEmpty(schema.Of(argument.Schema)).Examples) > 0
		if hasExample {
			origin = "examples"
		}
		if argument.Required || hasExample {
			values[argument.Name] = all[argument.Name]
		}
	}
	return values, origin
}

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

// testFile returns the test file of a prompt, or one without cases that has the path for a new file.
func (a *authorPage) testFile(dir, file, prompt string) *cases.File {
	stem := strings.TrimSuffix(file, path.Ext(file))
	if dir := path.Dir(stem); strings.EqualFold(path.Base(stem), "SKILL") && dir != "." {
		stem = dir // the folder of a skill has no test files
	}
	// The file beside that of the prompt first: a folder may have many others.
	beside, _ := cases.Read(cases.Dir(dir), stem+cases.Extension, promptfile.ParseYAML) // errors are findings
	if beside != nil && beside.Prompt == prompt {
		return beside
	}
	files, _ := cases.Load(visibleFS(dir), promptfile.ParseYAML)
	for _, f := range files {
		if f.Prompt == prompt {
			return f
		}
	}
	return &cases.File{Path: stem + cases.Extension, Prompt: prompt}
}

// pageRoot returns the path of a folder for the page, which makes links to the author's editor.
func pageRoot(dir string) string {
	full, _ := filepath.Abs(dir) // without it, the page has no links
	return filepath.ToSlash(full)
}

// argumentsOf returns the arguments of a case to write, with generated values for sensitive ones.
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

// answer returns what the command of --exec answers. Its programs end with the request of the page.
func (a *authorPage) answer(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	if a.exec == "" {
		return nil, errors.New("no command answers; start the preview with --exec")
	}
	_, raw, cause, err := a.renderer.render(ctx, p.Name, in.Arguments)
	if err != nil {
		return nil, renderError(err, cause)
	}
	text, err := a.ask(ctx, p.Name, "preview", raw)
	return map[string]string{"answer": text}, err
}

const hiddenValue = "•••"

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
