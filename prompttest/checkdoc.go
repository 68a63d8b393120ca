package prompttest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/regular"
)

const (
	docBegin = "<!-- prompts -->"
	docEnd   = "<!-- end of prompts -->"
)

// CheckDoc checks that a Markdown file contains the current table of the registry's
// prompts, as from [prompts.MarkdownTable], between two lines:
//
//	<!-- prompts -->
//	<!-- end of prompts -->
//
// With -update it writes the table. The rest of the file is unchanged.
func CheckDoc(t testing.TB, reg *prompts.Registry, path string) {
	t.Helper()
	notNil(t, "registry", reg)
	raw, err := regular.ReadFile(context.Background(), path, maxFileBytes)
	if err != nil {
		t.Errorf("prompttest: %v", err)
		return
	}
	before, has, after, err := cutTable(string(raw))
	if err != nil {
		t.Errorf("prompttest: %s: %v", path, err)
		return
	}
	has, table := strings.ReplaceAll(has, "\r\n", "\n"), prompts.MarkdownTable(reg)
	switch {
	case has == table:
	case Updating():
		text := table
		if strings.HasSuffix(before, "\r\n") {
			text = strings.ReplaceAll(table, "\n", "\r\n")
		}
		if err := os.WriteFile(path, []byte(before+text+after), 0o644); err != nil {
			t.Errorf("prompttest: %v", err)
		}
	default:
		t.Errorf("prompttest: table of prompts in %s differs from the registry (- file, + registry)\n%sTo update the table, run:\n\t%s",
			path, difference(has, table, strings.Count(before, "\n")), updateCommand(t))
	}
}

// cutTable returns the table in a document, and what is before and after it, the marks included.
func cutTable(text string) (before, table, after string, err error) {
	begin, end := -1, -1 // behind the first mark, and before the second
	at := 0
	for line := range strings.Lines(text) {
		switch strings.TrimSpace(line) {
		case docBegin:
			if begin >= 0 {
				return "", "", "", fmt.Errorf("duplicate line %s; remove one", docBegin)
			}
			begin = at + len(line)
		case docEnd:
			if end >= 0 {
				return "", "", "", fmt.Errorf("duplicate line %s; remove one", docEnd)
			}
			end = at
		}
		at += len(line)
	}
	switch {
	case begin < 0 || end < 0:
		return "", "", "", fmt.Errorf("lines around the table of prompts are missing; add them, and run the test with -update:\n\t%s\n\t%s", docBegin, docEnd)
	case end < begin:
		return "", "", "", fmt.Errorf("line %s must come after the line %s", docEnd, docBegin)
	}
	return text[:begin], text[begin:end], text[end:], nil
}
