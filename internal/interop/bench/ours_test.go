package bench_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

type review struct {
	Code     string `json:"code" jsonschema:"the code"`
	Language string `json:"language" jsonschema:"its language"`
}

type checkedReview struct {
	Code     string `json:"code" jsonschema:"the code"`
	Language string `json:"language" jsonschema:"its language"`
	Problems int    `json:"problems" jsonschema:"how many problems to name"`
}

// constraints are what the arguments of a checkedReview have to hold to.
func constraints() []prompts.Argument {
	least, most, length := 1.0, 100.0, 1
	return []prompts.Argument{
		{Name: "code", Schema: &jsonschema.Schema{MinLength: &length, Pattern: "^func "}},
		{Name: "language", Enum: []string{"c", "go", "java", "python", "rust"}},
		{Name: "problems", Schema: &jsonschema.Schema{Minimum: &least, Maximum: &most}},
	}
}

func declareOurs(e entry, checked bool) prompts.Prompt {
	p := prompts.Prompt{Name: e.name, Description: e.description}
	if checked {
		p.Arguments = constraints()
		return prompts.New(p, renderChecked)
	}
	return prompts.New(p, renderOurs)
}

func renderOurs(_ context.Context, in review) (*prompts.Result, error) {
	return prompts.Messages(prompts.User(text(in.Language, in.Code))), nil
}

func renderChecked(_ context.Context, in checkedReview) (*prompts.Result, error) {
	return prompts.Messages(prompts.User(checkedText(in.Language, in.Code, strconv.Itoa(in.Problems)))), nil
}

func newOurs(tb testing.TB, o setup) *prompts.Registry {
	tb.Helper()
	all := make([]prompts.Prompt, 0, o.prompts)
	for _, e := range entries(o.prompts) {
		all = append(all, declareOurs(e, o.checked))
	}
	var reg prompts.Registry
	require.NoError(tb, reg.Add(all...))
	return &reg
}

// ourSubject is a server that is asked by ask.
func ourSubject(reg *prompts.Registry, ask server) *subject {
	return &subject{
		ask: ask,
		add: func(e entry) error { return reg.Add(declareOurs(e, false)) },
		remove: func(names ...string) {
			_ = reg.Update(func(tx *prompts.Tx) error {
				for _, name := range names {
					tx.Remove(name)
				}
				return nil
			})
		},
	}
}

// startHandle starts the library behind Session.Handle.
func startHandle(tb testing.TB, o setup) *subject {
	reg := newOurs(tb, o)
	session := prompts.MustNewServer(reg, prompts.Options{PageSize: o.page}).NewSession(transport.SessionOptions{})
	tb.Cleanup(session.Close)
	s := handle(session)
	initialize(tb, s)
	require.NoError(tb, s([]byte(initialized), func([]byte) { tb.Error("a notification is answered") }))
	return ourSubject(reg, s)
}

// handle is a server that answers on the goroutine that asks.
func handle(session transport.Session) server {
	var answer func([]byte) // of the request under way
	exchange := transport.Exchange{Send: func(msg []byte, _ transport.Code, _ bool) error {
		answer(msg)
		return nil
	}}
	ctx := context.Background()
	return func(request []byte, f func([]byte)) error {
		answer = f
		return session.Handle(ctx, request, exchange)
	}
}

// startServe starts the library behind a connection.
func startServe(tb testing.TB, o setup) *subject {
	return serve(tb, o, prompts.Options{PageSize: o.page})
}

// startServeUnlimited does so without the time limit that a request has.
func startServeUnlimited(tb testing.TB, o setup) *subject {
	return serve(tb, o, prompts.Options{PageSize: o.page, Timeouts: prompts.Timeouts{Render: -1}})
}

func serve(tb testing.TB, o setup, options prompts.Options) *subject {
	reg := newOurs(tb, o)
	p := newPipe()
	served := make(chan error)
	go func() { served <- prompts.MustNewServer(reg, options).Serve(context.Background(), p) }() // ends with Close
	tb.Cleanup(func() {
		assert.NoError(tb, p.Close())
		assert.NoError(tb, <-served)
	})
	initialize(tb, p.ask)
	require.NoError(tb, p.send([]byte(initialized)))
	return ourSubject(reg, p.ask)
}
