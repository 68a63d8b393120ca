package gosdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/promptskills"
)

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

// MountSkills adds the skills of a registry to a server of the SDK: the methods skills/list,
// skills/get and resources/directory/read, the files as resources, and the extension in the
// capabilities. The registry may change at any time: without Visible, the SKILL.md of each skill is
// in resources/list, and clients are notified. Clients read the current files: Registry.Retain is
// for servers of this library. The SDK does not notify subscriptions to single files.
//
// MountSkills returns an error if the server or the registry is nil, if an option is invalid, or if
// a resource of the server has the URI of a SKILL.md that it lists ([prompts.ErrExists]). Later,
// the server's own resource wins, and the skill's is skipped and logged.
//
// Mount the skills of one registry only, before the server has clients. unmount removes
// the resources, and the methods answer that they do not exist.
func MountSkills(s *mcp.Server, r *promptskills.Registry, o SkillsOptions) (unmount func(), err error) {
	if !reflect.ValueOf(o.Skills.Resources).IsZero() {
		return nil, errors.New("gosdk: SkillsOptions.Skills.Resources has no effect on a mount; add the resources to the server of the SDK")
	}
	base, err := core.NewSkillMount("gosdk", s != nil, r, o.Skills, o.Logger)
	if err != nil {
		return nil, err
	}
	m := &skillMount{caller: caller{base, stateOf(s)}, sdk: s, put: map[string]*mcp.Resource{}}
	resources := &core.Entries[*mcp.Resource]{
		Mount: base, Kind: "resource", Changing: new(sync.Mutex), Own: m.own, Read: resourceOf,
		All: func() (map[string]string, error) {
			all := map[string]string{}
			if o.Skills.Visible == nil {
				for skill := range r.All() {
					all[skill.URI()] = string(skill.Frontmatter)
				}
			}
			return all, nil
		},
		Put: func(all ...*mcp.Resource) {
			for _, r := range all {
				m.put[r.URI] = r
				s.AddResource(r, m.read)
			}
		},
		Remove: func(uris ...string) {
			for _, uri := range uris {
				delete(m.put, uri)
			}
			s.RemoveResources(uris...)
		},
	}
	for _, method := range []string{"skills/list", "skills/get", "resources/directory/read"} {
		err := mcp.AddReceivingCustomMethod(s, method, func(ctx context.Context, ss *mcp.ServerSession, p *skillParams) (*skillResult, error) {
			return m.custom(ctx, method, ss, p)
		})
		if err != nil {
			return nil, err
		}
	}
	m.state.skills.Store(m)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: skillFiles, Name: "skills", Description: "Files of skills"}, m.read)
	return core.Follow(r.OnChange, changeLongest, resources.Start, func() { resources.Update() }, func() {
		m.state.skills.CompareAndSwap(m, nil)
		s.RemoveResourceTemplates(skillFiles)
		resources.Clear()
	})
}

type skillMount struct {
	caller
	sdk *mcp.Server
	put map[string]*mcp.Resource // as in the server's list, by URI; of one goroutine at a time
}

type skillParams struct {
	mcp.ParamsBase
	URI    *string `json:"uri,omitempty"`
	Cursor *string `json:"cursor,omitempty"`
}

type skillResult struct {
	mcp.ResultBase
	raw json.RawMessage
}

// MarshalJSON returns the result as the library's server has encoded it.
func (r *skillResult) MarshalJSON() ([]byte, error) { return r.raw, nil }

func (m *skillMount) custom(ctx context.Context, method string, ss *mcp.ServerSession, p *skillParams) (*skillResult, error) {
	if m.state.skills.Load() != m {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
	}
	p = cmp.Or(p, new(skillParams))
	raw, err := m.call(ctx, method, &mcp.ServerRequest[*skillParams]{Session: ss, Params: p}, p)
	return &skillResult{raw: raw}, err
}

func (m *skillMount) read(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	p := &skillParams{URI: &r.Params.URI}
	p.Meta = r.Params.Meta
	raw, err := m.call(ctx, "resources/read", r, p)
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

func (m *skillMount) own(map[string]string) (map[string]bool, error) {
	ctx, uris := context.Background(), map[string]bool{}
	return uris, loopback(ctx, m.sdk, func(ss *mcp.ServerSession) error {
		return core.Pages(func(cursor string) (string, error) {
			r := &mcp.ListResourcesRequest{Session: ss, Params: &mcp.ListResourcesParams{Cursor: cursor}}
			page, err := nativeResult[mcp.ListResourcesResult](ctx, m.state, "resources/list", r)
			if err != nil {
				return "", err
			}
			for _, r := range page.Resources {
				uris[r.URI] = uris[r.URI] || m.put[r.URI] != r
			}
			return page.NextCursor, nil
		})
	})
}

func resourceOf(uri, front string) (*mcp.Resource, error) {
	r := &mcp.Resource{URI: uri, MIMEType: "text/markdown"}
	var about struct{ Name, Description string }
	err := json.Unmarshal([]byte(front), &about)
	r.Name, r.Description = about.Name, about.Description
	return r, err
}
