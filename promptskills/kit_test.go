package promptskills_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttest"
)

var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func serve(t *testing.T, reg *promptskills.Registry, version string, o promptskills.Options) *prompttest.Client {
	return prompttest.Serve(t, newServer(reg, o), prompttest.ClientOptions{Version: version})
}

func newServer(reg *promptskills.Registry, o promptskills.Options) *prompts.Server {
	f, err := promptskills.New(reg, o)
	if err != nil {
		panic(err)
	}
	return prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}})
}

// manifest is a Skill of the protocol.
type manifest struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   json.RawMessage
}

func (m manifest) files(t *testing.T) map[string]string {
	var list []struct {
		URI, Digest string
		Size        int
	}
	require.NoError(t, json.Unmarshal(m.Resources, &list))
	files := map[string]string{}
	for _, f := range list {
		assert.NotContains(t, files, f.URI)
		files[f.URI] = fmt.Sprint(f.Digest, " ", f.Size)
	}
	return files
}

// sum is what files returns of a content.
func sum(content string) string {
	return fmt.Sprintf("sha256:%x %d", sha256.Sum256([]byte(content)), len(content))
}

func call[T any](t *testing.T, c *prompttest.Client, method string, params any) T {
	t.Helper()
	var v T
	raw, err := c.Call(method, params)
	require.NoError(t, err, "%s %v", method, params)
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

// refused calls a method, and returns the error that the client gets.
func refused(t *testing.T, c *prompttest.Client, method string, params any) *prompts.Error {
	t.Helper()
	_, err := c.Call(method, params)
	var refusal *prompts.Error
	require.ErrorAs(t, err, &refusal, "%s %v", method, params)
	return refusal
}

type uri struct {
	URI    string `json:"uri"`
	Cursor string `json:"cursor,omitempty"`
}

type listed struct {
	Skills     []manifest
	Resources  []map[string]any
	NextCursor string
}

func readText(t *testing.T, c *prompttest.Client, u string) string {
	t.Helper()
	r := call[struct {
		Contents []struct{ URI, Text, Blob, MIMEType string }
	}](t, c, "resources/read", uri{URI: u})
	require.Len(t, r.Contents, 1)
	assert.Equal(t, u, r.Contents[0].URI)
	if r.Contents[0].Blob != "" {
		blob, err := base64.StdEncoding.DecodeString(r.Contents[0].Blob)
		require.NoError(t, err)
		return string(blob)
	}
	return r.Contents[0].Text
}
