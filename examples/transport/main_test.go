package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// isProgram is the variable that makes the test binary the program itself, which saves
// building it.
const isProgram = "TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(isProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program returns the command that runs the program.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), isProgram+"=1")
	return cmd
}

// client speaks to the server with a framing of its own, so that a mistake in
// the example's cannot cancel itself out.
type client struct {
	t    *testing.T
	conn net.Conn
	ids  int
}

func (c *client) send(msg string) {
	c.t.Helper()
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(msg)))
	_, err := c.conn.Write(append(frame, msg...))
	require.NoError(c.t, err)
}

func (c *client) receive() (string, error) {
	var size uint32
	if err := binary.Read(c.conn, binary.BigEndian, &size); err != nil {
		return "", err
	}
	msg := make([]byte, size)
	_, err := io.ReadFull(c.conn, msg)
	return string(msg), err
}

// expect takes the next message, which has to be the one given.
func (c *client) expect(want string) {
	c.t.Helper()
	got, err := c.receive()
	require.NoError(c.t, err)
	require.Equal(c.t, want, got)
}

// call sends a request and returns its result.
func (c *client) call(method, params string) string {
	c.t.Helper()
	c.ids++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.ids, method, params))
	msg, err := c.receive()
	require.NoError(c.t, err)
	var answer struct {
		ID     int
		Result json.RawMessage
		Error  json.RawMessage
	}
	require.NoError(c.t, json.Unmarshal([]byte(msg), &answer))
	require.Equal(c.t, c.ids, answer.ID)
	require.Empty(c.t, answer.Error)
	return string(answer.Result)
}

func (c *client) initialize() {
	c.t.Helper()
	result := c.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	require.Contains(c.t, result, `"name":"team-prompts"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

// list returns the names of the prompts.
func (c *client) list() []string {
	c.t.Helper()
	var result struct{ Prompts []struct{ Name string } }
	require.NoError(c.t, json.Unmarshal([]byte(c.call("prompts/list", "{}")), &result))
	var names []string
	for _, p := range result.Prompts {
		names = append(names, p.Name)
	}
	return names
}

// review calls the example's prompt.
func (c *client) review(code string) {
	c.t.Helper()
	assert.Equal(c.t,
		`{"messages":[{"role":"user","content":{"type":"text","text":"Please review this code:\n`+"```go\\n"+code+"\\n```"+`"}}]}`,
		c.call("prompts/get", `{"name":"code_review","arguments":{"language":"go","code":"`+code+`"}}`))
}

// socket returns the path of a Unix socket. The path is short, as it has to be.
func socket(t testing.TB) string {
	dir, err := os.MkdirTemp("", "p")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// start serves reg on a Unix socket until stop is called, which waits for the
// end of serve.
func start(t *testing.T, reg *prompts.Registry) (dial func() *client, stop func()) {
	path := socket(t)
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l, reg, slog.New(slog.DiscardHandler)) }()
	stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-ended)
		_, err := os.Stat(path)
		assert.ErrorIs(t, err, os.ErrNotExist, "the socket is gone")
	})
	t.Cleanup(stop)
	return func() *client {
		conn, err := net.Dial("unix", path)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return &client{t: t, conn: conn}
	}, stop
}

func registry() *prompts.Registry {
	reg := new(prompts.Registry)
	reg.MustAdd(declared()...)
	return reg
}

// data is a prompt without arguments.
func data(name string, render prompts.RenderFunc) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: render}
}

func hello(context.Context, map[string]string) (*prompts.Result, error) {
	return prompts.Messages(prompts.User("hello")), nil
}

func TestTwoClients(t *testing.T) {
	t.Parallel()
	reg := registry()
	dial, stop := start(t, reg)

	a, b := dial(), dial()
	a.initialize()
	b.initialize()
	assert.Equal(t, []string{"code_review"}, a.list())
	assert.Equal(t, []string{"code_review"}, b.list())
	a.review("a = 1")
	b.review("b = 2")

	// A change is told to both, and each sees it.
	require.NoError(t, reg.Add(data("hello", hello)))
	a.expect(listChanged)
	b.expect(listChanged)
	assert.Equal(t, []string{"code_review", "hello"}, a.list())
	assert.Equal(t, []string{"code_review", "hello"}, b.list())

	// One client goes away in the middle of a message. The other one does not
	// notice, and is still told of changes.
	_, err := a.conn.Write([]byte{0, 0})
	require.NoError(t, err)
	require.NoError(t, a.conn.Close())
	require.True(t, reg.Remove("hello"))
	b.expect(listChanged)
	b.review("b = 3")

	// The server ends its connections.
	stop()
	_, err = b.receive()
	assert.Equal(t, io.EOF, err)
}

// What a client has asked before it closed its side is answered.
func TestLastMessages(t *testing.T) {
	t.Parallel()
	dial, _ := start(t, registry())
	c := dial()
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":"last","method":"prompts/get","params":{"name":"code_review","arguments":{"code":"a = 1"}}}`)
	require.NoError(t, c.conn.(*net.UnixConn).CloseWrite())
	got, err := c.receive()
	require.NoError(t, err)
	assert.Contains(t, got, `{"jsonrpc":"2.0","id":"last","result":`)
	_, err = c.receive()
	assert.Equal(t, io.EOF, err)
}

