package promptskills_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/transport"
)

// The tests of this file measure the heap of the process, so they are not parallel.

func liveHeap() int {
	runtime.GC()
	runtime.GC() // empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A cursor holds a path. A longer one is invalid, and none is kept, whoever made it.
func TestForgedCursorsAreNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a"), skill("b")))
	srv := newServer(&reg, promptskills.Options{})
	list := func(client, after string) string {
		var response string
		msg := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"cursor":"%s","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			cursor.Append(nil, "skills/list\x00\x00", after))
		err := srv.Handle(t.Context(), []byte(msg), transport.Exchange{ClientKey: client, Send: func(msg []byte, _ transport.Code, _ bool) error { response = string(msg); return nil }})
		require.NoError(t, err)
		return response
	}
	assert.Contains(t, list("a client", strings.Repeat("x", 1024)), `"skills":[]`)
	assert.Contains(t, list("a client", strings.Repeat("x", 1025)), "invalid cursor")
	_, err := serve(t, &reg, "2025-11-25", promptskills.Options{}).Call("resources/read", uri{URI: "skill://a/" + strings.Repeat("x", 2048)})
	assert.ErrorContains(t, err, "is not the URI of a file")
	before := liveHeap()
	for i := range 8 {
		list(fmt.Sprint(i), strings.Repeat("x", 3<<20))
	}
	for i := range 50 {
		for j := range 100 {
			list(fmt.Sprint(i), fmt.Sprintf("a%01000d", j))
		}
	}
	assert.Less(t, liveHeap()-before, 1<<20)
	runtime.KeepAlive(srv)
}

// What a client has seen is forgotten with its session.
func TestEndedSessionsAreForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	var reg promptskills.Registry
	var skills []promptskills.Skill
	for i := range 500 {
		skills = append(skills, skill(fmt.Sprint("s", i)))
	}
	require.NoError(t, reg.Add(skills...))
	srv := newServer(&reg, promptskills.Options{})
	before := liveHeap()
	for range 100 {
		s := srv.NewSession(transport.SessionOptions{Version: "2025-11-25"})
		for i := range skills {
			msg := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"skill://s%d/SKILL.md"}}`, i)
			require.NoError(t, s.Handle(t.Context(), []byte(msg), transport.Exchange{Send: func(msg []byte, code transport.Code, _ bool) error {
				assert.Zero(t, code)
				return nil
			}}))
		}
		s.Close()
	}
	assert.Less(t, liveHeap()-before, 1<<20)
	runtime.KeepAlive(srv)
}
