//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// This file tests servers whose parent closes their standard output or error, or never
// reads them: stdio.Run, and each command that serves.

// maxEnd is far more than the time that a server has for its end, and is only reached by
// one that never ends.
const maxEnd = time.Minute

// served is a server in a process of its own.
type served struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader // nil if nobody reads standard output
	url    string        // empty over stdio
	number int
}

// stream is what the parent does with a standard file of the server.
type stream string

const (
	isRead          stream = "read"
	isClosed        stream = "closed by the reader"
	isUnread        stream = "full and never read"
	isClosedAtStart stream = "closed at the start"
)

// open returns the end of the stream for the server.
func (s stream) open(t *testing.T) (server *os.File, reader io.Reader) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	switch s {
	case isRead:
		return w, r
	case isClosed:
		require.NoError(t, r.Close())
	case isUnread:
		require.NoError(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		_, err := w.Write(make([]byte, 1<<22))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	}
	return w, nil
}

// startServer starts a server of a kind: lib, stdio, http or preview.
func startServer(t *testing.T, kind string, stdout, stderr stream) *served {
	t.Helper()
	s := &served{t: t, dir: t.TempDir()}
	s.write("hello.md", "Hello!\n")
	s.write("fail.md", "---\narguments:\n  - name: n\n    description: a number\n    type: integer\n---\n{{slice \"a\" .n}}\n")
	args := map[string][]string{"lib": {"serve-library"}, "lib-http": {"serve-library-http"}, "stdio": {"prompts", "serve"}, "http": {"prompts", "serve", "--http"}, "preview": {"prompts", "preview", "--no-open", "--addr"}}[kind]
	if kind == "http" || kind == "lib-http" || kind == "preview" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		args = append(args, l.Addr().String())
		s.url = "http://" + l.Addr().String() + "/mcp"
		require.NoError(t, l.Close())
	}
	args = append(args, s.dir)
	if kind == "lib" && stderr != isClosed { // which would end the program before Run
		args = append(args, "early")
	}
	script := `exec "$@"`
	if stdout == isClosedAtStart {
		script += " >&-"
	}
	if stderr == isClosedAtStart {
		script += " 2>&-"
	}
	s.cmd = exec.CommandContext(t.Context(), "sh", append([]string{"-c", script, "sh"}, args...)...)
	s.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var err error
	s.in, err = s.cmd.StdinPipe()
	require.NoError(t, err)
	out, reader := stdout.open(t)
	s.cmd.Stdout = out
	if s.out = nil; reader != nil {
		s.out = bufio.NewReader(reader)
	}
	errOut, log := stderr.open(t)
	s.cmd.Stderr = errOut
	if log != nil {
		go func() { _, _ = io.Copy(io.Discard, log) }() // ends with the server
	}
	require.NoError(t, s.cmd.Start())
	hung := time.AfterFunc(2*maxEnd, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() { hung.Stop() })
	require.NoError(t, errors.Join(out.Close(), errOut.Close()))
	if s.url == "" {
		// More than a pipe holds, so the server reads when this returns.
		_, err := s.in.Write(bytes.Repeat([]byte("\n"), 1<<17))
		require.NoError(t, err)
	} else {
		require.Eventually(t, func() bool {
			c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp"))
			if err == nil {
				err = c.Close()
			}
			return err == nil
		}, maxEnd, 10*time.Millisecond, "the server starts")
	}
	return s
}

func (s *served) write(name, content string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600))
}

// get requests a prompt and returns the response, which is empty over stdio if nobody
// reads standard output.
func (s *served) get(name, arguments string) string {
	s.t.Helper()
	s.number++
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":%q,"arguments":{%s},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, s.number, name, arguments)
	if s.url == "" {
		_, err := io.WriteString(s.in, body+"\n")
		if s.out == nil {
			return "" // a server whose output is closed has ended
		}
		require.NoError(s.t, err)
		line, err := s.out.ReadString('\n')
		require.NoError(s.t, err)
		require.Contains(s.t, line, fmt.Sprintf(`"id":%d,`, s.number))
		return line
	}
	r := newGet(s.t, s.url, "")
	r.Header.Set("Mcp-Name", name)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	status, text := do(s.t, http.DefaultClient, r)
	require.Equal(s.t, http.StatusOK, status, text)
	return text
}

