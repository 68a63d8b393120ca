package cursor_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/cursor"
)

// A cursor given today is valid on any server, after any restart and upgrade
// (PAG-05, PAG-09): its text must not change.
func TestCursorIsStable(t *testing.T) {
	t.Parallel()
	for text, of := range map[string][2]string{
		"AQbF2WRjb2RlX3Jldmlldw": {"", "code_review"},
		"AX-AWgbDqfCfmIA":        {"", "é\U0001F600"},
		"Aei3vkNh":               {"", "a"},
		"AV3SCExh":               {"skills/list", "a"},
	} {
		assert.Equal(t, "before"+text, string(cursor.Append([]byte("before"), of[0], of[1])))
		after, ok := cursor.Parse(of[0], text, cursor.MaxName)
		assert.True(t, ok, text)
		assert.Equal(t, of[1], after)
	}
}

// Anything that Append has not written for the list is no cursor.
func TestInvalidCursors(t *testing.T) {
	t.Parallel()
	valid := string(cursor.Append(nil, "", "abc"))
	changed := func(at int) string {
		raw, err := base64.RawURLEncoding.DecodeString(valid)
		assert.NoError(t, err)
		raw[at]++
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	for why, text := range map[string]string{
		"empty":            "",
		"no name":          string(cursor.Append(nil, "", "")),
		"another version":  changed(0),
		"another checksum": changed(1),
		"another name":     changed(5),
		"another list":     string(cursor.Append(nil, "tools/list", "abc")),
		"not base64":       valid[:3] + "!" + valid[4:],
		"padding":          valid + "==",
		"line break":       valid[:4] + "\n" + valid[4:],
		"carriage return":  valid + "\r",
		"trailing bits":    strings.TrimSuffix(valid, "M") + "N",
		"not UTF-8":        string(cursor.Append(nil, "", "\xff")),
	} {
		_, ok := cursor.Parse("", text, 64)
		assert.False(t, ok, why)
	}
	after, ok := cursor.Parse("", valid, 3)
	assert.True(t, ok)
	assert.Equal(t, "abc", after)
	_, ok = cursor.Parse("", valid, 2)
	assert.False(t, ok, "a name that is too long")
}
