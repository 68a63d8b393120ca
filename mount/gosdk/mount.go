package gosdk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
)

// Mount has the SDK's server answer for the prompts of a registry, beside its
// own: it lists them, renders them, completes their arguments, and tells
// clients when they change. The registry may change at any time; what the
// server had before stays as it is. The options are those of
// [prompts.NewServer], as far as they are about prompts: see the package
// documentation.
//
// Unmount takes the prompts out again, and clients are told. Requests that are
// being answered still get their answer. It may be called at any time, from any
// goroutine, and more than once; it returns when the mount has no goroutine
// left but those of such requests. Until then neither the server nor the mount is
// garbage, so whoever makes a server for each session has to unmount it when the
// session ends.
//
// Mount fails, and changes nothing, if the server or the registry is nil, if
// the options are at fault, if a registry is mounted on the server already, if
// the server's prompts cannot be listed, or if the server and the registry have
// a prompt of the same name: the error wraps [prompts.ErrExists] then, and names
// all of them. The list is read in a session without a client, through the
// middleware that is there: if that lets nobody list who has no token, mount
// first. It must not be called while the server holds its own lock, as it
// does in SetCacheable.
func Mount(s *mcp.Server, r *prompts.Registry, o prompts.Options) (unmount func(), err error) {
	switch {
	case s == nil:
		return nil, errors.New("gosdk: the server is nil")
	case r == nil:
		return nil, errors.New("gosdk: the registry is nil")
	case len(o.Methods) > 0 || len(o.Capabilities) > 0:
		return nil, errors.New("gosdk: options: Methods and Capabilities are for a server of this library; add them to that of the SDK")
	}
	m := &mount{state: stateOf(s), sdk: s, registry: r, completes: !o.DisableCompletions, logger: o.Logger, stopped: make(chan struct{})}
	if m.logger == nil {
		m.logger = slog.Default()
	}
	if m.server, err = newServer(r, o); err != nil {
		return nil, err
	}
	if err := m.checkNames(); err != nil {
		return nil, err
	}
	if !m.state.mounted.CompareAndSwap(nil, m) {
		return nil, errMounted
	}
	m.start(o.DisableListChanged)
	return sync.OnceFunc(m.unmount), nil
}

var errMounted = errors.New("gosdk: the server has a registry already: put the prompts of both into one")

// newServer is prompts.NewServer with an error.
func newServer(r *prompts.Registry, o prompts.Options) (srv *prompts.Server, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("gosdk: %v", v)
		}
	}()
	return prompts.NewServer(r, o), nil
}

// mount is a registry on a server.
type mount struct {
	state     *serverState
	sdk       *mcp.Server
	server    *prompts.Server
	registry  *prompts.Registry
	completes bool
	logger    *slog.Logger

	stopped chan struct{}  // closed to end the mount's goroutine
	running sync.WaitGroup // of that
}

// checkNames refuses names that both sides have.
func (m *mount) checkNames() error {
	if m.state.mounted.Load() != nil {
		return errMounted
	}
	var faults []error
	err := m.state.walk(context.Background(), m.sdk, func(p *mcp.Prompt) {
		if m.has(p.Name) {
			faults = append(faults, fmt.Errorf("gosdk: prompt %q: %w on the server", p.Name, prompts.ErrExists))
		}
	})
	if err != nil {
		return fmt.Errorf("gosdk: list the server's own prompts: %w", err)
	}
	return errors.Join(faults...)
}

// has reports whether the registry has a prompt of that name.
func (m *mount) has(name string) bool {
	_, ok := m.registry.Lookup(name)
	return ok
}

// placeholder is a prompt that the SDK's server has while a registry is mounted, and
// no client gets to see. With it the SDK declares the capability, accepts
// subscriptions, and tells the clients when it is added again, which is
// whenever the registry changes.
const placeholder = "io.github.mcp-prompts/mount"

// isPlaceholder reports whether a prompt is the SDK's entry of the placeholder.
func isPlaceholder(p *mcp.Prompt) bool { return p != nil && p.Name == placeholder }

func (m *mount) addPlaceholder() {
	m.sdk.AddPrompt(&mcp.Prompt{Name: placeholder}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown prompt %q", placeholder)}
	})
}

// Changes come in bursts. Clients are told when the registry pauses for
// changeQuiet, and after changeLongest at the latest, however long the changes go on.
// Both are longer than the SDK waits for another change before it tells clients,
// 10 ms, which it does again for each change (v1.8.0 mcp/server.go:763): of
// changes that go on and on it would never tell them.
const (
	changeQuiet   = 20 * time.Millisecond
	changeLongest = 50 * time.Millisecond
)

func (m *mount) start(silent bool) {
	if silent {
		m.addPlaceholder()
		return
	}
	changed, cancel := m.registry.Subscribe()
	m.addPlaceholder()
	// The goroutine ends with unmount, which waits for it.
	m.running.Go(func() {
		defer cancel()
		for {
			select {
			case <-changed:
			case <-m.stopped:
				return
			}
			if !m.settle(changed) {
				return
			}
			m.addPlaceholder()
		}
	})
}

// settle waits for the end of a burst of changes, and reports whether the
// registry is still mounted.
func (m *mount) settle(changed <-chan struct{}) bool {
	longest := time.After(changeLongest)
	for {
		select {
		case <-changed:
		case <-time.After(changeQuiet):
			return true
		case <-longest:
			return true
		case <-m.stopped:
			return false
		}
	}
}

func (m *mount) unmount() {
	close(m.stopped)
	m.running.Wait()
	m.sdk.RemovePrompts(placeholder) // before another one may be mounted, which needs its own
	m.state.mounted.CompareAndSwap(m, nil)
}
