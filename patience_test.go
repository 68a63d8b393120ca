package prompts_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// Whatever a client has sent before, its ping is answered and its
// cancellation heard while the renders are at work.
func TestSlowRendersNeverHoldUpAPing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		o       prompts.Options
		render  time.Duration
		stagger time.Duration // between the requests that fill the limit
	}{
		"one slot":  {prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}}, 20 * time.Millisecond, 0},
		"staggered": {prompts.Options{}, 64 * 40 * time.Millisecond, 40 * time.Millisecond},
		"together":  {prompts.Options{}, time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, prompts.NewServer(registryOf(sleeper("doze", test.render)), test.o)).handshake()
				id := 0
				send := func() { id++; c.send(getLine(fmt.Sprint(id), "doze")) }
				for range defaultMaxConcurrent {
					send()
					time.Sleep(test.stagger)
				}
				began := time.Now()
				for range 900 {
					send()
				}
				for c.send(pingLine(`"p"`)); ; time.Sleep(time.Millisecond) {
					answers := c.received()
					if len(answers) > 0 && answers[len(answers)-1] == pongLine(`"p"`) {
						break
					}
					require.Less(t, time.Since(began), time.Second)
				}
				assert.LessOrEqual(t, time.Since(began), 50*time.Millisecond+2*time.Millisecond)
				assert.NoError(t, c.end())
			})
		})
	}
}
