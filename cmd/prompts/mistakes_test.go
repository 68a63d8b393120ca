package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMistakes checks what check reports for each mistake in testdata/mistakes.txtar: a folder
// with the files of an author, and the file "findings". Without a finding, the file says why:
// "silent: " and the reason. UPDATE_SCRIPTS=1 writes the findings.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const name = "testdata/mistakes.txtar"
	archive, err := txtar.ParseFile(name)
	require.NoError(t, err)
	root := t.TempDir()
	wants, skipped := map[string]*txtar.File{}, map[string]bool{}
	for i := range archive.Files {
		f := &archive.Files[i]
		mistake, file, _ := strings.Cut(f.Name, "/")
		if file == "findings" {
			require.Nil(t, wants[mistake], mistake)
			wants[mistake] = f
			continue
		}
		path := filepath.Join(root, mistake, filepath.FromSlash(unescaped(file)))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		_, err := os.Stat(path)
		if err != nil {
			err = os.WriteFile(path, []byte(unescaped(strings.ReplaceAll(string(f.Data), "\r\n", "\n"))), 0o600)
		} else {
			err = fs.ErrExist // two names, and one file
		}
		if err != nil {
			require.NotEqual(t, "linux", runtime.GOOS, "%s: %v", f.Name, err)
			skipped[mistake] = true
		}
	}
	for mistake, want := range wants {
		if skipped[mistake] {
			continue
		}
		var out, errOut bytes.Buffer
		_ = run(t.Context(), []string{"check", "--format", "json", filepath.Join(root, mistake)}, nil, &out, &errOut)
		var found struct{ Findings []finding }
		require.NoError(t, json.Unmarshal(out.Bytes(), &found), errOut.String())
		var lines strings.Builder
		for _, f := range found.Findings {
			if f.Rule == "client" {
				continue
			}
			path := strings.TrimPrefix(strings.TrimPrefix(f.Path, filepath.ToSlash(filepath.Join(root, mistake))), "/")
			message := strings.ReplaceAll(withHint(f.Message, f.Hint), filepath.ToSlash(root)+"/", "")
			fmt.Fprintf(&lines, "%s\n", escaped(fmt.Sprintf("%s: %s: %s [%s]", placeOf(path, f.Line, f.Column), f.Level, message, f.Rule)))
		}
		if got := lines.String(); got == "" {
			assert.Regexp(t, `^silent: \S.*\n$`, string(want.Data), mistake)
		} else if os.Getenv("UPDATE_SCRIPTS") != "" && !strings.HasPrefix(string(want.Data), "silent") {
			want.Data = []byte(got)
		} else {
			assert.Equal(t, strings.ReplaceAll(string(want.Data), "\r\n", "\n"), got, mistake)
		}
	}
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o600))
	}
}

// escape is bytes that an archive, or an editor, would change.
var escape = regexp.MustCompile(`⟦([0-9a-f]+)⟧`)

func unescaped(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		b, _ := hex.DecodeString(strings.Trim(e, "⟦⟧"))
		return string(b)
	})
}

func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.In(r, unicode.C, unicode.M) {
			fmt.Fprintf(&b, "⟦%x⟧", string(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
