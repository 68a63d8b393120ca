package promptotel_test

import (
	"testing"

	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptotel"
)

// An Observer that no function made says which function makes it.
func TestObserverNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &promptotel.Observer{}, "promptotel: Observer is not made by New")
}

// A function with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]promptotel.Option{
		"option":          nil,
		"tracer provider": promptotel.WithTracerProvider(nil),
		"meter provider":  promptotel.WithMeterProvider(nil),
	} {
		notmade.Nil(t, "promptotel: New: "+want+" is nil", func() error {
			_, err := promptotel.New(o)
			return err
		})
	}
	notmade.Nil(t, "promptotel: LogHandler: handler is nil", promptotel.LogHandler)
}
