package prompts

import (
	"bytes"
	"context"
	"errors"
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
	if s.isOpen() {
		l := servedList{promptRequest: promptRequest{server: s}, rev: c.Rev, method: methodList, cursor: position}
		response, _, f := l.answer(context.Background(), nil, dst) // it has no use for one
		if f != nil {
			return nil, feature.Work{}, f.Client
		}
		dst, _ = l.append(context.Background(), dst, response) // the response is that of answer
		return dst, feature.Work{}, nil
	}
	l := &servedList{promptRequest: promptRequest{server: s}, rev: c.Rev, method: methodList, cursor: c.Message.Own(position)}
	if r := l.open(c, l); r != nil {
		r.Cursor = l.cursor
	} else if _, err := afterOf(position); err != nil {
		return nil, feature.Work{}, err
	}
	return nil, feature.Work{Handler: l}, nil
}

// servedList is a request for a list: of prompts, or of what a feature makes of them.
type servedList struct {
	promptRequest
	rev            revision.Revision
	method, cursor string
	appendTo       appendListed // of a feature
}

// Run is the work of the request.
func (l *servedList) Run(ctx context.Context, dst []byte) ([]byte, error) { return l.run(ctx, dst, l) }

func (l *servedList) methods() (seen, client string) { return methodList, l.method }

func (l *servedList) Subject() string { return l.method }

func (l *servedList) LogAttr() slog.Attr { return slog.String("method", l.method) }

func (l *servedList) answer(ctx context.Context, r *Request, dst []byte) (Response, *getRequest, *rpc.Failure) {
	position := l.cursor
	if r != nil {
		position = r.Cursor
	}
	if l.appendTo != nil {
		list, f := l.appendList(ctx, dst, position)
		return listed(list, l.rev, l.method), nil, f
	}
	after, err := afterOf(position)
	if err != nil {
		return Response{}, nil, &rpc.Failure{Client: err}
	}
	all := l.server.registry.snapshot()
	page, f := l.server.appendPage(ctx, append(dst, '{'), all, l.rev, after)
	response, of := listed(page, l.rev, l.method), all.releaseOfList()
	if response.own.release = of; r != nil {
		response.Release = of.public()
	}
	return response, nil, f
}

func (l *servedList) append(_ context.Context, dst []byte, r Response) ([]byte, error) {
	if l.around == nil && r.list == nil {
		return nil, rpc.InvalidResult(l.Subject(), errors.New("feature returned neither a list nor an error"))
	}
	page, err := r.page(l.rev, l.method)
	if err != nil {
		return nil, err
	}
	if l.around != nil { // else the page was appended to dst
		page = append(dst, page...)
	}
	if l.appendTo != nil {
		return page, nil
	}
	v, err := l.version(&r)
	if err != nil {
		return nil, rpc.InternalFailure(methodList, err)
	}
	return append(l.server.appendListEnd(page, l.rev, v.release), '}'), nil
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

// appendPage appends the members of the result that are the page, without the braces. A
// hidden prompt is not in the page, nor in the cursor. The context is only for the filter.
func (s *Server) appendPage(ctx context.Context, dst []byte, all *snapshot, rev revision.Revision, after string) ([]byte, *rpc.Failure) {
	shape, isFiltered := rev.Shape(), s.options.Visible != nil
	dst = append(dst, `"prompts":[`...)
	begin, n, last, hasMore := len(dst), 0, "", false
	for name, d := range all.After(after) { // no name is empty
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
		return nil, rpc.InternalFailure(methodList, context.Cause(ctx)) // and not half a list
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
