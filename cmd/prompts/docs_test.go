package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPage checks that the tutorial has each rule, each client and each flag of serve.
func TestPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/write-prompts.md")
	require.NoError(t, err)
	page := string(raw)
	for _, r := range rules {
		assert.Contains(t, page, fmt.Sprintf("| `%s` | ", r.id))
		assert.Contains(t, page, " | "+r.text+" |")
	}
	for _, c := range clients {
		assert.Contains(t, page, "`"+c.name+"`")
	}
	for _, code := range []int{exitOK, exitFailed, exitUsage, exitInterrupted} {
		assert.Contains(t, page, fmt.Sprintf("| %d | ", code))
	}
	root := newRoot()
	root.InitDefaultCompletionCmd()
	commands := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		commands[c.Name()] = c
	}
	commands["serve"].Flags().VisitAll(func(f *pflag.Flag) {
		assert.Contains(t, page, "`--"+f.Name)
	})
}

// TestPagesNameCommands checks that each command in the pages and in their texts exists, and that
// the command accepts its flags and arguments, or accepts them with more arguments. TestPages of
// internal/dev/commands runs the lines of blocks.
func TestPagesNameCommands(t *testing.T) {
	t.Parallel()
	root := newRoot()
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	commands := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		commands[c.Name()] = c
	}
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/clients/*.md", "../../.github/*.md"} {
		more, err := filepath.Glob(pattern)
		require.NoError(t, err)
		pages = append(pages, more...)
	}
	found := 0
	inText, inBlock := regexp.MustCompile("`prompts ([a-z]+)( [^`]*)?`"), regexp.MustCompile(`^ *(?:\$ |- run: )?prompts ([a-z]+)( .*)?$`)
	for _, name := range pages {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		isBlock := false
		for line := range strings.Lines(string(raw)) {
			line = strings.TrimRight(line, "\r\n")
			if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
				isBlock = !isBlock
				continue
			}
			form := inText
			if isBlock {
				form = inBlock
			}
			for _, m := range form.FindAllStringSubmatch(line, -1) {
				c := commands[m[1]]
				if c == nil && slices.Contains([]string{"reloaded", "in", "not"}, m[1]) {
					continue // a log record
				}
				if found++; !assert.NotNil(t, c, "%s: %s", name, m[0]) {
					continue
				}
				for _, flag := range regexp.MustCompile(` --([a-z-]+)`).FindAllStringSubmatch(m[2], -1) {
					assert.NotNil(t, c.Flags().Lookup(flag[1]), "%s: %s", name, m[0])
				}
				if !isBlock {
					assert.NoError(t, acceptsArguments(c.Name(), m[2]), "%s: %s", name, m[0])
				}
			}
		}
	}
	assert.Greater(t, found, 150)
}

// acceptsArguments returns the error of a command for the rest of its line. A line that names a
// flag at its end, or that has too few arguments, is the beginning of one.
func acceptsArguments(name, rest string) error {
	args := []string{name}
	for _, word := range regexp.MustCompile(`(?:[^ '"]|'[^']*'|"[^"]*")+`).FindAllString(rest, -1) {
		args = append(args, strings.NewReplacer("'", "", `"`, "").Replace(word))
	}
	var first error
	for range 4 {
		root := newRoot()
		root.InitDefaultCompletionCmd()
		c, rest, err := root.Find(args)
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil {
			err = c.ValidateArgs(c.Flags().Args())
		}
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
		args = append(args, "more")
	}
	return first
}

// TestTestsPage checks that the page on tests has each rule of diff and each flag of test.
func TestTestsPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/tests.md")
	require.NoError(t, err)
	page := string(raw)
	for _, r := range diffRules {
		breaking := "no"
		if r.isBreaking {
			breaking = "yes"
		}
		assert.Contains(t, page, fmt.Sprintf("| `%s` | %s | %s |\n", r.id, breaking, r.text))
	}
	newTest().Flags().VisitAll(func(f *pflag.Flag) { assert.Contains(t, page, "--"+f.Name) })
	newDiff().Flags().VisitAll(func(f *pflag.Flag) { assert.Contains(t, page, "--"+f.Name) })
}

// TestClientsPages checks that the pages on clients have the entry that install prints for
// each client with a page or with a section of docs/clients.md.
func TestClientsPages(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/clients.md")
	require.NoError(t, err)
	sections := map[string]string{}
	for _, section := range strings.Split(string(raw), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		sections[title] = text
	}
	for _, c := range clients {
		section := sections[c.title]
		if page, err := os.ReadFile("../../docs/clients/" + c.name + ".md"); err == nil {
			section = string(page)
		}
		if !assert.True(t, section != "" || c.name == "zed", "docs/clients.md has no section %s", c.title) || section == "" {
			continue
		}
		s := server{name: "review", command: "/usr/local/bin/prompts", args: []string{"serve", "/home/ada/review"}}
		if c.hasNoPrompts {
			s.args = []string{"serve", "--tools", "/home/ada/review"}
		}
		if c.add != "" {
			assert.Contains(t, section, shellQuoted(c.command(s, "", false)...)+"\n", c.name)
			continue
		}
		if c.isYAML {
			assert.Contains(t, section, "```yaml\n"+yamlOf(map[string][]entry{c.keys[0]: {c.entry(s, false)}})+"```\n", c.name)
			continue
		}
		want, err := json.Marshal(nested(append(c.keys, s.name), c.entry(s, false)))
		require.NoError(t, err)
		block := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(section)
		if assert.NotNil(t, block, c.name) {
			assert.JSONEq(t, string(want), block[1], c.name)
		}
	}
}
