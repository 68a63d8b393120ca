package prompts_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest"
)

// The program of the README builds in a module of its own, and answers as the
// README says.
func TestReadmeProgram(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	server := buildReadmeProgram(ctx, t)

	const session = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"prompts/list"}
{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"code_review","arguments":{"code":"x := 1","language":"go"}}}
{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"code_review","arguments":{"language":"cobol"}}}
`
	want := []string{
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"completions":{},"prompts":{"listChanged":true}},"serverInfo":{"name":"review","version":"1.0.0"}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"prompts":[{"name":"code_review","title":"Code review","description":"Reviews code for bugs and style","arguments":[{"name":"code","description":"the code to review","required":true},{"name":"language","description":"its programming language (one of: go, python, rust)"}]}]}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Please review this code:\\n```go\\nx := 1\\n```\"}}]}}",
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"invalid arguments for prompt \"code_review\": code is required; language must be one of go, python, rust, got \"cobol\"","data":{"prompt":"code_review","problems":[{"argument":"code","reason":"missing","message":"is required"},{"argument":"language","reason":"enum","message":"must be one of go, python, rust, got \"cobol\"","allowed":["go","python","rust"]}]}}}`,
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, server)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(session), &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
	got := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	slices.Sort(got) // requests run concurrently, so their answers come in any order
	assert.Equal(t, want, got)
	assert.Empty(t, stderr.String(), "an error of the client is not logged")

	// The request of the quick start gets the response below it.
	quick := quickStart.FindStringSubmatch(servertest.ReadText(t, "README.md"))
	require.NotNil(t, quick, "the request and the response of the quick start")
	cmd = exec.CommandContext(ctx, server)
	cmd.Stdin = strings.NewReader(quick[1] + "\n")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.JSONEq(t, quick[2], string(out))
}

// Every link of a page leads to a file of the repository, and to a heading of the file
// if the link names a heading.
func TestDocLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	more, err := filepath.Glob("docs/*/*.md")
	require.NoError(t, err)
	for _, page := range append(append(pages, more...), "README.md", "SECURITY.md", "CONTRIBUTING.md") {
		for _, link := range pageLink.FindAllStringSubmatch(plainBlock.ReplaceAllString(servertest.ReadText(t, page), ""), -1) {
			name, anchor, hasAnchor := strings.Cut(link[1], "#")
			target := filepath.Join(filepath.Dir(page), filepath.FromSlash(name))
			if name == "" {
				target = page
			}
			if _, err := os.Stat(target); !assert.NoError(t, err, "%s: %s", page, link[1]) || !hasAnchor {
				continue
			}
			assert.Contains(t, anchors(servertest.ReadText(t, target)), anchor, "%s: %s", page, link[1])
		}
	}
}

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(page string) (all []string) {
	for _, heading := range pageHeading.FindAllStringSubmatch(page, -1) {
		plain := notInAnchor.ReplaceAllString(strings.ToLower(heading[1]), "")
		all = append(all, strings.ReplaceAll(plain, " ", "-"))
	}
	return all
}

var (
	goBlock     = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	moduleLine  = regexp.MustCompile(`(?m)^module (\S+)$`)
	quickStart  = regexp.MustCompile("(?ms)^echo '([^']*)' \\| ./review$.*?^```json\n(.*?)^```$")
	pageLink    = regexp.MustCompile(`\]\(([^):\s]+)\)`)
	plainBlock  = regexp.MustCompile("(?ms)^```\\w*$.*?^```$")
	pageHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// buildReadmeProgram builds the README's first Go program in a module of its own, as a
// user does, and returns its path. The dependencies are those of this module, so nothing
// is fetched. Module internal/interop compiles the other Go code of the pages.
func buildReadmeProgram(ctx context.Context, t *testing.T) string {
	t.Helper()
	program := goBlock.FindStringSubmatch(servertest.ReadText(t, "README.md"))
	require.NotNil(t, program)

	root, err := filepath.Abs(".")
	require.NoError(t, err)
	mod := servertest.ReadText(t, "go.mod")
	module := moduleLine.FindStringSubmatch(mod)
	require.NotNil(t, module, "the module line of go.mod")
	mod = moduleLine.ReplaceAllLiteralString(mod, "module review") +
		fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n", module[1], root)

	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": program[1], "go.mod": mod, "go.sum": servertest.ReadText(t, "go.sum")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	server := filepath.Join(dir, "review")
	if runtime.GOOS == "windows" {
		server += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-buildvcs=false", "-o", server, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return server
}
