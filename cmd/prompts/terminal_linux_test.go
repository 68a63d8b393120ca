package main

import (
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestColors checks that only terminals with colors get them, unless NO_COLOR is set.
func TestColors(t *testing.T) { // not parallel: it sets the environment
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer terminal.Close()
	for _, test := range []struct {
		term, noColor string
		want          bool
	}{{"xterm", "", true}, {"", "", true}, {"dumb", "", false}, {"xterm", "1", false}} {
		t.Setenv("TERM", test.term)
		t.Setenv("NO_COLOR", test.noColor)
		assert.Equal(t, test.want, hasColor(terminal), test)
		assert.False(t, hasColor(io.Discard), test)
	}
}
