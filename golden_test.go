package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// Each file in testdata/sessions is a recorded session. Its lines are:
//
//	# …          a comment; "# server: NAME" chooses one of goldenServers
//	C> MESSAGE   the client sends a message
//	C>q "…"      the same, as a Go string literal, for what is no text
//	S> MESSAGE   the server sends a message, byte for byte
//	A> add NAME, A> remove NAME
//	             the server's author changes the registry, and the time passes
//	             that it takes to tell of it
//	A>> …        the same, and no time passes
//	T> DURATION  time passes
//	E>           the client closes its side
//	---          the same, and then another client comes
//
// The S> lines after each other line are all that the server sends, in this
// order, until nothing moves any more. With -update they are written anew.
// Subscriptions are told of one change in any order: what belongs to one of
// them is put together, and follows what belongs to none. The answers of a
// batch come in any order as well: here that of their ids. An error for a malformed
// response of the client comes last.
//
// A requestState and an elicitationId are random. In the server's lines there
// is a name, <state 1> for the first state and so on, by which the client's
// lines send it back. An error id is ID.
//
// The transport is not one of ours: all of it, the lifecycle of the handshake era
// and each pattern of messages of the stateless one, is there over any (JRP-34,
// JRP-35, STD-13).
func TestGoldenSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var played string
			synctest.Test(t, func(t *testing.T) {
				played = play(t, file, string(raw))
			})
			if *servertest.Update && !t.Failed() {
				require.NoError(t, os.WriteFile(file, []byte(played), 0o644))
			}
		})
	}
}

// play runs a session and returns it as it went.
func play(t *testing.T, file, script string) string {
	options, registry := prompts.Options{}, goldenRegistry
	var c *servertest.Client
	var srv *prompts.Server
	var played strings.Builder
	states := random{name: "state", member: "requestState"}
	elicitations := random{name: "elicitation", member: "elicitationId"}
	lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
	for i, line := range lines {
		if name, ok := strings.CutPrefix(line, "# server: "); ok {
			require.Contains(t, goldenServers, name, "%s:%d", file, i+1)
			options = goldenServers[name]
			if goldenRegistries[name] != nil {
				registry = goldenRegistries[name]
			}
		}
	}
	reg := registry()
	srv = prompts.MustNewServer(reg, options)
	begin := func() { c = servertest.Connect(t, srv) }
	end := func(where string) {
		if err := c.End(); err != nil {
			t.Errorf("%s: Serve returned %v", where, err)
		}
		c.Wire.Mu.Lock()
		defer c.Wire.Mu.Unlock()
		assert.Empty(t, c.Wire.Out, "%s: sent after the end", where)
	}
	begin()
	ended := false
	for i := 0; i < len(lines); i++ {
		line, where := lines[i], fmt.Sprintf("%s:%d", file, i+1)
		if strings.HasPrefix(line, "S> ") {
			t.Fatalf("%s: an answer to nothing", where)
		}
		played.WriteString(line + "\n")
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case kind == "C>":
			c.Send(states.put(rest))
		case kind == "C>q":
			msg, err := strconv.Unquote(rest)
			require.NoError(t, err, where)
			c.Send(msg)
		case kind == "A>", kind == "A>>":
			verb, name, _ := strings.Cut(rest, " ")
			switch verb {
			case "add":
				reg.MustAdd(servertest.TextPrompt(name, "added"))
			case "remove":
				require.True(t, reg.Remove(name), where)
			default:
				t.Fatalf("%s: %s?", where, verb)
			}
			if kind == "A>" {
				time.Sleep(notify.MinPause)
			}
		case kind == "T>":
			d, err := time.ParseDuration(rest)
			require.NoError(t, err, where)
			time.Sleep(d)
		case kind == "E>":
			close(c.Wire.In)
			assert.NoError(t, c.Wait(), where)
			ended = true
		case kind == "---":
			if !ended {
				end(where)
			}
			ended = false
			begin()
			continue
		case kind == "" || strings.HasPrefix(kind, "#"):
			continue
		default:
			t.Fatalf("%s: what is %q?", where, line)
		}
		var want []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "S> ") {
			i++
			want = append(want, strings.TrimPrefix(lines[i], "S> "))
		}
		got := c.ReceivedRaw()
		for j := range got {
			got[j] = servertest.ErrorID.ReplaceAllString(got[j], "${1}ID")
		}
		sortSubscriptions(got)
		for i, msg := range got {
			msg = elicitations.take(states.take(sortBatch(t, msg)))
			got[i] = msg
			played.WriteString("S> " + msg + "\n")
			assertMessage(t, where, msg)
		}
		if !*servertest.Update {
			assert.Equal(t, want, got, "%s: %s", where, line)
		}
	}
	if !ended {
		end(file)
	}
	time.Sleep(2 * time.Hour) // what Serve has left behind ends
	assert.Empty(t, c.Received(), "%s: sent after the end", file)
	servertest.AssertNoTrace(t, srv)
	return played.String()
}

