package match

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// all returns all values that match.
func all(x *Index, typed string) []string {
	values, _ := x.Match(typed, math.MaxInt)
	return values
}

// CMP-07: the most relevant first.
func TestMatching(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		typed      string
		candidates []string
		want       []string
	}{
		{"nothing typed: all, as listed", "", []string{"b", "A", "c"}, []string{"b", "A", "c"}},
		{"no candidates", "a", nil, nil},
		{"none that matches", "x", []string{"a", "b"}, nil},
		{"longer than any", "abc", []string{"ab"}, nil},
		{"typed text that folds shorter", "\u212a\u212a", []string{"kk", "k"}, []string{"kk"}},
		{"a match does not reach into the next", "ab", []string{"a", "b"}, nil},
		{"each once", "a", []string{"a", "ab", "a", "ab"}, []string{"a", "ab"}},
		{"each once, with nothing typed", "", []string{"b", "a", "b"}, []string{"b", "a"}},
		{"none that is empty", "", []string{"", "a", ""}, []string{"a"}},

		{
			"exact, other case, beginning, word, inside", "Go",
			[]string{"ergo", "let go", "Gopher", "GO", "Go"},
			[]string{"Go", "GO", "Gopher", "let go", "ergo"},
		},
		{
			"as listed where none is better", "a",
			[]string{"za", "z a", "ay", "ya", "y a", "ax"},
			[]string{"ay", "ax", "z a", "y a", "za", "ya"},
		},
		{"a better match later in a value counts", "go", []string{"ergo", "ergo go"}, []string{"ergo go", "ergo"}},
		{"a better match that overlaps the first", "aa", []string{"xaaa", "xaaA1 aaa", "xaa-aa"}, []string{"xaaA1 aaa", "xaa-aa", "xaaa"}},
		{"several words", "main br", []string{"a domain brake", "the main branch", "main brook"}, []string{"main brook", "the main branch", "a domain brake"}},
		{"words that begin like it", "ab", []string{"xab ac", "x ab"}, []string{"x ab", "xab ac"}},
		{"what separates words can be typed", "-b", []string{"a-b", "-b"}, []string{"-b", "a-b"}},

		{"upper typed", "RED", []string{"red", "Red"}, []string{"red", "Red"}},
		{"lower typed", "red", []string{"RED", "infraRED", "Red"}, []string{"RED", "Red", "infraRED"}},
		{"beyond ASCII", "ÉCO", []string{"école", "bonne école"}, []string{"école", "bonne école"}},
		{"Greek has two of a small letter", "ΟΔΟΣ", []string{"οδος", "οδοσ"}, []string{"οδος", "οδοσ"}},
		{"the sign of Kelvin is a k", "k", []string{"K", "5 K", "5K"}, []string{"K", "5 K", "5K"}},
		{"and a k is the sign of Kelvin", "K", []string{"kilo", "Kilo"}, []string{"kilo", "Kilo"}},
		{"the long s is an s", "ſ", []string{"Set", "sun", "paſs"}, []string{"Set", "sun", "paſs"}},
		{"folding is simple", "ss", []string{"ß", "straße", "gross"}, []string{"gross"}},
		{"and knows no dotless i", "i", []string{"ı", "İ", "I"}, []string{"I"}},
		{"other lengths do not move words", "b", []string{"KſK b", "KſKb", "KK-b"}, []string{"KſK b", "KK-b", "KſKb"}},

		{"a typed part of a character", "\x89", []string{"É", "\ufffd"}, nil},
		{"typed text that is no text", "a\xff", []string{"a"}, nil},
		{"control characters", "\x00", []string{"a\x00b", "\x00"}, []string{"\x00", "a\x00b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, got := range [][]string{all(New(test.candidates), test.typed), Search(test.candidates, test.typed)} {
				if len(test.want) == 0 {
					assert.Empty(t, got)
				} else {
					assert.Equal(t, test.want, got)
				}
			}
		})
	}
}

// Where words start: the candidates are all found, and those in which a word
// starts with what was typed come before one in which none does.
func TestMatchingOfWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		candidate, typed string
		starts           bool
	}{
		{"a b", "b", true},
		{"a-b", "b", true},
		{"a_b", "b", true},
		{"a/b", "b", true},
		{"a.b", "b", true},
		{"a:b", "b", true},
		{"a(b)", "b", true},
		{"a\tb", "b", true},
		{"a\u00a0b", "b", true},
		{"1+2", "2", true},
		{"fix 🐛", "🐛", true},
		{"newParser", "p", true},
		{"newParser", "parser", true},
		{"neuÜber", "ü", true},
		{"HTTPServer", "server", false},
		{"Parser", "arser", false},
		{"python3", "3", true},
		{"V2", "2", true},
		{"版2", "2", true},
		{"v12", "2", false},
		{"2fa", "f", false},
		{"一二三", "二", false},
		{"cafe\u0301s", "s", false},
		{"cafe\u0301S", "s", true},
		{"हिन्दी", "न", false},
		{"हिन्दी न", "न", true},
		{"a \u0301b", "\u0301", false},
	} {
		// In the other candidate no word starts there, so it is the first unless one
		// starts in this one.
		got := all(New([]string{"00" + test.typed, test.candidate}), test.typed)
		if len(got) != 2 {
			assert.Len(t, got, 2, test.candidate)
			continue
		}
		assert.Equal(t, test.starts, got[0] == test.candidate, "%q in %q", test.typed, test.candidate)
	}
}

