package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// JRP-23, JRP-24: what a Method may answer with elsewhere, a client of
// 2026-07-28 gets in codes that its revision has.
func TestCodesOfMethods(t *testing.T) {
	t.Parallel()
	// What the specification demands of the data of these codes.
	const data = `{"elicitations":[],"requested":"","requiredCapabilities":{},"supported":[]}`
	for code, want := range map[prompts.Code]prompts.Code{
		-32002: prompts.CodeInvalidParams, -32042: prompts.CodeInternalError, -32023: prompts.CodeInternalError, -32099: prompts.CodeInternalError,
		-32020: -32020, -32021: -32021, -32022: -32022, -32100: -32100, -32603: -32603, 7: 7,
	} {
		s := prompts.NewServer(nil, prompts.Options{Methods: map[string]prompts.Method{"m": func(context.Context, json.RawMessage) (any, error) {
			return nil, &prompts.Error{Code: code, Message: "no", Data: json.RawMessage(data)}
		}}})
		for version, want := range map[string]prompts.Code{"2026-07-28": want, "2025-11-25": code} {
			request, session := `{"jsonrpc":"2.0","id":1,"method":"m"}`, sessionIn(t, s, "2025-11-25")
			if version == "2026-07-28" {
				request, session = envelopedLine("1", "m", ""), nil
			}
			got, err := handle(t, s, session, request)
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"no","data":%s}}`, want, data), got, "%d in %s", code, version)
		}
	}
}

// CCH-01: a list that does not say how it may be cached must not be.
func TestMethodsThatAreLists(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ method, result, want string }{
		{"tools/list", `{"tools":[]}`, `"ttlMs":0,"cacheScope":"private","tools":[]`},
		{"resources/list", `{"resources":[],"ttlMs":5}`, `"cacheScope":"private","resources":[],"ttlMs":5`},
		{"resources/templates/list", `{"resourceTemplates":[],"cacheScope":"public"}`, `"ttlMs":0,"resourceTemplates":[],"cacheScope":"public"`},
		{"resources/read", `{"contents":[],"ttlMs":1,"cacheScope":"public"}`, `"contents":[],"ttlMs":1,"cacheScope":"public"`},
		{"tools/call", `{"content":[]}`, `"content":[]`},
	} {
		s := prompts.NewServer(nil, prompts.Options{Methods: map[string]prompts.Method{test.method: func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(test.result), nil
		}}})
		got, err := handle(t, s, nil, envelopedLine("1", test.method, ""))
		require.NoError(t, err)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+test.want+`,"_meta":{`+ownIdentity+`}}}`, got)
	}
}
