package hiddentest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/servertest/hiddentest"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// door sends a request to a server, and returns all that the server sends. close ends what
// the door has opened.
type door struct {
	ask   func(id int, r hiddentest.Request) string
	close func()
	// send sends one message, and returns what the server sends until the message is answered,
	// or ctx ends.
	send func(ctx context.Context, method, name, line string) string
}

// doors has a constructor for each way into a server.
var doors = map[string]func(t testing.TB, s *prompts.Server, version string) door{
	"Session.Handle": func(t testing.TB, s *prompts.Server, version string) door {
		session := sessionIn(t, s, version)
		return door{func(id int, r hiddentest.Request) string {
			return handle(t, session, session.Handle, r.Line(id, version))
		}, session.Close, func(ctx context.Context, _, _, line string) string {
			return handleIn(ctx, t, session, session.Handle, line)
		}}
	},
	"Server.Handle": func(t testing.TB, s *prompts.Server, version string) door {
		session := sessionIn(t, s, version)
		in := func(transport.RequestInfo) (transport.Session, error) { return session, nil }
		serve := func(ctx context.Context, msg []byte, x transport.Exchange) error {
			if version != hiddentest.Stateless {
				x.Session = in
			}
			return s.Handle(ctx, msg, x)
		}
		return door{func(id int, r hiddentest.Request) string {
			return handle(t, session, serve, r.Line(id, version))
		}, session.Close, func(ctx context.Context, _, _, line string) string { return handleIn(ctx, t, session, serve, line) }}
	},
	"batch": func(t testing.TB, s *prompts.Server, version string) door {
		session := sessionIn(t, s, version)
		return door{func(id int, r hiddentest.Request) string {
			return handle(t, session, session.Handle, servertest.BatchLine(r.Line(2*id, version), r.Line(2*id+1, version)))
		}, session.Close, func(ctx context.Context, _, _, line string) string {
			return handleIn(ctx, t, session, session.Handle, servertest.BatchLine(line))
		}}
	},
	"Server.Call": func(t testing.TB, s *prompts.Server, version string) door {
		return door{func(_ int, r hiddentest.Request) string {
			out := ""
			result, err := s.Call(t.Context(), r.Method, json.RawMessage(r.Params(version)), prompts.CallOptions{
				Version: version, ClientCapabilities: json.RawMessage(hiddentest.Capabilities),
				Notify: func(method string, params json.RawMessage) { out += fmt.Sprintln(method, string(params)) },
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(declined), nil
				},
			})
			if e := (*prompts.Error)(nil); errors.As(err, &e) {
				data, _ := json.Marshal(e.Data)
				return fmt.Sprintf("%s%d %s %s", out, e.Code, e.Message, data)
			}
			return fmt.Sprint(out, string(result), err)
		}, func() {}, func(ctx context.Context, method, _, line string) string {
			var m struct{ ID, Params json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(line), &m))
			result, err := s.Call(ctx, method, m.Params, prompts.CallOptions{Version: version, ID: string(m.ID)})
			return fmt.Sprint(string(result), err)
		}}
	},
	"Serve": func(t testing.TB, s *prompts.Server, version string) door {
		p := &pipe{in: make(chan string)}
		served := make(chan error, 1)
		go func() { served <- s.Serve(context.Background(), p) }() // ends with p.in
		if version != hiddentest.Stateless {
			p.say(servertest.InitializeAs(version, hiddentest.Capabilities))
			p.say(servertest.InitializedLine)
		} else {
			p.say(servertest.ListenLine(`"listen"`))
		}
		return door{func(id int, r hiddentest.Request) string { return p.say(r.Line(id, version)) }, func() {
			close(p.in)
			require.NoError(t, <-served)
		}, func(_ context.Context, _, _, line string) string {
			p.in <- line
			time.Sleep(time.Millisecond) // of the bubble: until nothing runs
			return strings.Join(p.take(), "\n")
		}}
	},
	"Streamable HTTP": func(t testing.TB, s *prompts.Server, version string) door {
		h := streamablehttp.MustNewHandler(s, streamablehttp.Options{})
		session := ""
		var post func(method, name, body string) string
		send := func(ctx context.Context, method, name, body string) string {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/", strings.NewReader(body))
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			if method != "initialize" {
				r.Header.Set("Mcp-Protocol-Version", version)
			}
			if session != "" {
				r.Header.Set("Mcp-Session-Id", session)
			}
			if version == hiddentest.Stateless {
				r.Header.Set("Mcp-Method", method)
				if name != "" {
					r.Header.Set("Mcp-Name", "=?base64?"+base64.StdEncoding.EncodeToString([]byte(name))+"?=")
				}
			}
			w := &recorder{httptest.NewRecorder(), post}
			h.ServeHTTP(w, r)
			if session == "" {
				session = w.Header().Get("Mcp-Session-Id")
			}
			w.Header().Del("Mcp-Session-Id")
			w.Header().Del("Date")
			return fmt.Sprint(w.Code, w.Header(), w.Body)
		}
		post = func(method, name, body string) string { return send(context.Background(), method, name, body) }
		if version != hiddentest.Stateless {
			post("initialize", "", servertest.InitializeAs(version, hiddentest.Capabilities))
			post("notifications/initialized", "", servertest.InitializedLine)
		}
		return door{func(id int, r hiddentest.Request) string { return post(r.Method, r.Name, r.Line(id, version)) }, func() { _ = h.Close() }, send}
	},
}

