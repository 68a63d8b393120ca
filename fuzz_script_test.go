package prompts_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// A script is a whole session as a fuzzer can write one. Its first line
// chooses the server and how the client is connected to it. Each line that
// follows is a step, of which the first byte says what it is; the others
// choose from tables:
//
//	m METHOD ERA ID PARAMS     the client sends a message
//	x AT BYTE and a message    the same, with one byte changed
//	b and messages             the client sends a batch
//	c ID                       the client cancels a request
//	h VERSION                  the client shakes hands
//	r WHICH HOW                the client answers a request of the server
//	a HOW NAME                 the author changes the registry
//	t HOW LONG                 time passes
//	w                          the client stops to read, or begins again
//	o                          a message is over the transport's bound
//	e                          the client closes its side
//	: and any other            the client sends the line as it is
//
// After a step of a small letter nothing happens until nothing moves any more;
// after one of a capital letter the next step follows at once.
const (
	mostSteps  = 48
	mostScript = 4096
)

// chooser takes what bytes choose. When there are none left, it is the first.
type chooser struct{ rest []byte }

func (c *chooser) next(n int) int {
	if len(c.rest) == 0 {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	if b >= '0' {
		b -= '0' // so that a script can be read
	}
	return int(b) % n
}

func chosen[T any](c *chooser, from []T) T { return from[c.next(len(from))] }

var scriptMethods = []string{
	"ping", "prompts/get", "prompts/list", "completion/complete", "initialize", "server/discover", "subscriptions/listen",
	"notifications/initialized", "notifications/cancelled", "no/such", "Prompts/List", "", "notifications/unheard", "echo",
}

// scriptEras are what a message says of its revision in its params.
var scriptEras = []string{
	"", servertest.BareEnvelope,
	`"_meta":{"` + servertest.EnvelopeKey + `":"2026-07-28","` + servertest.CapabilitiesKey + `":{"elicitation":{"form":{}}},"progressToken":1}`,
	`"_meta":{"progressToken":"t"}`,
	`"_meta":{"` + servertest.EnvelopeKey + `":"2099-01-01","` + servertest.CapabilitiesKey + `":{}}`,
	`"_meta":{"` + servertest.EnvelopeKey + `":"2025-11-25","` + servertest.CapabilitiesKey + `":{}}`,
	`"_meta":{"` + servertest.EnvelopeKey + `":"2026-07-28"}`,
	`"_meta":{"` + servertest.EnvelopeKey + `":null,"` + servertest.CapabilitiesKey + `":{}}`,
	`"_meta":{"progressToken":[]}`, `"_meta":[]`,
}

// scriptIDs are those of requests; an empty one makes a notification.
var scriptIDs = []string{
	"1", "2", "3", "4", `"a"`, `"\u0061"`, "5", "6", "7", "8", "0", "-0", `"1"`, `""`, "9007199254740993", "123456789012345678901234567890",
	"", "1.0", "1e0", "null", "[]", `{"a":1}`, `"prompts-1"`, `"<&>\u2028"`, "true",
}

// scriptNames are the prompts of scripts. The first are always there, the last
// never.
var scriptNames = []string{
	"bare", "nothing", "nap", "deaf", "goexit", "panic", "fuzz ask", "fuzz report", "fuzz complete", "content", "greet", "types",
	"added 0", "added 1", "added 2", "no such",
}

// scriptParams are members of params. %s is a name.
var scriptParams = []string{
	`"name":"%s"`, ``, `"name":"%s","arguments":{"a":"x","b":"1","who":"you","count":"3"}`, `"ref":{"type":"ref/prompt","name":"%s"},"argument":{"name":"a","value":"x"}`,
	`"notifications":{"promptsListChanged":true}`, `"cursor":"x"`, `"cursor":1`, `"name":1`, `"Name":"%s"`, `"name":"%s","arguments":{"a":1}`,
	`"name":"%s","inputResponses":{"release":{"action":"accept","content":{"channel":"beta"}}},"requestState":"x"`,
	`"name":"%s","name":"%[1]s"`, `"requestId":1,"reason":"tired"`, `"name":"%s","arguments":{"how":"\ud800"}`, `"notifications":{}`,
	`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`,
}

// message makes a message of what is chosen.
func (c *chooser) message() string {
	method, era, id := chosen(c, scriptMethods), chosen(c, scriptEras), chosen(c, scriptIDs)
	params := chosen(c, scriptParams)
	if strings.Contains(params, "%") {
		params = fmt.Sprintf(params, chosen(c, scriptNames))
	}
	if era != "" && params != "" {
		params += ","
	}
	msg := `{"jsonrpc":"2.0"`
	if id != "" {
		msg += `,"id":` + id
	}
	msg += `,"method":"` + method + `"`
	if era+params != "" {
		msg += `,"params":{` + params + era + `}`
	}
	return msg + "}"
}

// batch makes a batch, of five bytes for each message.
func (c *chooser) batch() string {
	var all []string
	for len(c.rest) > 0 && len(all) < 8 {
		n := min(5, len(c.rest))
		part := &chooser{c.rest[:n:n]}
		c.rest = c.rest[n:]
		all = append(all, part.message())
	}
	return servertest.BatchLine(all...)
}

// changed makes a message and replaces one byte of it.
func (c *chooser) changed() string {
	if len(c.rest) < 2 {
		return ""
	}
	at, b := int(c.rest[0]), c.rest[1]
	c.rest = c.rest[2:]
	msg := []byte(c.message())
	msg[at%len(msg)] = b
	return string(msg)
}

// responses are what a client says to a request of the server, or what it may
// say to one that there is not.
var responses = []string{
	`{"jsonrpc":"2.0","id":"%s","result":{"action":"accept","content":{"channel":"beta"}}}`,
	`{"jsonrpc":"2.0","id":"%s","result":{"action":"decline"}}`,
	`{"jsonrpc":"2.0","id":"%s","error":{"code":-1,"message":"no"}}`,
	`{"jsonrpc":"2.0","id":"%s","result":{"action":"accept","content":{"channel":7}}}`,
	`{"jsonrpc":"2.0","id":"%s","result":[]}`,
	`{"jsonrpc":"2.0","id":"%s"}`,
	`{"jsonrpc":"2.0","id":"%s","result":{},"error":{}}`,
}

// scriptServers are the options of the servers of scripts.
func scriptServers() []prompts.Options {
	echo := servertest.Methods(map[string]servertest.Method{"echo": goldenServers["methods"].Features[0].Methods["echo"].Func})
	// Every request is answered that is pending at the end of a client's input.
	patient := prompts.Timeouts{Drain: longer}
	return []prompts.Options{
		{PageSize: 5, Timeouts: patient},
		{PageSize: 4, Limits: prompts.Limits{MaxConcurrent: 1, MaxSubscriptions: 1}, Features: echo, ElicitArguments: true, Timeouts: patient},
		{StrictArguments: true, DisableListChanged: true, Limits: prompts.Limits{MaxConcurrent: 2}, Timeouts: patient, Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "nothing", nil }},
		{Limits: prompts.Limits{MaxMessageBytes: 256}, Timeouts: prompts.Timeouts{Render: 2 * time.Second, Elicit: time.Minute, Drain: -1}},
	}
}

