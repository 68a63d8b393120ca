package prompts_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// With a ChangeDelay the last notification comes when the list has been as it is
// for so long, and it is the only one unless changes go on (LCH-01).
func TestChangeDelay(t *testing.T) {
	t.Parallel()
	const delay = 500 * time.Millisecond
	for name, test := range map[string]struct {
		changes int
		apart   time.Duration
		want    int // notifications
	}{
		"one":                 {1, 0, 1},
		"some at once":        {3, delay / 10, 1},
		"some with pauses":    {3, delay - time.Millisecond, 1 + 1}, // the first before they are over
		"some far apart":      {3, delay + time.Millisecond, 3},
		"many that go on":     {200, delay / 10, 10 + 1},
		"many in short order": {1000, time.Millisecond, 1 + 1},
	} {
		for era, open := range map[string]func(*client) *client{
			"session":      func(c *client) *client { return c.handshake() },
			"subscription": func(c *client) *client { return c.listen("1") },
		} {
			t.Run(name+"/"+era, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					reg := new(prompts.Registry)
					s := prompts.NewServer(reg, prompts.Options{ChangeDelay: delay})
					c := open(connect(t, s))
					var told []time.Time
					c.wire.onWrite = func(context.Context, []byte) error { told = append(told, time.Now()); return nil }
					var last time.Time
					for i := range test.changes {
						if i > 0 {
							time.Sleep(test.apart)
						}
						last = time.Now()
						require.NoError(t, reg.Set(textPrompt("text", "x")))
					}
					time.Sleep(delay)
					synctest.Wait()
					require.Len(t, told, test.want)
					assert.Equal(t, last.Add(delay), told[len(told)-1])
					for i := range told[1:] {
						assert.LessOrEqual(t, told[i+1].Sub(told[i]), 2*delay, "the pause before notification %d", i+1)
					}
					time.Sleep(time.Hour)
					c.received()
					assert.Len(t, told, test.want, "told once more")
					require.NoError(t, c.end())
					assertNoTrace(t, s)
				})
			})
		}
	}
}
