package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// TestAuditLog proves that each get is one record, however it ends, without values.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	render := func(f func(ctx context.Context) error) prompts.RenderFunc {
		return func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			time.Sleep(time.Second)
			return prompts.Messages(prompts.User("secret text")), f(ctx)
		}
	}
	all := map[string]func(ctx context.Context) error{
		"ok":      func(context.Context) error { return nil },
		"refuses": func(context.Context) error { return prompts.InvalidArgument("x", "secret reason") },
		"own":     func(context.Context) error { return &prompts.Error{Code: 7, Message: "secret message"} },
		"fails":   func(context.Context) error { return errors.New("secret error") },
		"panics":  func(context.Context) error { panic("secret panic") },
		"exits":   func(context.Context) error { runtime.Goexit(); return nil },
		"waits":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"asks": func(ctx context.Context) error {
			_, err := prompts.Elicit[struct{ Name string }](ctx, "name", "secret question")
			return err
		},
	}
	for name, test := range map[string]struct {
		prompt, want string
		cancel       bool // while the prompt renders
	}{
		"result":         {prompt: "ok", want: "prompt=ok outcome=complete duration=1s"},
		"invalid result": {prompt: "invalid", want: "prompt=invalid outcome=complete duration=0s"},
		"question":       {prompt: "asks", want: "prompt=asks outcome=input_required duration=1s"},
		"refused":        {prompt: "refuses", want: "prompt=refuses outcome=-32602 duration=1s"},
		"error's code":   {prompt: "own", want: "prompt=own outcome=7 duration=1s"},
		"error":          {prompt: "fails", want: "prompt=fails outcome=-32603 duration=1s"},
		"panic":          {prompt: "panics", want: "prompt=panics outcome=-32603 duration=1s"},
		"exit":           {prompt: "exits", want: "prompt=exits outcome=-32603 duration=1s"},
		"time limit":     {prompt: "waits", want: "prompt=waits outcome=timeout duration=10s"},
		"canceled":       {prompt: "waits", want: "prompt=waits outcome=canceled duration=5s", cancel: true},
		"unknown prompt": {prompt: "invented", want: "prompt=invented outcome=-32602 duration=0s"},
		"long name":      {prompt: strings.Repeat("x", 1000), want: "prompt=" + strings.Repeat("x", 256) + "… outcome=-32602 duration=0s"},
	} {
		inBubble(t, name, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
			reg := registryOf(prompts.Prompt{Name: "invalid", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.Message{}), nil
			}})
			for name, f := range all {
				reg.MustAdd(prompts.Prompt{Name: name, Arguments: []prompts.Argument{{Name: "x"}}, Render: render(f)})
			}
			srv := prompts.NewServer(reg, prompts.Options{
				Middleware: prompts.AuditLog(logger), Principal: func(context.Context) string { return "ada" },
				Timeouts: prompts.Timeouts{Render: 10 * time.Second}, Logger: slog.New(slog.DiscardHandler),
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.cancel {
				time.AfterFunc(5*time.Second, cancel)
			}
			o := prompts.CallOptions{Version: "2026-07-28", ClientCapabilities: json.RawMessage(`{"elicitation":{}}`)}
			params, err := json.Marshal(map[string]any{"name": test.prompt, "arguments": map[string]string{"x": "secret value"}})
			require.NoError(t, err)
			_, _ = srv.Call(ctx, "prompts/get", params, o)
			_, err = srv.Call(ctx, "prompts/list", nil, o)
			require.Equal(t, test.cancel, err != nil)
			synctest.Wait()
			assert.Equal(t, `level=INFO msg="prompt requested" principal=ada `+test.want+"\n", log.String())
		})
	}
}
