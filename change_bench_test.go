package prompts_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// tellings are the two ways of being told of changes. Each has one more
// subscriber, until ctx ends, and calls told for each notification.
var tellings = map[string]func(ctx context.Context, tb testing.TB, s *prompts.Server, running *sync.WaitGroup, told func()){
	"session": func(ctx context.Context, tb testing.TB, s *prompts.Server, running *sync.WaitGroup, told func()) {
		session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
		running.Go(func() {
			defer session.Close()
			_ = session.Notifications(ctx, func([]byte) error {
				told()
				return nil
			})
		})
	},
	"listen": func(ctx context.Context, tb testing.TB, s *prompts.Server, running *sync.WaitGroup, told func()) {
		acknowledged := make(chan struct{})
		isFirst := true
		x := transport.Exchange{Send: func([]byte, prompts.Code, bool) error {
			if isFirst {
				isFirst = false
				close(acknowledged)
			} else {
				told()
			}
			return nil
		}}
		running.Go(func() { _ = s.Handle(ctx, []byte(listenLine("1")), x) })
		<-acknowledged
	},
}

// toldCrowd is a server with n subscribers that are told in one way.
type toldCrowd struct {
	registry *prompts.Registry
	n        int
	told     sync.WaitGroup
}

func newToldCrowd(tb testing.TB, way string, n int) *toldCrowd {
	c := &toldCrowd{registry: new(prompts.Registry), n: n}
	s := prompts.NewServer(c.registry, prompts.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	tb.Cleanup(func() {
		cancel()
		running.Wait()
	})
	for range n {
		tellings[way](ctx, tb, s, &running, c.told.Done)
	}
	return c
}

// change changes a prompt and waits until all have been told.
func (c *toldCrowd) change(tb testing.TB) {
	c.told.Add(c.n)
	if err := c.registry.Set(textPrompt("text", "x")); err != nil {
		tb.Fatal(err)
	}
	c.told.Wait()
}

// BenchmarkChange tells subscribers of one change. Most of the time is the wait
// for more changes; cpu-ns/op is what the processors do.
func BenchmarkChange(b *testing.B) {
	for way := range tellings {
		for _, n := range []int{0, 100, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", way, n), func(b *testing.B) {
				c := newToldCrowd(b, way, n)
				c.change(b)
				b.ReportAllocs()
				begun := cpuTime()
				for b.Loop() {
					c.change(b)
				}
				b.ReportMetric(float64((cpuTime()-begun).Nanoseconds())/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
