package mcpgo

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"reflect"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/promptskills"
)

// newPrompts returns the prompts of the registry as prompts of the server, with the list entries
// of the newest protocol version. Each of the SDK's methods notifies clients, so only one is
// called: if there are prompts to put, up to maxGone that have left the registry stay in the server
// until the next change, hidden by the filter.
func (m *mount) newPrompts() *core.Entries[server.ServerPrompt] {
	return &core.Entries[server.ServerPrompt]{
		Mount: m.Mount, Kind: "prompt", Changing: &m.state.changing,
		All: core.Listed(context.Background(), m.Lister, "prompts", prompts.CallOptions{Version: mcp.LATEST_PROTOCOL_VERSION}),
		Own: func(added map[string]string) (map[string]bool, error) {
			present, own := m.sdk.ListPrompts(), map[string]bool{}
			for name, there := range present {
				own[name] = mountOf(there) != m && !isGone(there)
			}
			maps.DeleteFunc(added, func(name, _ string) bool { return mountOf(present[name]) != m })
			return own, nil
		},
		Read: func(_, entry string) (server.ServerPrompt, error) {
			p, err := promptOf(entry)
			return server.ServerPrompt{Prompt: m.tagged(p), Handler: m.get}, err
		},
		Put: m.sdk.AddPrompts, Remove: m.sdk.DeletePrompts,
		Keep: func(put, gone int) bool { return put > 0 && gone <= maxGone },
	}
}

// tagKey is the member of the Meta of a prompt in the server that has a *tag.
// The filter takes it out of what clients get.
const tagKey = "github.com/mcp-prompts/prompts/mount/mcpgo"

// tag is a prompt that a mount has put into the server, also when a list still has it after that.
type tag struct {
	mount *mount
	put   mcp.Prompt
}

func (m *mount) tagged(p mcp.Prompt) mcp.Prompt {
	if p.Meta == nil {
		p.Meta = &mcp.Meta{AdditionalFields: map[string]any{}}
	}
	p.Meta.AdditionalFields[tagKey] = &tag{mount: m, put: p}
	return p
}

func tagOf(p *mcp.Prompt) *tag {
	if p.Meta == nil {
		return nil
	}
	t, _ := p.Meta.AdditionalFields[tagKey].(*tag)
	return t
}

func mountOf(p *server.ServerPrompt) *mount {
	if p == nil || tagOf(&p.Prompt) == nil {
		return nil
	}
	return tagOf(&p.Prompt).mount
}

// ownOf returns the names of the server's own tools or resources, those that are not in added or
// that isOurs denies, and removes from added what is no longer there.
func ownOf[T any](present map[string]T, added map[string]string, isOurs func(there T) bool) map[string]bool {
	own := map[string]bool{}
	for name, there := range present {
		own[name] = added[name] == "" || !isOurs(there)
	}
	maps.DeleteFunc(added, func(name, _ string) bool { _, ok := present[name]; return !ok })
	return own
}

// isSameCode reports whether the handler of a tool or resource of a server is a function of this
// package. Nothing else in the SDK distinguishes the tools of a mount: a tag in the Meta, as prompts
// have, would reach clients, since resources have no filter. The code of a function is the same for
// all its receivers, so ownOf checks by name that the tool is of the same mount, too. One gap
// remains: if the application deletes a tool of a mount, and another mount adds a tool of the same
// name, the first mount takes that for its own, and removes it at unmount.
func isSameCode(there, ours any) bool {
	return reflect.ValueOf(there).Pointer() == reflect.ValueOf(ours).Pointer()
}

// isGone reports whether a prompt of the server has left the registry of its mount: the name is free.
func isGone(p *server.ServerPrompt) bool {
	m := mountOf(p)
	if m == nil {
		return false
	}
	_, ok := m.lookup(p.Prompt.Name)
	return !ok
}

