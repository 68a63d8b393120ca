package limit

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Those who have not sent anything for a while are forgotten, and there are
// never more than a bound.
func TestRateLimiterForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRateLimiter(1)
		fill := func(name string, n int) {
			for i := range n {
				assert.Zero(t, r.Wait(fmt.Sprint(name, i), nil, ""))
			}
		}
		fill("a", 5000)
		assert.Len(t, r.buckets, 5000)
		time.Sleep(time.Minute)
		fill("b", 10_000)
		assert.Len(t, r.buckets, 10_000, "and none of a")
		fill("c", 2*maxBuckets)
		assert.Len(t, r.buckets, maxBuckets)
		assert.Zero(t, r.Wait("b0", nil, ""))
		assert.NotZero(t, r.Wait("b0", nil, ""), "who was there is counted on")
		time.Sleep(time.Minute)
		fill("d", 10)
		assert.Len(t, r.buckets, 10)
	})
}

// The names of clients take a bounded memory, and long ones are told apart.
func TestRateOfLongNames(t *testing.T) {
	t.Parallel()
	r := NewRateLimiter(0.1)
	for i := range 100 {
		principal := fmt.Sprintf("%010000d", i)
		assert.Zero(t, r.Wait(principal, nil, ""))
		assert.NotZero(t, r.Wait(principal, nil, ""))
	}
	for name := range r.buckets {
		assert.LessOrEqual(t, len(name), maxName)
	}
}

// A session over its own rate does not use up that of the other sessions from its
// address.
func TestRejectedRequestsCostOthersNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRateLimiter(1)
		var greedy, other Bucket
		for range 100 {
			r.Wait("", &greedy, "address")
		}
		assert.NotZero(t, r.Wait("", &greedy, "address"))
		assert.Zero(t, r.Wait("", &other, "address"))
	})
}
