package streamablehttp

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// newPipePlaceIn is newPipePlaceOf over HTTP/1 or HTTP/2. connections counts those that
// have been made.
func newPipePlaceIn(t *testing.T, isHTTP2 bool, own prompts.Options, o Options, change ...func(*httptest.Server)) (p *place, connections *atomic.Int32) {
	t.Helper()
	connections = new(atomic.Int32)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!isHTTP2)
	protocols.SetUnencryptedHTTP2(isHTTP2)
	p = newPipePlaceOf(t, own, o, append(change, func(s *httptest.Server) {
		s.Config.Protocols = protocols
		countConnections(s, connections)
	})...)
	transport := p.http.Client().Transport.(*http.Transport)
	transport.Protocols = protocols
	transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10}
	// The client opens another connection if it does not know yet that the first is ready.
	if isHTTP2 {
		response, err := p.http.Client().Head(p.http.URL)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		synctest.Wait()
	}
	return p, connections
}

func countConnections(s *httptest.Server, connections *atomic.Int32) {
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
}

// newHTTP2Place is newPlace over HTTP/2. connections counts those that have been
// made.
func newHTTP2Place(t *testing.T, o Options) (p *place, connections *atomic.Int32) {
	t.Helper()
	connections = new(atomic.Int32)
	return newPlace(t, o, func(s *httptest.Server) {
		s.EnableHTTP2 = true
		countConnections(s, connections)
	}), connections
}

// A session and the stateless era, with all their streams, on one connection.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	p, connections := newHTTP2Place(t, Options{})
	h := p.session("2025-11-25")
	get := p.open(http.MethodGet, "", h)
	assert.Equal(t, 2, get.response.ProtoMajor)
	listen := p.open(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
	assert.Contains(t, listen.next(), "acknowledged")
	p.change("a")
	assert.Equal(t, changed, get.next())
	assert.Contains(t, listen.next(), "list_changed")

	body, mirror := modernGet("progress")
	for _, r := range []reply{p.post(oldGet("1", "progress"), h), p.post(body, mirror)} {
		assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
		if all := r.events(); assert.Len(t, all, 2, r.body) {
			assert.Contains(t, all[0], `"method":"notifications/progress"`)
			assert.Contains(t, all[1], "done")
		}
	}
	r := p.post(body, mirror.with("Accept", "application/json"))
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))

	second := p.open(http.MethodGet, "", h)
	p.change("b")
	assert.Equal(t, changed, second.next())
	assert.Contains(t, listen.next(), "list_changed")
	assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
	get.end()
	second.end()
	require.NoError(t, p.handler.Shutdown(t.Context()))
	assert.Contains(t, listen.next(), `"result"`)
	listen.end()
	assert.Equal(t, int32(1), connections.Load())
}

// CAN-04, HTN-12: a stream that is reset is a client that has gone.
func TestHTTP2Disconnect(t *testing.T) {
	t.Parallel()
	p, connections := newHTTP2Place(t, Options{})
	body, mirror := modernGet("wait")
	other := p.open(http.MethodPost, body, mirror)
	await(t, p.started)
	s := p.open(http.MethodPost, body, mirror)
	await(t, p.started)
	s.cancel()
	assert.Error(t, await(t, p.ended))
	close(p.release) // the other one is worked on
	assert.Contains(t, other.next(), "progress")
	assert.Contains(t, other.next(), "released")
	other.end()
	assert.Equal(t, int32(1), connections.Load())
}

// A request at fault is refused, and the connection goes on serving others.
func TestHTTP2Body(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, connections := newPipePlaceIn(t, true, prompts.Options{}, Options{ReadTimeout: time.Second})
		get := p.open(http.MethodGet, "", p.session("2025-11-25"))
		body, mirror := modernGet("text")
		reader, writer := io.Pipe()
		t.Cleanup(func() { _ = writer.Close() })
		go func() { _, _ = io.WriteString(writer, `{"jsonrpc":`) }() // ends with the test
		slow := p.request(http.MethodPost, body, mirror)
		slow.Body, slow.ContentLength = reader, -1
		assert.Equal(t, http.StatusBadRequest, p.do(slow).status)
		assert.Equal(t, http.StatusOK, p.post(body, mirror).status)

		large := p.post(strings.Repeat(" ", 4<<20+1), mirror)
		assert.Equal(t, http.StatusRequestEntityTooLarge, large.status)
		assert.Empty(t, large.header.Get("Connection"))
		assert.Equal(t, http.StatusOK, p.post(body, mirror).status)

		p.change("a")
		assert.Equal(t, changed, get.next())
		assert.Equal(t, int32(1), connections.Load())
	})
}

// The WriteTimeout of the http.Server does not limit the time of a request.
func TestServerWriteTimeout(t *testing.T) {
	t.Parallel()
	for name, isHTTP2 := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, _ := newPipePlaceIn(t, isHTTP2, prompts.Options{}, Options{}, func(s *httptest.Server) { s.Config.WriteTimeout = time.Second })
				p.registry.MustAdd(prompts.Prompt{Name: "slow", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
					time.Sleep(10 * time.Second)
					return prompts.Messages(prompts.User("done")), nil
				}})
				body, mirror := modernGet("slow")
				assert.Contains(t, p.post(body, mirror).body, "done")
			})
		})
	}
}

// A client that does not read one of its streams loses that one.
func TestHTTP2Unread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Comments keep the other stream from being one that is not written to.
		p, connections := newPipePlaceIn(t, true, prompts.Options{}, Options{WriteTimeout: time.Second, KeepAlive: 50 * time.Millisecond})
		big := strings.Repeat("x", 1<<20)
		require.NoError(t, p.registry.Set(prompts.Prompt{Name: "big", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(big)), nil
		}}))
		get := p.open(http.MethodGet, "", p.session("2025-11-25"))
		body, mirror := modernGet("big")
		unread, err := p.http.Client().Do(p.request(http.MethodPost, body, mirror))
		require.NoError(t, err)
		defer unread.Body.Close()
		body, mirror = modernGet("text")
		assert.Equal(t, http.StatusOK, p.post(body, mirror).status)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, 1, p.underWay())
		_, err = io.Copy(io.Discard, unread.Body)
		assert.Error(t, err, "it is not all of it")
		p.change("a")
		assert.Equal(t, changed, get.message())
		assert.Equal(t, int32(1), connections.Load())
	})
}

// A request over HTTP/2 counts as one, as others do, and an author's code that
// outlives the answer does not count.
func TestHTTP2Room(t *testing.T) {
	t.Parallel()
	p, _ := newHTTP2Place(t, Options{MaxStreams: 2})
	body, mirror := modernGet("wait")
	streams := []*openStream{p.open(http.MethodPost, body, mirror), p.open(http.MethodPost, body, mirror)}
	for range streams {
		await(t, p.started)
	}
	assert.Equal(t, http.StatusServiceUnavailable, p.post(body, mirror).status)
	close(p.release)
	for _, s := range streams {
		assert.Contains(t, s.next(), "progress")
		assert.Contains(t, s.next(), "released")
		s.end()
	}
	body, mirror = modernGet("text")
	assert.Eventually(t, func() bool { return p.post(body, mirror).status == http.StatusOK }, patience, time.Millisecond)
}
