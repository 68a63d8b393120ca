package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/mcp-prompts/prompts"
)

// completeRequest prints what the argument of a prompt is completed to.
func completeRequest(ctx context.Context, argument prompts.Argument, typed string, args map[string]string) {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{
		Name:      "p",
		Arguments: []prompts.Argument{{Name: "repository"}, argument},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(), nil
		},
	})
	params, err := json.Marshal(map[string]any{
		"ref":      map[string]string{"type": "ref/prompt", "name": "p"},
		"argument": map[string]string{"name": argument.Name, "value": typed},
		"context":  map[string]any{"arguments": args},
	})
	if err != nil {
		log.Fatal(err)
	}
	printCall(ctx, prompts.MustNewServer(&reg, prompts.Options{}), "completion/complete", string(params), prompts.CallOptions{Version: "2025-11-25"})
}

// What begins with the typed text comes first, then where a word does, then
// where it is anywhere.
func ExampleSuggest() {
	language := prompts.Argument{
		Name:     "language",
		Complete: prompts.Suggest("Django", "Rust", "go template", "Go", "Visual Go"),
	}
	completeRequest(context.Background(), language, "go", nil)
	// Output:
	// {"completion":{"values":["Go","go template","Visual Go","Django"],"total":4,"hasMore":false}}
}

// The candidates depend on what is filled in already.
func ExampleSuggestFunc() {
	branches := map[string][]string{
		"parser": {"main", "fix-escape", "release/1.0"},
		"docs":   {"main"},
	}
	branch := prompts.Argument{
		Name: "branch",
		Complete: prompts.SuggestFunc(func(_ context.Context, args map[string]string) ([]string, error) {
			return branches[args["repository"]], nil
		}),
	}
	completeRequest(context.Background(), branch, "es", map[string]string{"repository": "parser"})
	completeRequest(context.Background(), branch, "", map[string]string{"repository": "docs"})
	// Output:
	// {"completion":{"values":["fix-escape"],"total":1,"hasMore":false}}
	// {"completion":{"values":["main"],"total":1,"hasMore":false}}
}

// Everybody sees the issues of their own, so who they are is in the key, and
// the function has it from nowhere else.
func ExampleSuggestCached() {
	type user struct{} // the key in the context of the author's own layer
	type mine struct{ user, repository string }
	issue := prompts.Argument{
		Name: "issue",
		Complete: prompts.SuggestCached(time.Minute,
			func(ctx context.Context, args map[string]string) mine {
				name, _ := ctx.Value(user{}).(string)
				return mine{name, args["repository"]}
			},
			func(_ context.Context, m mine) ([]string, error) {
				fmt.Printf("fetching the issues of %s in %s\n", m.user, m.repository)
				return []string{"12 slow start of " + m.user, "7 typo"}, nil
			}),
	}
	ann := context.WithValue(context.Background(), user{}, "Ann")
	completeRequest(ann, issue, "", map[string]string{"repository": "docs"})
	completeRequest(ann, issue, "s", map[string]string{"repository": "docs"})
	completeRequest(context.WithValue(context.Background(), user{}, "Bob"), issue, "s", map[string]string{"repository": "docs"})
	// Output:
	// fetching the issues of Ann in docs
	// {"completion":{"values":["12 slow start of Ann","7 typo"],"total":2,"hasMore":false}}
	// {"completion":{"values":["12 slow start of Ann"],"total":1,"hasMore":false}}
	// fetching the issues of Bob in docs
	// {"completion":{"values":["12 slow start of Bob"],"total":1,"hasMore":false}}
}
