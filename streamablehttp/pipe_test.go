package streamablehttp

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// pipes is a listener whose connections hold nothing: what is written waits
// for its reader, so that one who does not read is stuck at once, and time may
// be that of testing/synctest.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (l *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	l.conns <- far
	return near, nil
}

// newPipePlace is newPlace on pipes, in the bubble of the test. At its end
// no goroutine may be left.
func newPipePlace(t *testing.T, o Options) *place {
	t.Helper()
	return newPipePlaceOf(t, prompts.Options{}, o)
}

// newPipePlaceOf is newPipePlace with options for the server of prompts.
func newPipePlaceOf(t *testing.T, own prompts.Options, o Options, change ...func(*httptest.Server)) *place {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	p := newPlaceOf(t, own, o, append(change, func(s *httptest.Server) {
		require.NoError(t, s.Listener.Close())
		s.Listener = l
	})...)
	p.http.URL = "http://localhost"
	p.http.Client().Transport.(*http.Transport).DialContext = l.dial
	return p
}

// unread sends a request, reads the headers of the reply, and then no more.
func (p *place) unread(method, body string, h header) net.Conn {
	p.t.Helper()
	c, err := p.http.Listener.(*pipes).dial(p.t.Context(), "", "")
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = c.Close() })
	require.NoError(p.t, p.request(method, body, h).Write(c))
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	require.Equal(p.t, "text/event-stream", response.Header.Get("Content-Type"))
	return c
}

// begin sends the first bytes of a request on a connection of its own, as they
// are.
func (p *place) begin(text string) net.Conn {
	p.t.Helper()
	c, err := p.http.Listener.(*pipes).dial(p.t.Context(), "", "")
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, text)
	require.NoError(p.t, err)
	return c
}

// underWay is how many requests are.
func (p *place) underWay() int {
	p.handler.mu.Lock()
	defer p.handler.mu.Unlock()
	return p.handler.running
}

const listenAll = `"notifications":{"promptsListChanged":true},`

// HTO-18, GAP-28: a client whose stream is stuck opens another one, which takes
// its place soon, and hears of what the first one did not.
func TestStreamAfterStuckOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{})
		h := p.session("2025-11-25")
		p.unread(http.MethodGet, "", h)
		synctest.Wait()
		p.change("a")
		time.Sleep(time.Second) // changes are gathered, and it is stuck
		begin := time.Now()
		second := p.open(http.MethodGet, "", h)
		assert.LessOrEqual(t, time.Since(begin), 2*time.Second)
		synctest.Wait()
		assert.Equal(t, changed, second.next())
		assert.LessOrEqual(t, time.Since(begin), 2*time.Second)
		synctest.Wait()
		assert.Equal(t, 1, p.underWay(), "the first one has ended before")
		p.change("b")
		assert.Equal(t, changed, second.next())
	})
}

// Of several that are opened while the first is stuck, one hears of each change.
func TestStreamsAfterStuckOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{})
		h := p.session("2025-11-25")
		p.unread(http.MethodGet, "", h)
		synctest.Wait()
		p.change("a")
		time.Sleep(time.Second) // it is stuck
		begin := time.Now()
		streams := make(chan *openStream, 3)
		for range cap(streams) {
			go func() { streams <- p.open(http.MethodGet, "", h) }()
			time.Sleep(100 * time.Millisecond)
		}
		all := []*openStream{<-streams, <-streams, <-streams}
		synctest.Wait()
		assert.LessOrEqual(t, time.Since(begin), 2*time.Second)
		time.Sleep(2*time.Second - time.Since(begin))
		synctest.Wait()
		assert.Equal(t, 3, p.underWay(), "but for the stuck one")
		hear := func() (heard []string) {
			time.Sleep(time.Second) // changes are gathered
			synctest.Wait()
			for _, s := range all {
				heard = append(heard, s.buffered()...)
			}
			return heard
		}
		assert.Equal(t, []string{changed}, hear(), "of what the first one did not")
		p.change("b")
		assert.Equal(t, []string{changed}, hear())
	})
}

// An older stream that waits does not limit the time of the newest, which sends.
func TestOlderStreamWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		x := s.opened(t)
		x.sending = make(chan struct{}, 1)
		ctx, cancel := context.WithCancel(t.Context())
		w := &recorder{}
		older, newest := new(listener), &listener{stream: newStream(w, http1, &Options{WriteTimeout: -1})}
		require.NoError(t, newest.stream.open())
		x.listeners = []*listener{older, newest}
		go x.notify(ctx, newest)
		synctest.Wait()
		go x.notify(ctx, older) // as if it had been opened first, and had been slower
		time.Sleep(2 * stuckAfter)
		synctest.Wait()
		assert.Empty(t, w.deadlines)
		cancel()
		newest.stream.close()
		s.endAll()
	})
}

// A client that does not read its stream is cut off when its time to take a
// message is over, and costs nobody else anything until then.
func TestUnreadStreams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		open func(p *place)
	}{
		{"of a session", func(p *place) { p.unread(http.MethodGet, "", p.session("2025-11-25")) }},
		{"of listen", func(p *place) {
			// The acknowledgement is stuck already.
			p.unread(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
		}},
		{"of a request", func(p *place) {
			body, mirror := modernGet("wait")
			p.unread(http.MethodPost, body, mirror)
			close(p.release)
		}},
		{"of a request in a session", func(p *place) {
			p.unread(http.MethodPost, oldGet("1", "wait"), p.session("2025-11-25"))
			close(p.release)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPipePlace(t, Options{WriteTimeout: 10 * time.Second, KeepAlive: time.Hour})
				other := p.open(http.MethodGet, "", p.session("2025-11-25"))
				begin := time.Now()
				test.open(p)
				synctest.Wait()
				p.change("a")
				assert.Equal(t, changed, other.next())
				body, mirror := modernGet("text")
				assert.Equal(t, http.StatusOK, p.post(body, mirror).status)
				assert.Equal(t, http.StatusOK, p.post(listBody, p.session("2025-11-25")).status)
				assert.Less(t, time.Since(begin), time.Second, "it waits for the other")
				synctest.Wait()
				assert.Equal(t, 2, p.underWay())
				time.Sleep(time.Until(begin.Add(9 * time.Second)))
				synctest.Wait()
				assert.Equal(t, 2, p.underWay(), "it has had its time")
				time.Sleep(2 * time.Second)
				synctest.Wait()
				assert.Equal(t, 1, p.underWay())
				p.change("b")
				assert.Equal(t, changed, other.next())
			})
		})
	}
}

// A client that has gone without a word is found out by a comment.
func TestUnreadComments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{WriteTimeout: 10 * time.Second, KeepAlive: 20 * time.Second})
		p.unread(http.MethodGet, "", p.session("2025-11-25"))
		c := p.unread(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
		_, err := c.Read(make([]byte, 1000)) // the acknowledgement
		require.NoError(t, err)
		time.Sleep(29 * time.Second)
		synctest.Wait()
		assert.Equal(t, 2, p.underWay())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, 0, p.underWay())
	})
}
