package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
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
// MountSkills returns an error and changes nothing if s or r is nil, or if s has a
// resource with the URI of a file ([prompts.ErrExists]). Later, the server's own
// resource wins: the file is skipped and logged. The SDK has no lists that differ by
// client, no cache hints and no rates for skills, so the options of
// [promptskills.New] do not exist here.
func MountSkills(s *server.MCPServer, r *promptskills.Registry, o SkillsOptions) (unmount func(), err error) {
	switch {
	case s == nil:
		return nil, errors.New("mcpgo: server is nil")
	case r == nil:
		return nil, errors.New("mcpgo: registry is nil")
	}
	f, err := promptskills.New(r, promptskills.Options{PageSize: everything})
	if err != nil {
		return nil, fmt.Errorf("mcpgo: %w", err)
	}
	calls, err := prompts.NewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}, Logger: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("mcpgo: %w", err)
	}
	m := &skillMount{server: s, state: stateOf(s), calls: calls}
	changed, cancel := r.Subscribe() // before the first look, so that nothing is missed
	if err := m.sync(); err != nil {
		cancel()
		m.remove()
		return nil, err
	}
	stop := core.Watch(changed, func() {
		if err := m.sync(); err != nil {
			m.calls.Log(context.Background(), slog.LevelWarn, "skill not mounted", slog.Any("error", err))
		}
	})
	return sync.OnceFunc(func() {
		cancel()
		stop()
		m.remove()
	}), nil
}

// skillMount is a registry of skills on a server.
type skillMount struct {
	server *server.MCPServer
	state  *serverState
	calls  *prompts.Server
	listed map[string]string // the entries of resources/list, by URI; of one goroutine at a time
}

// owns reports whether a resource of the server is a file of the mount.
func (m *skillMount) owns(there *server.ServerResource) bool {
	return there != nil && m.listed[there.Resource.URI] != "" && isHandler(there.Handler, m.read)
}

// sync makes the resources of the server have all files. It returns an error for each
// file whose URI the server has for a resource of its own, which stays unchanged.
func (m *skillMount) sync() error {
	m.state.changing.Lock()
	defer m.state.changing.Unlock()
	var list struct{ Resources []json.RawMessage }
	err := core.Walk(func(params json.RawMessage) (json.RawMessage, error) {
		return m.calls.Call(context.Background(), "resources/list", params, prompts.CallOptions{})
	}, func(raw json.RawMessage) error {
		var page struct{ Resources []json.RawMessage }
		err := json.Unmarshal(raw, &page)
		list.Resources = append(list.Resources, page.Resources...)
		return err
	})
	if err != nil {
		return fmt.Errorf("mcpgo: %w", err)
	}
	present := m.server.ListResources()
	now := make(map[string]string, len(list.Resources))
	var added []server.ServerResource
	var errs []error
	for _, entry := range list.Resources {
		var resource mcp.Resource
		if err := json.Unmarshal(entry, &resource); err != nil {
			return fmt.Errorf("mcpgo: %w", err)
		}
		there := present[resource.URI]
		if there != nil && !m.owns(there) {
			errs = append(errs, core.Exists("mcpgo", "resource", resource.URI))
			continue
		}
		if there == nil || m.listed[resource.URI] != string(entry) {
			added = append(added, server.ServerResource{Resource: resource, Handler: m.read})
		}
		now[resource.URI] = string(entry)
	}
	var gone []string
	for uri := range m.listed {
		if now[uri] == "" && m.owns(present[uri]) {
			gone = append(gone, uri)
		}
	}
	m.listed = now
	if len(gone) > 0 {
		m.server.DeleteResources(gone...)
	}
	if len(added) > 0 {
		m.server.AddResources(added...)
	}
	return errors.Join(errs...)
}

// remove removes the files from the server.
func (m *skillMount) remove() {
	m.state.changing.Lock()
	defer m.state.changing.Unlock()
	present := m.server.ListResources()
	maps.DeleteFunc(present, func(_ string, there *server.ServerResource) bool { return !m.owns(there) })
	m.server.DeleteResources(slices.Collect(maps.Keys(present))...)
}

// read is the handler of each file.
func (m *skillMount) read(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	params, err := json.Marshal(map[string]string{"uri": r.Params.URI})
	if err != nil {
		return nil, err
	}
	raw, err := m.calls.Call(ctx, "resources/read", params, prompts.CallOptions{})
	if err != nil {
		return nil, failure(ctx, err)
	}
	var result struct {
		Contents []struct {
			mcp.BlobResourceContents
			Blob *string `json:"blob"`
			Text string  `json:"text"`
		}
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, err
	}
	var contents []mcp.ResourceContents
	for _, c := range result.Contents {
		if c.Blob != nil {
			contents = append(contents, mcp.BlobResourceContents{URI: c.URI, MIMEType: c.MIMEType, Blob: *c.Blob})
		} else {
			contents = append(contents, mcp.TextResourceContents{URI: c.URI, MIMEType: c.MIMEType, Text: c.Text})
		}
	}
	return contents, nil
}
