package mcpgo_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

const refusal = `{"code":-32602,"message":"invalid arguments for prompt \"strict\": n is required","data":{"prompt":"strict","problems":[{"argument":"n","reason":"missing","message":"is required"}]}}`

// strictServer has a prompt that wants an argument, and one that tells progress
// before it fails.
func strictServer(t *testing.T, options ...server.ServerOption) *server.MCPServer {
	s := server.NewMCPServer("s", "1", options...)
	strict := says("strict", "x")
	strict.Arguments = []prompts.Argument{{Name: "n", Required: true, Complete: func(context.Context, string, map[string]string) ([]string, error) {
		return nil, &prompts.Error{Code: prompts.CodeInvalidParams, Message: "nothing to complete", Data: []int{1}}
	}}}
	var r prompts.Registry
	r.MustAdd(strict, says("a", "[prompts-error:00000000000000000000000000000000]"),
		prompts.Prompt{Name: "late", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "")
			return nil, &prompts.Error{Code: -1, Message: "own", Data: map[string]any{"k": "v"}}
		}})
	mount(t, s, &r, prompts.Options{})
	s.AddPrompt(mcp.NewPrompt("own"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, io.ErrUnexpectedEOF
	})
	return s
}

func post(t *testing.T, url, version, session, body string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if version != "" {
		request.Header.Set("MCP-Protocol-Version", version)
	}
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	if version == stateless {
		var message struct {
			Method string
			Params struct{ Name string }
		}
		require.NoError(t, json.Unmarshal([]byte(body), &message))
		request.Header.Set("Mcp-Method", message.Method)
		request.Header.Set("Mcp-Name", message.Params.Name)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

// errorOf returns the error of a response, which may be an event.
func errorOf(t *testing.T, body string) string {
	t.Helper()
	for line := range strings.Lines(body) {
		line = strings.TrimPrefix(line, "data: ")
		var response struct{ Error json.RawMessage }
		if json.Unmarshal([]byte(line), &response) == nil && response.Error != nil {
			return string(response.Error)
		}
	}
	return ""
}

func TestErrorsOverHTTP(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(mcpgo.ErrorHandler(server.NewStreamableHTTPServer(strictServer(t))))
	t.Cleanup(web.Close)
	response, _ := post(t, web.URL, "", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	session := response.Header.Get("Mcp-Session-Id")
	require.NotEmpty(t, session)

	_, body := post(t, web.URL, "2025-11-25", session, `{"jsonrpc":"2.0","id":"x","method":"prompts/get","params":{"name":"strict"}}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"x","error":`+refusal+`}`, body)

	_, body = post(t, web.URL, "2025-11-25", session, `{"jsonrpc":"2.0","id":"n","method":"prompts/get","params":{"name":"strict","arguments":{"n":1}}}`)
	assert.JSONEq(t, `{"code":-32602,"message":"n: must be a JSON string","data":{"prompt":"strict",`+
		`"problems":[{"argument":"n","reason":"not_string","message":"must be a JSON string"}]}}`, errorOf(t, body), "GAP-20")
	_, body = post(t, web.URL, "2025-11-25", session, `{"jsonrpc":"2.0","id":"n","method":"prompts/get","params":{"name":"strict","arguments":{"n":null}}}`)
	assert.JSONEq(t, refusal, errorOf(t, body), "GAP-18")

	response, body = post(t, web.URL, "2025-11-25", session, `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"late","_meta":{"progressToken":1}}}`)
	assert.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	assert.JSONEq(t, `{"code":-1,"message":"own","data":{"k":"v"}}`, errorOf(t, body), "in a stream")

	_, body = post(t, web.URL, "2025-11-25", session, `{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"own"}}`)
	assert.JSONEq(t, `{"code":-32603,"message":"unexpected EOF"}`, errorOf(t, body), "the author's own")

	_, body = post(t, web.URL, "2025-11-25", session, `{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"a"}}`)
	assert.Contains(t, body, "[prompts-error:00000000000000000000000000000000]", "a result that looks like one")

	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	response, body = post(t, web.URL, stateless, "", `{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"strict",`+meta+`}}`)
	assert.JSONEq(t, refusal, errorOf(t, body))
	assert.Equal(t, http.StatusOK, response.StatusCode, "GAP-11")
	response, body = post(t, web.URL, stateless, "", `{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"a",`+meta+`}}`)
	assert.Contains(t, body, `"complete"`)
	assert.Equal(t, http.StatusOK, response.StatusCode)
}

// The library's own server and the mount send an error with the same status.
func TestStatusOfErrors(t *testing.T) {
	t.Parallel()
	statuses := map[transport.Code]int{transport.CodeInvalidParams: 200, -1: 200, 0: 200}
	var r prompts.Registry
	for code := range statuses {
		r.MustAdd(prompts.Prompt{Name: "p" + strconv.Itoa(int(code)), Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return nil, &prompts.Error{Code: code, Message: "fails"}
		}})
	}
	statuses[transport.CodeMissingCapability] = http.StatusBadRequest
	r.MustAdd(prompts.Prompt{Name: "p" + strconv.Itoa(int(transport.CodeMissingCapability)), Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		_, err := prompts.Elicit[struct{ Name string }](ctx, "name", "Your name?")
		return nil, err
	}})
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	const request = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p%d","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	own, err := streamablehttp.NewHandler(prompts.MustNewServer(&r, prompts.Options{}), streamablehttp.Options{})
	require.NoError(t, err)
	for how, handler := range map[string]http.Handler{
		"own":   own,
		"mount": mcpgo.ErrorHandler(server.NewStreamableHTTPServer(s)),
	} {
		web := httptest.NewServer(handler)
		t.Cleanup(web.Close)
		for code, status := range statuses {
			response, body := post(t, web.URL, stateless, "", fmt.Sprintf(request, code))
			assert.Equal(t, status, response.StatusCode, "%s: %d: %s", how, code, body)
			assert.Contains(t, errorOf(t, body), fmt.Sprintf(`"code":%d`, cmp.Or(code, transport.CodeInternalError)))
		}
	}
}

func TestErrorsOverStdio(t *testing.T) {
	// Not parallel: the SDK has one session for standard input and output.
	// An author's middleware may wrap an error.
	s := strictServer(t, server.WithPromptHandlerMiddleware(func(next server.PromptHandlerFunc) server.PromptHandlerFunc {
		return func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			result, err := next(ctx, r)
			if err != nil && r.Params.Name == "strict" {
				err = &wrapped{err}
			}
			return result, err
		}
	}))
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcpgo.ListenStdio(t.Context(), server.NewStdioServer(s), in, out) }()
	lines := bufio.NewScanner(fromServer)
	exchange := func(message string) string {
		_, err := io.WriteString(toServer, message+"\n")
		require.NoError(t, err)
		require.True(t, lines.Scan())
		return lines.Text()
	}
	exchange(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":2,"error":`+refusal+`}`, exchange(`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"strict"}}`))
	assert.JSONEq(t, `{"code":-32603,"message":"unexpected EOF"}`, errorOf(t, exchange(`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"own"}}`)))
	assert.JSONEq(t, `{"code":-32602,"message":"nothing to complete","data":[1]}`, errorOf(t, exchange(`{"jsonrpc":"2.0","id":4,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"strict"},"argument":{"name":"n","value":""}}}`)))
	require.NoError(t, toServer.Close())
	require.NoError(t, <-ended)
}