// random gives names to the values of a member that are random.
type random struct {
	name, member string
	values       []string
}

// take returns the server's message with a name in the place of such a value.
func (r *random) take(msg string) string {
	member := regexp.MustCompile(`"` + r.member + `":"([^"]+)"`)
	return member.ReplaceAllStringFunc(msg, func(m string) string {
		r.values = append(r.values, member.FindStringSubmatch(m)[1])
		return fmt.Sprintf(`"%s":"<%s %d>"`, r.member, r.name, len(r.values))
	})
}

// put returns the client's message with the values that it names.
func (r *random) put(msg string) string {
	for i, value := range r.values {
		msg = strings.ReplaceAll(msg, fmt.Sprintf("<%s %d>", r.name, i+1), value)
	}
	return msg
}

// sortSubscriptions puts together what belongs to each subscription, in the
// order in which it was sent.
func sortSubscriptions(msgs []string) {
	cut := func(msg, prefix string) string {
		_, id, ok := strings.Cut(msg, prefix)
		if !ok {
			return ""
		}
		return id[:strings.IndexAny(id, ",}")]
	}
	ids := map[string]bool{}
	of := func(msg string) string {
		if id := cut(msg, `"`+servertest.SubscriptionKey+`":`); id != "" {
			ids[id] = true
			return id
		}
		if strings.HasPrefix(msg, `{"jsonrpc":"2.0","id":"prompts-`) && strings.Contains(msg, `"error":`) {
			return "response"
		}
		// A cancellation follows the answer; others are of the server's own requests.
		if id := cut(msg, `"method":"notifications/cancelled","params":{"requestId":`); ids[id] {
			return id
		}
		return ""
	}
	for _, msg := range msgs {
		of(msg)
	}
	slices.SortStableFunc(msgs, func(a, b string) int { return strings.Compare(of(a), of(b)) })
}

// sortBatch returns the message with its answers in the order of their ids, if
// it is a batch.
func sortBatch(t *testing.T, msg string) string {
	if !strings.HasPrefix(msg, "[") {
		return msg
	}
	var answers []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(msg), &answers))
	id := func(answer json.RawMessage) string {
		var a struct{ ID json.RawMessage }
		require.NoError(t, json.Unmarshal(answer, &a))
		return string(a.ID)
	}
	slices.SortStableFunc(answers, func(a, b json.RawMessage) int { return strings.Compare(id(a), id(b)) })
	sorted := "["
	for i, a := range answers {
		sorted += ","[:min(i, 1)] + string(a)
	}
	sorted += "]"
	require.Len(t, sorted, len(msg), "there is more to the batch than its answers")
	return sorted
}

