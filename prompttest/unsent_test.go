package prompttest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// A test fails if a prompt does not send its questions.
func TestUnsentQuestions(t *testing.T) {
	t.Parallel()
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.Prompt{Name: "p", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		_, _ = prompts.Elicit[struct{ Name string }](ctx, "name", "Who?")
		return prompts.Messages(prompts.User("Hello.")), nil
	}})
	r := record(t, func(t testing.TB) {
		Serve(t, prompts.MustNewServer(reg, prompts.Options{}), ClientOptions{Answer: func(Question) any { return Decline() }}).Get("p", nil)
	})
	assert.Equal(t, []string{`prompttest: prompt "p" does not send the questions ["name"]: it must return the error of Ask or Elicit, see prompts.ErrInputRequired`}, r.errors)
}
