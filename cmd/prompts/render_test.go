package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// TestAskMissing checks that an answer that the server does not accept is asked for again
// at once, and that the end of the input ends the questions.
func TestAskMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.md"), []byte(`---
arguments:
  - name: lines
    type: integer
    maximum: 9
    required: true
  - name: language
    enum: [go, rust]
    required: true
---
{{.lines}} {{.language}}
`), 0o600))
	reg, faults := loadFolders(t.Context(), []string{dir})
	require.Empty(t, faults)
	p, _ := reg.Lookup("x")
	var out bytes.Buffer
	values := map[string]string{}
	require.NoError(t, newRenderer(reg).askMissing(t.Context(), &p, values, strings.NewReader("many\r\n10\n7\n\ngo"), &out))
	assert.Equal(t, map[string]string{"lines": "7", "language": "go"}, values)
	assert.Equal(t, "lines: must be an integer, got \"many\"\nlines: must be at most 9, got 10\nlines: one of: go, rust\nlanguage: is required\nlanguage: ", out.String())

	assert.ErrorIs(t, newRenderer(reg).askMissing(t.Context(), &p, map[string]string{}, strings.NewReader("many"), io.Discard), io.EOF)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, newRenderer(reg).askMissing(ctx, &p, map[string]string{}, strings.NewReader("7\n"), io.Discard), context.Canceled)
}

// An error inside of an argument names the place.
func TestRenderErrorsInside(t *testing.T) {
	t.Parallel()
	type in struct {
		S struct {
			Region string `json:"region" enum:"eu,us"`
			N      int    `json:"n,omitempty" maximum:"3"`
		} `json:"s"`
	}
	var reg prompts.Registry
	require.NoError(t, reg.Add(prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, in) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("x")), nil
	})))
	p, _ := reg.Lookup("p")
	for value, want := range map[string]string{
		`{}`: "s.region is required", `{"region":"zz"}`: `s.region must be one of eu, us, got "zz"`, `{"region":"eu","n":9}`: "s.n must be at most 3, got 9",
	} {
		_, _, _, err := newRenderer(&reg).render(t.Context(), p.Name, map[string]string{"s": value})
		assert.ErrorContains(t, err, want)
	}
	args, err := newRenderer(&reg).values(t.Context(), &p) // made up, for check and test
	require.NoError(t, err)
	assert.NotEmpty(t, args["s"])
}
