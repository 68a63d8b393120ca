package prompts

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

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
