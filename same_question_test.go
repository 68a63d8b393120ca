package prompts_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// The same key is the same question: it is asked once, whoever asks. Who asks
// while another does waits for the first answer.
func TestSameQuestionIsAskedOnce(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context) (string, error){
		"one after the other": func(ctx context.Context) (string, error) {
			a, err := prompts.Elicit[colour](ctx, "a", "Which?")
			if err != nil {
				return "", err
			}
			b, err := prompts.Elicit[colour](ctx, "a", "Which?")
			return a.Colour + b.Colour, err
		},
		"by two goroutines": func(ctx context.Context) (string, error) {
			var a, b colour
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				a, err = prompts.Elicit[colour](ctx, "a", "Which?")
			}()
			b, other := prompts.Elicit[colour](ctx, "a", "Which?")
			<-done
			return a.Colour + b.Colour, errors.Join(err, other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := prompts.NewServer(registryOf(rendered("same", func(ctx context.Context) (*prompts.Result, error) {
					text, err := ask(ctx)
					return prompts.Messages(prompts.User(text)), err
				})), prompts.Options{})
				c := connect(t, s).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "same"))
				assert.Equal(t, []string{textLine("1", "redred")}, c.ask(c.question().reply(red)))
				assert.NoError(t, c.end())
			})
		})
	}
}

// MRT-23: that goes for a refusal too.
func TestSameQuestionIsRefusedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("same", func(ctx context.Context) (*prompts.Result, error) {
			errs := make(chan error, 2)
			for range 2 {
				go func() {
					_, err := prompts.Elicit[colour](ctx, "a", "Which?")
					errs <- err
				}()
			}
			assert.ErrorIs(t, <-errs, prompts.ErrDeclined)
			assert.ErrorIs(t, <-errs, prompts.ErrDeclined)
			return prompts.Messages(prompts.User("refused")), nil
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "same"))
		assert.Equal(t, []string{textLine("1", "refused")}, c.ask(c.question().reply(declining)))
		assert.NoError(t, c.end())
	})
}

// MRT-06: two questions of one Ask cannot have the same key: their answers
// could not be told apart. That is the author's fault, and nobody is asked.
func TestTwoQuestionsWithOneKey(t *testing.T) {
	t.Parallel()
	form := prompts.Form[colour]("a", "Which?")
	for name, questions := range map[string][]prompts.Question{
		"forms":         {prompts.Form[colour]("a", "Which?"), prompts.Form[trip]("a", "Where?")},
		"one and again": {form, form},
		"not adjacent":  {prompts.Form[colour]("a", "Which?"), prompts.Form[colour]("b", "Which?"), prompts.InputRequest("a", methodRoots, nil)},
	} {
		var j journal
		s := prompts.NewServer(registryOf(rendered("two", func(ctx context.Context) (*prompts.Result, error) {
			err := prompts.Ask(ctx, questions...)
			assert.NotErrorIs(t, err, prompts.ErrElicitationUnavailable, name)
			return nil, err
		})), prompts.Options{Logger: j.logger()})
		for _, responses := range []string{"", `{"a":` + red + `}`} {
			newRounds(t, s, "two").get(responses).fails(t, prompts.CodeInternalError, renderFailed)
		}
		got, err := handle(t, s, newSessionAs(t, s, "2025-11-25", allCapabilities), getLine("1", "two"))
		assert.NoError(t, err)
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
		assert.Contains(t, j.String(), `two questions with the key \"a\"`, name)
	}
}
