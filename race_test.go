//go:build race

package prompts

const RaceEnabled = true // of the race detector
