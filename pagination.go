package prompts

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// This file serves prompts/list: cursors, pages and visibility. A page is a copy of
// entries that definition.go has encoded.

func (s *Server) list(c *rpc.Call, dst []byte) ([]byte, call.Work, *Error) {
	position, err := cursor.Read(c.Message.Params, methodList)
	if err != nil {
		return nil, call.Work{}, err
	}
	if s.isOpen() {
		l := servedList{promptRequest: promptRequest{server: s}, rev: c.Rev, method: methodList, cursor: position, form: s.formFor(c.Host())}
		response, _, f := l.answer(context.Background(), nil, dst) // it has no use for one
		if f != nil {
			return nil, call.Work{}, f.Client
		}
		dst, _ = l.append(context.Background(), dst, response) // the response is that of answer
		return dst, call.Work{}, nil
	}
	l := &servedList{promptRequest: promptRequest{server: s}, rev: c.Rev, method: methodList, cursor: c.Message.Own(position), form: s.formFor(c.Host())}
	if r := l.open(c, l); r != nil {
		r.Cursor = l.cursor
	} else if _, err := cursor.After("", position, methodList); err != nil {
		return nil, call.Work{}, err
	}
	return nil, call.Work{Runner: l}, nil
}

type servedList struct {
	promptRequest
	rev            revision.Revision
	method, cursor string
	form           entryKind    // of the entries of prompts/list
	appendTo       appendListed // of a feature
}

// Run is the work of the request.
func (l *servedList) Run(ctx context.Context, dst []byte) ([]byte, error) { return l.run(ctx, dst, l) }

func (l *servedList) methods() (seen, client string) { return methodList, l.method }

func (l *servedList) Subject() string { return l.method }

func (l *servedList) LogAttr() slog.Attr { return slog.String("method", l.method) }

func (l *servedList) answer(ctx context.Context, r *Request, dst []byte) (Response, *scope, *rpc.Failure) {
	position := l.cursor
	if r != nil {
		position = r.Cursor
	}
	if l.appendTo != nil {
		list, f := l.appendList(ctx, dst, position)
		return listed(list, l.rev, l.method), nil, f
	}
	after, err := cursor.After("", position, methodList)
	if err != nil {
		return Response{}, nil, &rpc.Failure{Client: err}
	}
	all := l.server.registry.snapshot()
	page, f := l.server.appendPage(ctx, append(dst, '{'), all, l.rev, l.server.entryKind|l.form, after)
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
func (s *Server) appendPage(ctx context.Context, dst []byte, all *snapshot, rev revision.Revision, kind entryKind, after string) ([]byte, *rpc.Failure) {
	shape, isFiltered := rev.Shape(), s.options.Visible != nil
	total := all.Len()
	if isFiltered {
		total = 0
	}
	page := cursor.NewPage(append(dst, `"prompts":[`...), "", s.options.PageSize, total)
	for name, d := range all.After(after) { // no name is empty
		if isFiltered {
			if ctx.Err() != nil {
				break
			}
			if !s.isVisible(ctx, d) {
				continue
			}
		}
		if !cursor.Add(&page, name, d.entries(kind).of(shape)) {
			break
		}
	}
	if isFiltered && ctx.Err() != nil {
		return nil, rpc.InternalFailure(methodList, context.Cause(ctx)) // and not half a list
	}
	return page.End(), nil
}

func (l *servedList) appendList(ctx context.Context, dst []byte, cursor string) ([]byte, *rpc.Failure) {
	visible := l.server.visibleIn(ctx)
	list, err := l.appendTo(ctx, dst, cursor, visible)
	switch {
	case visible != nil && ctx.Err() != nil:
		return nil, rpc.InternalFailure(l.method, context.Cause(ctx)) // and not half a list
	case err != nil:
		return nil, featureFailure(ctx, l.method, err)
	}
	return list, nil
}
