package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttools"
)

// What the APIs of models accept as a tool's name, and as a key of its schema.
var (
	legalTool = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	legalKey  = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

var longName = strings.Repeat("プ", 20) // 140 bytes with escapes

// foreign returns a prompt with names that models reject.
func foreign() prompts.Prompt {
	type in struct {
		Size int    `json:"größe" minimum:"1"`
		Path string `json:"file path,omitempty"`
		Long string `json:"llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll,omitempty"`
	}
	return prompts.NewText(prompts.Prompt{Name: longName, Description: "d"}, func(_ context.Context, in in) (string, error) {
		return fmt.Sprintf("%d of %q, %q", in.Size, in.Path, in.Long), nil
	})
}

// lists and calls the prompt of foreign, and returns what is wrong with the answers. ask is a
// request of a client.
func checkForeign(t *testing.T, pair *prompttools.Pair, ask func(method, params string) string) {
	t.Helper()
	var list struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Properties map[string]any }
		}
	}
	text := ask("tools/list", `{}`)
	require.NoError(t, json.Unmarshal([]byte(text), &list), text)
	long := "{}"
	for _, tool := range list.Tools {
		assert.Regexp(t, legalTool, tool.Name)
		for key := range tool.InputSchema.Properties {
			assert.Regexp(t, legalKey, key)
			if strings.HasPrefix(key, "lll") {
				long = fmt.Sprintf(`{"gr_xf6__xdf_e":1,%q:"x"}`, key)
			}
		}
	}
	call := func(arguments string) string {
		if pair != nil {
			return ask("tools/call", fmt.Sprintf(`{"name":"get_prompt","arguments":{"name":%q,"arguments":%s}}`, longName, arguments))
		}
		return ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, prompttools.ToolName(longName), arguments))
	}
	asText := func(object string) string {
		text, err := json.Marshal(object)
		require.NoError(t, err)
		return string(text)
	}
	for arguments, want := range map[string]string{
		`{"größe":5,"file path":"/a"}`: `5 of \"/a\", \"\"`,
		`{"größe":"2000"}`:             `2000 of`,
		`{"größe":"2000.5"}`:           `größe must be an integer, got \"2000.5\"`,
		`{"größe":0}`:                  `größe must be at least 1, got 0`,
	} {
		assert.Contains(t, call(arguments), want, arguments)
		if pair != nil {
			assert.Contains(t, call(asText(arguments)), want, arguments)
		}
	}
	if pair != nil {
		assert.Contains(t, call(asText(`{"größe":1,"größe":1}`)), `duplicate key`)
		assert.Contains(t, ask("tools/call", `{"name":"list_prompts","arguments":{}}`), `größe`)
		return
	}
	assert.Contains(t, call(long), `1 of \"\", \"x\"`)
	for arguments, want := range map[string]string{
		`{"gr_xf6__xdf_e":5,"file_x20_path":"/a"}`: `5 of \"/a\", \"\"`,
		`{"gr_xf6__xdf_e":"2000"}`:                 `2000 of`,
		`{"gr_xf6__xdf_e":0}`:                      `gr_xf6__xdf_e must be at least 1, got 0`,
		`{}`:                                       `gr_xf6__xdf_e is required`,
		`{"gr_xf6__xdf_e":1,"größe":1}`:            `gr_xf6__xdf_e is not an argument of this prompt`,
	} {
		assert.Contains(t, call(arguments), want, arguments)
	}
}

// Models accept the names and keys of all tools, and a call by key or by name arrives, over
// each transport, on a server of this library and of another SDK, in each protocol version.
func TestNamesThatModelsReject(t *testing.T) {
	t.Parallel()
	pairs := map[string]*prompttools.Pair{"tools": nil, "pair": {}}
	for name, newHome := range homes {
		for _, transport := range []string{"stdio", "http"} {
			for _, version := range []string{oldest, older, canAsk, newest, stateless} {
				for tools, pair := range pairs {
					t.Run(strings.Join([]string{name, transport, version, tools}, "/"), func(t *testing.T) {
						if name != "mcpgo" || transport != "stdio" { // of which mcp-go has one in a process
							t.Parallel()
						}
						c := newCabinet(t)
						require.NoError(t, c.prompts.Set(foreign()))
						client := dialHidden(t, newHome(t, c, pair), transport, version, owner)
						defer client.close()
						checkForeign(t, pair, client.ask)
					})
				}
			}
		}
	}
	for tools, pair := range pairs {
		var reg prompts.Registry
		reg.MustAdd(foreign())
		feat, err := prompttools.New(&reg, prompttools.Options{Pair: pair, Select: func(prompts.Prompt) bool { return true }})
		require.NoError(t, err)
		srv := prompts.MustNewServer(&reg, prompts.Options{Features: []feature.Feature{feat}})
		for _, version := range []string{oldest, older, canAsk, newest, stateless} {
			t.Run(strings.Join([]string{"Call", version, tools}, "/"), func(t *testing.T) {
				t.Parallel()
				checkForeign(t, pair, func(method, params string) string {
					result, err := srv.Call(t.Context(), method, json.RawMessage(params), prompts.CallOptions{Version: version})
					require.NoError(t, err)
					return string(result)
				})
			})
		}
		for _, transport := range []string{"stdio", "http"} {
			t.Run(strings.Join([]string{"batch", transport, tools}, "/"), func(t *testing.T) {
				t.Parallel()
				c := newCabinet(t)
				require.NoError(t, c.prompts.Set(foreign()))
				client := dialHidden(t, homes["native"](t, c, pair), transport, older, owner)
				defer client.close()
				checkForeign(t, pair, func(method, params string) string {
					msg := client.message(method, params)
					before := len(client.unasked())
					client.post(method, "["+msg+"]")
					var replies []struct{ Result json.RawMessage }
					client.wait("the batch", func() bool { return len(strings.Join(client.said, "\n")) > before })
					said := strings.Split(strings.TrimSpace(client.unasked()[before:]), "\n")
					require.NoError(t, json.Unmarshal([]byte(said[len(said)-1]), &replies), "%s", said)
					require.Len(t, replies, 1)
					return string(replies[0].Result)
				})
			})
		}
	}
}
