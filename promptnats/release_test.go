package promptnats_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptnats"
)

// A result names the revision of the bucket that it was rendered from, and the digest of its
// prompt, which changes with the prompt alone.
func TestServedRevision(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	last := put(t, kv, "b.md", "b")
	f := follow(t, js, promptnats.Options{})
	f.has("a", "b")
	srv, err := prompts.NewServer(f.registry, prompts.Options{})
	require.NoError(t, err)
	const releaseKey, digestKey = "io.github.mcp-prompts/release", "io.github.mcp-prompts/digest"
	meta := func(method, params string) (result, entry map[string]string) {
		text, err := srv.Call(t.Context(), method, []byte(params), prompts.CallOptions{Version: "2025-11-25"})
		require.NoError(t, err)
		var r struct {
			Meta    map[string]string `json:"_meta"`
			Prompts []struct {
				Meta map[string]string `json:"_meta"`
			} `json:"prompts"`
		}
		require.NoError(t, json.Unmarshal(text, &r))
		if len(r.Prompts) > 0 {
			return r.Meta, r.Prompts[0].Meta
		}
		return r.Meta, nil
	}
	digest := func(name string) string {
		p, ok := f.registry.Lookup(name)
		require.True(t, ok)
		require.NotEmpty(t, p.Digest)
		return p.Digest
	}
	serves := func(revision uint64) {
		t.Helper()
		want := fmt.Sprint("revision ", revision)
		f.until(want, func() bool {
			result, _ := meta("prompts/list", `{}`)
			return result[releaseKey] == want
		})
		result, entry := meta("prompts/list", `{}`)
		assert.Equal(t, want, result[releaseKey])
		assert.Equal(t, map[string]string{digestKey: digest("a")}, entry)
		got, _ := meta("prompts/get", `{"name":"a"}`)
		assert.Equal(t, map[string]string{releaseKey: want, digestKey: digest("a")}, got)
	}
	serves(last)
	a, b := digest("a"), digest("b")
	serves(put(t, kv, "b.md", "another b"))
	assert.Equal(t, a, digest("a"))
	assert.NotEqual(t, b, digest("b"))
	require.NoError(t, kv.Delete(t.Context(), "b.md"))
	serves(last + 2)
	serves(put(t, kv, "a.md", "another a"))
	assert.NotEqual(t, a, digest("a"))
	// While an invalid version is not served, no revision is what is served.
	put(t, kv, "a.md", "{{if}}")
	f.until("no release", func() bool { result, _ := meta("prompts/list", `{}`); return result[releaseKey] == "" })
	result, _ := meta("prompts/get", `{"name":"a"}`)
	assert.Len(t, result, 1, "the digest of the last valid version")
	serves(put(t, kv, "a.md", "a"))
	assert.Equal(t, a, digest("a"), "the same prompt again")
}
