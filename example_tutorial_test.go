package prompts_test

import (
	"context"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// The code of the package comment is the code of this file, which compiles, and the
// error in the comment is the output of an example.
func TestPackageComment(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	tutorial := unindented(servertest.ReadText(t, "example_tutorial_test.go"))
	blocks := 0
	for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
		if code, ok := block.(*comment.Code); ok {
			blocks++
			assert.Contains(t, tutorial, unindented(code.Text))
		}
	}
	assert.Equal(t, 9, blocks, "code of the package comment")
}

// unindented returns code without indentation, columns and the marks of comments.
func unindented(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "// ")), " ") + "\n")
	}
	return b.String()
}

type Review struct {
	Code     string `json:"code" jsonschema:"the code to review"`
	Language string `json:"language,omitempty" jsonschema:"its language" enum:"go,python,rust"`
}

func main() {
	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "code_review"},
		func(ctx context.Context, in Review) (*prompts.Result, error) {
			return prompts.Messages(
				prompts.User("Please review:\n" + prompts.Fence(in.Language, in.Code)),
			), nil
		}))
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	if err := stdio.Run(context.Background(), srv); err != nil {
		log.Fatal(err)
	}
}

var _ = main

// The errors of a declaration say what to write instead.
func Example_invalidDeclaration() {
	type Search struct {
		Limit int `json:"limit,omitempty" min:"1"`
	}
	var reg prompts.Registry
	fmt.Println(reg.Add(prompts.NewText(prompts.Prompt{Name: "search"},
		func(context.Context, Search) (string, error) { return "", nil })))
	// Output:
	// prompt "search": argument "limit": unknown tag min; write minimum:"1"
}

// The types of arguments that the package comment shows can be declared.
func TestPackageCommentArguments(t *testing.T) {
	t.Parallel()
	type Search struct {
		Query   string         `json:"query" jsonschema:"the words to find"` // required
		Verbose *bool          `json:"verbose"`                              // optional: true or false
		Since   time.Time      `json:"since,omitzero"`                       // 2026-11-21T10:00:00Z
		Wait    time.Duration  `json:"wait,omitempty"`                       // 1h30m
		Files   []string       `json:"files,omitempty"`                      // a.go, b.go, or a JSON array
		Weights map[string]int `json:"weights,omitempty"`                    // a JSON object
	}
	type Query struct {
		Sort  string   `json:"sort,omitempty" enum:"date,relevance" default:"date"`
		Limit int      `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
		Tags  []string `json:"tags,omitempty" enum:"bug,docs" maxItems:"2"`
		Token string   `json:"token" minLength:"8" sensitive:"true"`
	}
	orders := []string{"date", "relevance"}
	p := prompts.Prompt{
		Name: "search",
		Arguments: []prompts.Argument{
			{Name: "sort", Enum: orders},
			{Name: "branch", Complete: prompts.Suggest("main", "develop")},
		},
	}
	p.Render = func(context.Context, map[string]string) (*prompts.Result, error) {
		return nil, prompts.InvalidArgument("repo", "is not a repository of this team")
	}
	text := func(name string) prompts.Prompt { return prompts.Prompt{Name: name} }
	var reg prompts.Registry
	require.NoError(t, reg.Add(p,
		prompts.NewText(text("types"), func(context.Context, Search) (string, error) { return "", nil }),
		prompts.NewText(text("tags"), func(context.Context, Query) (string, error) { return "", nil })))
}

func ask(ctx context.Context) (*prompts.Result, error) {
	type Release struct{ Version string }
	release, err := prompts.Elicit[Release](ctx, "release", "Which release?")
	if err != nil {
		return nil, err
	}
	return prompts.Messages(prompts.User("Announce " + release.Version + ".")), nil
}

func listen(ctx context.Context, srv *prompts.Server) error {
	err := streamablehttp.ListenAndServe(ctx, "127.0.0.1:8080", srv, streamablehttp.Options{})
	return err
}

func audit(next prompts.Handler) prompts.Handler {
	return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
		response, err := next(ctx, r)
		slog.InfoContext(ctx, r.Method, "prompt", r.Prompt, "client", r.Principal, "failed", err != nil)
		return response, err
	}
}

var _, _, _ = ask, listen, audit
