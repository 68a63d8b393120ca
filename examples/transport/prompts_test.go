package main

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
)

// The transport carries what a client of every revision says and hears: the
// same type serves as its side of the connection.
func TestRevisions(t *testing.T) {
	t.Parallel()
	for _, version := range prompttest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			reg := registry()
			near, far := net.Pipe()
			served := make(chan error, 1)
			srv := prompts.MustNewServer(reg, prompts.Options{})
			go func() { served <- srv.Serve(t.Context(), &framed{conn: far, limit: maxMessageBytes}) }()

			c := prompttest.NewClient(t, &framed{conn: near, limit: maxAnswerBytes}, prompttest.ClientOptions{Version: version})
			c.Listen()
			prompttest.Golden(t, "testdata/code_review.golden", c.Get("code_review", map[string]string{"code": "x", "language": "go"}))
			reg.MustAdd(data("hello", hello))
			c.WaitChanged()
			assert.Len(t, c.List(), 2)
			c.Close()
			assert.NoError(t, <-served)
		})
	}
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	prompttest.CheckArguments(t, registry(), prompttest.CheckOptions{})
	prompttest.CheckEnums(t, registry(), prompttest.CheckOptions{})
	prompttest.CheckPortable(t, registry(), prompttest.CheckOptions{})
}
