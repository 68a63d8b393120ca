// Prompts serves, checks, tests, renders and previews prompts that are Markdown files.
//
// `prompts help` lists the commands. The exit code is 0 for success, 1 if prompts
// have errors or a command fails, 2 for wrong use: an unknown command or flag, a missing
// argument, a folder that does not exist, and 130 for an interrupt before the end.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	// exitInterrupted is 128 and the number of SIGINT, as of a shell's own commands. A
	// server that has started ends with exitOK.
	exitInterrupted = 130
)

// errReported ends a command with exitFailed. The command has printed the reason.
var errReported = errors.New("reported")

// run runs the command of args and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	hasStarted := false
	root.PersistentPreRun = func(*cobra.Command, []string) { hasStarted = true }
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case isInterrupted(ctx, err):
		return exitInterrupted
	}
	fmt.Fprintln(errOut, "prompts:", err)
	if usage := (usageError{}); !hasStarted || errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "prompts",
		Short: "Serve, check, test, render and preview prompts that are Markdown files",
		Long: `Prompts serves a folder of Markdown files as MCP prompts, checks and tests the files,
renders, previews and compares the prompts, and connects clients to the server.

The exit code is 0 for success, 1 if prompts have errors or a command fails, 2 for
wrong use, and 130 for an interrupt before the end.`,
		Version:       version(),
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
		Args:          rejectUnknown("command"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = cmd.Help()
			return usageErrorf("command is missing")
		},
	}
	root.SetVersionTemplate("prompts {{.Version}}\n")
	root.AddCommand(
		newPush(), newPull(), newTag(), newRollback(), newLog(),
		newServe(), newCheck(), newTest(), newDiff(), newRender(), newList(), newNew(), newPreview(),
		newImport(), newInstall(), newMan(),
	)
	root.SetFlagErrorFunc(flagError)
	addHelp(root)
	return root
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
