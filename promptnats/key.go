package promptnats

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Key returns the key for the path of a file. Letters, digits, hyphens, underscores, slashes and
// dots are unchanged. Any other byte becomes = and the byte in hexadecimal: "naïve.md" has the key
// "na=C3=AFve.md". The same applies to a dot at the start or end, after another dot, or before a
// slash. Different paths have different keys.
func Key(path string) string {
	var key strings.Builder
	for i := range len(path) {
		if c := path[i]; isPlain(c) && (c != '.' || isPlainDot(path, i)) {
			key.WriteByte(c)
		} else {
			fmt.Fprintf(&key, "=%02X", c)
		}
	}
	return key.String()
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_/.", c) >= 0
}

func isPlainDot(path string, i int) bool {
	return i > 0 && path[i-1] != '.' && i < len(path)-1 && path[i+1] != '/'
}

// Path returns the path for a key, the inverse of [Key]. It returns an error if the
// key is not valid.
func Path(key string) (string, error) {
	var path strings.Builder
	for rest := key; rest != ""; {
		c, more := rest[0], rest[1:]
		if c == '=' {
			if len(more) < 2 {
				return "", errEscape
			}
			b, err := strconv.ParseUint(more[:2], 16, 8)
			if err != nil {
				return "", errEscape
			}
			c, more = byte(b), more[2:]
		}
		path.WriteByte(c)
		rest = more
	}
	p := path.String()
	switch {
	case !fs.ValidPath(p) || p == "." || strings.ContainsRune(p, 0):
		return "", errors.New("key is not a file path; use a key such as review/code.md")
	case Key(p) != key:
		return "", fmt.Errorf("key is not in canonical form; use %s", Key(p))
	}
	return p, nil
}

var errEscape = errors.New("invalid escape in key: = must be followed by two hexadecimal digits; write = as =3D")

// partMark stands between a prefix and the path of a file.
const partMark = "./"

// place is a part of a bucket, or the bucket.
type place struct{ bucket, prefix string }

func (p place) stem() string { return "$KV." + p.bucket + "." }

func (p place) filter() string {
	if p.prefix == "" {
		return p.stem() + ">"
	}
	return p.stem() + p.prefix + ".>"
}

// news is the subject of the messages of a [Follower] that has caught up.
func (p place) news() string {
	if p.prefix == "" {
		return "promptnats." + p.bucket
	}
	return "promptnats." + p.bucket + "." + p.prefix
}

func (p place) key(path string) string {
	if p.prefix == "" {
		return Key(path)
	}
	return p.prefix + partMark + Key(path)
}

// rest returns the key without the prefix, and reports whether the key belongs to this
// place. Errors in keys of other places are not reported.
func (p place) rest(key string) (string, bool) {
	if p.prefix == "" {
		return key, !strings.Contains(key, partMark)
	}
	return strings.CutPrefix(key, p.prefix+partMark)
}

func (p place) source() string {
	if p.prefix == "" {
		return "promptnats:" + p.bucket + "/"
	}
	return "promptnats:" + p.bucket + "/" + p.prefix + partMark
}
