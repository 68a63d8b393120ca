package prompts

import "github.com/mcp-prompts/prompts/internal/revision"

// EncodeResult returns a result in the form of a revision, and its errors.
func EncodeResult(rev revision.Revision, r *Result) (string, []error) {
	e := encoder{rev: rev, isResult: true}
	e.result(r)
	return string(e.buf), e.errs
}
