package prompts_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// LCH-08, CCH-10: a list that may be kept for longer is out of date, and those
// who listen are told so at once.
func TestChangeBeforeTheEndOfCacheTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registryOf(textPrompt("a", "hi"))
		c := connect(t, prompts.NewServer(registry, prompts.Options{CacheTTL: time.Hour}))
		assert.Equal(t, []string{ackLine("1")}, c.ask(listenLine("1")))
		list := c.ask(envelopedLine("2", "prompts/list", ""))
		assert.Contains(t, list[0], `"ttlMs":3600000`)
		began := time.Now()
		registry.MustAdd(textPrompt("b", "hi"))
		time.Sleep((200 * time.Millisecond))
		assert.Equal(t, []string{changedLine("1")}, c.received())
		assert.Less(t, time.Since(began), time.Second)
		assert.Contains(t, c.ask(envelopedLine("3", "prompts/list", ""))[0], `"name":"b"`)
	})
}
