package promptskills

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// Extension is the name of the extension in the capabilities of a server.
const Extension = "io.modelcontextprotocol/skills"

// ErrUnknownResource reports a resource that does not exist. Resources.Read and
// Resources.Subscribe return the error, wrapped or not.
var ErrUnknownResource = errors.New("unknown resource")

// New returns a feature that serves the skills of a registry and the resources of the options:
//
//	f, err := promptskills.New(&skills, promptskills.Options{})
//	…
//	srv, err := prompts.NewServer(&reg, prompts.Options{Features: []feature.Feature{f}})
//
// The registry may change at any time. A nil registry and a negative option are errors. The feature
// has the methods skills/list, skills/get, resources/list, resources/templates/list, resources/read
// and resources/directory/read, in all protocol versions.
//
// A client gets -32602 for an invalid URI, an unknown skill, a directory read as a file, a file
// read as a directory, and a cursor of another list. For an unknown resource, a client gets -32602
// in 2026-07-28 and -32002 before. The error's data contains the URI.
//
// Do not wrap the methods of the feature: see feature.Method.
func New(r *Registry, o Options) (feature.Feature, error) {
	if err := option.Check("promptskills: New", o, "registry", r); err != nil {
		return feature.Feature{}, err
	}
	o.PageSize = cmp.Or(o.PageSize, defaultPageSize)
	s := &service{registry: r, options: o, clients: newClients()}
	cache := &o.ClientCache
	cache.Public = cache.Public && o.Visible == nil
	ofResources := *cache
	if o.Resources.List != nil || o.Resources.Read != nil || o.Resources.Templates != nil {
		ofResources.Public = false // the application may answer each client differently
	}
	filters := o.Visible != nil
	return feature.Feature{
		Methods: map[string]feature.Method{
			"skills/list":              {Func: call.Func(serve(always(filters, s.listSkills))), ClientCache: cache},
			"skills/get":               {Func: call.Func(serve(always(filters, s.getSkill))), ClientCache: cache},
			"resources/list":           {Func: call.Func(serve(always(filters || o.Resources.List != nil, s.listResources))), ClientCache: &ofResources},
			"resources/templates/list": {Func: call.Func(serve(always(o.Resources.Templates != nil, s.listTemplates))), ClientCache: &ofResources},
			"resources/read":           {Func: call.Func(serve(s.read)), ClientCache: &ofResources, RequestsPerSecond: o.ReadsPerSecond},
			"resources/directory/read": {Func: call.Func(serve(s.readDirectory))},
		},
		Capabilities: func(_ string, listChanged bool) map[string]any {
			resources := map[string]any{}
			if listChanged {
				resources["listChanged"], resources["subscribe"] = true, true
			}
			return map[string]any{
				"resources":  resources,
				"extensions": map[string]any{Extension: map[string]any{"directoryRead": true}},
			}
		},
		Lists: []feature.List{{
			Notification: "notifications/resources/list_changed",
			Filter:       "resourcesListChanged",
			OnChange:     s.subscribeToList,
		}},
		Resources: &feature.Resources{Subscribe: s.subscribe},
		OnEnd:     s.clients.forget,
	}, nil
}

type service struct {
	registry *Registry
	options  Options
	clients  *clients
}

type request struct {
	method string
	from   feature.ClientID
	rev    revision.Revision
	uri    string // empty if the method takes no URI
	after  string // what the cursor says; empty for the first page
}

// method answers a request with the result, an error or work. Work is for a result that
// needs code of the application or much time: the goroutine that reads the connection
// calls the method, but does not run the work.
type method func(q *request, dst []byte) (result []byte, w call.Work, err error)

func work(f func(ctx context.Context, dst []byte) ([]byte, error)) call.Work {
	return call.Work{Runner: call.RunnerFunc(f)}
}

// always returns a method that returns work for each request, or for none.
func always(needsWork bool, f func(ctx context.Context, q *request, dst []byte) ([]byte, error)) method {
	if !needsWork {
		return func(q *request, dst []byte) ([]byte, call.Work, error) {
			result, err := f(context.Background(), q, dst)
			return result, call.Work{}, err
		}
	}
	return func(q *request, _ []byte) ([]byte, call.Work, error) {
		return nil, work(func(ctx context.Context, dst []byte) ([]byte, error) { return f(ctx, q, dst) }), nil
	}
}

func serve(m method) func(c call.Call, dst []byte) ([]byte, call.Work, error) {
	return func(c call.Call, dst []byte) ([]byte, call.Work, error) {
		q, err := readRequest(c)
		if err != nil {
			return nil, call.Work{}, err
		}
		return m(q, dst)
	}
}

