package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/promptskills"
)

// serverState is the one receiving middleware that a server of the SDK has of this package, however
// often something is mounted: the SDK cannot take a middleware out again.
type serverState struct {
	next    mcp.MethodHandler          // everything that was there before; set before any request
	mounted atomic.Pointer[mount]      // nil if no prompts are
	skills  atomic.Pointer[skillMount] // nil if no skills are

	negotiated sync.Map // from weak.Pointer[mcp.ServerSession] to the version, if the client has asked for another one
}

// serverStates has the state of each server that has had a mount or an Import.
var serverStates core.States[mcp.Server, serverState]

func stateOf(s *mcp.Server) *serverState {
	return serverStates.Of(s, func() *serverState {
		st := new(serverState)
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			st.next = next
			return st.handle
		})
		return st
	})
}

const (
	methodList      = "prompts/list"
	methodGet       = "prompts/get"
	methodComplete  = "completion/complete"
	methodListTools = "tools/list" // this one and the next of a feature of package prompttools
	methodCallTool  = "tools/call"
)

func (st *serverState) handle(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	m := st.mounted.Load()
	switch r := req.(type) {
	case *mcp.ServerRequest[*mcp.InitializeParams], *mcp.ServerRequest[*mcp.DiscoverParams]:
		return st.declare(ctx, method, req)
	case *mcp.ListPromptsRequest:
		if m != nil && method == methodList {
			return m.list(ctx, r)
		}
	case *mcp.GetPromptRequest:
		if m != nil && method == methodGet && r.Params != nil {
			return m.get(ctx, r)
		}
	case *mcp.ListToolsRequest:
		if m != nil && method == methodListTools && m.tools != nil {
			return m.listTools(ctx, r)
		}
	case *mcp.CallToolRequest:
		if m != nil && method == methodCallTool && m.tools != nil && m.Options.Visible != nil && r.Params != nil {
			return m.callTool(ctx, r)
		}
	case *mcp.CompleteRequest:
		if m != nil && method == methodComplete && r.Params != nil {
			return m.complete(ctx, r)
		}
	}
	return st.next(ctx, method, req)
}

// declare adds the capabilities of the mounts to the result of initialize or server/discover.
func (st *serverState) declare(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	res, err := st.next(ctx, method, req)
	switch result := res.(type) {
	case *mcp.InitializeResult:
		if r, ok := req.(*mcp.ServerRequest[*mcp.InitializeParams]); ok && result != nil {
			st.keepVersion(r, result.ProtocolVersion)
			changed := *result
			changed.Capabilities = st.capabilities(result.Capabilities, core.Revision(result.ProtocolVersion).Completions())
			res = &changed
		}
	case *mcp.DiscoverResult:
		if result != nil {
			changed := *result
			changed.Capabilities = st.capabilities(result.Capabilities, true)
			res = &changed
		}
	}
	return res, err
}

// capabilities returns c with those of the mounts: completion, if the protocol version has it, and
// skills. The SDK adds that of prompts, see placeholder.
func (st *serverState) capabilities(c *mcp.ServerCapabilities, completions bool) *mcp.ServerCapabilities {
	changed := *cmp.Or(c, new(mcp.ServerCapabilities))
	if m := st.mounted.Load(); m != nil && !m.Options.DisableCompletions && completions && changed.Completions == nil {
		changed.Completions = &mcp.CompletionCapabilities{}
	}
	if st.skills.Load() != nil {
		extensions := map[string]any{promptskills.Extension: map[string]any{"directoryRead": true}}
		maps.Copy(extensions, changed.Extensions)
		changed.Extensions = extensions
	}
	return &changed
}

// keepVersion stores the protocol version of a session if the client has asked for another one: the
// SDK's session knows only what the client has asked for.
func (st *serverState) keepVersion(r *mcp.ServerRequest[*mcp.InitializeParams], version string) {
	if r.Session == nil || r.Params == nil || r.Params.ProtocolVersion == version {
		return
	}
	key := weak.Make(r.Session)
	st.negotiated.Store(key, version)
	runtime.AddCleanup(r.Session, func(key weak.Pointer[mcp.ServerSession]) { st.negotiated.Delete(key) }, key)
}

