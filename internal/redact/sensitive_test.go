package redact_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// What a client says in secret: a text with characters that have escapes, and a
// number.
const (
	canary       = `c4n4ry "&ü\ secret`
	canaryNumber = "31415926535"
)

// fussy is a type whose UnmarshalText says what it has read.
type fussy string

func (f *fussy) UnmarshalText(text []byte) error {
	if strings.HasPrefix(string(text), "ok") {
		*f = fussy(text)
		return nil
	}
	return prompts.InvalidArgument("fussy", "does not like "+string(text))
}

// vault has a sensitive argument of each kind.
type vault struct {
	Token    string         `json:"token,omitempty" sensitive:"true"`
	Pattern  string         `json:"pattern,omitempty" sensitive:"true" pattern:"^[a-b]+$"`
	Short    string         `json:"short,omitempty" sensitive:"true" maxLength:"2"`
	Choice   string         `json:"choice,omitempty" sensitive:"true" enum:"one,two"`
	Number   int            `json:"number,omitempty" sensitive:"true" maximum:"9"`
	Small    int8           `json:"small,omitempty" sensitive:"true"`
	Bool     bool           `json:"bool,omitempty" sensitive:"true"`
	Time     time.Time      `json:"time,omitzero" sensitive:"true"`
	Wait     time.Duration  `json:"wait,omitempty" sensitive:"true"`
	Page     url.URL        `json:"page,omitzero" sensitive:"true"`
	Bytes    []byte         `json:"bytes,omitempty" sensitive:"true"`
	List     []int          `json:"list,omitempty" sensitive:"true"`
	Map      map[string]int `json:"map,omitempty" sensitive:"true"`
	Fussy    fussy          `json:"fussy,omitempty" sensitive:"true"`
	Odd      string         `json:"odd,omitempty" sensitive:"true"`
	Required string         `json:"required" sensitive:"true"`
	Plain    string         `json:"plain,omitempty"`
}

var vaultFields = []string{"token", "pattern", "short", "choice", "number", "small", "bool", "time", "wait", "page", "bytes", "list", "map", "fussy", "odd", "required"}