func readRequest(c call.Call) (*request, error) {
	rev, _ := revision.Parse(c.Version())
	session, key := c.Sender()
	q := &request{method: c.Method(), from: feature.ClientID{Session: session, Key: key}, rev: rev}
	var params map[string]json.RawMessage
	if raw := c.Params(); raw != nil {
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil, err
		}
	}
	takesURI := q.method == "skills/get" || strings.HasSuffix(q.method, "/read")
	takesCursor := q.method != "skills/get" && q.method != "resources/read"
	for name := range params {
		for _, known := range []string{"uri", "cursor"} {
			if name != known && strings.EqualFold(name, known) && (takesURI || known == "cursor") {
				return nil, invalid(known, "unknown member %q of params: member names are case-sensitive, use %q", phrase.Clip(name, phrase.MaxEcho), known)
			}
		}
	}
	if takesURI {
		if err := json.Unmarshal(params["uri"], &q.uri); err != nil || params["uri"][0] != '"' {
			return nil, invalid("uri", "params.uri is required and must be a string")
		}
	}
	if raw := params["cursor"]; takesCursor && raw != nil && string(raw) != "null" {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, invalid("cursor", "params.cursor must be a string")
		}
		after, ok := cursor.Parse(q.list(), text, maxNames[q.method])
		if !ok {
			return nil, invalid("cursor", "invalid cursor; use nextCursor from a %s response, or omit it to start over", q.method)
		}
		q.after = after
	}
	return q, nil
}

func invalid(param, format string, args ...any) error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: fmt.Sprintf(format, args...), Data: map[string]string{"param": param}}
}

// codeUnknownResource is replaced by -32602 in 2026-07-28.
const codeUnknownResource = -32002

func (q *request) unknown() error {
	e := &prompts.Error{Code: codeUnknownResource, Message: fmt.Sprintf("unknown resource %q", phrase.Clip(q.uri, phrase.MaxEcho)), Data: q.data()}
	if q.method == "skills/get" {
		e.Code, e.Message = prompts.CodeInvalidParams, fmt.Sprintf("unknown skill %q", phrase.Clip(q.uri, phrase.MaxEcho))
	}
	return e
}

// wrong returns the error for a URI that exists, or could never exist.
func (q *request) wrong(why string) error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: fmt.Sprintf("%q %s", phrase.Clip(q.uri, phrase.MaxEcho), why), Data: q.data()}
}

func (q *request) data() map[string]string { return map[string]string{"uri": phrase.Clip(q.uri, 4096)} }

func (s *service) visible(ctx context.Context) func(e *entry) bool {
	if s.options.Visible == nil {
		return nil
	}
	return func(e *entry) bool {
		return ctx.Err() == nil && rpc.Decide(ctx, visibleName, func() (bool, error) { return s.options.Visible(ctx, e.skill) })
	}
}

const visibleName = "promptskills: Options.Visible"

func isOwn(uri string) bool { return !strings.HasPrefix(strings.ToLower(uri), scheme) }

func (s *service) subscribeToList(changed func()) (cancel func()) {
	end := s.registry.OnChange(changed)
	if s.options.Resources.OnChange == nil {
		return end
	}
	endOwn := s.options.Resources.OnChange(changed)
	return func() {
		end()
		endOwn()
	}
}

func (s *service) subscribe(ctx context.Context, from feature.ClientID, uri string, changed func()) (cancel func(), err error) {
	q := &request{method: "resources/subscribe", uri: uri}
	if isOwn(uri) {
		if s.options.Resources.Subscribe == nil {
			return nil, q.unknown()
		}
		cancel, err := s.options.Resources.Subscribe(ctx, uri, changed)
		if errors.Is(err, ErrUnknownResource) {
			err = q.unknown()
		}
		return cancel, err
	}
	path, ok := pathOf(uri)
	if !ok {
		return nil, q.wrong("is not the URI of a file, such as skill://acme/refunds/SKILL.md")
	}
	e, _, ok := find(s.registry.load().skills, path)
	if ok && s.options.Visible != nil { // subscriptions/listen is no request that can fail
		var err error
		if ok, err = s.options.Visible(ctx, e.skill); err != nil {
			return nil, rpc.InternalFailure(q.method, fmt.Errorf("%s: %w", visibleName, err))
		}
	}
	if !ok {
		return nil, q.unknown()
	}
	return s.registry.subscribers.Add(func(c *change) {
		if c.affects(path) {
			s.clients.refresh(from, path, c.seq) // what the client reads next is the new content
			changed()
		}
	}), nil
}
