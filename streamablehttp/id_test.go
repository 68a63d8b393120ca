package streamablehttp

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// GAP-13, GAP-16: an error response has the id of its message, whatever else is wrong with the
// message or its headers: in a session, in a server without sessions, statelessly, and before the
// session is found.
func TestErrorsHaveTheID(t *testing.T) {
	t.Parallel()
	p, detached := newPlace(t, Options{}), newPlace(t, Options{DisableSessions: true})
	session := p.session("2025-11-25")
	stateless, mirror := modernGet("text")
	for _, request := range []struct {
		place  *place
		header header
	}{
		{p, session}, {p, nil}, {p, session.with(headerSession, "unknown")}, {p, session.with(headerVersion, "2027-01-01")}, {p, mirror},
		{detached, nil}, {detached, header{headerVersion: "2025-11-25"}}, {detached, mirror},
	} {
		for _, body := range []string{
			`{"jsonrpc":"1.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":9007199254740993}`, `{"jsonrpc":"2.0","id":"\u0061","method":7}`,
			`{"jsonrpc":"2.0","id":1,"ID":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"Method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud83d"}}`,
			`{"jsonrpc":"2.0","id":-1,"method":"ping","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`,
			`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"`,
		} {
			want := `"id":` + servertest.IDOf(body, wire.MaxIDBytes) + `,"error"`
			if want == `"id":,"error"` {
				want = `{"jsonrpc":"2.0","error"`
			}
			assert.Contains(t, request.place.post(body, request.header).body, want, "%s %v", body, request.header)
		}
	}
	for _, h := range []header{nil, mirror.with(headerName, "other"), mirror.with(headerMethod, "ping"), mirror.with(headerVersion, "2025-11-25"), mirror.with(headerVersion, modern+"|2025-11-25")} {
		assert.Contains(t, p.post(stateless, h).body, `"id":1,"error"`, "%v", h)
	}
}

// GAP-13, GAP-15: in a batch that breaks a rule of JSON, each request has its id. Without a
// session of the only version that has batches, there is one error.
func TestErrorsOfABatchHaveIDs(t *testing.T) {
	t.Parallel()
	p, detached := newPlace(t, Options{}), newPlace(t, Options{DisableSessions: true})
	const (
		batch = `[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":1,"a":1}}]`
		why   = `"error":{"code":-32600,"message":"batch rejected: duplicate key \"a\" at byte 131"}}`
		each  = `[{"jsonrpc":"2.0","id":"a",` + why + `,{"jsonrpc":"2.0","id":2,` + why + `]`
		one   = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"duplicate key \"a\" at byte 131"}}`
	)
	r := p.post(batch, p.session("2025-03-26"))
	assert.Equal(t, each, r.body)
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, each, detached.post(batch, header{headerVersion: "2025-03-26"}).body)
	for _, h := range []header{nil, p.session("2025-11-25")} {
		r := p.post(batch, h)
		assert.Equal(t, one, r.body, "%v", h)
		assert.Equal(t, http.StatusBadRequest, r.status, "%v", h)
	}
	r = p.post(batch, header{headerSession: "unknown"})
	assert.Equal(t, one, r.body)
	assert.Equal(t, http.StatusNotFound, r.status, "the session has ended, too")
}

// GAP-13: a request whose session ends has its id in the 404. A batch has none.
func TestEndOfASessionHasTheID(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]struct{ body, response string }{
		"2025-11-25": {oldGet(`"\u0061"`, "wait"), `{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32600`},
		"2025-03-26": {"[" + oldGet("1", "wait") + "," + oldGet("2", "wait") + "]", `{"jsonrpc":"2.0","error":{"code":-32600`},
	} {
		p := newPlace(t, Options{})
		h := p.session(version)
		ended := make(chan reply, 1)
		go func() { ended <- p.post(want.body, h.with("Accept", "application/json")) }() // ends with the session
		await(t, p.started)
		assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
		r := await(t, ended)
		assert.Equal(t, http.StatusNotFound, r.status)
		assert.Contains(t, r.body, want.response)
	}
}
