package bench_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type review struct {
	Code     string `json:"code" jsonschema:"the code"`
	Language string `json:"language" jsonschema:"its language"`
}

func newOurs(tb testing.TB) *prompts.Server {
	var reg prompts.Registry
	err := reg.Update(func(tx *prompts.Tx) error {
		for i := range promptCount {
			declaration := prompts.Prompt{Name: promptName(i), Description: promptDescription(i)}
			if err := tx.Add(prompts.New(declaration, renderOurs)); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(tb, err)
	return prompts.NewServer(&reg, prompts.Options{PageSize: pageSize})
}

func renderOurs(_ context.Context, in review) (*prompts.Result, error) {
	return prompts.Messages(prompts.User(text(in.Language, in.Code))), nil
}

// startHandle starts the library behind Session.Handle.
func startHandle(tb testing.TB) server {
	session := newOurs(tb).NewSession(prompts.SessionOptions{})
	tb.Cleanup(session.Close)
	var answer func([]byte) // of the request under way
	exchange := prompts.Exchange{Send: func(msg []byte, _ prompts.Code, _ bool) error {
		answer(msg)
		return nil
	}}
	ctx := context.Background()
	s := func(request []byte, f func([]byte)) error {
		answer = f
		return session.Handle(ctx, request, exchange)
	}
	initialize(tb, s)
	require.NoError(tb, s([]byte(initialized), func([]byte) { tb.Error("a notification is answered") }))
	return s
}

// startServe starts the library behind a connection.
func startServe(tb testing.TB) server {
	p := newPipe()
	served := make(chan error)
	go func() { served <- newOurs(tb).Serve(context.Background(), p) }() // ends with Close
	tb.Cleanup(func() {
		assert.NoError(tb, p.Close())
		assert.NoError(tb, <-served)
	})
	initialize(tb, p.ask)
	require.NoError(tb, p.send([]byte(initialized)))
	return p.ask
}
