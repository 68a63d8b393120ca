package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// This file has the journeys, and the server and the client that make them.

type journey struct {
	name string
	// begin returns what makes the journey once. Numbers count up from 1.
	begin func() (once func(number int) error)
}

var journeys = []journey{
	{"get, stdio, 2025-11-25", overStdio(stateful, `"method":"prompts/get","params":{"name":"greet","arguments":{"language":"go"}}`)},
	{"get, stdio, 2026-07-28", overStdio("", `"method":"prompts/get","params":{"name":"greet","arguments":{"language":"go"},`+meta+`}`)},
	{"get, HTTP, 2025-11-25", overHTTP(stateful, `"method":"prompts/get","params":{"name":"greet","arguments":{"language":"go"}}`)},
	{"get, HTTP, 2026-07-28", overHTTP("", `"method":"prompts/get","params":{"name":"greet","arguments":{"language":"go"},`+meta+`}`)},
	{"list, stdio", overStdio(stateful, `"method":"prompts/list"`)},
	{"completion, stdio", overStdio(stateful, `"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"g"}}`)},
	{"list_changed, stdio", listChanged},
	{"question, stdio, 2025-11-25", question},
	{"question, stdio, 2026-07-28", inputRequired},
	{"Add", add},
}

const (
	stateful = `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"journey","version":"1"}}`
	meta     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":"journey","version":"1"}}`
)

type greeting struct {
	Language string `json:"language" jsonschema:"the language of the program" enum:"go,java,rust"`
}

func greet(_ context.Context, in greeting) (*prompts.Result, error) {
	return prompts.Messages(prompts.User("Say hello in " + in.Language)), nil
}

// ask is a render function that asks for its argument.
func ask(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
	in, err := prompts.Elicit[greeting](ctx, "language", "Which language?")
	if err != nil {
		return nil, err
	}
	return greet(ctx, in)
}

func newServer() (*prompts.Registry, *prompts.Server) {
	var r prompts.Registry
	r.MustAdd(prompts.New(prompts.Prompt{Name: "greet"}, greet), prompts.Prompt{Name: "ask", Render: ask})
	return &r, prompts.MustNewServer(&r, prompts.Options{})
}

func overStdio(handshake, request string) func() func(int) error {
	return func() func(int) error {
		_, c := connect(handshake)
		return func(number int) error {
			_, err := c.call(number, request)
			return err
		}
	}
}

func overHTTP(handshake, request string) func() func(int) error {
	return func() func(int) error {
		_, s := newServer()
		handler := streamablehttp.MustNewHandler(s, streamablehttp.Options{})
		var session string
		post := func(body string) error {
			r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if handshake == "" {
				r.Header.Set("MCP-Protocol-Version", "2026-07-28")
				r.Header.Set("Mcp-Method", "prompts/get")
				r.Header.Set("Mcp-Name", "greet")
			} else if session != "" {
				r.Header.Set("MCP-Protocol-Version", "2025-11-25")
				r.Header.Set("Mcp-Session-Id", session)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			session = w.Header().Get("Mcp-Session-Id") + session
			if w.Code >= http.StatusMultipleChoices || strings.Contains(w.Body.String(), `"error"`) {
				return fmt.Errorf("%d: %s", w.Code, w.Body)
			}
			return nil
		}
		if handshake != "" {
			must(post(`{"jsonrpc":"2.0","id":0,` + handshake + `}`))
			must(post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		}
		return func(number int) error { return post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, number, request)) }
	}
}

func listChanged() func(int) error {
	r, c := connect(stateful)
	return func(number int) error {
		if err := r.Set(prompts.New(prompts.Prompt{Name: "greet", Title: fmt.Sprint(number)}, greet)); err != nil {
			return err
		}
		m, err := c.read()
		if err == nil && m.Method != "notifications/prompts/list_changed" {
			err = fmt.Errorf("got %+v", m)
		}
		return err
	}
}

func question() func(int) error {
	_, c := connect(stateful)
	return func(number int) error {
		m, err := c.call(number, `"method":"prompts/get","params":{"name":"ask"}`)
		if err == nil && m.Method != "elicitation/create" {
			err = fmt.Errorf("got %+v", m)
		}
		if err != nil {
			return err
		}
		c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"language":"go"}}}`, m.ID))
		_, err = c.read()
		return err
	}
}

func inputRequired() func(int) error {
	_, c := connect("")
	return func(number int) error {
		m, err := c.call(2*number, `"method":"prompts/get","params":{"name":"ask",`+meta+`}`)
		if err != nil {
			return err
		}
		var result struct{ RequestState string }
		must(json.Unmarshal(m.Result, &result))
		m, err = c.call(2*number+1, fmt.Sprintf(`"method":"prompts/get","params":{"name":"ask","requestState":%q,"inputResponses":{"language":{"action":"accept","content":{"language":"go"}}},%s}`, result.RequestState, meta))
		if err == nil && !strings.Contains(string(m.Result), "Say hello in go") {
			err = fmt.Errorf("got %s", m.Result)
		}
		return err
	}
}

func add() func(int) error {
	r, _ := newServer()
	return func(number int) error {
		return r.Add(prompts.New(prompts.Prompt{Name: fmt.Sprint("greet", number)}, greet))
	}
}

// client is the other side of a connection over stdio.
type client struct {
	out io.Writer
	in  *bufio.Scanner
}

// connect starts a server for as long as the program runs. Without a handshake, the
// client is stateless.
func connect(handshake string) (*prompts.Registry, *client) {
	r, s := newServer()
	fromClient, out := io.Pipe()
	in, fromServer := io.Pipe()
	go func() { must(s.Serve(context.Background(), stdio.NewStream(fromClient, fromServer, stdio.Options{}))) }()
	c := &client{out, bufio.NewScanner(in)}
	if handshake != "" {
		_, err := c.call(0, handshake)
		must(err)
		c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return r, c
}

func (c *client) write(line string) {
	_, err := io.WriteString(c.out, line+"\n")
	must(err)
}

// message is what the server sends.
type message struct {
	ID            json.RawMessage
	Method        string
	Result, Error json.RawMessage
}

// read returns the next message, and an error for an error response.
func (c *client) read() (message, error) {
	if !c.in.Scan() {
		return message{}, fmt.Errorf("the server has closed the connection: %w", c.in.Err())
	}
	var m message
	must(json.Unmarshal(c.in.Bytes(), &m))
	if m.Error != nil {
		return m, fmt.Errorf("error response: %s", m.Error)
	}
	return m, nil
}

// call sends a request and returns the next message.
func (c *client) call(id int, request string) (message, error) {
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, request))
	return c.read()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
