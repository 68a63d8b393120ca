// Package core has the parts of mount/gosdk and mount/mcpgo that need no types of an SDK. It is
// for the mounts of this repository, no promise.
package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/errorid"
	"github.com/mcp-prompts/prompts/promptskills"
)

// Everything is the size of a page that has all entries.
const Everything = 1 << 30

// Mount is a registry of prompts or skills on a server of an SDK.
type Mount struct {
	Name     string            // of the package that mounts, for errors
	Registry *prompts.Registry // nil for skills
	Options  prompts.Options   // of the application
	Server   *prompts.Server   // answers clients
	Lister   *prompts.Server   // lists all prompts and tools, whoever may see them; nil for skills

	sdkLists bool     // the SDK's lists have the prompts of the registry
	reported sync.Map // names that a server and a mount both have: the kind and the name
}

// NewMount returns the mount of a registry of prompts. With sdkLists, the SDK makes the pages of all
// prompts.
func NewMount(name string, hasServer bool, r *prompts.Registry, o prompts.Options, sdkLists bool) (*Mount, error) {
	if err := cmp.Or(checkGiven(name, hasServer, r != nil), withoutEffect(name, o, sdkLists)); err != nil {
		return nil, err
	}
	m := &Mount{Name: name, Registry: r, Options: o, sdkLists: sdkLists}
	lister := prompts.Options{PageSize: Everything, ElicitArguments: o.ElicitArguments, Features: o.Features, Logger: o.Logger}
	o.Visible = watched(o.Visible)
	if sdkLists {
		o.PageSize = Everything
	}
	var err error
	if m.Server, err = prompts.NewServer(r, o); err == nil {
		m.Lister, err = prompts.NewServer(r, lister)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// NewSkillMount returns the mount of a registry of skills.
func NewSkillMount(name string, hasServer bool, r *promptskills.Registry, o promptskills.Options, l *slog.Logger) (*Mount, error) {
	if err := checkGiven(name, hasServer, r != nil); err != nil {
		return nil, err
	}
	f, err := promptskills.New(r, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}, Logger: l})
	return &Mount{Name: name, Server: srv}, nil
}

func checkGiven(name string, hasServer, hasRegistry bool) error {
	if !hasServer {
		return errors.New(name + ": server is nil")
	} else if !hasRegistry {
		return errors.New(name + ": registry is nil")
	}
	return nil
}

// withoutEffect returns an error that names the options without effect, which belong to the SDK.
func withoutEffect(name string, o prompts.Options, sdkLists bool) error {
	set := map[string]bool{
		"Info":                         !reflect.ValueOf(o.Info).IsZero(),
		"Instructions":                 o.Instructions != "",
		"ChangeDelay":                  o.ChangeDelay != 0,
		"Timeouts.Drain":               o.Timeouts.Drain != 0,
		"Limits.MaxConcurrent":         o.Limits.MaxConcurrent != 0,
		"Limits.MaxSubscriptions":      o.Limits.MaxSubscriptions != 0,
		"Limits.MaxSubscriptionsTotal": o.Limits.MaxSubscriptionsTotal != 0,
		"PageSize":                     sdkLists && o.PageSize != 0,
		"ClientCache":                  sdkLists && o.ClientCache != feature.ClientCache{},
	}
	for _, f := range o.Features {
		for method := range f.Methods {
			set["method "+method] = method != "tools/list" && method != "tools/call"
		}
	}
	maps.DeleteFunc(set, func(_ string, isSet bool) bool { return !isSet })
	if len(set) == 0 {
		return nil
	}
	return fmt.Errorf("%s: options have no effect on a mount: %s; remove them, and configure the server of the SDK",
		name, strings.Join(slices.Sorted(maps.Keys(set)), ", "))
}

// Flush waits up to a second for Options.Observer.
func (m *Mount) Flush() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.Server.Flush(ctx)
}

type existsError string

func (e existsError) Error() string { return string(e) }
func (e existsError) Unwrap() error { return prompts.ErrExists }

// Exists returns the error for a name that the server has already. kind is prompt, tool or resource.
func (m *Mount) Exists(kind, name string) error {
	return existsError(fmt.Sprintf("%s: %s %q already exists on the server; rename one of the two", m.Name, kind, name))
}

