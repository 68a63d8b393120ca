package prompts

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file puts a server together: the prompts feature, the methods of the application,
// and the dispatcher of internal/rpc that serves both.

// NewServer returns a server for the registry, which may change at any time. It returns
// all errors of the options, joined: a negative number without a meaning, a method that is
// defined twice, a feature for another registry, RequestStateKeys that returns no keys or a short
// one, or a capability or icon that cannot be sent. A nil registry is an error, too.
func NewServer(r *Registry, o Options) (*Server, error) {
	if r == nil {
		return nil, errors.New("prompts: NewServer: registry is nil; for a server without prompts, use new(prompts.Registry)")
	}
	o, faults := o.withDefaults()
	s := &Server{registry: r, options: o, searches: limit.NewBudget(nearest.MaxSearches), sealer: elicit.Sealer{Keys: o.RequestStateKeys, Own: make([]byte, 32), TTL: o.RequestStateTTL}}
	_, _ = rand.Read(s.sealer.Own) // never fails
	if err := s.sealer.Check(); err != nil {
		faults = append(faults, err)
	}
	if o.InputSchemas {
		s.entryKind |= withSchema
	}
	if o.DisableReleaseMeta {
		s.entryKind |= noDigest
	}
	if o.Middleware != nil {
		if s.handler = o.Middleware(s.baseHandler); s.handler == nil {
			//lint:ignore ST1005 it begins with the name of a field
			faults = append(faults, errors.New("Middleware returned nil"))
		}
	}
	for i, f := range o.Features {
		for _, m := range f.Methods {
			if of := call.RegistryOf(m.Func); of != nil && of != any(r) {
				//lint:ignore ST1005 it begins with the name of a field
				faults = append(faults, fmt.Errorf("Features[%d] serves the prompts of another registry; make the feature with the registry of the server", i))
				break
			}
		}
	}
	principal := s.principal
	if o.Principal == nil {
		principal = nil // then no request waits for the application's code
	}
	hints := fmt.Sprintf(`"ttlMs":%d,"cacheScope":"%s"`, s.options.ClientCache.TTL.Milliseconds(), s.cacheScope(s.options.ClientCache.Public))
	var errs []error
	s.rpc, errs = rpc.NewDispatcher(rpc.Config{
		Info:           s.info,
		Instructions:   o.Instructions,
		CacheHints:     hints,
		Features:       append([]feature.Feature{s.feature()}, s.withFuncs(o.Features)...),
		PrivateResults: o.Visible != nil,
		Failure:        featureFailure,
		Owner:          &features{s},
		Limits: rpc.Limits{
			Concurrent:          o.Limits.MaxConcurrent,
			ConcurrentTotal:     o.Limits.MaxConcurrentTotal,
			ConcurrentPerClient: o.Limits.MaxConcurrentPerClient,
			Subscriptions:       o.Limits.MaxSubscriptions,
			SubscriptionsTotal:  o.Limits.MaxSubscriptionsTotal,
			MessageBytes:        o.Limits.MaxMessageBytes,
			Memory:              o.Limits.MaxMemoryBytes,
			MemoryPerClient:     o.Limits.MaxMemoryBytesPerClient,
		},
		Timeouts:   rpc.Timeouts{Request: o.Timeouts.Render, Elicit: o.Timeouts.Elicit, Drain: o.Timeouts.Drain, Changes: o.ChangeDelay},
		Observer:   o.Observer,
		SessionIDs: o.Middleware != nil,
		Principal:  principal,
		ClientInfo: o.Fallback != nil,
		Logger:     o.Logger,

		LogSensitive: o.LogSensitive,
	})
	if err := errors.Join(append(faults, errs...)...); err != nil {
		return nil, fmt.Errorf("prompts: options: %w", err)
	}
	s.serverInfo = s.rpc.ServerInfo()
	s.cacheable = fmt.Appendf(nil, `,%s,%s,"_meta":{%s}`, wire.CompleteResult, hints, s.serverInfo)
	return s, nil
}

// MustNewServer is like [NewServer], for options that are part of the program. It panics
// on an error.
func MustNewServer(r *Registry, o Options) *Server {
	s, err := NewServer(r, o)
	if err != nil {
		panic(err)
	}
	return s
}

func (s *Server) feature() feature.Feature {
	o := &s.options
	f := feature.Feature{
		Methods: map[string]feature.Method{
			methodList: feature.Method{Func: call.Func(s.serve((*Server).list))},
			methodGet:  feature.Method{Func: call.Func(s.serve((*Server).get)), RequestsPerSecond: o.Limits.GetsPerSecond},
		},
		Capabilities: func(version string, listChanged bool) map[string]any {
			prompts := map[string]any{}
			if listChanged {
				prompts["listChanged"] = true
			}
			capabilities := map[string]any{"prompts": prompts}
			if rev, _ := revision.Parse(version); !o.DisableCompletions && rev.Completions() {
				capabilities["completions"] = map[string]any{}
			}
			return capabilities
		},
	}
	if !o.DisableCompletions {
		f.Methods[methodComplete] = feature.Method{Func: call.Func(s.serve((*Server).complete)), RequestsPerSecond: o.Limits.CompletionsPerSecond}
	}
	if !o.DisableListChanged {
		f.Lists = []feature.List{{
			Notification: "notifications/prompts/list_changed",
			Filter:       "promptsListChanged",
			OnChange:     s.registry.OnChange,
		}}
	}
	return f
}

