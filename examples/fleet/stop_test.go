package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// When the fleet ends, what is under way is answered, and streams come to their
// end.
func TestEnd(t *testing.T) {
	t.Parallel()
	s := start(t, 2, nil)
	begun, release := make(chan struct{}), make(chan struct{})
	for _, r := range s.fleet {
		r.registry.MustAdd(prompts.Prompt{Name: "slow", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			close(begun)
			<-release
			return prompts.Messages(prompts.User("done")), nil
		}})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := &http.Server{Handler: newBalancer(t.Context(), s.fleet.hosts()...)}
	go func() { _ = web.Serve(listener) }() // until end
	c := newClient(t, "http://"+listener.Addr().String()+"/mcp")

	acknowledged, streamed, answered := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() { // ends with the stream
		streamed <- c.listen(t.Context(), func() { close(acknowledged) }, func() {})
	}()
	<-acknowledged
	go func() { // ends with the answer
		a, err := c.try(t.Context(), "prompts/get", "slow", `"name":"slow",`)
		if err == nil && assert.Len(t, a.Result.Messages, 1) {
			assert.Equal(t, "done", a.Result.Messages[0].Content.Text)
		}
		answered <- err
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- end(web, s.fleet) }() // ends with the answer
	assert.NoError(t, <-streamed)
	for { // until no more are taken
		fresh := newClient(t, c.url)
		if _, err := fresh.try(t.Context(), "prompts/list", "", ""); err != nil {
			break
		}
	}
	close(release)
	assert.NoError(t, <-answered)
	assert.NoError(t, <-ended)
}

// A replica that has lost the broker is of use, even if the bucket was empty.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := start(t, 0, nil)
	said := make(chan string, 100)
	s.settings.say = writerFunc(func(p []byte) { said <- string(p) })
	r, err := startReplica(t.Context(), "replica", "127.0.0.1:0", s.settings)
	require.NoError(t, err)
	t.Cleanup(r.kill)
	r.nc.Close()
	for !strings.Contains(<-said, "not in sync") {
	}
	response, err := http.Get("http://" + r.host + "/healthz")
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusOK, response.StatusCode)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "synced: false, revision: 0, prompts: 1\n", string(text))
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
