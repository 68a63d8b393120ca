package phrase

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		most int
		want string
	}{
		{"", 0, ""}, {"a", 1, "a"}, {"ab", 1, "a…"}, {"é", 2, "é"}, {"é", 1, "…"}, {"aé", 2, "a…"}, {"a€b", 3, "a…"}, {"a€b", 4, "a€…"}, {"\U0001F600", 3, "…"}, {"abc", 0, "…"},
	} {
		assert.Equal(t, c.want, Clip(c.s, c.most), c.s)
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"a\n"`, Quote("a\n"))
	assert.Equal(t, `"`+strings.Repeat("x", 64)+`"`, Quote(strings.Repeat("x", 64)))
	assert.Equal(t, `"`+strings.Repeat("x", 63)+`…"`, Quote(strings.Repeat("x", 63)+"éé"))
}

func TestEnumeration(t *testing.T) {
	t.Parallel()
	values := strings.Split("abcdefghijklmn", "")
	assert.Equal(t, "a", Enumerate(values[:1]))
	assert.Equal(t, "a, b, c, d, e, f", Enumerate(values[:6]))
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j, k, l", Enumerate(values[:12]))
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j, k, l and 1 more", Enumerate(values[:13]))
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j, k, l and 2 more", Enumerate(values))
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j, k, l and 88 more", First(values[:MaxListed], 100))
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]float64{"0": 0, "-1.5": -1.5, "0.000001": 1e-6, "1e-07": 1e-7, "1e+21": 1e21, "100000000000000000000": 1e20, "9223372036854775808": math.MaxInt64} {
		assert.Equal(t, want, Decimal(f))
	}
}

func TestPointer(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "~": "~0", "~1": "~01", "/~": "~1~0"} {
		assert.Equal(t, token, PointerToken(name))
		assert.Equal(t, name, PointerName(token))
	}
}
