package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/prompttools"
)

type usageError struct{ error }

func usageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

var (
	errEmptyPath = usageErrorf("path is empty; write . for the current folder") // a script may have left it out
	errReported  = errors.New("reported")                                       // of a command that has printed the reason
)

func unknown(kind, name string, known []string) error {
	if near := nearest.Name(name, known); near != "" {
		return usageErrorf("unknown %s %q; did you mean %q?", kind, name, near)
	}
	var longer []string // none of which is nearer than the others
	for _, k := range known {
		if name != "" && strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) {
			longer = append(longer, fmt.Sprintf("%q", k))
		}
	}
	if len(longer) > 0 {
		return usageErrorf("unknown %s %q; did you mean %s?", kind, name, strings.Join(longer, " or "))
	}
	return usageErrorf("unknown %s %q; expected one of %s", kind, name, strings.Join(known, ", "))
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func rejectUnknown(kind string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknown(kind, args[0], commandNames(cmd))
		}
		return nil
	}
}

func atLeastOne(what string) cobra.PositionalArgs { return between(1, math.MaxInt, what+" is missing") }

func between(least, most int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return usageErrorf("%s; usage: %s", missing, cmd.UseLine())
		}
		return cobra.MaximumNArgs(most)(cmd, args)
	}
}

func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageErrorf("wrong number of arguments: expected %d, got %d; usage: %s", n, len(args), cmd.UseLine())
		}
		return nil
	}
}

var completeFolders = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)

func completeFirst(names []string, rest cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, rest
	}
}

// addHelp adds the commands help and completion, for which an unknown name is an error.
func addHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				target, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 && target.HasSubCommands() {
					return unknown("command", rest[0], commandNames(target))
				}
				return err
			}
		case "completion":
			c.Args = rejectUnknown("shell")
			c.RunE = func(cmd *cobra.Command, _ []string) error {
				return usageErrorf("shell is missing; expected one of %s", strings.Join(commandNames(cmd), ", "))
			}
		}
	}
}

// formOf is the annotation of a flag with the form of its value.
const formOf = "form"

func flagError(cmd *cobra.Command, err error) error {
	var notExist *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &notExist) && notExist.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + notExist.GetSpecifiedName()
		if near := nearest.Name(name, names); near != "" {
			return usageErrorf("unknown flag %s; did you mean %s?", name, near)
		}
		return usageErrorf("unknown flag %s; run: %s --help", name, cmd.CommandPath())
	case errors.As(err, &invalid):
		f, form := invalid.GetFlag(), "valid"
		if known := f.Annotations[formOf]; len(known) > 0 {
			form = known[0]
		} else if f.Value.Type() == "bool" {
			form = "true or false"
		}
		return usageErrorf("--%s must be %s, got %q", f.Name, form, invalid.GetValue())
	case errors.As(err, &missing):
		return usageErrorf("--%s needs a value", missing.GetSpecifiedName())
	}
	return usageError{err}
}

// addFormat adds the flag --format, which the command checks before it runs. write writes a report
// in the format and returns errReported for a failure. The format json is that of all reports.
func addFormat[R any](cmd *cobra.Command, formats map[string]func(io.Writer, R) error) (write writer[R]) {
	formats = maps.Clone(formats)
	formats["json"] = func(w io.Writer, r R) error { return writeIndented(w, r) }
	names := slices.Sorted(maps.Keys(formats))
	format := cmd.Flags().String("format", "text", "output format: "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if formats[*format] == nil {
			return unknown("format", *format, names)
		}
		return nil
	}
	return func(r R, isFailure bool) error {
		err := formats[*format](cmd.OutOrStdout(), r)
		if err == nil && isFailure {
			err = errReported
		}
		return err
	}
}

type writer[R any] func(r R, isFailure bool) error

func addTools(flags *pflag.FlagSet, value *string, usage string) {
	flags.StringVar(value, "tools", "", usage)
	flags.Lookup("tools").NoOptDefVal = "each"
}

// A value of --tools needs the = in front of it; without, it looks like a folder.
func checkTools(value string, dirs []string) error {
	for _, dir := range dirs {
		if value == "each" && (dir == "pair" || dir == "each") && !exists(dir) {
			return usageErrorf("folder %s does not exist; to set the flag, write --tools=%[1]s", dir)
		}
	}
	return checkToolsOf("--tools", value)
}

func checkToolsOf(name, value string) error {
	if value == "" || value == "each" || value == "pair" {
		return nil
	}
	return usageErrorf("%s must be each or pair, got %q", name, value)
}

func toolsOf(reg *prompts.Registry, value string) (feature.Feature, error) {
	options := prompttools.Options{Select: func(prompts.Prompt) bool { return true }}
	if value == "pair" {
		options.Pair = new(prompttools.Pair)
	}
	return prompttools.New(reg, options)
}

// serves is the annotation of a command that serves until a signal or the end of its input.
const serves = "serves"

// inTime waits for f until the time after the end of ctx. If isEnded is false, f may still run.
func inTime(ctx context.Context, after time.Duration, f func() error) (isEnded bool, err error) {
	ended := make(chan error, 1)
	go func() { ended <- f() }() // ends with f, or with the program
	select {
	case err := <-ended:
		return true, err
	case <-ctx.Done():
	}
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case err := <-ended:
		return true, err
	case <-timer.C:
		return false, nil
	}
}

// untilDone calls f, which only reads. If ctx ends before f returns, untilDone returns at once,
// because who interrupts a command waits for no disk. Then f may still run.
func untilDone[T any](ctx context.Context, f func() (T, error)) (T, error) {
	value, err := regular.UnlessEnded(ctx, true, f)
	return value, cmp.Or(ctx.Err(), err)
}

// isInterrupted reports whether an error is of an interrupt by the user, who knows the cause.
func isInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// release is the version of an archive; the linker sets it.
var release string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// plainWord is a word that a POSIX shell reads unchanged.
var plainWord = regexp.MustCompile(`^[\w./:=@%+,-]+$`)

func shellQuoted(command ...string) string {
	words := slices.Clone(command)
	for i, w := range words {
		if !plainWord.MatchString(w) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
