//go:build unix

package hosts_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/hosts/terminal"
)

var earlier = flag.String("earlier", "", "with -all -update, the program prompts of an earlier commit, with which TestTenPrompts records what was before")

// tenPrompts are uses of the prompts in fixture/ten.
var tenPrompts = []testCase{
	{name: "free text", prompt: "ask", words: []string{"why", "is", "it", "slow"}, json: `{"question":"why is it slow"}`, want: []string{"ASK question=[why is it slow"}},
	{name: "optional free text", prompt: "note", words: []string{"fix", "the", "parser"}, json: `{"arguments":"fix the parser"}`, want: []string{"NOTE arguments=[fix the parser]"}},
	{name: "several arguments", prompt: "ticket", words: []string{"42", "make it fast"}, json: `{"ticket":"42","goal":"make it fast"}`, want: []string{"PLAN ticket=[42] goal=[make it fast] tone=[short] for $5"}},
	{name: "enum", prompt: "lang", words: []string{"go"}, json: `{"lang":"go"}`, want: []string{"LANG lang=[go]"}},
	{name: "enum compared", prompt: "compare", words: []string{"go"}, json: `{"lang":"go"}`, want: []string{"COMPARE GO"}},
	{name: "integer", prompt: "size", words: []string{"3"}, json: `{"size":3}`, want: []string{"SIZE size=[3]"}},
	{name: "list", prompt: "list", words: []string{"speed,tests"}, json: `{"topics":["speed","tests"]}`, want: []string{"LIST topic=[speed] topic=[tests]"}},
	{name: "partial", prompt: "rules", words: []string{"go"}, json: `{"lang":"go"}`, want: []string{"RULES PARTIAL lang=[go]"}},
	{name: "several roles", prompt: "roles", want: []string{"ROLE-USER-1", "ROLE-ASSISTANT-2", "ROLE-USER-3"}},
	{name: "image", prompt: "image", want: []string{"[100 characters]", "IMAGE-TEXT"}}, // of base64,
}

// inForm is a use of a prompt without its value. A host in a terminal shows a form for the value.
var inForm = testCase{name: "free text in a form", prompt: "ask", asks: true, want: []string{"ASK question=[my words]"}}

// ways are how a host gets the ten prompts.
var ways = []string{"MCP before", "MCP", "exported"}

// exporter is a host with prompts both from a server and from files.
type exporter struct {
	*host
	client string // in "prompts export"
	// command returns the arguments that use a file; nil if the host is used in a terminal.
	command func(c *testCase) []string
	form    string // on the screen when the host shows a form; empty for none
}

func exporters() []exporter {
	named := func(name string) *host {
		return hosts[slices.IndexFunc(hosts, func(h *host) bool { return h.name == name })]
	}
	return []exporter{
		{named("claude-code"), "claude", func(c *testCase) []string { return []string{"-p", c.line("/" + c.prompt)} }, "requests your input"},
		{named("opencode"), "opencode", func(c *testCase) []string {
			return append([]string{"run", "--command", c.prompt}, c.words...)
		}, ""},
		{gemini, "gemini", nil, ""},
		{named("codex"), "skills", func(c *testCase) []string {
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", c.line("$" + c.prompt)}
		}, ""},
	}
}

func readTen(t *testing.T) *golden {
	g := readGolden(t, "ten")
	for _, e := range exporters() {
		for _, way := range ways {
			for _, c := range append(tenPrompts, inForm) {
				g.order = append(g.order, c.section(e.host, way))
			}
		}
	}
	return g
}

func (c *testCase) section(h *host, way string) string { return c.name + ", " + h.title + ", " + way }

// TestTenPrompts records what a model gets of ten prompts, over MCP and as exported files.
func TestTenPrompts(t *testing.T) {
	t.Parallel()
	if !*all {
		t.Log("without -all, the ten prompts are not used")
		return
	}
	g := readTen(t)
	defer g.write(t)
	for _, e := range exporters() {
		t.Run(e.name, func(t *testing.T) {
			if *earlier != "" {
				e.useTen(t, g, ways[0], serverOptions{Program: *earlier})
				return
			}
			built, err := programs()
			require.NoError(t, err)
			e.useTen(t, g, ways[1], serverOptions{Program: filepath.Join(built, "prompts")})
			e.useTen(t, g, ways[2], serverOptions{Export: e.client})
			if e.form != "" {
				h, screen := *e.host, *e.screen
				screen.suffix = " " // closes the menu
				h.screen = &screen
				user := newSandbox(t, &h, serverOptions{Source: "fixture/ten", Program: filepath.Join(built, "prompts")}, false).startTerminal(terminal.Width)
				user.form = e.form
				g.check(t, inForm.section(e.host, ways[1]), user.use(&inForm)())
			}
		})
	}
}

