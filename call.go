package prompts

import (
	"context"
	"encoding/json"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// CallOptions say whom a [Server.Call] is for. The zero value is a client of
// revision 2025-11-25 with no capabilities.
type CallOptions struct{}

// Call answers one request of the methods in [Server.Methods] for somebody
// else's JSON-RPC layer, which has read the envelope and found out to whom it
// talks. params is the JSON text of the request's params, or nil; it is read
// as strictly as a whole message. Call returns the JSON text of the result,
// or an [*Error], which is what the client is to get. If there is no answer
// because ctx has ended, the error is the cause of that.
//
// It renders on the caller's goroutine, within Options.MaxConcurrentTotal, and
// waits for the render function to return. There is no time limit but ctx's.
func (s *Server) Call(ctx context.Context, name string, params json.RawMessage, _ CallOptions) (json.RawMessage, error) {
	m := s.methods[name]
	if m == nil || !m.shared {
		return nil, methodNotFound(name)
	}
	doc := takeDoc()
	defer giveDoc(doc)
	c := &call{server: s, rev: revision.Newest()}
	c.message.method, c.message.large = name, len(params) > maxShared
	if len(params) > s.options.MaxMessageBytes {
		return nil, invalidParams("params are too large")
	}
	if len(params) > 0 {
		if err := doc.Parse(string(params), maxDepth); err != nil {
			return nil, invalidParams("params: %s", err.Error())
		}
		c.message.params = doc.Root()
	}
	if err := c.message.checkParams(); err != nil {
		return nil, err
	}
	if m.quick != nil {
		result, err := m.quick(c, nil)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	w, err := m.slow(c)
	if err != nil {
		return nil, err
	}
	if !s.limit.enter(ctx, nil) {
		return nil, busy()
	}
	defer s.limit.leave()
	if err := s.limit.acquire(ctx, 0); err != nil {
		return nil, err
	}
	defer s.limit.release()
	result, failed := w.do(ctx, nil)
	switch {
	case failed == nil:
		return result, nil
	case failed.cut:
		return nil, context.Cause(ctx)
	}
	s.tell(ctx, w, failed)
	return nil, failed.seen
}
