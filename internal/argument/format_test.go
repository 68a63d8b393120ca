package argument

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// formatTable returns values of each format, most of them from the test suite of
// JSON Schema 2020-12.
func formatTable(t testing.TB) map[string]struct{ Valid, Invalid []string } {
	t.Helper()
	raw, err := os.ReadFile("testdata/formats.json")
	require.NoError(t, err)
	var table map[string]struct{ Valid, Invalid []string }
	require.NoError(t, json.Unmarshal(raw, &table))
	return table
}

// Each format is checked, and hints and errors say what a value of it is.
func TestFormats(t *testing.T) {
	t.Parallel()
	table := formatTable(t)
	assert.Len(t, table, len(formats))
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, table, f.name)
			require.NotEmpty(t, table[f.name].Valid)
			s := &jsonschema.Schema{Format: f.name}
			assert.Equal(t, f.expected, hintOf[string](t, s))
			for _, v := range table[f.name].Valid {
				got, problems := readAs[string](t, v, s)
				assert.Empty(t, problems, "%q", v)
				assert.Equal(t, v, got)
			}
			for _, v := range table[f.name].Invalid {
				_, problems := readAs[string](t, v, s)
				if assert.Len(t, problems, 1, "%q", v) {
					assert.Equal(t, Problem{Argument: "a", Reason: "format", Message: "must be " + f.expected + ", got " + phrase.Quote(v), Allowed: f.name}, problems[0])
				}
			}
		})
	}
}

// Regular expressions of a client are short, because each byte may take much memory.
func TestRegexIsShort(t *testing.T) {
	t.Parallel()
	s := &jsonschema.Schema{Format: "regex"}
	_, problems := readAs[string](t, strings.Repeat("x", maxRegex), s)
	assert.Empty(t, problems)
	_, problems = readAs[string](t, strings.Repeat("x", maxRegex+1), s)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Message, "must be a regular expression of at most 1000 bytes")
}

// The checks of formats agree with the standard library and with each other.
func FuzzFormats(f *testing.F) {
	for _, values := range formatTable(f) {
		for _, v := range append(values.Valid, values.Invalid...) {
			f.Add(v)
		}
	}
	differs := regexp.MustCompile(`:60|[+-]24`) // a leap second, and an offset that package time accepts
	clock := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`)
	f.Fuzz(func(t *testing.T, text string) {
		isValid := map[string]bool{}
		for _, format := range formats {
			isValid[format.name] = format.check(text)
		}
		if isValid["ipv4"] && isValid["ipv6"] || isValid["uri"] && !isValid["uri-reference"] {
			t.Errorf("%q: %v", text, isValid)
		}
		if clock.MatchString(text) && !differs.MatchString(text) {
			var at time.Time
			if err := at.UnmarshalText([]byte(text)); isValid["date-time"] != (err == nil) {
				t.Errorf("%q: date-time is %v, time.Time says %v", text, isValid["date-time"], err)
			}
		}
		if isValid["hostname"] && !formats[4].check("x@"+text) {
			t.Errorf("%q is a host name, but not of an email address", text)
		}
	})
}
