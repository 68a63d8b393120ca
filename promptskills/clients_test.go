package promptskills

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/feature"
)

// What clients have seen takes no more memory than is counted, whatever it is: many
// clients, pages, or entries with long paths. The limit applies to all of it.
func TestSeenIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	for name, see := range map[string]func(c *clients, i int){
		"clients": func(c *clients, i int) { c.refresh(feature.ClientID{Session: uint64(i + 1)}, "a", 1) },
		"keys":    func(c *clients, i int) { c.refresh(feature.ClientID{Key: fmt.Sprintf("%0600d", i)}, "a", 1) },
		"parts of long keys": func(c *clients, i int) {
			c.refresh(feature.ClientID{Key: fmt.Sprintf("%0600d%06000d", i, 0)[:600]}, "a", 1)
		},
		"entries": func(c *clients, i int) {
			c.refresh(feature.ClientID{Session: uint64(i/1000 + 1)}, fmt.Sprint(i), 1)
		},
		"long entries": func(c *clients, i int) {
			c.refresh(feature.ClientID{Session: uint64(i/100 + 1)}, fmt.Sprintf("%01000d", i), 1)
		},
		"pages": func(c *clients, i int) {
			from := feature.ClientID{Session: uint64(i/1000 + 1)}
			c.refresh(from, "a", 1)
			c.mu.Lock()
			v := c.view(from)
			v.pages = append(v.pages, span{last: fmt.Sprintf("%01000d", i), seq: uint64(i)})
			c.count(v, v.pages[len(v.pages)-1].bytes())
			c.mu.Unlock()
		},
	} {
		live := func() int {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		before, c := live(), newClients()
		for i := range 40_000 {
			see(c, i)
		}
		held := live() - before
		t.Logf("%s: %d bytes held, %d counted", name, held, c.bytes)
		assert.LessOrEqual(t, c.bytes, maxSeen, name)
		assert.LessOrEqual(t, held, c.bytes, name)
		assert.GreaterOrEqual(t, held, c.bytes/4, name)
		assert.LessOrEqual(t, len(c.known), maxClients, name)
		for c.used.Len() > 0 {
			c.remove(c.used.Back())
		}
		assert.Zero(t, c.bytes, name)
	}
}
