package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	zzz = "## ZZZ — a group\n\n" + groupHeader + "\n|---|---|---|---|---|\n"
	yyy = "## YYY — another\n\n" + groupHeader + "\n|---|---|---|---|---|\n"
	gap = "## GAP — open\n\n" + gapHeader + "\n|---|---|---|---|\n"
	out = "## Out of scope\n\n" + scopeHeader + "\n|---|---|\n"
)

func TestParseLedger(t *testing.T) {
	t.Parallel()
	l, faults := parseLedger("# Ledger\n\nText.\n\n## Text\n\nMore.\n\n" + zzz +
		"| ZZZ-01 | MUST | all | One. | page |\n" +
		"| ZZZ-02 | SHOULD NOT‡ | R1 | `a \\| b` is two. | page |\n\n" +
		strings.ReplaceAll(yyy, "\n", "\r\n") +
		"| YYY-01 | MAY | R5 | Three. | page |\r\n\r\n" +
		gap + "| GAP-01 | Why? | Who knows. | Because. |\n\n" +
		out + "| ZZZ-02 | no |\n\n### For good\n\n" + scopeHeader + "\n|---|---|\n| GAP-01 | never |\n")
	assert.Empty(t, faults)
	assert.Equal(t, []row{
		{id{"ZZZ", 1}, "MUST", "One."},
		{id{"ZZZ", 2}, "SHOULD NOT‡", "`a \\| b` is two."},
		{id{"YYY", 1}, "MAY", "Three."},
		{id{"GAP", 1}, "GAP", "Why?"},
	}, l.rows)
	assert.Equal(t, map[id]string{{"ZZZ", 2}: "no", {"GAP", 1}: "never"}, l.outOfScope)
}

// A range leaves out all of its rows, wherever they are on the page.
func TestOutOfScopeRange(t *testing.T) {
	t.Parallel()
	l, faults := parseLedger(out + "| ZZZ-02…ZZZ-03 | no |\n" + zzz +
		"| ZZZ-01 | MUST | all | One. | page |\n| ZZZ-02 | MUST | all | Two. | page |\n| ZZZ-03 | MUST | all | Three. | page |\n")
	assert.Empty(t, faults)
	assert.Equal(t, map[id]string{{"ZZZ", 2}: "no", {"ZZZ", 3}: "no"}, l.outOfScope)
}

func TestFaultsOfPage(t *testing.T) {
	t.Parallel()
	const (
		one  = "| ZZZ-01 | MUST | all | One. | page |\n"
		two  = "| ZZZ-02 | MAY† | all | Two. | page |\n"
		none = "the page has no rows"
	)
	for name, test := range map[string]struct {
		page string
		want []string
	}{
		"no rows":                   {"# Ledger\n", []string{":1: " + none}},
		"a row that is missing":     {zzz + one + "| ZZZ-03 | MUST | all | Three. | page |\n", []string{":6: ZZZ-03 instead of ZZZ-02"}},
		"a row twice":               {zzz + one + one, []string{":6: ZZZ-01 instead of ZZZ-02"}},
		"rows in the wrong order":   {zzz + two + one, []string{":5: ZZZ-02 instead of ZZZ-01", ":6: ZZZ-01 instead of ZZZ-03"}},
		"another group's row":       {zzz + one + "| YYY-02 | MUST | all | Two. | page |\n", []string{":6: YYY-02 instead of ZZZ-02"}},
		"a group twice":             {zzz + one + zzz + one, []string{":6: a second group ZZZ"}},
		"no id":                     {zzz + one + "| ZZZ-2 | MUST | all | Two. | page |\n", []string{`:6: "ZZZ-2" is no id`}},
		"no level":                  {zzz + one + "| ZZZ-02 | OUGHT | all | Two. | page |\n", []string{`:6: ZZZ-02 has the level "OUGHT"`}},
		"a mark that is none":       {zzz + one + "| ZZZ-02 | MUST* | all | Two. | page |\n", []string{`:6: ZZZ-02 has the level "MUST*"`}},
		"too few cells":             {zzz + one + "| ZZZ-02 | MUST | all | Two. |\n", []string{":6: 4 cells instead of 5"}},
		"too many cells":            {zzz + one + "| ZZZ-02 | MUST | all | a | b | page |\n", []string{":6: 6 cells instead of 5"}},
		"no bar at the end":         {zzz + one + "| ZZZ-02 | MUST | all | Two. | page\n", []string{":6: 0 cells instead of 5"}},
		"an empty cell":             {zzz + one + "| ZZZ-02 | MUST | all |  | page |\n", []string{":6: cell 4 is empty"}},
		"a gap's row in a group":    {zzz + one + "| ZZZ-02 | Why? | Who knows. | Because. |\n", []string{":6: 4 cells instead of 5"}},
		"a group without a dash":    {"## ZZZ, a group\n\n" + one, []string{`:3: a table that is neither in a group nor in "## Out of scope"`, ":1: " + none}},
		"another head":              {strings.Replace(zzz, "Source", "Page", 1) + one, []string{":3: the table begins with | Id | Level | Rev. | Requirement | Page | and not with " + groupHeader}},
		"no ruler":                  {strings.Replace(zzz, "|---|---|---|---|---|\n", "", 1) + one + two, []string{":4: there has to be a ruler", ":5: ZZZ-02 instead of ZZZ-01"}},
		"a short ruler":             {strings.Replace(zzz, "|---|---|", "|---|", 1) + one, []string{":4: there has to be a ruler"}},
		"a row after the table":     {zzz + one + "\n" + two, []string{":7: the table begins with | ZZZ-02"}},
		"out of scope, unknown":     {zzz + one + out + "| YYY-01 | no |\n", []string{":10: there is no row YYY-01 to be out of scope"}},
		"out of scope, in part":     {zzz + one + out + "| ZZZ-01…ZZZ-02 | no |\n", []string{":10: there is no row ZZZ-02 to be out of scope"}},
		"out of scope twice":        {zzz + one + two + out + "| ZZZ-01 | no |\n| ZZZ-01…ZZZ-02 | no |\n", []string{":12: ZZZ-01 is out of scope twice"}},
		"out of scope, backwards":   {zzz + one + two + out + "| ZZZ-02…ZZZ-01 | no |\n", []string{":11: ZZZ-02 to ZZZ-01 is no range"}},
		"out of scope, two groups":  {zzz + one + out + "| ZZZ-01…YYY-02 | no |\n", []string{":10: ZZZ-01 to YYY-02 is no range"}},
		"out of scope, another way": {zzz + one + out + "| ZZZ-01, ZZZ-02 | no |\n", []string{`:10: "ZZZ-01, ZZZ-02" is neither an id nor a range`}},
		"out of scope, no reason":   {zzz + one + out + "| ZZZ-01 |  |\n", []string{":10: cell 2 is empty"}},
		"a table in the text":       {"| a |\n" + zzz + one, []string{":1: a table that is neither"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, faults := parseLedger(test.page)
			if assert.Len(t, faults, len(test.want), "%q", faults) {
				for i, want := range test.want {
					assert.Contains(t, faults[i], pageName+want)
				}
			}
		})
	}
}
