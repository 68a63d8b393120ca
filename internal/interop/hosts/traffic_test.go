//go:build unix

package hosts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/hosts/model"
)

// message is a message between a host and the server.
type message struct {
	fromHost bool
	ID       json.RawMessage
	Method   string
	Params   map[string]any
	Result   map[string]any
	Error    *struct {
		Code    int
		Message string
	}
}

// readTraffic reads what the fixture has recorded. A line that is not complete is left
// out.
func readTraffic(t *testing.T, text []byte) []message {
	t.Helper()
	var all []message
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		m := message{fromHost: line[0] == 'C'}
		require.NoError(t, json.Unmarshal(line[len("C> "):], &m), "%.200s", line)
		all = append(all, m)
	}
	return all
}

// isUse reports whether a host has sent the message because of what the user did, and not
// because of its own start.
func (m *message) isUse() bool {
	switch m.Method {
	case "prompts/get", "tools/call", "resources/read", "resources/directory/read", "completion/complete":
		return m.fromHost
	}
	return false
}

// opening returns what the host sends because of its start, sorted, because hosts send
// several requests at a time, some after the first use of a prompt.
func opening(traffic []message) string {
	var lines []string
	for _, m := range traffic {
		// Some hosts cancel their subscription at their end, if there is time.
		if m.fromHost && m.Method != "" && m.Method != "notifications/cancelled" && !m.isUse() {
			lines = append(lines, m.String())
		}
	}
	slices.Sort(lines)
	return "server got:\n" + indented(strings.Join(slices.Compact(lines), "\n"))
}

// use returns what the host sends because of what the user does, and the errors that it
// gets.
func use(traffic []message) string {
	var lines []string
	changed := map[string]bool{} // lists of which the server has said so
	asked := map[string]string{} // requests of the server by id
	uses := map[string]int{}     // lines by id
	for _, m := range traffic {
		id := string(m.ID)
		switch {
		case m.isUse():
			uses[id] = len(lines)
			lines = append(lines, m.String())
		case !m.fromHost && m.Method == "elicitation/create":
			asked[id] = m.Method
		case m.fromHost && m.Method == "" && asked[id] != "":
			lines = append(lines, "answer to "+asked[id]+" "+compact(m.Result))
		case !m.fromHost && m.Error != nil:
			if i, isUse := uses[id]; isUse {
				lines[i] += fmt.Sprintf("\n  error %d: %s", m.Error.Code, m.Error.Message)
			}
		case !m.fromHost && strings.HasSuffix(m.Method, "/list_changed"):
			changed[strings.Split(m.Method, "/")[1]] = true
		case m.fromHost && strings.HasSuffix(m.Method, "/list") && changed[strings.Split(m.Method, "/")[0]]:
			delete(changed, strings.Split(m.Method, "/")[0])
			lines = append(lines, m.Method+" after list_changed")
		}
	}
	return indented(strings.Join(lines, "\n"))
}

// answers returns the messages of the prompts that the host gets.
func answers(traffic []message) string {
	var texts []string
	for _, m := range traffic {
		messages, _ := m.Result["messages"].([]any)
		for _, message := range messages {
			texts = append(texts, compact(message))
		}
	}
	return indented(strings.Join(texts, "\n"))
}

// String returns the method and the params, without what differs from run to run.
func (m *message) String() string {
	params := map[string]any{}
	for k, v := range m.Params {
		if k != "_meta" && k != "requestState" {
			params[k] = v
		}
	}
	if m.Method == "server/discover" {
		meta, _ := m.Params["_meta"].(map[string]any)
		for k, v := range meta {
			params[strings.TrimPrefix(k, "io.modelcontextprotocol/")] = v
		}
	}
	if len(params) == 0 {
		return m.Method
	}
	return m.Method + " " + compact(params)
}

func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// largest returns the request with the most tools: hosts ask for titles in requests of
// their own. It returns nil if there is no request.
func (s *sandbox) largest() *model.Request {
	var main *model.Request
	for _, r := range s.model.Requests() {
		if main == nil || len(r.Tools) >= len(main.Tools) {
			main = &r
		}
	}
	return main
}

// ofPrompt matches the tool of the prompt named resource.
var ofPrompt = regexp.MustCompile("^(.*" + serverName + "[_-]+)?resource$")

// resourceTools returns the names of the host's tools for resources.
func (s *sandbox) resourceTools() (names []string) {
	if main := s.largest(); main != nil {
		for _, t := range main.Tools {
			if strings.Contains(strings.ToLower(t.Name), "resource") && !ofPrompt.MatchString(t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// seen returns what the model got since its last answer: the messages of the
// largest of the requests.
func (s *sandbox) seen() string {
	main := s.largest()
	if main == nil {
		return "\tnothing\n"
	}
	messages := main.Messages
	for i, m := range slices.Backward(messages) {
		if m.IsAnswer && slices.Contains(m.Parts, model.Answer) {
			messages = messages[i+1:]
			break
		}
	}
	var out strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			if s.host.boilerplate != nil {
				p = s.host.boilerplate.ReplaceAllStringFunc(p, func(own string) string {
					if strings.Contains(own, noteText) {
						return own
					}
					return ""
				})
			}
			if p = strings.TrimSpace(s.normal(shortened(p))); p != "" {
				out.WriteString(indented(m.Role + ": " + strings.ReplaceAll(p, "\n", "\n  ")))
			}
		}
	}
	if out.Len() == 0 {
		return "\tan empty message\n"
	}
	return out.String()
}
