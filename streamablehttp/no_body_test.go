package streamablehttp

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request that is refused whatever its body says is answered in the time for
// a body that never comes, keeps no place, and its connection ends.
func TestRefusalWithoutBody(t *testing.T) {
	t.Parallel()
	const limit = 40 * time.Second // more than there is for a write
	ready := func(*place) header { return nil }
	full := func(p *place) header {
		p.open(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
		return nil
	}
	over := func(p *place) header {
		require.NoError(p.t, p.handler.Shutdown(p.t.Context()))
		return nil
	}
	session := func(p *place) header { return p.session("2025-11-25") }
	for _, test := range []struct {
		name, method string
		lines        string
		prepare      func(*place) header
		status       int
	}{
		{"type", "POST", "Content-Type: text/plain", ready, 415},
		{"coding", "POST", "Content-Type: application/json\r\nContent-Encoding: gzip", ready, 415},
		{"accepted type", "POST", "Content-Type: application/json\r\nAccept: text/html", ready, 406},
		{"origin", "POST", "Content-Type: application/json\r\nOrigin: https://other.example.org", ready, 403},
		{"method", "PUT", "Content-Type: application/json", ready, 405},
		{"preflight", "OPTIONS", "Origin: https://app.example.org\r\nAccess-Control-Request-Method: POST", ready, 204},
		{"GET of no session", "GET", "Accept: */*", ready, 400},
		{"GET with a body", "GET", "Accept: */*", session, 400},
		{"GET that takes no events", "GET", "Accept: text/html", ready, 406},
		{"DELETE of no session", "DELETE", "Accept: */*", ready, 400},
		{"DELETE of a session", "DELETE", "Accept: */*", session, 204},
		{"busy", "POST", "Content-Type: application/json", full, 503},
		{"busy for GET", "GET", "Accept: */*", full, 503},
		{"over", "POST", "Content-Type: application/json", over, 503},
	} {
		for _, framing := range []string{"Content-Length: 100", "Content-Length: 1000000", "Transfer-Encoding: chunked"} {
			t.Run(test.name+" "+framing, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p := newPipePlace(t, Options{ReadTimeout: limit, MaxStreams: 1, AllowedOrigins: []string{"https://app.example.org"}})
					h := test.prepare(p)
					synctest.Wait()
					before := p.underWay()
					lines := []string{test.method + " / HTTP/1.1", "Host: localhost", test.lines, framing}
					for name, value := range h {
						lines = append(lines, name+": "+value)
					}
					begin := time.Now()
					c := p.begin(strings.Join(lines, "\r\n") + "\r\n\r\n")
					synctest.Wait()
					assert.Equal(t, before, p.underWay(), "it keeps a place")
					input := bufio.NewReader(c)
					response, err := http.ReadResponse(input, nil)
					require.NoError(t, err)
					assert.Equal(t, test.status, response.StatusCode)
					assert.LessOrEqual(t, time.Since(begin), limit)
					if test.status == http.StatusServiceUnavailable {
						assert.Equal(t, "1", response.Header.Get("Retry-After"))
					}
					_, err = io.ReadAll(input)
					require.NoError(t, err)
					assert.LessOrEqual(t, time.Since(begin), limit+time.Second, "the connection goes on")
				})
			})
		}
	}
}
