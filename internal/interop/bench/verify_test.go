package bench_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// verify wants the right answers of a server, and returns the request for the
// page in the middle of its list: cursors are each server's own.
func verify(tb testing.TB, s server) (list []byte) {
	tb.Helper()
	for _, get := range [][]byte{getRequest(tb), statelessGetRequest(tb)} {
		ask(tb, s, get, func(result json.RawMessage) {
			var got struct {
				Messages json.RawMessage `json:"messages"`
			}
			require.NoError(tb, json.Unmarshal(result, &got))
			want := []any{map[string]any{
				"role":    "user",
				"content": map[string]any{"type": "text", "text": text(language, code)},
			}}
			requireJSON(tb, want, got.Messages)
		})
	}

	cursor := ""
	for page := range walked + 1 {
		list = listRequest(tb, cursor)
		ask(tb, s, list, func(result json.RawMessage) {
			var got struct {
				Prompts    json.RawMessage `json:"prompts"`
				NextCursor string          `json:"nextCursor"`
			}
			require.NoError(tb, json.Unmarshal(result, &got))
			requireJSON(tb, wantPage(page), got.Prompts)
			cursor = got.NextCursor
		})
	}
	return list
}

func wantPage(page int) []any {
	var entries []any
	for i := page * pageSize; i < (page+1)*pageSize; i++ {
		entries = append(entries, map[string]any{
			"name":        promptName(i),
			"description": promptDescription(i),
			"arguments": []any{
				map[string]any{"name": "code", "description": codeArgument, "required": true},
				map[string]any{"name": "language", "description": languageArgument, "required": true},
			},
		})
	}
	return entries
}

// ask gives the result of a request to judge.
func ask(tb testing.TB, s server, request []byte, judge func(result json.RawMessage)) {
	tb.Helper()
	answered := false
	require.NoError(tb, s(request, func(msg []byte) {
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		require.NoError(tb, json.Unmarshal(msg, &answer))
		require.Equal(tb, 1, answer.ID)
		require.NotEmpty(tb, answer.Result, "%s", msg)
		judge(answer.Result)
		answered = true
	}))
	require.True(tb, answered)
}

func requireJSON(tb testing.TB, want any, got json.RawMessage) {
	tb.Helper()
	text, err := json.Marshal(want)
	require.NoError(tb, err)
	require.JSONEq(tb, string(text), string(got))
}
