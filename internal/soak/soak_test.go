package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests are not parallel: they count the goroutines of the process.

func TestSoak(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		var out strings.Builder
		rec, err := soak(options{length: 2 * time.Second, seed: seed, clients: len(kinds)}, &out)
		require.NoError(t, err)
		assert.Zero(t, rec.faults(), "%s", &out)
		for _, version := range versions {
			assert.NotZero(t, rec.requests[requestKind{methodGet, version}], version)
		}
		for _, text := range []string{"goroutines", "heap KiB", "pause", "p99", "error -32602", "status 200", "faults: 0"} {
			assert.Contains(t, out.String(), text)
		}
	}
}

// onlyStreams are the clients that begin the list of kinds: the good ones on
// streams, which are where the faults are.
const onlyStreams = 5

func TestSoakFindsFaults(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault fault
		want  string
	}{
		{"a wrong answer", faultWrong, `"stray-`},
		{"a missing answer", faultMissing, "there is no answer"},
		{"a duplicate", faultDuplicate, "an answer to nothing, or another one"},
		{"a goroutine that is left", faultLeak, "(*faulty).Write"},
	} {
		t.Run(test.name, func(t *testing.T) {
			release := make(chan struct{})
			defer func() {
				close(release)
				assert.True(t, eventually(defaultPatience, func() bool { return len(ourStacks()) == 0 }))
			}()
			var out strings.Builder
			rec, err := soak(options{
				length: 200 * time.Millisecond, seed: 1, clients: onlyStreams, patience: 5 * time.Second, fault: test.fault, release: release,
			}, &out)
			require.NoError(t, err)
			assert.Contains(t, strings.Join(rec.wrong, "\n"), test.want)
			// The judge may have seen the same message, if it was among those that it
			// gets; there is no other fault.
			judged := 0
			for _, wrong := range rec.wrong {
				if strings.Contains(wrong, "the specification does not allow it") {
					judged++
				}
			}
			assert.LessOrEqual(t, judged, 1)
			assert.Equal(t, 1, rec.faults()-judged, "%s", &out)
			assert.Contains(t, out.String(), fmt.Sprintf("faults: %d\n", rec.faults()))
		})
	}
}
