package prompts

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/goid"
)

// A goroutine that has rendered a prompt renders the next one, if that comes
// within a second; and one that was ended by a render function does not.
func TestWorkerRests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var rendered []int64
		render := func(_ context.Context, args map[string]string) (*Result, error) {
			rendered = append(rendered, goid.Get())
			if args["end"] != "" {
				runtime.Goexit()
			}
			return Messages(), nil
		}
		p := Prompt{Name: "p", Arguments: []Argument{{Name: "end"}}, Render: render}
		c := connect(t, NewServer(registryOf(p), Options{})).handshake()
		get := func(after time.Duration, arguments string) int64 {
			t.Helper()
			time.Sleep(after)
			assert.Len(t, c.ask(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p","arguments":{`+arguments+`}}}`), 1)
			return rendered[len(rendered)-1]
		}
		first := get(0, "")
		assert.Equal(t, first, get(0, ""))
		for range 5 { // for as long as there is something to do
			assert.Equal(t, first, get(workerRest-1, ""))
		}
		second := get(2*workerRest, "")
		assert.NotEqual(t, first, second)
		assert.Equal(t, second, get(0, `"end":"x"`))
		assert.NotEqual(t, second, get(0, ""))
		assert.NoError(t, c.end())
	})
}

// Two at a time have two goroutines, both of which rest.
func TestWorkersAreAsManyAsJobs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		c := connect(t, NewServer(registryOf(w.prompt("wait")), Options{})).handshake()
		c.send(getLine("1", "wait"), getLine("2", "wait"))
		assert.Empty(t, c.received(), "none waits for the other")
		w.let <- struct{}{}
		assert.Len(t, c.received(), 1)
		c.send(getLine("3", "wait"))
		assert.Empty(t, c.received())
		w.let <- struct{}{}
		w.let <- struct{}{}
		assert.Len(t, c.received(), 2)
		assert.NoError(t, c.end())
	})
}
