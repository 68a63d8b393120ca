//go:build unix

package hosts_test

import (
	"cmp"
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

// How long a terminal may take on a machine that is not busy.
const (
	rest      = 250 * time.Millisecond // a screen that stays the same for so long is complete
	restLimit = 3 * time.Second        // for a screen that never stays the same
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
	for _, h := range inTerminals() {
		t.Run(h.name, func(t *testing.T) {
			g := readGolden(t, h.name)
			g.maySkip = h.maySkip
			defer g.write(t) // what there is, after a failure, too
			var names []string
			for _, transport := range []string{"terminal", "HTTP terminal"} {
				for _, mode := range modes {
					names = append(names, runTerminal(t, g, h, mode, transport)...)
				}
			}
			g.retire(t, names, true)
		})
	}
}

// inTerminals returns the hosts that are run in a terminal.
func inTerminals() []*host {
	return slices.DeleteFunc(slices.Concat(hosts, []*host{gemini}, more), func(h *host) bool { return h.screen == nil })
}

// runTerminal runs the cases of a mode in a terminal, and returns the names of their
// sections. It starts no terminal if there is no case.
func runTerminal(t *testing.T, g *golden, h *host, mode, transport string) (names []string) {
	overHTTP := transport == "HTTP terminal"
	var run []testCase
	for _, c := range h.cases(mode) {
		if h.screen.all || mode == "" && !overHTTP && slices.Contains([]string{"two arguments", "question", changing}, c.name) {
			run = append(run, c)
		}
	}
	if len(run) == 0 {
		return nil
	}
	begin := func() *user { return newSandbox(t, h, h.options(mode), overHTTP).startTerminal(terminal.Width) }
	user := begin()
	defer func() { user.close() }()
	note := func(t *testing.T, name string, text func() string) {
		t.Helper()
		// A screen is complete if it has what the file has, or has not changed for a while.
		got := text()
		for same := 0; got != g.sections[name] && same < 6; same++ {
			time.Sleep(patience(rest))
			if now := text(); now != got {
				got, same = now, -1
			}
		}
		g.check(t, name, got)
	}
	// After a part that does not end, the host is started again.
	isFirst := true
	part := func(name string, do func() func() string) {
		name += ", " + transport
		names = append(names, name)
		hasEnded := false
		t.Run(name, func(t *testing.T) {
			user.t = t
			note(t, name, do())
			user.clear()
			hasEnded = true
		})
		if !hasEnded {
			isFirst = false
			user.close()
			user = begin()
		}
	}
	if mode == "" {
		names = append(names, "start, "+transport)
		note(t, "start, "+transport, func() string {
			traffic := user.traffic()
			return h.title + " " + version(t, h) + "\n" + opening(traffic) + use(traffic)
		})
	}
	if mode == "" && !h.noPrompts && *only == "" {
		part("menu", func() func() string { return user.menu(h.screen.menu + "two") })
		part("arguments", func() func() string { return user.menu(h.screen.prefix + "two ") })
	}
	for _, c := range run {
		part(c.name, func() func() string { return user.use(&c) })
	}
	if mode == "" && !h.noPrompts && *only == "" && isFirst {
		part("menu after list_changed", func() func() string { return user.menu(h.screen.menu + "new1") })
	}
	return names
}

// TestPictures draws the hosts with the starter prompts for the documentation.
func TestPictures(t *testing.T) {
	if !*all || !*update {
		t.Log("without -all and -update, no pictures are drawn")
		return
	}
	for _, h := range inTerminals() {
		t.Run(h.name, func(t *testing.T) {
			mode := ""
			if h.noPrompts {
				mode = "each"
			}
			o := serverOptions{Tools: mode, Source: "../../../examples/files/prompts", Only: true}
			user := newSandbox(t, h, o, false).startTerminal(terminal.Width)
			for _, p := range h.screen.pictures {
				name, typed := p[0], p[1]
				words, isSubmitted := strings.CutSuffix(typed, "\n")
				before := user.settled()
				user.typeText(words)
				user.changed(before)
				if isSubmitted {
					user.press(h.screen.submit...)
					user.answered(before, "")
					if user.asks(user.settled(), h.screen.allow) {
						user.press("Enter")
						user.gone(h.screen.allow)
						user.answered(before, "")
					}
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
	form  string // on the screen when a prompt asks the user
}

// startTerminal starts the host in a terminal, and answers its first questions.
func (s *sandbox) startTerminal(columns int) *user {
	t := s.t
	tty, err := terminal.Start(columns, s.dir, s.work, s.env, append(slices.Clone(s.program), s.host.screen.args...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tty.Close() })
	ready := regexp.MustCompile(s.host.screen.ready)
	confirmed := map[string]bool{}
	require.NoError(t, tty.Wait(patience(hostTimeout), func(screen string) bool {
		for question, keys := range s.host.screen.confirm {
			if strings.Contains(screen, question) && !confirmed[question] {
				confirmed[question] = true
				require.NoError(t, tty.Press(keys...))
				return false
			}
		}
		return ready.MatchString(screen)
	}), s.host.title)
	u := &user{sandbox: s, tty: tty, form: question}
	// The host connects to the server after it has drawn its screen.
	require.NoError(t, tty.Wait(patience(hostTimeout), func(string) bool {
		return s.exported != "" || strings.Contains(opening(s.traffic()), "s/list")
	}))
	u.start = u.settled()
	return u
}

// settled returns the screen when it has come to rest.
func (u *user) settled() string {
	u.t.Helper()
	screen, err := u.tty.Settle(patience(rest), patience(restLimit), func(screen string) string {
		var fixed strings.Builder
		for line := range strings.Lines(u.normal(moving.ReplaceAllString(screen, ""))) {
			if noise := u.host.screen.noise; noise == nil || !noise.MatchString(strings.TrimSpace(line)) {
				fixed.WriteString(line)
			}
		}
		return fixed.String()
	})
	require.NoError(u.t, err)
	return screen
}

// moving matches what turns while a host waits.
var moving = regexp.MustCompile(`[⠀-⣿✢✳✶✻✽]`)

// screen returns the screen as it is now.
func (u *user) screen() string {
	u.t.Helper()
	screen, err := u.tty.Screen()
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

// menu types the beginning of a command, and returns what tells what appears.
func (u *user) menu(text string) func() string {
	u.t.Helper()
	before := u.settled()
	u.typeText(text)
	u.changed(before)
	return func() string {
		return "user typed:\n" + indented(text) + "user saw:\n" + u.appeared(before, u.screen(), "")
	}
}

// clear empties the line that the user types, and the screen if its texts are counted.
func (u *user) clear() {
	u.t.Helper()
	u.press("Escape", "C-u")
	if again := u.host.screen.again; again != "" && u.outcomes(u.screen()) > 0 {
		u.typeText(again)
		u.press("Enter")
		require.NoError(u.t, u.tty.Wait(patience(hostTimeout), func(screen string) bool { return u.outcomes(screen) == 0 }), u.host.title)
		u.settled()
	}
}

// use types a prompt and its arguments, or what calls its tool, and returns what tells
// what happens.
func (u *user) use(c *testCase) func() string {
	u.t.Helper()
	before := u.settled()
	if c.name != skill { // of which the start of the host is a part
		u.reset(nil)
	}
	screen := u.host.screen
	name := c.prompt
	if screen.plainNames != nil {
		name = screen.plainNames.ReplaceAllString(name, "_")
	}
	text := c.line(screen.prefix+name) + screen.suffix
	if u.host.noPrompts || c.tool+c.ownTool != "" {
		text = c.call("")
		if via := u.host.callTool; via[0] != "" {
			text = c.callBy(via[0], via[1])
		}
	}
	u.typeText(text)
	u.changed(before)
	u.press(screen.submit...)
	typed, saw := text, ""
	answer := func(question string, keys ...string) {
		after := u.settled()
		saw += "user saw:\n" + u.appeared(before, after, text) + "user typed:\n" + indented(strings.Join(keys, ", "))
		for _, key := range keys {
			if words, isText := strings.CutPrefix(key, "="); isText {
				u.typeText(words)
				u.settled()
			} else {
				u.press(key)
			}
		}
		u.gone(question)
		before, text = after, ""
	}
	if u.asks(u.answered(before, text), screen.allow) {
		answer(screen.allow, "Enter")
		u.answered(before, text)
	}
	if c.asks && screen.answer != nil {
		answer(u.form, screen.answer...)
		u.answered(before, text)
	}
	return func() string {
		return "user typed:\n" + indented(typed) + u.got(c, u.traffic()) + "model got:\n" + u.seen() +
			saw + "user saw:\n" + u.appeared(before, u.screen(), text)
	}
}

// changed waits until the screen differs from before and has come to rest.
func (u *user) changed(before string) {
	u.t.Helper()
	require.NoError(u.t, u.tty.Wait(patience(hostTimeout), func(screen string) bool { return screen != before }), u.host.title)
	u.settled()
}

// gone waits until a question is no longer on the screen.
func (u *user) gone(question string) {
	u.t.Helper()
	require.NoError(u.t, u.tty.Wait(patience(hostTimeout), func(screen string) bool { return !strings.Contains(screen, question) }), u.host.title)
}

// question is what the prompt ask asks the user.
const question = "What context should be used?"

// asks reports whether a question is on the screen.
func (u *user) asks(screen, question string) bool {
	return question != "" && strings.Contains(screen, question)
}

// answered waits until the user sees another answer of the model, an error of the host or a
// question. It returns the screen.
func (u *user) answered(before, typed string) string {
	u.t.Helper()
	old := u.outcomes(before)
	require.NoError(u.t, u.tty.Wait(patience(hostTimeout), func(screen string) bool {
		most := old
		if at := strings.LastIndex(screen, strings.TrimSpace(typed)); typed != "" && at >= 0 {
			screen, most = screen[at:], 0 // what is before it may have left the screen
		}
		return u.outcomes(screen) > most || u.asks(screen, u.form) || u.asks(screen, u.host.screen.allow)
	}), u.host.title)
	return u.settled()
}

// outcomes returns how many answers of the model and errors of the host are on a screen.
func (u *user) outcomes(screen string) int {
	return strings.Count(screen, model.Answer) + strings.Count(screen, cmp.Or(u.host.screen.failed, "✕"))
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
		if key == "" || numbered.MatchString(key) || u.host.screen.noise != nil && u.host.screen.noise.MatchString(key) {
			continue
		}
		lines = append(lines, key)
	}
	if i := slices.Index(lines, u.host.screen.late); i >= 0 {
		lines = append(slices.Delete(lines, i, i+1), u.host.screen.late)
	}
	return indented(u.normal(strings.Join(lines, "\n")))
}

// draw draws the screen for the documentation.
func (u *user) draw(name string) {
	colored, err := u.tty.Colored()
	require.NoError(u.t, err)
	colored = strings.ReplaceAll(colored, u.home, "~")
	modules, err := filepath.Abs(u.host.folder)
	require.NoError(u.t, err)
	for _, path := range []string{u.dir, modules} {
		require.NotContains(u.t, colored, path, "path of the machine")
	}
	require.NoError(u.t, os.MkdirAll(pictures, 0o755))
	for _, theme := range []*terminal.Theme{&terminal.Dark, &terminal.Light} {
		path := filepath.Join(pictures, u.host.name+"-"+name+"-"+theme.Name+".svg")
		require.NoError(u.t, os.WriteFile(path, []byte(theme.SVG(colored, u.host.title+" with the prompts of a server", terminal.Width)), 0o644))
	}
}
