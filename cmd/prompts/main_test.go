package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xeipuuv/gojsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"prompts": main, "prompts-memory": runWithMemory, "serve-library": serveLibrary, "serve-library-http": serveLibraryHTTP})
}

// runWithMemory runs a command and writes the state of the process to standard error. Unlike the
// usage that the system reports of a child, it has the memory of this program alone.
func runWithMemory() {
	run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, io.Discard)
	state, _ := os.ReadFile("/proc/self/status")
	_, _ = os.Stderr.Write(state)
}

// serveLibrary is a program that serves a folder with stdio.Run and the default logger. With
// a second argument, it logs before Run, else not before the first request.
func serveLibrary() {
	var reg prompts.Registry
	folder := promptfs.NewDir(&reg, os.Args[1], promptfs.Options{})
	if len(os.Args) > 2 {
		_ = folder.Reload(context.Background())
	}
	var once sync.Once
	watch := func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			once.Do(func() {
				_ = folder.Reload(ctx)                // a record after Run would end the program
				go folder.Watch(context.Background()) // ends with the process
			})
			return next(ctx, r)
		}
	}
	if err := stdio.Run(context.Background(), prompts.MustNewServer(&reg, prompts.Options{Middleware: watch})); err != nil {
		os.Exit(1)
	}
}

// serveLibraryHTTP is serveLibrary for streamablehttp.ListenAndServe.
func serveLibraryHTTP() {
	var reg prompts.Registry
	// A record before ListenAndServe would end the program.
	folder := promptfs.NewDir(&reg, os.Args[2], promptfs.Options{Logger: slog.New(slog.DiscardHandler)})
	go folder.Watch(context.Background()) // ends with the process
	if err := streamablehttp.ListenAndServe(context.Background(), os.Args[1], prompts.MustNewServer(&reg, prompts.Options{}), streamablehttp.Options{}); err != nil {
		os.Exit(1)
	}
}

// TestScripts runs the sessions in testdata/script: each command with its output and
// its exit code.
func TestScripts(t *testing.T) {
	t.Parallel()
	dir, files := filepath.Join("testdata", "script"), []string(nil)
	if testing.Short() {
		// The commands with goroutines: a start with the race detector takes long, and there are 300.
		files = []string{filepath.Join(dir, "serve.txtar"), filepath.Join(dir, "check.txtar"), filepath.Join(dir, "test_exec.txtar")}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, Files: files,
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": wantCode,
			"grow": func(ts *testscript.TestScript, _ bool, args []string) { // appends 64 KiB of a comment
				text := ts.ReadFile(args[0]) + "#" + strings.Repeat("x", 64<<10)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
			},
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.Getenv("WORK"))
			e.Setenv("XDG_CONFIG_HOME", "")
			e.Setenv("NO_COLOR", "")
			return nil
		},
	})
}

// wantCode is the command "code N ARGS...": prompts has to end with the exit code N.
func wantCode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec("prompts", args[1:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("the exit code is %d, not %d", got, want)
	}
}

// TestInterrupt checks that a command that is interrupted while it loads prompts ends with
// the exit code of an interrupt, and prints nothing about it.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"serve", "DIR"}, {"serve", "--http", "127.0.0.1:0", "DIR"}, {"preview", "--no-open", "DIR"},
		{"check", "DIR"}, {"list", "DIR"}, {"test", "DIR"}, {"diff", "DIR", "DIR"}, {"render", "DIR", "hello"}, {"import", "claude", "DIR", "NEW"},
	} {
		for n, arg := range args {
			switch arg {
			case "DIR":
				args[n] = folderOfHello(t)
			case "NEW":
				args[n] = t.TempDir()
			}
		}
		var out, errOut bytes.Buffer
		assert.Equal(t, exitInterrupted, run(ctx, args, nil, &out, &errOut), args)
		assert.NotContains(t, out.String()+errOut.String(), "cancel", args)
	}
}

// TestUntilDone checks that an interrupt ends a command that waits for a disk.
func TestUntilDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	isBlocked, unblock := make(chan struct{}), make(chan struct{})
	defer close(unblock)
	go func() { <-isBlocked; cancel() }()
	_, err := untilDone(ctx, func() (int, error) { close(isBlocked); <-unblock; return 1, nil })
	assert.ErrorIs(t, err, context.Canceled)
	n, err := untilDone(t.Context(), func() (int, error) { return 1, nil })
	assert.NoError(t, err)
	assert.Equal(t, 1, n)
}

// TestInTime checks that a command that waits for a disk ends a while after an interrupt.
func TestInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		isEnded, err := inTime(ctx, time.Minute, func() error { return errReported })
		assert.True(t, isEnded)
		assert.ErrorIs(t, err, errReported)
		time.AfterFunc(time.Hour, cancel)
		start, disk := time.Now(), make(chan error, 1)
		isEnded, _ = inTime(ctx, time.Minute, func() error { return <-disk })
		assert.False(t, isEnded)
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
		disk <- nil
		isEnded, err = inTime(ctx, time.Minute, func() error { <-ctx.Done(); time.Sleep(time.Second); return context.Cause(ctx) })
		assert.True(t, isEnded, "a server has time for its requests")
		assert.ErrorIs(t, err, context.Canceled)
	})
}

// TestSARIF checks the report of files with errors against the schema of SARIF 2.1.0.
func TestSARIF(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a b.md"), []byte("---\ntitel: x\n---\nHi\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.md"), []byte("{{.x | nothing}}\n"), 0o600))
	var out, errOut bytes.Buffer
	assert.Equal(t, exitFailed, run(context.Background(), []string{"check", "--format", "sarif", dir}, nil, &out, &errOut), errOut.String())
	schema, err := filepath.Abs("testdata/sarif-schema-2.1.0.json")
	require.NoError(t, err)
	result, err := gojsonschema.Validate(gojsonschema.NewReferenceLoader("file://"+filepath.ToSlash(schema)), gojsonschema.NewBytesLoader(out.Bytes()))
	require.NoError(t, err)
	assert.Empty(t, result.Errors())
	assert.Contains(t, out.String(), `"uri": "`)
}