func (s *Server) serve(f func(s *Server, c *rpc.Call, dst []byte) ([]byte, call.Work, *Error)) func(c call.Call, dst []byte) ([]byte, call.Work, error) {
	return func(c call.Call, dst []byte) ([]byte, call.Work, error) {
		req := rpc.CallOf(c)
		req.IsFinished = true
		result, w, err := f(s, req, dst)
		if err != nil {
			return nil, w, err
		}
		return result, w, nil
	}
}

func (s *Server) withFuncs(features []feature.Feature) []feature.Feature {
	features = slices.Clone(features)
	for i := range features {
		f := &features[i]
		f.Methods = maps.Clone(f.Methods)
		for name, m := range f.Methods {
			if m.Func != nil && call.ServeOf(m.Func) == nil {
				f.Methods[name] = s.withFunc(name, m)
			}
		}
	}
	return features
}

func (s *Server) withFunc(name string, m feature.Method) feature.Method {
	own := m
	m.Func = call.Func(func(c call.Call, _ []byte) ([]byte, call.Work, error) {
		return nil, s.custom(rpc.CallOf(c), name, own), nil
	})
	if m.Versions == nil {
		m.Versions = versionsOf(name)
	}
	switch name {
	case "tools/list", "resources/list", "resources/templates/list", "resources/read": // CCH-01
		own.ClientCache = cmp.Or(own.ClientCache, new(feature.ClientCache))
	}
	return m
}

// versionsOf returns which versions have a method of the protocol that an
// application serves; nil for all (DSC-14).
func versionsOf(name string) func(version string) bool {
	switch name {
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return func(version string) bool {
			rev, _ := revision.Parse(version)
			return !rev.Stateless()
		}
	}
	return nil
}

func (s *Server) custom(c *rpc.Call, name string, m feature.Method) call.Work {
	params, rev, client := c.Params(), c.Rev, c.ClientInfo()
	request := &call.Request{Method: name, Version: c.Version(), ClientName: client.Name, ClientVersion: client.Version}
	request.Session, request.Key = c.Sender()
	c.IsFinished = true
	return call.Work{Runner: call.RunnerFunc(func(ctx context.Context, dst []byte) ([]byte, error) {
		result, err := m.Func(call.WithRequest(ctx, request), params)
		if err != nil {
			return nil, err
		}
		at := len(dst)
		dst, err = jsonenc.Append(dst, result)
		switch {
		case err != nil:
		case dst[at] != '{':
			err = errors.New("result is not a JSON object")
		case len(dst)-at > s.options.Limits.MaxResultBytes:
			err = fmt.Errorf("result exceeds Options.Limits.MaxResultBytes (%d)", s.options.Limits.MaxResultBytes)
		}
		if err == nil && rev.Stateless() {
			dst, err = s.appendComplete(dst[:at], m.ClientCache, string(dst[at:]))
		}
		if err != nil {
			return nil, rpc.InvalidResult(name, err)
		}
		return dst, nil
	})}
}

// appendComplete appends the result of a Func, which is a JSON object, and adds the members
// that 2026-07-28 requires: resultType, the server's identity in _meta, and those of cache,
// unless it is nil. Members that the application has set are left unchanged.
func (s *Server) appendComplete(dst []byte, cache *feature.ClientCache, result string) ([]byte, error) {
	var doc strictjson.Doc
	_ = doc.Parse(result, jsonenc.MaxDepth) // it has been checked
	root := doc.Root()
	kind, meta := root.Get("resultType"), root.Get("_meta")
	switch {
	case kind.Kind() > strictjson.Null && kind.Text() == "":
		return nil, errors.New("resultType is not a string, or is empty")
	case meta.Kind() > strictjson.Null && meta.Kind() != strictjson.Object:
		return nil, errors.New("_meta is not a JSON object")
	}
	dst = append(dst, '{')
	if kind.Kind() <= strictjson.Null {
		dst = append(append(dst, wire.CompleteResult...), ',')
	}
	if cache != nil {
		if root.Get("ttlMs").Kind() == strictjson.Invalid {
			dst = fmt.Appendf(dst, `"ttlMs":%d,`, cache.TTL.Milliseconds())
		}
		if root.Get("cacheScope").Kind() == strictjson.Invalid {
			dst = fmt.Appendf(dst, `"cacheScope":%q,`, s.cacheScope(cache.Public))
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
	if meta.Get(wire.ServerInfoKey).Kind() == strictjson.Invalid {
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
