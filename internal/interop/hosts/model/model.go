// Package model stands in for the APIs of models: Anthropic's messages, OpenAI's chat
// completions and responses, and Gemini's generateContent, with streams of server-sent
// events. It records every request.
//
// Every request gets the text [Answer], with one exception. If the last message of the
// user has a line
//
//	Call tool name {"key":"value"}
//
// and the request offers a tool of that name, after a prefix or not, the answer calls it. With
// several objects, separated by spaces, it calls the tool with each, one after the other.
package model

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Answer is what the model says.
const Answer = "The model answers."

// Request is what a model got, in the same form for each API.
type Request struct {
	Messages []Message
	Tools    []Tool
}

// Message is a message of a conversation, but none of the system.
type Message struct {
	// Role is that of the API, such as user, assistant or tool.
	Role  string
	Parts []string
	// IsAnswer is true if the model itself has said this: a text or a call of a tool.
	IsAnswer bool
}

// Tool is a tool that a request offers.
type Tool struct {
	Name, Namespace string
}

// Model is a stand-in for a model. Its URL has no path.
type Model struct {
	URL    string
	server *httptest.Server

	mu       sync.Mutex // protects the fields below
	requests []Request
	hold     func()
}

// Start starts a model on a free port of the loopback interface.
func Start() *Model {
	m := &Model{}
	m.server = httptest.NewServer(m)
	m.URL = m.server.URL
	return m
}

// Close ends the model, and the requests in progress with it.
func (m *Model) Close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// Requests returns the requests with messages since the start, or the last Reset.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// Reset forgets the requests. If hold is not nil, the model calls hold before every
// answer.
func (m *Model) Reset(hold func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests, m.hold = nil, hold
}

// api reads and answers the requests of one API.
type api struct {
	path  string // part of the URL's path
	read  func(body map[string]any) Request
	write func(w *writer, c *call)
}

var apis = []api{
	{"/chat/completions", readChat, writeChat},
	{"/responses", readResponses, writeResponses},
	{"enerateContent", readGemini, writeGemini},
	{"/messages", readAnthropic, writeAnthropic},
}

// ServeHTTP answers a request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	out := &writer{ResponseWriter: w, path: r.URL.Path}
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case strings.Contains(r.URL.Path, "ount"): // count_tokens, countTokens
		out.json(object{"input_tokens": 10, "totalTokens": 10})
		return
	case r.Method != http.MethodPost:
		out.json(object{"object": "list", "data": []any{object{"id": "mock", "object": "model", "created": 1, "owned_by": "mock"}}, "models": []any{}})
		return
	}
	for _, a := range apis {
		if !strings.Contains(r.URL.Path, a.path) {
			continue
		}
		out.model, _ = body["model"].(string)
		out.isStream = body["stream"] == true || strings.Contains(r.URL.Path, "stream")
		request := a.read(body)
		m.mu.Lock()
		m.requests = append(m.requests, request)
		hold := m.hold
		m.mu.Unlock()
		if hold != nil {
			hold()
		}
		a.write(out, request.call())
		return
	}
	out.json(object{})
}

func readBody(r *http.Request) (map[string]any, error) {
	var src io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		src = unzipped
	}
	text, err := io.ReadAll(src)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	var body map[string]any
	return body, json.Unmarshal(text, &body)
}

// call is a call of a tool.
type call struct {
	Tool
	arguments string
	number    int // of the calls for which the user asks, from 0
}

// id returns an id of the call, or of what belongs to it.
func (c *call) id(prefix string) string { return fmt.Sprint(prefix, c.number+1) }

var callPattern = regexp.MustCompile(`(?m)^"?Call tool (\S+?)"?(?: (\{.*\}))?"?\s*$`)

// call returns the next call for which the user asks, or nil. The messages of the user are
// those since the last answer of the model in words.
func (r *Request) call() *call {
	called := 0
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := r.Messages[i]
		switch {
		case m.IsAnswer && slices.Contains(m.Parts, Answer):
			return nil
		case m.IsAnswer:
			called++
		case m.Role == "user":
			for _, part := range m.Parts {
				found := callPattern.FindStringSubmatch(part)
				if found == nil {
					continue
				}
				all := arguments(found[2])
				if t := r.tool(found[1]); t != nil && called < len(all) {
					return &call{*t, all[called], called}
				}
			}
		}
	}
	return nil
}

// tool returns the tool with the name, or else a tool with a prefix and the name: hosts
// have tools of their own, such as view_image.
func (r *Request) tool(name string) *Tool {
	for _, separator := range []string{"", "_", "-"} {
		for i, t := range r.Tools {
			if t.Name == name || separator != "" && strings.HasSuffix(t.Name, separator+name) {
				return &r.Tools[i]
			}
		}
	}
	return nil
}

// arguments returns the arguments of each call as JSON. Some hosts send the text of the user
// as a JSON string.
func arguments(text string) []string {
	for _, text := range []string{text, strings.ReplaceAll(text, `\"`, `"`)} {
		var all []string
		for d := json.NewDecoder(strings.NewReader(text)); ; {
			var next json.RawMessage
			err := d.Decode(&next)
			if err == io.EOF && len(all) > 0 {
				return all
			}
			if err != nil {
				break
			}
			all = append(all, string(next))
		}
	}
	return []string{"{}"}
}

// decoded returns the arguments as a value.
func (c *call) decoded() any {
	var v any
	_ = json.Unmarshal([]byte(c.arguments), &v) // else null, which the host reports
	return v
}

// object is a JSON object.
type object map[string]any

// with returns o and the members of more.
func (o object) with(more object) object {
	all := object{}
	for k, v := range o {
		all[k] = v
	}
	for k, v := range more {
		all[k] = v
	}
	return all
}

// writer writes the response to one request.
type writer struct {
	http.ResponseWriter
	path, model string
	isStream    bool
}

func (w *writer) json(v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the host may be gone
}

// event is one event of a stream. Its name may be empty.
type event struct {
	name string
	data any
}

// events writes a stream, and end after its last event.
func (w *writer) events(end string, events ...event) {
	w.Header().Set("Content-Type", "text/event-stream")
	var text bytes.Buffer
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(&text, "event: %s\n", e.name)
		}
		data, err := json.Marshal(e.data)
		if err != nil {
			panic(err) // the data are literals
		}
		fmt.Fprintf(&text, "data: %s\n\n", data)
	}
	text.WriteString(end)
	_, _ = w.Write(text.Bytes()) // the host may be gone
}

// list returns the elements of a value that is an array.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// member returns a member of a value that is an object.
func member(v any, key string) any {
	o, _ := v.(map[string]any)
	return o[key]
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// part returns a part of a message for people to read: a text unchanged, and of
// everything else its JSON, with the length of binary data in place of the data.
func part(v any) string {
	if s, isText := v.(string); isText {
		return s
	}
	if s, isText := member(v, "text").(string); isText {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the value was JSON
	return binary.ReplaceAllStringFunc(strings.TrimSpace(b.String()), func(data string) string {
		kind, base64, found := strings.Cut(data, ",")
		if !found {
			kind, base64 = "", data
		}
		return fmt.Sprintf("%s[%d characters]", kind, len(base64))
	})
}

// binary is base64 data that is longer than any word of the tests.
var binary = regexp.MustCompile(`(?:data:[a-z]+/[a-z]+;base64,)?[A-Za-z0-9+/]{60,}={0,2}`)

// parts returns the parts of a content that is a text or an array.
func parts(content any) []string {
	if s, isText := content.(string); isText {
		return []string{s}
	}
	var all []string
	for _, p := range list(content) {
		all = append(all, part(p))
	}
	return all
}
