//go:build !(js || wasip1)

package regular

import "syscall"

// nonblock keeps the opening of a pipe from waiting.
const nonblock = syscall.O_NONBLOCK
