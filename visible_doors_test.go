package prompts_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// doors are the ways of a request of 2026-07-28 into a server. Each returns a function that
// sends a request and does not wait: send gets each message of the server, until the test ends.
var doors = map[string]func(t *testing.T, s *prompts.Server, send func(msg string)) func(id, method, members string){
	"Handle": func(t *testing.T, s *prompts.Server, send func(string)) func(id, method, members string) {
		running := new(sync.WaitGroup)
		t.Cleanup(running.Wait)
		return func(id, method, members string) {
			running.Go(func() { // ends with the context of the test
				err := s.Handle(t.Context(), []byte(servertest.EnvelopedLine(id, method, members)), transport.Exchange{
					Send: func(msg []byte, _ transport.Code, _ bool) error { send(string(msg)); return nil },
				})
				assert.True(t, err == nil || t.Context().Err() != nil, err)
			})
		}
	},
	"Call": func(t *testing.T, s *prompts.Server, send func(string)) func(id, method, members string) {
		running := new(sync.WaitGroup)
		t.Cleanup(running.Wait)
		return func(id, method, members string) {
			if members != "" {
				members += ","
			}
			running.Go(func() { // ends with the context of the test
				result, err := s.Call(t.Context(), method, json.RawMessage("{"+members+servertest.BareEnvelope+"}"), prompts.CallOptions{
					ID: id,
					Notify: func(method string, params json.RawMessage) {
						send(`{"method":"` + method + `","params":` + string(params) + `}`)
					},
				})
				if t.Context().Err() == nil {
					send(fmt.Sprintf(`{"id":%s,"result":%s,"error":"%v"}`, id, result, err))
				}
			})
		}
	},
	"Serve": func(t *testing.T, s *prompts.Server, send func(string)) func(id, method, members string) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		running := new(sync.WaitGroup)
		running.Go(func() { // ends when the client closes its input
			assert.NoError(t, s.Serve(context.WithoutCancel(t.Context()), stdio.NewStream(inR, outW, stdio.Options{})))
			_ = outW.Close()
		})
		running.Go(func() { // ends when Serve does
			for lines := bufio.NewScanner(outR); lines.Scan(); {
				send(lines.Text())
			}
		})
		t.Cleanup(func() {
			_ = inW.Close()
			running.Wait()
		})
		return func(id, method, members string) {
			_, err := io.WriteString(inW, servertest.EnvelopedLine(id, method, members)+"\n")
			assert.NoError(t, err)
		}
	},
	"HTTP": func(t *testing.T, s *prompts.Server, send func(string)) func(id, method, members string) {
		handler := streamablehttp.MustNewHandler(s, streamablehttp.Options{})
		server := httptest.NewServer(handler)
		running := new(sync.WaitGroup)
		t.Cleanup(func() {
			_ = handler.Close()
			running.Wait()
			server.Close()
		})
		return func(id, method, members string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(servertest.EnvelopedLine(id, method, members)))
			require.NoError(t, err)
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}}
			if strings.HasPrefix(members, `"name":"`) {
				r.Header.Set("Mcp-Name", strings.Split(members, `"`)[3])
			}
			running.Go(func() { // ends with the context of the test
				response, err := http.DefaultClient.Do(r)
				if t.Context().Err() != nil || !assert.NoError(t, err) {
					return
				}
				defer response.Body.Close()
				for lines := bufio.NewScanner(response.Body); lines.Scan(); {
					if msg := strings.TrimPrefix(lines.Text(), "data: "); strings.HasPrefix(msg, "{") {
						send(msg)
					}
				}
			})
		}
	},
}

// SUB-06: after an error of Visible, of prompts or of skills, a client that listens has no
// subscription to a file, and of a change it gets no name. Its other requests fail, and the log has
// the cause of each error, which no client gets.
func TestListenWithoutAnAnswerOfVisible(t *testing.T) {
	t.Parallel()
	for name, open := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reg prompts.Registry
			var skills promptskills.Registry
			skills.MustAdd(promptskills.Skill{Path: "canary", Frontmatter: json.RawMessage(`{"name":"canary","description":"d"}`), Files: map[string][]byte{"SKILL.md": []byte("x")}})
			ofSkills, err := promptskills.New(&skills, promptskills.Options{Visible: func(context.Context, promptskills.Skill) (bool, error) {
				return true, errors.New("cause of skills")
			}})
			require.NoError(t, err)
			var log servertest.Journal
			s := prompts.MustNewServer(&reg, prompts.Options{Logger: log.Logger(), Features: []feature.Feature{ofSkills}, Visible: func(context.Context, prompts.Prompt) (bool, error) {
				return true, errors.New("cause of prompts")
			}})
			t.Run("client", func(t *testing.T) { // after which the log has all records
				messages := make(chan string, 100)
				request := open(t, s, func(msg string) { messages <- msg })
				wait := func(part string) (msg string) {
					for msg = range messages {
						assert.NotContains(t, msg, "cause of")
						if strings.Contains(msg, part) {
							break
						}
					}
					return msg
				}
				request("1", "subscriptions/listen", `"notifications":{"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["skill://canary/SKILL.md"]}`)
				assert.NotContains(t, wait("acknowledged"), "canary")
				reg.MustAdd(servertest.TextPrompt("canary", "hi"))
				assert.NotContains(t, wait("notifications/prompts/list_changed"), "canary")
				for id, r := range [][2]string{2: {"prompts/list", ""}, 3: {"prompts/get", `"name":"canary"`}, 4: {"resources/list", ""}} {
					if r[0] != "" {
						request(fmt.Sprint(id), r[0], r[1])
						assert.Contains(t, wait(fmt.Sprintf(`"id":%d`, id)), "internal error", r[0])
					}
				}
			})
			assert.Equal(t, 2, strings.Count(log.String(), "cause of skills"), "of subscriptions/listen and resources/list")
			assert.Equal(t, 2, strings.Count(log.String(), "cause of prompts"), "of prompts/list and prompts/get")
		})
	}
}
