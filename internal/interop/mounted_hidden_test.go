package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	mcpgomcp "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest/hiddentest"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

// asker sends a request to a mount, and returns the response.
type asker func(id int, r hiddentest.Request) string

// mounts has a constructor of each mount, on a server with a few prompts of its own.
var mounts = map[string]func(t *testing.T, w hiddentest.Twin, version string) asker{
	"gosdk": func(t *testing.T, w hiddentest.Twin, version string) asker {
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
			PageSize: 3, CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"own:" + r.Params.Argument.Value}}}, nil
			},
		})
		unmount, err := gosdk.Mount(s, w.Prompts, gosdk.Options{Server: w.Options})
		require.NoError(t, err)
		t.Cleanup(unmount)
		unmount, err = gosdk.MountSkills(s, w.Skills, gosdk.SkillsOptions{Skills: w.SkillOptions, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		t.Cleanup(unmount)
		// After Mount, a prompt of the server may get the name of a prompt in the registry.
		s.AddPrompt(&mcp.Prompt{Name: "paymentz"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "own"}}}}, nil
		})
		here, there := mcp.NewInMemoryTransports()
		ss, err := s.Connect(t.Context(), gosdk.Transport(there), nil)
		require.NoError(t, err)
		conn, err := here.Connect(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() {
			_ = conn.Close()
			_ = ss.Wait()
		})
		ask := func(line string) string {
			msg, err := jsonrpc.DecodeMessage([]byte(line))
			if err != nil {
				return "" // which the SDK's client cannot send
			}
			require.NoError(t, conn.Write(t.Context(), msg))
			for {
				answer, err := conn.Read(t.Context())
				require.NoError(t, err)
				if response, ok := answer.(*jsonrpc.Response); ok {
					text, err := jsonrpc.EncodeMessage(response)
					require.NoError(t, err)
					return string(text)
				}
				if request := answer.(*jsonrpc.Request); request.IsCall() {
					require.NoError(t, conn.Write(t.Context(), &jsonrpc.Response{ID: request.ID, Result: json.RawMessage(`{"action":"decline"}`)}))
				}
			}
		}
		if version < stateless {
			ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`, version))
			require.NoError(t, conn.Write(t.Context(), &jsonrpc.Request{Method: "notifications/initialized"}))
		}
		return func(id int, r hiddentest.Request) string { return ask(r.Line(id, version)) }
	},
	"mcpgo": func(t *testing.T, w hiddentest.Twin, version string) asker {
		s := mcpgoserver.NewMCPServer("s", "1", mcpgoserver.WithToolCapabilities(true), mcpgoserver.WithPaginationLimit(3))
		o := w.Options
		o.PageSize = 0 // of the SDK
		unmount, err := mcpgo.Mount(s, w.Prompts, mcpgo.Options{Server: o, Completions: ownCompletions{}})
		require.NoError(t, err)
		t.Cleanup(unmount)
		session := mcpgoserver.NewInProcessSessionWithHandlers(fmt.Sprintf("%s-%p", t.Name(), new(int)), nil, nil, nil)
		ctx := s.WithContext(t.Context(), session)
		require.NoError(t, s.RegisterSession(ctx, session))
		t.Cleanup(func() { s.UnregisterSession(context.Background(), session.SessionID()) })
		ask := func(line string) string {
			text, err := json.Marshal(s.HandleMessage(ctx, json.RawMessage(line)))
			require.NoError(t, err)
			return string(text)
		}
		if version < stateless {
			ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, version))
		} else {
			session.Initialize()
		}
		return func(id int, r hiddentest.Request) string { return ask(r.Line(id, version)) }
	},
}

// ownCompletions is the provider of a server for its own prompts.
type ownCompletions struct{}

func (ownCompletions) CompletePromptArgument(_ context.Context, _ string, a mcpgomcp.CompleteArgument, _ mcpgomcp.CompleteContext) (*mcpgomcp.Completion, error) {
	return &mcpgomcp.Completion{Values: []string{"own:" + a.Value}}, nil
}

// promisedMounted is the number of requests to each of two servers, for each mount.
const promisedMounted = 6_000

// SEC-01, CCH-08: a client of a mount cannot find out that a prompt exists that it may not
// see, as a client of a server of this library: see hiddentest.TestHiddenDoesNotExist.
func TestHiddenDoesNotExistInMounts(t *testing.T) {
	t.Parallel()
	versions := []string{oldest, older, canAsk, newest, stateless}
	for name, open := range mounts {
		t.Run(name, func(t *testing.T) {
			cases, n := hiddentest.Cases(), 0
			each := promisedMounted/(len(cases)*len(versions)) + 1
			for i, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					for j, version := range versions {
						n += compareMounts(t, c, open, version, each, uint64(i*len(versions)+j))
					}
				})
			}
			t.Logf("%d requests to each of two servers in %d cases", n, len(cases))
			require.GreaterOrEqual(t, n, promisedMounted)
		})
	}
}

func compareMounts(t *testing.T, c hiddentest.Case, open func(*testing.T, hiddentest.Twin, string) asker, version string, n int, seed uint64) (sent int) {
	t.Helper()
	with, without := c.Twins(t)
	for _, w := range []*hiddentest.Twin{&with, &without} {
		w.Options.Limits.GetsPerSecond, w.Options.Limits.CompletionsPerSecond = 0, -1
	}
	a, b := open(t, with, version), open(t, without, version)
	g := hiddentest.NewGenerator(seed)
	for id := range n {
		r := g.Next()
		got, want := a(id+1, r), b(id+1, r)
		sent++
		if got != want && hiddentest.NeutralInTime(got) != hiddentest.NeutralInTime(want) {
			t.Fatalf("%s, seed %d, request %d, %s {%.2000s}:\nwith the hidden prompts:    %.2000s\nwithout the hidden prompts: %.2000s", version, seed, id, r.Method, r.Members, got, want)
		}
		g.Hear(want)
	}
	return sent
}
