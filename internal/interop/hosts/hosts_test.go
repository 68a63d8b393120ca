//go:build unix

package hosts_test

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var (
	all    = flag.Bool("all", false, "run all cases of all hosts, over standard input and output and over HTTP")
	update = flag.Bool("update", false, "write what happens to testdata")
)

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(builtIn)
	os.Exit(code)
}

// TestHosts runs the hosts that need no terminal.
func TestHosts(t *testing.T) {
	t.Parallel()
	run := hosts
	if *all {
		run = slices.Concat(hosts, more)
	}
	for _, h := range run {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			g := readGolden(t, h.name)
			names := runCases(t, g, h, false)
			if *all && h.setup == nil {
				names = append(names, runCases(t, g, h, true)...)
			}
			if *update {
				g.write(t, names)
			}
			for _, name := range g.names {
				isOld := *all && !strings.HasSuffix(name, "terminal") && !slices.Contains(names, name)
				assert.False(t, isOld, "%s: no case makes the section %q; delete the section", g.path, name)
			}
		})
	}
}

// TestGeminiConnects checks that Gemini CLI, whose list of servers needs no terminal,
// connects to the server that "prompts install" has added.
func TestGeminiConnects(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, gemini, serverOptions{}, false)
	assert.Contains(t, s.run("mcp", "list"), "✓ "+serverName+": ")
}

// runCases runs the cases of a host over one transport, and returns the names of their
// sections.
func runCases(t *testing.T, g *golden, h *host, overHTTP bool) (names []string) {
	transport := "stdio"
	if overHTTP {
		transport = "HTTP"
	}
	ownMode := ""
	if h.noPrompts {
		ownMode = "each"
	}
	for _, mode := range []string{"", "each", "pair"} {
		var s *sandbox // for all cases of a mode: hosts prepare a new home for seconds
		for _, c := range cases {
			if cmp.Or(c.mode, ownMode) != mode || !c.inCI && !*all {
				continue
			}
			start := ""
			if s == nil {
				s = newSandbox(t, h, serverOptions{Tools: mode}, overHTTP)
				if mode == ownMode {
					start = "start, " + transport
				}
			}
			name := c.name + ", " + transport
			t.Run(name, func(t *testing.T) {
				s.t = t
				s.reset(s.holdFor(&c))
				args := h.say(&c)
				output := s.run(args...)
				traffic := s.traffic()
				if start != "" {
					names = append(names, start)
					g.check(t, start, h.title+" "+version(t, h.folder, h.npm)+"\n"+opening(traffic))
				}
				names = append(names, name)
				g.check(t, name, "user typed:\n"+indented(typed(h, args))+
					"server got:\n"+use(traffic)+"model got:\n"+s.seen()+"user saw:\n"+indented(s.normal(output)))
			})
		}
	}
	return names
}

// typed returns the command of the user.
func typed(h *host, args []string) string {
	words := []string{cmp.Or(h.command, h.name)}
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \"{") {
			a = "'" + a + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// holdFor returns what the model waits for before it answers. If a list changes, the
// model waits until the host has fetched the list again: a host without a terminal ends
// after the answer. A host that does not fetch again gets a second to do so.
func (s *sandbox) holdFor(c *testCase) func() {
	if c.name != changing {
		return nil
	}
	patience := time.Second
	if s.host.listsAgain {
		patience = hostTimeout / 2
	}
	return func() {
		for end := time.Now().Add(patience); time.Now().Before(end) && !strings.Contains(use(s.traffic()), "after list_changed"); {
			if !strings.Contains(use(s.traffic()), "/") {
				return // nothing was called yet
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
