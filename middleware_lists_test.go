package prompts

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// STD-02: on a wire that ends messages with newlines, a list has none.
func TestMiddlewareListIsCompacted(t *testing.T) {
	t.Parallel()
	const want = `{"prompts":[{"name":"a b","title":"x\ny"},{"name":"c"}],"nextCursor":"n"}`
	indented, err := json.MarshalIndent(json.RawMessage(want), "\t", "  ")
	require.NoError(t, err)
	for name, list := range map[string]string{
		"as it is":           want,
		"indented":           string(indented),
		"a trailing newline": want + "\n",
		"space before it":    " \r\n\t" + want,
		"space within":       strings.ReplaceAll(want, `},{`, "} ,\n {"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(nil, Options{Middleware: instead(&Response{List: json.RawMessage(list)}, nil)})
			got, err := handle(t, s, newSession(t, s), plainList)
			require.NoError(t, err)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+want+`}`, got)
			got, err = handle(t, s, nil, envelopedLine("1", "prompts/list", ""))
			require.NoError(t, err)
			assert.Contains(t, got, `"result":`+strings.TrimSuffix(want, "}")+`,"resultType":"complete"`)
		})
	}
}

// PAG-03: what the middleware has made of a list is looked into.
func TestMiddlewareListIsChecked(t *testing.T) {
	t.Parallel()
	const noName = "it has a prompt without a name"
	for _, test := range []struct{ list, log string }{
		{`{"prompts":[null]}`, noName},
		{`{"prompts":["a"]}`, noName},
		{`{"prompts":[[]]}`, noName},
		{`{"prompts":[{"name":"a"},{}]}`, noName},
		{`{"prompts":[{"name":null}]}`, noName},
		{`{"prompts":[{"name":7}]}`, noName},
		{`{"prompts":[{"Name":"a"}]}`, noName},
		{`{"prompts":[],"nextCursor":7}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextCursor":null}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextCursor":{}}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextCursor":""}`, "its nextCursor is not a string"},
		{`{"prompts":[],"nextcursor":"a"}`, `it has a member \"nextcursor\"`},
		{`{"prompts":[],"_meta":{}}`, `it has a member \"_meta\"`},
		{`{"prompts":[],"ttlMs":1}`, `it has a member \"ttlMs\"`},
	} {
		t.Run(test.list, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: instead(&Response{List: json.RawMessage(test.list)}, nil)})
			for session, line := range map[*Session]string{newSession(t, s): plainList, nil: envelopedLine("1", "prompts/list", "")} {
				got, err := handle(t, s, session, line)
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", CodeInternalError, listFailed), got)
			}
			assert.Equal(t, 2, strings.Count(j.String(), "the middleware's list: "+test.log))
		})
	}
}

// The server's own list, changed in place, is one of the middleware's.
func TestMiddlewareChangesTheListInPlace(t *testing.T) {
	t.Parallel()
	var change func(list json.RawMessage) json.RawMessage
	s := NewServer(registryOf(textPrompt("text", "hi")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		response, err := next(ctx, r)
		if err == nil {
			response.List = change(response.List)
		}
		return response, err
	})})
	session := newSession(t, s)
	for _, test := range []struct{ from, to, want string }{
		{`text`, `TEXT`, `{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"TEXT"}]}}`},
		{`name`, `Name`, errorLine("1", CodeInternalError, listFailed)},
		{`"text"`, "\"te\nt\"", errorLine("1", CodeInternalError, listFailed)},
		{`prompts`, `results`, errorLine("1", CodeInternalError, listFailed)},
		{`[{"name":"text"}]`, `[               ]`, emptyList},
	} {
		require.Len(t, test.to, len(test.from))
		change = func(list json.RawMessage) json.RawMessage {
			copy(list[strings.Index(string(list), test.from):], test.to)
			return list
		}
		got, err := handle(t, s, session, plainList)
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
	}
	for _, empty := range []json.RawMessage{nil, {}} {
		change = func(json.RawMessage) json.RawMessage { return empty }
		got, err := handle(t, s, session, plainList)
		require.NoError(t, err)
		assert.Equal(t, errorLine("1", CodeInternalError, listFailed), got)
	}
}

// CMP-05, CMP-06: there are more values if the total says so, however many are
// sent.
func TestMiddlewareKnowsOfMoreValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values, total int
		sent, says    int
		more          bool
	}{
		{0, 0, 0, 0, false}, {0, 1, 0, 1, true}, {1, 0, 1, 1, false}, {2, 2, 2, 2, false}, {2, 3, 2, 3, true},
		{99, 100, 99, 100, true}, {100, 100, 100, 100, false}, {100, 101, 100, 101, true}, {101, 0, 100, 101, true}, {101, 7, 100, 101, true},
	} {
		values := slices.Repeat([]string{"v"}, test.values)
		s := NewServer(nil, Options{Middleware: instead(&Response{Values: values, Total: test.total}, nil)})
		got, err := handle(t, s, newSession(t, s), completeLine("1", "p", "a", ""))
		require.NoError(t, err)
		want := strings.Join(slices.Repeat([]string{`"v"`}, test.sent), ",")
		assert.Equal(t, completionLine("1", want, test.says, test.more), got, "%d of %d", test.values, test.total)
	}
}

// PAG-03, PAG-06: a cursor is whatever the middleware makes of it. Next knows
// none but the server's, and without a middleware there is no other.
func TestMiddlewareHasItsOwnCursor(t *testing.T) {
	t.Parallel()
	const refused = `"error":{"code":-32602,"message":"cursor is not one that this server has given","data":{"param":"cursor"}}`
	owning := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		if r.Cursor == "page 2 \u2028" {
			return &Response{List: json.RawMessage(`{"prompts":[{"name":"mine"}]}`)}, nil
		}
		if r.Cursor == "" {
			return &Response{List: json.RawMessage(`{"prompts":[],"nextCursor":"page 2 \u2028"}`)}, nil
		}
		return next(ctx, r)
	})})
	passes := NewServer(traveller(), Options{Middleware: passing})
	plain := NewServer(traveller(), Options{})
	ask := func(s *Server, version, cursor string) string {
		t.Helper()
		var session *Session
		line := envelopedLine("1", "prompts/list", `"cursor":`+cursor)
		if version != "2026-07-28" {
			session, line = sessionIn(t, s, version), `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":`+cursor+`}}`
		}
		got, err := handle(t, s, session, line)
		require.NoError(t, err)
		return got
	}
	for _, version := range append(slices.Clone(handshakeVersions), "2026-07-28") {
		assert.Contains(t, ask(owning, version, "null"), `"nextCursor":"page 2 \u2028"`, version)
		assert.Contains(t, ask(owning, version, `"page 2 \u2028"`), `{"prompts":[{"name":"mine"}]`, version)
		for _, cursor := range []string{`"page 3"`, `"AQ"`, `""`} {
			assert.Contains(t, ask(owning, version, cursor), refused, "%s: next does not know %s", version, cursor)
			assert.Contains(t, ask(passes, version, cursor), refused, "%s: next does not know %s", version, cursor)
			assert.Contains(t, ask(plain, version, cursor), refused, "%s: nobody knows %s", version, cursor)
		}
	}
}
