package redact_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// confidence collects what must be in no record of the log.
type confidence struct {
	servertest.Journal
	secrets map[string]bool
}

func newConfidence() *confidence {
	return &confidence{secrets: map[string]bool{
		servertest.Confided: true, servertest.ConfidedNumber: true, base64.StdEncoding.EncodeToString([]byte(servertest.Confided)): true,
	}}
}

// everything is a logger of records of all levels.
func (c *confidence) everything() *slog.Logger {
	return slog.New(slog.NewJSONHandler(c, &slog.HandlerOptions{Level: slog.Level(math.MinInt)}))
}

// carried matches what a client has to bring back: states and cursors.
var carried = regexp.MustCompile(`"(?:requestState|nextCursor)":"([^"]+)"`)

// remember takes what the server has given to the client for secrets, too, and
// returns it.
func (c *confidence) remember(answers ...string) (all []string) {
	for _, answer := range answers {
		for _, m := range carried.FindAllStringSubmatch(answer, -1) {
			c.secrets[m[1]] = true
			all = append(all, m[1])
		}
	}
	return all
}

// assertKept checks that the log has records of all of these texts, but no secret.
func (c *confidence) assertKept(t *testing.T, records ...string) {
	t.Helper()
	log := c.String()
	for _, record := range records {
		assert.Contains(t, log, record)
	}
	for line := range strings.SplitSeq(log, "\n") {
		for secret := range c.secrets {
			assert.NotContains(t, line, secret)
		}
	}
}

// confiding is a struct with an argument of each kind.
type confiding struct {
	Text     string            `json:"text,omitempty"`
	Pattern  string            `json:"pattern,omitempty"`
	Odd      string            `json:"odd,omitempty"`
	Number   int               `json:"number,omitempty"`
	Small    uint8             `json:"small,omitempty"`
	Float    float64           `json:"float,omitempty"`
	Bool     bool              `json:"bool,omitempty"`
	Duration time.Duration     `json:"duration,omitempty"`
	Time     time.Time         `json:"time,omitzero"`
	Addr     netip.Addr        `json:"addr,omitzero"`
	URL      url.URL           `json:"url,omitzero"`
	Bytes    []byte            `json:"bytes,omitempty"`
	List     []int             `json:"list,omitempty"`
	Map      map[string]int    `json:"map,omitempty"`
	Object   struct{ N int }   `json:"object,omitzero"`
	Objects  []struct{ N int } `json:"objects,omitempty"`
	Any      any               `json:"any,omitempty"`
}

// confidingArguments are the schemas of some, of which jsonschema-go has to judge
// the odd one.
var confidingArguments = []prompts.Argument{
	{Name: "text", Complete: func(context.Context, string, map[string]string) ([]string, error) {
		return nil, errors.New("no values")
	}},
	{Name: "pattern", Schema: &jsonschema.Schema{Pattern: "^[a-b]+$", MaxLength: jsonschema.Ptr(3)}},
	{Name: "odd", Schema: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Pattern: "^a"}, {Pattern: "^b"}}}},
	{Name: "number", Schema: &jsonschema.Schema{Maximum: jsonschema.Ptr(3.0)}},
}

