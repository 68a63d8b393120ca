//go:build !unix || race

package prompttemplate_test

import (
	"strings"
	"testing"
)

// Without TestBombs, those that are only about memory end at once, whatever the process has.
func TestBombsOfMemory(t *testing.T) {
	t.Parallel()
	for _, b := range bombs {
		if !strings.Contains(b.text, "{{range 1000") && len(b.text) < 3000 && len(b.partials) <= 100 {
			t.Run(b.name, func(t *testing.T) { b.explode(t) })
		}
	}
}
