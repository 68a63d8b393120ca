package prompts_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// CCH-01: the result of a list says how it may be cached. JRP-09, MET-09: a _meta or a
// resultType that is null, such as from a nil map of the application, counts as absent.
func TestMethodResultsAreCompleted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ method, result, want string }{
		{"tools/list", `{"tools":[]}`, `"ttlMs":0,"cacheScope":"private","tools":[],`},
		{"resources/list", `{"resources":[],"ttlMs":5}`, `"cacheScope":"private","resources":[],"ttlMs":5,`},
		{"resources/templates/list", `{"resourceTemplates":[],"cacheScope":"public"}`, `"ttlMs":0,"resourceTemplates":[],"cacheScope":"public",`},
		{"resources/read", `{"contents":[],"ttlMs":1,"cacheScope":"public"}`, `"contents":[],"ttlMs":1,"cacheScope":"public",`},
		{"tools/call", `{"content":[]}`, `"content":[],`},
		{"raw", `{"_meta":null}`, ``},
		{"raw", `{"resultType":null}`, ``},
	} {
		s := prompts.NewServer(nil, prompts.Options{Methods: map[string]prompts.Method{test.method: func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(test.result), nil
		}}})
		got := answerTo(t, s, nil, envelopedLine("1", test.method, ""))
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+test.want+`"_meta":{`+ownIdentity+`}}}`, got)
	}
}
