package streamablehttp

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

func (p *place) change(name string) {
	p.t.Helper()
	require.NoError(p.t, p.registry.Set(prompts.Prompt{Name: name, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("x")), nil
	}}))
}

const changed = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

// LCH-07, HTO-18 to HTO-22, GAP-28: a change is told on one stream, the newest that
// is open, or on the next one to be opened. The others stay open.
func TestChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{})
		h := p.session("2025-11-25")
		p.change("a") // nobody listens
		p.change("b")
		first := p.open(http.MethodGet, "", h)
		assert.Equal(t, "no", first.response.Header.Get("X-Accel-Buffering"))
		assert.Equal(t, changed, first.next())
		p.change("c")
		assert.Equal(t, changed, first.next())
		second := p.open(http.MethodGet, "", h.with("Last-Event-Id", "1"))
		p.change("d")
		assert.Equal(t, changed, second.next())
		third := p.open(http.MethodGet, "", h)
		p.change("d2")
		assert.Equal(t, changed, third.next())
		third.cancel()
		require.Eventually(t, func() bool { return p.underWay() == 2 }, patience, time.Millisecond)
		p.change("d3")
		assert.Equal(t, changed, second.next()) // again

		// Neither does a request's own stream tell of it.
		request := p.open(http.MethodPost, oldGet("1", "wait"), h)
		assert.Contains(t, request.next(), "progress")
		p.change("e")
		assert.Equal(t, changed, second.next())
		close(p.release)
		assert.Contains(t, request.next(), "released")
		request.end()

		// A new session has heard of all that.
		other := p.open(http.MethodGet, "", p.session("2025-11-25"))
		p.change("f")
		assert.Equal(t, changed, other.next())
		assert.Equal(t, changed, second.next())
		require.NoError(t, p.handler.Close())
		other.end()
		first.end() // with nothing more
		second.end()
	})
}

// PRO-10, HTO-10 to HTO-14, HTO-33: the stream of a request in a session.
func TestSessionReply(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-03-26")
	r := p.post(oldGet("1", "text"), h)
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
	r = p.post(oldGet("1", "progress"), h)
	assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
	if all := r.events(); assert.Len(t, all, 2, r.body) {
		assert.Contains(t, all[0], "progress")
		assert.Contains(t, all[1], "done")
	}
	r = p.post(oldGet("1", "text"), h.with("Accept", "text/event-stream"))
	assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
	assert.Len(t, r.events(), 1)
	r = p.post(oldGet("1", "progress"), h.with("Accept", "application/json"))
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
}

// SUB-15, SUB-16: listen is a stream, which is kept alive while it is quiet,
// and answered at the end.
func TestListen(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{KeepAlive: 20 * time.Millisecond})
	body, mirror := modernBody("subscriptions/listen", `"notifications":{"promptsListChanged":true},`), modernHeader("subscriptions/listen", "")
	s := p.open(http.MethodPost, body, mirror)
	const tag = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
	assert.Equal(t, "no", s.response.Header.Get("X-Accel-Buffering"))
	assert.Contains(t, s.message(), "acknowledged")
	assert.Equal(t, ":", s.next())
	p.change("a")
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{`+tag+`}}`, s.message())
	old := p.open(http.MethodGet, "", p.session("2025-11-25"))
	assert.Equal(t, ":", old.next())
	require.NoError(t, p.handler.Shutdown(t.Context()))
	assert.Contains(t, s.message(), `"result":{"resultType":"complete"`)
	s.end()
}

// A subscription for nothing ends at once, as a stream all the same.
func TestListenForNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	r := p.post(modernBody("subscriptions/listen", `"notifications":{},`), modernHeader("subscriptions/listen", "").with("Accept", "text/event-stream"))
	assert.Len(t, r.events(), 2, r.body)
	r = p.post(modernBody("subscriptions/listen", ""), modernHeader("subscriptions/listen", ""))
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
	assert.Equal(t, -32602, r.code())
}

// CAN-04, HTN-12, GAP-30: a client that goes cancels a stateless request,
// whether its reply is a stream or not.
func TestDisconnectCancels(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	body, mirror := modernGet("wait")
	s := p.open(http.MethodPost, body, mirror)
	await(t, p.started)
	s.cancel()
	assert.Error(t, await(t, p.ended))

	p.abort(body, mirror.with("Accept", "application/json"))
	assert.Error(t, await(t, p.ended))
}

// abort sends a request, and goes once it is worked on.
func (p *place) abort(body string, h header) {
	p.t.Helper()
	c, err := net.Dial("tcp", p.http.Listener.Addr().String())
	require.NoError(p.t, err)
	defer c.Close()
	require.NoError(p.t, p.request(http.MethodPost, body, h).Write(c))
	await(p.t, p.started)
}

// CAN-05, GAP-30: in a session it does not.
func TestDisconnectDoesNotCancel(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-11-25")
	s := p.open(http.MethodPost, oldGet("1", "wait"), h)
	await(t, p.started)
	s.cancel()
	p.abort(oldGet("2", "wait"), h.with("Accept", "application/json"))
	// Both are in flight still, after the server has had time to see it.
	select {
	case err := <-p.ended:
		assert.NoError(t, err, "it is cancelled")
	case <-time.After(100 * time.Millisecond):
	}
	for _, id := range []string{"1", "2"} {
		r := p.post(oldGet(id, "text"), h)
		assert.Equal(t, -32600, r.code(), "the id is in flight: %s", r.body)
	}
	close(p.release)
}

// GAP-29: a cancelled request of a session has a reply, but no answer.
func TestCancelled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-11-25")
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`
	for _, progress := range []bool{true, false} {
		replies := make(chan *openStream, 1)
		body := oldGet(`"a"`, "wait")
		if !progress {
			body = strings.Replace(body, "progressToken", "other", 1)
		}
		go func() { replies <- p.open(http.MethodPost, body, h) }()
		await(t, p.started)
		var s *openStream
		if progress {
			s = await(t, replies)
			assert.Contains(t, s.next(), "progress")
		}
		assert.Equal(t, http.StatusAccepted, p.post(cancel, p.session("2025-11-25")).status) // which is another's
		assert.Equal(t, http.StatusAccepted, p.post(cancel, h).status)
		assert.Error(t, await(t, p.ended))
		if !progress {
			s = await(t, replies)
			assert.Equal(t, ":", s.next())
		}
		s.end()
	}
}

