package migrating_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const guide = "../../../docs/migrating.md"

// sources is where the guide's code is from: the prompts, and the server that
// has a mount.
var sources = []string{
	"gosdk/gosdk.go", "mcpgo/mcpgo.go", "ours/ours.go",
	"mounting/gosdk.go", "mounting/mcpgo.go",
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// assertHas is assert.Contains without the whole text.
func assertHas(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("missing: %q", part)
	}
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// Each piece of Go code in the guide is one of a program that builds.
func TestGuideCode(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, file := range sources {
		code.WriteString(read(t, file))
	}
	blocks := goBlock.FindAllStringSubmatch(read(t, guide), -1)
	assert.Greater(t, len(blocks), 9)
	for _, block := range blocks {
		for piece := range strings.SplitSeq(block[1], "\n\n") {
			assertHas(t, code.String(), strings.TrimSuffix(piece, "\n"))
		}
	}
}

// What the guide says of the servers' answers is what they answer.
func TestGuideAnswers(t *testing.T) {
	t.Parallel()
	text := read(t, guide)
	for _, r := range requests {
		row := fmt.Sprintf("| %s | %s | %s | %s |", r.shows, cell(askGoSDK(t, r.request)), cell(askMCPGo(t, r.request)), cell(askOurs(t, r.request)))
		if r.inGuide {
			assertHas(t, text, row)
		}
	}
}

// cell is an answer as the guide's table has it: an error's code and message,
// the text of messages, the values of a completion.
func cell(answer string) string {
	var a struct {
		Error *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
		Result struct {
			Messages   []struct{ Content struct{ Text string } }
			Completion struct{ Values []string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return err.Error()
	}
	switch {
	case a.Error == nil && a.Result.Completion.Values != nil:
		return fmt.Sprintf("values `%s`", a.Result.Completion.Values)
	case a.Error == nil && strings.Contains(answer, "completion"):
		return "values `null`"
	case a.Error == nil:
		return "a result"
	}
	const longest = 70
	message := a.Error.Message
	if len(message) > longest {
		message = message[:longest] + "…"
	}
	data := ""
	if a.Error.Data != nil {
		data = ", `data`"
	}
	return fmt.Sprintf("%d `%s`%s", a.Error.Code, strings.ReplaceAll(message, "|", `\|`), data)
}

// The guide says how long each prompt is.
func TestGuideLengths(t *testing.T) {
	t.Parallel()
	text := read(t, guide)
	for name, parts := range map[string][][]string{
		"`code_review`":   {{"languages", "addCodeReview"}, {"languages", "addCodeReview"}, {"CodeReview", "codeReview"}},
		"`release_notes`": {{"versionPattern", "addReleaseNotes"}, {"versionPattern", "addReleaseNotes"}, {"ReleaseNotes", "releaseNotes"}},
		"`incident`":      {{"addIncident", "complete"}, {"addIncident", "completer", "CompletePromptArgument"}, {"Incident", "incident"}},
	} {
		row := "| " + name
		for i, file := range sources[:3] {
			row += fmt.Sprintf(" | %d", lines(t, file, parts[i]...))
		}
		assertHas(t, text, row+" |")
	}
}

// lines counts the lines of declarations, without their comments.
func lines(t *testing.T, file string, names ...string) int {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, 0)
	require.NoError(t, err)
	length := map[string]int{}
	for _, d := range parsed.Decls {
		name := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
		case *ast.GenDecl:
			switch spec := d.Specs[0].(type) {
			case *ast.TypeSpec:
				name = spec.Name.Name
			case *ast.ValueSpec:
				name = spec.Names[0].Name
			}
		}
		length[name] = files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1
	}
	n := 0
	for _, name := range names {
		require.Contains(t, length, name)
		n += length[name]
	}
	return n
}
