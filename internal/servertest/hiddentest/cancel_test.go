package hiddentest_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/servertest/hiddentest"
)

// CAN-04, JRP-04: whichever way a request comes, an id is in use until the request is answered or
// canceled, and the response has the id as the client has written it. A canceled request gets no
// response, and its function learns of the end.
func TestDoorsCancelAlike(t *testing.T) {
	t.Parallel()
	for name, open := range doors {
		for _, rev := range revision.All() {
			version := rev.String()
			if name == "batch" && version != servertest.BatchVersion {
				continue
			}
			for _, id := range []string{`7`, `"7\u0041"`, `9007199254740993`} {
				t.Run(name+" "+version+" "+id, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { cancelThrough(t, name, open, version, id) })
				})
			}
		}
	}
}

func cancelThrough(t *testing.T, name string, open func(testing.TB, *prompts.Server, string) door, version, id string) {
	ended := make(chan error, 1)
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi"), servertest.Rendered("waits", func(ctx context.Context) (*prompts.Result, error) {
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	})), prompts.Options{})
	d := open(t, s, version)
	send := func(ctx context.Context, prompt string) string {
		r := hiddentest.Request{Method: "prompts/get", Name: prompt, Members: `"name":"` + prompt + `"`}
		return d.send(ctx, r.Method, prompt, strings.Replace(r.Line(0, version), `"id":0`, `"id":`+id, 1))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answered := make(chan string, 1)
	go func() { answered <- send(ctx, "waits") }() // ends with the request
	time.Sleep(time.Second)                        // of the bubble
	if name == "Serve" || name == "Session.Handle" || name != "Server.Call" && version != hiddentest.Stateless {
		assert.Contains(t, send(t.Context(), "text"), "is already in use by a pending request")
		d.send(t.Context(), "notifications/cancelled", "", servertest.CancelLine(id))
	} else { // such a client ends its request
		assert.Contains(t, send(t.Context(), "text"), `"hi"`)
		cancel()
	}
	assert.ErrorIs(t, <-ended, context.Canceled)
	got := <-answered
	assert.NotContains(t, got, `"result"`)
	assert.NotContains(t, got, `"error"`)
	got = send(t.Context(), "text")
	assert.Contains(t, got, `"hi"`, "the id is free")
	if name != "Server.Call" { // which has no id in its result
		assert.Equal(t, 1, strings.Count(got, `"id":`+id+`,`), got)
	}
	d.close()
	servertest.AssertNoTrace(t, s)
}
