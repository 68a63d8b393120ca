//go:build !unix

package sigpipe

// Survive does nothing on systems without SIGPIPE.
func Survive() (stop func()) { return func() {} }
