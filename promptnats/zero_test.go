package promptnats_test

import (
	"testing"

	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptnats"
)

// A Follower that no function made says which function makes it.
func TestFollowerNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &promptnats.Follower{}, "promptnats: Follower is not made by Follow")
}
