package servertest

import (
	"context"
	"fmt"

	"github.com/mcp-prompts/prompts"
)

// Around is a middleware that is one function.
func Around(f func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error)) func(prompts.Handler) prompts.Handler {
	return func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) { return f(ctx, r, next) }
	}
}

// Passing is a middleware that does nothing.
func Passing(next prompts.Handler) prompts.Handler { return next }

// Wrapping is one that wraps errors.
var Wrapping = Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
	response, err := next(ctx, r)
	if err != nil {
		err = fmt.Errorf("wrapped: %w", err)
	}
	return response, err
})

// Seeing is one that keeps the requests, as they were, and their outcomes.
func Seeing(requests *[]prompts.Request, errs *[]error) func(prompts.Handler) prompts.Handler {
	return Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		*requests = append(*requests, *r)
		response, err := next(ctx, r)
		*errs = append(*errs, err)
		return response, err
	})
}
