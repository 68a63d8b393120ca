package prompts

import (
	"bytes"
	"context"
	"log/slog"

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
func (s *Server) list(c *rpc.Call, dst []byte) ([]byte, feature.Work, *Error) {
	position, err := cursorOf(c.Message.Params)
	if err != nil {
		return nil, feature.Work{}, err
	}
	if s.handler != nil {
		return nil, s.throughMiddleware(c, &middlewareRequest{request: &Request{Cursor: position}, served: servedList{}, subject: methodList}), nil
	}
	after, err := afterOf(position)
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

// servedList is a request for a list of prompts behind a middleware.
type servedList struct{}

func (servedList) answer(ctx context.Context, p *middlewareRequest, r *Request) (*Response, pendingRequest, *rpc.Failure) {
	after, err := afterOf(r.Cursor)
	if err != nil {
		return nil, nil, &rpc.Failure{Client: err}
	}
	l := listRequest{server: p.server, rev: p.rev, after: after}
	list, f := l.appendPage(ctx, []byte{'{'})
	response := p.listed(append(list, '}'))
	response.Release = l.prompts.releaseOfList().public()
	return response, nil, f
}

func (servedList) append(p *middlewareRequest, dst []byte, r *Response) ([]byte, error) {
	list, err := p.list(r)
	if err != nil {
		return nil, err
	}
	v, err := r.served()
	if err != nil {
		return nil, rpc.InternalFailure(p.Subject(), err)
	}
	dst = append(dst, list[:len(list)-1]...)
	return append(p.server.appendListEnd(dst, p.rev, v.release), '}'), nil
}

func (servedList) fail(_ *middlewareRequest, _ []byte, f *rpc.Failure) ([]byte, error) { return nil, f }

// listRequest is one request for a list of prompts.
type listRequest struct {
	server  *Server
	rev     revision.Revision
	after   string
	prompts *snapshot // once the page is made
}

// Run appends the result of the request. The context is only for the filter.
func (l *listRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	dst, f := l.appendPage(ctx, append(dst, '{'))
	if f != nil {
		return nil, f
	}
	return append(l.server.appendListEnd(dst, l.rev, l.prompts.releaseOfList()), '}'), nil
}

// appendListEnd appends the members of the result of prompts/list after the page.
func (s *Server) appendListEnd(dst []byte, rev revision.Revision, r *release) []byte {
	hasRelease := r != nil && len(r.members) > 0 && rev.Titles() && !s.options.DisableReleaseMeta
	switch {
	case rev.Stateless() && hasRelease:
		dst = append(dst, s.cacheable[:len(s.cacheable)-1]...)
		dst = append(append(dst, ','), r.members...)
		return append(dst, '}')
	case rev.Stateless():
		return append(dst, s.cacheable...)
	case hasRelease:
		dst = append(append(dst, `,"_meta":{`...), r.members...)
		return append(dst, '}')
	}
	return dst
}

func (l *listRequest) Subject() string { return methodList }

func (l *listRequest) LogAttr() slog.Attr { return slog.String("method", methodList) }

// appendPage appends the members of the result that are the page, without the braces. A
// hidden prompt is not in the page, nor in the cursor.
func (l *listRequest) appendPage(ctx context.Context, dst []byte) ([]byte, *rpc.Failure) {
	s, shape := l.server, l.rev.Shape()
	isFiltered := s.options.Visible != nil
	dst = append(dst, `"prompts":[`...)
	begin, n, last, hasMore := len(dst), 0, "", false
	all := s.registry.snapshot()
	l.prompts = all
	for name, d := range all.After(l.after) { // no name is empty
		if isFiltered {
			if ctx.Err() != nil {
				break
			}
			if !s.isVisible(ctx, d) {
				continue
			}
		}
		if n == s.options.PageSize {
			hasMore = true
			break
		}
		entry := d.entries(s.entryKind).of(shape)
		if n > 0 && len(dst)-begin+len(entry) > cursor.MaxPage {
			hasMore = true
			break
		}
		if n == reserveAfter && !isFiltered { // the others may be of about the same size
			left := min(s.options.PageSize, all.Len()) - n
			dst = wire.GrowPage(dst, min((len(dst)-begin)/n*left, cursor.MaxPage))
		}
		dst = append(append(dst, entry...), ',')
		n, last = n+1, name
	}
	if isFiltered && ctx.Err() != nil {
		return nil, rpc.InternalFailure(l.Subject(), context.Cause(ctx)) // and not half a list
	}
	dst = append(bytes.TrimSuffix(dst, []byte{','}), ']')
	if hasMore {
		dst = append(dst, `,"nextCursor":"`...)
		dst = append(cursor.Append(dst, "", last), '"')
	}
	return dst, nil
}

// reserveAfter is the number of entries by whose size a page is reserved.
const reserveAfter = 16

var errCursor = wire.InvalidParam("cursor", "invalid cursor; use nextCursor from a prompts/list response, or omit it to start over")

// afterOf returns the name after which the page of a cursor begins; empty for the first one.
func afterOf(position string) (string, *Error) {
	if position == "" {
		return "", nil
	}
	after, ok := cursor.Parse("", position, cursor.MaxName)
	if !ok {
		return "", errCursor
	}
	return after, nil
}

// cursorOf returns the cursor in the params of prompts/list; empty for the first page.
func cursorOf(params strictjson.Value) (string, *Error) {
	if err := wire.CheckCase(params, "cursor", "_meta"); err != nil {
		return "", err
	}
	c := params.Get("cursor")
	switch {
	case c.Kind() <= strictjson.Null:
		return "", nil
	case c.Kind() != strictjson.String:
		return "", wire.WrongKind("cursor", "params.cursor", "a string", c)
	case c.Text() == "":
		return "", errCursor
	}
	return c.Text(), nil
}
