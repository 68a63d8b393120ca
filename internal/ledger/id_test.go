package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// named returns the ids of all mentions in a text.
func named(t *testing.T, text string) []string {
	t.Helper()
	names := []string{}
	for _, m := range mentions(text) {
		require.NoError(t, m.err, text)
		for _, i := range m.ids {
			names = append(names, i.String())
		}
	}
	return names
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"nothing":                          {},
		"ZZZ-01":                           {"ZZZ-01"},
		"(ZZZ-01): and more":               {"ZZZ-01"},
		"ZZZ-01, ZZZ-03 and YYY-02.":       {"ZZZ-01", "ZZZ-03", "YYY-02"},
		"ZZZ-02…04":                        {"ZZZ-02", "ZZZ-03", "ZZZ-04"},
		"ZZZ-02…ZZZ-04":                    {"ZZZ-02", "ZZZ-03", "ZZZ-04"},
		"ZZZ-02...04, ZZZ-07..08":          {"ZZZ-02", "ZZZ-03", "ZZZ-04", "ZZZ-07", "ZZZ-08"},
		"ZZZ-02–03, ZZZ-05-06":             {"ZZZ-02", "ZZZ-03", "ZZZ-05", "ZZZ-06"},
		"ZZZ-02 to ZZZ-04":                 {"ZZZ-02", "ZZZ-03", "ZZZ-04"},
		"(ZZZ-02 to\n\t// ZZZ-04)":         {"ZZZ-02", "ZZZ-03", "ZZZ-04"},
		"ZZZ-02\n// to ZZZ-04":             {"ZZZ-02", "ZZZ-03", "ZZZ-04"},
		"ZZZ-02 to 30 clients":             {"ZZZ-02"},
		"ZZZ-02…":                          {"ZZZ-02"},
		"ZZZ-02\n// ZZZ-04":                {"ZZZ-02", "ZZZ-04"},
		"UTF-16, UTF-32":                   {},
		"SHA-256, zzz-01, ZZZZ-01, ZZZ-1":  {},
		"ZZZ-011, aZZZ-01, ZZZ-01a, ZZ-01": {},
		"`ZZZ-01`, \"ZZZ-02: %s\"":         {"ZZZ-01", "ZZZ-02"},
	} {
		assert.Equal(t, want, named(t, text), text)
	}
}

func TestMentionsOfNoRange(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"ZZZ-04…02", "ZZZ-04…ZZZ-04", "ZZZ-04 to YYY-05", "ZZZ-04-YYY-05"} {
		found := mentions(text)
		if assert.Len(t, found, 1, text) {
			assert.ErrorContains(t, found[0].err, "is no range", text)
			assert.Empty(t, found[0].ids, text)
		}
	}
}

func TestMentionsSayWhere(t *testing.T) {
	t.Parallel()
	found := mentions("é ZZZ-01, YYY-02…03")
	require.Len(t, found, 2)
	assert.Equal(t, 3, found[0].offset, "in bytes")
	assert.Equal(t, 11, found[1].offset)
}
