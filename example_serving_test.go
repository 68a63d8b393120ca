package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts"
)

// callAs calls prompts/get as a user, and prints the texts or the error.
func callAs(srv *prompts.Server, user, params string) {
	raw, err := srv.Call(context.WithValue(context.Background(), userKey{}, user), "prompts/get", json.RawMessage(params), prompts.CallOptions{Version: "2025-11-25"})
	if err != nil {
		message, _, _ := strings.Cut(err.Error(), "; retry in") // the time varies
		fmt.Println(message)
		return
	}
	var result struct {
		Messages []struct{ Content struct{ Text string } }
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		log.Fatal(err)
	}
	for _, m := range result.Messages {
		fmt.Println(m.Content.Text)
	}
}

// A prompt is made of others.
func ExampleInclude() {
	var reg prompts.Registry
	reg.MustAdd(
		prompts.Prompt{Name: "style", Arguments: []prompts.Argument{{Name: "language", Required: true}},
			Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.User("Write idiomatic " + args["language"] + ".")), nil
			}},
		prompts.Prompt{Name: "review",
			Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
				r, err := prompts.Include(ctx, "style", map[string]string{"language": "Go"})
				if err != nil {
					return nil, err
				}
				r.Messages = append(r.Messages, prompts.User("Review the change."))
				return r, nil
			}},
	)
	callAs(prompts.MustNewServer(&reg, prompts.Options{}), "", `{"name":"review"}`)
	// Output:
	// Write idiomatic Go.
	// Review the change.
}

// A prompt whose result depends on its arguments alone is rendered once for
// them.
func ExampleCache() {
	renders := 0
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "schema", Cache: prompts.Cache{TTL: time.Minute, AllPrincipals: true},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			renders++ // and something slow
			return prompts.Messages(prompts.User("The schema of the database.")), nil
		}})
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	callAs(srv, "ada", `{"name":"schema"}`)
	callAs(srv, "ben", `{"name":"schema"}`)
	fmt.Println(renders)
	// Output:
	// The schema of the database.
	// The schema of the database.
	// 1
}

// Who may know of a prompt is decided by its tags. To anybody else it is as if it
// were not there. Its version is for whoever wants to know.
func ExampleOptions_visible() {
	text := func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Delete everything.")), nil
	}
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "purge", Version: "2", Tags: []string{"admin"}, Render: text})
	srv := prompts.MustNewServer(&reg, prompts.Options{
		Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
			user, err := userOf(ctx)
			return user == "root" || !slices.Contains(p.Tags, "admin"), err
		},
	})
	callAs(srv, "root", `{"name":"purge"}`)
	callAs(srv, "ada", `{"name":"purge"}`)
	p, _ := reg.Lookup("purge")
	fmt.Println(p.Version)
	// Output:
	// Delete everything.
	// unknown prompt "purge" (-32602)
	// 2
}

// A client that asks too often is told when it may again.
func ExampleLimits() {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Hello.")), nil
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{Principal: userOf, Limits: prompts.Limits{GetsPerSecond: 0.001}})
	callAs(srv, "ada", `{"name":"p"}`)
	callAs(srv, "ada", `{"name":"p"}`)
	callAs(srv, "ben", `{"name":"p"}`)
	// Output:
	// Hello.
	// rate limit exceeded
	// Hello.
}
