package promptfs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A Folder or a Mirror that no function made says which function makes it.
func TestValuesNotMade(t *testing.T) {
	t.Parallel()
	for _, f := range []*promptfs.Folder{nil, {}} {
		const want = "promptfs: Folder is not made by NewFolder or NewDir"
		assert.EqualError(t, f.Reload(t.Context()), want)
		assert.PanicsWithError(t, want, func() { f.Watch(t.Context()) })
	}
	for _, m := range []*promptfs.Mirror{nil, {}} {
		for name, call := range map[string]func(){
			"Logger":  func() { m.Logger() },
			"Reset":   func() { _ = m.Reset(t.Context()) },
			"Apply":   func() { _ = m.Apply(t.Context()) },
			"Replace": func() { _ = m.Replace(t.Context(), prompts.Release{}) },
		} {
			assert.PanicsWithValue(t, "promptfs: Mirror is not made by NewMirror", call, name)
		}
	}
}
