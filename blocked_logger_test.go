package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// blocked returns a logger whose handler blocks until the end of the test.
func blocked(t *testing.T) *slog.Logger {
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever); synctest.Wait() })
	return slog.New(servertest.Handler{Do: func(context.Context, slog.Record) { <-forever }})
}

// blockedServer returns a server whose logger blocks.
func blockedServer(t *testing.T) (*prompts.Server, *prompts.Registry) {
	reg := servertest.RegistryOf(servertest.TextPrompt("hello", "Hello!"), servertest.Rendered("fails", func(context.Context) (*prompts.Result, error) {
		return nil, errors.New("no disk")
	}), servertest.Rendered("waits", func(ctx context.Context) (*prompts.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}))
	return prompts.MustNewServer(reg, prompts.Options{Logger: blocked(t), Limits: prompts.Limits{GetsPerSecond: -1}}), reg
}

// A logger that blocks delays a request that logs by a second, once, and no other request:
// neither by Handle, by Call nor by Serve. The registry can be read and changed.
func TestLoggerThatBlocks(t *testing.T) {
	const requests = 500 // more than MaxConcurrent and its queue
	get := func(name string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + name + `","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	}
	for name, ask := range map[string]func(t *testing.T, srv *prompts.Server, name string) string{
		"Handle": func(t *testing.T, srv *prompts.Server, name string) string {
			response, _ := servertest.Handle(t, srv, nil, get(name))
			return response
		},
		"Call": func(t *testing.T, srv *prompts.Server, name string) string {
			response, err := servertest.Call(t, srv, "prompts/get", `{"name":"`+name+`"}`)
			if err != nil {
				return err.Message
			}
			return response
		},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			srv, reg := blockedServer(t)
			start := time.Now()
			for range requests {
				require.Contains(t, ask(t, srv, "fails"), "internal error")
			}
			assert.Contains(t, ask(t, srv, "hello"), "Hello!")
			assert.LessOrEqual(t, time.Since(start), time.Second)
			require.NoError(t, reg.Add(servertest.TextPrompt("new", "New!")))
			assert.Contains(t, ask(t, srv, "new"), "New!")
		})
	}
	servertest.InBubble(t, "Serve", func(t *testing.T) {
		srv, _ := blockedServer(t)
		c := servertest.Connect(t, srv).Handshake()
		start := time.Now()
		for i := range requests {
			c.Send(servertest.GetLine(fmt.Sprint(i), "fails"))
			require.Len(t, c.Received(), 1, "without a wait for the logger")
		}
		assert.Len(t, c.Ask(servertest.GetLine("1000", "hello")), 1)
		assert.Zero(t, time.Since(start))
	})
}

// A logger that blocks delays the end of Serve by no more than a second.
func TestLoggerThatBlocksTheEnd(t *testing.T) {
	for name, end := range map[string]func(c *servertest.Client) error{
		"client": func(c *servertest.Client) error { return c.End() },
		"server": func(c *servertest.Client) error { c.Cancel(); return c.Wait() },
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			srv, _ := blockedServer(t)
			c := servertest.Connect(t, srv).Handshake()
			c.Send(servertest.GetLine("1", "waits"), servertest.GetLine("2", "fails"))
			c.Received()
			start := time.Now()
			assert.NoError(t, end(c))
			// The drain, a second for what should have ended, and one for the logger.
			assert.LessOrEqual(t, time.Since(start), (5+2)*time.Second)
		})
	}
}
