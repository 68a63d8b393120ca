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
