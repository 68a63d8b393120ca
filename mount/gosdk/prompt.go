package gosdk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// FromPrompt converts a prompt of the SDK and its handler to a prompt for a [prompts.Registry]. The
// list entry is the same, and h renders the prompt with the declared arguments. If the registry is
// mounted on a server of the SDK, the handler gets the session, the parameters and the rest of the
// request. If not, its Session is nil.
//
// Results are the same, with contents of all types. An error of type *jsonrpc.Error keeps its code,
// message and data. The text of any other error is hidden. [prompts.Ask] sends the input requests of
// the handler, in all protocol versions with elicitation, and the handler runs again with the
// answers, including declined ones.
//
// [prompts.Registry.Add] returns an error if p or h is nil, or for an invalid
// declaration, such as two arguments with the same name.
func FromPrompt(p *mcp.Prompt, h mcp.PromptHandler) prompts.Prompt {
	out := core.ListedAs(p)
	if h == nil {
		return out // which cannot be rendered
	}
	out.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		of := new(mcp.GetPromptRequest)
		var meta mcp.Meta
		if r, ok := Request(ctx); ok {
			of.Extra = r.GetExtra()
			of.Session, _ = r.GetSession().(*mcp.ServerSession)
			if get, ok := r.(*mcp.GetPromptRequest); ok && get.Params != nil {
				meta = get.Params.Meta
			}
		}
		return core.Render(ctx, out.Name, maxRounds, func(responses mcp.InputResponseMap, state string) (any, error) {
			r := *of
			r.Params = &mcp.GetPromptParams{Name: out.Name, Arguments: args, Meta: maps.Clone(meta), InputResponses: responses, RequestState: state}
			result, err := h(ctx, &r)
			return result, ownError(err)
		})
	}
	return out
}

const maxRounds = 16 // in which a handler may ask for more

// Import returns the prompts of a server of the SDK, converted as by [FromPrompt], in list order,
// without the prompts of mounted registries, or an error if the server is nil or cannot list them.
// The server must keep the prompts, and renders them under the middleware installed before the
// first Import or Mount. Their handlers get a session of protocol version 2026-07-28 without a
// client: NotifyProgress becomes [prompts.Progress], other notifications are lost, and Elicit,
// CreateMessage and ListRoots return an error. To ask the user, return InputRequests, or use
// FromPrompt, whose handler gets the session of the client.
func Import(ctx context.Context, s *mcp.Server) ([]prompts.Prompt, error) {
	if s == nil {
		return nil, errors.New("gosdk: server is nil")
	}
	st := stateOf(s)
	var all []prompts.Prompt
	err := st.walk(ctx, s, func(p *mcp.Prompt) {
		all = append(all, FromPrompt(p, func(ctx context.Context, r *mcp.GetPromptRequest) (result *mcp.GetPromptResult, err error) {
			err = loopback(ctx, s, func(ss *mcp.ServerSession) error {
				r.Session = ss
				result, err = nativeResult[mcp.GetPromptResult](ctx, st, methodGet, r)
				if err != nil && strings.Contains(err.Error(), "cannot be sent while serving a request on protocol version") {
					return fmt.Errorf("imported prompt %q must return InputRequests, because its session has no client to ask; "+
						"or add the prompt by FromPrompt: %w", p.Name, err)
				}
				return err
			})
			return result, err
		}))
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
