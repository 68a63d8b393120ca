package hosts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/hosts/terminal"
)

// TestFirstScreen draws the picture of README.md: a prompt file, and what Claude Code and its
// model make of it.
func TestFirstScreen(t *testing.T) {
	if !*all || !*update {
		t.Log("without -all and -update, no pictures are drawn")
		return
	}
	const (
		columns = 64
		source  = "fixture/first-screen"
	)
	user := newSandbox(t, hosts[0], serverOptions{Source: source, Only: true}, false).startTerminal(columns)
	file, err := os.ReadFile(source + "/code.md")
	require.NoError(t, err)
	var picture strings.Builder
	add := func(caption, text string) {
		picture.WriteString("\x1b[1;34m" + caption + "\x1b[0m\n\n" + strings.TrimRight(text, "\n") + "\x1b[0m\n\n")
	}
	add("1. Write "+serverName+"/code.md", string(file))

	// Tab completes the name.
	before := user.settled()
	user.typeText("/" + serverName + ":")
	user.changed(before)
	add("2. Claude Code lists the prompt", user.lines("(MCP)"))
	use := func(words string) {
		user.typeText(words)
		user.settled()
		user.press("Enter")
	}
	use("code\tmain.go bugs")
	user.answered(before, "")
	_, text, _ := strings.Cut(user.seen(), "\tuser: Review")
	add("3. The model gets the text", "Review"+text)
	use("/" + serverName + ":code\tmain.go bug")
	require.NoError(t, user.tty.Wait(patience(hostTimeout), func(screen string) bool { return strings.Contains(screen, "did you") }))
	user.settled()
	add("4. An invalid argument gets a suggestion", user.lines("main.go bug\x1b"))
	for _, theme := range []*terminal.Theme{&terminal.Dark, &terminal.Light} {
		path := filepath.Join(filepath.Dir(pictures), "first-screen-"+theme.Name+".svg")
		svg := theme.SVG(picture.String(), "A prompt file, its entry in the menu of Claude Code, the error of an invalid argument, and the text that the model gets", columns)
		require.NoError(t, os.WriteFile(path, []byte(svg), 0o644))
	}
}

// lines returns the lines of the screen from the first one that has a text to an empty one or
// a ruler, with their colors.
func (u *user) lines(text string) string {
	colored, err := u.tty.Colored()
	require.NoError(u.t, err)
	at := strings.Index(colored, text)
	require.GreaterOrEqual(u.t, at, 0, colored)
	rest := colored[strings.LastIndex(colored[:at], "\n")+1:]
	return rest[:regexp.MustCompile(`\n\s*\n|─{4}`).FindStringIndex(rest)[0]]
}
