//go:build unix

package hosts_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	all    = flag.Bool("all", false, "run all cases of all hosts, over standard input and output and over HTTP")
	update = flag.Bool("update", false, "write what happens to testdata")
	note   = flag.Bool("note", false, "count in testdata how many runs agree")
	only   = flag.String("case", "", "with -all, run only the cases whose names match this regular expression")
)

func TestMain(m *testing.M) {
	code := m.Run()
	if *all && *update { // the table sums up what the tests have written
		if out, err := exec.Command(os.Args[0], "-test.run=^TestTable$", "-update").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "TestTable: %v\n%s", err, out)
			code = max(code, 1)
		}
	}
	_ = os.RemoveAll(builtIn)
	os.Exit(code)
}

// TestHosts runs the hosts that need no terminal.
func TestHosts(t *testing.T) {
	t.Parallel()
	run := hosts
	if *all {
		run = slices.DeleteFunc(slices.Concat(hosts, more), func(h *host) bool { return h.say == nil })
	}
	for _, h := range run {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			g := readGolden(t, h.name)
			g.maySkip = h.maySkip
			defer g.write(t) // what there is, after a failure, too
			var names []string
			t.Run("cases", func(t *testing.T) { // ends when all of them have ended
				for _, overHTTP := range []bool{false, true} {
					for _, mode := range modes {
						if *all || !overHTTP {
							names = append(names, runCases(t, g, h, overHTTP, mode)...)
						}
					}
				}
			})
			g.retire(t, names, false)
		})
	}
}

// TestGeminiConnects checks that Gemini CLI, whose list of servers needs no terminal,
// connects to the server that "prompts install" has added.
func TestGeminiConnects(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, gemini, serverOptions{}, false)
	// Whether it calls the server connected depends on the time that the server takes.
	assert.Contains(t, s.run("mcp", "list"), serverName+": ")
	assert.Contains(t, opening(s.traffic()), "\tinitialize {")
}

// TestKilo records what Kilo sends. Without an account, Kilo does not get as far as the
// model, and is ended.
func TestKilo(t *testing.T) {
	t.Parallel()
	if !*all {
		t.Log("without -all, Kilo is not run")
		return
	}
	g := readGolden(t, kilo.name)
	defer g.write(t)
	s := newSandbox(t, kilo, serverOptions{}, false)
	for _, name := range []string{"two arguments", "enum compared", "number"} {
		c := &cases[slices.IndexFunc(cases, func(c testCase) bool { return c.name == name })]
		args := kilo.say(c)
		s.reset(nil)
		host := exec.Command(s.program[0], args...)
		host.Dir, host.Env = s.work, s.env
		require.NoError(t, host.Start())
		for end := time.Now().Add(patience(hostTimeout)); answers(s.traffic()) == "" && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		_ = host.Process.Kill()
		_ = host.Wait()
		traffic := s.traffic()
		require.NotEmpty(t, answers(traffic), "Kilo gets no prompt")
		if name == "two arguments" {
			g.check(t, "start, stdio", kilo.title+" "+version(t, kilo)+"\n"+opening(traffic))
		}
		g.check(t, name+", stdio", "user typed:\n"+indented(typed(kilo, args))+"server got:\n"+use(traffic)+"server answered:\n"+answers(traffic))
	}
}

// runCases runs the cases of a host over one transport in one mode, beside the others, and
// returns the names of their sections.
func runCases(t *testing.T, g *golden, h *host, overHTTP bool, mode string) (names []string) {
	transport := "stdio"
	if overHTTP {
		transport = "HTTP"
	}
	run := h.cases(mode)
	if !*all {
		run = slices.DeleteFunc(run, func(c testCase) bool { return !c.inCI })
	}
	if len(run) == 0 {
		return nil
	}
	start := ""
	if mode == "" {
		start = "start, " + transport
		names = append(names, start)
	}
	for _, c := range run {
		names = append(names, c.name+", "+transport)
	}
	t.Run(strings.TrimRight(transport+" "+mode, " "), func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t, h, h.options(mode), overHTTP) // for all cases: hosts prepare a new home for seconds
		defer s.close()
		for _, c := range run {
			name := c.name + ", " + transport
			hasEnded := true
			t.Run(name, func(t *testing.T) {
				s.t = t
				args := h.say(&c)
				command := append(slices.Clone(s.program), args...)
				s.reset(s.holdFor(&c))
				output, err := runFor(t.Context(), patience(hostTimeout), s.work, s.env, command...)
				hasEnded = err == nil
				require.NoError(t, err)
				traffic := s.traffic()
				if start != "" {
					g.check(t, start, h.title+" "+version(t, h)+"\n"+opening(traffic))
					start = ""
				}
				g.check(t, name, "user typed:\n"+indented(typed(h, args))+
					s.got(&c, traffic)+"model got:\n"+s.seen()+"user saw:\n"+indented(s.normal(numbered.ReplaceAllString(output, "LINES\n"))))
			})
			if !hasEnded {
				t.Fatalf("%s does not answer; the cases after %q are left out", h.title, name)
			}
		}
	})
	return names
}

// modes are what a server has for a host, see [host.options].
var modes = []string{"", "each", "pair", "pieces", "skills", "pages"}

// options returns the options of the server in a mode: without one, tools if the host has
// no prompts; tools of each prompt, or the pair, or the pair and a prompt in pieces; skills; or
// 300 prompts more.
func (h *host) options(mode string) serverOptions {
	o := serverOptions{}
	if h.noPrompts {
		o.Tools = "each"
	}
	switch mode {
	case "each", "pair":
		o.Tools = mode
	case "pieces":
		o.Tools, o.Pieces = "pair", true
	case "skills":
		o.Skills = "fixture/skills"
	case "pages":
		o.Pages = 300
	}
	return o
}

// cases returns the cases of a mode. A host without prompts has called the tool of each
// prompt already.
func (h *host) cases(mode string) (of []testCase) {
	wanted := regexp.MustCompile(*only)
	for _, c := range cases {
		if !wanted.MatchString(c.name) || c.mode != mode || mode == "each" && h.noPrompts {
			continue
		}
		if c.name == skill {
			c.ownTool = h.readSkill
		}
		of = append(of, c)
	}
	return of
}

// got returns what the server got, and for the skill what it got from the start of the
// host, and the tools for resources that the host has.
func (s *sandbox) got(c *testCase, traffic []message) string {
	if c.name != skill {
		return "server got:\n" + use(traffic)
	}
	return opening(traffic) + use(traffic) + "tools of the host for resources:\n" + indented(strings.Join(s.resourceTools(), "\n"))
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
	limit := time.Second
	if s.host.maySkip != "" {
		limit = 5 * time.Second
	}
	return func() {
		for end := time.Now().Add(patience(limit)); time.Now().Before(end) && !strings.Contains(use(s.traffic()), "after list_changed"); {
			if !strings.Contains(use(s.traffic()), "/") {
				return // nothing was called yet
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
