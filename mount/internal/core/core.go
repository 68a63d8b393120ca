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
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/promptskills"
)

type existsError string

func (e existsError) Error() string { return string(e) }
func (e existsError) Unwrap() error { return prompts.ErrExists }

// Exists returns the error for a name that a server has already. mount is the name of
// the package that mounts, and kind is prompt, tool or resource.
func Exists(mount, kind, name string) error {
	return existsError(fmt.Sprintf("%s: %s %q already exists on the server; rename one of the two", mount, kind, name))
}

// CheckGiven returns an error if what is to be mounted, or its server, is nil.
func CheckGiven(mount string, hasServer, hasRegistry bool) error {
	switch {
	case !hasServer:
		return errors.New(mount + ": server is nil")
	case !hasRegistry:
		return errors.New(mount + ": registry is nil")
	}
	return nil
}

// NewSkillServer returns a server of nothing but the skills of a registry.
func NewSkillServer(mount string, hasServer bool, r *promptskills.Registry, o promptskills.Options, l *slog.Logger) (*prompts.Server, error) {
	if err := CheckGiven(mount, hasServer, r != nil); err != nil {
		return nil, err
	}
	f, err := promptskills.New(r, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mount, err)
	}
	srv, err := prompts.NewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}, Logger: l})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mount, err)
	}
	return srv, nil
}

// WithoutEffect returns an error that names the options without effect: those about
// connections and methods other than those of tools, which belong to the other SDK, and more of a mount's own, which report
// whether they are set. mount is the name of the package that mounts.
func WithoutEffect(mount string, o prompts.Options, more map[string]bool) error {
	set := map[string]bool{
		"Info":                         !reflect.ValueOf(o.Info).IsZero(),
		"Instructions":                 o.Instructions != "",
		"ChangeDelay":                  o.ChangeDelay != 0,
		"Timeouts.Drain":               o.Timeouts.Drain != 0,
		"Limits.MaxConcurrent":         o.Limits.MaxConcurrent != 0,
		"Limits.MaxSubscriptions":      o.Limits.MaxSubscriptions != 0,
		"Limits.MaxSubscriptionsTotal": o.Limits.MaxSubscriptionsTotal != 0,
	}
	for _, f := range o.Features {
		for name := range f.Methods {
			set["method "+name] = name != "tools/list" && name != "tools/call"
		}
	}
	maps.Copy(set, more)
	maps.DeleteFunc(set, func(_ string, isSet bool) bool { return !isSet })
	if len(set) == 0 {
		return nil
	}
	return fmt.Errorf("%s: options have no effect on a mount: %s; remove them, and configure the server of the SDK",
		mount, strings.Join(slices.Sorted(maps.Keys(set)), ", "))
}

// InternalError logs an error of a request, and returns the error for the client, which
// gets the subject only. Both have the same error id.
func InternalError(ctx context.Context, srv *prompts.Server, event, subject string, about slog.Attr, err error) *prompts.Error {
	id := fmt.Sprintf("%08x", rand.Uint32())
	srv.Log(ctx, slog.LevelError, event, about, slog.Any("error", err), slog.String("error_id", id))
	message := fmt.Sprintf("internal error: %s failed (error id %s)", subject, id)
	return &prompts.Error{Code: prompts.CodeInternalError, Message: message, Data: map[string]string{"errorId": id}}
}

// IsVisible is the type of Options.Visible.
type IsVisible = func(ctx context.Context, p prompts.Prompt) (bool, error)

// Visible reports whether visible, an Options.Visible or nil, shows a prompt to the client in
// ctx. An error or a panic hides the prompt, and is logged by srv.
func Visible(ctx context.Context, srv *prompts.Server, visible IsVisible, p prompts.Prompt) (ok bool) {
	if visible == nil {
		return true
	}
	report := func(err error, attrs ...slog.Attr) {
		srv.Log(ctx, slog.LevelError, "Options.Visible failed", append(attrs, slog.String("prompt", p.Name), slog.Any("error", err))...)
		ok = false
	}
	defer func() {
		if r := recover(); r != nil {
			report(fmt.Errorf("panic: %v", r), slog.String("stack", string(debug.Stack())))
		}
	}()
	ok, err := visible(ctx, p)
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

// Watch returns a context for a request about a prompt, and shown, which reports whether a
// Visible from Watched has shown the prompt in the context, or in one made from it. Only then
// may the result or error of the request differ from that for an unknown prompt.
func Watch(ctx context.Context, name string) (watched context.Context, shown func() bool) {
	w := &watch{name: name}
	return context.WithValue(ctx, watchKey{}, w), w.shown.Load
}

// Watched returns visible, an Options.Visible or nil, with a report to Watch for each shown prompt.
func Watched(visible IsVisible) IsVisible {
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

// quiet is how long a registry must be unchanged before its changes are mounted.
const quiet = 20 * time.Millisecond

// Follow calls begin, and then update on a goroutine of its own after each burst of changes: when
// no change has come for 20 ms, or after the time longest. stop waits for the goroutine and calls
// end, the first time only. After an error of begin, Follow calls end and returns the error.
func Follow(onChange func(changed func()) (cancel func()), longest time.Duration, begin func() error, update, end func()) (stop func(), err error) {
	changed, stopped := make(chan struct{}, 1), make(chan struct{})
	cancel := onChange(func() { // before begin, so that no change is missed
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err := begin(); err != nil {
		cancel()
		end()
		return nil, err
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-changed:
			case <-stopped:
				return
			}
			if !settle(changed, stopped, longest) {
				return
			}
			update()
		}
	})
	return sync.OnceFunc(func() {
		close(stopped)
		running.Wait()
		cancel()
		end()
	}), nil
}

// settle waits for the end of a burst. It reports false if stop is closed.
func settle(changed, stop <-chan struct{}, longest time.Duration) bool {
	latest := time.After(longest)
	for {
		select {
		case <-changed:
		case <-time.After(quiet):
			return true
		case <-latest:
			return true
		case <-stop:
			return false
		}
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

// States has the state of each server of an SDK that has had a mount: an SDK has no place for
// a state, and no way to list or remove a middleware, filter or hook. It keeps neither the
// servers nor the states alive: what a mount adds to a server keeps the state of the server.
type States[K, V any] struct {
	mu  sync.Mutex // protects the field below, and is held to make a state
	all map[weak.Pointer[K]]weak.Pointer[V]
}

// Of returns the state of a server, which create makes if need be.
func (s *States[K, V]) Of(server *K, create func() *V) *V {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := weak.Make(server)
	known, ok := s.all[key]
	if v := known.Value(); v != nil {
		return v
	}
	if s.all == nil {
		s.all = map[weak.Pointer[K]]weak.Pointer[V]{}
	}
	v := create()
	s.all[key] = weak.Make(v)
	if !ok {
		runtime.AddCleanup(server, func(key weak.Pointer[K]) {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.all, key)
		}, key)
	}
	return v
}

// IsStateless reports whether a protocol version is known and has no sessions.
func IsStateless(version string) bool {
	r, ok := revision.Parse(version)
	return ok && r.Stateless()
}

// HasCompletions reports whether a protocol version is known and has a capability for completion.
func HasCompletions(version string) bool {
	r, ok := revision.Parse(version)
	return ok && r.Completions()
}

// NewestStateful returns the newest protocol version with sessions.
func NewestStateful() string { return revision.NewestStateful().String() }
