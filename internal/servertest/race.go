//go:build race

package servertest

// RaceEnabled reports whether the race detector is on, which allocates and drops what is pooled.
const RaceEnabled = true
