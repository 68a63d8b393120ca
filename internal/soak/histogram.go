package main

import (
	"math/bits"
	"time"
)

// histogram counts durations in a space that does not grow: each is known to a
// sixteenth of itself.
type histogram struct {
	counts  [64 * steps]int64
	n       int64
	longest time.Duration
}

const steps = 16 // for each power of two

func bucketOf(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < steps {
		return int(v)
	}
	shift := bits.Len64(v) - bits.Len64(steps)
	return shift*steps + int(v>>shift)
}

// bound returns the longest duration of a bucket.
func bound(bucket int) time.Duration {
	if bucket < 2*steps {
		return time.Duration(bucket)
	}
	shift := bucket/steps - 1
	return time.Duration(bucket-shift*steps+1)<<shift - 1
}

func (h *histogram) add(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.n++
	h.longest = max(h.longest, d)
}

// quantile returns the duration that a share of all are not longer than.
func (h *histogram) quantile(share float64) time.Duration {
	rest := int64(share * float64(h.n))
	for i, n := range h.counts {
		if rest -= n; rest < 0 {
			return min(bound(i), h.longest)
		}
	}
	return h.longest
}
