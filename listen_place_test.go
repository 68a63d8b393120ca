package prompts_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// The place of a subscription is free when the client has its answer, or has
// said that it wants none: who goes on at once is not refused.
func TestPlaceOfASubscriptionIsFreeAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("answered", func(t *testing.T) {
		t.Parallel()
		for range 100 {
			s := prompts.NewServer(nil, prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 1, MaxSubscriptionsTotal: 1}})
			session := s.NewSession(transport.SessionOptions{})
			var next string
			empty := envelopedLine("1", "subscriptions/listen", `"notifications":{}`)
			require.NoError(t, session.Handle(t.Context(), []byte(empty), transport.Exchange{Send: func(_ []byte, _ prompts.Code, last bool) error {
				if !last {
					return nil
				}
				r := &recorder{t: t}
				assert.NoError(t, session.Handle(t.Context(), r.hear(nil, empty), transport.Exchange{Send: r.send}))
				next = r.messages[0].msg
				return nil
			}}))
			session.Close()
			if !assert.Equal(t, emptyAckLine("1"), next) {
				return
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		for range 100 {
			ok := true
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, prompts.NewServer(nil, prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 1, MaxSubscriptionsTotal: 1}})).listen("1")
				ok = assert.Equal(t, []string{ackLine("2")}, c.ask(cancelLine("1"), listenLine("2")))
				assert.NoError(t, c.end())
			})
			if !ok {
				return
			}
		}
	})
}
