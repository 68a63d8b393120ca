//go:build !unix

package bench_test

import "time"

// cpuTime returns 0: only Unix tells.
func cpuTime() time.Duration { return 0 }
