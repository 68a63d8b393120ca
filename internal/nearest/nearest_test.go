package nearest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNear(t *testing.T) {
	t.Parallel()
	languages := []string{"c", "go", "java", "python", "rust"}
	for _, c := range []struct {
		why   string
		name  string
		names []string
		want  string
	}{
		{"a character too few", "pyton", languages, "python"},
		{"a character too many", "rusty", languages, "rust"},
		{"another character", "ruzt", languages, "rust"},
		{"two exchanged", "pyhton", languages, "python"},
		{"two slips in a long name", "pithn", []string{"pythons", "python"}, "python"},
		{"two slips in a short name", "raft", languages, ""},
		{"three slips", "mutton", languages, ""},
		{"another case", "GO", languages, "go"},
		{"another case, and a slip", "PYTON", languages, "python"},
		{"a slip in two characters", "gp", languages, ""},
		{"separators", "file_path", []string{"file-path"}, "file-path"},
		{"a beginning", "lang", []string{"language", "code"}, "language"},
		{"a beginning of two", "lang", []string{"language", "langs-of-all"}, ""},
		{"a slip goes before a beginning", "cod", []string{"codecs", "code"}, "code"},
		{"a beginning of two characters", "py", languages, ""},
		{"two equally near", "bat", []string{"cat", "hat"}, ""},
		{"the nearer of two", "planes", []string{"planet9", "plane"}, "plane"},
		{"the same name twice", "pyton", []string{"python", "python"}, "python"},
		{"itself", "rust", languages, "rust"},
		{"no names", "x", nil, ""},
		{"no name", "", languages, ""},
		{"a name of nothing", "abc", []string{""}, ""},
		{"nothing but separators", "---", []string{"_", "abc"}, ""},
		{"other scripts", "größen", []string{"größe"}, "größe"},
		{"characters, not bytes", "名前は", []string{"名前が"}, "名前が"},
		{"as long as may be", strings.Repeat("a", 63), []string{strings.Repeat("a", 64)}, strings.Repeat("a", 64)},
		{"too long a name", strings.Repeat("a", 65), []string{strings.Repeat("a", 64)}, ""},
		{"a name too long to offer", strings.Repeat("a", 64), []string{strings.Repeat("a", 65)}, ""},
	} {
		assert.Equal(t, c.want, Name(c.name, c.names), c.why)
	}
}

// The names of a long list cost no memory, and only the first are compared.
func TestNearOfMany(t *testing.T) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("Feature/Größe-%06d", i)
	}
	names[maxNames-1] = "python"
	assert.Equal(t, "python", Name("pyton", names))
	names[maxNames-1], names[maxNames] = names[0], "python"
	assert.Empty(t, Name("pyton", names))
	assert.Zero(t, testing.AllocsPerRun(3, func() { Name("fature/größe-000001x", names) }))
}

// What stops early is no nearer than what does not.
func TestDistanceStops(t *testing.T) {
	t.Parallel()
	words := []string{"", "a", "ab", "ba", "abc", "acb", "cab", "abcd", "badc", "dcba", "abdc", "aabb", "bbaa"}
	for _, a := range words {
		for _, b := range words {
			whole := distance([]rune(a), []rune(b), maxBytes)
			assert.Equal(t, whole, distance([]rune(b), []rune(a), maxBytes), "%q %q", a, b)
			for most := range 4 {
				if got := distance([]rune(a), []rune(b), most); whole <= most {
					assert.Equal(t, whole, got, "%q %q", a, b)
				} else {
					assert.Greater(t, got, most, "%q %q", a, b)
				}
			}
		}
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxBytes+1)
	assert.Equal(t, []string{"len", "list", "not", "print", long}, Sorted("lenn", []string{long, "print", "list", "not", "len"}))
	assert.Equal(t, []string{"a", "b"}, Sorted(long, []string{"b", "a"}))
}
