package interop_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// corpusDir is described in internal/strictjson's corpus_test.go.
const corpusDir = "../strictjson/testdata/corpus"

// corpusDepth is the limit that the corpus is about.
const corpusDepth = 128

// nodeReads has JSON.parse read texts: one a line, in hexadecimal digits. It
// prints what it makes of each, in the form of spelt, or "refused"; or "deep",
// of what it accepts but cannot walk through.
const nodeReads = `
const hex = s => Array.from({length: s.length}, (_, i) => s.charCodeAt(i).toString(16).padStart(4, "0")).join("")
const bits = n => { const b = Buffer.alloc(8); b.writeDoubleBE(n); return b.toString("hex") }
const spell = v => {
	if (v === null || typeof v === "boolean") return String(v)
	if (typeof v === "number") return "n" + bits(v)
	if (typeof v === "string") return "s" + hex(v)
	if (Array.isArray(v)) return "[" + v.map(spell).join(",") + "]"
	return "{" + Object.keys(v).map(k => "s" + hex(k) + ":" + spell(v[k])).sort().join(",") + "}"
}
const utf8 = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true})
for (const line of require("fs").readFileSync(0, "latin1").split("\n").slice(0, -1)) {
	let v
	try { v = JSON.parse(utf8.decode(Buffer.from(line, "hex"))) } catch { console.log("refused"); continue }
	try { console.log(spell(v)) } catch { console.log("deep") }
}
`

// spelt returns a value as nodeReads does: numbers by the bits of their
// float64, strings by their code units, the keys of objects sorted.
func spelt(t *testing.T, v strictjson.Value) string {
	t.Helper()
	spellString := func(s string) string {
		var b strings.Builder
		b.WriteByte('s')
		for _, unit := range utf16.Encode([]rune(s)) {
			fmt.Fprintf(&b, "%04x", unit)
		}
		return b.String()
	}
	var parts []string
	switch v.Kind() {
	case strictjson.Number:
		f, err := strconv.ParseFloat(v.Raw(), 64)
		if err != nil {
			require.ErrorIs(t, err, strconv.ErrRange)
		}
		return fmt.Sprintf("n%016x", math.Float64bits(f))
	case strictjson.String:
		return spellString(v.Text())
	case strictjson.Array:
		for element := range v.Elements() {
			parts = append(parts, spelt(t, element))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case strictjson.Object:
		for name, member := range v.Members() {
			parts = append(parts, spellString(name)+":"+spelt(t, member))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	default:
		return v.Raw()
	}
}

// A second opinion about what is JSON, and what it means: node accepts what
// this library accepts, and reads the same, and accepts nothing else but what
// the corpus says. Two parsers that differ about a message are a way past the
// one that checks it.
func TestJSONAgainstNode(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Node.js")
	}
	node, err := exec.LookPath("node")
	require.NoError(t, err, "install Node.js 20 or later")
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)

	type text struct {
		name, src        string
		accepts, differs bool // as the corpus says; differs is about node
	}
	var texts []text
	var in bytes.Buffer
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(fields) < 4 {
				continue // blank, or a comment
			}
			x := text{name: filepath.Base(file) + ": " + fields[1], src: unquoteAll(t, fields[2]), accepts: fields[0] == "accept"}
			x.differs = len(fields) > 4 && slices.Contains(strings.Fields(fields[4]), "node")
			texts = append(texts, x)
			in.WriteString(hex.EncodeToString([]byte(x.src)) + "\n")
		}
	}
	require.Greater(t, len(texts), 400)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "-e", nodeReads)
	cmd.Stdin = &in
	out, err := cmd.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, lines, len(texts))
	var doc strictjson.Doc
	for i, x := range texts {
		err := doc.Parse(x.src, corpusDepth)
		assert.Equal(t, x.accepts, err == nil, "%s: %v", x.name, err)
		switch {
		case x.accepts:
			assert.Equal(t, spelt(t, doc.Root()), lines[i], x.name)
		case x.differs:
			assert.NotEqual(t, "refused", lines[i], x.name)
		default:
			assert.Equal(t, "refused", lines[i], x.name)
		}
	}
}

// unquoteAll reads a text of the corpus: Go string literals, each of which may
// be followed by "*" and how often it is repeated.
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
