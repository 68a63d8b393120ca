package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDraw proves that the picture of a trace has the spans of the client, the server
// and the render function.
func TestDraw(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace.svg")
	require.NoError(t, draw(t.Context(), file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var texts []string
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if chars, ok := token.(xml.CharData); ok {
			texts = append(texts, string(chars))
		}
	}
	for _, want := range []string{"turn of an agent", "prompts/list", "completion/complete review", "prompts/get review", "prompts/get", "read the change", "find the guidelines"} {
		assert.Contains(t, texts, want)
	}
}
