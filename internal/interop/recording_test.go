package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who sent a line of a recorded session.
const (
	client = "C"
	server = "S"
)

// recording is what was recorded of a session, in order.
type recording []line

// line is a message of a recording.
type line struct {
	number int // of the line in the file
	from   string
	text   string // as it was sent
	message
}

// message is what the tests read of a message.
type message struct {
	ID     json.RawMessage `json:"id"` // nil if there is none
	Method string          `json:"method"`
	Params struct {
		Name           string          `json:"name"`
		Cursor         *string         `json:"cursor"`
		InputResponses json.RawMessage `json:"inputResponses"`
		RequestID      json.RawMessage `json:"requestId"`
		ProgressToken  json.RawMessage `json:"progressToken"`
		Notifications  json.RawMessage `json:"notifications"`
		Meta           meta            `json:"_meta"`
	} `json:"params"`
	Result *result `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type meta struct {
	ProgressToken  json.RawMessage `json:"progressToken"`
	SubscriptionID json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
}

// result is the result of any method.
type result struct {
	ResultType        string                     `json:"resultType"`
	ProtocolVersion   string                     `json:"protocolVersion"`
	SupportedVersions []string                   `json:"supportedVersions"`
	Capabilities      map[string]json.RawMessage `json:"capabilities"`
	Prompts           []struct {
		Name string `json:"name"`
	} `json:"prompts"`
	NextCursor *string `json:"nextCursor"`
	Messages   []struct {
		Role    string `json:"role"`
		Content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"messages"`
	Completion struct {
		Values []string `json:"values"`
	} `json:"completion"`
	InputRequests map[string]struct {
		Method string `json:"method"`
	} `json:"inputRequests"`
	RequestState *string `json:"requestState"`
	Meta         meta    `json:"_meta"`
}

// isRequest reports whether the message wants an answer.
func (m message) isRequest() bool { return m.Method != "" && m.ID != nil }

// isAnswer reports whether the message answers a request.
func (m message) isAnswer() bool { return m.Method == "" && m.ID != nil }

// readRecording reads the file of a recorded session.
func readRecording(t *testing.T, file string) recording {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return parseRecording(t, string(text))
}

// parseRecording parses lines of "C> " or "S> " and a message. Comments begin
// with "#".
func parseRecording(t *testing.T, text string) recording {
	t.Helper()
	var r recording
	for i, l := range strings.Split(text, "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		from, text, ok := strings.Cut(l, "> ")
		require.True(t, ok && (from == client || from == server), "line %d: %.100s", i+1, l)
		next := line{number: i + 1, from: from, text: text}
		require.NoError(t, json.Unmarshal([]byte(text), &next.message), "line %d", i+1)
		r = append(r, next)
	}
	require.NotEmpty(t, r, "nobody says anything")
	return r
}

// String returns the lines, for people to read.
func (r recording) String() string {
	var text strings.Builder
	for _, l := range r {
		fmt.Fprintf(&text, "%d: %s> %s\n", l.number, l.from, l.text)
	}
	return text.String()
}

// calls returns the requests and notifications of a method that one side sent.
func (r recording) calls(from, method string) recording {
	return r.filter(func(l line) bool { return l.from == from && l.Method == method })
}

// answers returns the answers to a request.
func (r recording) answers(request line) recording {
	return r.filter(func(l line) bool {
		return l.number > request.number && l.from != request.from && l.isAnswer() && bytes.Equal(l.ID, request.ID)
	})
}

func (r recording) filter(keep func(line) bool) recording {
	var kept recording
	for _, l := range r {
		if keep(l) {
			kept = append(kept, l)
		}
	}
	return kept
}
