package prompts

import (
	"bytes"
	"context"
	"log/slog"
	"slices"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file serves prompts/list: cursors, pages and visibility. A page is a copy of
// entries that definition.go has encoded.

// list is the method prompts/list.
func (s *Server) list(c *rpc.Call, dst []byte) ([]byte, feature.Work, *wire.Error) {
	p, err := parseListParams(c.Message.Params)
	if err != nil {
		return nil, feature.Work{}, err
	}
	if s.handler != nil {
		return nil, s.throughMiddleware(c, &middlewareRequest{request: &Request{Cursor: p.cursor}}, methodList), nil
	}
	after, err := p.after()
	if err != nil {
		return nil, feature.Work{}, err
	}
	l := listRequest{server: s, rev: c.Rev, after: after}
	if s.options.Visible == nil {
		dst, _ = l.Run(context.Background(), dst) // it has no use for one
		return dst, feature.Work{}, nil
	}
	code := l
	return nil, feature.Work{Handler: &code}, nil
}

// listRequest is one request for a list of prompts.
type listRequest struct {
	server *Server
	rev    revision.Revision
	after  string
}

// Run appends the result of the request. The context is only for the filter.
func (l *listRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	dst, f := l.appendPage(ctx, append(dst, '{'))
	if f != nil {
		return nil, f
	}
	if l.rev.Stateless() {
		dst = append(dst, l.server.cacheable...)
	}
	return append(dst, '}'), nil
}

func (l *listRequest) Subject() string { return methodList }

func (l *listRequest) LogAttr() slog.Attr { return slog.String("method", methodList) }

// appendPage appends the members of the result that are the page.
func (l *listRequest) appendPage(ctx context.Context, dst []byte) ([]byte, *rpc.Failure) {
	s := l.server
	var visible func(*definition) bool
	if s.options.Visible != nil {
		visible = func(d *definition) bool { return ctx.Err() == nil && s.isVisible(ctx, d) }
	}
	dst = appendPage(dst, s.registry, l.rev.Shape(), l.after, s.options.PageSize, s.options.InputSchemas, visible)
	if visible != nil && ctx.Err() != nil {
		return nil, rpc.InternalFailure(l.Subject(), context.Cause(ctx)) // and not half a list
	}
	return dst, nil
}

// pageReserve is the maximum number of bytes to reserve for a page.
const pageReserve = 1 << 20

var errCursor = wire.InvalidParam("cursor", "invalid cursor; use nextCursor from a prompts/list response, or omit it to start over")

// after returns the name after which a page begins; empty for the first one.
func (p listParams) after() (string, *wire.Error) {
	if p.cursor == "" {
		return "", nil
	}
	after, ok := cursor.Parse("", p.cursor)
	if !ok {
		return "", errCursor
	}
	return after, nil
}

// listParams are the params of prompts/list.
type listParams struct {
	cursor string // empty for the first page
}

func parseListParams(params strictjson.Value) (listParams, *wire.Error) {
	var p listParams
	if err := wire.CheckCase(params, "cursor", "_meta"); err != nil {
		return p, err
	}
	switch c := params.Get("cursor"); c.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.String:
		p.cursor = c.Text()
		if p.cursor == "" {
			return p, errCursor
		}
	default:
		return p, wire.WrongKind("cursor", "params.cursor", "a string", c)
	}
	return p, nil
}

// appendPage appends the members of a page's result, without the braces. If
// visible is not nil it chooses what there is; the cursor names nothing else.
func appendPage(dst []byte, r *Registry, shape revision.Shape, after string, size int, schemas bool, visible func(*definition) bool) []byte {
	dst = append(dst, `"prompts":[`...)
	n, last := 0, ""
	m := r.snapshot()
	for name, d := range m.After(after) { // no name is empty
		if visible != nil && !visible(d) {
			continue
		}
		if n == size {
			dst = append(dst[:len(dst)-1], `],"nextCursor":"`...)
			dst = cursor.Append(dst, "", last)
			return append(dst, '"')
		}
		entry := d.listed[shape]
		if schemas {
			entry = d.entriesWithSchema()[shape]
		}
		if n == 0 && visible == nil { // the others may be of about the same size
			dst = slices.Grow(dst, min((len(entry)+1)*min(size, m.Len()), pageReserve))
		}
		dst = append(append(dst, entry...), ',')
		n, last = n+1, name
	}
	return append(bytes.TrimSuffix(dst, []byte{','}), ']')
}
