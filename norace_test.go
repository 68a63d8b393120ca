//go:build !race

package prompts

const RaceEnabled = false // of the race detector
