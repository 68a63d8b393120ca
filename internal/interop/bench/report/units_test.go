package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value float64
		unit  string
		want  string
	}{
		{12, "ns/op", "12 ns"},
		{12.34, "ns/op", "12.3 ns"},
		{999, "ns/op", "999 ns"},
		{2512, "ns/op", "2.51 µs"},
		{2000, "ns/op", "2 µs"},
		{48e9, "ns/op", "48 s"},
		{1e13, "ns/op", "10,000 s"},
		{65.5e6, "cpu-ns/op", "65.5 ms"},
		{-300, "ns/op", "-300 ns"},
		{2160, "B/op", "2.16 KB"},
		{1395, "B/prompt", "1.40 KB"},
		{204, "B-listed/prompt", "204 B"},
		{4432034, "B-program", "4.43 MB"},
		{14, "allocs/op", "14"},
		{5, "allocs/op", "5"},
		{76410, "allocs/op", "76,410"},
		{137, "packages", "137"},
	} {
		assert.Equal(t, test.want, format(test.value, test.unit), "%v %s", test.value, test.unit)
	}
}

func TestRatio(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "1.4 ×", ratio(135, 100))
	assert.Equal(t, "15 ×", ratio(150, 10))
	assert.Equal(t, "10 ×", ratio(99.6, 10))
	assert.Equal(t, "1,500 ×", ratio(1500, 1))
	assert.Equal(t, "1.0 ×", ratio(1, 1))
	assert.Equal(t, "0.27 ×", ratio(266, 1000))
	assert.Equal(t, "0.047 ×", ratio(47, 1000))
	assert.Empty(t, ratio(1, 0))
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1,000", "123456": "123,456", "1234567": "1,234,567", "-1000": "-1,000", "-100": "-100",
	} {
		assert.Equal(t, want, thousands(number))
	}
}
