package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
)

// loopback calls the handler that the mount's middleware is wrapped around, for
// requests of this package's own: there is no other way to a server's prompts.
// They come from a session that has no client behind it.
func loopback(ctx context.Context, s *mcp.Server, f func(ss *mcp.ServerSession) error) (err error) {
	ss, err := s.Connect(ctx, &discardConn{ctx: ctx, closed: make(chan struct{})}, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams: &mcp.InitializeParams{
			ProtocolVersion: stateless, // in which a handler does not ask, but says what is to be asked
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

// maxPages bounds a walk, in case that the pages go round in circles.
const maxPages = 100_000

// errList is the error of a middleware that replaces the result of prompts/list.
var errList = errors.New("middleware of the server returned no *mcp.ListPromptsResult for prompts/list")

// errPages is the error of a list that does not end.
var errPages = fmt.Errorf("list of the server has more than %d pages", maxPages)

// walk calls f for each prompt of the server's own, in the order of its list.
func (st *serverState) walk(ctx context.Context, s *mcp.Server, f func(p *mcp.Prompt)) error {
	return loopback(ctx, s, func(ss *mcp.ServerSession) error {
		return st.pages(ctx, &mcp.ListPromptsRequest{Session: ss}, f)
	})
}

// pages calls f for each prompt of the server's own, as they are for the client
// of a request.
func (st *serverState) pages(ctx context.Context, as *mcp.ListPromptsRequest, f func(p *mcp.Prompt)) error {
	cursor := ""
	for range maxPages {
		page, err := st.page(ctx, as, cursor)
		if err != nil {
			return err
		}
		for _, p := range page.Prompts {
			if p != nil && !isPlaceholder(p) {
				f(p)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			return nil
		}
	}
	return errPages
}

// page returns a page of the server's own list.
func (st *serverState) page(ctx context.Context, as *mcp.ListPromptsRequest, cursor string) (*mcp.ListPromptsResult, error) {
	params := &mcp.ListPromptsParams{Cursor: cursor}
	if as.Params != nil {
		params.Meta = as.Params.Meta
	}
	res, err := st.next(ctx, methodList, &mcp.ListPromptsRequest{Session: as.Session, Params: params, Extra: as.Extra})
	if err != nil {
		return nil, err
	}
	page, ok := res.(*mcp.ListPromptsResult)
	if !ok || page == nil {
		return nil, errList
	}
	return page, nil
}

// discardConn is a transport, and its connection, with nobody at the other end.
// The progress that a handler sends goes to the client of the render function.
type discardConn struct {
	ctx    context.Context // of the render function, or of none
	once   sync.Once
	closed chan struct{}
}

func (c *discardConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

func (c *discardConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *discardConn) Write(_ context.Context, msg jsonrpc.Message) error {
	var p mcp.ProgressNotificationParams
	if r, ok := msg.(*jsonrpc.Request); ok && r.Method == "notifications/progress" && json.Unmarshal(r.Params, &p) == nil {
		prompts.Progress(c.ctx, p.Progress, p.Total, p.Message)
	}
	return nil
}

func (c *discardConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *discardConn) SessionID() string { return "" }
