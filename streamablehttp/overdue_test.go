package streamablehttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
				release := make(chan struct{})
				var reg prompts.Registry
				reg.MustAdd(
					prompts.Prompt{Name: "endless", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
						if progress {
							prompts.Progress(ctx, 1, 2, "begun")
						}
						<-release
						return nil, nil
					}},
					prompts.Prompt{Name: "text", Render: nothing},
				)
				server := prompts.NewServer(&reg, prompts.Options{RenderTimeout: 50 * time.Millisecond})
				handler := NewHandler(server, Options{})
				s := httptest.NewUnstartedServer(handler)
				s.EnableHTTP2 = isHTTP2
				s.StartTLS()
				defer func() {
					close(release)
					assert.NoError(t, handler.Close())
					s.Close()
				}()
				post := func(name string) *http.Response {
					body, mirror := modernGet(name)
					r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(body))
					require.NoError(t, err)
					r.Header.Set("Content-Type", "application/json")
					for name, value := range mirror {
						r.Header.Set(name, value)
					}
					response, err := s.Client().Do(r)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, response.StatusCode)
					return response
				}
				response := post("endless")
				defer response.Body.Close()
				assert.Equal(t, !isHTTP2 && !progress, response.Close)
				if !progress || isHTTP2 {
					body, err := io.ReadAll(response.Body)
					require.NoError(t, err)
					assert.Contains(t, string(body), "took too long")
				} else { // the stream has its last event, and ends with the render function
					buf := make([]byte, 1000)
					for got := ""; !strings.Contains(got, "took too long"); {
						n, err := response.Body.Read(buf)
						require.NoError(t, err, got)
						got += string(buf[:n])
					}
				}
				next := post("text")
				defer next.Body.Close()
				assert.NoError(t, json.NewDecoder(next.Body).Decode(new(any)))
			})
		}
	}
}
