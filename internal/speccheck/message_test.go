package speccheck

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// However much white space there is before it, a batch is one.
func TestIsBatch(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"[]": true, " \t\r\n[": true, strings.Repeat("\n", 1000) + "[]": true,
		"": false, " ": false, "{": false, strings.Repeat(" ", 1000) + "{[": false,
	} {
		assert.Equal(t, want, isBatch([]byte(text)), "%.10q", text)
	}
}
