//go:build unix

package hosts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/hosts/model"
	"github.com/mcp-prompts/prompts/internal/interop/hosts/terminal"
)

// How long a terminal may take.
const (
	startTimeout = hostTimeout
	rest         = 600 * time.Millisecond // a screen that stays the same for so long is complete
	answerWait   = 8 * time.Second
)

// pictures is the folder of the documentation's pictures.
const pictures = "../../../docs/images/clients"

// TestTerminals runs the hosts in a terminal, one after the other: they need the machine
// for themselves.
func TestTerminals(t *testing.T) {
	if !*all {
		t.Log("without -all, no host is run in a terminal")
		return
	}
	for _, h := range append(slices.Clone(hosts), gemini, qwen) {
		t.Run(h.name, func(t *testing.T) {
			g := readGolden(t, h.name)
			names := slices.Clone(g.names)
			mode := ""
			if h.noPrompts {
				mode = "each"
			}
			s := newSandbox(t, h, serverOptions{Tools: mode}, false)
			user := s.startTerminal()
			note := func(name, text string) {
				name += ", terminal"
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
				g.check(t, name, text)
			}
			note("start", h.title+" "+version(t, h.folder, h.npm)+"\n"+opening(s.traffic())+use(s.traffic()))
			if !h.noPrompts {
				note("menu", user.menu(h.screen.menu+"two"))
				note("arguments", user.menu(h.screen.prefix+"two "))
			}
			for _, c := range cases {
				if c.mode != "" || !h.screen.all && c.name != "two arguments" && c.name != "question" && c.name != changing {
					continue
				}
				note(c.name, user.use(&c))
			}
			if !h.noPrompts {
				note("menu after list_changed", user.menu(h.screen.menu+"new1"))
			}
			if *update {
				g.write(t, names)
			}
		})
	}
}

// TestPictures draws the hosts with the starter prompts for the documentation.
func TestPictures(t *testing.T) {
	if !*all || !*update {
		t.Log("without -all and -update, no pictures are drawn")
		return
	}
	for _, h := range append(slices.Clone(hosts), gemini, qwen) {
		t.Run(h.name, func(t *testing.T) {
			mode := ""
			if h.noPrompts {
				mode = "each"
			}
			o := serverOptions{Tools: mode, Source: "../../../examples/files/prompts", Only: true}
			user := newSandbox(t, h, o, false).startTerminal()
			for _, p := range h.screen.pictures {
				name, typed := p[0], p[1]
				words, isSubmitted := strings.CutSuffix(typed, "\n")
				before := user.settled()
				user.typeText(words)
				user.changed(before)
				if isSubmitted {
					user.press(h.screen.submit...)
					user.answered(before)
				}
				user.draw(name)
				user.clear()
			}
		})
	}
}

// user is a person at a terminal.
type user struct {
	*sandbox
	tty   *terminal.Terminal
	start string // the first screen
}

// startTerminal starts the host in a terminal, and answers its first questions.
func (s *sandbox) startTerminal() *user {
	t := s.t
	tty, err := terminal.Start(s.dir, s.work, s.env, append(slices.Clone(s.program), s.host.screen.args...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tty.Close() })
	ready := regexp.MustCompile(s.host.screen.ready)
	confirmed := map[string]bool{}
	require.NoError(t, tty.Wait(startTimeout, func(screen string) bool {
		for question, keys := range s.host.screen.confirm {
			if strings.Contains(screen, question) && !confirmed[question] {
				confirmed[question] = true
				require.NoError(t, tty.Press(keys...))
				return false
			}
		}
		return ready.MatchString(screen)
	}), s.host.title)
	u := &user{sandbox: s, tty: tty}
	// The host connects to the server after it has drawn its screen.
	require.NoError(t, tty.Wait(startTimeout, func(string) bool {
		return strings.Contains(opening(s.traffic()), "s/list")
	}))
	u.start = u.settled()
	return u
}

// settled returns the screen when it has come to rest.
func (u *user) settled() string {
	u.t.Helper()
	screen, err := u.tty.Settle(rest, answerWait)
	require.NoError(u.t, err)
	return screen
}

func (u *user) typeText(text string) {
	u.t.Helper()
	require.NoError(u.t, u.tty.Type(text))
}