// fuzzPrompts are those of the golden sessions, but for the ones that would
// stop the test, and some that talk to their client.
func fuzzPrompts() *prompts.Registry {
	reg := goldenRegistry()
	for _, name := range []string{"slow", "deaf", "faulty"} {
		reg.Remove(name)
	}
	type release struct {
		Channel string `json:"channel"`
		Loud    bool   `json:"loud,omitempty"`
	}
	reg.MustAdd(
		servertest.Rendered("fuzz ask", func(ctx context.Context) (*prompts.Result, error) {
			n, err := prompts.Once(ctx, "n", func(context.Context) (int, error) { return 1, nil })
			if err != nil {
				return nil, err
			}
			r, err := prompts.Elicit[release](ctx, "release", "Which release?", prompts.Argument{Name: "channel", Enum: []string{"beta", "stable"}})
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(fmt.Sprint(n, r.Channel, r.Loud))), nil
		}),
		servertest.Rendered("fuzz report", func(ctx context.Context) (*prompts.Result, error) {
			for i := range 3 {
				prompts.Progress(ctx, float64(i), 3, "\xff")
			}
			return prompts.Messages(prompts.User("reported")), nil
		}),
		prompts.New(prompts.Prompt{Name: "fuzz complete", Arguments: []prompts.Argument{{Name: "a", Complete: func(ctx context.Context, prefix string, others map[string]string) ([]string, error) {
			prompts.Progress(ctx, 1, 1, prefix)
			return []string{prefix, others["b"]}, nil
		}}}}, func(_ context.Context, in struct {
			A string `json:"a"`
			B int    `json:"b"`
		}) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(fmt.Sprint(in.A, in.B))), nil
		}),
	)
	return reg
}

// fuzzInitialize declares every capability.
const fuzzInitialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"VERSION","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}},"clientInfo":{"name":"fuzz","version":"1"}}}`

// scriptPrompts are those of fuzzPrompts and some that are no good.
func scriptPrompts() *prompts.Registry {
	reg := fuzzPrompts()
	reg.MustAdd(
		servertest.Rendered("nap", func(ctx context.Context) (*prompts.Result, error) {
			select {
			case <-time.After(time.Second):
				return prompts.Messages(prompts.User("rested")), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}),
		servertest.Rendered("deaf", func(context.Context) (*prompts.Result, error) {
			time.Sleep(time.Hour) // whatever its context says
			return prompts.Messages(prompts.User("too late")), nil
		}),
		servertest.Rendered("goexit", func(context.Context) (*prompts.Result, error) { runtime.Goexit(); return nil, nil }),
		servertest.Rendered("panic", func(context.Context) (*prompts.Result, error) { panic("a secret") }),
	)
	return reg
}

// addScripts adds the golden sessions as scripts, and some of the grammar.
func addScripts(f *testing.F) {
	files, err := filepath.Glob("testdata/sessions/*.txt")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for i, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		script := []byte{'0' + byte(i%3), '0' + byte(i%4)}
		for line := range strings.SplitSeq(string(raw), "\n") {
			kind, rest, _ := strings.Cut(line, " ")
			switch kind {
			case "C>":
				script = append(script, "\n:"+rest...)
			case "C>q":
				rest, err = strconv.Unquote(rest)
				require.NoError(f, err)
				script = append(script, "\n:"+strings.ReplaceAll(rest, "\n", " ")...)
			case "A>":
				script = append(script, "\na"+map[bool]string{true: "0", false: "1"}[strings.HasPrefix(rest, "add")]+"0"...)
			case "A>>":
				script = append(script, "\nA00"...)
			case "T>":
				script = append(script, "\nt1"...)
			case "E>", "---":
				script = append(script, "\ne"...)
			}
			if kind == "---" || len(script) > mostScript {
				f.Add(bytes.Clone(script[:min(len(script), mostScript)]))
				script = script[:2]
			}
		}
		f.Add(script)
	}
	for script := range strings.SplitSeq(strings.TrimSpace(servertest.ReadText(f, "testdata/scripts.txt")), "\n\n") {
		f.Add([]byte(script))
	}
}
