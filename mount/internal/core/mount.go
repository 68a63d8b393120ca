// Package core has the parts of mount/gosdk and mount/mcpgo that need no types of an SDK. It is
// for the mounts of this repository, no promise.
package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
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

// NewMount returns the mount of a registry of prompts. name is that of the package that mounts.
// sdkLists says that the SDK makes the pages of all prompts.
func NewMount(name string, hasServer bool, r *prompts.Registry, o prompts.Options, sdkLists bool) (*Mount, error) {
	if err := checkGiven(name, hasServer, r != nil); err != nil {
		return nil, err
	}
	if err := withoutEffect(name, o, sdkLists); err != nil {
		return nil, err
	}
	m := &Mount{Name: name, Registry: r, Options: o, sdkLists: sdkLists}
	lister := prompts.Options{PageSize: Everything, ElicitArguments: o.ElicitArguments, Features: o.Features, Logger: o.Logger}
	o.Visible = watched(o.Visible)
	if sdkLists {
		o.PageSize = Everything
	}
	var err error
	if m.Server, err = prompts.NewServer(r, o); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Lister, err = prompts.NewServer(r, lister); err != nil {
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
	switch {
	case !hasServer:
		return errors.New(name + ": server is nil")
	case !hasRegistry:
		return errors.New(name + ": registry is nil")
	}
	return nil
}

// withoutEffect returns an error that names the options without effect: those about
// connections and methods other than those of tools, which belong to the SDK.
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
	lister, about := "server", []slog.Attr(nil)
	if kind == "prompt" {
		about = append(about, slog.String("prompt", name))
		if !m.sdkLists {
			lister = "registry"
		}
	}
	m.logUnmounted(ctx, kind, fmt.Errorf(
		"%s: %s %q exists on the server, too: the list has the %s's entry, and the server's %[2]s answers; rename one of the two",
		m.Name, kind, name, lister), about...)
}

func (m *Mount) logUnmounted(ctx context.Context, kind string, err error, about ...slog.Attr) {
	event := "tool not mounted"
	switch kind {
	case "prompt":
		event = "prompt not mounted"
	case "resource":
		event = "skill not mounted"
	}
	m.Server.Log(ctx, slog.LevelWarn, event, append(about, slog.Any("error", err))...)
}

// Unconverted logs that the types of the SDK cannot express a result of a prompt or tool, the
// kind, and returns the error for the client.
func (m *Mount) Unconverted(ctx context.Context, kind, name string, err error) *prompts.Error {
	event := "cannot convert result for go-sdk"
	if m.Name == "mcpgo" {
		event = "cannot convert result for mcp-go"
	}
	return InternalError(ctx, m.Server, event, fmt.Sprintf("%s %q", kind, name), slog.String(kind, name), err)
}

// InternalError logs an error of a request, and returns the error for the client, which
// gets the subject only. Both have the same error id.
func InternalError(ctx context.Context, srv *prompts.Server, event, subject string, about slog.Attr, err error) *prompts.Error {
	id := fmt.Sprintf("%08x", rand.Uint32())
	srv.Log(ctx, slog.LevelError, event, about, slog.Any("error", err), slog.String("error_id", id))
	message := fmt.Sprintf("internal error: %s failed (error id %s)", subject, id)
	return &prompts.Error{Code: prompts.CodeInternalError, Message: message, Data: map[string]string{"errorId": id}}
}

// Shows reports whether Options.Visible shows a prompt to the client in ctx. An error or a panic
// of Options.Visible hides the prompt, and is logged.
func (m *Mount) Shows(ctx context.Context, p prompts.Prompt) (ok bool) {
	if m.Options.Visible == nil {
		return true
	}
	report := func(err error, attrs ...slog.Attr) {
		attrs = append(attrs, slog.String("prompt", p.Name), slog.Any("error", err))
		m.Server.Log(ctx, slog.LevelError, "Options.Visible failed", attrs...)
		ok = false
	}
	defer func() {
		if r := recover(); r != nil {
			report(fmt.Errorf("panic: %v", r), slog.String("stack", string(debug.Stack())))
		}
	}()
	ok, err := m.Options.Visible(ctx, p)
	if err != nil {
		report(err)
	}
	return ok
}

type watchKey struct{}

type watch struct {
	name  string
	shown atomic.Bool
}

// Watch returns a context for a request about a prompt, and shown, which reports whether
// Options.Visible has shown the prompt in the context, or in one made from it. Only then
// may the result or error of the request differ from that for an unknown prompt.
func Watch(ctx context.Context, name string) (watched context.Context, shown func() bool) {
	w := &watch{name: name}
	return context.WithValue(ctx, watchKey{}, w), w.shown.Load
}

type isVisible = func(ctx context.Context, p prompts.Prompt) (bool, error)

// watched returns visible, an Options.Visible or nil, with a report to Watch for each shown prompt.
func watched(visible isVisible) isVisible {
	if visible == nil {
		return nil
	}
	return func(ctx context.Context, p prompts.Prompt) (bool, error) {
		ok, err := visible(ctx, p)
		if w, _ := ctx.Value(watchKey{}).(*watch); ok && err == nil && w != nil && w.name == p.Name {
			w.shown.Store(true)
		}
		return ok, err
	}
}

// Completes reports whether an argument of a registry prompt has completions of its own. An
// imported prompt has no completions.
func Completes(p prompts.Prompt, argument string) bool {
	for _, a := range p.Arguments {
		if a.Name == argument {
			return a.Complete != nil || a.Schema != nil
		}
	}
	return true
}
