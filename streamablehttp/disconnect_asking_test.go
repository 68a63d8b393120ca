package streamablehttp

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// socket is the server's end of a connection.
type socket struct {
	net.Conn
	open *atomic.Int32 // how many are
	once atomic.Bool
}

func (s *socket) Close() error {
	if s.once.CompareAndSwap(false, true) {
		s.open.Add(-1)
	}
	return s.Conn.Close()
}

// countSockets makes the client of the place dial connections that are counted.
func (p *place) countSockets() *atomic.Int32 {
	open := new(atomic.Int32)
	p.http.Client().Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		open.Add(1)
		p.http.Listener.(*pipes).conns <- &socket{Conn: far, open: open}
		return near, nil
	}
	return open
}

// askTwice adds a prompt that asks, and asks again though nobody has answered. The
// errors go to the channel, and the function goes on until release.
func (p *place) askTwice(name string) <-chan error {
	failed := make(chan error, 200)
	p.registry.MustAdd(prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		for _, key := range []string{"a", "b"} {
			_, err := prompts.Elicit[answer](ctx, key, "Who?")
			failed <- errors.Join(err, ctx.Err())
		}
		<-p.release
		return nothing(ctx, nil)
	}})
	return failed
}

// GAP-30: with its stream, a request of a session loses the wait for an answer, and its
// connection: at once, and though the function goes on.
func TestDisconnectEndsTheWaitForAnAnswer(t *testing.T) {
	t.Parallel()
	const n = 100
	for _, isHTTP2 := range []bool{false, true} {
		t.Run(map[bool]string{false: "HTTP/1", true: "HTTP/2"}[isHTTP2], func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, _ := newPipePlaceIn(t, isHTTP2, prompts.Options{}, Options{})
				p.http.Client().CloseIdleConnections()
				sockets := p.countSockets()
				h := p.session("2025-11-25")
				failed := p.askTwice("ask twice")
				release := sync.OnceFunc(func() { close(p.release) })
				defer release()
				var all []*openStream
				for i := range n {
					s := p.open(http.MethodPost, oldGet(strconv.Itoa(i), "ask"), h)
					assert.Contains(t, s.next(), "elicitation/create")
					all = append(all, s)
				}
				last := p.open(http.MethodPost, oldGet(strconv.Itoa(n), "ask twice"), h)
				assert.Contains(t, last.next(), "elicitation/create")
				require.Equal(t, n+1, p.underWay())
				begin := time.Now()
				for _, s := range all {
					s.cancel()
				}
				synctest.Wait()
				assert.Equal(t, 1, p.underWay())
				last.cancel()
				synctest.Wait()
				p.http.Client().CloseIdleConnections()
				synctest.Wait()
				if !isHTTP2 { // one connection for all
					assert.Zero(t, sockets.Load())
				}
				assert.Zero(t, time.Since(begin))
				for range 2 { // the context has not ended (CAN-05)
					require.NotEmpty(t, failed)
					err := <-failed
					assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable)
					assert.ErrorContains(t, err, "the client disconnected")
					assert.NotErrorIs(t, err, context.Canceled)
				}
				assert.Equal(t, 1, p.underWay(), "it goes on")
				release()
				synctest.Wait()
				assert.Zero(t, p.underWay())
				assert.Equal(t, http.StatusOK, p.post(oldGet("1", "text"), h).status, "the session goes on")
			})
		})
	}
}

// A client that vanishes without closing is noticed when a comment does not get through.
func TestVanishedClientEndsTheWaitForAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{KeepAlive: time.Second, WriteTimeout: time.Minute})
		h := p.session("2025-11-25")
		c, err := p.http.Listener.(*pipes).dial(t.Context(), "", "")
		require.NoError(t, err)
		defer c.Close()
		require.NoError(t, p.request(http.MethodPost, oldGet("1", "ask"), h).Write(c))
		for r, line := bufio.NewReader(c), ""; !strings.Contains(line, "elicitation/create"); {
			line, err = r.ReadString('\n')
			require.NoError(t, err)
		}
		synctest.Wait()
		assert.Equal(t, 1, p.underWay())
		time.Sleep(time.Second + time.Minute)
		synctest.Wait()
		assert.Zero(t, p.underWay())
	})
}
