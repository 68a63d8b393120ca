package syntax

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

var iconSize = regexp.MustCompile(`^([1-9][0-9]*x[1-9][0-9]*|any)$`)

// CheckIcon returns everything that is wrong with the members of an icon.
func CheckIcon(src, mimeType string, sizes []string, theme string) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := CheckURI(src); err != nil {
		fault("src %q: %w", phrase.Clip(src, 128), err)
	} else if scheme, _, _ := strings.Cut(strings.ToLower(src), ":"); scheme != "https" && scheme != "http" && scheme != "data" {
		fault("src %q must be an https, http or data URI", phrase.Clip(src, 128))
	}
	if mimeType != "" {
		if err := CheckMIMEType(mimeType); err != nil {
			fault("MIME type %q: %w", phrase.Clip(mimeType, 128), err)
		}
	}
	for _, s := range sizes {
		if !iconSize.MatchString(s) {
			fault(`invalid size %q; use a form such as "48x48", or "any"`, phrase.Clip(s, 32))
		}
	}
	if theme != "" && theme != "light" && theme != "dark" {
		fault(`unknown theme %q; use "light" or "dark"`, phrase.Clip(theme, 32))
	}
	return faults
}
