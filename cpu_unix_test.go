//go:build unix

package prompts_test

import (
	"syscall"
	"time"
)

// cpuTime returns the time that the processors have worked for this process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