// confidingRegistry has prompts that fail in every way, with arguments at hand.
func confidingRegistry() *prompts.Registry {
	reg := new(prompts.Registry)
	add := func(name string, render func(context.Context, confiding) (*prompts.Result, error)) {
		reg.MustAdd(prompts.New(prompts.Prompt{Name: name, Arguments: confidingArguments}, render))
	}
	for name, content := range map[string]func(in confiding) prompts.Content{
		"link": func(in confiding) prompts.Content { return &prompts.ResourceLink{URI: in.Text, Name: in.Text} },
		"resource": func(in confiding) prompts.Content {
			return &prompts.EmbeddedResource{URI: in.Text, Text: in.Text, Blob: []byte(in.Text)}
		},
		"image":    func(in confiding) prompts.Content { return &prompts.Image{MIMEType: in.Text} },
		"not UTF8": func(in confiding) prompts.Content { return &prompts.Text{Text: in.Text + "\xff"} },
		"audio": func(in confiding) prompts.Content {
			return &prompts.Audio{Data: []byte(in.Text), MIMEType: "audio/wav"}
		},
		"marked": func(in confiding) prompts.Content {
			return &prompts.Text{Text: in.Text, Annotations: &prompts.Annotations{Priority: jsonschema.Ptr(2.0)}}
		},
	} {
		add(name, func(_ context.Context, in confiding) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(in.Text), prompts.Message{Role: prompts.RoleUser, Content: content(in)}), nil
		})
	}
	add("meta", func(_ context.Context, in confiding) (*prompts.Result, error) {
		return &prompts.Result{Description: in.Text, Meta: map[string]any{"a": map[string]any{in.Text: func() {}}}}, nil
	})
	add("fine", func(ctx context.Context, in confiding) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, in.Text)
		return prompts.Messages(prompts.User(in.Text)), nil
	})
	add("fails", func(context.Context, confiding) (*prompts.Result, error) { return nil, servertest.ErrDisk })
	add("blames", func(context.Context, confiding) (*prompts.Result, error) {
		return nil, fmt.Errorf("the author's words: %w", prompts.InvalidArgument("text", "is not good"))
	})
	add("panics", func(_ context.Context, in confiding) (*prompts.Result, error) { panic(servertest.ErrDisk) })
	add("sleeps", func(ctx context.Context, in confiding) (*prompts.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	add("asks", func(ctx context.Context, in confiding) (*prompts.Result, error) {
		if _, err := prompts.Once(ctx, "kept", func(context.Context) (string, error) { return in.Text, nil }); err != nil {
			return nil, err
		}
		// The client answers with a value that is none of these.
		type choice struct {
			Text string `json:"text"`
		}
		_, err := prompts.Elicit[choice](ctx, "choice", "Which?", prompts.Argument{Name: "text", Enum: []string{"a", "b"}})
		if err != nil && in.Text != "" && !errors.Is(err, prompts.ErrInputRequired) && !errors.Is(err, prompts.ErrElicitationUnavailable) {
			return nil, fmt.Errorf("choosing: %w", err)
		}
		answer, err := prompts.Elicit[confiding](ctx, "answer", "Which?", confidingArguments[1])
		if err != nil {
			return nil, fmt.Errorf("asking: %w", err)
		}
		return prompts.Messages(prompts.User(answer.Text)), servertest.ErrDisk
	})
	add("includes", func(ctx context.Context, in confiding) (*prompts.Result, error) {
		return prompts.Include(ctx, "fails", map[string]string{"text": in.Text})
	})
	add("includes badly", func(ctx context.Context, in confiding) (*prompts.Result, error) {
		return prompts.Include(ctx, "fails", map[string]string{"number": in.Text, "pattern": in.Text, "list": in.Text})
	})
	add("large", func(ctx context.Context, in confiding) (*prompts.Result, error) {
		_, err := prompts.Once(ctx, "kept", func(context.Context) (string, error) { return strings.Repeat(in.Text, servertest.MaxRequestState), nil })
		if err != nil {
			return nil, err
		}
		return nil, prompts.Ask(ctx, prompts.InputRequest("roots", servertest.MethodRoots, nil))
	})
	return reg
}

// confidingPrompts are the names of those, and one that there is not.
var confidingPrompts = []string{
	"link", "resource", "image", "not UTF8", "audio", "marked", "meta", "fine", "fails", "blames", "panics", "sleeps", "asks", "includes", "includes badly", "large", "none",
}

// confidingMessages are the methods and the params of messages of every kind, good
// and bad, without their envelope.
func confidingMessages() (all [][2]string) {
	add := func(method, params string) { all = append(all, [2]string{method, params}) }
	const c, n = `"` + servertest.Confided + `"`, `"` + servertest.ConfidedNumber + `"`
	for _, prompt := range confidingPrompts {
		get := func(arguments, more string) {
			add("prompts/get", `"name":"`+prompt+`","arguments":{`+arguments+`}`+more)
		}
		get(`"text":`+c, "")
		get(`"text":`+c, `,"requestState":`+c+`,"inputResponses":{`+c+`:`+c+`}`)
		get(`"text":{`+c+`:`+c+`}`, "")
		get(c+`:`+c, "")
	}
	fields := []string{"pattern", "odd", "number", "small", "float", "bool", "duration", "time", "addr", "url", "bytes", "list", "map", "object", "objects", "any"}
	for _, field := range fields {
		for _, value := range []string{c, n, `"[` + servertest.ConfidedNumber + `,` + servertest.Confided + `]"`, `"{\"N\":\"` + servertest.Confided + `\",\"M\":` + servertest.ConfidedNumber + `}"`, `"` + base64.StdEncoding.EncodeToString([]byte(servertest.Confided)) + `"`, `"\"` + servertest.Confided + `\""`, `"\u0000` + servertest.Confided + `"`} {
			add("prompts/get", `"name":"fails","arguments":{"`+field+`":`+value+`}`)
		}
		add("completion/complete", `"ref":{"type":"ref/prompt","name":"fine"},"argument":{"name":"`+field+`","value":`+c+`},"context":{"arguments":{"text":`+c+`}}`)
	}
	add("completion/complete", `"ref":{"type":"ref/prompt","name":"fine"},"argument":{"name":"text","value":`+c+`},"context":{"arguments":{"number":`+n+`}}`)
	add("completion/complete", `"ref":{"type":`+c+`,"uri":`+c+`},"argument":{"name":"text","value":1}`)
	add("prompts/list", `"cursor":`+c)
	add("prompts/list", `"Cursor":`+c)
	add("prompts/list", "")
	add("own/fails", `"a":`+c)
	add("own/panics", `"a":`+c)
	add("own/nonsense", `"a":`+c)
	add("logging/setLevel", `"level":`+c)
	add("subscriptions/listen", `"notifications":{`+c+`:`+c+`}`)
	add("server/discover", `"a":`+c)
	return all
}

// confidingLines are lines that are no messages, or not of the client's to send.
var confidingLines = []string{
	servertest.Confided, `{"` + servertest.Confided, `{"jsonrpc":"2.0","id":1,"` + servertest.Confided + `":1,"` + servertest.Confided + `":2}`, "\"" + servertest.Confided + "\xff\"",
	`{"jsonrpc":"2.0","id":["` + servertest.Confided + `"],"method":"ping"}`, `{"jsonrpc":"2.0","id":"` + servertest.Confided + `","method":1}`,
	`{"jsonrpc":"2.0","id":"` + servertest.Confided + `","result":{"a":"` + servertest.Confided + `"}}`, `{"jsonrpc":"2.0","id":"` + servertest.Confided + `","error":{"code":1,"message":"` + servertest.Confided + `"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + servertest.Confided + `"}}`,
	`{"jsonrpc":"2.0","method":"notifications/` + servertest.Confided + `","params":{"a":"` + servertest.Confided + `"}}`,
	`[{"jsonrpc":"2.0","id":"` + servertest.Confided + `","method":"prompts/get","params":{"name":"fails","arguments":{"text":"` + servertest.Confided + `"}}},"` + servertest.Confided + `"]`,
}

// Nothing that a client may want to be kept is in any record of the log, of
// whatever level: neither the values of arguments and answers, nor cursors,
// states, tokens and ids, nor what the envelope says of the client. That holds in
// both eras, whatever is wrong, and with every option that looks at a request.
func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	own := map[string]servertest.Method{
		"own/fails":    func(context.Context, json.RawMessage) (any, error) { return nil, servertest.ErrDisk },
		"own/panics":   func(context.Context, json.RawMessage) (any, error) { panic(servertest.ErrDisk) },
		"own/nonsense": func(_ context.Context, params json.RawMessage) (any, error) { return string(params), nil },
	}
	for name, o := range map[string]prompts.Options{
		"by default":                      {},
		"strictly":                        {StrictArguments: true, Limits: prompts.Limits{MaxArgumentBytes: 100}, Principal: func(context.Context) (string, error) { return servertest.Confided, nil }},
		"by asking":                       {ElicitArguments: true},
		"through a middleware":            {Middleware: servertest.Passing},
		"through a middleware that wraps": {Middleware: servertest.Wrapping},
		"through a middleware that fails": {Middleware: servertest.Around(func(context.Context, *prompts.Request, prompts.Handler) (*prompts.Response, error) {
			panic(servertest.ErrDisk)
		})},
		"through a filter": {Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "fine", nil }},
	} {
		for _, version := range versions() {
			servertest.InBubble(t, name+" in "+version, func(t *testing.T) {
				o, kept := o, newConfidence()
				o.Features, o.PageSize, o.Logger = servertest.Methods(own), 3, kept.everything()
				c := servertest.Connect(t, prompts.MustNewServer(confidingRegistry(), o))
				isSession := version != "2026-07-28"
				if isSession {
					c.HandshakeAs(version, `{"elicitation":{},"experimental":{"`+servertest.Confided+`":{"a":"`+servertest.Confided+`"}}}`)
				}
				said := `"progressToken":"` + servertest.Confided + `","` + servertest.Confided + `.example/a":"` + servertest.Confided + `"`
				if !isSession {
					said += `,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"roots":{}}` +
						`,"io.modelcontextprotocol/clientInfo":{"name":"` + servertest.Confided + `","version":"` + servertest.Confided + `"}`
				}
				n := 0
				exchange := func(method, params string) {
					if params != "" {
						params += ","
					}
					n++
					c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s%d","method":"%s","params":{%s"_meta":{%s}}}`, servertest.Confided, n, method, params, said))
					for round := 0; ; round++ {
						got := c.Received()
						carried := kept.remember(got...)
						for _, msg := range got {
							c.AnswerInConfidence(msg)
						}
						if round == 0 && len(carried) > 0 && method == "prompts/get" { // once more, with the state and with an answer
							n++
							c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s%d","method":"%s","params":{%s"requestState":"%s","inputResponses":{"answer":%s,"prompt.arguments":%[6]s},"_meta":{%s}}}`,
								servertest.Confided, n, method, params, carried[0], servertest.ConfidedAnswer, said))
							continue
						}
						if len(got) == 0 {
							return
						}
					}
				}
				for _, m := range confidingMessages() {
					exchange(m[0], m[1])
				}
				c.Send(confidingLines...)
				time.Sleep(time.Hour) // what sleeps has taken too long
				c.Received()
				assert.NoError(t, c.End())
				synctest.Wait()
				records := []string{"request failed", "stack"}
				if !strings.HasSuffix(name, "that fails") {
					records = append(records, "request timed out", "request failed", "invalid result")
				}
				kept.assertKept(t, records...)
			})
		}
	}
}
