//go:build !unix

package streamablehttp

func surviveSIGPIPE() (stop func()) { return func() {} }
