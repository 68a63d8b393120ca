package gosdk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// CMP-10: without a principal, the rates count by session of the SDK, in each revision.
func TestRates(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		mount(t, s, registry(withArgument()), prompts.Options{Limits: prompts.Limits{GetsPerSecond: 1e-3, CompletionsPerSecond: 1e-3}})
		for range 2 { // clients
			c := dial(t, s, revision)
			admitted := map[string]int{}
			for range 20 {
				for method, params := range map[string]string{"prompts/get": `{"name":"a"}`, "completion/complete": completion(ofPrompt("a"), "lang", "")} {
					if _, e := c.call(method, params); e == nil {
						admitted[method]++
					} else {
						assert.Regexp(t, `^rate limit exceeded; retry in \d+ ms$`, e.Message)
						assert.Contains(t, string(e.Data), "retryAfterMs")
					}
				}
			}
			assert.Equal(t, map[string]int{"prompts/get": 1, "completion/complete": 1}, admitted)
		}
	})
}