// Over the older transport an answer comes in another response than that of its
// request.
func TestErrorsOverSSE(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(mcpgo.ErrorHandler(server.NewSSEServer(strictServer(t))))
	t.Cleanup(web.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/sse", nil)
	require.NoError(t, err)
	stream, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	data := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		t.Fatal("the stream has ended")
		return ""
	}
	endpoint := data()
	if strings.HasPrefix(endpoint, "/") {
		endpoint = web.URL + endpoint
	}
	for _, step := range []struct{ send, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"strict"}}`, refusal},
		{`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"late"}}`, `{"code":-1,"message":"own","data":{"k":"v"}}`},
	} {
		post(t, endpoint, "", "", step.send)
		if got := data(); step.want != "" {
			assert.JSONEq(t, step.want, errorOf(t, got))
		}
	}
}

// session shakes hands over HTTP, and returns the session's id.
func session(t *testing.T, url string) string {
	t.Helper()
	response, _ := post(t, url, "", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	id := response.Header.Get("Mcp-Session-Id")
	require.NotEmpty(t, id)
	return id
}

// What is between the handler and the SDK's may have said how long the answer is.
func TestErrorOfAnotherLength(t *testing.T) {
	t.Parallel()
	next := server.NewStreamableHTTPServer(strictServer(t))
	web := httptest.NewServer(mcpgo.ErrorHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole := httptest.NewRecorder()
		next.ServeHTTP(whole, r)
		maps.Copy(w.Header(), whole.Header())
		w.Header().Set("Content-Length", strconv.Itoa(whole.Body.Len()))
		w.WriteHeader(whole.Code)
		_, _ = w.Write(whole.Body.Bytes())
	})))
	t.Cleanup(web.Close)
	_, body := post(t, web.URL, "2025-11-25", session(t, web.URL), `{"jsonrpc":"2.0","id":"x","method":"prompts/get","params":{"name":"strict"}}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"x","error":`+refusal+`}`, body)
}

// An end of time that the author's middleware has set is an error like any other:
// the client has cancelled nothing.
func TestDeadlineOfMiddleware(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithPromptHandlerMiddleware(func(next server.PromptHandlerFunc) server.PromptHandlerFunc {
		return func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			return next(ctx, r)
		}
	}))
	var r prompts.Registry
	r.MustAdd(prompts.Prompt{Name: "slow", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	mount(t, s, &r, prompts.Options{})
	web := httptest.NewServer(mcpgo.ErrorHandler(server.NewStreamableHTTPServer(s)))
	t.Cleanup(web.Close)
	_, body := post(t, web.URL, "2025-11-25", session(t, web.URL), `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"slow"}}`)
	assert.JSONEq(t, `{"code":-32603,"message":"context deadline exceeded"}`, errorOf(t, body))
}

// unwrapped is a ResponseWriter that can be flushed by http.ResponseController
// only.
type unwrapped struct{ http.ResponseWriter }

func (u unwrapped) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// The status is the first that was written, however that came about.
func TestStatusIsKept(t *testing.T) {
	t.Parallel()
	flush := func(w http.ResponseWriter) { assert.NoError(t, http.NewResponseController(w).Flush()) }
	for name, write := range map[string]func(http.ResponseWriter){
		"alone":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot) },
		"twice":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot); w.WriteHeader(http.StatusOK) },
		"early":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusEarlyHints); w.WriteHeader(http.StatusTeapot) },
		"flushed":    func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot); flush(w) },
		"with text":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot); _, _ = io.WriteString(w, "text") },
		"controlled": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot); flush(unwrapped{w}) },
	} {
		t.Run(name, func(t *testing.T) {
			handler := mcpgo.ErrorHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w) }))
			for _, handler := range []http.Handler{handler, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				handler.ServeHTTP(unwrapped{w}, r)
			})} {
				web := httptest.NewServer(handler)
				t.Cleanup(web.Close)
				response, err := web.Client().Get(web.URL)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				assert.Equal(t, http.StatusTeapot, response.StatusCode)
			}
		})
	}
}

type wrapped struct{ err error }

func (w *wrapped) Error() string { return "wrapped: " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }

// A request that was cancelled has no answer.
func TestCancelledHasNoAnswer(t *testing.T) {
	s := server.NewMCPServer("s", "1")
	var r prompts.Registry
	r.MustAdd(says("a", "a"), prompts.Prompt{Name: "slow", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "")
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	mount(t, s, &r, prompts.Options{})
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	t.Run("stdio", func(t *testing.T) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- mcpgo.ListenStdio(t.Context(), server.NewStdioServer(s), in, out) }()
		lines := bufio.NewScanner(fromServer)
		for _, step := range []struct{ send, want string }{
			{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"id":1`},
			{`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"slow","_meta":{"progressToken":1}}}`, "progress"},
			{cancel + "\n" + `{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"a"}}`, `"id":3`},
		} {
			_, err := io.WriteString(toServer, step.send+"\n")
			require.NoError(t, err)
			require.True(t, lines.Scan())
			assert.Contains(t, lines.Text(), step.want)
		}
		rest := make(chan bool, 1)
		go func() { rest <- lines.Scan() }()
		require.NoError(t, toServer.Close())
		require.NoError(t, <-ended)
		require.NoError(t, out.Close())
		assert.False(t, <-rest, "%s", lines.Text())
	})
	t.Run("HTTP", func(t *testing.T) {
		web := httptest.NewServer(mcpgo.ErrorHandler(server.NewStreamableHTTPServer(s)))
		t.Cleanup(web.Close)
		response, _ := post(t, web.URL, "", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		session := response.Header.Get("Mcp-Session-Id")
		for _, meta := range []string{``, `,"_meta":{"progressToken":1}`} {
			// The request is there as soon as it can be cancelled.
			answered := make(chan string, 1)
			go func() {
				response, body := post(t, web.URL, "2025-11-25", session, `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"slow"`+meta+`}}`)
				answered <- response.Status + body
			}()
			var answer string
			require.Eventually(t, func() bool {
				post(t, web.URL, "2025-11-25", session, cancel)
				select {
				case answer = <-answered:
					return true
				default:
					return false
				}
			}, timeout, time.Millisecond)
			assert.NotContains(t, answer, `"id":2`)
			if meta == "" {
				assert.Equal(t, "202 Accepted", answer)
			} else {
				assert.NotContains(t, answer, "event: message\n\n")
			}
		}
	})
}