// A message over the bound is answered with an error, and the next one as
// always; the bytes of a message may come one by one.
func TestFraming(t *testing.T) {
	t.Parallel()
	dial, _ := start(t, registry())
	c := dial()
	c.send(strings.Repeat(" ", maxMessageBytes+1))
	c.expect(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"message exceeds the size limit of the transport"}}`)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	const pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
	c.send(ping + strings.Repeat(" ", maxMessageBytes-len(ping)))
	c.expect(pong)
	for _, b := range append(binary.BigEndian.AppendUint32(nil, uint32(len(ping))), ping...) {
		_, err := c.conn.Write([]byte{b})
		require.NoError(t, err)
	}
	c.expect(pong)
	c.send("\n" + ping + "\n") // a newline means nothing to this framing
	c.expect(pong)
}

// The other side has gone, in each of the ways that a transport has to tell
// apart.
func TestEnds(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, test := range []struct {
		name, sent string
		want       error
	}{
		{"between messages", "", io.EOF},
		{"inside of a length", "\x00\x00", io.ErrUnexpectedEOF},
		{"behind a length", "\x00\x00\x00\x05", io.ErrUnexpectedEOF},
		{"inside of a message", "\x00\x00\x00\x05{", io.ErrUnexpectedEOF},
		{"inside of a message that is too large", "\x00\x00\x01\x00{", io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := net.Pipe()
			go func() {
				_, _ = io.WriteString(theirs, test.sent)
				_ = theirs.Close()
			}()
			tr := &framed{conn: ours, limit: 100}
			_, err := tr.Read(ctx)
			assert.Equal(t, test.want, err)
			assert.ErrorIs(t, tr.Write(ctx, []byte("{}")), io.ErrClosedPipe)
		})
	}
	t.Run("a real connection", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("unix", socket(t))
		require.NoError(t, err)
		defer l.Close()
		theirs, err := net.Dial("unix", l.Addr().String())
		require.NoError(t, err)
		ours, err := l.Accept()
		require.NoError(t, err)
		require.NoError(t, theirs.Close())
		tr := &framed{conn: ours, limit: 100}
		assert.ErrorIs(t, tr.Write(ctx, []byte("{}")), io.ErrClosedPipe)
		require.NoError(t, tr.Close())
	})
}

// pipes is a listener in memory.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accept:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

// The end of the server leaves no goroutine, whatever its clients are at:
// synctest fails if one of the bubble's goroutines stays.
func TestNoGoroutineStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rendering := make(chan struct{})
		reg := registry()
		reg.MustAdd(data("slow", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			close(rendering)
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		l := &pipes{accept: make(chan net.Conn), closed: make(chan struct{})}
		dial := func() *client {
			ours, theirs := net.Pipe()
			l.accept <- theirs
			return &client{t: t, conn: ours}
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- serve(ctx, l, reg, slog.New(slog.DiscardHandler)) }()

		dial() // says nothing
		idle := dial()
		idle.initialize()
		half := dial() // stops within a message
		_, err := half.conn.Write([]byte{0, 0, 1, 0, '{'})
		require.NoError(t, err)
		slow := dial() // waits for an answer
		slow.initialize()
		slow.send(`{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"slow"}}`)
		<-rendering
		deaf := dial() // does not read its answer
		deaf.initialize()
		deaf.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		gone := dial() // has gone before
		gone.initialize()
		require.NoError(t, gone.conn.Close())

		synctest.Wait() // for all to be as their comments say
		begin := time.Now()
		cancel()
		require.NoError(t, <-ended)
		assert.Zero(t, time.Since(begin), "nothing had to be waited for")
		_, err = idle.receive()
		assert.Equal(t, io.EOF, err)
	})
}

// A listener that fails ends its connections too.
func TestListenerFails(t *testing.T) {
	t.Parallel()
	path := socket(t)
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- serve(t.Context(), l, registry(), slog.New(slog.DiscardHandler)) }()
	conn, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer conn.Close()
	c := &client{t: t, conn: conn}
	c.initialize()
	c.list() // its answer says that the server has read everything
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, net.ErrClosed)
	_, err = c.receive()
	assert.Equal(t, io.EOF, err)
}

// The program itself, as a server and as the bridge to it.
func TestProgram(t *testing.T) {
	t.Parallel()
	path := socket(t)
	server := program(t, "-listen", path)
	log, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	line, err := bufio.NewReader(log).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "listening")

	bridge := program(t, "-connect", path)
	bridge.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"code_review","arguments":{"code":"x"}}}
`)
	answers, err := bridge.Output()
	require.NoError(t, err)
	lines := strings.Split(string(answers), "\n")
	require.Len(t, lines, 3, "two answers, each with its newline")
	assert.Contains(t, lines[0], `"id":1,"result"`)
	assert.Contains(t, lines[1], `"id":2,"result"`)

	out, err := program(t).CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "set -listen or -connect")

	if runtime.GOOS == "windows" { // a process cannot be sent os.Interrupt
		require.NoError(t, server.Process.Kill())
		_ = server.Wait()
		return
	}
	require.NoError(t, server.Process.Signal(os.Interrupt))
	assert.NoError(t, server.Wait())
	_, err = os.Stat(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
