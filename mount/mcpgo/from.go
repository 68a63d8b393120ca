package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

const maxRounds = 10 // in which a handler may ask for input, as in the SDK

// FromPrompt converts a prompt of mcp-go and its handler to a prompt for a [prompts.Registry], with
// the same list entry and the same results. Mounted on mcp-go, the handler gets the original
// request, including undeclared arguments. Elsewhere, it gets only the declared arguments.
//
// The registry and its server validate more than mcp-go: required arguments must be present, and
// contents and names must be valid. The text of a handler's error is sent, as by mcp-go. If a
// handler requests input with a [server.InputRequestBuilder], [prompts.Ask] sends the request.
func FromPrompt(p mcp.Prompt, h server.PromptHandlerFunc) prompts.Prompt {
	to := core.ListedAs(p)
	delete(to.Meta, tagKey) // of one that is mounted
	to.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		if h == nil {
			return nil, fmt.Errorf("mcpgo: prompt %q has no handler", p.Name)
		}
		request, in := requestFor(ctx, p.Name, args)
		return core.Render(ctx, p.Name, maxRounds, func(responses mcp.InputResponses, state string) (any, error) {
			request.Params.MultiRoundTripParams = mcp.MultiRoundTripParams{InputResponses: responses, RequestState: state}
			result, err := h(ctx, request)
			return result, handlerFailure(in, err)
		})
	}
	return to
}

// Import returns the prompts of s, converted as by [FromPrompt], in the order of their names,
// without mounted prompts, or an error if s is nil or ctx has ended. To serve them from a registry,
// delete the originals, and add the results to a mounted registry:
//
//	taken, err := mcpgo.Import(ctx, s)
//	…
//	s.DeletePrompts("greet") // or all of them
func Import(ctx context.Context, s *server.MCPServer) ([]prompts.Prompt, error) {
	if s == nil {
		return nil, errors.New("mcpgo: server is nil")
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("mcpgo: list the server's prompts: %w", context.Cause(ctx))
	}
	all := s.ListPrompts()
	var taken []prompts.Prompt
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if mountOf(all[name]) == nil {
			taken = append(taken, FromPrompt(all[name].Prompt, all[name].Handler))
		}
	}
	return taken, nil
}

// requestFor returns the request for a handler. On a mount, it is that of the client, with all
// arguments. Otherwise, in is nil.
func requestFor(ctx context.Context, name string, args map[string]string) (request mcp.GetPromptRequest, in *incoming) {
	in, _ = ctx.Value(requestKey{}).(*incoming)
	if in == nil || in.request.Params.Name != name {
		request.Method = string(mcp.MethodPromptsGet)
		request.Params.Name, request.Params.Arguments = name, args
		return request, nil
	}
	request = in.request
	request.Params.Arguments = map[string]string{}
	maps.Copy(request.Params.Arguments, in.request.Params.Arguments)
	maps.Copy(request.Params.Arguments, args)
	return request, in
}

// handlerFailure returns an error of a handler with its text for the client, as from mcp-go.
func handlerFailure(in *incoming, err error) error {
	if err == nil {
		return nil
	}
	var byValue mcp.URLElicitationRequiredError
	var byPointer *mcp.URLElicitationRequiredError
	if errors.As(err, &byValue) {
		byPointer = &byValue
	} else {
		errors.As(err, &byPointer)
	}
	if in != nil && byPointer != nil {
		in.url.Store(byPointer)
	}
	if slices.ContainsFunc([]error{
		context.Canceled, context.DeadlineExceeded,
		prompts.ErrInputRequired, prompts.ErrDeclined, prompts.ErrCanceled, prompts.ErrElicitationUnavailable,
	}, func(known error) bool { return errors.Is(err, known) }) {
		return err
	}
	return &callError{err.Error(), []error{err, &prompts.Error{Code: prompts.CodeInternalError, Message: err.Error()}}}
}
