package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/promptfs"
)

// starter has the name of the prompt in words, as TASK and TITLE. It has one argument: with
// several, a client that splits a text into words fills the wrong ones.
const starter = `---
title: TITLE
description: Do the task "TASK" for a text
arguments:
  - name: text
    description: the text to work on
    required: true
---

Do the task "TASK" for the text below, and quote each sentence that you change or explain.

{{untrusted "the text" .text}}
`

const starterCases = `# yaml-language-server: $schema=https://raw.githubusercontent.com/mcp-prompts/prompts/main/docs/test-file.schema.json
# Run the cases with: prompts test
cases:
  - name: a text
    arguments:
      text: This sentence have a mistake.
    expect:
      contains: Do the task "TASK"
      matches: '<untrusted-\w+>\nThis sentence have a mistake.\n</untrusted'
      messages: 1
  - name: no text
    arguments: {}
    expect:
      error: {text: missing}
`

// starterOf returns a text of the starter for the name of a prompt.
func starterOf(text, name string) []byte {
	words := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r != '.' && r != '\'' && !unicode.In(r, unicode.L, unicode.N, unicode.M) }), " ")
	words = cmp.Or(strings.Trim(words, ".' "), "work")
	first, size := utf8.DecodeRuneInString(words)
	title := strings.TrimSpace(yamlOf(string(unicode.ToUpper(first)) + words[size:]))
	return []byte(strings.NewReplacer("TASK", words, "TITLE", title).Replace(text))
}

func newNew() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a prompt to start from",
		Long: `New writes the file NAME.md with a prompt to start from, and NAME.test.yaml with its
first cases for prompts test. A name such as review/code is a file in the folder review.
An existing file is never changed.`,
		Example: "  prompts new review/text --dir prompts",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.TrimSuffix(filepath.ToSlash(args[0]), ".md")
			if !fs.ValidPath(name) || name == "." {
				return usageErrorf("invalid name %q; write names separated by /, such as review/text", args[0])
			}
			if err := checkLoaded(name + ".md"); err != nil {
				return usageErrorf("invalid name %q: %w", args[0], err)
			}
			if _, err := promptfs.Parse(nil, name+".md", starterOf(starter, name), promptfs.Options{}); err != nil {
				return usageErrorf("invalid name: %w", err)
			}
			path := filepath.Join(dir, filepath.FromSlash(name)+".md")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			tests := strings.TrimSuffix(path, ".md") + cases.Extension
			for _, file := range []string{path, tests} { // so that neither is written without the other
				if _, err := os.Lstat(file); err == nil {
					return errExists(file)
				}
			}
			if err := create(path, starterOf(starter, name)); err != nil {
				return err
			}
			if err := create(tests, starterOf(starterCases, name)); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", path, tests)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "write the file into this folder")
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}
