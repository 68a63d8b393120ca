package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updatePage = flag.Bool("update", false, "write docs/commands.md")

// docs/commands.md has every command and flag, as the program describes them.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	const file = "../../docs/commands.md"
	page := commandsPage(newRoot())
	if *updatePage {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, page, strings.ReplaceAll(string(got), "\r\n", "\n"), "run: go -C cmd/prompts test . -run TestCommandsPage -update")
}

// commandsPage returns the page of all commands that users see.
func commandsPage(root *cobra.Command) string {
	var out strings.Builder
	out.WriteString(`# Commands of the program prompts

<!-- Generated: go -C cmd/prompts test . -run TestCommandsPage -update -->

Every command and flag, generated from the program. [Write prompts as files](write-prompts.md)
shows the commands in use.
`)
	root.InitDefaultCompletionCmd()
	root.InitDefaultVersionFlag()
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		long := cmd.Long
		if long == "" {
			long = cmd.Short + "."
		}
		fmt.Fprintf(&out, "\n## %s\n\n```text\n%s\n\n%s\n```\n", cmd.CommandPath(), cmd.UseLine(), strings.TrimSpace(long))
		if cmd.Example != "" {
			// internal/dev/commands runs the lines.
			example := strings.ReplaceAll("\n"+strings.TrimRight(cmd.Example, "\n"), "\n  ", "\n")
			fmt.Fprintf(&out, "\n```sh%s\n```\n", example)
		}
		out.WriteString("\n| Flag | Value | Default | Effect |\n|---|---|---|---|\n")
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			name := "`--" + f.Name + "`"
			if f.Shorthand != "" {
				name = "`-" + f.Shorthand + "`, " + name
			}
			value, usage := pflag.UnquoteUsage(f)
			byDefault := f.DefValue
			if byDefault == "" || byDefault == "[]" || byDefault == "false" {
				byDefault = "–"
			}
			if value == "" {
				value = "–"
			}
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", name, value, byDefault, strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(usage))
		})
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && cmd.Name() != "completion" {
				add(c)
			}
		}
	}
	add(root)
	return out.String()
}
