package strictjson_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// corpusDepth is the limit that testdata/corpus is about.
const corpusDepth = 128

// A verdict is a line of testdata/corpus, whose fields tabs separate:
//
//	accept  NAME  TEXT  VALUE
//	syntax  NAME  TEXT  REASON  [ACCEPTED BY]
//	rule    NAME  TEXT  RULE    ACCEPTED BY
//
// TEXT is the text as Go string literals, each of which may be followed by
// "*" and how often it is repeated. VALUE is what it means, with the keys of
// objects in their order, strings quoted in ASCII as Go quotes them, and
// numbers as they are written. ACCEPTED BY are the parsers that take the text
// all the same: go is encoding/json, node is JSON.parse, which internal/interop
// asks.
type verdict struct {
	kind, name, text, want string
	acceptedBy             []string
}

// verdicts returns the lines of testdata/corpus, by file.
func verdicts(t *testing.T) map[string][]verdict {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]verdict{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			fields := strings.Split(line, "\t")
			require.GreaterOrEqual(t, len(fields), 4, line)
			v := verdict{kind: fields[0], name: fields[1], text: unquoteAll(t, fields[2]), want: fields[3]}
			if len(fields) > 4 {
				v.acceptedBy = strings.Fields(fields[4])
			}
			name := strings.TrimSuffix(filepath.Base(file), ".txt")
			all[name] = append(all[name], v)
		}
	}
	return all
}

// unquoteAll reads a TEXT.
func unquoteAll(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		literal, err := strconv.QuotedPrefix(s)
		require.NoError(t, err, s)
		text, err := strconv.Unquote(literal)
		require.NoError(t, err, s)
		s = s[len(literal):]
		times := 1
		if rest, ok := strings.CutPrefix(s, "*"); ok {
			number, behind, _ := strings.Cut(rest, " ")
			times, err = strconv.Atoi(number)
			require.NoError(t, err, s)
			s = behind
		}
		b.WriteString(strings.Repeat(text, times))
	}
	return b.String()
}

// shown returns a value as VALUE does.
func shown(v strictjson.Value) string {
	var parts []string
	switch v.Kind() {
	case strictjson.String:
		return strconv.QuoteToASCII(v.Text())
	case strictjson.Array:
		for element := range v.Elements() {
			parts = append(parts, shown(element))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case strictjson.Object:
		for name, member := range v.Members() {
			parts = append(parts, strconv.QuoteToASCII(name)+":"+shown(member))
		}
		return "{" + strings.Join(parts, ",") + "}"
	default:
		return v.Raw()
	}
}

// differences are why encoding/json accepts what this package does not. There
// is nothing that it refuses and this package accepts.
var differences = map[string]string{
	string(strictjson.InvalidUTF8):          "it reads each invalid byte as U+FFFD: two names that differ on the wire become one",
	ruleNames[strictjson.UnpairedSurrogate]: "it reads the escape as U+FFFD, where others keep a surrogate that has no UTF-8",
	ruleNames[strictjson.DuplicateKey]:      "it takes the last of the values, others take the first: what one layer checks, another does not use",
	ruleNames[strictjson.Depth]:             "it has a limit of its own, 10,000, which is more than those who get the value can be expected to bear",
}

var ruleNames = map[strictjson.Rule]string{strictjson.DuplicateKey: "duplicate key", strictjson.Depth: "depth", strictjson.UnpairedSurrogate: "unpaired surrogate escape"}

// GAP-13, GAP-14: what is JSON, what is not, and what of JSON is refused.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for file, lines := range verdicts(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			names := map[string]bool{}
			var doc strictjson.Doc
			for _, v := range lines {
				assert.False(t, names[v.name], "%s: there are two", v.name)
				names[v.name] = true
				err := doc.Parse(v.text, corpusDepth)
				var syntax *strictjson.SyntaxError
				var broken *strictjson.RuleError
				switch {
				case v.kind == "accept":
					if assert.NoError(t, err, v.name) {
						assert.Equal(t, v.want, shown(doc.Root()), v.name)
					}
				case v.kind == "syntax" && errors.As(err, &syntax):
					assert.Equal(t, v.want, string(syntax.Reason), v.name)
					assert.LessOrEqual(t, syntax.Offset, len(v.text), v.name)
					assert.Equal(t, strictjson.Invalid, doc.Root().Kind(), v.name)
				case v.kind == "rule" && errors.As(err, &broken):
					assert.Equal(t, v.want, ruleNames[broken.Rule], v.name)
					assert.Equal(t, v.text, doc.Root().Raw(), v.name)
				default:
					t.Errorf("%s: it is %s by the corpus, but Parse has returned %v", v.name, v.kind, err)
				}
			}
		})
	}
}

// encoding/json reads the same values, and accepts nothing else but what the
// corpus says, for one of the reasons of differences.
func TestCorpusAgainstEncodingJSON(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, lines := range verdicts(t) {
		for _, v := range lines {
			want := v.kind == "accept"
			for _, by := range v.acceptedBy {
				if by == "go" {
					want = true
					assert.Contains(t, differences, v.want, v.name)
					used[v.want] = true
				}
			}
			if assert.Equal(t, want, json.Valid([]byte(v.text)), v.name) && v.kind == "accept" {
				assert.Equal(t, v.want, shownByTokens(t, v.text), v.name)
			}
		}
	}
	assert.Len(t, used, len(differences), "a difference that no case shows")
}

// shownByTokens is shown of what encoding/json makes of a text.
func shownByTokens(t *testing.T, text string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value func() string
	value = func() string {
		token, err := decoder.Token()
		require.NoError(t, err)
		var parts []string
		switch token {
		case json.Delim('['):
			for decoder.More() {
				parts = append(parts, value())
			}
		case json.Delim('{'):
			for decoder.More() {
				key := value()
				parts = append(parts, key+":"+value())
			}
		default:
			if s, ok := token.(string); ok {
				return strconv.QuoteToASCII(s)
			}
			if token == nil {
				return "null"
			}
			raw, err := json.Marshal(token) // a number or a literal
			require.NoError(t, err)
			return string(raw)
		}
		end, err := decoder.Token()
		require.NoError(t, err)
		return token.(json.Delim).String() + strings.Join(parts, ",") + end.(json.Delim).String()
	}
	return value()
}
