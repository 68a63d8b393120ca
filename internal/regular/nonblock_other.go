//go:build js || wasip1

package regular

// nonblock is no flag of these systems. A pipe is found before it is opened, unless it takes the
// place of a file in between.
const nonblock = 0