// vaultRegistry has prompts whose code tells what it knows in every way.
func vaultRegistry(seen *[]string) *prompts.Registry {
	reg := new(prompts.Registry)
	odd := prompts.Argument{Name: "odd", Schema: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Pattern: "^a"}, {Pattern: "^b"}}}}
	plain := prompts.Argument{Name: "plain", Complete: func(_ context.Context, _ string, args map[string]string) ([]string, error) {
		for _, text := range args {
			*seen = append(*seen, text)
		}
		return nil, nil
	}}
	add := func(name string, render func(ctx context.Context, in vault) (*prompts.Result, error)) {
		reg.MustAdd(prompts.New(prompts.Prompt{Name: name, Arguments: []prompts.Argument{odd, plain}}, render))
	}
	says := func(in vault) error {
		return fmt.Errorf("logging in as %q with %s and %x and %v and %q: denied", in.Token, in.Token, in.Token, []byte(in.Token), strings.TrimPrefix(in.Token, "c4n4ry"))
	}
	add("fine", func(ctx context.Context, in vault) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "half of "+in.Token)
		return prompts.Messages(prompts.User("Done.")), nil
	})
	add("fails", func(_ context.Context, in vault) (*prompts.Result, error) { return nil, says(in) })
	add("panics", func(_ context.Context, in vault) (*prompts.Result, error) { panic(says(in)) })
	add("refuses", func(_ context.Context, in vault) (*prompts.Result, error) {
		return nil, errors.Join(prompts.InvalidArgument("token", "does not work: "+in.Token), prompts.InvalidArgument("plain", "does not go with "+in.Token))
	})
	add("errs", func(_ context.Context, in vault) (*prompts.Result, error) {
		return nil, fmt.Errorf("%w: %w", says(in), &prompts.Error{Code: 7, Message: "denied to " + in.Token, Data: map[string]any{"token": in.Token}})
	})
	add("links", func(_ context.Context, in vault) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(&prompts.ResourceLink{URI: "https://example.org/?t=" + url.QueryEscape(in.Token), Name: "x"})), nil
	})
	add("icons", func(_ context.Context, in vault) (*prompts.Result, error) {
		icon := prompts.Icon{Src: "https://example.org/?t=" + url.QueryEscape(in.Token)}
		return prompts.Messages(prompts.UserContent(&prompts.ResourceLink{URI: "https://example.org/", Name: "x", Icons: []prompts.Icon{icon}})), nil
	})
	add("embeds", func(_ context.Context, in vault) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(&prompts.EmbeddedResource{URI: "https://example.org/" + url.PathEscape(in.Token), Text: "x"})), nil
	})
	add("opens", func(ctx context.Context, in vault) (*prompts.Result, error) {
		return nil, prompts.Ask(ctx, prompts.InputRequest("page", "elicitation/create", map[string]any{
			"mode": "url", "message": "Log in", "url": "https://example.org/?t=" + url.QueryEscape(in.Token)}))
	})
	add("opens another", func(ctx context.Context, in vault) (*prompts.Result, error) {
		return nil, prompts.Ask(ctx, prompts.InputRequest("page", "elicitation/create", map[string]any{
			"mode": "url", "message": "Log in as " + in.Token, "url": "https://example.org/"}))
	})
	add("cannot err", func(_ context.Context, in vault) (*prompts.Result, error) {
		return nil, &prompts.Error{Code: 7, Message: "denied", Data: notJSON{says(in)}}
	})
	for name, result := range map[string]func(in vault) *prompts.Result{
		"in a role": func(in vault) *prompts.Result {
			return prompts.Messages(prompts.Message{Role: prompts.Role(in.Token), Content: &prompts.Text{Text: "x"}})
		},
		"in an audience": func(in vault) *prompts.Result {
			return prompts.Messages(prompts.UserContent(&prompts.Text{Annotations: &prompts.Annotations{Audience: []prompts.Role{prompts.Role(in.Token)}}}))
		},
		"in a key":   func(in vault) *prompts.Result { return &prompts.Result{Meta: prompts.Meta{in.Token: 1}} },
		"in a value": func(in vault) *prompts.Result { return &prompts.Result{Meta: prompts.Meta{"x": notJSON{says(in)}}} },
	} {
		add(name, func(_ context.Context, in vault) (*prompts.Result, error) { return result(in), nil })
	}
	add("describes", func(_ context.Context, in vault) (*prompts.Result, error) {
		link := &prompts.ResourceLink{URI: "a:b", Name: "x", Description: in.Token}
		return prompts.Messages(prompts.UserContent(link), prompts.Message{}), nil // so that no version has the result
	})
	add("names", func(_ context.Context, in vault) (*prompts.Result, error) {
		return nil, prompts.InvalidArgument(in.Token, "is not known")
	})
	add("asks", func(ctx context.Context, in vault) (*prompts.Result, error) {
		if _, err := prompts.Once(ctx, "token", func(context.Context) (string, error) { return in.Token, nil }); err != nil {
			return nil, err
		}
		_, err := prompts.Elicit[struct{ Name string }](ctx, "name", "Who is "+in.Token+"?")
		if err != nil {
			return nil, err
		}
		return nil, says(in)
	})
	add("asks for a secret", func(ctx context.Context, in vault) (*prompts.Result, error) {
		_, err := prompts.Elicit[vault](ctx, "name", "Who?")
		return nil, err
	})
	add("includes", func(ctx context.Context, in vault) (*prompts.Result, error) {
		return prompts.Include(ctx, "fails", map[string]string{"token": in.Token, "required": in.Required})
	})
	add("includes badly", func(ctx context.Context, in vault) (*prompts.Result, error) {
		return prompts.Include(ctx, "fails", map[string]string{"number": in.Token})
	})
	return reg
}

var vaultPrompts = []string{
	"fine", "fails", "panics", "refuses", "errs", "links", "icons", "embeds", "opens", "opens another", "cannot err", "asks", "asks for a secret", "includes", "includes badly",
	"in a role", "in an audience", "in a key", "in a value", "names", "describes",
}

// notJSON is a value that cannot be encoded.
type notJSON struct{ err error }

func (n notJSON) MarshalJSON() ([]byte, error) { return nil, n.err }

