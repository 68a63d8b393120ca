package streamablehttp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// An author's code that does not end with its time limit keeps nobody waiting:
// the client is answered, and does not use the connection again over HTTP/1,
// where it is not free.
func TestOverdue(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, progress := range []bool{false, true} {
			t.Run(map[bool]string{false: "HTTP/1", true: "HTTP/2"}[isHTTP2]+map[bool]string{false: " body", true: " events"}[progress], func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p, connections := newPipePlaceIn(t, isHTTP2, prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}}, Options{})
					p.endless("endless")
					defer close(p.release)
					post := func(name string) *http.Response {
						body, mirror := modernGet(name)
						if !progress {
							body = strings.Replace(body, "progressToken", "other", 1)
						}
						response, err := p.http.Client().Do(p.request(http.MethodPost, body, mirror))
						require.NoError(t, err)
						require.Equal(t, http.StatusOK, response.StatusCode)
						return response
					}
					response := post("endless")
					defer response.Body.Close()
					assert.Equal(t, !isHTTP2 && !progress, response.Close)
					body, err := io.ReadAll(response.Body)
					require.NoError(t, err, "it does not end as it should")
					assert.Contains(t, string(body), "timed out after")
					if !isHTTP2 && progress { // the client may not know yet that the connection has ended
						p.http.Client().CloseIdleConnections()
					}
					next := post("text")
					defer next.Body.Close()
					assert.NoError(t, json.NewDecoder(next.Body).Decode(new(any)))
					assert.Equal(t, map[bool]int32{false: 2, true: 1}[isHTTP2], connections.Load())
				})
			})
		}
	}
}

// What that is on the wire of HTTP/1: events end with their connection, at once,
// and of a body it is said that its connection will.
func TestOverdueConnection(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.0", "1.1"} {
		for _, accepted := range []string{"text/event-stream", "application/json"} {
			t.Run(version+" "+accepted, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p := newPipePlaceOf(t, prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}}, Options{})
					p.endless("endless")
					defer close(p.release)
					c, err := p.http.Listener.(*pipes).dial(t.Context(), "", "")
					require.NoError(t, err)
					defer c.Close()
					body, mirror := modernGet("endless")
					_, err = fmt.Fprintf(c, "POST / HTTP/%s\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nAccept: %s\r\n"+
						headerVersion+": %s\r\n"+headerMethod+": %s\r\n"+headerName+": %s\r\nContent-Length: %d\r\n\r\n%s",
						version, accepted, mirror[headerVersion], mirror[headerMethod], mirror[headerName], len(body), body)
					require.NoError(t, err)
					input := bufio.NewReader(c)
					response, err := http.ReadResponse(input, nil)
					require.NoError(t, err)
					assert.Equal(t, http.StatusOK, response.StatusCode)
					assert.Equal(t, accepted, response.Header.Get("Content-Type"))
					got, err := io.ReadAll(response.Body)
					require.NoError(t, err, "it does not end as it should")
					assert.Contains(t, string(got), "timed out after")
					assert.Equal(t, version == "1.0" || accepted == "application/json", response.Close)
					if accepted == "text/event-stream" {
						assert.True(t, strings.HasSuffix(string(got), "}\n\n"), "%q", got)
						rest, err := io.ReadAll(input)
						require.NoError(t, err, "the connection goes on")
						assert.Empty(t, rest)
					}
					assert.Equal(t, 1, p.underWay(), "the render function goes on")
				})
			})
		}
	}
}

// endless adds a prompt whose render function reports progress and then heeds
// nothing but release.
func (p *place) endless(name string) {
	p.registry.MustAdd(prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "begun")
		<-p.release
		return nothing(ctx, nil)
	}})
}

// Shutdown waits for an author's code that outlives its time limit, and with it
// the answer: what it uses is still there.
func TestShutdownWaitsForOverdue(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, accepted := range []string{"application/json", "text/event-stream"} {
			t.Run(map[bool]string{false: "HTTP/1 ", true: "HTTP/2 "}[isHTTP2]+accepted, func(t *testing.T) {
				t.Parallel()
				p := newPlaceOf(t, prompts.Options{Timeouts: prompts.Timeouts{Render: 50 * time.Millisecond}}, Options{}, func(s *httptest.Server) { s.EnableHTTP2 = isHTTP2 })
				p.endless("endless")
				body, mirror := modernGet("endless")
				r := p.post(body, mirror.with("Accept", accepted))
				assert.Contains(t, r.body, "timed out after")
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				assert.ErrorIs(t, p.handler.Shutdown(ctx), context.Canceled, "it does not wait")
				close(p.release)
				assert.NoError(t, p.handler.Shutdown(t.Context()))
			})
		}
	}
}
