package prompts

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A client that does not read its answers uses up its own bound, and not that
// of all.
func TestStalledClientCostsOthersNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(registryOf(textPrompt("text", "hi")), Options{MaxConcurrent: 2, MaxConcurrentTotal: 2})
		unread := make(chan struct{})
		session := newSession(t, s)
		x := Exchange{Send: func([]byte, Code, bool) error { <-unread; return nil }}
		for i := range 4 {
			go func() {
				assert.NoError(t, session.Handle(context.Background(), []byte(getLine(fmt.Sprint(i), "text")), x))
			}()
		}
		synctest.Wait()
		_, err := s.Call(context.Background(), "prompts/get", []byte(`{"name":"text"}`), CallOptions{})
		assert.NoError(t, err)
		close(unread)
		synctest.Wait()
	})
}

// Nor does one whose requests have waited for their turn in vain, or end
// their goroutine.
func TestStalledQueueCostsOthersNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		quits := rendered("quits", func(context.Context) (*Result, error) { runtime.Goexit(); return nil, nil })
		s := NewServer(registryOf(quits), Options{MaxConcurrent: 1})
		unread := make(chan struct{})
		session := newSession(t, s)
		x := Exchange{Send: func([]byte, Code, bool) error { <-unread; return nil }}
		for i := range 2 {
			task, err := s.receive(context.Background(), session, []byte(getLine(fmt.Sprint(i), "quits")), x, nil)
			assert.NoError(t, err)
			go func() { _ = task.run(time.Second) }()
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		assert.Zero(t, s.limit.inside())
		assert.EqualValues(t, 2, session.limit.inside())
		close(unread)
		synctest.Wait()
		assert.Zero(t, session.limit.inside())
	})
}
