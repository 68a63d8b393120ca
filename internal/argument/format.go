package argument

import (
	"fmt"
	"net/netip"
	"reflect"
	"regexp"
	regexpsyntax "regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/syntax"
)

// This file checks the formats of JSON Schema 2020-12. Unlike in the specification
// of JSON Schema a format is a rule, not an annotation.

// Each check is linear in the text. Patterns of package regexp never backtrack.
type format struct {
	name     string
	expected string // such as "a date such as 2026-05-31"
	check    func(text string) bool
}

var formats = []*format{
	{"date", "a date such as 2026-05-31", isDate},
	{"time", "a time of day such as 14:30:00Z", isTimeOfDay},
	{"date-time", "a time such as 2026-05-31T14:30:00Z", isDateTime},
	{"duration", "a duration such as P1DT12H", duration.MatchString},
	{"email", "an email address", isEmail},
	{"hostname", "a host name", isHostname},
	{"ipv4", "an IPv4 address", func(text string) bool { a, err := netip.ParseAddr(text); return err == nil && a.Is4() }},
	{"ipv6", "an IPv6 address", isIPv6},
	{"uri", "a URI such as https://example.com", func(text string) bool { return syntax.CheckURI(text) == nil }},
	{"uri-reference", "a URI or a relative reference", func(text string) bool { return syntax.CheckURIReference(text) == nil }},
	{"uuid", "a UUID", uuid.MatchString},
	{"regex", "a regular expression of at most 1000 bytes", isRegex},
	{"json-pointer", "a JSON pointer such as /a/0", jsonPointer.MatchString},
}

var (
	uuid        = regexp.MustCompile(`^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$`)
	jsonPointer = regexp.MustCompile(`^(/([^~/]|~[01])*)*$`)
	timeOfDay   = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)
	duration    = regexp.MustCompile(`^P([0-9]+W|` + durationDate + `(T` + durationTime + `)?|T` + durationTime + `)$`)
	label       = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?$`)
	// localPart is the part of an email address before the @ (RFC 5321).
	localPart = regexp.MustCompile("^([0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+(\\.[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+)*|\"([ !#-\\[\\]-~]|\\\\[ -~])*\")$")
)

// The parts of a duration of RFC 3339, appendix A, where no unit between two others is left out.
const (
	durationDate = `([0-9]+Y([0-9]+M([0-9]+D)?)?|[0-9]+M([0-9]+D)?|[0-9]+D)`
	durationTime = `([0-9]+H([0-9]+M([0-9]+S)?)?|[0-9]+M([0-9]+S)?|[0-9]+S)`
)

// time.Parse also rejects days that the month does not have.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isTimeOfDay reports whether the text is a full-time of RFC 3339. The second 60 is only valid at
// the end of a day in UTC. time.Parse rejects every second 60, so the leap second is checked by
// hand, with the zone applied.
func isTimeOfDay(text string) bool {
	if !timeOfDay.MatchString(text) {
		return false
	}
	if text[6] != '6' {
		return true
	}
	zone := "+00:00"
	if last := text[len(text)-1]; last != 'Z' && last != 'z' {
		zone = text[len(text)-len(zone):]
	}
	at, err := time.Parse("15:04-07:00", text[:len("15:04")]+zone)
	return err == nil && at.UTC().Format("15:04") == "23:59"
}

// isDateTime reports whether the text is a date-time of RFC 3339, which allows a
// lower-case t and z.
func isDateTime(text string) bool {
	date, clock, ok := strings.Cut(strings.ToUpper(text), "T")
	return ok && isDate(date) && isTimeOfDay(clock)
}

// isEmail reports whether the text is a Mailbox of RFC 5321: with a host name or an
// address literal after the last @. A local part has 64 bytes at most.
func isEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 0 || at > 64 || !localPart.MatchString(text[:at]) {
		return false
	}
	domain := text[at+1:]
	literal, opens := strings.CutPrefix(domain, "[")
	literal, closes := strings.CutSuffix(literal, "]")
	if !opens || !closes {
		return isHostname(domain)
	}
	if tag := len("IPv6:"); len(literal) > tag && strings.EqualFold(literal[:tag], "IPv6:") {
		return isIPv6(literal[tag:])
	}
	ip, err := netip.ParseAddr(literal)
	return err == nil && ip.Is4()
}

// isHostname reports whether the text is a host name of RFC 1123. It does not
// decode labels of international names, which begin with xn--.
func isHostname(text string) bool {
	if len(text) > 253 {
		return false
	}
	for part := range strings.SplitSeq(text, ".") {
		if !label.MatchString(part) {
			return false
		}
	}
	return true
}

// isIPv6 reports whether the text is an IPv6 address. The format of JSON Schema has no zones.
func isIPv6(text string) bool {
	ip, err := netip.ParseAddr(text)
	return err == nil && ip.Is6() && ip.Zone() == ""
}

// maxRegex limits the bytes of a regular expression. Package regexp takes 700 MB of
// memory to compile x{999}, repeated to 20,000 bytes.
const maxRegex = 1000

// isRegex reports whether regexp.Compile accepts the text. It does not compile the text, which may
// take long. The syntax is that of package regexp and not of ECMAScript: the application is written
// in Go and would compile the text with that package.
func isRegex(text string) bool {
	if len(text) > maxRegex {
		return false
	}
	_, err := regexpsyntax.Parse(text, regexpsyntax.Perl)
	return err == nil
}

// typeFormats are the formats of Go types with a text form of their own. A type
// that is not in the map and has the method UnmarshalText may have any.
var typeFormats = map[reflect.Type][]string{
	typeTime: {"date-time", "date"}, typeURL: {"uri", "uri-reference"}, typeAddr: {"ipv4", "ipv6"},
	typeAddrPort: nil, typePrefix: nil, typeDuration: nil,
}

// formatOf returns the format of a schema, which is checked for the Go type t of the kind k; nil
// without one. The validator checks formats in JSON. A format that contradicts the Go type would
// reject every value that the type accepts.
func formatOf(k schema.Kind, t reflect.Type, s *jsonschema.Schema) (*format, error) {
	if s.Format == "" {
		return nil, nil
	}
	f := formatNamed(s.Format)
	if f == nil {
		return nil, unknownFormat(s.Format)
	}
	known, isKnown := typeFormats[t]
	switch {
	case k == schema.JSON:
		return nil, nil
	case !k.IsString():
		return nil, fmt.Errorf("format applies to strings, but this value is read as %s", k.InstanceType())
	case k == schema.Bytes:
		return nil, fmt.Errorf("format %s conflicts with the type of the value, base64 data; remove the format", s.Format)
	case isKnown && !slices.Contains(known, s.Format):
		return nil, fmt.Errorf("format %s conflicts with the type of the value, %s; remove the format", s.Format, expectedOf(k, t, s))
	}
	return f, nil
}

func formatNamed(name string) *format {
	if i := slices.IndexFunc(formats, func(f *format) bool { return f.name == name }); i >= 0 {
		return formats[i]
	}
	return nil
}

func unknownFormat(name string) error {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return fmt.Errorf("unknown format %s%s; the formats are %s", phrase.Quote(name), nearest.DidYouMean(name, names), strings.Join(names, ", "))
}
