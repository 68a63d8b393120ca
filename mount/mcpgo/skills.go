package mcpgo

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/promptskills"
)

// SkillsOptions configures [MountSkills].
type SkillsOptions struct {
	// Logger receives errors that clients must not see, and the files that are skipped.
	// Default: slog.Default() at the time of MountSkills.
	Logger *slog.Logger
}

// MountSkills adds the files of the skills of a registry to a server as resources,
// beside those that it has, and keeps them in sync until unmount is called. mcp-go
// has no methods of an application: a server has no skills/list, and does not declare
// the extension. Hosts read a skill by its URI.
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
	m := &skillMount{base}
	files := &core.Entries[server.ServerResource]{
		Mount: base, Kind: "resource", Changing: &stateOf(s).changing,
		All: core.Listed(m.Server, "resources/list", "resources", core.NewestStateful()),
		Own: func(added map[string]string) (map[string]bool, error) {
			return ownOf(s.ListResources(), added, func(there *server.ServerResource) bool { return isSameCode(there.Handler, m.read) }), nil
		},
		Read: func(_, entry string) (server.ServerResource, error) {
			r := server.ServerResource{Handler: m.read}
			err := json.Unmarshal([]byte(entry), &r.Resource)
			return r, err
		},
		Put: s.AddResources, Remove: func(uris ...string) { s.DeleteResources(uris...) },
	}
	return core.Follow(r.OnChange, changeLongest, files.Start, func() { files.Update() }, files.Clear)
}

type skillMount struct{ *core.Mount }

func (m *skillMount) read(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	params, err := json.Marshal(map[string]string{"uri": r.Params.URI})
	if err != nil {
		return nil, err
	}
	raw, err := m.Server.Call(ctx, "resources/read", params, prompts.CallOptions{Version: versionOf(ctx)})
	if err != nil {
		return nil, failure(ctx, err)
	}
	result, err := mcp.ParseReadResourceResult(&raw)
	if err != nil {
		return nil, err
	}
	return result.Contents, nil
}
