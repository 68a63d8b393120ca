package prompts

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The same key is the same question: it is asked once, whoever asks. Who asks
// while another does waits for the first answer.
func TestSameQuestionIsAskedOnce(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context) (string, error){
		"one after the other": func(ctx context.Context) (string, error) {
			a, err := Elicit[colour](ctx, "a", "Which?")
			if err != nil {
				return "", err
			}
			b, err := Elicit[colour](ctx, "a", "Which?")
			return a.Colour + b.Colour, err
		},
		"by two goroutines": func(ctx context.Context) (string, error) {
			var a, b colour
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				a, err = Elicit[colour](ctx, "a", "Which?")
			}()
			b, other := Elicit[colour](ctx, "a", "Which?")
			<-done
			return a.Colour + b.Colour, errors.Join(err, other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := NewServer(registryOf(rendered("same", func(ctx context.Context) (*Result, error) {
					text, err := ask(ctx)
					return Messages(User(text)), err
				})), Options{})
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
		s := NewServer(registryOf(rendered("same", func(ctx context.Context) (*Result, error) {
			errs := make(chan error, 2)
			for range 2 {
				go func() {
					_, err := Elicit[colour](ctx, "a", "Which?")
					errs <- err
				}()
			}
			assert.ErrorIs(t, <-errs, ErrDeclined)
			assert.ErrorIs(t, <-errs, ErrDeclined)
			return Messages(User("refused")), nil
		})), Options{})
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
	form := Form[colour]("a", "Which?")
	for name, questions := range map[string][]Question{
		"forms":         {Form[colour]("a", "Which?"), Form[trip]("a", "Where?")},
		"one and again": {form, form},
		"not adjacent":  {Form[colour]("a", "Which?"), Form[colour]("b", "Which?"), InputRequest("a", methodRoots, nil)},
	} {
		var j journal
		s := NewServer(registryOf(rendered("two", func(ctx context.Context) (*Result, error) {
			err := Ask(ctx, questions...)
			assert.NotErrorIs(t, err, ErrCannotAsk, name)
			return nil, err
		})), Options{Logger: j.logger()})
		for _, responses := range []string{"", `{"a":` + red + `}`} {
			newRounds(t, s, "two").get(responses).fails(t, CodeInternalError, renderFailed)
		}
		got, err := handle(t, s, newSessionAs(t, s, "2025-11-25", allCapabilities), getLine("1", "two"))
		assert.NoError(t, err)
		assert.Equal(t, errorLine("1", CodeInternalError, renderFailed), got)
		assert.Contains(t, j.String(), `two questions with the key \"a\"`, name)
	}
}
