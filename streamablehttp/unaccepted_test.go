package streamablehttp

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fault is the error response of a reply, all of its members.
func (r reply) fault(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(r.body), &all), r.body)
	return all
}

const response = `{"jsonrpc":"2.0","id":1,"result":{}}`

// HTO-08, HTO-09, HTO-28, HTO-29, GAP-13, GAP-32: what has no answer is
// accepted without a word, or refused with an error that has no id.
func TestUnaccepted(t *testing.T) {
	t.Parallel()
	p, without := newPlace(t, Options{}), newPlace(t, Options{DisableSessions: true})
	batches, session := p.session("2025-03-26"), p.session("2025-11-25")
	for _, test := range []struct {
		name   string
		place  *place
		header header
		body   string
		status int
		code   int
	}{
		{"a notification", p, session, `{"jsonrpc":"2.0","method":"notifications/other","params":{}}`, 202, 0},
		{"a notification of no JSON-RPC", p, session, `{"jsonrpc":"1.0","method":"notifications/initialized"}`, 400, -32600},
		{"a notification with a result", p, session, `{"jsonrpc":"2.0","method":"notifications/initialized","result":{}}`, 400, -32600},
		{"a notification of no method", p, session, `{"jsonrpc":"2.0","method":""}`, 400, -32600},
		{"a notification with a member twice", p, session, `{"jsonrpc":"2.0","method":"notifications/initialized","method":"notifications/initialized"}`, 400, -32600},
		{"a notification with a member in another case", p, session, `{"jsonrpc":"2.0","method":"notifications/initialized","Params":{}}`, 400, -32600},
		{"a notification of an unknown session", p, session.with(headerSession, "x"), initialized, 404, -32600},
		{"a notification of no session", p, session.with(headerSession, ""), initialized, 400, -32600},
		{"a notification of two sessions", p, session.with(headerSession, "a|b"), initialized, 400, -32020},
		{"a notification of an unsupported version", p, session.with(headerVersion, "1999-01-01"), initialized, 400, -32600},
		{"a notification without sessions", without, nil, initialized, 202, 0},
		{"a malformed notification without sessions", without, nil, `{"jsonrpc":"1.0","method":"notifications/initialized"}`, 400, -32600},
		{"a modern notification", p, header{headerVersion: modern}, initialized, 202, 0},
		{"a malformed modern notification", p, header{headerVersion: modern}, `{"jsonrpc":"1.0","method":"notifications/initialized"}`, 400, -32600},

		{"a response", p, session, response, 202, 0},
		{"a response with an unknown id", p, session, `{"jsonrpc":"2.0","id":"unknown","result":{}}`, 202, 0},
		{"an error without an id", p, session, `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`, 202, 0},
		{"a response of no JSON-RPC", p, session, `{"jsonrpc":"1.0","id":1,"result":{}}`, 400, -32600},
		{"a response with a member in another case", p, session, `{"jsonrpc":"2.0","id":1,"result":{},"Error":{}}`, 400, -32600},
		{"a response whose id is an object", p, session, `{"jsonrpc":"2.0","id":{},"result":{}}`, 400, -32600},
		{"a response of an unknown session", p, session.with(headerSession, "x"), response, 404, -32600},
		{"a response of no session", p, session.with(headerSession, ""), response, 400, -32600},
		{"a response without sessions", without, nil, response, 400, -32600},
		{"a response without sessions, of a version", without, header{headerVersion: "2025-11-25"}, response, 400, -32600},
		{"a modern response", p, header{headerVersion: modern}, response, 400, -32600},
		{"a modern response of a session", p, session.with(headerVersion, modern), response, 400, -32600},
		{"a modern response without sessions", without, header{headerVersion: modern}, response, 400, -32600},
		{"a response of a version to come", p, header{headerVersion: "2999-01-01"}, response, 400, -32600},

		{"a batch of notifications", p, batches, `[` + initialized + `,` + initialized + `]`, 202, 0},
		{"a batch with a malformed notification", p, batches, `[` + initialized + `,{"jsonrpc":"1.0","method":"notifications/initialized"}]`, 400, -32600},
		{"a batch with a malformed notification first", p, batches, `[{"jsonrpc":"1.0","method":"notifications/initialized"},` + initialized + `]`, 400, -32600},
		{"a batch with a malformed response", p, batches, `[` + response + `,{"jsonrpc":"1.0","id":1,"result":{}}]`, 400, -32600},
		{"a batch of responses", p, batches, `[` + response + `,` + response + `]`, 202, 0},
		{"a batch of 2025-11-25", p, session, `[` + initialized + `]`, 400, -32600},
		{"a batch of 2025-06-18", p, p.session("2025-06-18"), `[` + initialized + `]`, 400, -32600},
		{"a batch of responses of 2025-11-25", p, session, `[` + response + `]`, 400, -32600},
		{"a modern batch", p, header{headerVersion: modern}, `[` + initialized + `]`, 400, -32600},
		{"a modern batch of a session that has batches", p, batches.with(headerVersion, modern), `[` + initialized + `]`, 400, -32600},
		{"a batch of no session", p, nil, `[` + initialized + `]`, 400, -32600},
		{"a batch of an unknown session", p, batches.with(headerSession, "x"), `[` + initialized + `]`, 404, -32600},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := test.place.post(test.body, test.header)
			assert.Equal(t, test.status, r.status, r.body)
			assert.Empty(t, r.header.Values(headerSession))
			if test.status == http.StatusAccepted {
				assert.Empty(t, r.body)
				assert.Empty(t, r.header.Get("Content-Type"))
				return
			}
			assert.Equal(t, "application/json", r.header.Get("Content-Type"))
			assert.Equal(t, test.code, r.code(), r.body)
			fault := r.fault(t)
			assert.NotContains(t, fault, "id")
			assert.Equal(t, `"2.0"`, string(fault["jsonrpc"]))
			assert.Regexp(t, `"message":"[^"]`, string(fault["error"]))
		})
	}
}

// GAP-15: a batch that has a request is answered for it, whatever is wrong with
// a notification beside it.
func TestBatchBesideMalformed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	r := p.post(`[{"jsonrpc":"1.0","method":"notifications/initialized"},`+listBody+`]`, p.session("2025-03-26"))
	assert.Equal(t, http.StatusOK, r.status, r.body)
	assert.Regexp(t, `^\[\{.*"id":1,.*"prompts":.*\}\]$`, r.body)
}

// HTO-11, HTO-12, PRO-10: the progress of a batch comes before its answers, which
// come together.
func TestBatchProgress(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	r := p.post(`[`+oldGet("1", "progress")+`,`+oldGet("2", "text")+`,`+oldGet("3", "progress")+`]`, p.session("2025-03-26"))
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
	all := r.events()
	require.Len(t, all, 3, r.body)
	for _, progress := range all[:2] {
		assert.Contains(t, progress, `"method":"notifications/progress"`)
	}
	var answers []struct {
		ID     int
		Result json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(all[2]), &answers), all[2])
	var ids []int
	for _, a := range answers {
		ids = append(ids, a.ID)
		assert.NotEmpty(t, a.Result)
	}
	assert.ElementsMatch(t, []int{1, 2, 3}, ids)
}