// oracle is match, slow and simple.
func oracle(candidates []string, typed string) []string {
	var kept []string
	for _, c := range candidates {
		if c != "" && !slices.Contains(kept, c) {
			kept = append(kept, c)
		}
	}
	if typed == "" {
		return kept
	}
	var found []string
	for _, fits := range []func(string) bool{
		func(c string) bool { return c == typed },
		func(c string) bool { return strings.EqualFold(c, typed) },
		func(c string) bool { return oracleAt(c, typed, func(i int, _ []rune) bool { return i == 0 }) },
		func(c string) bool { return oracleAt(c, typed, oracleWord) },
		func(c string) bool { return oracleAt(c, typed, func(int, []rune) bool { return true }) },
	} {
		for _, c := range kept {
			if !slices.Contains(found, c) && fits(c) {
				found = append(found, c)
			}
		}
	}
	return found
}

// oracleAt reports whether the typed text is in the candidate at a place where
// it may be.
func oracleAt(candidate, typed string, may func(i int, of []rune) bool) bool {
	of, n := []rune(candidate), utf8.RuneCountInString(typed)
	for i := range of {
		if i+n <= len(of) && may(i, of) && strings.EqualFold(string(of[i:i+n]), typed) {
			return true
		}
	}
	return false
}

func oracleWord(i int, of []rune) bool {
	now := of[i]
	if unicode.IsMark(now) {
		return false
	}
	i--
	for ; i >= 0 && unicode.IsMark(of[i]); i-- {
	}
	if i < 0 {
		return true
	}
	before := of[i]
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) ||
		unicode.IsLower(before) && unicode.IsUpper(now) ||
		unicode.IsLetter(before) && unicode.IsDigit(now)
}

func FuzzMatch(f *testing.F) {
	f.Add("go", "let go\nGo\nGopher\nergo\nGO\n\nGo")
	f.Add("K", "k\nkK\naK\nſK-k")
	f.Add("ς", "Σ\nσς\nοδος")
	f.Add("b", "aB\na1b\n1b\na\u0301b\n a\u0301B\n\u0301b")
	f.Add("2", "a2\n12\na12\na\u03012")
	f.Add("", "b\na\nb")
	f.Add("aa-a", "xaa-aa-a\nxaaa-a")
	f.Add("ǆ", "Ǆ\nǅ\nxǅ")
	f.Fuzz(func(t *testing.T, typed, list string) {
		if !utf8.ValidString(typed) || !utf8.ValidString(list) || len(typed)+len(list) > 500 {
			return
		}
		candidates := strings.Split(list, "\n")
		want := oracle(candidates, typed)
		x := New(candidates)
		for most := range len(want) + 2 {
			if got, total := x.Match(typed, most); !slices.Equal(got, want[:min(most, len(want))]) || total != len(want) {
				t.Errorf("Match: typed %q of %q, no more than %d:\n got %q, total %d\nwant %q", typed, candidates, most, got, total, want)
			}
		}
		if got := Search(candidates, typed); !slices.Equal(got, want) {
			t.Errorf("Search: typed %q of %q:\n got %q\nwant %q", typed, candidates, got, want)
		}
	})
}

// Values can come from other users, so a long one must not take quadratic time.
func TestLongValues(t *testing.T) {
	t.Parallel()
	const length = 1 << 19 // a quadratic search would take minutes
	begin := time.Now()
	New([]string{"\u212a" + strings.Repeat("a", length)}).Match("a", 1)
	New([]string{"a" + strings.Repeat("\u0301", length)}).Match("\u0301", 1)
	period := strings.Repeat("b-", length)
	New([]string{"a" + period + "c" + strings.Repeat("-b", length)}).Match(period+"c", 1)
	assert.Less(t, time.Since(begin), time.Minute)
}

func fold(s string) string { return string(appendFolded(nil, s)) }

// Folding makes equal what strings.EqualFold holds to be equal, and only that.
func TestFold(t *testing.T) {
	t.Parallel()
	for r := range unicode.MaxRune + 1 {
		if !utf8.ValidRune(r) {
			continue
		}
		folded := fold(string(r))
		if !strings.EqualFold(folded, string(r)) || len(folded) > len(string(r)) {
			t.Fatalf("%q is folded to %q", r, folded)
		}
		if next := unicode.SimpleFold(r); fold(string(next)) != folded {
			t.Fatalf("%q and %q", next, r)
		}
	}
}

// What a caller does to the values that it has got changes nothing.
func TestMatchesBelongToTheCaller(t *testing.T) {
	t.Parallel()
	candidates := []string{"a", "ab"}
	x := New(candidates)
	candidates[0] = "changed"
	for _, typed := range []string{"", "a", ""} {
		got := all(x, typed)
		assert.Equal(t, []string{"a", "ab"}, got)
		got[0] = "changed"
	}
}
