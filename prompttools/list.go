package prompttools

import (
	"errors"
	"strings"

	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file serves tools/list. A page is a copy of entries that tool.go has encoded.

var errNoServer = errors.New("prompttools: the Call is not that of a server")

func (s *server) list(c call.Call, dst []byte) ([]byte, call.Work, error) {
	request := rpc.CallOf(c)
	if request == nil {
		return nil, call.Work{}, errNoServer
	}
	from, invalid := cursor.Read(request.Parsed(), "tools/list")
	if invalid != nil {
		return nil, call.Work{}, invalid
	}
	rev, _ := revision.Parse(c.Version())
	return promptfeature.List(c, dst, promptfeature.Listing{Cursor: strings.Clone(from), Append: func(dst []byte, from string, visible func(string) bool) ([]byte, error) {
		after, invalid := cursor.After("tools", from, "tools/list")
		if invalid != nil {
			return nil, invalid
		}
		dst = append(dst, '{')
		dst = appendPage(dst, "tools", s.all.Load(), after, s.options.PageSize, visible, func(t *tool) []byte { return t.listed[rev] })
		return append(dst, '}'), nil
	}})
}

// appendPage appends the members of a page, without the braces. If visible is not nil, it
// chooses the prompts.
func appendPage(dst []byte, list string, tools *ordmap.Map[*tool], after string, size int, visible func(string) bool, text func(*tool) []byte) []byte {
	total := tools.Len()
	if visible != nil {
		total = 0
	}
	page := cursor.NewPage(append(strictjson.AppendString(dst, list), ":["...), list, size, total)
	for name, t := range tools.After(after) { // no name is empty
		if (t.prompt == "" || visible == nil || visible(t.prompt)) && !cursor.Add(&page, name, text(t)) {
			break
		}
	}
	return page.End()
}
