// Package toolname makes names of tools, and keys of their arguments, of the characters
// that the APIs of models accept.
package toolname

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxName is the size of the longest name of a tool in bytes, by the specification.
	MaxName = 128
	// MaxKey is the size of the longest key of an argument in bytes. With a longer key, the
	// API of Anthropic rejects all tools of a request. It checks the properties of the
	// schema, and no members inside of them.
	MaxKey = 64
)

// portable are the characters that Escape keeps. The specification allows "." too, but
// the APIs of models do not: some clients fail altogether if one tool has a ".".
const portable = letters + "_"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

// looksEscaped reports whether a text begins with what would be read as an escape. Its end
// may be a "_" of the name, or the "_" that begins the escape of another character.
func looksEscaped(text string) bool {
	digits, ok := strings.CutPrefix(text, "_x")
	rest := strings.TrimLeft(digits, "0123456789abcdef")
	return ok && rest != "" && len(rest) < len(digits) && !strings.Contains(letters, rest[:1])
}

// Escape returns the name in the portable characters, and in most bytes at most. Any other
// character becomes "_x", its Unicode number in hexadecimal and "_". A "_" that begins such an
// escape already becomes "_x5f_". A longer name is cut, and ends with a digest of the name.
// Different names have different escapes: each leads back to its name, or has a digest. The escape
// depends on the name alone, so all replicas have the same.
func Escape(name string, most int) string {
	if escaped := escape(name, ""); len(escaped) <= most {
		return escaped
	}
	return withDigest(name, name, most)
}

func escape(name, next string) string {
	var b strings.Builder
	whole := name + next
	for i, r := range name {
		if !strings.ContainsRune(portable, r) || r == '_' && looksEscaped(whole[i:]) {
			fmt.Fprintf(&b, "_x%x_", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// withDigest returns the beginning of the escape of a name, with a digest of a text, in most
// bytes at most. The digest has the form of an escape, with more digits than that of a
// character: no name that is not cut has such an escape.
func withDigest(name, of string, most int) string {
	sum := sha256.Sum256([]byte(of))
	digest := fmt.Sprintf("_x%x_", sum[:8])
	room, end, size := most-len(digest), len(name), 0
	for i, r := range name {
		if size += len(escape(string(r), "")); size > room {
			end = i
			break
		}
	}
	for { // a few times: a "_" at the end may begin what looks like an escape with the digest
		if escaped := escape(name[:end], digest); len(escaped) <= room {
			return escaped + digest
		}
		_, last := utf8.DecodeLastRuneInString(name[:end])
		end -= last
	}
}

// Keys returns the keys of the arguments whose names are no keys, by name; nil without any.
// A key is the escape of the name. If another argument has the key as its name, a digest of
// the name follows the escape.
func Keys(names []string) map[string]string {
	var others []string
	for _, name := range names {
		if !isKey(name) {
			others = append(others, name)
		}
	}
	if others == nil {
		return nil
	}
	taken := map[string]bool{"": true}
	for _, name := range names {
		taken[name] = true
	}
	keys := make(map[string]string, len(others))
	for _, name := range slices.Sorted(slices.Values(others)) {
		key := Escape(name, MaxKey)
		for n := 1; taken[key]; n++ {
			key = withDigest(name, name+"\x00"+strconv.Itoa(n), MaxKey)
		}
		taken[key], keys[name] = true, key
	}
	return keys
}

func isKey(name string) bool {
	return name != "" && len(name) <= MaxKey && strings.Trim(name, portable+".") == ""
}
