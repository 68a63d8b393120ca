package prompts_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

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
		got := answerTo(t, s, nil, envelopedLine("1", test.method, ""))
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+test.want+`,"_meta":{`+ownIdentity+`}}}`, got)
	}
}

// JRP-09, MET-09: a _meta or a resultType that is null, such as a nil map of the
// author's makes it, is as if it were absent: no member is sent twice.
func TestMethodResultWithNullMembers(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{"_meta":null}`, `{"resultType":null}`} {
		s := prompts.NewServer(nil, prompts.Options{Methods: map[string]prompts.Method{"raw": func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(result), nil
		}}})
		got := answerTo(t, s, nil, envelopedLine("1", "raw", ""))
		assert.Equal(t, 1, strings.Count(got, `"_meta":`), got)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{`+ownIdentity+`}}}`, got)
	}
}
