package streamablehttp

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// Shutdown waits for what is under way and for what that waits for, and not for
// the bodies of others.
func TestShutdownIsNotHeldUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		session func(ada, idle string) string
		user    string
		status  int
	}{
		{"no session", func(_, _ string) string { return "" }, "ada", 503},
		{"an invented session", func(_, _ string) string { return "x" }, "ada", 404},
		{"a session of another one", func(ada, _ string) string { return ada }, "eve", 404},
		{"a session of another one, without a user", func(ada, _ string) string { return ada }, "", 404},
		{"a session with nothing under way", func(_, idle string) string { return idle }, "ada", 503},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPipePlaceOf(t, prompts.Options{Principal: principalIn}, Options{}, authenticated)
				open := func() header {
					r := p.post(initializeBody("2025-11-25"), header{"User": "ada"})
					require.Equal(t, http.StatusOK, r.status, r.body)
					return header{headerSession: r.header.Get(headerSession), "User": "ada"}
				}
				h, idle := open(), open()
				waiting := p.open(http.MethodPost, oldGet("1", "wait"), h)
				assert.Contains(t, waiting.next(), "progress")
				ended := make(chan error, 1)
				go func() { ended <- p.handler.Shutdown(t.Context()) }()
				synctest.Wait()
				begin := time.Now()
				var conns []net.Conn
				for _, length := range []string{"Content-Length: 10", "Content-Length: 1000000", "Transfer-Encoding: chunked"} {
					conns = append(conns, p.begin(fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nUser: %s\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\n%s\r\n\r\n",
						test.user, test.session(h[headerSession], idle[headerSession]), length)))
				}
				synctest.Wait()
				assert.Equal(t, 1, p.underWay(), "it is waited for")
				close(p.release)
				assert.Contains(t, waiting.next(), "released")
				waiting.end()
				assert.NoError(t, <-ended)
				assert.Zero(t, time.Since(begin))
				for _, c := range conns {
					response, err := http.ReadResponse(bufio.NewReader(c), nil)
					require.NoError(t, err)
					assert.Equal(t, test.status, response.StatusCode)
				}
			})
		})
	}
}
