package prompttest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/transport"
)

type codeReview struct {
	Code     string `json:"code"`
	Language string `json:"language,omitempty"`
}

func registry() *prompts.Registry {
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.New(prompts.Prompt{
		Name:      "code_review",
		Arguments: []prompts.Argument{{Name: "language", Enum: []string{"go", "python"}}},
	}, func(_ context.Context, in codeReview) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please review this code:\n" + prompts.Fence(in.Language, in.Code))), nil
	}))
	return reg
}

// A test of a package with prompts: what a client gets of one, and that nothing
// is declared in vain.
func Example() {
	// func TestPrompts(t *testing.T)
	testPrompts := func(t *testing.T) {
		c := prompttest.New(t, registry())
		got := c.Get("code_review", map[string]string{"code": "x := 1", "language": "go"})
		prompttest.Golden(t, "testdata/code_review.golden", got)

		err := c.GetError("code_review", map[string]string{"language": "cobol"})
		if reasons := problem.Reasons(err); reasons["code"] != problem.Missing || reasons["language"] != problem.Enum {
			t.Error(err)
		}
	}
	// func TestDeclarations(t *testing.T)
	testDeclarations := func(t *testing.T) {
		prompttest.CheckArguments(t, registry(), prompttest.CheckOptions{})
		prompttest.CheckEnums(t, registry(), prompttest.CheckOptions{})
		prompttest.CheckDoc(t, registry(), "README.md")
		prompttest.CheckTools(t, registry(), prompttest.CheckOptions{}, "search_issues", "read_file")
		prompttest.CheckPortable(t, registry(), prompttest.CheckOptions{}, "VS Code")
	}
	// func TestEffects(t *testing.T): no mail leaves before the user has answered, or twice.
	testEffects := func(t *testing.T, mails func() int) {
		prompttest.CheckArguments(t, registry(), prompttest.CheckOptions{Effects: mails})
	}
	_, _, _ = testPrompts, testDeclarations, testEffects
}

// A client in front of which somebody sits, for a prompt that asks.
func ExampleServe() {
	// func TestAnnouncement(t *testing.T)
	_ = func(t *testing.T, srv *prompts.Server) {
		for _, version := range prompttest.Versions()[2:] { // the first two have no questions
			c := prompttest.Serve(t, srv, prompttest.ClientOptions{
				Version: version,
				Answer: func(q prompttest.Question) any {
					if q.Message == "Which release?" {
						return prompttest.Accept(map[string]any{"version": "1.2.0"})
					}
					return prompttest.Decline()
				},
			})
			prompttest.Golden(t, "testdata/announcement.golden", c.Get("announcement", nil))
		}
	}
}

// A test of an author's own transport: the client speaks over one side of it,
// and a server over the other.
func ExampleNewClient() {
	// func TestTransport(t *testing.T)
	_ = func(t *testing.T, near, far transport.Conn) {
		reg := registry()
		served := make(chan error, 1)
		go func() { served <- prompts.MustNewServer(reg, prompts.Options{}).Serve(t.Context(), far) }()

		c := prompttest.NewClient(t, near, prompttest.ClientOptions{Version: "2025-11-25"})
		c.Listen()
		reg.Remove("code_review")
		c.WaitChanged()
		if list := c.List(); len(list) > 0 {
			t.Errorf("%d prompts are left", len(list))
		}
		c.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// The revisions that there are.
func ExampleVersions() {
	for _, version := range prompttest.Versions() {
		fmt.Println(version)
	}
	// Output:
	// 2024-11-05
	// 2025-03-26
	// 2025-06-18
	// 2025-11-25
	// 2026-07-28
}