func (st *serverState) version(ss *mcp.ServerSession, meta map[string]any) string {
	if v, _ := meta[mcp.MetaKeyProtocolVersion].(string); core.Revision(v).Stateless() {
		return v
	}
	if v, ok := st.negotiated.Load(weak.Make(ss)); ok {
		return v.(string)
	}
	if ss != nil && ss.InitializeParams() != nil {
		v := ss.InitializeParams().ProtocolVersion
		if r := core.Revision(v); r != 0 && !r.Stateless() {
			return v
		}
	}
	return core.NewestStateful()
}

// loopback calls f with a session without a client, for requests of this package's own: the SDK has
// no other way to a server's prompts.
func loopback(ctx context.Context, s *mcp.Server, f func(ss *mcp.ServerSession) error) (err error) {
	silence, _ := io.Pipe() // from which nothing is read until it is closed
	ss, err := s.Connect(ctx, &mcp.IOTransport{Reader: silence, Writer: progressOnly{ctx}}, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams: &mcp.InitializeParams{
			ProtocolVersion: mcp.SupportedProtocolVersions()[0], // in which a handler returns its questions
			ClientInfo:      &mcp.Implementation{Name: "prompts", Title: "github.com/mcp-prompts/prompts", Version: "0"},
			Capabilities: &mcp.ClientCapabilities{
				RootsV2:     &mcp.RootCapabilities{},
				Sampling:    &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}, Context: &mcp.SamplingContextCapabilities{}},
				Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
			},
		},
		InitializedParams: &mcp.InitializedParams{},
	}})
	if err != nil {
		return err
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
		_ = ss.Close() // nothing can be lost
	}()
	return f(ss)
}

// errForeign begins the error for a result of another method, or none, of a middleware or handler.
var errForeign = errors.New("server or its middleware returned no")

// nativeResult returns the result that the server has without the mount. T is its type.
func nativeResult[T any, R interface {
	*T
	mcp.Result
}](ctx context.Context, st *serverState, method string, r mcp.Request) (R, error) {
	res, err := st.next(ctx, method, r)
	if err != nil {
		return nil, err
	}
	result, ok := res.(R)
	if !ok || result == nil {
		return nil, fmt.Errorf("%w %T for %s, but %T", errForeign, result, method, res)
	}
	return result, nil
}

func (st *serverState) walk(ctx context.Context, s *mcp.Server, f func(p *mcp.Prompt)) error {
	err := loopback(ctx, s, func(ss *mcp.ServerSession) error {
		return st.pages(ctx, &mcp.ListPromptsRequest{Session: ss}, f)
	})
	if err != nil {
		return fmt.Errorf("gosdk: list the server's prompts: %w", err)
	}
	return nil
}

func (st *serverState) pages(ctx context.Context, as *mcp.ListPromptsRequest, f func(p *mcp.Prompt)) error {
	return core.Pages(func(cursor string) (string, error) {
		page, err := st.page(ctx, as, cursor)
		if err != nil {
			return "", err
		}
		for _, p := range page.Prompts {
			if isOwn(p) {
				f(p)
			}
		}
		return page.NextCursor, nil
	})
}

func (st *serverState) page(ctx context.Context, as *mcp.ListPromptsRequest, cursor string) (*mcp.ListPromptsResult, error) {
	params := *cmp.Or(as.Params, new(mcp.ListPromptsParams))
	params.Cursor = cursor
	r := &mcp.ListPromptsRequest{Session: as.Session, Params: &params, Extra: as.Extra}
	return nativeResult[mcp.ListPromptsResult](ctx, st, methodList, r)
}

// progressOnly sends the progress of a handler to the client of the render function in ctx, and
// nothing else to anyone.
type progressOnly struct{ ctx context.Context }

func (w progressOnly) Write(line []byte) (int, error) {
	var message struct {
		Method string
		Params mcp.ProgressNotificationParams
	}
	if json.Unmarshal(line, &message) == nil && message.Method == "notifications/progress" {
		prompts.Progress(w.ctx, message.Params.Progress, message.Params.Total, message.Params.Message)
	}
	return len(line), nil
}

func (progressOnly) Close() error { return nil }
