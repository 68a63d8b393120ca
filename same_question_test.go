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
