package portable

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each rule has its source, and the rules have a date.
func TestClientRules(t *testing.T) {
	t.Parallel()
	_, err := time.Parse(time.DateOnly, CheckedOn)
	assert.NoError(t, err)
	for _, r := range Rules {
		u, err := url.Parse(r.Source)
		assert.NoError(t, err)
		assert.Equal(t, "https", u.Scheme, "%v", r)
		assert.NotEmpty(t, r.Client)
		assert.NotEmpty(t, r.Effect)
	}
}

// docs/clients.md has the table of the rules.
func TestClientsPage(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	fmt.Fprintf(&table, "Observed on %s:\n\n| Client | Limit | Effect | Source |\n|---|---|---|---|\n", CheckedOn)
	for i := range Rules {
		r := &Rules[i]
		fmt.Fprintf(&table, "| %s | %s | %s | [source](%s) |\n", r.Client, r.Limit(), r.Effect, r.Source)
	}
	page, err := os.ReadFile("../../docs/clients.md")
	require.NoError(t, err)
	assert.Contains(t, strings.ReplaceAll(string(page), "\r\n", "\n"), table.String(), "write this table:\n%s", table.String())
}
