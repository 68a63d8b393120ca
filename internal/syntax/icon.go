package syntax

import (
	"fmt"
	"regexp"
	"strings"
)

var iconSize = regexp.MustCompile(`^([1-9][0-9]*x[1-9][0-9]*|any)$`)

// CheckIcon returns all errors of the members of an icon. quote returns the name of a
// member, with its value if the value may be in an error.
func CheckIcon(src, mimeType string, sizes []string, theme string, quote func(name, value string) string) (errs []error) {
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if scheme, _, found := strings.Cut(strings.ToLower(src), ":"); !found || scheme != "https" && scheme != "http" && scheme != "data" {
		add("%s must be an https, http or data URI", quote("src", src))
	} else if err := CheckURI(src); err != nil {
		add("%s: %w", quote("src", src), err)
	}
	if mimeType != "" {
		if err := CheckMIMEType(mimeType); err != nil {
			add("%s: %w", quote("MIME type", mimeType), err)
		}
	}
	for _, s := range sizes {
		if !iconSize.MatchString(s) {
			add(`invalid %s; use a form such as "48x48", or "any"`, quote("size", s))
		}
	}
	if theme != "" && theme != "light" && theme != "dark" {
		add(`unknown %s; use "light" or "dark"`, quote("theme", theme))
	}
	return errs
}
