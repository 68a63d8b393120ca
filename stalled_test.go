package prompts_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// A client that does not read its answers uses up its own bound, and not that
// of all.
func TestStalledClientCostsOthersNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 2}})
		unread := make(chan struct{})
		session := newSession(t, s)
		x := transport.Exchange{Send: func([]byte, prompts.Code, bool) error { <-unread; return nil }}
		for i := range 4 {
			go func() {
				assert.NoError(t, session.Handle(context.Background(), []byte(getLine(fmt.Sprint(i), "text")), x))
			}()
		}
		synctest.Wait()
		_, err := s.Call(context.Background(), "prompts/get", []byte(`{"name":"text"}`), prompts.CallOptions{})
		assert.NoError(t, err)
		close(unread)
		synctest.Wait()
	})
}
