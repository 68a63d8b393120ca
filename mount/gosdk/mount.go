package gosdk

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// Options configures a [Mount].
type Options struct {
	// Server are the options of [prompts.NewServer]. The package documentation lists the
	// options that are an error.
	Server prompts.Options
	// Completions, if not nil, completes the arguments of registry prompts that have no completions
	// of their own, such as those of [FromPrompt]: the CompletionHandler of [mcp.ServerOptions] of
	// the server that the prompts are from. Default: such arguments have no completions.
	Completions func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error)
}

// Mount adds the prompts of a registry to a server of the SDK: lists, results, completions and
// list_changed notifications. The registry may change at any time.
//
// unmount removes the prompts and notifies the clients. Requests in progress still get their
// responses. Safe for concurrent use, at any time and more than once. unmount returns when all
// goroutines of the mount have ended, except those of such requests. Until then, the server and the
// mount cannot be garbage collected. If you create a server for each session, call unmount at its
// end.
//
// Mount returns an error and changes nothing if
//
//   - the server or the registry is nil, or an option is invalid or has no effect on a mount;
//   - the server has a mounted registry already;
//   - the server has prompts of the registry ([prompts.ErrExists], with all names), or tools of a
//     feature of package prompttools in Options.Features. Otherwise the tools of the feature become
//     tools of the server. A tool that the server gets later under the same name wins;
//   - the server's prompts cannot be listed. Mount lists them in a session without a client,
//     through the existing middleware. If the middleware requires a token, call Mount first.
//
// Do not call Mount while the server holds its own lock, as in SetCacheable.
func Mount(s *mcp.Server, r *prompts.Registry, o Options) (unmount func(), err error) {
	base, err := core.NewMount("gosdk", s != nil, r, o.Server, false)
	if err != nil {
		return nil, err
	}
	m := &mount{caller: caller{base, stateOf(s)}, given: o, sdk: s}
	if err := m.checkNames(); err != nil {
		return nil, err
	}
	m.tools = m.newTools()
	if !m.state.mounted.CompareAndSwap(nil, m) {
		return nil, errors.New("gosdk: server already has a mounted registry; put all prompts into one registry")
	}
	return core.Follow(r.OnChange, changeLongest, m.begin, m.update, m.end)
}

type mount struct {
	caller
	given  Options // of the application
	sdk    *mcp.Server
	tools  *core.Entries[*mcp.Tool] // nil without any
	gotten sync.Map                 // names of prompts that the server or a middleware has answered
}

func (m *mount) checkNames() (err error) {
	var taken error
	err = m.state.walk(context.Background(), m.sdk, func(p *mcp.Prompt) {
		if m.has(p.Name) {
			taken = errors.Join(taken, m.Exists("prompt", p.Name))
		}
	})
	return cmp.Or(err, taken)
}

func (m *mount) begin() error {
	err := m.tools.Start()
	if err == nil {
		m.addPlaceholder()
	}
	return err
}

// changeLongest limits the wait for the end of a burst of changes. The SDK notifies clients 10 ms
// after the last change (v1.8.0 mcp/server.go:763), so changes in shorter distances would delay its
// notification forever.
const changeLongest = 50 * time.Millisecond

func (m *mount) update() {
	if !m.Options.DisableListChanged {
		m.addPlaceholder()
	}
	m.tools.Update()
}

func (m *mount) end() {
	m.tools.Clear()
	m.sdk.RemovePrompts(placeholder) // before the next mount adds its own
	m.state.mounted.CompareAndSwap(m, nil)
	m.Flush()
}

// placeholder is a prompt that the SDK's server has while a registry is mounted, unseen by clients.
// For it, the SDK declares the capability and accepts subscriptions. To notify the clients of a
// change, the mount adds it again.
const placeholder = "io.github.mcp-prompts/mount"

func isOwn(p *mcp.Prompt) bool { return p != nil && p.Name != placeholder }

func (m *mount) addPlaceholder() {
	m.sdk.AddPrompt(&mcp.Prompt{Name: placeholder}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknown("prompt", placeholder)}
	})
}

func (m *mount) has(name string) bool {
	_, ok := m.Registry.Lookup(name)
	return ok
}

func (m *mount) shows(ctx context.Context, r mcp.Request, name string) bool {
	p, ok := m.Registry.Lookup(name)
	return ok && m.Shows(context.WithValue(ctx, requestKey{}, r), p)
}

// hasOwn reports, for the first call of a name, whether the server lists an own prompt of the name.
func (m *mount) hasOwn(ctx context.Context, name string) (is bool) {
	if _, isKnown := m.gotten.LoadOrStore(name, true); isKnown {
		return false
	}
	// After an error, a list reports the name.
	_ = m.state.walk(ctx, m.sdk, func(p *mcp.Prompt) { is = is || p.Name == name })
	return is
}