// press presses keys, one after the other: Escape and Enter at once would be one key.
func (u *user) press(keys ...string) {
	u.t.Helper()
	for _, key := range keys {
		require.NoError(u.t, u.tty.Press(key))
		u.settled()
	}
}

// menu types the beginning of a command, and returns what appears.
func (u *user) menu(text string) string {
	u.t.Helper()
	before := u.settled()
	u.typeText(text)
	after := u.changed(before)
	u.clear()
	return "user typed:\n" + indented(text) + "user saw:\n" + u.appeared(before, after, "")
}

// clear empties the line that the user types.
func (u *user) clear() {
	u.t.Helper()
	u.press("Escape", "C-u")
}

// use types a prompt and its arguments, or what calls its tool, and returns what happens.
func (u *user) use(c *testCase) string {
	u.t.Helper()
	before := u.settled()
	u.reset(nil)
	screen := u.host.screen
	name := c.prompt
	if screen.plainNames {
		name = notPlain.ReplaceAllString(name, "_")
	}
	text := c.line(screen.prefix+name) + screen.suffix
	if u.host.noPrompts {
		text = c.call("")
	}
	u.typeText(text)
	u.changed(before)
	u.press(screen.submit...)
	after := u.answered(before)
	saw := u.appeared(before, after, text)
	if c.name == "question" && screen.answer != nil {
		for _, key := range screen.answer {
			if words, isText := strings.CutPrefix(key, "="); isText {
				u.typeText(words)
			} else {
				u.press(key)
			}
			u.settled()
		}
		saw += "user typed:\n" + indented(strings.Join(screen.answer, ", ")) + "user saw:\n" + u.appeared(after, u.answered(after), "")
	}
	out := "user typed:\n" + indented(text) + "server got:\n" + use(u.traffic()) + "model got:\n" + u.seen() + "user saw:\n" + saw
	u.clear()
	return out
}

// changed waits until the screen differs from before and has come to rest.
func (u *user) changed(before string) string {
	u.t.Helper()
	_ = u.tty.Wait(answerWait, func(screen string) bool { return screen != before })
	return u.settled()
}

// answered waits until the user sees another answer of the model, or a while, because not
// every case reaches the model. It returns the screen.
func (u *user) answered(before string) string {
	u.t.Helper()
	_ = u.tty.Wait(answerWait, func(screen string) bool {
		return strings.Count(screen, model.Answer) > strings.Count(before, model.Answer)
	})
	return u.settled()
}

// decoration is what hosts draw around texts.
var decoration = regexp.MustCompile(`[─│┃╭╮╰╯▀▄▔▁╹▐▝▘▛▜█▌⬝▣■]+`)

// appeared returns the lines from the typed text on, without those of the first screen.
// If the typed text is not on the screen, it returns the lines that were not there before.
func (u *user) appeared(before, after, typed string) string {
	plain := func(line string) string { return strings.TrimSpace(decoration.ReplaceAllString(line, "")) }
	if at := strings.LastIndex(after, strings.TrimSpace(typed)); typed != "" && at >= 0 {
		after = after[strings.LastIndex(after[:at], "\n")+1:]
		before = u.start
	}
	old := map[string]int{}
	for line := range strings.Lines(before) {
		old[plain(line)]++
	}
	var lines []string
	for line := range strings.Lines(after) {
		key := plain(line)
		if old[key] > 0 {
			old[key]--
			continue
		}
		if key == "" || u.host.screen.noise != nil && u.host.screen.noise.MatchString(key) {
			continue
		}
		lines = append(lines, key)
	}
	return indented(u.normal(strings.Join(lines, "\n")))
}

// draw draws the screen for the documentation.
func (u *user) draw(name string) {
	colored, err := u.tty.Colored()
	require.NoError(u.t, err)
	colored = strings.ReplaceAll(colored, u.home, "~")
	require.NotContains(u.t, colored, u.dir, "path of the machine")
	require.NoError(u.t, os.MkdirAll(pictures, 0o755))
	for _, theme := range []*terminal.Theme{&terminal.Dark, &terminal.Light} {
		path := filepath.Join(pictures, u.host.name+"-"+name+"-"+theme.Name+".svg")
		require.NoError(u.t, os.WriteFile(path, []byte(theme.SVG(colored, u.host.title+" with the prompts of a server")), 0o644))
	}
}
