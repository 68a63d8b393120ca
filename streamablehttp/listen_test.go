package streamablehttp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

func helloServer() *prompts.Server { return helloServerOf(prompts.Options{}) }

func helloServerOf(o prompts.Options) *prompts.Server {
	var reg prompts.Registry
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "hello"}, func(context.Context, struct{}) (string, error) { return "Say hello.", nil }))
	return prompts.MustNewServer(&reg, o)
}

// One call serves at /mcp until ctx ends: open streams end, and the error is nil.
func TestServeUntilContextEnds(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	var log bytes.Buffer // written before the reply
	srv := helloServerOf(prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	go func() { served <- streamablehttp.Serve(ctx, l, srv, streamablehttp.Options{}) }()

	send := func(path, body string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+path, strings.NewReader(body))
		require.NoError(t, err)
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for _, path := range []string{"/", "/mcp/", "/mcp/other"} {
		response := send(path, listen)
		assert.Equal(t, http.StatusNotFound, response.StatusCode)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, "path not found; the MCP endpoint is /mcp\n", string(body))
		assert.Contains(t, log.String(), fmt.Sprintf("level=INFO msg=\"HTTP path not found\" method=POST path=%s endpoint=/mcp\n", path))
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+"/mcp", nil)
	require.NoError(t, err)
	request.Header.Set("X-Long", strings.Repeat("x", 64<<10))
	long, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	_ = long.Body.Close()
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, long.StatusCode)

	response := send("/mcp", listen)
	require.Equal(t, http.StatusOK, response.StatusCode)
	stream := bufio.NewReader(response.Body)
	line, err := stream.ReadString('\n')
	require.NoError(t, err)
	assert.NotEmpty(t, line, "the subscription is acknowledged")
	stop()
	rest, err := io.ReadAll(stream)
	require.NoError(t, err, "the stream has an end")
	assert.Contains(t, string(rest), `"id":1`, "the subscription is answered")
	http.DefaultClient.CloseIdleConnections()
	assert.NoError(t, <-served)
}

// A connection ends after two minutes without a request; a request that does not end
// delays the end by eleven seconds.
func TestServeTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- streamablehttp.Serve(ctx, l, helloServer(), streamablehttp.Options{}) }()
		dial := func() net.Conn {
			near, far := net.Pipe()
			l.conns <- far
			return near
		}
		begin, idle := time.Now(), dial()
		_, err := io.WriteString(idle, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		_, err = io.ReadAll(idle)
		require.NoError(t, err)
		assert.Equal(t, 2*time.Minute, time.Since(begin))

		stuck := dial()
		_, err = io.WriteString(stuck, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n")
		require.NoError(t, err)
		synctest.Wait()
		begin = time.Now()
		stop()
		assert.ErrorIs(t, <-served, context.DeadlineExceeded)
		assert.Equal(t, 11*time.Second, time.Since(begin))
		_ = stuck.Close()
		time.Sleep(time.Minute) // net/http waits before it closes a connection
	})
}

// A request that is cut off at the end gets its error response before the connection
// is closed.
func TestServeAnswersWhatItCuts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg prompts.Registry
		reg.MustAdd(prompts.Prompt{Name: "wait", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() {
			served <- streamablehttp.Serve(ctx, l, prompts.MustNewServer(&reg, prompts.Options{}), streamablehttp.Options{})
		}()
		near, far := net.Pipe()
		l.conns <- far
		const get = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"wait","_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(get))
		require.NoError(t, err)
		for name, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28",
			"Mcp-Method": "prompts/get", "Mcp-Name": "wait"} {
			request.Header.Set(name, value)
		}
		require.NoError(t, request.Write(near))
		synctest.Wait()
		stop()
		response, err := http.ReadResponse(bufio.NewReader(near), request)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		assert.Contains(t, string(body), "server is shutting down")
		assert.ErrorIs(t, <-served, context.DeadlineExceeded)
	})
}

// pipeListener is a listener whose connections are in the bubble of a test.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func TestListenAndServeErrors(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	assert.Error(t, streamablehttp.ListenAndServe(t.Context(), l.Addr().String(), helloServer(), streamablehttp.Options{}), "the address is taken")
	require.NoError(t, l.Close())
	assert.Error(t, streamablehttp.Serve(t.Context(), l, helloServer(), streamablehttp.Options{}), "the listener is closed")
}

// temporarily is a listener whose first Accept fails as if too many files were open.
type temporarily struct {
	net.Listener
	failed bool
}

func (l *temporarily) Accept() (net.Conn, error) {
	if !l.failed {
		l.failed = true
		return nil, temporaryError{}
	}
	return l.Listener.Accept()
}

type temporaryError struct{}

func (temporaryError) Error() string   { return "too many open files" }
func (temporaryError) Timeout() bool   { return false }
func (temporaryError) Temporary() bool { return true }

// What net/http reports goes to the logger of the server, and not to standard error.
func TestServeLogsErrorsOfHTTP(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	log, w := io.Pipe()
	srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: slog.New(slog.NewTextHandler(w, nil))})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- streamablehttp.Serve(ctx, &temporarily{Listener: l}, srv, streamablehttp.Options{}) }() // ends with ctx
	line, err := bufio.NewReader(log).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, `level=WARN msg="HTTP server error" error="http: Accept error: too many open files`)
	stop()
	assert.NoError(t, <-served)
}
