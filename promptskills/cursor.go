package promptskills

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"unicode/utf8"
)

// A cursor names the element after which a page begins, so it is valid on every
// replica, after a restart and however the list has changed. The checksum covers
// the list, too: a cursor of another list is rejected.
//
//	base64url( version, CRC-32 of list and name, name )

const cursorVersion = 2 // 1 is that of prompts

var cursorEncoding = base64.RawURLEncoding.Strict()

func checksum(method, uri, name string) uint32 {
	return crc32.ChecksumIEEE([]byte(method + "\x00" + uri + "\x00" + name))
}

// appendCursor appends the cursor after a name.
func appendCursor(dst []byte, q *request, name string) []byte {
	raw := append(make([]byte, 0, 5+len(name)), cursorVersion)
	raw = binary.BigEndian.AppendUint32(raw, checksum(q.method, q.uri, name))
	return cursorEncoding.AppendEncode(dst, append(raw, name...))
}

// parseCursor returns the name in a cursor of a list.
func parseCursor(method, uri, cursor string) (name string, ok bool) {
	raw, err := cursorEncoding.DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || len(raw) <= 5 || raw[0] != cursorVersion {
		return "", false
	}
	name = string(raw[5:])
	return name, utf8.ValidString(name) && binary.BigEndian.Uint32(raw[1:]) == checksum(method, uri, name)
}

// page appends the elements of one page. Without a cursor they are all.
type page struct {
	q    *request
	dst  []byte
	size int
	n    int
	last string // the name of the last element
	more bool
}

// add appends an element, unless the page is full: then it reports false.
func (p *page) add(name string, encode func(dst []byte) []byte) bool {
	if p.n == p.size {
		p.more = true
		return false
	}
	if p.n > 0 {
		p.dst = append(p.dst, ',')
	}
	p.n++
	p.last, p.dst = name, encode(p.dst)
	return true
}

// end appends the end of the list and the cursor.
func (p *page) end() []byte {
	p.dst = append(p.dst, ']')
	if p.more {
		p.dst = append(p.dst, `,"nextCursor":"`...)
		p.dst = append(appendCursor(p.dst, p.q, p.last), '"')
	}
	return append(p.dst, '}')
}
