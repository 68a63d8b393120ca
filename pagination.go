package prompts

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// A cursor is the name after which a page begins, so it is good on every
// replica, after every restart and however the list has changed. It is not
// secret: the checksum is against accidents, the version for later forms.
//
//	base64url( version, CRC-32 of the name, name )
const (
	cursorVersion = 1
	cursorHeader  = 1 + crc32.Size
)

// opaqueEncoding is the alphabet of what clients only pass back.
var opaqueEncoding = base64.RawURLEncoding.Strict()

// appendCursor appends the cursor of the page after the name.
func appendCursor(dst []byte, name string) []byte {
	raw := make([]byte, 0, cursorHeader+len(name))
	raw = append(raw, cursorVersion)
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE([]byte(name)))
	raw = append(raw, name...)
	return opaqueEncoding.AppendEncode(dst, raw)
}

// parseCursor returns the name in a cursor and reports whether it is one.
func parseCursor(cursor string) (after string, ok bool) {
	raw, err := opaqueEncoding.DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || // which the decoder passes over
		len(raw) <= cursorHeader || raw[0] != cursorVersion {
		return "", false
	}
	name := raw[cursorHeader:]
	if binary.BigEndian.Uint32(raw[1:]) != crc32.ChecksumIEEE(name) || !utf8.Valid(name) {
		return "", false
	}
	return string(name), true
}

// mostReserved is the most that is reserved for a page, in bytes.
const mostReserved = 1 << 20

var errCursor = invalidParam("cursor", "cursor is not one that this server has given")

// after returns the name after which a page begins; empty for the first one.
func (p listParams) after() (string, *Error) {
	if p.cursor == "" {
		return "", nil
	}
	after, ok := parseCursor(p.cursor)
	if !ok {
		return "", errCursor
	}
	return after, nil
}

// listParams are the params of prompts/list.
type listParams struct {
	cursor string // empty for the first page
}

func parseListParams(params strictjson.Value) (listParams, *Error) {
	var p listParams
	if err := checkCase(params, "cursor", "_meta"); err != nil {
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
		return p, &Error{Code: CodeInvalidParams, Message: "cursor must be a string", Data: paramData{"cursor"}}
	}
	return p, nil
}

// appendPage appends the members of a page's result, without the braces. If
// visible is not nil it chooses what there is; the cursor names nothing else.
func appendPage(dst []byte, r *Registry, shape revision.Shape, after string, size int, visible func(*definition) bool) []byte {
	dst = append(dst, `"prompts":[`...)
	n, last := 0, ""
	m := r.snapshot()
	for name, d := range m.After(after) { // no name is empty
		if visible != nil && !visible(d) {
			continue
		}
		if n == size {
			dst = append(dst, `],"nextCursor":"`...)
			dst = appendCursor(dst, last)
			return append(dst, '"')
		}
		if n > 0 {
			dst = append(dst, ',')
		} else if visible == nil { // the others may be of about the same size
			dst = slices.Grow(dst, min((len(d.listed[shape])+1)*min(size, m.Len()), mostReserved))
		}
		dst = append(dst, d.listed[shape]...)
		n, last = n+1, name
	}
	return append(dst, ']')
}