// goldenServers are the options that a session may ask for.
var goldenServers = map[string]prompts.Options{
	"described": {
		Info: prompts.Implementation{
			Name: "golden", Version: "1.2.3", Title: "Golden <server>", Description: "Answers sessions",
			WebsiteURL: "https://golden.example.org/", Icons: []prompts.Icon{{Src: "https://golden.example.org/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}},
		},
		Instructions: "Pick a prompt & go.",
		Features:     servertest.Capabilities(map[string]any{"tools": map[string]any{"listChanged": false}, "logging": struct{}{}, "extensions": map[string]any{"org.example/x": struct{}{}}}),
	},
	"methods": {
		Features: servertest.Both(map[string]servertest.Method{
			"tools/list": func(context.Context, json.RawMessage) (any, error) {
				return map[string]any{"tools": []string{}, "note": "<none>"}, nil
			},
			"echo": func(_ context.Context, p json.RawMessage) (any, error) { return map[string]any{"params": p}, nil },
			"rich": func(context.Context, json.RawMessage) (any, error) {
				return json.RawMessage(`{ "_meta" : {"b":[1, 2],"io.modelcontextprotocol/serverInfo":{"name":"own","version":"2"}}, "resultType" : "org.example/rich", "a\u0062":{} }`), nil
			},
			"empty":  func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil },
			"amiss":  func(context.Context, json.RawMessage) (any, error) { return map[string]any{"_meta": 1}, nil },
			"scalar": func(context.Context, json.RawMessage) (any, error) { return 1, nil },
			"list":   func(context.Context, json.RawMessage) (any, error) { return []int{}, nil },
			"null":   func(context.Context, json.RawMessage) (any, error) { return nil, nil },
			"chan":   func(context.Context, json.RawMessage) (any, error) { return make(chan int), nil },
			"panic":  func(context.Context, json.RawMessage) (any, error) { panic("a secret") },
			"goexit": func(context.Context, json.RawMessage) (any, error) { runtime.Goexit(); return nil, nil },
			"error":  func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("a secret") },
			"refuse": func(context.Context, json.RawMessage) (any, error) {
				return nil, fmt.Errorf("a secret: %w", &prompts.Error{Code: -32002, Message: "resource not found", Data: map[string]any{"uri": "a&b"}})
			},
			"nested": func(context.Context, json.RawMessage) (any, error) {
				return json.RawMessage(`{"a":1,"a":2}`), nil
			},
		}, map[string]any{"tools": struct{}{}}),
	},
	"pages":      {PageSize: 3},
	"schemas":    {InputSchemas: true},
	"quiet":      {DisableListChanged: true},
	"small":      {Limits: prompts.Limits{MaxMessageBytes: 128}},
	"strict":     {StrictArguments: true},
	"sequential": {Limits: prompts.Limits{MaxConcurrent: 1}},
	"hasty":      {Timeouts: prompts.Timeouts{Render: 2 * time.Second, Drain: 3 * time.Second}, Limits: prompts.Limits{MaxConcurrent: 2}},
	"patient":    {Limits: prompts.Limits{MaxConcurrent: 1}, Timeouts: prompts.Timeouts{Drain: 3 * time.Second}},

	"cached":      {PageSize: 5, ClientCache: feature.ClientCache{TTL: 90 * time.Second, Public: true}},
	"filtered":    {ClientCache: feature.ClientCache{TTL: time.Minute, Public: true}, Visible: goldenVisible},
	"few":         {Limits: prompts.Limits{MaxSubscriptions: 2}},
	"fallback":    {Fallback: goldenFallback},
	"asking":      {Timeouts: prompts.Timeouts{Render: 2 * time.Second, Elicit: 5 * time.Minute}},
	"guided":      {ElicitArguments: true},
	"reporting":   {Timeouts: prompts.Timeouts{Render: time.Minute}},
	"completing":  {Timeouts: prompts.Timeouts{Render: 2 * time.Second}, Limits: prompts.Limits{MaxConcurrent: 2}},
	"uncompleted": {DisableCompletions: true},
}

// goldenRegistries are the prompts of servers that have others than
// goldenRegistry.
var goldenRegistries = map[string]func() *prompts.Registry{
	"asking":     askingPrompts,
	"guided":     guidedPrompts,
	"reporting":  reportingPrompts,
	"completing": completingPrompts,
}

type goldenTypes struct {
	Count int           `json:"count" jsonschema:"how many"`
	Ratio float64       `json:"ratio,omitempty"`
	Loud  bool          `json:"loud,omitempty"`
	Wait  time.Duration `json:"wait,omitempty"`
	Tags  []string      `json:"tags,omitempty" jsonschema:"what it is about"`
	Code  string        `json:"code,omitempty"`
}

