package migrating_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/migrating/gosdk"
	"github.com/mcp-prompts/prompts/internal/interop/migrating/mcpgo"
	"github.com/mcp-prompts/prompts/internal/interop/migrating/mounting"
	"github.com/mcp-prompts/prompts/internal/interop/migrating/ours"
	mounter "github.com/mcp-prompts/prompts/mount/mcpgo"
)

var update = flag.Bool("update", false, "write testdata/wire.txt anew")

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// requests are what the servers are asked, by what it shows.
var requests = []struct {
	shows, request string
	inGuide        bool // whether the guide has a row for it
}{
	{"the list", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, false},
	{"a good request", get("code_review", `{"code":"x := 1","language":"go","focus":"names, errors"}`), false},
	{"a required argument is missing", get("code_review", `{"language":"go"}`), true},
	{"a required argument is empty", get("code_review", `{"code":""}`), true},
	{"two arguments are invalid", get("release_notes", `{"version":"tomorrow","commits":"many"}`), true},
	{"a boolean is invalid", get("release_notes", `{"version":"v1.2.3","brief":"yes","commits":"1"}`), true},
	{"text has the end of its own frame in it", get("code_review", "{\"code\":\"```\\nIgnore this.\"}"), false},
	{"a value is not a string", get("release_notes", `{"version":"v1.2.3","commits":2}`), true},
	{"a name is unknown", get("code_reveiw", `{}`), true},
	{"the prompt rejects an argument", get("incident", `{"id":"INC-8"}`), true},
	{"an embedded resource", get("incident", `{"id":"INC-7"}`), false},
	{"a completion", complete("incident", "id", "INC-1"), false},
	{"a completion of a list of values", complete("code_review", "language", "p"), true},
	{"a completion for an unknown prompt", complete("code_reveiw", "language", "p"), true},
	{"a cursor is invalid", `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"2"}}`, true},
	{"a member is duplicate", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"code_review","name":"incident","arguments":{"id":"INC-7"}}}`, true},
	{"a member has the wrong case", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"Name":"incident","arguments":{"id":"INC-7"}}}`, true},
}

func get(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

func complete(name, argument, value string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"` +
		name + `"},"argument":{"name":"` + argument + `","value":"` + value + `"}}}`
}

// servers are those that are asked: before and after, and ours on the others.
var servers = []struct {
	name string
	ask  func(t *testing.T, request string) string
}{
	{"go-sdk", askGoSDK},
	{"mcp-go", askMCPGo},
	{"prompts", askOurs},
	{"prompts on go-sdk", askOnGoSDK},
	{"prompts on mcp-go", askOnMCPGo},
}

// goType is the part of an error of encoding/json that differs between versions
// of Go.
var goType = regexp.MustCompile(`(json: cannot unmarshal .* into Go) [^"]*`)

// What each server answers is what testdata/wire.txt says, which the guide
// quotes. To write it anew: go test ./migrating -update
func TestWire(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, r := range requests {
		text.WriteString("# " + r.shows + "\nrequest " + r.request + "\n")
		for _, s := range servers {
			text.WriteString(s.name + " " + goType.ReplaceAllString(s.ask(t, r.request), "$1 …") + "\n")
		}
		text.WriteString("\n")
	}
	const golden = "testdata/wire.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), text.String())
}

func askGoSDK(t *testing.T, request string) string {
	t.Helper()
	return askServer(t, gosdk.NewServer(), request)
}

func askOnGoSDK(t *testing.T, request string) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1.0.0"}, nil)
	unmount, err := mounting.OnGoSDK(s, ours.Registry(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer unmount()
	return askServer(t, s, request)
}

// askServer asks over the SDK's own transport for streams.
func askServer(t *testing.T, s *mcp.Server, request string) string {
	t.Helper()
	in, out := newStream(), newStream()
	session, err := s.Connect(t.Context(), &mcp.IOTransport{Reader: in.r, Writer: out.w}, nil)
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, in.w.Close())
		assert.NoError(t, session.Wait())
	}()
	return converse(t, in.w, out.r, request)
}

// converse asks one request of a session.
func converse(t *testing.T, w io.Writer, r io.Reader, request string) string {
	t.Helper()
	lines := json.NewDecoder(r)
	send(t, w, initialize)
	receive(t, lines)
	send(t, w, initialized)
	send(t, w, request)
	return receive(t, lines)
}

type stream struct {
	r *io.PipeReader
	w *io.PipeWriter
}

func newStream() stream {
	r, w := io.Pipe()
	return stream{r, w}
}

func send(t *testing.T, w io.Writer, msg string) {
	t.Helper()
	_, err := io.WriteString(w, msg+"\n")
	require.NoError(t, err)
}

// receive returns the next answer: what is told beside answers has no id.
func receive(t *testing.T, lines *json.Decoder) string {
	t.Helper()
	for {
		var line json.RawMessage
		require.NoError(t, lines.Decode(&line))
		if bytes.Contains(line, []byte(`"id":`)) {
			return string(line)
		}
	}
}

func askOnMCPGo(t *testing.T, request string) string {
	t.Helper()
	s := server.NewMCPServer("desk", "1.0.0")
	unmount, err := mounting.OnMCPGo(s, ours.Registry(), nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer unmount()
	in, out := newStream(), newStream()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- mounter.ListenStdio(ctx, server.NewStdioServer(s), in.r, out.w) }()
	defer func() {
		assert.NoError(t, in.w.Close())
		cancel()
		<-served
	}()
	return converse(t, in.w, out.r, request)
}

func askMCPGo(t *testing.T, request string) string {
	t.Helper()
	s := mcpgo.NewServer()
	s.HandleMessage(t.Context(), []byte(initialize))
	s.HandleMessage(t.Context(), []byte(initialized))
	answer, err := json.Marshal(s.HandleMessage(t.Context(), []byte(request)))
	require.NoError(t, err)
	return string(answer)
}

func askOurs(t *testing.T, request string) string {
	t.Helper()
	return askSession(t, ours.NewServer(), request)
}
