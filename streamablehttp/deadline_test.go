package streamablehttp

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A body that does not come is refused, whatever the time to read it and the
// time to write are.
func TestRefusalOfSlowBodyArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{})
		c, err := p.http.Listener.(*pipes).dial(t.Context(), "", "")
		require.NoError(t, err)
		defer c.Close()
		_, err = fmt.Fprint(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		require.NoError(t, err)
		begin := time.Now()
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode)
		assert.Equal(t, defaultReadTimeout, time.Since(begin))
	})
}

// What was long in coming is accepted like anything else.
func TestLateBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{ReadTimeout: time.Minute, WriteTimeout: 10 * time.Second})
		h := p.session("2025-11-25")
		for _, test := range []struct {
			body   string
			status int
		}{{initialized, http.StatusAccepted}, {listBody, http.StatusOK}, {"{", http.StatusBadRequest}} {
			c, err := p.http.Listener.(*pipes).dial(t.Context(), "", "")
			require.NoError(t, err)
			r := p.request(http.MethodPost, test.body, h)
			body, late := io.Pipe()
			r.Body, r.ContentLength = body, int64(len(test.body))
			go func() {
				time.Sleep(20 * time.Second)
				_, _ = io.WriteString(late, test.body)
				_ = late.Close()
			}()
			require.NoError(t, r.Write(c))
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err, test.body)
			assert.Equal(t, test.status, response.StatusCode)
			require.NoError(t, c.Close())
		}
	})
}

// A stream that has been quiet for longer than a write may take ends as one
// that has not.
func TestEndAfterQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{KeepAlive: -1})
		h := p.session("2025-11-25")
		response, err := p.http.Client().Do(p.request(http.MethodGet, "", h))
		require.NoError(t, err)
		defer response.Body.Close()
		time.Sleep(2 * defaultWriteTimeout)
		ended := make(chan reply, 1)
		go func() { ended <- p.send(http.MethodDelete, "", h) }()
		body, err := io.ReadAll(response.Body)
		assert.NoError(t, err)
		assert.Equal(t, ":\n\n", string(body))
		assert.Equal(t, http.StatusNoContent, (<-ended).status)
	})
}

// A stream lasts longer than a body may take, even if what runs before the handler has
// replaced the empty body of the request.
func TestStreamWithReplacedBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlaceOf(t, prompts.Options{}, Options{KeepAlive: -1}, func(s *httptest.Server) {
			s.Config.Handler = http.MaxBytesHandler(s.Config.Handler, 1<<20)
		})
		h := p.session("2025-11-25")
		get := p.open(http.MethodGet, "", h)
		time.Sleep(defaultReadTimeout + time.Second)
		p.change("a")
		assert.Equal(t, changed, get.next())
		assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
		get.end()
	})
}

// Over HTTP/2 a stream, and a request, may take longer than a write.
func TestHTTP2Deadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPipePlaceIn(t, true, prompts.Options{}, Options{WriteTimeout: time.Second, KeepAlive: -1})
		h := p.session("2025-11-25")
		get := p.open(http.MethodGet, "", h)
		assert.Equal(t, 2, get.response.ProtoMajor)
		body, mirror := modernGet("wait")
		waiting := make(chan reply, 1)
		go func() { waiting <- p.post(body, mirror.with("Accept", "application/json")) }()
		await(t, p.started)
		time.Sleep(3 * time.Second)
		close(p.release)
		r := await(t, waiting)
		assert.Equal(t, http.StatusOK, r.status)
		assert.Contains(t, r.body, "released")
		p.change("a")
		assert.Equal(t, changed, get.next())
		time.Sleep(3 * time.Second)
		assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
		get.end()
	})
}

// A notification called initialize opens no session.
func TestInitializeNotification(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	r := p.post(`{"jsonrpc":"2.0","method":"initialize"}`, nil)
	assert.Equal(t, http.StatusBadRequest, r.status)
	assert.Equal(t, -32600, r.code())
	assert.Empty(t, r.header.Get(headerSession))
}

// All invalid options are reported at once.
func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	o := Options{
		MaxSessions: -1, MaxSessionsPerClient: -2, MaxStreams: -3, MaxStreamsPerClient: -4,
		AllowedOrigins: []string{"https://a.example", "b.example", "app://c.example", "null", "*", "chrome-extension://*", "file://", "tauri://localhost/"},
		AllowedHosts:   []string{"a.example", "[::1]:80", "https://b.example", "c.example/mcp", ""},
	}
	_, err := NewHandler(reviewServer(), o)
	assert.EqualError(t, err, `streamablehttp: options: MaxSessions must not be negative, got -1
MaxSessionsPerClient must not be negative, got -2
MaxStreams must not be negative, got -3
MaxStreamsPerClient must not be negative, got -4
AllowedOrigins must be of the form https://app.example.org or chrome-extension://ID, got "b.example"
AllowedOrigins must be of the form https://app.example.org or chrome-extension://ID, got "null"
AllowedOrigins must be of the form https://app.example.org or chrome-extension://ID, got "*"
AllowedOrigins must be of the form https://app.example.org or chrome-extension://ID, got "chrome-extension://*"
AllowedOrigins must be of the form https://app.example.org or chrome-extension://ID, got "file://"
AllowedOrigins must be of the form https://app.example.org or chrome-extension://ID, got "tauri://localhost/"
AllowedHosts must be of the form mcp.example.org or mcp.example.org:8443, got "https://b.example"
AllowedHosts must be of the form mcp.example.org or mcp.example.org:8443, got "c.example/mcp"
AllowedHosts must be of the form mcp.example.org or mcp.example.org:8443, got ""`)
	assert.PanicsWithError(t, err.Error(), func() { MustNewHandler(reviewServer(), o) })
	assert.EqualError(t, ListenAndServe(t.Context(), "127.0.0.1:0", reviewServer(), o), err.Error())
	_, err = NewHandler(nil, Options{})
	assert.EqualError(t, err, "streamablehttp: NewHandler: server is nil")
}
