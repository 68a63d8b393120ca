package prompttools

import (
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/promptfeature"
)

// This file serves tools/list. A page is a copy of entries that tool.go has encoded.

var errCursor = &prompts.Error{Code: prompts.CodeInvalidParams, Message: "invalid cursor; use nextCursor from a tools/list response, or omit it to start over", Data: map[string]string{"param": "cursor"}}

// list is the method tools/list.
func (s *server) list(c *feature.Call, dst []byte) ([]byte, feature.Work, error) {
	params := call.Params(c)
	if err := wire.CheckCase(params, "cursor", "_meta"); err != nil {
		return nil, feature.Work{}, err
	}
	from := params.Get("cursor")
	switch from.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.String:
		if from.Text() == "" {
			return nil, feature.Work{}, errCursor
		}
	default:
		return nil, feature.Work{}, wire.WrongKind("cursor", "params.cursor", "a string", from)
	}
	rev, _ := revision.Parse(c.Version())
	return promptfeature.List(c, dst, promptfeature.Listing{Cursor: strings.Clone(from.Text()), Append: func(dst []byte, from string, visible func(string) bool) ([]byte, error) {
		after, err := parseCursor("tools", from)
		if err != nil {
			return nil, err
		}
		dst = append(dst, '{')
		dst = appendPage(dst, "tools", s.all.Load(), after, s.options.PageSize, visible, func(t *tool) []byte { return t.listed[rev] })
		return append(dst, '}'), nil
	}})
}

// parseCursor returns the name after which a page of a list begins; empty for the
// first.
func parseCursor(list, from string) (after string, err error) {
	if from == "" {
		return "", nil
	}
	after, ok := cursor.Parse(list, from, cursor.MaxName)
	if !ok {
		return "", errCursor
	}
	return after, nil
}

// reserveAfter is the number of entries by whose size a page is reserved.
const reserveAfter = 16

// appendPage appends the members of a page, without the braces. A page has size entries
// at most, and a limit in bytes. If visible is not nil
// it chooses the prompts.
func appendPage(dst []byte, list string, tools *ordmap.Map[*tool], after string, size int, visible func(string) bool, text func(*tool) []byte) []byte {
	dst = strictjson.AppendString(dst, list)
	dst = append(dst, ":["...)
	begin, n, last := len(dst), 0, ""
	for name, t := range tools.After(after) { // no name is empty
		if t.prompt != "" && visible != nil && !visible(t.prompt) {
			continue
		}
		entry := text(t)
		if n == size || n > 0 && len(dst)-begin+len(",")+len(entry) > cursor.MaxPage {
			dst = append(dst, `],"nextCursor":"`...)
			dst = cursor.Append(dst, list, last)
			return append(dst, '"')
		}
		if n == reserveAfter && visible == nil { // the others may be of about the same size
			dst = slices.Grow(dst, min((len(dst)-begin)/n*(min(size, tools.Len())-n), cursor.MaxPage))
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, entry...)
		n, last = n+1, name
	}
	return append(dst, ']')
}