func sessionIn(t testing.TB, s *prompts.Server, version string) transport.Session {
	t.Helper()
	session := s.NewSession(transport.SessionOptions{})
	if version != hiddentest.Stateless {
		handle(t, session, session.Handle, servertest.InitializeAs(version, hiddentest.Capabilities))
		handle(t, session, session.Handle, servertest.InitializedLine)
	}
	return session
}

// handle returns all that is sent for a message.
func handle(t testing.TB, session transport.Session, f func(context.Context, []byte, transport.Exchange) error, msg string) string {
	t.Helper()
	return handleIn(context.Background(), t, session, f, msg)
}

func handleIn(ctx context.Context, t testing.TB, session transport.Session, f func(context.Context, []byte, transport.Exchange) error, msg string) string {
	t.Helper()
	var mu sync.Mutex // protects out
	var out []string
	err := f(ctx, []byte(msg), transport.Exchange{Send: func(msg []byte, code transport.Code, last bool) error {
		mu.Lock()
		defer mu.Unlock()
		out = append(out, fmt.Sprint(string(msg), code, last))
		decline(string(msg), func(msg string) {
			none := func([]byte, transport.Code, bool) error { return nil }
			_ = session.Handle(context.Background(), []byte(msg), transport.Exchange{Send: none})
		})
		return nil
	}})
	mu.Lock()
	defer mu.Unlock()
	return fmt.Sprint(strings.Join(out, "\n"), err)
}

// declined is the answer to each question.
const declined = `{"action":"decline"}`

var questionID = regexp.MustCompile(`"id":("prompts-\d+"),"method":"elicitation/create"`)

// decline declines the questions in what is sent. The goroutines end with the responses.
func decline(sent string, respond func(msg string)) {
	for _, m := range questionID.FindAllStringSubmatch(sent, -1) {
		go respond(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m[1], declined))
	}
}

// recorder declines questions over HTTP.
type recorder struct {
	*httptest.ResponseRecorder
	answer func(method, name, body string) string
}

func (r *recorder) Write(b []byte) (int, error) {
	decline(string(b), func(msg string) { r.answer("", "", msg) })
	return r.ResponseRecorder.Write(b)
}

// pipe is a connection in memory.
type pipe struct {
	in  chan string
	mu  sync.Mutex // protects the field below
	out []string
}

func (p *pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case line, ok := <-p.in:
		if !ok {
			return nil, io.EOF
		}
		return []byte(line), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Write(_ context.Context, msgs ...[]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, msg := range msgs {
		p.out = append(p.out, string(msg))
	}
	return nil
}

func (p *pipe) Close() error { return nil }

// say sends a message, answers a question by declining, and returns all that the server has
// sent since the last call.
func (p *pipe) say(line string) string {
	all := p.exchange(line)
	for _, msg := range all {
		var m struct{ ID, Method json.RawMessage }
		if json.Unmarshal([]byte(msg), &m) == nil && string(m.Method) == `"elicitation/create"` {
			all = append(all, p.exchange(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, declined))...)
		}
	}
	slices.Sort(all) // the notifications of two lists come in any order
	return strings.Join(all, "\n")
}

func (p *pipe) exchange(line string) []string {
	p.in <- line
	synctest.Wait()
	return p.take()
}

func (p *pipe) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.out
	p.out = nil
	return out
}

// promised is the number of requests to each of the two servers.
const promised, promisedShort = 100_000, 8_000

// PRG-13, SEC-01, CMP-11, CCH-08: a client cannot find out that a prompt exists that it may
// not see. Whatever it sends, each message of the server is the message of a server that
// does not have the hidden prompts.
func TestHiddenDoesNotExist(t *testing.T) {
	t.Parallel()
	least := promised
	if testing.Short() {
		least = promisedShort
	}
	var ways [][2]string // the names of doors, with versions
	for name := range doors {
		for _, rev := range revision.All() {
			if name != "batch" || rev.String() == servertest.BatchVersion {
				ways = append(ways, [2]string{name, rev.String()})
			}
		}
	}
	slices.SortFunc(ways, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	cases := hiddentest.Cases()
	each := least/(len(cases)*len(ways)) + 1
	var n atomic.Int64
	t.Run("cases", func(t *testing.T) { // which returns after the parallel tests
		for i, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					with, without := c.Twins(t)
					a, b := server(t, with), server(t, without)
					for j, way := range ways {
						open := doors[way[0]]
						p := pair{with, without, open(t, a, way[1]), open(t, b, way[1])}
						n.Add(int64(p.compare(t, way, each, uint64(i*len(ways)+j))))
					}
				})
			})
		}
	})
	t.Logf("%d requests to each of two servers, by %d doors in %d cases", n.Load(), len(ways), len(cases))
	require.GreaterOrEqual(t, n.Load(), int64(least))
}

