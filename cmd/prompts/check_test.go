package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// check reports the text that a comment cuts off, of prompts, skills and test files alike.
func TestCheckOfLostText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.md":        "---\ndescription: d\ntags:\n  - C # and C++\n---\nhi\n",
		"p.test.yaml": "cases:\n  - name: a\n    expect:\n      contains: hi #12\n",
		"s/SKILL.md":  "---\nname: s\ndescription: d\nmetadata:\n  list:\n    - fix #12\n---\nhi\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, args := range [][]string{{dir}, {filepath.Join(dir, "p.md"), filepath.Join(dir, "p.test.yaml"), filepath.Join(dir, "s", "SKILL.md")}} {
		var out, errOut bytes.Buffer
		assert.Zero(t, run(t.Context(), append([]string{"check"}, args...), nil, &out, &errOut), errOut.String())
		for _, place := range []string{"p.md:4: ", "p.test.yaml:4: ", "s/SKILL.md:6: "} {
			assert.Regexp(t, regexp.QuoteMeta(place)+`.*" #" begins a comment`, out.String(), args)
		}
	}
}

// Whatever is served is looked through, whether or not it is larger than a prompt file may be.
func TestCheckOfLargeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "s"), 0o700))
	large := strings.Repeat("a line of a log\n", 100_000) + "AKIAABCDEFGHIJKLMNOP\n"
	for name, text := range map[string]string{
		"p.md": "---\ndescription: d\n---\nhi\n--- user: resource log.txt ---\n", "log.txt": large,
		"s/SKILL.md": "---\nname: s\ndescription: d\n---\nhi\n", "s/log.md": large,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	var out, errOut bytes.Buffer
	assert.Zero(t, run(t.Context(), []string{"check", dir}, nil, &out, &errOut), errOut.String())
	assert.Contains(t, out.String(), "p.md:5: warning: log.txt contains what looks like an access key of AWS")
	assert.Contains(t, out.String(), "s/log.md:100001")
}
