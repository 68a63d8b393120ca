package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// holder is a server whose clients hold as much as they can.
type holder struct {
	server  *prompts.Server
	handler *streamablehttp.Handler
	ctx     context.Context
	stop    context.CancelFunc
	blocked chan struct{} // closed when whatever is held goes on
	held    sync.WaitGroup
	took    chan struct{} // a value for each call that holds something
	clients atomic.Int64
}

// rendering is how many bytes a render function of a holder takes.
const rendering = 512 << 10

type holderArgs struct {
	Text string `json:"text,omitempty"`
}

// failed is a large error.
var failed = &prompts.Error{Code: 1, Message: strings.Repeat("x", 100<<10)}

func newHolder(l prompts.Limits, o streamablehttp.Options, result, cacheBytes int) *holder {
	h := &holder{blocked: make(chan struct{}), took: make(chan struct{}, 10_000)}
	h.ctx, h.stop = context.WithCancel(context.Background())
	var r prompts.Registry
	r.MustAdd(
		prompts.New(prompts.Prompt{Name: "large"}, func(context.Context, holderArgs) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(strings.Repeat("x", result))), nil
		}),
		prompts.New(prompts.Prompt{Name: "ask"}, func(ctx context.Context, in holderArgs) (*prompts.Result, error) {
			_, err := prompts.Elicit[servertest.Colour](ctx, "colour", "Which?")
			runtime.KeepAlive(in)
			return nil, err
		}),
		prompts.New(prompts.Prompt{Name: "fail"}, func(context.Context, holderArgs) (*prompts.Result, error) {
			return nil, failed
		}),
		prompts.New(prompts.Prompt{Name: "complete", Arguments: []prompts.Argument{{
			Name: "text", Complete: func(context.Context, string, map[string]string) ([]string, error) {
				h.block()
				return nil, nil
			},
		}}}, func(context.Context, holderArgs) (*prompts.Result, error) { return nil, servertest.ErrDisk }),
		prompts.New(prompts.Prompt{Name: "run"}, func(ctx context.Context, in holderArgs) (*prompts.Result, error) {
			memory := make([]byte, rendering)
			h.block()
			runtime.KeepAlive(memory)
			return prompts.Messages(prompts.User(in.Text)), nil
		}),
	)
	if cacheBytes > 0 {
		r.MustAdd(prompts.New(prompts.Prompt{Name: "cached", Cache: prompts.Cache{TTL: time.Hour, MaxBytes: cacheBytes}}, func(_ context.Context, in holderArgs) (*prompts.Result, error) {
			if len(in.Text)%2 == 0 {
				return &prompts.Result{Meta: prompts.Meta{"small": smallObjects(200)}}, nil
			}
			return prompts.Messages(prompts.User(in.Text + strings.Repeat("x", 64<<10))), nil
		}))
	}
	var skills promptskills.Registry
	if err := skills.Update(func(tx *promptskills.Tx) error {
		for i := range manySkills {
			if err := tx.Add(promptskills.Skill{Path: skillPath(i), Files: map[string][]byte{
				"SKILL.md": []byte("x"),
			}, Frontmatter: json.RawMessage(fmt.Sprintf(`{"name":"s%d","description":"x"}`, i))}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		panic(err)
	}
	f, err := promptskills.New(&skills, promptskills.Options{PageSize: 10})
	if err != nil {
		panic(err)
	}
	h.server = prompts.MustNewServer(&r, prompts.Options{
		Limits: l, Timeouts: prompts.Timeouts{Render: -1, Elicit: -1},
		Features:  []feature.Feature{f},
		Principal: func(ctx context.Context) (string, error) { who, _ := ctx.Value(clientKey{}).(string); return who, nil },
	})
	o.WriteTimeout, o.ReadTimeout = -1, -1
	h.handler = streamablehttp.MustNewHandler(h.server, o)
	return h
}

func (h *holder) close() {
	close(h.blocked)
	h.stop()
	_ = h.handler.Close()
	h.held.Wait()
}

type clientKey struct{}

// smallObjects returns objects whose memory is many times their JSON.
func smallObjects(n int) (all []any) {
	for range n {
		all = append(all, map[string]any{"a": 1})
	}
	return all
}

// The skills of a holder, with paths that are as long as may be.
const manySkills = 500

func skillPath(i int) string {
	name := fmt.Sprint("s", i)
	return fmt.Sprintf("%0*d/%s", 1024-1-len(name), i, name)
}

// see has a client get the entries of all skills, and lists with the cursor of a path
// and with a longer one.
func (h *holder) see(client string, longest int) {
	for i := range manySkills {
		h.handle([]byte(servertest.EnvelopedLine("1", "skills/get", `"uri":"skill://`+skillPath(i)+`/SKILL.md"`)), transport.Exchange{ClientKey: client})
	}
	for _, path := range []string{skillPath(manySkills / 2), strings.Repeat("x", longest)} {
		h.handle([]byte(servertest.EnvelopedLine("1", "skills/list", `"cursor":"`+string(cursor.Append(nil, "skills/list\x00\x00", path))+`"`)), transport.Exchange{ClientKey: client})
	}
}

// client returns the name of another client.
func (h *holder) client() string { return fmt.Sprint("client ", h.clients.Add(1)) }

// hold runs f, which holds something from the time that it counts.
func (h *holder) hold(f func()) {
	h.held.Go(f)
	<-h.took
}

func (h *holder) count() { h.took <- struct{}{} }

// block counts in took and waits until the end.
func (h *holder) block() {
	h.count()
	<-h.blocked
}

// blockedSend is a Send that nobody reads.
func (h *holder) blockedSend([]byte, transport.Code, bool) error {
	h.block()
	return nil
}

// handle passes a message of a new client to the server.
func (h *holder) handle(msg []byte, x transport.Exchange) {
	if x.ClientKey == "" {
		x.ClientKey = h.client()
	}
	if x.Send == nil {
		x.Send = func([]byte, transport.Code, bool) error { return nil }
	}
	_ = h.server.Handle(h.ctx, msg, x)
}

// checkThatBlocks lets a message be parsed and no more.
func (h *holder) checkThatBlocks(transport.RequestInfo) error {
	h.block()
	return servertest.ErrDisk
}

// once is a body that is forgotten when it has been read.
type once struct {
	*strings.Reader
	end func() error
}

func (o *once) Read(p []byte) (int, error) {
	n, _ := o.Reader.Read(p)
	if o.Len() == 0 {
		o.Reader = strings.NewReader("")
	}
	if n == 0 {
		return 0, o.end()
	}
	return n, nil
}

// reply is a ResponseWriter that calls wrote at the first Write.
type reply struct {
	header http.Header
	wrote  func()
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(int) {}

func (w *reply) Flush() {}

func (w *reply) Write(p []byte) (int, error) {
	w.wrote()
	w.wrote = func() {}
	return len(p), nil
}

// post sends a message over HTTP, with the end of its body.
func (h *holder) post(client, session, body string, size int, end func() error, wrote func()) *reply {
	ctx := context.WithValue(h.ctx, clientKey{}, client)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/", &once{strings.NewReader(body), end})
	r.ContentLength = int64(size)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case session != "":
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	case !strings.Contains(body, `"initialize"`):
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "subscriptions/listen")
	}
	for i := range headerValues {
		name := fmt.Sprintf("X-%020d", i)
		r.Header[name] = []string{strings.Repeat("v", headerBytes/headerValues-len(name))}
	}
	w := &reply{http.Header{}, wrote}
	h.handler.ServeHTTP(w, r)
	return w
}

// The header of a request is as large as may be.
const headerBytes, headerValues = 32 << 10, 240

func atEnd() error { return io.EOF }

// listen opens a stream with a message that is padded to size bytes.
func (h *holder) listen(size int) {
	h.hold(func() {
		body := strings.Replace(servertest.ListenLine("1"), `"_meta":{`, `"_meta":{"pad":"`+strings.Repeat("x", max(0, size-400))+`",`, 1)
		h.post(h.client(), "", body, len(body), atEnd, h.count)
	})
}

// ask has a session wait for an elicitation, in a request with a text of size
// bytes and as much padding.
func (h *holder) ask(text, padding int) {
	client := h.client()
	hello := servertest.InitializeAs("2025-11-25", `{"elicitation":{}}`)
	id := h.post(client, "", hello, len(hello), atEnd, func() {}).header.Get("Mcp-Session-Id")
	h.post(client, id, servertest.InitializedLine, len(servertest.InitializedLine), atEnd, func() {})
	h.hold(func() {
		body := `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"ask","arguments":{"text":"` + strings.Repeat("x", text) +
			`"},"_meta":{"pad":"` + strings.Repeat("x", padding) + `"}}}`
		h.post(client, id, body, len(body), atEnd, h.count)
	})
}

// complete has a completion run, in a request with padding.
func (h *holder) complete(padding int) {
	h.hold(func() {
		h.handle([]byte(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"complete"},`+
			`"argument":{"name":"text","value":"x"},"context":{"arguments":{"other":"x"}},"_meta":{"pad":"`+strings.Repeat("x", padding)+`",`+
			strings.TrimPrefix(servertest.BareEnvelope, `"_meta":{`)+`}}`), transport.Exchange{})
	})
}

// body sends three quarters of a body of size bytes.
func (h *holder) body(client string, size int) {
	h.hold(func() {
		h.post(client, "", strings.Repeat(" ", size*3/4), size, func() error {
			h.block()
			return io.ErrUnexpectedEOF
		}, func() {})
	})
}

// unread reads nothing of the response to a request, and returns its error code, 0
// if it is none.
func (h *holder) unread(client, msg string) transport.Code {
	var code atomic.Int64
	h.hold(func() {
		h.handle([]byte(msg), transport.Exchange{ClientKey: client, Send: func(_ []byte, c transport.Code, _ bool) error {
			code.Store(int64(c))
			return h.blockedSend(nil, c, true)
		}})
	})
	return transport.Code(code.Load())
}

func getOf(prompt, text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + prompt + `","arguments":{"text":"` + text + `"},` + servertest.BareEnvelope + `}}`
}

// batch reads nothing of the response to a batch.
func (h *holder) batch() {
	s := h.server.NewSession(transport.SessionOptions{Version: "2025-03-26"})
	h.hold(func() {
		defer s.Close()
		msg := servertest.BatchLine(servertest.GetLine("1", "large"), servertest.GetLine("2", "large"))
		_ = s.Handle(h.ctx, []byte(msg), transport.Exchange{ClientKey: h.client(), Send: h.blockedSend})
	})
}

// numbers is a message of size bytes whose parsed form is as large as it can be.
func numbers(size int) string {
	return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"run","numbers":[1` + strings.Repeat(",1", (size-250)/2) + `],` + servertest.BareEnvelope + `}}`
}

// parse has a message parsed and no more.
func (h *holder) parse(size int) {
	h.hold(func() { h.handle([]byte(numbers(size)), transport.Exchange{CheckVersion: h.checkThatBlocks}) })
}

// run has a request run, or wait.
func (h *holder) run(waits bool) {
	h.hold(func() {
		h.handle([]byte(getOf("run", strings.Repeat("x", 12<<10))), transport.Exchange{Release: func() {
			if waits {
				h.count()
			}
		}})
	})
}

// subscriber is the transport of a connection that subscribes n times.
type subscriber struct {
	h    *holder
	n    int
	next int
}

func (s *subscriber) Read(ctx context.Context) ([]byte, error) {
	if s.next == s.n {
		<-ctx.Done()
		return nil, io.EOF
	}
	s.next++
	return []byte(servertest.ListenLine(fmt.Sprint(s.next))), nil
}

func (s *subscriber) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := s.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (s *subscriber) write(_ context.Context, msg []byte) error {
	if strings.Contains(string(msg), "acknowledged") {
		s.h.count()
	}
	return nil
}

func (s *subscriber) Close() error { return nil }

func (h *holder) subscribe(n int) {
	h.held.Go(func() { _ = h.server.Serve(h.ctx, &subscriber{h: h, n: n}) })
	for range n {
		<-h.took
	}
}
