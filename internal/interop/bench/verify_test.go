package bench_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/bench"
)

// verifyGet wants the right prompt of a server, in both eras.
func verifyGet(tb testing.TB, s server, o setup) {
	tb.Helper()
	for _, get := range [][]byte{getRequest(tb, o), statelessGetRequest(tb, o)} {
		ask(tb, s, get, func(result json.RawMessage) { requireText(tb, wantText(o), result) })
	}
}

// requireText wants the result of prompts/get to be one message of text.
func requireText(tb testing.TB, text string, result json.RawMessage) {
	tb.Helper()
	var got struct {
		Messages json.RawMessage `json:"messages"`
	}
	require.NoError(tb, json.Unmarshal(result, &got))
	requireJSON(tb, []any{map[string]any{
		"role":    "user",
		"content": map[string]any{"type": "text", "text": text},
	}}, got.Messages)
}

// verifyList wants the right pages of a server, and returns the request for
// the one in the middle of its list: cursors are each server's own.
func verifyList(tb testing.TB, s server, o setup) (list []byte) {
	tb.Helper()
	cursor := ""
	for page := range o.prompts/o.page/2 + 1 {
		list = listRequest(tb, cursor)
		ask(tb, s, list, func(result json.RawMessage) {
			var got struct {
				Prompts    json.RawMessage `json:"prompts"`
				NextCursor string          `json:"nextCursor"`
			}
			require.NoError(tb, json.Unmarshal(result, &got))
			requireJSON(tb, wantPage(page, o), got.Prompts)
			cursor = got.NextCursor
		})
	}
	return list
}

func wantPage(page int, o setup) []any {
	var entries []any
	for i := page * o.page; i < (page+1)*o.page; i++ {
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

// verifyWalk wants all names in order, and returns the requests of the walk,
// those of its beginning if the server does not come to its end in time.
func verifyWalk(tb testing.TB, s server, o setup) (pages [][]byte, inTime bool) {
	tb.Helper()
	var spent time.Duration // by the server
	timed := func(request []byte, answer func([]byte)) error {
		var got []byte
		begun := time.Now()
		err := s(request, func(msg []byte) { got = bytes.Clone(msg) })
		spent += time.Since(begun)
		answer(got)
		return err
	}
	seen, cursor := 0, ""
	for spent < bench.Limit {
		list := listRequest(tb, cursor)
		pages = append(pages, list)
		var names []string
		names, cursor = namesOf(tb, timed, list)
		for _, name := range names {
			if want := promptName(seen); name != want {
				require.Equal(tb, want, name)
			}
			seen++
		}
		if cursor == "" || len(names) == 0 {
			require.Equal(tb, o.prompts, seen)
			return pages, true
		}
	}
	return pages, false
}

// namesOf returns the names of a page, and the cursor of the next.
func namesOf(tb testing.TB, s server, list []byte) (names []string, cursor string) {
	tb.Helper()
	ask(tb, s, list, func(result json.RawMessage) {
		var got struct {
			Prompts []struct {
				Name string `json:"name"`
			} `json:"prompts"`
			NextCursor string `json:"nextCursor"`
		}
		require.NoError(tb, json.Unmarshal(result, &got))
		for _, p := range got.Prompts {
			names = append(names, p.Name)
		}
		cursor = got.NextCursor
	})
	return names, cursor
}

// initialize shakes hands; after notifications/initialized the server is
// ready.
func initialize(tb testing.TB, s server) {
	tb.Helper()
	ask(tb, s, initializeRequest(tb), func(result json.RawMessage) {
		var got struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		require.NoError(tb, json.Unmarshal(result, &got))
		require.Equal(tb, "2025-11-25", got.ProtocolVersion)
	})
}

// ask gives the result of a request to judge.
func ask(tb testing.TB, s server, request []byte, judge func(result json.RawMessage)) {
	tb.Helper()
	answered := false
	require.NoError(tb, s(request, func(msg []byte) {
		judge(resultOf(tb, msg))
		answered = true
	}))
	require.True(tb, answered)
}

// resultOf returns the result of the answer to request 1.
func resultOf(tb testing.TB, msg []byte) json.RawMessage {
	tb.Helper()
	var answer struct {
		ID     int             `json:"id"`
		Result json.RawMessage `json:"result"`
	}
	require.NoError(tb, json.Unmarshal(msg, &answer))
	require.Equal(tb, 1, answer.ID)
	require.NotEmpty(tb, answer.Result, "%s", msg)
	return answer.Result
}

func requireJSON(tb testing.TB, want any, got json.RawMessage) {
	tb.Helper()
	text, err := json.Marshal(want)
	require.NoError(tb, err)
	require.JSONEq(tb, string(text), string(got))
}
