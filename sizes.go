package prompts

import "github.com/mcp-prompts/prompts/internal/strictjson"

// checkSizes refuses more arguments, and larger ones, than the options allow.
// args is the member of params with that name.
func (s *Server) checkSizes(param string, args strictjson.Value) *Error {
	// Each has five characters at least, with its comma.
	if raw := len(args.Raw()); raw <= 5*s.options.MaxArguments && raw <= s.options.MaxArgumentBytes {
		return nil
	}
	n := 0
	for name, v := range args.Members() {
		if n++; n > s.options.MaxArguments {
			return invalidParam(param, "there are more than %d arguments", s.options.MaxArguments)
		}
		if len(v.Text()) > s.options.MaxArgumentBytes {
			return s.tooLong(param, name)
		}
	}
	return nil
}

func (s *Server) tooLong(param, name string) *Error {
	return invalidParam(param, "%s: has more than %d bytes", clip(name, 64), s.options.MaxArgumentBytes)
}

// spend reports whether there is room for n bytes more of what a render function
// has returned. It is a fault if there is none.
func (e *encoder) spend(n int) bool {
	if e.room == 0 { // no limit
		return true
	}
	if n >= e.room {
		e.fault("it has more than Options.MaxResultBytes together with what comes before")
		return false
	}
	e.room -= n
	return true
}