func goldenRegistry() *prompts.Registry {
	return servertest.RegistryOf(
		prompts.New(prompts.Prompt{
			Name: "greet", Title: "Greeting", Description: "Greets <someone> & co.",
			Arguments: []prompts.Argument{
				{Name: "who", Title: "Whom"},
				{Name: "tone", Schema: &jsonschema.Schema{Enum: []any{"formal", "casual"}, Default: json.RawMessage(`"casual"`)}},
			},
			Icons: []prompts.Icon{{Src: "https://golden.example.org/g.png", Sizes: []string{"any"}, Theme: "light"}},
			Meta:  prompts.Meta{"org.example/owner": "docs"},
			Tags:  []string{"internal"},
		}, func(_ context.Context, in struct {
			Who  string `json:"who" jsonschema:"whom to greet"`
			Tone string `json:"tone,omitempty"`
		}) (*prompts.Result, error) {
			return &prompts.Result{
				Description: "A " + in.Tone + " greeting",
				Messages:    []prompts.Message{prompts.User("Greet " + in.Who + " in a " + in.Tone + " tone."), prompts.Assistant("Hello, " + in.Who + "!")},
			}, nil
		}),
		prompts.New(prompts.Prompt{
			Name: "types",
			Arguments: []prompts.Argument{
				{Name: "count", Schema: &jsonschema.Schema{Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(10.0)}},
				{Name: "tags", Schema: &jsonschema.Schema{MaxItems: jsonschema.Ptr(2)}},
				{Name: "code", Schema: &jsonschema.Schema{Pattern: "^[a-z]+$", MinLength: jsonschema.Ptr(2)}},
			},
		}, func(_ context.Context, in goldenTypes) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(fmt.Sprintf("%d %g %t %s %q %q", in.Count, in.Ratio, in.Loud, in.Wait, in.Tags, in.Code))), nil
		}),
		servertest.TextPrompt("bare", "<b>bare & \"quoted\"</b>\n\t\u2028\x7f é 😀"),
		servertest.Rendered("nothing", func(context.Context) (*prompts.Result, error) { return prompts.Messages(), nil }),
		servertest.Rendered("content", goldenContent),
		prompts.New(prompts.Prompt{Name: "faulty"}, func(_ context.Context, in struct {
			How string `json:"how"`
		}) (*prompts.Result, error) {
			return goldenFaults(in.How)
		}),
		prompts.New(prompts.Prompt{Name: "slow"}, func(ctx context.Context, in struct {
			For time.Duration `json:"for"`
		}) (*prompts.Result, error) {
			select {
			case <-time.After(in.For):
				return prompts.Messages(prompts.User("done after " + in.For.String())), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}),
		servertest.Rendered("deaf", func(context.Context) (*prompts.Result, error) {
			time.Sleep(time.Hour) // whatever its context says
			return prompts.Messages(prompts.User("too late")), nil
		}),
	)
}

func goldenContent(context.Context) (*prompts.Result, error) {
	half, size := 0.5, int64(5)
	a := &prompts.Annotations{
		Audience: []prompts.Role{prompts.RoleUser, prompts.RoleAssistant}, Priority: &half,
		LastModified: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
	}
	one, zero := 1.0, 0.0
	m := prompts.Meta{"org.example/rev": 3}
	contents := []prompts.Content{
		&prompts.Text{Text: "<plain> & simple"},
		&prompts.Text{Text: "annotated", Annotations: a, Meta: m},
		&prompts.Image{Data: []byte{0, 1, 2}, MIMEType: "image/png", Annotations: &prompts.Annotations{Priority: &zero}},
		&prompts.Image{MIMEType: "image/png"},
		&prompts.Audio{Data: []byte("RIFF"), MIMEType: "audio/wav", Annotations: &prompts.Annotations{Priority: &one}, Meta: m},
		&prompts.EmbeddedResource{URI: "file:///log.txt", Text: "line 1\nline 2"},
		&prompts.EmbeddedResource{URI: "note://7", MIMEType: "text/markdown", Text: "", ResourceMeta: m, Annotations: &prompts.Annotations{}},
		&prompts.EmbeddedResource{URI: "note://8", Blob: []byte{0, 1, 2}, Meta: m},
		&prompts.EmbeddedResource{URI: "note://9", MIMEType: "image/png", Blob: []byte{}},
		&prompts.ResourceLink{URI: "note://7", Name: "seven"},
		&prompts.ResourceLink{
			URI: "https://example.org/a?b=c&d=e", Name: "link", Title: "A link", Description: "Goes <there>", MIMEType: "text/html", Size: &size,
			Icons: []prompts.Icon{{Src: "data:image/png;base64,iVBORw0KGgo="}}, Annotations: a, Meta: m,
		},
	}
	r := &prompts.Result{Meta: prompts.Meta{"b": "<2>", "a": []int{1}}}
	for i, c := range contents {
		r.Messages = append(r.Messages, prompts.Message{Role: []prompts.Role{prompts.RoleUser, prompts.RoleAssistant}[i%2], Content: c})
	}
	return r, nil
}

