package promptnats

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts"
)

// FollowFast is Follow with short times, for tests that wait for them.
func FollowFast(ctx context.Context, reg *prompts.Registry, js jetstream.JetStream, bucket string, o Options) (*Follower, error) {
	if o.Files.Debounce == 0 {
		o.Files.Debounce = 20 * time.Millisecond
	}
	return follow(ctx, reg, js, bucket, o, timing{
		request: 2 * time.Second, heartbeat: 2 * time.Second, ping: time.Second, check: 100 * time.Millisecond, patience: 300 * time.Millisecond, publisher: 30 * time.Second,
		wait: 20 * time.Millisecond, most: 200 * time.Millisecond,
	})
}

// Source is what the Source of each prompt of a place begins with.
func Source(bucket, prefix string) string { return place{bucket, prefix}.source() }
