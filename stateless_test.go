package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// DSC-13, MET-10: who the client says that it is changes nothing.
func TestClientInfoChangesNothing(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(tagged(3), prompts.Options{Visible: ranked, Principal: func(context.Context) string { return "" }})
	for _, line := range []string{envelopedLine("1", "server/discover", ""), envelopedLine("1", "prompts/list", ""), envelopedGet("1", "p000")} {
		want := answerTo(t, s, nil, line)
		for _, name := range []string{"all", "few", "root"} {
			got := answerTo(t, s, nil, strings.Replace(line, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"`+name+`","version":"1"},`, 1))
			assert.Equal(t, want, got)
		}
	}
}

// CCH-01…03, CCH-06, CCH-09, PRL-12: the hints for caches on lists, and on
// nothing but lists and server/discover (PRG-11).
func TestCacheHints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ttl    time.Duration
		public bool
		want   string
	}{
		{0, false, `"ttlMs":0,"cacheScope":"private"`},
		{time.Microsecond, true, `"ttlMs":0,"cacheScope":"public"`},
		{24 * time.Hour, true, `"ttlMs":86400000,"cacheScope":"public"`},
		{1<<63 - 1, false, fmt.Sprintf(`"ttlMs":%d,"cacheScope":"private"`, int64(1<<63-1)/1e6)},
	} {
		s := prompts.NewServer(tagged(3), prompts.Options{CacheTTL: test.ttl, CachePublic: test.public, PageSize: 2})
		for _, cursor := range []string{"", `"cursor":"` + cursorAfter("p001") + `"`} {
			got := answerTo(t, s, nil, envelopedLine("1", "prompts/list", cursor))
			assert.Contains(t, got, test.want)
		}
		got := answerTo(t, s, nil, envelopedGet("1", "p000"))
		assert.Equal(t, envelopedText("1", "hi"), got)
	}
	assert.ErrorContains(t, optionsError(prompts.Options{CacheTTL: -1}), "CacheTTL is negative")
	assert.ErrorContains(t, optionsError(prompts.Options{ChangeDelay: -1}), "ChangeDelay is negative")
}

// LOG-01, LOG-02, LOG-06, LOG-08: the server logs to its author, never to a client, even
// to one that asks for it.
func TestNothingIsLoggedToTheClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		s := prompts.NewServer(registryOf(rendered("faulty", func(context.Context) (*prompts.Result, error) { return nil, errDisk })), prompts.Options{Logger: j.logger()})
		c := connect(t, s).handshake()
		for _, level := range []string{"", `"io.modelcontextprotocol/logLevel":"debug",`} {
			got := c.ask(strings.Replace(envelopedGet("1", "faulty"), `"_meta":{`, `"_meta":{`+level, 1))
			assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, renderFailed)}, got)
		}
		assert.Len(t, c.ask(getLine("1", "faulty")), 1)
		assert.Equal(t, 3, strings.Count(j.String(), "the disk is on fire"))
		assert.NotContains(t, c.ask(envelopedLine("2", "server/discover", ""))[0], "logging")
	})
}