// newTools returns the tools of a feature in Options.Features, or nil if no feature has tools.
func (m *mount) newTools() *core.Entries[server.ServerTool] {
	if !slices.Contains(m.Server.Methods(), "tools/call") {
		return nil
	}
	return &core.Entries[server.ServerTool]{
		Mount: m.Mount, Kind: "tool", Changing: &m.state.changing,
		All: core.Listed(context.Background(), m.Lister, "tools", prompts.CallOptions{Version: core.NewestStateful()}),
		Own: func(added map[string]string) (map[string]bool, error) {
			return ownOf(m.sdk.ListTools(), added, m.isHandler), nil
		},
		Read: func(_, entry string) (server.ServerTool, error) {
			var tool mcp.Tool
			inputSchema, err := core.ReadTool(entry, &tool)
			tool.InputSchema, tool.RawInputSchema = mcp.ToolInputSchema{}, inputSchema
			return server.ServerTool{Tool: tool, Handler: m.tool}, err
		},
		Put: m.sdk.AddTools, Remove: m.sdk.DeleteTools,
	}
}

func (m *mount) isHandler(there *server.ServerTool) bool { return isSameCode(there.Handler, m.tool) }

func (m *mount) reportTools(ctx context.Context, listed []mcp.Tool) {
	for _, tool := range listed {
		if there := m.sdk.GetTool(tool.Name); m.tools.Wants(tool.Name) && there != nil && !m.isHandler(there) {
			m.ReportOwn(ctx, "tool", tool.Name)
		}
	}
}

func (m *mount) visibleTools(ctx context.Context, all []mcp.Tool) []mcp.Tool {
	isOurs := func(tool mcp.Tool) bool {
		there := m.sdk.GetTool(tool.Name)
		return m.tools.Has(tool.Name) && (there == nil || m.isHandler(there)) // nil: just deleted
	}
	if !slices.ContainsFunc(all, isOurs) {
		return all
	}
	seen, err := core.Listed(ctx, m.Server, "tools", m.client(ctx, nil))()
	m.LogUnlisted(ctx, "tool", err) // and all are hidden
	return slices.DeleteFunc(slices.Clone(all), func(tool mcp.Tool) bool { return seen[tool.Name] == "" && isOurs(tool) })
}

func (m *mount) tool(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return answer(ctx, m, "tools/call", "tool", request.Params.Name, request.Params, toolResult)
}

// SkillsOptions configures [MountSkills].
type SkillsOptions struct {
	// Logger receives errors that clients must not see, and the files that are skipped.
	// Default: slog.Default() at the time of MountSkills.
	Logger *slog.Logger
}

// MountSkills adds the files of the skills of a registry to a server as resources, and keeps them in
// sync until unmount is called. mcp-go has no methods of an application: a server has no skills/list,
// and does not declare the extension. Hosts read a skill by its URI.
//
// MountSkills returns an error and changes nothing if s or r is nil, or if s has a resource with
// the URI of a file ([prompts.ErrExists]). Later, the server's own resource wins: the file is
// skipped and logged. The SDK has no lists that differ by client, no cache hints and no rates for
// skills, so the options of [promptskills.New] do not exist here.
func MountSkills(s *server.MCPServer, r *promptskills.Registry, o SkillsOptions) (unmount func(), err error) {
	base, err := core.NewSkillMount("mcpgo", s != nil, r, promptskills.Options{PageSize: core.Everything}, o.Logger)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		raw, err := base.Server.Call(ctx, "resources/read", core.Encode(map[string]string{"uri": r.Params.URI}), prompts.CallOptions{Version: versionOf(ctx)})
		if err != nil {
			return nil, failure(ctx, err)
		}
		result, err := mcp.ParseReadResourceResult(&raw)
		if err != nil {
			return nil, err
		}
		return result.Contents, nil
	}
	files := &core.Entries[server.ServerResource]{
		Mount: base, Kind: "resource", Changing: &stateOf(s).changing,
		All: core.Listed(context.Background(), base.Server, "resources", prompts.CallOptions{Version: core.NewestStateful()}),
		Own: func(added map[string]string) (map[string]bool, error) {
			return ownOf(s.ListResources(), added, func(there *server.ServerResource) bool { return isSameCode(there.Handler, read) }), nil
		},
		Read: func(_, entry string) (server.ServerResource, error) {
			r := server.ServerResource{Handler: read}
			err := json.Unmarshal([]byte(entry), &r.Resource)
			return r, err
		},
		Put: s.AddResources, Remove: func(uris ...string) { s.DeleteResources(uris...) },
	}
	return core.Follow(r.OnChange, changeLongest, files.Start, func() { files.Update() }, files.Clear)
}
