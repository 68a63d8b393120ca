package promptfs_test

import (
	"testing"

	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A Folder or a Mirror that no function made says which function makes it.
func TestValuesNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &promptfs.Folder{}, "promptfs: Folder is not made by NewFolder or NewDir")
	notmade.Check(t, &promptfs.Mirror{}, "promptfs: Mirror is not made by NewMirror")
}
