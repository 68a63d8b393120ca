package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNamesInNFD checks that each command takes a name in NFC and in NFD for the prompt of a
// file that macOS has stored in NFD, and its test file for a file of that prompt.
func TestNamesInNFD(t *testing.T) {
	t.Parallel()
	const nfc, nfd = "caf\u00e9", "cafe\u0301"
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, nfd+".md"), []byte("---\ndescription: d\n---\nhi\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, nfd+".test.yaml"), []byte("cases:\n  - name: a\n    expect: {contains: hi}\n"), 0o600))
	for _, args := range [][]string{{"render", dir, nfc}, {"render", dir, nfd}, {"test", dir}, {"check", "--strict", dir}} {
		var out, errOut bytes.Buffer
		assert.Zero(t, run(t.Context(), args, nil, &out, &errOut), "%q: %s%s", args, out.String(), errOut.String())
	}
}
