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

	"github.com/mcp-prompts/prompts/internal/speccheck"
)

const (
	enveloped = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`

	initialize = `C> {"jsonrpc":"2.0","id":0,"method":"initialize","params":` +
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `S> {"jsonrpc":"2.0","id":0,"result":` +
		`{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}`
	list   = `C> {"jsonrpc":"2.0","id":1,"method":"prompts/list"}`
	listed = `S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"a"}]}}`
)

func TestSession(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	for name, tt := range map[string]struct {
		session []string
		faults  []string // a part of each
	}{
		"good": {
			session: []string{initialize, initialized, list, listed, `# a comment`, ``},
		},
		"a result that its method does not have": {
			session: []string{list, `S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"title":"no name"}]}}`},
			faults:  []string{"line 2: as the answer to prompts/list: 2025-11-25 ListPromptsResult"},
		},
		"a null cursor": {
			session: []string{list, `S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[],"nextCursor":null}}`},
			faults:  []string{"ListPromptsResult"},
		},
		"an envelope calls for the stateless revision": {
			session: []string{
				`C> {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{` + enveloped + `}}`,
				listed,
			},
			faults: []string{"line 2: as the answer to prompts/list: 2026-07-28"},
		},
		"an error that has data of its own": {
			session: []string{
				`C> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + enveloped + `}}`,
				`S> {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"m","data":{"supported":["2025-11-25"]}}}`,
				`C> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{` + enveloped + `}}`,
				`S> {"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"m","data":` +
					`{"supported":["2025-11-25"],"requested":"2026-07-28"}}}`,
			},
			faults: []string{"line 2: as the answer to server/discover: 2026-07-28 UnsupportedProtocolVersionError"},
		},
		"the revision that was agreed on": {
			session: []string{
				initialize,
				strings.Replace(initialized, "2025-11-25", "2024-11-05", 1),
				`S> {"jsonrpc":"2.0","error":{"code":-32700,"message":"an error needs an id in this revision"}}`,
			},
			faults: []string{"line 3: 2024-11-05: the id of an error"},
		},
		"an error without an id": {
			session: []string{`S> {"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`},
		},
		"an error with a null id": {
			session: []string{`S> {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`},
			faults:  []string{"JSONRPCErrorResponse"},
		},
		"an id of another type": {
			session: []string{list, strings.Replace(listed, `"id":1`, `"id":"1"`, 1)},
			faults:  []string{"it is the result of nothing that was asked"},
		},
		"a second answer": {
			session: []string{list, listed, listed},
			faults:  []string{"line 3: it is the result of nothing that was asked"},
		},
		"both a result and an error": {
			session: []string{list, `S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[]},"error":{"code":1,"message":"m"}}`},
			faults:  []string{"both a result and an error"},
		},
		"neither": {
			session: []string{list, `S> {"jsonrpc":"2.0","id":1}`},
			faults:  []string{"neither"},
		},
		"a notification with an id": {
			session: []string{`S> {"jsonrpc":"2.0","id":1,"method":"notifications/prompts/list_changed"}`},
			faults:  []string{"it is a request"},
		},
		"no JSON": {
			session: []string{`S> listening`},
			faults:  []string{"line 1: invalid JSON"},
		},
		"no object": {
			session: []string{`S> []`, `S> null`},
			faults:  []string{"line 1", "line 2"},
		},
		"ids in use twice": {
			session: []string{
				list,
				`C> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a"}}`,
				`S> {"jsonrpc":"2.0","id":1,"result":{"messages":[]}}`,
				listed,
			},
		},
		"an id in use twice is refused": {
			session: []string{
				`C> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a"}}`,
				list,
				`S> {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}}`,
				`S> {"jsonrpc":"2.0","id":1,"result":{"messages":[]}}`,
				listed,
			},
			faults: []string{"line 5: it is the result of nothing that was asked"},
		},
		"a literal": {
			session: []string{`C>q "\t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\"}\r\n"`, listed},
		},
		"another session": {
			session: []string{list, `---`, listed},
			faults:  []string{"line 3: it is the result of nothing that was asked"},
		},
		"a question of the server": {
			session: []string{
				initialize, initialized,
				`S> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
				`C> {"jsonrpc":"2.0","id":1,"result":{}}`,
				`S> {"jsonrpc":"2.0","id":1,"result":{}}`,
			},
			faults: []string{"line 5: it is the result of nothing that was asked"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := check(t, checker, speccheck.Options{}, tt.session...)
			require.Len(t, report.Errors, len(tt.faults), "%v", report.Errors)
			for i, fault := range tt.faults {
				assert.ErrorContains(t, report.Errors[i], fault)
			}
		})
	}
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
