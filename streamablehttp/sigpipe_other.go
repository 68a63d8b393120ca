//go:build !unix

package streamablehttp

// surviveSIGPIPE is not needed on systems without SIGPIPE.
func surviveSIGPIPE() (stop func()) { return func() {} }
