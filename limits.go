package prompts

import (
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file limits the arguments of a request. The other limits are those of internal/rpc
// and of the encoder.

// checkSizes returns an error if there are more arguments, or larger ones, than the
// options allow. args is the member of params with that name. The size of a value that is
// not a string counts only if typed, because it is else rejected elsewhere.
func (s *Server) checkSizes(param string, args strictjson.Value, typed bool) *Error {
	// Each has five characters at least, with its comma.
	if raw := len(args.Raw()); raw <= 5*s.options.Limits.MaxArguments && raw <= s.options.Limits.MaxArgumentBytes {
		return nil
	}
	n := 0
	for name, v := range args.Members() {
		if n++; n > s.options.Limits.MaxArguments {
			return wire.InvalidParam(param, "too many arguments (limit %d)", s.options.Limits.MaxArguments)
		}
		size := len(v.Text())
		if typed && v.Kind() != strictjson.String {
			size = len(v.Raw())
		}
		if size > s.options.Limits.MaxArgumentBytes {
			return s.tooLong(param, name)
		}
	}
	return nil
}

func (s *Server) tooLong(param, name string) *Error {
	return wire.InvalidParam(param, "argument %q exceeds the limit of %d bytes", phrase.Clip(name, 64), s.options.Limits.MaxArgumentBytes)
}
