package streamablehttp

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// confided is what a client says in confidence.
const confided = "c4n4ry"

// logbook keeps what is logged.
type logbook struct {
	mu  sync.Mutex // protects the field below
	buf bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Nothing that a client says in confidence over HTTP is in any record of the log,
// of whatever level: neither what is in its headers and its URL, nor its session
// id, nor what is in its body; and neither in good requests nor in bad ones, in
// both eras. Its principal is not either.
func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	var log logbook
	p := newPlaceOf(t, prompts.Options{
		Logger:    slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.Level(math.MinInt)})),
		Principal: func(context.Context) (string, error) { return "user " + confided, nil },
	}, Options{})
	fails := func(context.Context, map[string]string) (*prompts.Result, error) { return nil, errors.New("no disk") }
	panics := func(context.Context, map[string]string) (*prompts.Result, error) { panic("no disk") }
	arguments := []prompts.Argument{{Name: "a", Enum: []string{"x"}}, {Name: "b"}}
	p.registry.MustAdd(
		prompts.Prompt{Name: "fails", Arguments: arguments, Render: fails},
		prompts.Prompt{Name: "panics", Arguments: arguments, Render: panics},
	)
	inConfidence := func(h header) header {
		return h.with("Authorization", "Bearer "+confided, "Cookie", "a="+confided, "Last-Event-Id", confided, "X-Api-Key", confided, "Traceparent", confided)
	}
	session := p.session("2025-11-25")
	send := func(method, body string, h header) reply {
		r := p.request(method, body, inConfidence(h))
		r.URL.RawQuery = "token=" + confided
		return p.do(r)
	}
	said := []string{`"arguments":{"b":"` + confided + `"}`, `"arguments":{"a":"` + confided + `"}`, `"arguments":{"` + confided + `":1}`, `"arguments":"` + confided + `"`, `"requestState":"` + confided + `"`}
	for _, name := range []string{"text", "fails", "panics", "ask", "progress", "none"} {
		for _, more := range said {
			old := `{"jsonrpc":"2.0","id":"` + confided + `","method":"prompts/get","params":{"name":"` + name + `",` + more + `,"_meta":{"progressToken":"` + confided + `"}}}`
			if name != "ask" { // which would have to be answered
				send(http.MethodPost, old, session)
			}
			send(http.MethodPost, old, session.with(headerSession, confided))
			send(http.MethodPost, old, nil)
			send(http.MethodPost, "["+old+"]", session)
			send(http.MethodPost, old[1:], session)
			body, mirror := modernBody("prompts/get", `"name":"`+name+`",`+more+`,`), modernHeader("prompts/get", name)
			body = strings.Replace(body, `"id":1`, `"id":"`+confided+`"`, 1)
			send(http.MethodPost, body, mirror)
			send(http.MethodPost, body, mirror.with(headerSession, session[headerSession]))
			// Not Host and Origin: the log of a 403 has them, so that the operator can allow them.
			for _, wrong := range []string{headerVersion, headerMethod, headerName, "Content-Type", "Accept"} {
				send(http.MethodPost, body, mirror.with(wrong, confided))
			}
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		send(method, "", header{headerSession: confided})
		send(method, confided, session.with(headerVersion, confided))
	}

	// A client asks, is asked, and goes; others go while they wait.
	open := p.open(http.MethodPost, oldGet(`"`+confided+`"`, "ask"), inConfidence(session))
	open.message()
	open.cancel()
	body, mirror := modernGet("wait")
	stream := p.open(http.MethodPost, body, inConfidence(mirror))
	await(t, p.started)
	stream.cancel()
	require.Error(t, await(t, p.ended))
	waiting := p.open(http.MethodPost, oldGet(`"2 `+confided+`"`, "wait"), inConfidence(session))
	await(t, p.started)
	send(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"2 `+confided+`","reason":"enough"}}`, session)
	require.Error(t, await(t, p.ended))
	waiting.cancel()
	assert.Equal(t, http.StatusNoContent, send(http.MethodDelete, "", session).status)
	require.NoError(t, p.handler.Close())

	got := log.String()
	for _, record := range []string{"no disk", "panic: no disk", "request failed"} {
		assert.Contains(t, got, record)
	}
	for line := range strings.SplitSeq(got, "\n") {
		assert.NotContains(t, line, confided)
		assert.NotContains(t, line, session[headerSession])
	}
}
