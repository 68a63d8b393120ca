//go:build go1.27

package strictjson_test

import (
	"encoding/json/jsontext"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// jsontext is strict by default, in the same respects, so its verdict must be the same on every text.

func TestAgainstJSONText(t *testing.T) {
	t.Parallel()
	corpus(func(src string) { compareWithJSONText(t, src) })
	for _, src := range tooSlowToFuzz {
		compareWithJSONText(t, src)
	}
}

func FuzzParseJSONText(f *testing.F) {
	corpus(func(src string) { f.Add(src) })
	f.Fuzz(func(t *testing.T, src string) { compareWithJSONText(t, src) })
}

func compareWithJSONText(t *testing.T, src string) {
	t.Helper()
	var doc strictjson.Doc
	err := doc.Parse(src, oracleDepth)
	require.Equal(t, jsontext.Value(src).IsValid(), err == nil, "%v: %.200q", err, src)
}
