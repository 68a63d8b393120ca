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
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	// exitInterrupted is 128 and SIGINT, as of a shell. A server that has started ends with exitOK.
	exitInterrupted = 130
)

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(&output{w: out})
	root.SetErr(&output{w: errOut})
	hasStarted, unprotect := false, func() {}
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		if hasStarted = true; cmd.Annotations[serves] != "" {
			unprotect = protect(root)
		}
	}
	isEnded, err := inTime(ctx, stopTimeout, func() error { return root.ExecuteContext(ctx) })
	if !isEnded {
		return exitInterrupted
	}
	defer func() { unprotect() }()
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case isInterrupted(ctx, err):
		return exitInterrupted
	}
	fmt.Fprintln(root.ErrOrStderr(), "prompts:", err)
	if usage := (usageError{}); !hasStarted || errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// stopTimeout is longer than a server has for its requests. A command that then still runs waits for a disk.
const stopTimeout = drainTimeout + 2*time.Second

// protect keeps a parent that closes the standard output or error of a server, or never
// reads them, from ending or stopping the server, until unprotect is called. The protocol
// of standard input and output is protected by package stdio. The other commands end with
// their reader, as in "prompts list | head -1".
func protect(root *cobra.Command) (unprotect func()) {
	out, errOut := stdio.NewLogWriter(root.OutOrStdout()), stdio.NewLogWriter(root.ErrOrStderr())
	unread := make(chan os.Signal, 1)
	isProcess := fileOf(root.ErrOrStderr()) == os.Stderr && log.Writer() == os.Stderr
	if isProcess { // and no test
		signal.Notify(unread, syscall.SIGPIPE) // ignored, it would be so in programs that are started
		log.SetOutput(errOut)                  // of other libraries
	}
	root.SetOut(out)
	root.SetErr(errOut)
	return func() {
		if isProcess {
			log.SetOutput(os.Stderr)
			signal.Stop(unread)
		}
		var closing sync.WaitGroup
		for _, w := range []*stdio.LogWriter{out, errOut} {
			closing.Go(func() { _ = w.Close() }) // ends within a second
		}
		closing.Wait()
	}
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
		newImport(), newExport(), newInstall(), newMan(),
	)
	root.SetFlagErrorFunc(flagError)
	addHelp(root)
	return root
}

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a folder",
		Hidden: true,
		Args:   exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			date := time.Unix(0, 0).UTC() // the same pages for the same source
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "prompts", Date: &date}, args[0])
		},
	}
}
