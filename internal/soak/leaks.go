package main

import (
	"runtime"
	"strings"
	"time"
)

// ourStacks returns the stacks of the goroutines that run this module's code,
// but for the one that asks and those that run tests.
func ourStacks() []string {
	buf := make([]byte, 1<<20)
	n := runtime.Stack(buf, true)
	for n == len(buf) {
		buf = make([]byte, 2*len(buf))
		n = runtime.Stack(buf, true)
	}
	var ours []string
	for _, s := range strings.Split(string(buf[:n]), "\n\n")[1:] {
		if strings.Contains(s, "mcp-prompts/prompts") && !strings.Contains(s, "testing.") {
			ours = append(ours, s)
		}
	}
	return ours
}

// eventually reports whether something comes true in time.
func eventually(patience time.Duration, isTrue func() bool) bool {
	for deadline := time.Now().Add(patience); !isTrue(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
