// Package unsent reports questions that a render function asked and that are not sent,
// because the function did not return the error of Ask.
package unsent

// Key is the key of a func(prompt string, keys []string) in the context of Serve. The
// server calls it, from any goroutine, with the keys of the questions.
type Key struct{}
