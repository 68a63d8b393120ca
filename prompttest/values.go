package prompttest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
)

// mostCompletions is how many completions of an argument are candidates.
const mostCompletions = 8

// completions returns the server's completions for an argument. It sends each request
// once, and retries if the server limits the rate.
func (c *checker) completions(p *prompts.Prompt, a *prompts.Argument, others map[string]string) []string {
	key := fmt.Sprintf("%q %q %q", p.Name, a.Name, others)
	if values, ok := c.completed[key]; ok {
		return values
	}
	var values []string
	retry(func() (refusal *prompts.Error) {
		values, refusal, _ = c.client.complete(p.Name, a.Name, "", others) // without any, there are other ways
		return refusal
	})
	values = values[:min(len(values), mostCompletions)]
	c.completed[key] = values
	return values
}

// retry calls f again while the server limits the rate, ten times at most.
func retry(f func() *prompts.Error) {
	for range 10 {
		wait := retryAfter(f())
		if wait == 0 {
			return
		}
		time.Sleep(wait)
	}
}

// retryAfter returns how long a client has to wait that exceeds a rate limit, and 0
// for any other error.
func retryAfter(refusal *prompts.Error) time.Duration {
	if refusal == nil || refusal.Data == nil {
		return 0
	}
	var data struct{ RetryAfterMs uint16 }
	_ = json.Unmarshal([]byte(golden.JSON(refusal.Data)), &data) // other errors have other data
	return time.Duration(data.RetryAfterMs) * time.Millisecond
}