// goldenPanic panics when it is encoded.
type goldenPanic struct{}

func (goldenPanic) MarshalJSON() ([]byte, error) { panic("a secret") }

func goldenFaults(how string) (*prompts.Result, error) {
	switch how {
	case "error":
		return nil, errors.New("a secret")
	case "error and result":
		return prompts.Messages(prompts.User("not to be sent")), errors.New("a secret")
	case "panic":
		panic("a secret")
	case "panic nil":
		panic(nil) // which recover must see
	case "goexit":
		runtime.Goexit()
	case "nil":
		return nil, nil
	case "typed nil":
		var e *prompts.Error
		return nil, e
	case "blame":
		return nil, errors.Join(prompts.InvalidArgument("how", "is not for today"), fmt.Errorf("a secret: %w", prompts.InvalidArgument("when", "is <never>")))
	case "invalid params":
		return nil, &prompts.Error{Code: prompts.CodeInvalidParams, Message: "not like this", Data: map[string]any{"see": "a&b"}}
	case "internal error":
		return nil, fmt.Errorf("a secret: %w", &prompts.Error{Code: prompts.CodeInternalError, Message: "the database is down"})
	case "own code":
		return nil, &prompts.Error{Code: 1001, Message: "quota exceeded"}
	case "reserved code":
		return nil, &prompts.Error{Code: -32002, Message: "a secret"}
	case "data that is none":
		return nil, &prompts.Error{Code: 1001, Message: "see data", Data: make(chan int)}
	case "data that panics":
		return nil, &prompts.Error{Code: 1001, Message: "see data", Data: goldenPanic{}}
	case "message that is none":
		return nil, &prompts.Error{Code: 1001, Message: "not \xff UTF-8"}
	case "role":
		return prompts.Messages(prompts.Message{Role: "system", Content: &prompts.Text{Text: "x"}}), nil
	case "pointer":
		return prompts.Messages(prompts.UserContent(&prompts.Text{Text: "x"})), nil
	case "second message":
		return prompts.Messages(prompts.User("fine"), prompts.User("\xff")), nil
	}
	return prompts.Messages(prompts.User("not faulty: " + how)), nil
}

// assertMessage checks what holds for each message of the server, whatever it answers: a
// notification has no id (JRP-17), and an error has a short text of one line (JRP-13).
func assertMessage(t *testing.T, where, msg string) {
	all := []string{msg}
	if strings.HasPrefix(msg, "[") {
		all = servertest.Elements(t, msg)
	}
	for _, msg := range all {
		var m struct {
			ID     json.RawMessage
			Method string
			Error  *struct{ Message string }
		}
		require.NoError(t, json.Unmarshal([]byte(msg), &m), "%s: %s", where, msg)
		assert.False(t, strings.HasPrefix(m.Method, "notifications/") && m.ID != nil, "%s: %s", where, msg)
		if m.Error != nil {
			assert.Regexp(t, `^[^\n]{1,700}$`, m.Error.Message, where)
		}
	}
}

// PRL-14, MRT-03: a list is never put off for an answer, whatever a filter asks.
func TestListAsksNobody(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{ElicitArguments: true, Visible: func(ctx context.Context, _ prompts.Prompt) (bool, error) {
		_, err := servertest.Asking("which").Render(ctx, nil)
		return errors.Is(err, prompts.ErrElicitationUnavailable), nil
	}})
	for _, params := range []string{"", `"cursor":null`} {
		got := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "prompts/list", params))
		assert.Contains(t, got, `"resultType":"complete"`)
		assert.Contains(t, got, `"name":"text"`)
	}
}
