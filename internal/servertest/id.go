package servertest

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// integer matches a JSON number without a fraction and an exponent.
var integer = regexp.MustCompile(`^-?[0-9]+$`)

// surrogates matches escapes of two bytes and of six, and pairs of the latter that are one
// character.
var surrogates = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.`)

// hasHalf reports whether a JSON string has an escape for half of a surrogate pair.
func hasHalf(raw string) bool {
	for _, escape := range surrogates.FindAllString(raw, -1) {
		if len(escape) == 6 && strings.ContainsAny(escape[2:3], "dD") && escape[3] >= '8' {
			return true
		}
	}
	return false
}

// IDOf returns the id that each error response to a message must have, as the client wrote the
// id, and "" if the id cannot be read: the message must be a JSON object with exactly one
// member "id", a string or an integer of at most maxBytes. encoding/json is the reader.
func IDOf(msg string, maxBytes int) string {
	if !utf8.ValidString(msg) || !json.Valid([]byte(msg)) {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(msg))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	var ids []string
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return ""
		}
		if name == "id" {
			ids = append(ids, string(value))
		}
	}
	if len(ids) != 1 || hasHalf(ids[0]) || len(ids[0]) > maxBytes || ids[0][0] != '"' && !integer.MatchString(ids[0]) {
		return ""
	}
	if _, err := d.Token(); err != nil {
		return ""
	}
	if _, err := d.Token(); err != io.EOF {
		return ""
	}
	return ids[0]
}
