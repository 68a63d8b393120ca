// Package cursor writes and reads the cursors of lists. A cursor is the name after
// which a page begins, so it is valid on every replica, after every restart and
// however the list has changed. It is not secret: the checksum is against accidents
// and against cursors of other lists, the version for later forms.
//
//	base64url( version, CRC-32 of the list and the name, name )
package cursor

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

const (
	version = 1
	header  = 1 + crc32.Size
)

var encoding = base64.RawURLEncoding.Strict()

// Append appends the cursor of the page of a list after the name. The list is empty
// for prompts/list.
func Append(dst []byte, list, name string) []byte {
	raw := make([]byte, header, header+len(name))
	raw = append(raw, name...)
	raw[0] = version
	binary.BigEndian.PutUint32(raw[1:], checksum(list, raw[header:]))
	return encoding.AppendEncode(dst, raw)
}

// MaxName is the maximum size in bytes of what a cursor of most lists holds: of the
// name of a prompt, and of the URI of a resource.
const MaxName = 4096

// Parse returns the name in a cursor of a list, and reports whether it is one. most is the maximum
// size of a name of the list in bytes: anything longer is forged, and is not decoded.
func Parse(list, cursor string, most int) (after string, ok bool) {
	if len(cursor) > encoding.EncodedLen(header+most) {
		return "", false
	}
	raw, err := encoding.DecodeString(cursor)
	if err != nil || strings.Contains(cursor, "\r") || strings.Contains(cursor, "\n") || // which the decoder ignores
		len(raw) <= header || raw[0] != version {
		return "", false
	}
	name := raw[header:]
	if binary.BigEndian.Uint32(raw[1:]) != checksum(list, name) || !utf8.Valid(name) {
		return "", false
	}
	return string(name), true
}

// Read returns the cursor in the params of a method that lists; empty for the first page.
func Read(params strictjson.Value, method string) (string, *transport.Error) {
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
		return "", invalid(method)
	}
	return c.Text(), nil
}

// After is [Parse] for a cursor that may be empty, and returns the error for the client.
func After(list, cursor, method string) (after string, err *transport.Error) {
	if cursor == "" {
		return "", nil
	}
	after, ok := Parse(list, cursor, MaxName)
	if !ok {
		return "", invalid(method)
	}
	return after, nil
}

func invalid(method string) *transport.Error {
	return wire.InvalidParam("cursor", "invalid cursor; use nextCursor from a %s response, or omit it to start over", method)
}

func checksum(list string, name []byte) uint32 {
	sum := uint32(0)
	if list != "" {
		sum = crc32.ChecksumIEEE([]byte(list))
	}
	return crc32.Update(sum, crc32.IEEETable, name)
}
