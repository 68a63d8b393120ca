package prompts

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

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
			got := newIndex(test.candidates).match(test.typed)
			if len(test.want) == 0 {
				assert.Empty(t, got)
			} else {
				assert.Equal(t, test.want, got)
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
	} {
		// In the other candidate no word starts there, so it is the first unless one
		// starts in this one.
		got := newIndex([]string{"00" + test.typed, test.candidate}).match(test.typed)
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

func FuzzMatching(f *testing.F) {
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
		got, want := newIndex(candidates).match(typed), oracle(candidates, typed)
		if !slices.Equal(got, want) {
			t.Errorf("typed %q of %q:\n got %q\nwant %q", typed, candidates, got, want)
		}
	})
}

// Folding makes equal what strings.EqualFold holds to be equal, and only that.
func TestFolding(t *testing.T) {
	t.Parallel()
	for r := range unicode.MaxRune + 1 {
		if !utf8.ValidRune(r) {
			continue
		}
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			if fold(next) != fold(r) {
				t.Fatalf("%q and %q", next, r)
			}
		}
		if !strings.EqualFold(string(fold(r)), string(r)) {
			t.Fatalf("%q is folded to %q", r, fold(r))
		}
		if r < utf8.RuneSelf && foldASCII(r) != fold(r) {
			t.Fatalf("%q is folded to %q", r, foldASCII(r))
		}
	}
}

// What a caller does to the values that it has got changes nothing.
func TestMatchesBelongToTheCaller(t *testing.T) {
	t.Parallel()
	candidates := []string{"a", "ab"}
	x := newIndex(candidates)
	candidates[0] = "changed"
	for _, typed := range []string{"", "a", ""} {
		got := x.match(typed)
		assert.Equal(t, []string{"a", "ab"}, got)
		got[0] = "changed"
	}
}
