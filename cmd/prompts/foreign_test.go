package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// TestForeignFolderIsReportedOnce checks that the preview gets one error for all files of
// another program, and the other errors as they are.
func TestForeignFolderIsReportedOnce(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"---\nagent: agent\n---\nHi\n": {".: 3 files look like commands of VS Code: 0.prompt.md has the extension .prompt.md; run: prompts import vscode DIR NEW-FOLDER"},
		"---\nagent: agent\n---\n{{\n": {".: 3 files look like commands of VS Code: 0.prompt.md has the extension .prompt.md; run: prompts import vscode DIR NEW-FOLDER",
			"0.prompt.md:4: unclosed action; close the action with }}", "1.prompt.md:4: unclosed action; close the action with }}", "2.prompt.md:4: unclosed action; close the action with }}"},
	} {
		dir := t.TempDir()
		for n := range 3 {
			require.NoError(t, os.WriteFile(filepath.Join(dir, strconv.Itoa(n)+".prompt.md"), []byte(name), 0o600))
		}
		ctx, cancel := context.WithCancel(t.Context())
		var reports []promptfs.Report
		err := watchFolders(ctx, new(prompts.Registry), []string{dir}, nil, promptfs.Options{Logger: slog.New(slog.DiscardHandler)}, func(string) func(promptfs.Report) {
			return func(r promptfs.Report) { reports = append(reports, r) }
		})
		cancel()
		require.NoError(t, err)
		require.NotEmpty(t, reports)
		var got []string
		for _, err := range all(reports[len(reports)-1].Err) {
			got = append(got, err.Error())
		}
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "DIR", dir)
		}
		assert.Equal(t, want, got)
	}
}
