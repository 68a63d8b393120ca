package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

// savedCase is what the page gets of a case that was written.
type savedCase struct {
	File     string   `json:"file"`
	URL      string   `json:"url"`      // opens the case in the author's editor
	Failures []string `json:"failures"` // of the case
}

// saveCase adds a case with the values of the form to the test file of a prompt.
func (a *authorPage) saveCase(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	dir, file, err := a.file(p)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(in.Arguments)) {
		if !slices.Contains(argumentNames(p), name) {
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
	expect := caseExpect{contains: in.Expect.Contains}
	if in.Expect.IsGolden {
		expect.golden = goldenName(dir, at, in.Name)
	}
	for _, argument := range p.Arguments {
		if value := strings.TrimSpace(in.Arguments[argument.Name]); argument.Sensitive && value != "" && strings.Contains(expect.contains, value) {
			return nil, fmt.Errorf("expected text has the value of the sensitive argument %q; expect another text", argument.Name)
		}
	}
	content, c, err := withCase(tests, before, p, strings.TrimSpace(in.Name), a.argumentsOf(ctx, p, in.Arguments), expect)
	if err != nil {
		return nil, err
	}
	out := &savedCase{File: at, URL: atPlace(a.editorURL(dir, at), c.Line, 1), Failures: []string{}}
	_, _, failures := a.renderer.runCase(ctx, cases.Dir(dir), c)
	for _, f := range failures {
		if f.IsMissing { // which is the golden file
			if err := writeGolden(dir, f.Golden, f.Text); err != nil {
				return nil, err
			}
			continue
		}
		out.Failures = append(out.Failures, f.Message)
	}
	if in.Expect.IsGolden && len(out.Failures) > 0 {
		return nil, fmt.Errorf("prompt has no messages to compare with: %s", out.Failures[0])
	}
	if isNew {
		err = create(full, content)
	} else {
		err = replace(full, content)
	}
	if err != nil {
		if c.Expect.Equals != nil {
			_ = os.Remove(filepath.Join(dir, filepath.FromSlash(c.Expect.Equals.Value))) // which no case expects
		}
		return nil, err
	}
	return out, nil
}

// caseExpect is what a new case expects.
type caseExpect struct {
	contains string
	golden   string // path from the folder of the test file
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

// withCase returns the content of a test file with one more case, and the case. The rest of
// the file, with its comments, does not change.
func withCase(tests *cases.File, before []byte, p *prompts.Prompt, name string, args map[string]string, expect caseExpect) ([]byte, *cases.Case, error) {
	if slices.ContainsFunc(tests.Cases, func(c *cases.Case) bool { return c.Name == name }) {
		return nil, nil, fmt.Errorf("a case with the name %q exists; choose another name", name)
	}
	var b strings.Builder
	indent := "  "
	if len(tests.Cases) == 0 {
		if strings.TrimSuffix(tests.Path, cases.Extension) != p.Name {
			fmt.Fprintf(&b, "prompt: %s\n", yamlText(p.Name))
		}
		b.WriteString("cases:\n")
	} else {
		line := strings.Split(string(before), "\n")[tests.Cases[0].Line-1]
		indent = line[:len(line)-len(strings.TrimLeft(line, " "))]
		if !bytes.HasSuffix(before, []byte("\n")) {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "%s- name: %s\n", indent, yamlText(name))
	if len(args) > 0 {
		fmt.Fprintf(&b, "%s  arguments:\n", indent)
	}
	for _, argument := range argumentNames(p) {
		if value, ok := args[argument]; ok {
			fmt.Fprintf(&b, "%s    %s: %s\n", indent, yamlText(argument), yamlBlock(value, indent+"      "))
		}
	}
	if expect != (caseExpect{}) {
		fmt.Fprintf(&b, "%s  expect:\n", indent)
	}
	if expect.contains != "" {
		fmt.Fprintf(&b, "%s    contains: %s\n", indent, yamlBlock(expect.contains, indent+"      "))
	}
	if expect.golden != "" {
		fmt.Fprintf(&b, "%s    equals: %s\n", indent, yamlText(expect.golden))
	}
	added := b.String()
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
	if c.Name != name || !maps.Equal(c.Arguments, args) || (e.Equals != nil) != (expect.golden != "") {
		return false
	}
	if expect.contains == "" {
		return len(e.Contains) == 0
	}
	return len(e.Contains) == 1 && e.Contains[0].Value == expect.contains
}

// yamlText returns a text as YAML: quoted, as in JSON, unless it is a plain word.
func yamlText(s string) string {
	isPlain := s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r != '_' && r != '-' && r != ' ' && r != '/' && !unicode.IsLetter(r) })
	if isPlain && s == strings.TrimSpace(s) && s[0] != '-' && !isYAMLWord(s) {
		return s
	}
	quoted, err := json.Marshal(s)
	if err != nil { // no text has an error
		panic(err)
	}
	return string(quoted)
}

// isYAMLWord reports whether YAML reads a word as something else than a text.
func isYAMLWord(s string) bool {
	return slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}, strings.ToLower(s))
}

// yamlBlock returns a value with several lines as a block with the indent, if it can be one.
func yamlBlock(s, indent string) string {
	lines := strings.Split(s, "\n")
	isBlock := len(lines) > 1 && lines[0] != "" && lines[0][0] != ' ' && lines[0][0] != '\t' && lines[len(lines)-1] != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
	if !isBlock {
		return yamlText(s)
	}
	var b strings.Builder
	b.WriteString("|-")
	for _, line := range lines {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(indent + line)
		}
	}
	return b.String()
}
