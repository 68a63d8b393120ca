package speccheck_test

import (
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
)

const (
	list   = `C> {"jsonrpc":"2.0","id":1,"method":"prompts/list"}`
	listed = `S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"a"}]}}`
)

func TestSession(t *testing.T) {
	t.Parallel()
	report := check(t, newChecker(t), speccheck.Options{},
		`# a comment`, ``,
		`C>q "\t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\"}\r\n"`, listed, listed, list,
		`---`, // another session
		listed,
	)
	assert.Equal(t, 3, report.Messages)
	require.Len(t, report.Errors, 2)
	assert.ErrorContains(t, report.Errors[0], "line 5: it is the result of nothing that was asked")
	assert.ErrorContains(t, report.Errors[1], "line 8: it is the result of nothing that was asked")
}

func TestClientIsNotJudged(t *testing.T) {
	t.Parallel()
	report := check(t, newChecker(t), speccheck.Options{},
		`C> {"jsonrpc":"2.0","id":7,"method":`,
		`S> {"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`,
		`C> {"jsonrpc":"1.0","id":8,"method":"prompts/list"}`,
		`S> {"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"m"}}`,
		`C> {"jsonrpc":"2.0","id":9,"method":"prompts/list","params":[]}`,
		`S> {"jsonrpc":"2.0","id":9,"result":{}}`,
	)
	assert.Equal(t, 3, report.Messages)
	require.Len(t, report.Errors, 1)
	assert.ErrorContains(t, report.Errors[0], "line 6: as the answer to prompts/list")
}

// A folder without one of the schemas is of no use: it would judge less than
// it says.
func TestEveryRevisionIsNeeded(t *testing.T) {
	t.Parallel()
	all := fstest.MapFS{}
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		all[revision+".json"] = &fstest.MapFile{Data: []byte(`{"$defs":{}}`)}
	}
	_, err := speccheck.New(all)
	require.NoError(t, err)
	for name := range all {
		fsys := maps.Clone(all)
		delete(fsys, name)
		_, err := speccheck.New(fsys)
		assert.ErrorIs(t, err, fs.ErrNotExist, name)
		for _, broken := range []string{`{`, `{}`, `{"$defs":{"X":[]}}`} {
			fsys[name] = &fstest.MapFile{Data: []byte(broken)}
			_, err = speccheck.New(fsys)
			assert.ErrorContains(t, err, "schema of "+strings.TrimSuffix(name, ".json"))
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	t.Setenv(speccheck.Variable, "")
	_, err := speccheck.FromEnvironment()
	assert.ErrorContains(t, err, "set MCP_SCHEMA_DIR")
	t.Setenv(speccheck.Variable, t.TempDir())
	_, err = speccheck.FromEnvironment()
	assert.ErrorContains(t, err, "MCP_SCHEMA_DIR: ")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func newChecker(t *testing.T) *speccheck.Checker {
	t.Helper()
	if os.Getenv(speccheck.Variable) == "" {
		t.Skip("there is no " + speccheck.Variable)
	}
	checker, err := speccheck.FromEnvironment()
	require.NoError(t, err)
	return checker
}

func check(t *testing.T, c *speccheck.Checker, o speccheck.Options, lines ...string) speccheck.Report {
	t.Helper()
	report, err := c.Session(strings.NewReader(strings.Join(lines, "\n")), o)
	require.NoError(t, err)
	return report
}
