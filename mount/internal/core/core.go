// Package core has the parts of mount/gosdk and mount/mcpgo that need no types of an SDK. It is
// for the mounts of this repository, no promise.
package core

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts"
)

type existsError string

func (e existsError) Error() string { return string(e) }
func (e existsError) Unwrap() error { return prompts.ErrExists }

// Exists returns the error for a name that a server has already. mount is the name of
// the package that mounts, and kind is prompt, tool or resource.
func Exists(mount, kind, name string) error {
	return existsError(fmt.Sprintf("%s: %s %q already exists on the server; rename one of the two", mount, kind, name))
}

// WithoutEffect returns an error that names the options without effect: those about
// connections, which belong to the other SDK, and more of a mount's own, which report
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
		"Methods":                      len(o.Methods) > 0,
		"Capabilities":                 len(o.Capabilities) > 0,
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
	message, id := withErrorID("internal error: " + subject + " failed")
	srv.Log(ctx, slog.LevelError, event, about, slog.Any("error", err), slog.String(errorIDAttr, id))
	return &prompts.Error{Code: prompts.CodeInternalError, Message: message, Data: errorData{ID: id}}
}

// quiet is how long a registry must be unchanged before its changes are mounted.
const quiet = 20 * time.Millisecond

// Settle waits until no signal arrives for 20 ms, or for the time longest. It reports
// false if stop is closed.
func Settle(changed, stop <-chan struct{}, longest time.Duration) bool {
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

// Watch calls update for each signal, on a goroutine of its own. The caller must call
// stop once, which waits for the goroutine.
func Watch(changed <-chan struct{}, update func()) (stop func()) {
	stopped := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-changed:
				update()
			case <-stopped:
				return
			}
		}
	})
	return func() {
		close(stopped)
		running.Wait()
	}
}
