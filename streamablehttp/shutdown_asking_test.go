package streamablehttp

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is being worked on when Shutdown begins may still ask its client, and is
// answered. Nothing else is taken on (HTO-29).
func TestShutdownWhileAsking(t *testing.T) {
	t.Parallel()
	for _, isFirst := range []bool{true, false} { // the question, or Shutdown
		t.Run(map[bool]string{true: "asked", false: "to be asked"}[isFirst], func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, Options{})
			h := p.session("2025-11-25")
			s := p.open(http.MethodPost, oldGet("1", map[bool]string{true: "ask", false: "wait and ask"}[isFirst]), h)
			question := ""
			if isFirst {
				question = s.next()
			} else {
				await(t, p.started)
				require.Contains(t, s.next(), "progress")
			}
			ended := make(chan error, 1)
			go func() { ended <- p.handler.Shutdown(t.Context()) }()
			await(t, p.handler.open.Done())
			close(p.release)
			if !isFirst {
				question = s.next()
			}
			assert.Contains(t, question, `"method":"elicitation/create"`)

			r := p.post(listBody, h)
			assert.Equal(t, http.StatusServiceUnavailable, r.status)
			assert.Equal(t, -32603, r.code(), r.body)
			assert.Equal(t, http.StatusServiceUnavailable, p.post(oldGet("2", "text"), h).status)
			body, mirror := modernGet("text")
			assert.Equal(t, http.StatusServiceUnavailable, p.post(body, mirror).status)
			assert.Equal(t, http.StatusServiceUnavailable, p.post(body, mirror.with(headerSession, h[headerSession])).status)
			assert.Equal(t, http.StatusServiceUnavailable, p.post(initializeBody("2025-11-25"), nil).status)
			assert.Equal(t, http.StatusServiceUnavailable, p.post(response, header{headerVersion: modern}).status)
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				assert.Equal(t, http.StatusServiceUnavailable, p.send(method, "", h).status)
			}
			assert.Equal(t, http.StatusNotFound, p.post(response, h.with(headerSession, "x")).status)
			select {
			case err := <-ended:
				require.Fail(t, "a request is under way", "%v", err)
			default:
			}

			id := regexp.MustCompile(`"id":("[^"]*"|\d+)`).FindStringSubmatch(question)
			require.NotNil(t, id, question)
			r = p.post(`{"jsonrpc":"2.0","id":`+id[1]+`,"result":{"action":"accept","content":{"name":"Ada"}}}`, h)
			assert.Equal(t, http.StatusAccepted, r.status, r.body)
			assert.Contains(t, s.next(), "hello Ada")
			s.end()
			assert.NoError(t, await(t, ended))

			for _, body := range []string{listBody, response, initialized} {
				assert.Equal(t, http.StatusNotFound, p.post(body, h).status, "the session is gone")
			}
			assert.Equal(t, http.StatusNotFound, p.send(http.MethodGet, "", h).status)
		})
	}
}

// HTO-08, CAN-05: a request under way can still be cancelled, and then Shutdown
// does not wait for it.
func TestShutdownWhileCancelling(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-11-25")
	s := p.open(http.MethodPost, oldGet("1", "wait"), h)
	await(t, p.started)
	require.Contains(t, s.next(), "progress")
	ended := make(chan error, 1)
	go func() { ended <- p.handler.Shutdown(t.Context()) }()
	await(t, p.handler.open.Done())
	r := p.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, h)
	assert.Equal(t, http.StatusAccepted, r.status, r.body)
	assert.Error(t, await(t, p.ended))
	s.end()
	assert.NoError(t, await(t, ended))
}
