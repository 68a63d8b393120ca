//go:build !unix

package prompts_test

import "time"

// cpuTime returns 0: only Unix tells.
func cpuTime() time.Duration { return 0 }
