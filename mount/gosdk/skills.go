package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/promptskills"
)

// skillFiles is the template of the files of skills.
const skillFiles = "skill://{+path}"

// SkillsOptions configures [MountSkills].
type SkillsOptions struct {
	// Skills are the options of [promptskills.New]. Resources belong to the SDK: to set
	// them is an error.
	Skills promptskills.Options
	// Logger receives errors that clients must not see. Default: slog.Default() at the
	// time of MountSkills.
	Logger *slog.Logger
}

// MountSkills adds the skills of a registry to a server of the SDK: the methods
// skills/list, skills/get and resources/directory/read, the files as resources
// beside those that the server has, and the extension in the capabilities. The
// registry may change at any time: without Visible, the SKILL.md of each skill is in
// resources/list, and clients are notified. Clients read the current files: what Registry.Retain says is for servers
// of this library. Subscriptions to single files are those of the SDK, which are not
// notified.
//
// MountSkills returns an error if the server or the registry is nil, if an option is
// invalid, or if a resource of the server has the URI of a SKILL.md that it lists
// ([prompts.ErrExists]). Later, the server's own resource wins, and the skill's is
// skipped and logged.
//
// Mount the skills of one registry only, before the server has clients. unmount removes
// the resources, and the methods answer that they do not exist.
func MountSkills(s *mcp.Server, r *promptskills.Registry, o SkillsOptions) (unmount func(), err error) {
	skills := o.Skills
	switch {
	case s == nil:
		return nil, errors.New("gosdk: server is nil")
	case r == nil:
		return nil, errors.New("gosdk: registry is nil")
	case !reflect.ValueOf(skills.Resources).IsZero():
		return nil, errors.New("gosdk: SkillsOptions.Skills.Resources has no effect on a mount; add the resources to the server of the SDK")
	}
	m := &skillMount{sdk: s, registry: r, isListed: skills.Visible == nil, listed: map[string]skillResource{}}
	f, err := promptskills.New(r, skills)
	if err != nil {
		return nil, fmt.Errorf("gosdk: %w", err)
	}
	if m.server, err = prompts.NewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}, Logger: o.Logger}); err != nil {
		return nil, fmt.Errorf("gosdk: %w", err)
	}
	for _, method := range []string{"skills/list", "skills/get", "resources/directory/read"} {
		err := mcp.AddReceivingCustomMethod(s, method, func(ctx context.Context, ss *mcp.ServerSession, p *skillParams) (*skillResult, error) {
			if m.isOver.Load() {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
			}
			raw, err := m.call(ctx, method, ss, nil, p)
			return &skillResult{raw: raw}, err
		})
		if err != nil {
			return nil, err
		}
	}
	s.AddReceivingMiddleware(m.declare)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: skillFiles, Name: "skills", Description: "Files of skills"}, m.read)
	changed, cancel := r.Subscribe()
	end := func() {
		m.isOver.Store(true)
		cancel()
		s.RemoveResourceTemplates(skillFiles)
		m.remove()
	}
	if err := m.sync(); err != nil {
		end()
		return nil, err
	}
	stop := core.Watch(changed, func() {
		if err := m.sync(); err != nil {
			m.server.Log(context.Background(), slog.LevelWarn, "skill not mounted", slog.Any("error", err))
		}
	})
	return sync.OnceFunc(func() {
		stop()
		end()
	}), nil
}

// skillMount is a registry of skills on a server.
type skillMount struct {
	sdk      *mcp.Server
	server   *prompts.Server
	registry *promptskills.Registry
	isListed bool
	isOver   atomic.Bool
	next     mcp.MethodHandler        // of the server, without the mount
	listed   map[string]skillResource // by URI; of one goroutine at a time
}

// skillResource is a resource that a mount has put into the server.
type skillResource struct {
	front    string
	resource *mcp.Resource // by which the resource is known in the server's list
}

// skillParams are those of all methods.
type skillParams struct {
	mcp.ParamsBase
	URI    *string `json:"uri,omitempty"`
	Cursor *string `json:"cursor,omitempty"`
}

// skillResult is a result that is encoded already.
type skillResult struct {
	mcp.ResultBase
	raw json.RawMessage
}

// MarshalJSON returns the result as the library's server has encoded it.
func (r *skillResult) MarshalJSON() ([]byte, error) { return r.raw, nil }

