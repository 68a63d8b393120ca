// Package syntax checks strings that other standards define: URIs, MIME types,
// keys of _meta and the members of icons.
package syntax

import (
	"errors"
	"mime"
	"regexp"
	"strings"
)

func CheckMIMEType(s string) error {
	if s == "" {
		return errors.New("required")
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return errors.New("a character that is not printable ASCII")
		}
	}
	if strings.TrimSpace(s) != s {
		return errors.New("space around it") // which mime.ParseMediaType accepts
	}
	t, _, err := mime.ParseMediaType(s)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "mime: "))
	}
	if !strings.Contains(t, "/") {
		return errors.New("no subtype")
	}
	if strings.Contains(t, "*") {
		return errors.New("a wildcard, where one type is needed")
	}
	if strings.HasSuffix(s, ";") {
		return errors.New("nothing after the semicolon") // which mime.ParseMediaType accepts
	}
	return nil
}

var metaLabel = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
var metaName = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)

// CheckMetaKey returns an error if key is not a key of _meta that applications
// may use (MET-01 to MET-04).
func CheckMetaKey(key string) error {
	prefix, name, slash := strings.Cut(key, "/")
	if !slash {
		prefix, name = "", key
	}
	if !metaName.MatchString(name) || key == "" {
		return errors.New("a name must begin and end with a letter or digit, with letters, digits, '-', '_' and '.' between")
	}
	if !slash {
		return nil
	}
	labels := strings.Split(prefix, ".")
	for i, label := range labels {
		if !metaLabel.MatchString(label) {
			return errors.New("a prefix must be labels of letters, digits and hyphens, separated by dots")
		}
		// 2025-06-18 reserves these words as the last label but one, later revisions as the second.
		reserved := label == "modelcontextprotocol" || label == "mcp"
		if reserved && (i == len(labels)-2 || i == 1) {
			return errors.New("the prefix is reserved for the protocol")
		}
	}
	return nil
}
