package prompttest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/regular"
)

const maxFileBytes = 64 << 20

// Golden compares a result with the file at path, and fails the test at the first difference. With
// -update it writes the file. For each message, the file has a line with the role and the type of
// the content, followed by the text. Binary data is represented by length and hash.
//
// LF and CRLF are equal. Every other difference fails the test, including annotations and _meta.
func Golden(t testing.TB, path string, result *prompts.Result) {
	t.Helper()
	if result == nil {
		t.Errorf("prompttest: result to compare with %s must not be nil", path)
		return
	}
	got := golden.Format(result)
	if Updating() {
		if err := writeFile(path, got); err != nil {
			t.Errorf("prompttest: %v", err)
		}
		return
	}
	raw, err := regular.ReadFile(context.Background(), path, maxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("prompttest: golden file %s does not exist. To create the file, run:\n\t%s\nThe result is:\n%s", path, updateCommand(t), got)
		return
	case err != nil:
		t.Errorf("prompttest: %v", err)
		return
	}
	want := string(raw)
	if want != got && strings.ReplaceAll(want, "\r\n", "\n") != got {
		t.Errorf("prompttest: result differs from %s (- wanted, + got)\n%sIf the result is right, run:\n\t%s",
			path, difference(want, got, 0), updateCommand(t))
	}
}

// updateCommand returns the command that has this test write its files. It is
// quoted as all shells understand, those of Windows too.
func updateCommand(t testing.TB) string {
	root, _, _ := strings.Cut(t.Name(), "/")
	return `go test -run "^` + root + `$" -update`
}

// writeFile replaces a file at once: after an error, or if the test is killed, the file is
// what it was.
func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return regular.Replace(path, []byte(text), 0o644)
}

const (
	linesBefore    = 2 // that are shown before the first difference
	linesDifferent = 6 // that are shown of each side from there
)

// difference returns where two texts begin to differ, which come after so many lines of a file.
func difference(want, got string, before int) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	at := 0
	for at < min(len(a), len(b)) && withoutReturn(a[at]) == withoutReturn(b[at]) {
		at++
	}
	if at == min(len(a), len(b)) { // they differ in line ends alone
		for at = 0; a[at] == b[at]; at++ {
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "line %d:\n", before+at+1)
	for _, line := range a[max(0, at-linesBefore):at] {
		s.WriteString("    " + visible(line) + "\n")
	}
	a, b = a[at:], b[at:]
	for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] && a[len(a)-2] == b[len(b)-2] {
		a, b = a[:len(a)-1], b[:len(b)-1] // what is the same again, but for one line
	}
	side(&s, "  - ", a)
	side(&s, "  + ", b)
	return s.String()
}

func withoutReturn(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

func side(s *strings.Builder, mark string, lines []string) {
	for i, line := range lines {
		switch {
		case i == linesDifferent:
			fmt.Fprintf(s, "%s… (%d more lines)\n", mark, len(lines)-i)
			return
		case line != "" || len(lines) == 1: // else what follows the last line end
			s.WriteString(mark + visible(line) + "\n")
		}
	}
}

// visible returns a line without its end, with what cannot be seen escaped.
func visible(line string) string {
	line, ended := strings.CutSuffix(line, "\n")
	if line == "" && !ended {
		return "(the end)"
	}
	if strings.TrimRight(line, " \t") != line {
		line += " (with blanks at its end)"
	}
	var b strings.Builder
	for _, r := range line {
		if r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