// canaries matches a secret in any form.
var canaries = regexp.MustCompile(`ü|` + longCanaries.String())

// longCanaries are those that random bytes, such as a sealed state, do not have by chance.
var longCanaries = regexp.MustCompile(`(?i)c4n4ry|` + canaryNumber + `|YzRuNHJ5|63346e34|99 52 110`)

// sealed matches a requestState.
var sealed = regexp.MustCompile(`"requestState":"([^"]+)"`)

// The value of a sensitive argument is nowhere but in the render function: in no
// response, notification, request or state of the server, nor in the log at any
// level, whatever is wrong, in every protocol version and through a middleware
// (MRT-25, MRT-27, CMP-11, LOG-12).
func TestSensitiveValueIsNowhere(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]prompts.Options{
		"by default":           {},
		"strictly":             {StrictArguments: true, Limits: prompts.Limits{MaxArgumentBytes: 60}},
		"by asking":            {ElicitArguments: true},
		"through a middleware": {Middleware: servertest.Passing},
		"through a middleware that panics": {Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			response, err := next(ctx, r)
			if r.Method == "prompts/get" {
				panic(fmt.Sprint(r.Arguments))
			}
			return response, err
		})},
		"through a middleware that links": {Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			response, err := next(ctx, r)
			if err == nil && r.Method == "prompts/get" {
				link := &prompts.ResourceLink{URI: "a:" + url.QueryEscape(r.Arguments["token"]), Name: "x"}
				response = &prompts.Response{Result: prompts.Messages(prompts.UserContent(link))}
			}
			return response, err
		})},
		"with a fallback that panics":     {Fallback: func(_ context.Context, f prompts.Fallback) prompts.Content { panic(fmt.Sprintf("%+v", f.Content)) }},
		"through a middleware that wraps": {Middleware: servertest.Wrapping},
	} {
		for _, version := range versions() {
			servertest.InBubble(t, name+" in "+version, func(t *testing.T) {
				o, log := o, newConfidence()
				o.Logger = log.everything()
				var seen []string
				c := servertest.Connect(t, prompts.MustNewServer(vaultRegistry(&seen), o))
				envelope := `,"_meta":{"progressToken":7}`
				if version != "2026-07-28" {
					c.HandshakeAs(version, `{"elicitation":{"form":{},"url":{}}}`)
				} else {
					envelope = `,"_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}}}}`
				}
				n := 0
				exchange := func(method, params string) {
					n++
					c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s%s}}`, n, method, params, envelope))
					for got := c.Received(); len(got) > 0; got = c.Received() {
						for _, msg := range got {
							assert.NotRegexp(t, canaries, msg)
							for _, state := range sealed.FindAllStringSubmatch(msg, -1) {
								raw, err := base64.RawURLEncoding.DecodeString(state[1])
								require.NoError(t, err)
								assert.NotRegexp(t, longCanaries, string(raw))
							}
							var q servertest.Asked
							if json.Unmarshal([]byte(msg), &q) == nil && q.Method != "" && q.ID != "" {
								assert.NotContains(t, msg, "token")
								c.Send(q.Reply(`{"action":"accept","content":{"Name":"Ada","plain":"x"}}`))
							}
						}
					}
				}
				secret, err := json.Marshal(canary)
				require.NoError(t, err)
				for _, prompt := range vaultPrompts {
					for _, more := range []string{"", `,"inputResponses":{"name":{"action":"accept","content":{"Name":"Ada"}}}`} {
						exchange("prompts/get", fmt.Sprintf(`"name":"%s","arguments":{"token":%s,"required":%[2]s}`, prompt, secret)+more)
					}
				}
				for _, field := range vaultFields {
					for _, value := range []string{
						string(secret), `"` + canaryNumber + `"`, canaryNumber, `[` + string(secret) + `]`, `"[` + canaryNumber + `, 1, \"c4n4ry\"]"`,
						`"{\"c4n4ry\": \"c4n4ry\"}"`, `"` + strings.Repeat("c4n4ry", 20) + `"`, `"` + base64.StdEncoding.EncodeToString([]byte(canary)) + `"`,
					} {
						exchange("prompts/get", fmt.Sprintf(`"name":"fine","arguments":{"%s":%s}`, field, value))
					}
					exchange("completion/complete", fmt.Sprintf(`"ref":{"type":"ref/prompt","name":"fine"},"argument":{"name":"%s","value":%s}`, field, secret))
					exchange("completion/complete", fmt.Sprintf(`"ref":{"type":"ref/prompt","name":"fine"},"argument":{"name":"plain","value":""},"context":{"arguments":{"%s":%s}}`, field, secret))
				}
				assert.NoError(t, c.End())
				assert.Contains(t, log.String(), "withheld because of a sensitive argument", "an error of the application is logged without its text")
				assert.NotRegexp(t, canaries, log.String())
				assert.Empty(t, seen, "the functions that complete other arguments do not get the value")
			})
		}
	}
}

// Errors about a sensitive argument say what is valid.
func TestSensitiveProblems(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	type in struct {
		Key   string `json:"key" sensitive:"true" pattern:"^sk-" minLength:"8" jsonschema:"the API key"`
		Pin   int    `json:"pin,omitempty" sensitive:"true" maximum:"9999"`
		Grade string `json:"grade,omitempty" sensitive:"true" enum:"x,y"`
	}
	p := prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, in) (*prompts.Result, error) { return prompts.Messages(), nil })
	reg.MustAdd(p)
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	_, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":{"key":"hunter2","pin":"12345","grade":"a"}}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.EqualError(t, err, `invalid arguments for prompt "p": key is not valid (at least 8 characters, matching ^sk-); pin is not valid (an integer, at most 9999); grade is not valid (one of: x, y) (-32602)`)
	got, _ := reg.Lookup("p")
	assert.True(t, got.Arguments[0].Sensitive)
	list, err := srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Contains(t, string(list), `"the API key (at least 8 characters, matching ^sk-; sensitive)"`)
}

// A client is not asked for a sensitive argument, and gets no completions of it
// (MRT-25, CMP-11).
func TestSensitiveIsNotAskedFor(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(servertest.PromptOf[struct {
		Key  string `json:"key" sensitive:"true" enum:"one,two"`
		Name string `json:"name"`
	}]())
	srv := prompts.MustNewServer(&reg, prompts.Options{ElicitArguments: true})
	o := prompts.CallOptions{Version: "2026-07-28", ClientCapabilities: json.RawMessage(`{"elicitation":{}}`)}
	_, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), o)
	assert.EqualError(t, err, `invalid arguments for prompt "p": key is required; name is required (-32602)`)
	got, err := srv.Call(t.Context(), "completion/complete", json.RawMessage(`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"key","value":""}}`), prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Contains(t, string(got), `"values":[]`)
}

// A declaration that would show the value of a sensitive argument is an error.
func TestSensitiveDeclarations(t *testing.T) {
	t.Parallel()
	type secret struct {
		A string `json:"a,omitempty" sensitive:"true"`
	}
	suggest := []prompts.Argument{{Name: "a", Complete: prompts.Suggest("x")}}
	for want, p := range map[string]prompts.Prompt{
		`prompt "p": argument "a": a sensitive argument cannot have a default; remove one of the two`: servertest.PromptOf[struct {
			A string `json:"a,omitempty" sensitive:"true" default:"x"`
		}](),
		`prompt "p": argument "a": a sensitive argument cannot be completed; remove Complete`: servertest.PromptOf[secret](suggest...),
		`prompt "p": argument "a": a prompt with a sensitive argument cannot be cached; remove Cache`: {
			Name: "p", Render: servertest.Nothing, Arguments: []prompts.Argument{{Name: "a", Sensitive: true}}, Cache: prompts.Cache{TTL: time.Hour}},
		`prompt "p": argument "a": tag sensitive must be true or false, got "yes"`: servertest.PromptOf[struct {
			A string `json:"a" sensitive:"yes"`
		}](),
	} {
		assert.EqualError(t, new(prompts.Registry).Add(p), want)
	}
}

// logOf runs a prompt that fails, and returns the error in the log.
func logOf(t *testing.T, p prompts.Prompt, args map[string]string) string {
	t.Helper()
	var log bytes.Buffer
	srv := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	params, err := json.Marshal(map[string]any{"name": p.Name, "arguments": args})
	require.NoError(t, err)
	_, err = srv.Call(t.Context(), "prompts/get", params, prompts.CallOptions{Version: "2025-11-25"})
	require.Error(t, err)
	var record struct{ Error string }
	require.NoError(t, json.Unmarshal(log.Bytes(), &record), log.String())
	return record.Error
}

// The user is not asked to open a URL with a secret, however it is escaped and whatever
// the question is (MRT-27).
func TestSensitivePages(t *testing.T) {
	t.Parallel()
	const secret = "my/to ken&more"
	for _, page := range []string{`"https://example.org/my/to%20ken&more"`, `"https://example.org/?t=m%79%2fto+ken%26more"`, `"https://example.org/\u006dy%2Fto%20ken%26more"`} {
		p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Sensitive: true}}, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			return nil, prompts.Ask(ctx, prompts.InputRequest("page", "elicitation/create", map[string]any{"mode": "url", "message": "100% sure?", "url": json.RawMessage(page)}))
		}}
		assert.Contains(t, logOf(t, p, map[string]string{"a": secret}), `URI contains the value of a sensitive argument`, page)
	}
}

// What a prompt that is included is given in secret is as secret, and is not cached.
func TestSensitiveIncluded(t *testing.T) {
	t.Parallel()
	inner := prompts.NewText(prompts.Prompt{Name: "inner"}, func(_ context.Context, in struct {
		Token string `json:"token" sensitive:"true"`
	}) (string, error) {
		return "", &prompts.Error{Code: 7, Message: "denied to " + in.Token}
	})
	outer := prompts.Prompt{Name: "outer", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		return prompts.Include(ctx, "inner", map[string]string{"token": "hunter2"})
	}}
	cached := outer
	cached.Name, cached.Cache = "cached", prompts.Cache{TTL: time.Hour}
	var log bytes.Buffer
	srv := prompts.MustNewServer(servertest.RegistryOf(inner, outer, cached), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	_, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer"}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.EqualError(t, err, "denied to [sensitive] (7)")
	_, err = srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"cached"}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.EqualError(t, servertest.AsNeutral(err), servertest.RenderFailed+" (-32603)")
	assert.NotContains(t, log.String(), "hunter2")
	assert.Contains(t, log.String(), "cannot be part of a cached result")
}

// panicsWith is an error whose text panics.
type panicsWith string

func (p panicsWith) Error() string { panic("no text for " + string(p)) }

// An error that panics with a secret is logged without.
func TestSensitiveErrorPanics(t *testing.T) {
	t.Parallel()
	p := prompts.NewText(prompts.Prompt{Name: "p"}, func(_ context.Context, in struct {
		Token string `json:"token" sensitive:"true"`
	}) (string, error) {
		return "", panicsWith(in.Token)
	})
	assert.Equal(t, "withheld because of a sensitive argument: redact_test.panicsWith", logOf(t, p, map[string]string{"token": "hunter2"}))
}

// secretsOf has an argument of each Go type that a function can put into a text.
type secretsOf struct {
	Time   time.Time      `json:"time,omitzero" sensitive:"true"`
	Wait   time.Duration  `json:"wait,omitempty" sensitive:"true"`
	Float  float64        `json:"float,omitempty" sensitive:"true"`
	Number uint64         `json:"number,omitempty" sensitive:"true"`
	Addr   netip.Addr     `json:"addr,omitzero" sensitive:"true"`
	Page   url.URL        `json:"page,omitzero" sensitive:"true"`
	List   []int64        `json:"list,omitempty" sensitive:"true"`
	Map    map[string]int `json:"map,omitempty" sensitive:"true"`
	Bytes  []byte         `json:"bytes,omitempty" sensitive:"true"`
	Plain  string         `json:"plain,omitempty"`
}

var typedSecrets = map[string]string{
	"time": "2031-02-03T04:05:06+09:00", "wait": "1234567s", "float": "1234567890.5", "number": "18446744073709551615",
	"addr": "2001:db8::42", "page": "https://ada@example.org/x", "list": "[1234567, 89]", "map": `{"ada":42}`, "bytes": "aHVudGVyMg==",
}

// text writes the values in ways that are not the texts that the client has sent.
func (s secretsOf) text() string {
	return fmt.Sprintf("%v|%+v|%#v|%x|%v", s, s.Time.Unix(), s.Page, s.Bytes, s.Wait.Nanoseconds())
}

// In a request that gives a sensitive argument, text that is not for the client is
// neither logged nor sent, wherever it comes from: the log gets the types and the error
// id. With LogSensitive the log has the text.
func TestDerivedSecretsAreWithheld(t *testing.T) {
	t.Parallel()
	failing := func(in secretsOf) error { return errors.New(in.text()) }
	for name, test := range map[string]struct {
		render     func(ctx context.Context, in secretsOf) (*prompts.Result, error)
		middleware func(next prompts.Handler) prompts.Handler
		types      string
	}{
		"an error": {types: "*errors.errorString",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) { return nil, failing(in) }},
		"an error that wraps": {types: "*net.AddrError",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) {
				return nil, fmt.Errorf("%s: %w", in.text(), &net.AddrError{Err: in.text()})
			}},
		"beside an error for the client": {types: "*transport.Error",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) {
				return nil, fmt.Errorf("%s: %w", in.text(), &prompts.Error{Code: 7, Message: "denied"})
			}},
		"beside an invalid argument": {types: "*argument.Error",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) {
				return nil, fmt.Errorf("%s: %w", in.text(), prompts.InvalidArgument("plain", "does not exist"))
			}},
		"a panic": {types: "panic of string",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) { panic(in.text()) }},
		"an error that panics": {types: "redact_test.panicsWith",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) { return nil, panicsWith(in.text()) }},
		"an invalid result": {types: "*json.MarshalerError, *errors.errorString",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) {
				return &prompts.Result{Meta: prompts.Meta{"x": notJSON{failing(in)}}}, nil
			}},
		"invalid data": {types: "*json.MarshalerError, *errors.errorString",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) {
				return nil, &prompts.Error{Code: 7, Message: "denied", Data: notJSON{failing(in)}}
			}},
		"an included prompt": {types: "*prompts.includeError, *errors.errorString",
			render: func(ctx context.Context, in secretsOf) (*prompts.Result, error) {
				return prompts.Include(ctx, "inner", map[string]string{"token": in.text()})
			}},
		"a goroutine that outlives the error of ctx": {types: "*errors.errorString",
			render: func(ctx context.Context, in secretsOf) (*prompts.Result, error) {
				ctx, cancel := context.WithCancelCause(ctx)
				cancel(failing(in))
				return nil, context.Cause(ctx)
			}},
		"a middleware before next": {types: "*errors.errorString",
			middleware: servertest.Around(func(_ context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
				return nil, fmt.Errorf("%q", r.Arguments["bytes"][2:])
			})},
		"a middleware that panics": {types: "panic of string",
			middleware: servertest.Around(func(_ context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
				panic(r.Arguments["bytes"][2:])
			})},
		"a middleware that wraps": {types: "*errors.errorString",
			render: func(_ context.Context, in secretsOf) (*prompts.Result, error) { return nil, failing(in) },
			middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				_, err := next(ctx, r)
				if err.Error() != "withheld because of a sensitive argument: *errors.errorString" { // it may log the text
					panic("a middleware got " + err.Error())
				}
				return nil, fmt.Errorf("%s: %w", r.Arguments["bytes"][2:], errors.New("again"))
			})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.render == nil {
				test.render = nothing2
			}
			inner := prompts.NewText(prompts.Prompt{Name: "inner"}, func(_ context.Context, in struct {
				Token string `json:"token" sensitive:"true"`
			}) (string, error) {
				return "", errors.New(in.Token[3:])
			})
			reg := servertest.RegistryOf(prompts.New(prompts.Prompt{Name: "p"}, test.render), inner)
			get := func(o prompts.Options) (client string, log map[string]any) {
				var buf bytes.Buffer
				o.Middleware, o.Logger = test.middleware, slog.New(slog.NewJSONHandler(&buf, nil))
				params, err := json.Marshal(map[string]any{"name": "p", "arguments": typedSecrets})
				require.NoError(t, err)
				_, err = prompts.MustNewServer(reg, o).Call(t.Context(), "prompts/get", params, prompts.CallOptions{Version: "2025-11-25"})
				var e *prompts.Error
				require.ErrorAs(t, err, &e)
				sent, err := json.Marshal(e)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(buf.Bytes(), &log), buf.String())
				delete(log, "time")
				return string(sent), log
			}
			client, log := get(prompts.Options{})
			assert.NotRegexp(t, `2031|1234567|18446|2001:|ada|VudGVyMg|68756e`, servertest.ErrorID.ReplaceAllString(client, ""), "without the random id")
			assert.Equal(t, "withheld because of a sensitive argument: "+test.types, log["error"])
			for name := range log {
				assert.Contains(t, []string{"level", "msg", "prompt", "error", "error_id"}, name)
			}
			withText, log := get(prompts.Options{LogSensitive: true})
			assert.NotContains(t, log["error"], "withheld")
			assert.Regexp(t, `1234567|VudGVyMg|panic`, log["error"])
			assert.NotRegexp(t, `2031|1234567|18446|2001:|ada|VudGVyMg|68756e`, servertest.ErrorID.ReplaceAllString(withText, ""))
		})
	}
}

func nothing2(context.Context, secretsOf) (*prompts.Result, error) { return prompts.Messages(), nil }

// A completion whose context gives a sensitive argument is such a request, too.
func TestSensitiveCompletionContext(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := prompts.Prompt{Name: "p", Render: servertest.Nothing, Arguments: []prompts.Argument{
		{Name: "token", Sensitive: true},
		{Name: "host", Complete: func(context.Context, string, map[string]string) ([]string, error) { return nil, errors.New("no hosts") }},
	}}
	srv := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	complete := func(others string) string {
		log.Reset()
		_, err := srv.Call(t.Context(), "completion/complete", json.RawMessage(
			`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"host","value":""},"context":{"arguments":{`+others+`}}}`), prompts.CallOptions{Version: "2025-11-25"})
		require.Error(t, err)
		return log.String()
	}
	assert.Contains(t, complete(`"token":"hunter2"`), "withheld because of a sensitive argument: *errors.errorString")
	assert.Contains(t, complete(`"tokn":"hunter2"`), "withheld because of a sensitive argument: *errors.errorString")
	assert.Contains(t, complete(`"token":"","host":"x"`), "no hosts")
}

// What Once has kept of a secret is withheld from later requests, which give none.
func TestSensitiveState(t *testing.T) {
	t.Parallel()
	inner := prompts.NewText(prompts.Prompt{Name: "inner"}, func(_ context.Context, in struct {
		Token string `json:"token" sensitive:"true"`
	}) (string, error) {
		return "session " + in.Token, nil
	})
	outer := prompts.Prompt{Name: "outer", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		session, err := prompts.Once(ctx, "session", func(ctx context.Context) (string, error) {
			r, err := prompts.Include(ctx, "inner", map[string]string{"token": "hunter2"})
			if err != nil {
				return "", err
			}
			return r.Messages[0].Content.(*prompts.Text).Text, nil
		})
		if err != nil {
			return nil, err
		}
		if _, err := prompts.Elicit[struct{ Name string }](ctx, "name", "Who?"); err != nil {
			return nil, err
		}
		return nil, errors.New("cannot use " + session)
	}}
	var log bytes.Buffer
	srv := prompts.MustNewServer(servertest.RegistryOf(inner, outer), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	o := prompts.CallOptions{Version: "2026-07-28", ClientCapabilities: json.RawMessage(`{"elicitation":{}}`)}
	got, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer"}`), o)
	require.NoError(t, err)
	state := sealed.FindSubmatch(got)[1]
	_, err = srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer","inputResponses":{"name":{"action":"accept","content":{"Name":"Ada"}}},"requestState":"`+string(state)+`"}`), o)
	assert.EqualError(t, servertest.AsNeutral(err), servertest.RenderFailed+" (-32603)")
	assert.Contains(t, log.String(), "withheld because of a sensitive argument: *errors.errorString")
}
