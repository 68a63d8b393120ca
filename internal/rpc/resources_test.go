package rpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/feature"
)

// A client is not notified of a resource if its request to subscribe got no result.
func TestSubscribeTooLate(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *pipe){
		"canceled":  func(p *pipe) { p.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) },
		"timed out": func(p *pipe) { time.Sleep(time.Minute); p.ask() },
	} {
		synctest.Test(t, func(t *testing.T) {
			subscribed := 0
			resources := &feature.Resources{Subscribe: func(ctx context.Context, _ feature.Client, _ string, changed func()) (func(), error) {
				<-ctx.Done()
				subscribed++
				time.AfterFunc(time.Second, changed)
				return func() { subscribed-- }, nil
			}}
			s := newTestServer(t, Config{Features: []feature.Feature{{Resources: resources}}})
			p := serve(t, s)
			p.ask(initializeAs("2025-11-25"), initialized, request("1", "resources/subscribe", `"uri":"x:y"`))
			end(p)
			assert.Zero(t, subscribed, name)
			time.Sleep(time.Minute)
			assert.Empty(t, p.ask(), name)
			p.end(t)
			assert.Empty(t, s.InUse())
		})
	}
}

// A subscription that is canceled subscribes to no further resources.
func TestCanceledWhileSubscribing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls, subscribed := 0, 0
		resources := &feature.Resources{Subscribe: func(ctx context.Context, _ feature.Client, _ string, _ func()) (func(), error) {
			<-ctx.Done()
			calls++
			subscribed++
			return func() { subscribed-- }, nil
		}}
		s := newTestServer(t, Config{Features: []feature.Feature{{Resources: resources}}})
		p := serve(t, s)
		p.ask(statelessRequest("1", MethodListen, `"notifications":{"resourceSubscriptions":["a:1","a:2","a:3"]}`))
		assert.Empty(t, p.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		assert.Equal(t, 1, calls)
		assert.Zero(t, subscribed)
		p.end(t)
		assert.Empty(t, s.InUse())
	})
}
