package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

const changeLongest = 200 * time.Millisecond

// maxGone is how many prompts that have left the registry may stay in the server, unseen.
const maxGone = 256

// everything is the size of a page that has all prompts: the server that they
// are mounted on makes the pages.
const everything = 1 << 30

// Options configures a [Mount].
type Options struct {
	// Server are the options of [prompts.NewServer]. The package documentation lists the
	// options that are an error.
	Server prompts.Options
	// Completions is the completion provider of the server from
	// [server.WithPromptCompletionProvider], or nil. The server has only one provider, so
	// Mount replaces it, unless Server.DisableCompletions is set, and calls Completions
	// for prompts outside of the registry.
	Completions server.PromptCompletionProvider
}

// Mount adds the prompts of r to s, in addition to the prompts of s, and keeps them
// in sync with the registry until unmount is called.
//
// Mount returns an error and changes nothing if s or r is nil, if an option is invalid or has no
// effect on a mount, or if s has a prompt with the same name as r ([prompts.ErrExists]), or a tool
// with the same name as a feature of package prompttools in Options.Features. Otherwise the tools
// of the feature become tools of s. Call the first Mount before the server starts. Further calls,
// and unmount, are allowed at any time. Several registries may be mounted on one server.
//
// unmount removes the prompts from s, with one notification. Safe for concurrent
// use, at any time and more than once. It does not wait for requests in progress.
func Mount(s *server.MCPServer, r *prompts.Registry, o Options) (unmount func(), err error) {
	srv := o.Server
	if err := core.CheckGiven("mcpgo", s != nil, r != nil); err != nil {
		return nil, err
	}
	if err := core.WithoutEffect("mcpgo", srv, map[string]bool{"PageSize": srv.PageSize != 0, "ClientCache": srv.ClientCache != feature.Cache{}}); err != nil {
		return nil, err
	}
	m := &mount{server: s, registry: r, options: srv}
	srv.PageSize, srv.Visible = everything, core.Watched(srv.Visible)
	if m.calls, err = prompts.NewServer(r, srv); err != nil {
		return nil, fmt.Errorf("mcpgo: %w", err)
	}
	// Without Visible: serverState.filter removes hidden prompts.
	listing := prompts.Options{PageSize: everything, ElicitArguments: srv.ElicitArguments}
	m.prober = prompts.MustNewServer(newProbe(), listing)
	listing.Features = srv.Features
	if m.lister, err = prompts.NewServer(r, listing); err != nil {
		return nil, fmt.Errorf("mcpgo: %w", err)
	}
	m.own = o.Completions
	m.state, m.tools = stateOf(s), m.newTools()
	return core.Follow(r.OnChange, changeLongest, m.begin, m.follow, m.end)
}

func (m *mount) begin() error {
	m.state.changing.Lock()
	defer m.state.changing.Unlock()
	next := newSnapshot(m)
	var faults []error
	present := m.server.ListPrompts()
	for _, name := range slices.Sorted(maps.Keys(next.prompts)) {
		if present[name] != nil && !isGone(present[name]) {
			faults = append(faults, core.Exists("mcpgo", "prompt", name))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	if m.tools != nil && m.options.Visible != nil {
		m.state.prepareTools(m.server) // before the tools are there
	}
	m.state.enter(m)
	if err := m.tools.Update(); err != nil {
		return err
	}
	m.state.prepare(m.server, m.options, m.own)
	m.put(next, slices.Sorted(maps.Keys(next.prompts)), nil)
	return nil
}

func (m *mount) follow() {
	taken, err := m.update()
	if err != nil {
		m.calls.Log(context.Background(), slog.LevelWarn, "tool not mounted", slog.Any("error", err))
	}
	for _, name := range taken {
		m.reportOwn(context.Background(), "prompt", name)
	}
}

// update brings the server up to date, with one notification, and returns the names of the
// registry that the server has for prompts of its own, and the error of the tools.
func (m *mount) update() (taken []string, err error) {
	m.state.changing.Lock()
	defer m.state.changing.Unlock()
	before, next := m.snapshot.Load(), newSnapshot(m)
	present := m.server.ListPrompts()
	var put, gone []string
	for _, name := range slices.Sorted(maps.Keys(next.prompts)) {
		mine := mountOf(present[name]) == m
		switch {
		case present[name] != nil && !mine && !isGone(present[name]):
			taken = append(taken, name)
			next.drop(name)
		case !mine || !before.same(next, name):
			put = append(put, name)
		}
	}
	for name, there := range present {
		if mountOf(there) == m && !next.has(name) {
			gone = append(gone, name)
		}
	}
	m.put(next, put, gone)
	return taken, m.tools.Update()
}

// put makes next what is mounted, and the server's prompts those of it: those in
// put are new or changed there, and those in gone have to go. Each of the SDK's
// methods notifies clients, so one is called: if there are prompts to put, those
// that have to go stay in the server until the next change, where the filter keeps
// them from clients. Only if they get too many are clients notified twice.
func (m *mount) put(next *snapshot, put, gone []string) {
	entries := next.entries(asUnknown)
	all := make([]server.ServerPrompt, 0, len(put))
	for _, name := range put {
		entry := entries[name]
		if entry.Name == "" {
			// It has left the registry since; another change is on its way.
			entry.Name = name
		}
		all = append(all, server.ServerPrompt{Prompt: m.tagged(entry), Handler: m.get})
	}
	first := m.snapshot.Swap(next) == nil
	if len(gone) > maxGone || len(all) == 0 && len(gone) > 0 {
		m.server.DeletePrompts(gone...)
	} else if len(all) == 0 && !first && m.state.listChanged {
		m.server.SendNotificationToAllClients(mcp.MethodNotificationPromptsListChanged, nil)
	}
	if len(all) > 0 {
		m.server.AddPrompts(all...)
	}
}

func (m *mount) end() {
	m.state.changing.Lock()
	defer m.state.changing.Unlock()
	m.snapshot.Store(nil)
	var ours []string
	for name, there := range m.server.ListPrompts() {
		if mountOf(there) == m {
			ours = append(ours, name)
		}
	}
	m.server.DeletePrompts(ours...)
	_ = m.tools.Clear() // never fails
	m.state.leave(m)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.calls.Flush(ctx) // of Options.Observer
}

func (s *snapshot) same(next *snapshot, name string) bool {
	a, ok := s.entries(asUnknown)[name]
	b, okNext := next.entries(asUnknown)[name]
	return ok && okNext && reflect.DeepEqual(a, b)
}
