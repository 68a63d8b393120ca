package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptskills"
)

// MountSkills adds the files of the skills of a registry to a server as resources,
// beside those that it has, and keeps them in sync until unmount is called. mcp-go
// has no methods of an application: a server has no skills/list, and does not declare
// the extension. Hosts read a skill by its URI.
//
// MountSkills returns an error and changes nothing if s or r is nil.
func MountSkills(s *server.MCPServer, r *promptskills.Registry) (unmount func(), err error) {
	if s == nil || r == nil {
		return nil, errors.New("mcpgo: the server or the registry is nil")
	}
	m := &skillMount{server: s, listed: map[string]string{}, calls: prompts.NewServer(nil, prompts.Options{
		Features: []feature.Feature{promptskills.Feature(r, promptskills.Options{PageSize: everything})},
	})}
	changed, cancel := r.Subscribe() // before the first look, so that nothing is missed
	if err := m.sync(); err != nil {
		cancel()
		return nil, err
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-changed:
				_ = m.sync() // which has worked before
			case <-stop:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		cancel()
		close(stop)
		running.Wait()
		s.DeleteResources(slices.Collect(maps.Keys(m.listed))...)
	}), nil
}

// skillMount is a registry of skills on a server.
type skillMount struct {
	server *server.MCPServer
	calls  *prompts.Server
	listed map[string]string // the entries of resources/list, by URI; of one goroutine at a time
}

// sync makes the resources of the server have all files.
func (m *skillMount) sync() error {
	raw, err := m.calls.Call(context.Background(), "resources/list", nil, prompts.CallOptions{})
	if err != nil {
		return fmt.Errorf("mcpgo: %w", err)
	}
	var list struct{ Resources []json.RawMessage }
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("mcpgo: %w", err)
	}
	now := make(map[string]string, len(list.Resources))
	var added []server.ServerResource
	for _, entry := range list.Resources {
		var resource mcp.Resource
		if err := json.Unmarshal(entry, &resource); err != nil {
			return fmt.Errorf("mcpgo: %w", err)
		}
		if now[resource.URI] = string(entry); m.listed[resource.URI] != string(entry) {
			added = append(added, server.ServerResource{Resource: resource, Handler: m.read})
		}
	}
	var gone []string
	for uri := range m.listed {
		if _, ok := now[uri]; !ok {
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
	return nil
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
