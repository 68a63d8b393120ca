package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// loopback calls the handler that the mount's middleware is wrapped around, for
// requests of this package's own: there is no other way to a server's prompts.
// They come from a session that has no client behind it.
func loopback(ctx context.Context, s *mcp.Server, f func(ss *mcp.ServerSession) error) (err error) {
	silence, _ := io.Pipe() // from which nothing is read until it is closed
	ss, err := s.Connect(ctx, &mcp.IOTransport{Reader: silence, Writer: progressOnly{ctx}}, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams: &mcp.InitializeParams{
			ProtocolVersion: mcp.SupportedProtocolVersions()[0], // in which a handler does not ask, but says what is to be asked
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
		_ = ss.Close() // there is nothing that it could lose
	}()
	return f(ss)
}

// errForeign begins the error of a middleware that replaces a result by that of another
// method, or of a handler without a result.
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
	return loopback(ctx, s, func(ss *mcp.ServerSession) error {
		return st.pages(ctx, &mcp.ListPromptsRequest{Session: ss}, f)
	})
}

// pages calls f for each prompt of the server's own, as they are for the client of a request.
func (st *serverState) pages(ctx context.Context, as *mcp.ListPromptsRequest, f func(p *mcp.Prompt)) error {
	return core.Pages(func(cursor string) (string, error) {
		page, err := st.page(ctx, as, cursor)
		if err != nil {
			return "", err
		}
		for _, p := range page.Prompts {
			if p != nil && !isPlaceholder(p) {
				f(p)
			}
		}
		return page.NextCursor, nil
	})
}

func (st *serverState) page(ctx context.Context, as *mcp.ListPromptsRequest, cursor string) (*mcp.ListPromptsResult, error) {
	params := &mcp.ListPromptsParams{Cursor: cursor}
	if as.Params != nil {
		params.Meta = as.Params.Meta
	}
	return nativeResult[mcp.ListPromptsResult](ctx, st, methodList, &mcp.ListPromptsRequest{Session: as.Session, Params: params, Extra: as.Extra})
}

// progressOnly is a writer to nobody. The progress that a handler sends goes to the client of
// the render function whose context it is.
type progressOnly struct{ ctx context.Context }

func (w progressOnly) Write(line []byte) (int, error) {
	var message struct {
		Method string                         `json:"method"`
		Params mcp.ProgressNotificationParams `json:"params"`
	}
	if json.Unmarshal(line, &message) == nil && message.Method == "notifications/progress" {
		prompts.Progress(w.ctx, message.Params.Progress, message.Params.Total, message.Params.Message)
	}
	return len(line), nil
}

func (progressOnly) Close() error { return nil }