// call has the library's server answer a request.
func (m *skillMount) call(ctx context.Context, method string, ss *mcp.ServerSession, extra *mcp.RequestExtra, p *skillParams) (json.RawMessage, error) {
	params := map[string]*string{}
	version := ""
	if p != nil {
		if p.URI != nil {
			params["uri"] = p.URI
		}
		if p.Cursor != nil {
			params["cursor"] = p.Cursor
		}
		version, _ = p.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	}
	if version == "" && ss != nil && ss.InitializeParams() != nil {
		version = ss.InitializeParams().ProtocolVersion
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	o := prompts.CallOptions{Version: version, ClientKey: clientKey(ss, extra)}
	if ss != nil {
		o.SessionID = ss.ID()
	}
	result, err := m.server.Call(ctx, method, raw, o)
	if err == nil {
		return result, nil
	}
	var e *prompts.Error
	if errors.As(err, &e) {
		return nil, wireError(e)
	}
	return nil, internalError(ctx, m.server, "request failed", method, slog.String("method", method), err)
}

// read is the handler of resources/read.
func (m *skillMount) read(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	p := &skillParams{URI: &r.Params.URI}
	p.Meta = r.Params.Meta
	raw, err := m.call(ctx, "resources/read", r.Session, r.Extra, p)
	if err != nil {
		return nil, err
	}
	result := new(mcp.ReadResourceResult)
	err = json.Unmarshal(raw, result)
	if result.CacheScope == "" {
		result.CacheScope = "private" // in a session, where the SDK says "public" otherwise
	}
	return result, err
}

// declare adds the extension to the capabilities.
func (m *skillMount) declare(next mcp.MethodHandler) mcp.MethodHandler {
	m.next = next
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if err != nil || m.isOver.Load() {
			return result, err
		}
		extend := func(c *mcp.ServerCapabilities) *mcp.ServerCapabilities {
			all := mcp.ServerCapabilities{}
			if c != nil {
				all = *c
			}
			extensions := map[string]any{promptskills.Extension: map[string]any{"directoryRead": true}}
			for name, settings := range all.Extensions {
				extensions[name] = settings
			}
			all.Extensions = extensions
			return &all
		}
		switch result := result.(type) {
		case *mcp.InitializeResult:
			own := *result
			own.Capabilities = extend(own.Capabilities)
			return &own, nil
		case *mcp.DiscoverResult:
			own := *result
			own.Capabilities = extend(own.Capabilities)
			return &own, nil
		}
		return result, nil
	}
}

// native returns the URIs of the server's own resources.
func (m *skillMount) native() (map[string]bool, error) {
	const method = "resources/list"
	ctx, uris := context.Background(), map[string]bool{}
	err := loopback(ctx, m.sdk, func(ss *mcp.ServerSession) error {
		cursor := ""
		for range maxPages {
			res, err := m.next(ctx, method, &mcp.ListResourcesRequest{Session: ss, Params: &mcp.ListResourcesParams{Cursor: cursor}})
			page, ok := res.(*mcp.ListResourcesResult)
			if err != nil || !ok || page == nil {
				return err
			}
			for _, r := range page.Resources {
				if m.listed[r.URI].resource != r {
					uris[r.URI] = true
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return nil
			}
		}
		return errPages
	})
	return uris, err
}

// sync makes the list of resources have the SKILL.md of each skill. It returns an error
// for each whose URI the server has for a resource of its own, which stays unchanged.
func (m *skillMount) sync() error {
	if !m.isListed {
		return nil
	}
	native, err := m.native()
	if err != nil {
		return fmt.Errorf("gosdk: list the server's resources: %w", err)
	}
	now := map[string]bool{}
	var errs []error
	for s := range m.registry.All() {
		uri := s.URI()
		if native[uri] {
			errs = append(errs, core.Exists("gosdk", "resource", uri))
			continue
		}
		now[uri] = true
		if front := string(s.Frontmatter); m.listed[uri].front != front {
			var about struct{ Name, Description string }
			_ = json.Unmarshal(s.Frontmatter, &about) // which the registry has checked
			r := &mcp.Resource{URI: uri, Name: about.Name, Description: about.Description, MIMEType: "text/markdown"}
			m.listed[uri] = skillResource{front, r}
			m.sdk.AddResource(r, m.read)
		}
	}
	for uri := range m.listed {
		if !now[uri] {
			delete(m.listed, uri)
			if !native[uri] {
				m.sdk.RemoveResources(uri)
			}
		}
	}
	return errors.Join(errs...)
}

// remove removes the resources from the server.
func (m *skillMount) remove() {
	native, err := m.native()
	if err != nil {
		m.server.Log(context.Background(), slog.LevelWarn, "cannot list the server's resources", slog.Any("error", err))
	}
	for uri := range m.listed {
		if !native[uri] {
			m.sdk.RemoveResources(uri)
		}
	}
}
