package hosts

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each host has a name of its own, and each limit its day and its source. A host that was
// run has the version and the name of its client.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	sized := 0
	for _, h := range Table {
		_, err := time.Parse(time.DateOnly, h.Seen)
		assert.NoError(t, err, h.Name)
		assert.Equal(t, h.Version != "", len(h.Clients) > 0, h.Name)
		for _, name := range append(slices.Clone(h.Clients), h.Name+"\x00") {
			assert.False(t, seen[name], "%q is there twice", name)
			seen[name] = true
		}
		assert.NotEmpty(t, h.Limits, h.Name)
		for _, l := range h.Limits {
			u, err := url.Parse(l.Source)
			assert.NoError(t, err)
			assert.Equal(t, "https", u.Scheme, "%v", l)
			assert.NotEmpty(t, l.Effect)
			assert.Contains(t, Limits, l.Kind)
			if l.Kind == ToolBytes {
				assert.Positive(t, ToolBytesOf[h.Name], h.Name)
				sized++
			}
			assert.False(t, strings.HasPrefix(l.Source, runs) && h.Version == "", "%s was not run", h.Name)
		}
	}
	assert.Len(t, ToolBytesOf, sized)
	assert.True(t, slices.IsSortedFunc(Table, func(a, b Host) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }))
}

// A client is known by its name, or by the beginning of its name.
func TestTraits(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]Traits{
		"opencode": SendsPlaceholders | ReadsTexts | ReadsOneMessage | ExpandsTexts | HidesErrors, "kilo": SendsPlaceholders | ExpandsTexts | HidesErrors, "opencode2": 0, "": 0, "claude-code": 0,
		"qwen-cli-mcp-client-review": ReadsTexts | ReadsOneMessage, "qwen-cli-mcp-client": 0, "@cline/core": ReadsNoToolAudio | ReadsNoToolLinks, "pi-mcp-review": ReadsTexts | ReadsOneMessage, "kimi-code": ReadsNoToolLinks | JoinsTexts, "crush": ReadsTexts | ReadsOneMessage | NeedsTools | SendsEmptyFields, Prober: SendsPlaceholders, "copilot-cli": ReadsNoToolAudio | ReadsNoToolLinks | JoinsTexts,
	} {
		for _, trait := range []Traits{SendsPlaceholders, ReadsTexts, ReadsOneMessage, ReadsNoToolAudio, ReadsNoToolLinks, JoinsTexts, ExpandsTexts, NeedsTools, SendsEmptyFields, HidesErrors} {
			assert.Equal(t, want&trait != 0, Find(client).Has(trait), "%s %d", client, trait)
		}
	}
	assert.Equal(t, "Qwen Code", Find("qwen-cli-mcp-client-review").Host)
	for value, want := range map[string]bool{"$1": true, "$12": true, "$ARGUMENTS": true, "$": false, "$0": false, "$1 ": false, "$01": false, "a$1": false, "$1a": false, "$12345": false, "": false} {
		assert.Equal(t, want, IsPlaceholder(value), value)
	}
}

// docs/clients.md has the table.
func TestClientsPage(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| Client | Version | Seen | Limit | Effect | Source |\n|---|---|---|---|---|---|\n")
	for _, h := range Table {
		for _, l := range h.Limits {
			source := "source"
			if strings.HasPrefix(l.Source, runs) {
				source = "run"
			}
			fmt.Fprintf(&table, "| %s | %s | %s | %s | %s | [%s](%s) |\n", h.Name, h.Version, h.Seen, Limits[l.Kind], l.Effect, source, l.Source)
		}
	}
	page, err := os.ReadFile("../../docs/clients.md")
	require.NoError(t, err)
	if !assert.Contains(t, strings.ReplaceAll(string(page), "\r\n", "\n"), table.String()) {
		t.Logf("write this table:\n%s", table.String())
	}
}

// The section "Limits" of each page of a host has the limits of the table, and no others.
func TestLimitsOfPages(t *testing.T) {
	t.Parallel()
	words := map[Kind]string{
		NoPrompts: "menu has no prompts", OneWordValues: "ends at the first space", Placeholders: "sends `$1`", NoDefaults: "default is lost",
		OneMessage: "Only the first message", UserOnly: "one text of the user", OnePage: "nly the first page", JoinedTexts: "joined without a separator",
		StructuredOnly: "`structuredContent`", Dollars: "`$ARGUMENTS`", Commands: "!`date`", NamedOptional: "optional argument without its name",
		PlainNames: "no ASCII letter", HiddenErrors: "sees no error", ToolBytes: "of more than", OwnNames: "name of a command or skill",
	}
	pages := map[string]string{
		"Claude Code": "claude-code", "Cline": "cline", "Codex": "codex", "Continue CLI": "continue", "Copilot CLI": "copilot",
		"Gemini CLI": "gemini", "opencode": "opencode", "pi": "pi", "Qwen Code": "qwen",
	}
	files, err := filepath.Glob("../../docs/clients/*.md")
	require.NoError(t, err)
	assert.Len(t, files, len(pages), "pages without a row")
	checked := regexp.MustCompile("`prompts check --client ([^`]+)`")
	size := regexp.MustCompile(`keeps ([\d,]+) (kB|characters)`)
	for _, h := range Table {
		if pages[h.Name] == "" {
			continue
		}
		page, err := os.ReadFile("../../docs/clients/" + pages[h.Name] + ".md")
		require.NoError(t, err)
		assert.Contains(t, string(page), "Run with "+h.Name+" "+h.Version+" ")
		for _, name := range checked.FindAllStringSubmatch(string(page), -1) {
			assert.Equal(t, h.Name, strings.Trim(name[1], `"`), "the client of prompts check")
		}
		_, limits, found := strings.Cut(string(page), "\n## Limits\n")
		require.True(t, found, h.Name)
		delete(pages, h.Name)
		has := map[Kind]string{}
		for _, l := range h.Limits {
			has[l.Kind] = l.Effect
		}
		for kind, text := range words {
			assert.Equal(t, has[kind] != "", strings.Contains(limits, text), "%s: %s", h.Name, Limits[kind])
		}
		if effect := has[ToolBytes]; effect != "" {
			m := size.FindStringSubmatch(effect)
			require.NotNil(t, m, effect)
			assert.Contains(t, limits, "of more than "+m[1]+" "+m[2], h.Name)
			n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
			require.NoError(t, err)
			if m[2] == "kB" {
				n *= 1000
			}
			assert.Equal(t, n, ToolBytesOf[h.Name], h.Name)
		}
	}
	assert.Empty(t, pages)
}
