package prompts

import (
	"errors"
	"fmt"
	"mime"
	"regexp"
	"strings"
)

// checkMIMEType reports why s is no MIME type with a type and a subtype.
func checkMIMEType(s string) error {
	if s == "" {
		return errors.New("required")
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return errors.New("a character that is not printable ASCII")
		}
	}
	if strings.TrimSpace(s) != s {
		return errors.New("space around it") // which the parser passes over
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
		return errors.New("nothing after the semicolon") // which the parser passes over, too
	}
	return nil
}

var iconSize = regexp.MustCompile(`^([1-9][0-9]*x[1-9][0-9]*|any)$`)

// check returns everything that is wrong with an icon.
func (i Icon) check() (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := checkURI(i.Src); err != nil {
		fault("src %q: %w", clip(i.Src, 128), err)
	} else if scheme, _, _ := strings.Cut(strings.ToLower(i.Src), ":"); scheme != "https" && scheme != "http" && scheme != "data" {
		fault("src %q must be an https, http or data URI", clip(i.Src, 128))
	}
	if i.MIMEType != "" {
		if err := checkMIMEType(i.MIMEType); err != nil {
			fault("MIME type %q: %w", clip(i.MIMEType, 128), err)
		}
	}
	for _, s := range i.Sizes {
		if !iconSize.MatchString(s) {
			fault(`size %q is neither such as "48x48" nor "any"`, clip(s, 32))
		}
	}
	if i.Theme != "" && i.Theme != "light" && i.Theme != "dark" {
		fault(`theme %q is neither "light" nor "dark"`, clip(i.Theme, 32))
	}
	return faults
}

var metaLabel = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
var metaName = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)

// checkMetaKey reports why key is no key of _meta that an author may use
// (MET-01 to MET-04).
func checkMetaKey(key string) error {
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
		// 2025-06-18 reserves these words as the last label but one, later
		// revisions as the second.
		reserved := label == "modelcontextprotocol" || label == "mcp"
		if reserved && (i == len(labels)-2 || i == 1) {
			return errors.New("the prefix is reserved for the protocol")
		}
	}
	return nil
}
