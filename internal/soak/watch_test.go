package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGrowth(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, test := range []struct {
		name  string
		heap  func(i int) uint64
		grown float64 // MiB over the second half, of 19 intervals
		isBad bool
	}{
		{"flat", func(int) uint64 { return 10 * mib }, 0, false},
		{"growing", func(i int) uint64 { return uint64(10+i) * mib }, 19, true},
		{"growing a little", func(i int) uint64 { return 10*mib + uint64(i)*mib/10 }, 1.9, false},
		{"shrinking", func(i int) uint64 { return uint64(100-i) * mib }, -19, false},
		{"grown at first", func(i int) uint64 { return uint64(10+min(i, 20)) * mib }, 0, false},
		{"to and fro", func(i int) uint64 { return uint64(10+i%2) * mib }, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var all []sample
			for i := range ticks {
				all = append(all, sample{at: time.Duration(i) * time.Second, heap: test.heap(i)})
			}
			grown, tolerated := growth(all)
			assert.InDelta(t, test.grown*mib, grown, 0.2*mib)
			assert.Equal(t, test.isBad, grown > tolerated)
		})
	}
	grown, tolerated := growth(nil)
	assert.Zero(t, grown)
	assert.Positive(t, tolerated)
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	var h histogram
	assert.Zero(t, h.quantile(0.5))
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Millisecond)
	}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 501, 0.9: 901, 0.99: 991, 1: 1000} {
		want *= time.Millisecond
		assert.InDelta(t, want, h.quantile(share), float64(want)/steps)
	}
	assert.Equal(t, time.Second, h.longest)
}

// Each duration is in a bucket that ends with it or later, and the one before
// ends earlier.
func TestHistogramBuckets(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, 15, 16, 31, 32, 33, 34, 63, 64, 1000, time.Millisecond, time.Hour, 1<<63 - 1} {
		b := bucketOf(d)
		assert.GreaterOrEqual(t, bound(b), d)
		if b > 0 {
			assert.Less(t, bound(b-1), d)
		}
	}
	assert.Zero(t, bucketOf(-1))
}