// ReportOwn logs, once, the name of a prompt, tool or resource, the kind, that the server and the
// mount both have.
func (m *Mount) ReportOwn(ctx context.Context, kind, name string) {
	if _, isKnown := m.reported.LoadOrStore(kind+" "+name, true); isKnown {
		return
	}
	lister := "server"
	if kind == "prompt" && !m.sdkLists {
		lister = "registry"
	}
	m.logUnmounted(ctx, kind, name, fmt.Errorf(
		"%s: %s %q exists on the server, too: the list has the %s's entry, and the server's %[2]s answers; rename one of the two",
		m.Name, kind, name, lister))
}

func (m *Mount) logUnmounted(ctx context.Context, kind, name string, err error) {
	event, about := "tool not mounted", slog.Attr{} // which handlers leave out
	switch kind {
	case "prompt":
		event, about = "prompt not mounted", slog.String("prompt", name)
	case "resource":
		event = "skill not mounted"
	}
	m.Server.Log(ctx, slog.LevelWarn, event, about, slog.Any("error", err))
}

// LogUnlisted logs the error, if any, of a list of prompts, tools or resources, the kind, unless
// the request of the list has ended.
func (m *Mount) LogUnlisted(ctx context.Context, kind string, err error, about ...slog.Attr) {
	event := "cannot list tools"
	switch {
	case err == nil || ctx.Err() != nil:
		return
	case kind == "prompt":
		event = "cannot list prompts"
	case kind == "resource":
		event = "cannot list resources"
	}
	m.Server.Log(ctx, slog.LevelError, event, append(about, slog.Any("error", err))...)
}

// Unconverted logs that the types of the SDK cannot express a result of a prompt or tool, the kind.
func (m *Mount) Unconverted(ctx context.Context, kind, name string, err error) *prompts.Error {
	event := "cannot convert result for go-sdk"
	if m.Name == "mcpgo" {
		event = "cannot convert result for mcp-go"
	}
	return InternalError(ctx, m.Server, event, fmt.Sprintf("%s %q", kind, name), slog.String(kind, name), err)
}

// InternalError logs an error of a request, and returns that for the client, which has the subject
// only, and the same error id.
func InternalError(ctx context.Context, srv *prompts.Server, event, subject string, about slog.Attr, err error) *prompts.Error {
	message, id := errorid.New("internal error: " + subject + " failed")
	srv.Log(ctx, slog.LevelError, event, about, slog.Any("error", err), slog.String(errorid.Attr, id))
	return &prompts.Error{Code: prompts.CodeInternalError, Message: message, Data: errorid.Data{ID: id}}
}

// Shows reports whether Options.Visible shows a prompt to the client in ctx. An error or a panic
// hides the prompt, and is logged.
func (m *Mount) Shows(ctx context.Context, p prompts.Prompt) (ok bool) {
	if m.Options.Visible == nil {
		return true
	}
	var err error
	defer func() {
		var stack slog.Attr
		if r := recover(); r != nil {
			err, stack = fmt.Errorf("panic: %v", r), slog.String("stack", string(debug.Stack()))
		}
		if err != nil {
			ok = false
			m.Server.Log(ctx, slog.LevelError, "Options.Visible failed", slog.String("prompt", p.Name), slog.Any("error", err), stack)
		}
	}()
	ok, err = m.Options.Visible(ctx, p)
	return ok
}

type watchKey string // the name of a prompt

// Watch returns a context for a request about a prompt, and shown, which reports whether
// Options.Visible has shown the prompt in that context. Only then may the result or error of the
// request differ from that for an unknown prompt.
func Watch(ctx context.Context, name string) (watched context.Context, shown func() bool) {
	w := new(atomic.Bool)
	return context.WithValue(ctx, watchKey(name), w), w.Load
}

// watched returns Options.Visible with a report to Watch for each shown prompt.
func watched(visible func(context.Context, prompts.Prompt) (bool, error)) func(context.Context, prompts.Prompt) (bool, error) {
	if visible == nil {
		return nil
	}
	return func(ctx context.Context, p prompts.Prompt) (bool, error) {
		ok, err := visible(ctx, p)
		if w, _ := ctx.Value(watchKey(p.Name)).(*atomic.Bool); ok && err == nil && w != nil {
			w.Store(true)
		}
		return ok, err
	}
}

// Completes reports whether an argument of a registry prompt has completions of its own. An
// imported prompt has no completions.
func Completes(p prompts.Prompt, argument string) bool {
	i := slices.IndexFunc(p.Arguments, func(a prompts.Argument) bool { return a.Name == argument })
	return i < 0 || p.Arguments[i].Complete != nil || p.Arguments[i].Schema != nil
}
