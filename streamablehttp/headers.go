package streamablehttp

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/transport"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

func mismatch(format string, args ...any) error {
	return &prompts.Error{Code: transport.CodeHeaderMismatch, Message: fmt.Sprintf(format, args...)}
}

// singleHeader returns the value of a header. It rejects a repeated header, of which a
// proxy may read another copy (GAP-49). Identical copies of the protocol version are one:
// users configure the header that their client sends as well.
func singleHeader(h http.Header, name string) (value string, ok bool, err error) {
	values := h[name]
	if name == headerVersion && len(values) > 0 {
		first, other, differs := distinct(values)
		if differs {
			return "", false, mismatch("header %s has the different values %s and %s; send one value", name, phrase.Quote(first), phrase.Quote(other))
		}
		return first, true, nil
	}
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	}
	return "", false, mismatch("header %s must be sent only once", name)
}

// distinct returns the first value of a header, and the next one that differs, if any. The
// values are in fields, or a proxy has joined the fields by commas.
func distinct(fields []string) (first, other string, differs bool) {
	if len(fields) == 1 && !strings.Contains(fields[0], ",") {
		return fields[0], "", false // what every client sends
	}
	const blank = " \t"
	first, _, _ = strings.Cut(fields[0], ",")
	first = strings.Trim(first, blank)
	for _, field := range fields {
		for value := range strings.SplitSeq(field, ",") {
			if value = strings.Trim(value, blank); value != first {
				return first, value, true
			}
		}
	}
	return first, "", false
}

func isStateful(version string) bool {
	r, ok := revision.Parse(version)
	return ok && !r.Stateless()
}

// isStateless reports whether a protocol version, which may be unknown, is newer than
// all versions with sessions.
func isStateless(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && version > revision.NewestStateful().String()
}

func versionList(match func(version string) bool) string {
	var versions []string
	for _, r := range revision.All() {
		if v := r.String(); match(v) {
			versions = append(versions, v)
		}
	}
	return strings.Join(versions, ", ")
}

// namedMethods are the methods whose name is in a header: prompts/get and
// methods that the application may serve.
var namedMethods = []string{"prompts/get", "resources/read", "tools/call"}

// checkRoutingHeaders compares the method and the name of a stateless request
// with its headers (GAP-10).
func checkRoutingHeaders(h http.Header, r transport.RequestInfo) error {
	if err := checkHeader(h, headerMethod, r.Method); err != nil {
		return err
	}
	if !slices.Contains(namedMethods, r.Method) || !r.HasName { // GAP-50
		return nil
	}
	value, ok, err := singleHeader(h, headerName)
	switch {
	case err != nil:
		return err
	case !ok:
		return mismatch("missing header %s (required in 2026-07-28)", headerName)
	}
	name, ok := decodeName(value)
	if !ok {
		return mismatch("header %s must be text without control characters, or Base64 of text between =?base64? and ?=", headerName)
	}
	if name != r.Name {
		return mismatch("header %s is %s, but the request names %s", headerName, phrase.Quote(name), phrase.Quote(r.Name))
	}
	return nil
}

func checkHeader(h http.Header, name, want string) error {
	value, ok, err := singleHeader(h, name)
	switch {
	case err != nil:
		return err
	case !ok:
		return mismatch("missing header %s (required in 2026-07-28)", name)
	case value != want:
		return mismatch("header %s is %s, but the request has %s", name, phrase.Quote(value), phrase.Quote(want))
	}
	return nil
}

// decodeName decodes the name in a header: verbatim, or in Base64 between two markers (HTN-21).
func decodeName(value string) (name string, ok bool) {
	encoded, isEncoded := strings.CutPrefix(value, "=?base64?")
	if isEncoded {
		encoded, isEncoded = strings.CutSuffix(encoded, "?=")
	}
	if !isEncoded {
		// A verbatim name is accepted if it is valid text.
		return value, utf8.ValidString(value) && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f })
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") || !utf8.Valid(raw) {
		return "", false
	}
	return string(raw), true
}

// accepts reports whether a client takes a media type: without the header it takes any (GAP-33).
// What the header says of the type itself counts for more than what it says of a family or of all.
func accepts(h http.Header, mediaType string) bool {
	values := h["Accept"]
	if strings.Join(values, "") == "" {
		return true
	}
	if len(values) == 1 && values[0] == "application/json, text/event-stream" {
		return true // what every client sends
	}
	family, _, _ := strings.Cut(mediaType, "/")
	ranges := []string{"*/*", family + "/*", mediaType}
	best, takes := -1, false
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			t, params, err := mime.ParseMediaType(strings.TrimSpace(part))
			if err != nil {
				continue
			}
			if i := slices.Index(ranges, t); i >= 0 && i >= best {
				takes = !isZero(params["q"]) || i == best && takes
				best = i
			}
		}
	}
	return takes
}

func isZero(q string) bool {
	return q != "" && strings.Trim(q, "0.") == ""
}

// isEncoded reports whether the body has a coding, which another reader in front
// of this one may have taken off.
func isEncoded(h http.Header) bool {
	return slices.ContainsFunc(h["Content-Encoding"], func(coding string) bool {
		return coding != "" && !strings.EqualFold(coding, "identity")
	})
}

func isJSON(h http.Header) bool {
	said := h.Get("Content-Type")
	if said == "application/json" { // what every client says
		return true
	}
	t, _, err := mime.ParseMediaType(said)
	return err == nil && t == "application/json"
}
