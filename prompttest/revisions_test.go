package prompttest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/servertest/clienttest"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

type reviewed struct {
	Code     string `json:"code"`
	Language string `json:"language,omitempty"`
}

type person struct {
	Name string `json:"name"`
}

// catalogue is a registry with a prompt for each thing that a client has to
// deal with.
func catalogue() *prompts.Registry {
	reg := new(prompts.Registry)
	reg.MustAdd(
		prompts.New(prompts.Prompt{
			Name: "review", Title: "Review", Description: "Reviews code", Meta: prompts.Meta{"org.example/a": "b"},
			Icons:     []prompts.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}},
			Arguments: []prompts.Argument{{Name: "language", Title: "Language", Enum: []string{"go", "python"}}},
		}, func(_ context.Context, in reviewed) (*prompts.Result, error) {
			return &prompts.Result{
				Description: "A review",
				Messages:    []prompts.Message{prompts.User("Review " + in.Language + ":\n" + in.Code), prompts.Assistant("Gladly.")},
				Meta:        prompts.Meta{"org.example/c": 1.5},
			}, nil
		}),
		data("everything", func(context.Context, map[string]string) (*prompts.Result, error) { return everything(), nil }),
		data("ask", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			first, err := prompts.Elicit[person](ctx, "who", "Who?")
			if err != nil {
				return nil, err
			}
			second, err := prompts.Elicit[person](ctx, "whom", "Whom?")
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(first.Name + " greets " + second.Name)), nil
		}),
		data("slow", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "half")
			return prompts.Messages(prompts.User("done")), nil
		}),
		data("broken", func(context.Context, map[string]string) (*prompts.Result, error) { return nil, io.ErrUnexpectedEOF }),
	)
	return reg
}

func data(name string, render prompts.RenderFunc) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: render}
}

// everything is a result with all kinds of content that all revisions have.
func everything() *prompts.Result {
	priority := 0.5
	return prompts.Messages(
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.Text{Text: "text", Annotations: &prompts.Annotations{
			Audience: []prompts.Role{prompts.RoleAssistant}, Priority: &priority,
		}}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.Image{Data: []byte{1, 2, 3}, MIMEType: "image/png"}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "note://1", MIMEType: "text/plain", Text: "note"}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "note://2", MIMEType: "application/x-note", Blob: []byte{4}}},
	)
}

// ways are the connections that a client is tried over. Each serves srv and
// returns the client's side.
var ways = map[string]func(t *testing.T, srv *prompts.Server) transport.Conn{
	"pipe": func(t *testing.T, srv *prompts.Server) transport.Conn {
		near, far := newPipe()
		serve(t, srv, far)
		return near
	},
	"stdio": func(t *testing.T, srv *prompts.Server) transport.Conn {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		serve(t, srv, stdio.NewStream(inR, outW, stdio.Options{}))
		return stdio.NewStream(outR, inW, stdio.Options{})
	},
	"http": func(t *testing.T, srv *prompts.Server) transport.Conn {
		handler := streamablehttp.MustNewHandler(srv, streamablehttp.Options{})
		server := httptest.NewServer(handler)
		t.Cleanup(func() {
			assert.NoError(t, handler.Close())
			server.Close()
		})
		return clienttest.HTTP(server.URL, nil)
	},
}

// serve has srv serve until its client has gone.
func serve(t *testing.T, srv *prompts.Server, conn transport.Conn) {
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), conn) }()
	t.Cleanup(func() { assert.NoError(t, <-served) })
}

// The questions of one result are answered by the order of their keys, in each run.
func TestOrderOfAnswers(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(data("p", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		var questions []prompts.Question
		for _, key := range []string{"d", "b", "a", "e", "c"} {
			questions = append(questions, prompts.Form[struct{}](key, "OK?"))
		}
		return prompts.Messages(), prompts.Ask(ctx, questions...)
	}))
	asked := ""
	Serve(t, prompts.MustNewServer(&reg, prompts.Options{}), ClientOptions{Answer: func(q Question) any {
		asked += q.Key
		return Accept(map[string]any{})
	}}).Get("p", nil)
	assert.Equal(t, "abcde", asked)
}

// The client has all that a revision has, over every transport.
func TestRevisions(t *testing.T) {
	t.Parallel()
	for way, connect := range ways {
		for _, version := range Versions() {
			t.Run(way+" "+version, func(t *testing.T) {
				t.Parallel()
				tryRevision(t, version, connect)
			})
		}
	}
}

