package rpc

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/wire"
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
			resources := &feature.Resources{Subscribe: func(ctx context.Context, _ feature.ClientID, _ string, changed func()) (func(), error) {
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
		resources := &feature.Resources{Subscribe: func(ctx context.Context, _ feature.ClientID, _ string, _ func()) (func(), error) {
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

// Subscriptions to resources count toward the memory of the client, however small each
// is.
func TestMemoryOfResources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resources := &feature.Resources{Subscribe: func(context.Context, feature.ClientID, string, func()) (func(), error) {
			return func() {}, nil
		}}
		s := newTestServer(t, Config{
			Features: []feature.Feature{{Resources: resources}, (&echo{name: "birds"}).feature()},
			Limits:   Limits{Memory: 64 << 20, MemoryPerClient: 1 << 20},
		})
		held := int64(1<<20) - int64(1<<20)/2 // without the part for parsing
		p := serve(t, s)
		p.ask(initializeAs("2025-11-25"), initialized)
		subscribe := func(n int) string { return request("1", "resources/subscribe", fmt.Sprintf(`"uri":"x:%08d"`, n)) }
		most := int(held) / (resourceBytes + len("x:00000000"))
		for i := range most {
			require.Equal(t, []string{result("1", "{}")}, p.ask(subscribe(i)))
		}
		assert.Equal(t, map[string]int{"bytes": most * (resourceBytes + len("x:00000000")), "listeners": 1}, s.InUse())
		assert.Equal(t, []string{failed("1", wire.Busy())}, p.ask(subscribe(most)))
		p.ask(request("1", "resources/unsubscribe", `"uri":"x:00000000"`))
		assert.Equal(t, []string{result("1", "{}")}, p.ask(subscribe(most)))
		p.ask(request("1", "resources/unsubscribe", `"uri":"x:00000001"`), request("1", "resources/unsubscribe", `"uri":"x:00000002"`))

		long := `"notifications":{"birdsListChanged":true,"resourceSubscriptions":["x:` + strings.Repeat("a", resourceBytes/2) + `"]}`
		assert.Contains(t, p.ask(statelessRequest("2", MethodListen, long))[0], "acknowledged")
		assert.Equal(t, []string{failed("3", wire.Busy())}, p.ask(statelessRequest("3", MethodListen, long)))
		assert.Equal(t, 1, s.InUse()["subscriptions"])
		p.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		assert.Contains(t, p.ask(statelessRequest("3", MethodListen, long))[0], "acknowledged")
		p.end(t)
		assert.Empty(t, s.InUse())
	})
}

// A source that panics at the end of its subscription does not keep the session locked.
func TestEndOfASubscriptionPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		list := feature.List{Notification: "notifications/x/list_changed", Filter: "xListChanged", OnChange: func(func()) func() {
			return func() { panic("no") }
		}}
		s := newTestServer(t, Config{Features: []feature.Feature{{Lists: []feature.List{list}}}})
		p := serve(t, s)
		p.ask(initializeAs("2025-11-25"), initialized)
		p.end(t)
		assert.Empty(t, s.InUse())
	})
}
