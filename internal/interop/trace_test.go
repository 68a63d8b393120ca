package interop_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTrace proves that the fixture writes each span as a line, over both transports.
func TestTrace(t *testing.T) {
	t.Parallel()
	tools := built(t)
	const traceID, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	const get = `{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"test_simple_prompt","_meta":{` +
		`"traceparent":"00-` + traceID + `-` + parent + `-01",` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	post := func(t *testing.T, url string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(get))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": stateless, "Mcp-Method": "prompts/get", "Mcp-Name": "test_simple_prompt",
		} {
			r.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.NoError(t, response.Body.Close())
	}
	for transport, args := range map[string][]string{"pipe": nil, "tcp": {"-http", "127.0.0.1:0"}} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "spans")
			cmd := exec.CommandContext(t.Context(), tools.path("fixture"), append(args, "-trace", file)...)
			if args == nil {
				cmd.Stdin = strings.NewReader(get + "\n")
				require.NoError(t, cmd.Run())
			} else {
				stderr, err := cmd.StderrPipe()
				require.NoError(t, err)
				require.NoError(t, cmd.Start())
				url, err := bufio.NewReader(stderr).ReadString('\n')
				require.NoError(t, err)
				post(t, strings.TrimSpace(url))
				require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
				require.NoError(t, cmd.Wait())
			}
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			lines := slices.Collect(strings.Lines(string(raw)))
			require.Len(t, lines, 1)
			var span struct {
				Name, Kind, Status string
				TraceID            string `json:"trace_id"`
				SpanID             string `json:"span_id"`
				Parent             string `json:"parent_span_id"`
				Attributes         map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(lines[0]), &span))
			assert.Equal(t, []string{"prompts/get test_simple_prompt", "SERVER", "Unset", traceID, parent},
				[]string{span.Name, span.Kind, span.Status, span.TraceID, span.Parent})
			assert.Len(t, span.SpanID, 16)
			assert.Equal(t, "test_simple_prompt", span.Attributes["gen_ai.prompt.name"])
			assert.Equal(t, transport, span.Attributes["network.transport"])
		})
	}
}