// HTO-12: a question goes out on the stream of its request, and the answer
// comes by a request of its own.
func TestAsk(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-11-25")
	s := p.open(http.MethodPost, oldGet("1", "ask"), h)
	question := s.next()
	assert.Contains(t, question, `"method":"elicitation/create"`)
	id := regexp.MustCompile(`"id":("[^"]*"|\d+)`).FindStringSubmatch(question)
	require.NotNil(t, id, question)
	reply := `{"jsonrpc":"2.0","id":` + id[1] + `,"result":{"action":"accept","content":{"name":"Ada"}}}`
	assert.Equal(t, http.StatusAccepted, p.post(reply, p.session("2025-11-25")).status) // of somebody else
	assert.Equal(t, http.StatusAccepted, p.post(reply, h).status)
	assert.Contains(t, s.next(), "hello Ada")
	s.end()

	// There is no way to ask a client that takes one object.
	r := p.post(oldGet("1", "ask"), h.with("Accept", "application/json"))
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
	assert.Contains(t, r.body, `"error"`)
}

// HTN-08, MRT-30: without a session, a question is the answer.
func TestAskStateless(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	body, mirror := modernGet("ask")
	body = strings.Replace(body, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
	r := p.post(body, mirror.with("Accept", "text/event-stream"))
	all := r.events()
	require.Len(t, all, 1, r.body)
	assert.Contains(t, all[0], `"resultType":"input_required"`)
}

// Streams outlive the deadlines of the http.Server, which are for requests.
func TestStreamsOutliveDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlaceOf(t, prompts.Options{}, Options{KeepAlive: -1}, func(s *httptest.Server) {
			s.Config.ReadTimeout, s.Config.WriteTimeout = time.Minute, time.Minute
		})
		get := p.open(http.MethodGet, "", p.session("2025-11-25"))
		listen := p.open(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
		assert.Contains(t, listen.next(), "acknowledged")
		time.Sleep(time.Hour)
		p.change("a")
		assert.Equal(t, changed, get.next())
		assert.Contains(t, listen.next(), "list_changed")
	})
}

// A client that does not read is cut off, and costs nobody else anything.
func TestUnreadStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{WriteTimeout: time.Minute, MaxStreams: 2})
		body, mirror := modernGet("text")
		c, err := p.http.Listener.(*pipes).dial(t.Context(), "", "")
		require.NoError(t, err)
		defer c.Close()
		require.NoError(t, p.request(http.MethodPost, body, mirror.with("Accept", "application/json")).Write(c))
		synctest.Wait()
		assert.Equal(t, 1, p.underWay())
		assert.Equal(t, http.StatusOK, p.post(body, mirror).status)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Zero(t, p.underWay())
	})
}

// The next request beyond the bound is refused, and room is made again.
func TestMaxStreams(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{MaxStreams: 3})
	body, mirror := modernBody("subscriptions/listen", `"notifications":{"promptsListChanged":true},`), modernHeader("subscriptions/listen", "")
	var open []*openStream
	for range 3 {
		open = append(open, p.open(http.MethodPost, body, mirror))
	}
	for range 20 {
		r := p.post(body, mirror)
		assert.Equal(t, http.StatusServiceUnavailable, r.status)
	}
	open[0].cancel()
	get, mirror := modernGet("text")
	assert.Eventually(t, func() bool { return p.post(get, mirror).status == http.StatusOK }, patience, time.Millisecond)
	p.change("a")
	for _, s := range open[1:] {
		assert.Contains(t, s.next(), "acknowledged")
		assert.Contains(t, s.next(), "list_changed")
	}
}

// GAP-07, HTO-31, CPT-07: without sessions, a handshake client is served by its version.
func TestNoSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{DisableSessions: true})
	r := p.post(initializeBody("2025-06-18"), nil)
	assert.Contains(t, r.body, `"protocolVersion":"2025-06-18"`)
	assert.NotContains(t, r.body, "listChanged")
	assert.Empty(t, r.header.Get(headerSession))
	for _, version := range []string{"", "2025-06-18"} {
		h := header{headerVersion: version}
		assert.Equal(t, http.StatusAccepted, p.post(initialized, h).status)
		assert.Equal(t, 0, p.post(listBody, h).code())
		batch := p.post(fmt.Sprintf("[%s]", listBody), h)
		assert.Equal(t, version == "", batch.status == http.StatusOK, batch.body) // 2025-03-26
		ask := p.post(oldGet("1", "ask"), h)
		assert.NotZero(t, ask.code(), ask.body)
		assert.NotContains(t, ask.body, "did not declare", "which is not known of the client")
		assert.Equal(t, version != "", strings.Contains(ask.body, "this connection cannot carry requests of the server"), ask.body)
	}
	assert.Equal(t, http.StatusBadRequest, p.post(listBody, header{headerVersion: "1999-01-01"}).status)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r := p.send(method, "", nil)
		assert.Equal(t, http.StatusMethodNotAllowed, r.status)
		assert.Equal(t, "POST", r.header.Get("Allow"))
	}
}
