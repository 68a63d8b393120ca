package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/mcp-prompts/prompts"
)

type userKey struct{}

// userOf is what an author's own layer has found out about who is calling.
func userOf(ctx context.Context) (string, error) {
	user, _ := ctx.Value(userKey{}).(string)
	return user, nil
}

// get gets a prompt for a user and prints the result or the error.
func get(srv *prompts.Server, user, params string) {
	ctx := context.WithValue(context.Background(), userKey{}, user)
	printCall(ctx, srv, "prompts/get", params, prompts.CallOptions{Version: "2025-11-25"})
}

func greeting(ctx context.Context, args map[string]string) (*prompts.Result, error) {
	return prompts.Messages(prompts.User("Greet " + args["who"] + ".")), nil
}

// stdout returns a logger that prints lines without a time.
func stdout() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}}))
}

// An audit log: who gets which prompt, and how the request ends.
func ExampleAuditLog() {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "greet", Arguments: []prompts.Argument{{Name: "who", Required: true}}, Render: greeting})
	srv := prompts.MustNewServer(&reg, prompts.Options{Principal: userOf, Middleware: prompts.AuditLog(stdout())})

	ctx := context.WithValue(context.Background(), userKey{}, "ada")
	for _, params := range []string{`{"name":"greet","arguments":{"who":"Bob"}}`, `{"name":"greet"}`, `{"name":"insult"}`} {
		_, _ = srv.Call(ctx, "prompts/get", json.RawMessage(params), prompts.CallOptions{Version: "2025-11-25"})
	}
	// Output:
	// level=INFO msg="prompt requested" principal=ada prompt=greet outcome=complete
	// level=INFO msg="prompt requested" principal=ada prompt=greet outcome=-32602
	// level=INFO msg="prompt requested" principal=ada prompt=insult outcome=-32602
}

// A limit for each principal. The client gets to see the error.
func ExampleHandler_quota() {
	quota := func(most int) func(prompts.Handler) prompts.Handler {
		var mu sync.Mutex // protects used
		used := map[string]int{}
		return func(next prompts.Handler) prompts.Handler {
			return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
				mu.Lock()
				used[r.Principal]++
				n := used[r.Principal]
				mu.Unlock()
				if n > most {
					return nil, &prompts.Error{Code: 429, Message: "the quota is used up", Data: map[string]int{"quota": most}}
				}
				return next(ctx, r)
			}
		}
	}

	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "greet", Arguments: []prompts.Argument{{Name: "who"}}, Render: greeting})
	srv := prompts.MustNewServer(&reg, prompts.Options{Principal: userOf, Middleware: quota(1)})

	const params = `{"name":"greet","arguments":{"who":"Bob"}}`
	get(srv, "ada", params)
	get(srv, "ada", params)
	get(srv, "eve", params)
	// Output:
	// {"messages":[{"role":"user","content":{"type":"text","text":"Greet Bob."}}]}
	// error: the quota is used up (429)
	// {"messages":[{"role":"user","content":{"type":"text","text":"Greet Bob."}}]}
}

// A cache of the prompts that are the same for everybody, but for what somebody
// was asked. What is kept is good in every revision.
func ExampleHandler_cache() {
	cache := func(names ...string) func(prompts.Handler) prompts.Handler {
		cacheable := map[string]bool{}
		for _, name := range names {
			cacheable[name] = true
		}
		var kept sync.Map
		return func(next prompts.Handler) prompts.Handler {
			return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
				if r.Method != "prompts/get" || !cacheable[r.Prompt] {
					return next(ctx, r)
				}
				key := fmt.Sprintf("%q %q", r.Prompt, r.Arguments) // maps are printed in order
				if response, ok := kept.Load(key); ok {
					return response.(*prompts.Response), nil
				}
				response, err := next(ctx, r)
				if err == nil && !response.Elicited {
					kept.Store(key, response)
				}
				return response, err
			}
		}
	}

	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "greet", Arguments: []prompts.Argument{{Name: "who"}}, Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		fmt.Println("rendering for", args["who"])
		return greeting(ctx, args)
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{Middleware: cache("greet")})

	get(srv, "ada", `{"name":"greet","arguments":{"who":"Bob"}}`)
	get(srv, "eve", `{"name":"greet","arguments":{"who":"Bob"}}`)
	get(srv, "eve", `{"name":"greet","arguments":{"who":"Kim"}}`)
	// Output:
	// rendering for Bob
	// {"messages":[{"role":"user","content":{"type":"text","text":"Greet Bob."}}]}
	// {"messages":[{"role":"user","content":{"type":"text","text":"Greet Bob."}}]}
	// rendering for Kim
	// {"messages":[{"role":"user","content":{"type":"text","text":"Greet Kim."}}]}
}

// The client's trace goes on: what a render function logs or calls belongs to it.
func ExampleHandler_trace() {
	type traceKey struct{}
	trace := func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			var meta struct{ Traceparent string }
			if r.Meta != nil && json.Unmarshal(r.Meta, &meta) == nil {
				ctx = context.WithValue(ctx, traceKey{}, meta.Traceparent)
			}
			return next(ctx, r)
		}
	}

	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "greet", Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		fmt.Println("rendering as part of", ctx.Value(traceKey{}))
		return greeting(ctx, map[string]string{"who": "the tracer"})
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{Middleware: trace})

	get(srv, "ada", `{"name":"greet","_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`)
	// Output:
	// rendering as part of 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
	// {"messages":[{"role":"user","content":{"type":"text","text":"Greet the tracer."}}]}
}

// Several are composed by calling one with what another returns. The first one
// is the outermost: it sees what the others have made of the request.
func ExampleHandler_several() {
	named := func(name string) func(prompts.Handler) prompts.Handler {
		return func(next prompts.Handler) prompts.Handler {
			return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
				fmt.Println("to", name)
				defer fmt.Println("from", name)
				return next(ctx, r)
			}
		}
	}
	outer, inner := named("outer"), named("inner")

	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "greet", Arguments: []prompts.Argument{{Name: "who"}}, Render: greeting})
	srv := prompts.MustNewServer(&reg, prompts.Options{
		Middleware: func(next prompts.Handler) prompts.Handler { return outer(inner(next)) },
	})
	get(srv, "ada", `{"name":"greet","arguments":{"who":"Bob"}}`)
	// Output:
	// to outer
	// to inner
	// from inner
	// from outer
	// {"messages":[{"role":"user","content":{"type":"text","text":"Greet Bob."}}]}
}
