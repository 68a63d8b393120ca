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
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/internal/trial"
	"github.com/mcp-prompts/prompts/promptfs"
)

// savedCase is what the page gets of a case that was written.
type savedCase struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Failures []string `json:"failures"` // of the case
}

// saveCase adds a case with the values of the form to the test file of a prompt.
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
		return nil, errNoFolder
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
		tests, _ = cases.New(at, before, promptfs.ParseYAML)
	}
	if !isNew && (tests == nil || len(tests.Cases) == 0 || tests.Prompt != p.Name) {
		return nil, fmt.Errorf("file %s has errors, or is of another prompt; correct it first", at)
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

// goldenName returns the name of a golden file for a new case, beside the test file. No
// file has the name.
func goldenName(dir, tests, name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	short := []rune(strings.Join(words, "-"))
	stem := strings.TrimSuffix(path.Base(tests), cases.Extension) + "." + string(short[:min(len(short), 60)])
	for n := 1; ; n++ {
		golden := stem + ".golden"
		if n > 1 {
			golden = fmt.Sprintf("%s-%d.golden", stem, n)
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path.Dir(tests)), golden)); err != nil {
			return golden
		}
	}
}

// lineStart is the beginning of a line that is not blank.
var lineStart = regexp.MustCompile(`(?m)^.`)

// withCase returns the content of a test file with one more case, and the case. The rest of
// the file, with its comments, does not change.
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
	after, errs := cases.New(tests.Path, content, promptfs.ParseYAML)
	if len(errs) > 0 && len(tests.Cases) == 0 {
		return nil, nil, fmt.Errorf("case is not valid: %w", errs[0])
	}
	if n := len(tests.Cases); len(errs) > 0 || len(after.Cases) != n+1 || !isAsGiven(after.Cases[n], name, args, expect) {
		return nil, nil, fmt.Errorf("case cannot be added to %s as the file is written: the list of cases must be last, one case below the other; add the case by hand", tests.Path)
	}
	return content, after.Cases[len(tests.Cases)], nil
}

// isAsGiven reports whether a case was read as it was to be written.
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
