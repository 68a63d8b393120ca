package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// eraOf returns where there is a method of the protocol's that is an author's to
// serve (DSC-14).
func eraOf(name string) era {
	switch name {
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return handshakeOnly
	}
	return bothEras
}

// rawMethod makes a row of the table of a Method.
func rawMethod(name string, f Method) *method {
	const failed = "the request failed"
	return &method{era: eraOf(name), serve: func(c *call, _ []byte) ([]byte, work, *Error) {
		var params json.RawMessage
		if p := c.message.params; p.Kind() == strictjson.Object {
			params = json.RawMessage(p.Raw())
		}
		s, rev := c.server, c.rev
		run := func(ctx context.Context, dst []byte) ([]byte, *failure) {
			result, err := f(ctx, params)
			if err != nil {
				if e := visibleError(err); e != nil {
					return nil, show(e.in(rev), err)
				}
				return nil, hide(failed, err)
			}
			at := len(dst)
			dst, err = appendJSON(dst, result)
			switch {
			case err != nil:
			case dst[at] != '{':
				err = errors.New("its result is not a JSON object")
			case len(dst)-at > s.options.MaxResultBytes:
				err = errors.New("its result has more than Options.MaxResultBytes")
			}
			if err != nil {
				return nil, hide(failed, err)
			}
			if rev.Stateless() {
				if dst, err = s.appendComplete(dst[:at], name, string(dst[at:])); err != nil {
					return nil, hide(failed, err)
				}
			}
			return dst, nil
		}
		return nil, work{code: &runFunc{slog.String("method", name), run}, failed: failed}, nil
	}}
}

// appendComplete appends the result of a Method, which is a JSON object, with
// what every result of the stateless era has: a resultType, and the server's
// identity in _meta; and with what a result of the method must have there about
// caching, which is that it must not be cached. What the author has set is left
// as it is.
func (s *Server) appendComplete(dst []byte, method, result string) ([]byte, error) {
	var doc strictjson.Doc
	_ = doc.Parse(result, maxDepth) // it has been checked
	root := doc.Root()
	kind, meta := root.Get("resultType"), root.Get("_meta")
	switch {
	case kind.Kind() > strictjson.Null && kind.Text() == "":
		return nil, errors.New("its resultType is not a string that says something")
	case meta.Kind() > strictjson.Null && meta.Kind() != strictjson.Object:
		return nil, errors.New("its _meta is not a JSON object")
	}
	dst = append(dst, '{')
	if kind.Kind() <= strictjson.Null {
		dst = append(dst, `"resultType":"complete",`...)
	}
	switch method {
	case "tools/list", "resources/list", "resources/templates/list", "resources/read": // CCH-01
		if root.Get("ttlMs").Kind() == strictjson.Invalid {
			dst = append(dst, `"ttlMs":0,`...)
		}
		if root.Get("cacheScope").Kind() == strictjson.Invalid {
			dst = append(dst, `"cacheScope":"private",`...)
		}
	}
	for name, v := range root.Members() {
		if name == "_meta" || name == "resultType" && v.Kind() == strictjson.Null {
			continue
		}
		dst = strictjson.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, v.Raw()...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"_meta":{`...)
	if meta.Get(serverInfoKey).Kind() == strictjson.Invalid {
		dst = append(dst, s.serverInfo...)
	}
	for name, v := range meta.Members() {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, v.Raw()...)
	}
	return append(dst, "}}"...), nil
}