// end ends the server in one of three ways, and checks that it does end, by itself.
func (s *served) end(how string) {
	s.t.Helper()
	switch how {
	case "EOF":
		_ = s.in.Close()
	case "SIGTERM":
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
	case "SIGINT":
		_ = s.cmd.Process.Signal(syscall.SIGINT)
	}
	assert.NoError(s.t, s.cmd.Wait(), "how the server has ended") // or was killed, after a long time
}

// A parent may close each standard file of a server or never read it: requests are
// answered, changed files are read, and the server ends as usual.
func TestParentThatDoesNotRead(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"lib", "lib-http", "stdio", "http", "preview"} {
		for _, test := range []struct{ stdout, stderr stream }{
			{isRead, isRead},
			{isRead, isClosed}, {isRead, isUnread}, {isRead, isClosedAtStart},
			{isClosed, isRead}, {isUnread, isRead}, {isClosedAtStart, isRead},
			{isClosed, isClosed}, {isUnread, isUnread},
		} {
			for _, how := range []string{"EOF", "SIGTERM", "SIGINT"} {
				isStdio := kind == "lib" || kind == "stdio"
				if how == "EOF" && !isStdio {
					continue // a server over HTTP does not read its standard input
				}
				if testing.Short() && (how != "SIGTERM" || test.stdout == test.stderr) {
					continue
				}
				t.Run(fmt.Sprintf("%s, output %s, error %s, %s", kind, test.stdout, test.stderr, how), func(t *testing.T) {
					t.Parallel()
					s := startServer(t, kind, test.stdout, test.stderr)
					if s.url != "" || s.out != nil {
						require.Eventually(t, func() bool { return strings.Contains(s.get("hello", ""), "Hello!") }, maxEnd, 10*time.Millisecond)
					}
					requests := 400 // more than MaxConcurrent and its queue, and than the burst of the log
					if isStdio && s.out == nil {
						requests = 50 // a server whose responses nobody reads stops reading
					}
					for range requests {
						if response := s.get("fail", `"n":"9"`); s.url != "" || s.out != nil {
							require.Contains(t, response, `"error"`)
							require.NotContains(t, response, "at capacity")
						}
					}
					if isStdio && s.out == nil {
						s.end(how)
						return
					}
					for _, next := range []string{"Good morning!", "Good evening!"} {
						s.write("hello.md", next+"\n")
						require.Eventually(t, func() bool { return strings.Contains(s.get("hello", ""), next) }, maxEnd, 10*time.Millisecond)
					}
					s.end(how)
				})
			}
		}
	}
}

// A page of another site that calls a server whose log is closed gets its 403, and the
// next request an answer: a parent may read the log until it says "serving".
func TestRejectedAfterLogIsClosed(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"http", "lib-http"} {
		s := startServer(t, kind, isRead, isClosed)
		require.Eventually(t, func() bool { return strings.Contains(s.get("hello", ""), "Hello!") }, maxEnd, 10*time.Millisecond)
		for range 3 {
			assert.Equal(t, http.StatusForbidden, postAs(t, s.url, "localhost", "https://evil.example.org", ""))
		}
		assert.Contains(t, s.get("hello", ""), "Hello!")
		s.end("SIGTERM")
	}
}

// A command that serves nothing ends with its reader, by the signal that a shell expects.
func TestBrokenPipeOfOneShotCommand(t *testing.T) {
	t.Parallel()
	out, _ := isClosed.open(t)
	cmd := exec.CommandContext(t.Context(), "prompts", "list", folderOfHello(t))
	cmd.Stdout = out
	require.Error(t, cmd.Run())
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGPIPE, status.Signal())
}
