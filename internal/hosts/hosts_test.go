package hosts

import (
	"fmt"
	"net/url"
	"os"
	"slices"
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
			assert.Equal(t, l.Kind == ToolBytes, l.Kind == ToolBytes && ToolBytesOf[h.Name] > 0, h.Name)
			assert.False(t, strings.HasPrefix(l.Source, runs) && h.Version == "", "%s was not run", h.Name)
		}
	}
	assert.True(t, slices.IsSortedFunc(Table, func(a, b Host) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }))
}

// A client is known by its name, or by the beginning of its name.
func TestTraits(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]Traits{
		"opencode": SendsPlaceholders | ReadsTexts | ReadsOneMessage | RunsCommands | HidesErrors, "kilo": SendsPlaceholders | RunsCommands | HidesErrors, "opencode2": 0, "": 0, "claude-code": 0,
		"qwen-cli-mcp-client-review": ReadsTexts | ReadsOneMessage, "qwen-cli-mcp-client": 0, "@cline/core": ReadsNoToolAudio, "crush": ReadsTexts | ReadsOneMessage | NeedsTools | SendsEmptyFields, Prober: SendsPlaceholders, "copilot-cli": ReadsNoToolAudio | JoinsTexts,
	} {
		for _, trait := range []Traits{SendsPlaceholders, ReadsTexts, ReadsOneMessage, ReadsNoToolAudio, JoinsTexts, RunsCommands, NeedsTools, SendsEmptyFields, HidesErrors} {
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
