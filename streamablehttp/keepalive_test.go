package streamablehttp

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var http1 = &http.Request{ProtoMajor: 1}

// A comment comes when nothing else has for the time between comments, and only
// then.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &recorder{}
		s := newStream(w, http1, &Options{KeepAlive: 25 * time.Second, WriteTimeout: time.Minute})
		pass := func(d time.Duration) string {
			time.Sleep(d)
			synctest.Wait()
			return w.take()
		}
		assert.Empty(t, pass(time.Hour), "it has not begun")
		require.NoError(t, s.open())
		assert.Equal(t, http.StatusOK, w.status)
		assert.Equal(t, ":\n\n", w.take(), "nginx passes on no header without a part of the body")
		assert.Empty(t, pass(25*time.Second-1))
		assert.Equal(t, ":\n\n", pass(1))
		assert.Empty(t, pass(25*time.Second-1))
		assert.Equal(t, ":\n\n", pass(1))

		// Messages stand for comments.
		for range 9 {
			assert.Empty(t, pass(20*time.Second))
			require.NoError(t, s.event([]byte("1"), false))
			assert.Equal(t, "data: 1\n\n", w.take())
		}
		assert.Empty(t, pass(25*time.Second-1))
		assert.Equal(t, ":\n\n", pass(1))

		s.close()
		assert.Empty(t, pass(time.Hour))
		assert.ErrorIs(t, s.event([]byte("2"), false), http.ErrHandlerTimeout)
		assert.ErrorIs(t, s.open(), http.ErrHandlerTimeout)
		assert.ErrorIs(t, s.body(http.StatusOK, nil), http.ErrHandlerTimeout)
		assert.Empty(t, w.take())
	})
}

// Nothing follows the last event, not even before the handler returns.
func TestNoCommentAfterAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &recorder{}
		s := newStream(w, http1, &Options{KeepAlive: 25 * time.Second})
		require.NoError(t, s.event([]byte("1"), true))
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, "data: 1\n\n", w.take())
		s.close()
	})
}

// Neither a body nor a stream that is not to be kept alive has comments.
func TestNoKeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &recorder{}
		s := newStream(w, http1, &Options{KeepAlive: -1})
		require.NoError(t, s.open())
		w.take()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.Empty(t, w.take())
		s.close()

		s = newStream(w, http1, &Options{KeepAlive: time.Second})
		require.NoError(t, s.body(http.StatusOK, []byte("{}")))
		time.Sleep(time.Hour)
		synctest.Wait()
		w.Flush()
		assert.Equal(t, "{}", w.take())
		s.close()
	})
}

// A comment that does not get through says that the client is lost, once.
func TestCommentLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, lost := &recorder{}, 0
		s := newStream(w, http1, &Options{KeepAlive: 25 * time.Second})
		s.onDisconnect = func() { lost++ }
		require.NoError(t, s.open())
		time.Sleep(26 * time.Second)
		synctest.Wait()
		assert.Equal(t, 0, lost)
		w.fail(io.ErrClosedPipe)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		assert.Equal(t, 1, lost)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 1, lost)
		s.close()
	})
}

// A stream that nobody waits for may lose its client as well.
func TestCommentLostToNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &recorder{}
		s := newStream(w, http1, &Options{KeepAlive: time.Second})
		require.NoError(t, s.open())
		w.take()
		w.fail(io.ErrClosedPipe)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Empty(t, w.take())
		assert.ErrorIs(t, s.event([]byte("1"), false), io.ErrClosedPipe)
		s.close()
	})
}

// Each write has its own time, but those of a stream that is to end have one
// together.
func TestWriteDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &recorder{}
		begin := time.Now()
		s := newStream(w, http1, &Options{KeepAlive: 25 * time.Second, WriteTimeout: 10 * time.Second})
		require.NoError(t, s.open())
		time.Sleep(time.Second)
		require.NoError(t, s.event([]byte("1"), false))
		time.Sleep(26 * time.Second) // a comment comes
		synctest.Wait()
		s.expedite()
		require.NoError(t, s.event([]byte("2"), false))
		require.NoError(t, s.event([]byte("3"), true))
		s.close()
		var seconds []float64
		for _, at := range w.deadlines {
			seconds = append(seconds, at.Sub(begin).Seconds())
		}
		assert.Equal(t, []float64{10, 11, 36, 28}, seconds)
	})
}

// Without a limit there is none, but for a stream that is to end.
func TestNoWriteDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &recorder{}
		s := newStream(w, http1, &Options{KeepAlive: -1, WriteTimeout: -1})
		require.NoError(t, s.event([]byte("1"), false))
		assert.Empty(t, w.deadlines)
		s.expedite()
		assert.Equal(t, []time.Time{time.Now().Add(time.Second)}, w.deadlines)
		s.close()
	})
}

// What has an answer already, or events, is not accepted without one.
func TestAccept(t *testing.T) {
	t.Parallel()
	w := &recorder{}
	newStream(w, http1, &Options{}).accept()
	assert.Equal(t, http.StatusAccepted, w.status)

	s := newStream(w, http1, &Options{})
	require.NoError(t, s.body(http.StatusNotFound, nil))
	s.accept()
	assert.Equal(t, http.StatusNotFound, w.status)

	s = newStream(w, http1, &Options{})
	require.NoError(t, s.open())
	s.accept()
	assert.Equal(t, http.StatusOK, w.status)
}

// A client that is lost ends its streams, even where the connection does not
// tell, as one of many streams may not.
func TestCommentEndsStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{KeepAlive: 25 * time.Second})
		for _, r := range []*http.Request{
			p.request(http.MethodGet, "", p.session("2025-11-25")),
			p.request(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", "")),
		} {
			w := &recorder{}
			go p.handler.ServeHTTP(w, r)
			synctest.Wait()
			assert.Equal(t, 1, p.underWay())
			w.fail(io.ErrClosedPipe)
			time.Sleep(26 * time.Second)
			synctest.Wait()
			assert.Equal(t, 0, p.underWay())
		}
	})
}
