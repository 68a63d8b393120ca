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
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/promptfs"
)

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
	full := filepath.Join(dir, filepath.FromSlash(tests.Path))
	if !isInFolder(full, dir) {
		return nil, errNoFolder
	}
	before, err := os.ReadFile(full)
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
	args := a.argumentsOf(ctx, p, in.Arguments)
	content, err := withCase(tests, before, p, strings.TrimSpace(in.Name), args)
	if err != nil {
		return nil, err
	}
	if isNew {
		err = create(full, content)
	} else {
		err = replace(full, content)
	}
	if err != nil {
		return nil, err
	}
	return map[string]string{"file": at}, nil
}

// withCase returns the content of a test file with one more case. The rest of the file, with
// its comments, does not change.
func withCase(tests *cases.File, before []byte, p *prompts.Prompt, name string, args map[string]string) ([]byte, error) {
	if slices.ContainsFunc(tests.Cases, func(c *cases.Case) bool { return c.Name == name }) {
		return nil, fmt.Errorf("a case with the name %q exists; choose another name", name)
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
	added := b.String()
	if bytes.Contains(before, []byte("\r\n")) {
		added = strings.ReplaceAll(added, "\n", "\r\n")
	}
	content := slices.Concat(before, []byte(added))
	after, errs := cases.New(tests.Path, content, promptfs.ParseYAML)
	if len(errs) > 0 && len(tests.Cases) == 0 {
		return nil, fmt.Errorf("case is not valid: %w", errs[0])
	}
	if n := len(tests.Cases); len(errs) > 0 || len(after.Cases) != n+1 || after.Cases[n].Name != name || !maps.Equal(after.Cases[n].Arguments, args) {
		return nil, fmt.Errorf("case cannot be added to %s as the file is written: the list of cases must be last, one case below the other; add the case by hand", tests.Path)
	}
	return content, nil
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