// refusal matches a prompt that was not exported, and the reason.
var refusal = regexp.MustCompile(`(?m)^(\S+): refused\n +(.*)$`)

func (e exporter) useTen(t *testing.T, g *golden, way string, o serverOptions) {
	o.Source = "fixture/ten"
	s := newSandbox(t, e.host, o, false)
	defer s.close()
	say := e.say
	if o.Export != "" {
		say = e.command
	}
	refused := map[string]string{}
	for _, m := range refusal.FindAllStringSubmatch(s.exported, -1) {
		refused[m[1]] = m[2]
	}
	var user *user
	if e.say == nil {
		user = s.startTerminal(terminal.Width)
	}
	wanted := regexp.MustCompile(*only)
	for _, c := range tenPrompts {
		if !wanted.MatchString(c.name) {
			continue
		}
		typed := ""
		switch why := refused[c.prompt]; {
		case why != "":
			g.check(t, c.section(e.host, way), "prompts export printed:\n"+indented(why))
			continue
		case user != nil:
			user.use(&c)
			user.clear()
			typed = c.line(e.screen.prefix + c.prompt)
		default:
			args := say(&c)
			s.reset(nil)
			_, err := runFor(t.Context(), patience(hostTimeout), s.work, s.env, append(slices.Clone(s.program), args...)...)
			require.NoError(t, err)
			typed = args[len(args)-1]
		}
		g.check(t, c.section(e.host, way), "user typed:\n"+indented(typed)+"model got:\n"+s.seen())
	}
}

// TestTenTable checks that testdata/ten.md has what the recorded runs show. With -update it writes
// the table.
func TestTenTable(t *testing.T) {
	t.Parallel()
	g := readTen(t)
	var table strings.Builder
	table.WriteString("# What a model gets of ten prompts\n\n" +
		"`go test ./hosts -run TestTenTable -update` writes this page from [the recorded runs](ten.golden).\n" +
		"The prompts are in [fixture/ten](../fixture/ten). `yes`: the model gets all of the prompt with the values\n" +
		"of the user. `in words`: the model gets the prompt with `<name>`, and beside it what the user wrote.\n" +
		"Otherwise the cell has what the model gets, or why `prompts export` refuses the prompt.\n" +
		"`MCP before` is commit d4c15200, which had no export.\n")
	for _, e := range exporters() {
		fmt.Fprintf(&table, "\n## %s %s\n\n| Prompt | %s |\n|%s\n", e.title, wanted(t, e.folder, e.npm), strings.Join(ways, " | "), strings.Repeat("---|", len(ways)+1))
		for _, c := range append(tenPrompts, inForm) {
			if c.name == inForm.name && e.form == "" {
				continue
			}
			fmt.Fprintf(&table, "| %s |", c.name)
			for _, way := range ways {
				fmt.Fprintf(&table, " %s |", c.cell(g.sections[c.section(e.host, way)]))
			}
			table.WriteString("\n")
		}
	}
	path := filepath.Join("testdata", "ten.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(table.String()), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, table.String(), string(text), "run the test with -update")
}

// cell returns what a section says, in a few words.
func (c *testCase) cell(section string) string {
	if why, isRefused := strings.CutPrefix(section, "prompts export printed:\n"); isRefused {
		why, _, _ = strings.Cut(strings.TrimSpace(why), "; ")
		why, _, _ = strings.Cut(why, ", so the prompt")
		return "refused: " + why
	}
	_, got, _ := strings.Cut(section, "model got:\n")
	got, _, _ = strings.Cut(got, "user saw:\n")
	switch {
	case section == "":
		return "–"
	case strings.Contains(got, "The user writes after the command:"):
		return "in words"
	}
	if !slices.ContainsFunc(c.want, func(part string) bool { return !strings.Contains(got, part) }) {
		return "yes"
	}
	messages := strings.Split(strings.Join(strings.Fields(got), " "), "user: ")
	return "`" + strings.NewReplacer("|", `\|`, "`", "'").Replace(messages[len(messages)-1]) + "`"
}
