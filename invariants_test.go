package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// What holds for each message that the server sends, whatever it answers.
func TestEveryMessageOfTheGoldenSessions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/sessions/*.txt")
	require.NoError(t, err)
	messages, errs, notifications := 0, 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			msg, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "S> ")
			if !ok {
				continue
			}
			all := []json.RawMessage{json.RawMessage(msg)}
			if msg[0] == '[' {
				require.NoError(t, json.Unmarshal([]byte(msg), &all))
			}
			for _, one := range all {
				messages++
				var m struct {
					ID     json.RawMessage
					Method string
					Error  *struct{ Message string }
				}
				require.NoError(t, json.Unmarshal(one, &m), "%s: %s", file, one)
				if strings.HasPrefix(m.Method, "notifications/") {
					notifications++
					assert.Nil(t, m.ID, "JRP-17: %s", one)
				}
				if m.Error != nil {
					errs++
					assert.NotEmpty(t, m.Error.Message, "JRP-13: %s", one)
					assert.NotContains(t, m.Error.Message, "\n", "JRP-13: %s", one)
					assert.Less(t, len(m.Error.Message), 700, "JRP-13: %s", one)
				}
			}
		}
	}
	assert.Greater(t, messages, 500)
	assert.Greater(t, errs, 100)
	assert.Greater(t, notifications, 20)
}

// JRP-34, JRP-35, STD-13: the lifecycle of the handshake era and each message
// pattern of the stateless one, over a transport that is not ours.
func TestEveryMessagePattern(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const asks = `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`
		reg := registryOf(textPrompt("text", "hi"), prompts.Prompt{Name: "announce", Render: announcement})
		c := connect(t, prompts.NewServer(reg, prompts.Options{}))
		stateless := func(id, method, members string) string {
			if members != "" {
				members += ","
			}
			return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members +
				`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` + asks + `}}}`
		}
		one := func(msg string) string {
			t.Helper()
			got := c.ask(msg)
			require.Len(t, got, 1, msg)
			return got[0]
		}

		// Request and response.
		assert.Contains(t, one(stateless("1", "prompts/get", `"name":"text"`)), `"text":"hi"`)
		// Multi round trips.
		assert.Contains(t, one(stateless("2", "prompts/get", `"name":"announce"`)), `"resultType":"input_required"`)
		assert.Contains(t, one(stateless("3", "prompts/get", `"name":"announce","inputResponses":{"release":{"action":"accept","content":{"version":"7"}}}`)), `"text":"7"`)
		// Subscribe and notify.
		assert.Contains(t, one(stateless("4", "subscriptions/listen", `"notifications":{"promptsListChanged":true}`)), "acknowledged")
		// The lifecycle, and ping.
		assert.Contains(t, one(initializeLine), `"protocolVersion":"2025-11-25"`)
		assert.Empty(t, c.ask(initializedLine))
		assert.Equal(t, pongLine("5"), one(pingLine("5")))
		assert.Equal(t, textLine("6", "hi"), one(getLine("6", "text")))
		require.NoError(t, c.end())
	})
}

// DSC-21: no extension is advertised that the author has not asked for.
func TestNoExtensions(t *testing.T) {
	t.Parallel()
	own := prompts.NewServer(nil, prompts.Options{Capabilities: map[string]any{"extensions": map[string]any{"org.example/x": struct{}{}}}})
	for s, want := range map[*prompts.Server]bool{prompts.NewServer(nil, prompts.Options{}): false, own: true} {
		got, err := handle(t, s, nil, envelopedLine("1", "server/discover", ""))
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(got, "extensions"))
		for _, version := range handshakeVersions {
			got, err := handle(t, s, s.NewSession(transport.SessionOptions{}), initializeIn(version))
			require.NoError(t, err)
			assert.Equal(t, want, strings.Contains(got, "extensions"), version)
		}
		assert.NotContains(t, s.Capabilities(), "extensions")
	}
}

// announcement asks which version it is about.
func announcement(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
	release, err := prompts.Elicit[struct {
		Version string `json:"version"`
	}](ctx, "release", "Which?")
	if err != nil {
		return nil, err
	}
	return prompts.Messages(prompts.User(release.Version)), nil
}

// PRL-14, MRT-03: a list is never put off for an answer, whatever a filter asks.
func TestListAsksNobody(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{ElicitArguments: true, Visible: func(ctx context.Context, _ prompts.Prompt) bool {
		_, err := announcement(ctx, nil)
		return errors.Is(err, prompts.ErrElicitationUnavailable)
	}})
	for _, params := range []string{"", `"cursor":null`} {
		got, err := handle(t, s, nil, envelopedLine("1", "prompts/list", params))
		require.NoError(t, err)
		assert.Contains(t, got, `"resultType":"complete"`)
		assert.Contains(t, got, `"name":"text"`)
	}
}