// GAP-01, GAP-15, GAP-18, PRG-13: whichever way a request comes, alone or in a batch, as a
// message or by Call, its result or its error is the same, and so are the reports of progress
// and the end of its questions: with arguments that are null or too large, for hidden and
// unknown prompts, in each version, with and without a middleware.
func TestDoorsAnswerAlike(t *testing.T) {
	t.Parallel()
	each := 40
	if testing.Short() {
		each = 5
	}
	for i, c := range hiddentest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for j, rev := range revision.All() {
					compareDoors(t, c, rev.String(), each, uint64(1000+10*i+j))
				}
			})
		})
	}
}

// compareDoors sends n requests by each door, to a server of its own, and compares the answers.
func compareDoors(t *testing.T, c hiddentest.Case, version string, n int, seed uint64) {
	t.Helper()
	opened := map[string]door{}
	for name, open := range doors {
		if name == "batch" && version != servertest.BatchVersion {
			continue
		}
		w, _ := c.Twins(t)
		opened[name] = open(t, server(t, w), version)
		defer opened[name].close()
	}
	g := hiddentest.NewGenerator(seed)
	for id := range n {
		r := g.Next()
		r.Meta = `"progressToken":"token"`
		sent := opened["Serve"].ask(id, r)
		g.Hear(sent)
		want, reports := answer(sent), strings.Count(sent, `"progressToken":"token"`)
		for name, door := range opened {
			switch {
			case name == "Serve",
				name == "Server.Call" && strings.HasSuffix(r.Method, "subscribe"),            // which needs a session
				name == "Streamable HTTP" && version == hiddentest.Stateless && r.Name == "": // a header that is missing
				continue
			}
			sent := door.ask(id, r)
			got, n := answer(sent), strings.Count(sent, `"progressToken":"token"`)
			if name == "batch" {
				n /= 2
			}
			if got != want || n != reports {
				t.Fatalf("%s, seed %d, request %d, %s {%.2000s}:\nby %s: %.2000s\nby Serve: %.2000s\n%d and %d reports", version, seed, id, r.Method, r.Members, name, got, want, n, reports)
			}
		}
		time.Sleep(time.Second) // of the bubble: for the rates
	}
}

// unescaped reverts what encoding/json does to the data of an error of Call.
var unescaped = strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">")

// answer returns the result or the error of the response in what a door returns.
func answer(out string) string {
	var m struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	result := strings.TrimSuffix(out, "<nil>")          // of a Call
	result = result[strings.LastIndex(result, "\n")+1:] // after its notifications
	for _, part := range strings.SplitAfter(out, `{"jsonrpc":"2.0",`)[1:] {
		if json.NewDecoder(strings.NewReader(`{"jsonrpc":"2.0",`+part)).Decode(&m) == nil && (m.Result != nil || m.Error != nil) {
			break // the first of a batch
		}
	}
	switch {
	case m.Error != nil && m.Error.Data == nil:
		result = fmt.Sprintf("%d %s null", m.Error.Code, m.Error.Message)
	case m.Error != nil:
		result = fmt.Sprintf("%d %s %s", m.Error.Code, m.Error.Message, m.Error.Data)
	case m.Result != nil:
		result = string(m.Result)
	}
	return hiddentest.NeutralInTime(unescaped.Replace(result))
}

// pair is two servers, with the same door of each.
type pair struct {
	with, without hiddentest.Twin
	a, b          door
}

// compare sends n requests to both servers, and returns how many it has sent.
func (p *pair) compare(t *testing.T, way [2]string, n int, seed uint64) (sent int) {
	t.Helper()
	defer p.a.close()
	defer p.b.close()
	g := hiddentest.NewGenerator(seed)
	for id := range n {
		r := g.Next()
		got, want := p.a.ask(id, r), p.b.ask(id, r)
		sent++
		if got != want && hiddentest.Neutral(got) != hiddentest.Neutral(want) {
			t.Fatalf("%s, seed %d, request %d, %s {%.2000s}:\nwith the hidden prompts:    %.2000s\nwithout the hidden prompts: %.2000s", way, seed, id, r.Method, r.Members, got, want)
		}
		g.Hear(want)
		if way[0] == "Serve" && id%8 == 7 { // where the client is notified
			p.with.Change(t, id)
			p.without.Change(t, id)
		}
		time.Sleep(50 * time.Millisecond) // of the bubble: for the rates
	}
	return sent
}

func server(t testing.TB, w hiddentest.Twin) *prompts.Server {
	t.Helper()
	skills, err := promptskills.New(w.Skills, w.SkillOptions)
	require.NoError(t, err)
	o := w.Options
	o.Features = append(slices.Clone(o.Features), skills)
	return prompts.MustNewServer(w.Prompts, o)
}