func tryRevision(t *testing.T, version string, connect func(*testing.T, *prompts.Server) transport.Conn) {
	reg := catalogue()
	srv := prompts.MustNewServer(reg, prompts.Options{
		PageSize: 2,
		Features: servertest.Both(map[string]servertest.Method{"tools/list": func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"tools": []any{}}, nil
		}}, map[string]any{"tools": struct{}{}}),
		Logger: slog.New(slog.DiscardHandler),
	})
	var notified notifications
	c := NewClient(t, connect(t, srv), ClientOptions{Version: version, Answer: answerByMessage, OnNotification: notified.add})
	r, _ := protocolOf(version)

	// The list, of all pages, with what the revision has of it.
	c.Listen()
	list := c.List()
	assert.Equal(t, []string{"ask", "broken", "everything", "review", "slow"}, namesOf(list))
	want := prompts.Prompt{Name: "review", Description: "Reviews code", Arguments: []prompts.Argument{
		{Name: "code", Required: true}, {Name: "language", Description: "one of: go, python"},
	}}
	if r.Titles() {
		want.Title, want.Meta, want.Arguments[1].Title = "Review", prompts.Meta{"org.example/a": "b"}, "Language"
	}
	if r.Icons() {
		want.Icons = []prompts.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}}
	}
	assert.Equal(t, want, list[3])

	// Results and errors.
	assert.Equal(t, &prompts.Result{
		Description: "A review",
		Messages:    []prompts.Message{prompts.User("Review go:\nx"), prompts.Assistant("Gladly.")},
		Meta:        prompts.Meta{"org.example/c": 1.5},
	}, c.Get("review", map[string]string{"code": "x", "language": "go"}))
	assert.Equal(t, everything(), c.Get("everything", nil))
	refusal := c.GetError("review", map[string]string{"language": "cobol"})
	assert.Equal(t, prompts.CodeInvalidParams, refusal.Code)
	assert.Equal(t, map[string]problem.Reason{"code": problem.Missing, "language": problem.Enum}, problem.Reasons(refusal))
	assert.Equal(t, prompts.CodeInternalError, c.GetError("broken", nil).Code)
	assert.Nil(t, problem.Reasons(c.GetError("nobody", nil)))
	assert.Equal(t, []string{"python"}, c.Complete("review", "language", "p", map[string]string{"code": "x"}))

	// Questions, one after the other.
	if r.Elicitation() {
		assert.Equal(t, prompts.Messages(prompts.User("Ada greets Bob")), c.Get("ask", nil))
	} else {
		assert.Equal(t, prompts.CodeInternalError, c.GetError("ask", nil).Code)
	}

	// Progress comes before the answer.
	c.Get("slow", nil)
	assert.Equal(t, []string{"notifications/progress"}, notified.take())

	// Any method, and any message.
	raw, err := c.Call("tools/list", map[string]any{"cursor": "x"})
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"tools":[]`)
	_, err = c.Call("tools/call", nil)
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, prompts.CodeMethodNotFound, refusal.Code)
	c.Send(`{"jsonrpc":`)
	assert.Contains(t, c.Receive(), "-32700")

	// Changes, one after the other.
	for _, name := range []string{"slow", "broken"} {
		reg.Remove(name)
		c.WaitChanged()
	}
	c.Listen() // once is enough
	assert.Equal(t, []string{"ask", "everything", "review"}, namesOf(c.List()))
}

func namesOf(list []prompts.Prompt) []string {
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

func answerByMessage(q Question) any {
	if q.Method != "elicitation/create" {
		return prompts.CodeInternalError
	}
	return Accept(map[string]any{"name": map[string]string{"Who?": "Ada", "Whom?": "Bob"}[q.Message]})
}

// notifications are the methods of those that have come.
type notifications struct {
	mu  sync.Mutex
	all []string
}

func (n *notifications) add(method string, _ json.RawMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, method)
}

func (n *notifications) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := slices.Clone(n.all)
	n.all = nil
	return all
}

// A batch, which one revision has, is sent and received as it is.
func TestBatch(t *testing.T) {
	t.Parallel()
	c := Serve(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), ClientOptions{Version: "2025-03-26"})
	c.Send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	assert.JSONEq(t, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`, c.Receive())
	_, err := c.Call("ping", nil)
	assert.NoError(t, err)

	// Progress of a request in a batch is expected.
	c = Serve(t, prompts.MustNewServer(catalogue(), prompts.Options{}), ClientOptions{Version: "2025-03-26"})
	c.Send(`[{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"slow","_meta":{"progressToken":"t"}}}]`)
	assert.Contains(t, c.Receive(), `"progressToken":"t"`)
	assert.Contains(t, c.Receive(), "done")
}

// A subscription that the author's own message has made is the author's.
func TestOwnSubscription(t *testing.T) {
	t.Parallel()
	reg := catalogue()
	c := New(t, reg)
	c.Send(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	assert.Contains(t, c.Receive(), "notifications/subscriptions/acknowledged")
	reg.Remove("slow")
	assert.Contains(t, c.Receive(), "notifications/prompts/list_changed")
}

// What a person says in other words than yes.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, test := range []struct {
			answer any
			want   string
		}{
			{Decline(), "declined"},
			{Cancel(), "dismissed"},
			{Accept(map[string]any{"name": 1}), "name"},
			{Accept(nil), ""},
		} {
			c := Serve(t, prompts.MustNewServer(catalogue(), prompts.Options{}), ClientOptions{Version: version, Answer: func(Question) any { return test.answer }})
			assert.Contains(t, c.GetError("ask", nil).Message, test.want)
		}
	}
	// An error is one that the client answers with.
	for _, failure := range []error{io.EOF, &prompts.Error{Code: -1, Message: "no", Data: 1}} {
		c := Serve(t, prompts.MustNewServer(catalogue(), prompts.Options{}), ClientOptions{Version: "2025-11-25", Answer: func(Question) any { return failure }})
		assert.Equal(t, prompts.CodeInternalError, c.GetError("ask", nil).Code)
	}
}
