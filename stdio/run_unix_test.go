//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

func init() {
	children["run"] = run
	children["run with own logger"] = func() error { return runFailing(slog.New(slog.NewTextHandler(os.Stderr, nil))) }
	children["run with default logger"] = func() error { return runFailing(nil) }
}

// runFailing runs a server whose prompt fails, which logs.
func runFailing(logger *slog.Logger) error {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "fails", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return nil, errors.New("no disk")
	}})
	err := stdio.Run(context.Background(), prompts.MustNewServer(&reg, prompts.Options{Logger: logger}))
	if log.Writer() != os.Stderr {
		return errors.New("package log does not write to standard error again")
	}
	return err
}

// A client that closes standard error does not end Run, whatever logger the application
// has. One that never reads standard error does not stop the default logger.
func TestProcessRunSurvives(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		child    string
		isClosed bool
	}{{"run with own logger", true}, {"run with default logger", true}, {"run with default logger", false}} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			defer w.Close()
			if test.isClosed {
				require.NoError(t, r.Close())
			} else {
				require.NoError(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
				_, err := w.Write(make([]byte, 1<<22)) // more than fits
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			}
			cmd := command(t, test.child)
			cmd.Stderr = w
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			responses := bufio.NewReader(out)
			for range 400 { // more than run at a time and wait
				_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"fails","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n")
				require.NoError(t, err)
				line, err := responses.ReadString('\n')
				require.NoError(t, err)
				require.Contains(t, line, "internal error")
			}
			require.NoError(t, in.Close())
			assert.NoError(t, cmd.Wait())
		})
	}
}

func run() error {
	var reg prompts.Registry
	return stdio.Run(context.Background(), prompts.MustNewServer(&reg, prompts.Options{}))
}

// Run serves the standard files, and returns nil after a signal and when the input
// has ended.
func TestProcessRun(t *testing.T) {
	for name, end := range map[string]func(p *os.Process, in io.Closer) error{
		"SIGTERM": func(p *os.Process, _ io.Closer) error { return p.Signal(syscall.SIGTERM) },
		"SIGINT":  func(p *os.Process, _ io.Closer) error { return p.Signal(syscall.SIGINT) },
		"input":   func(_ *os.Process, in io.Closer) error { return in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command(t, "run")
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
			require.NoError(t, err)
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			assert.Contains(t, line, `"jsonrpc"`)
			require.NoError(t, end(cmd.Process, in))
			assert.NoError(t, cmd.Wait())
		})
	}
}
