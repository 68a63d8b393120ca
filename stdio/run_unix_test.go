//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

func init() { children["run"] = run }

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
