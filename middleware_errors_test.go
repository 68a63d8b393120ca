package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/transport"
)

// Of several errors, one with a code, that errors.As finds first, is the
// client's.
func TestMiddlewareWhoseError(t *testing.T) {
	t.Parallel()
	own := &prompts.Error{Code: 7, Message: "own", Data: []int{7}}
	const theirs = `"code":-32602,"message":"unknown prompt \"none\"","data":{"prompt":"none"}`
	const ours = `"code":7,"message":"own","data":[7]`
	for name, test := range map[string]struct {
		make func(next error) error
		want string
	}{
		"passed on":                          {func(next error) error { return next }, theirs},
		"replaced":                           {func(error) error { return own }, ours},
		"replaced, with its text":            {func(next error) error { return fmt.Errorf("%v: %w", next, own) }, ours},
		"own before next's":                  {func(next error) error { return fmt.Errorf("%w: %w", own, next) }, ours},
		"next's before own":                  {func(next error) error { return fmt.Errorf("%w: %w", next, own) }, theirs},
		"joined, own first":                  {func(next error) error { return errors.Join(own, next) }, ours},
		"joined, next's first":               {func(next error) error { return errors.Join(next, own) }, theirs},
		"own without a code":                 {func(next error) error { return errors.Join(&prompts.Error{Message: "none"}, next) }, theirs},
		"own that is nil":                    {func(next error) error { return errors.Join((*prompts.Error)(nil), next) }, theirs},
		"a secret before it":                 {func(next error) error { return errors.Join(errDisk, next) }, theirs},
		"a secret instead":                   {func(error) error { return errDisk }, `"code":-32603,"message":"internal error: prompt failed"`},
		"an argument is blamed besides":      {func(next error) error { return errors.Join(prompts.InvalidArgument("to", "is far"), next) }, theirs},
		"an argument is blamed instead":      {func(error) error { return prompts.InvalidArgument("to", "is far") }, `"code":-32602,"message":"invalid arguments for prompt \"none\": to: is far","data":{"prompt":"none","problems":[{"argument":"to","reason":"refused","message":"is far"}]}`},
		"one that the revision has retired":  {func(next error) error { return errors.Join(&prompts.Error{Code: -32002, Message: "gone"}, next) }, `"code":-32002,"message":"gone"`},
		"one that is in another one as well": {func(next error) error { return errors.Join(fmt.Errorf("a: %w", own), fmt.Errorf("b: %w", next)) }, ours},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prompts.NewServer(traveller(), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				_, err := next(ctx, r)
				return nil, test.make(err)
			})})
			got := answerTo(t, s, newSession(t, s), getLine("1", "none"))
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+test.want+`}}`, got)
			got = answerTo(t, s, nil, envelopedGet("1", "none"))
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+strings.Replace(test.want, "-32002", "-32602", 1)+`}}`, got)
		})
	}
}

// What a middleware wraps around the error of next is for the author's log. To
// the client it makes no difference.
func TestMiddlewareTextInTheLog(t *testing.T) {
	t.Parallel()
	const refused, failed = `level=INFO msg="request rejected"`, `level=ERROR msg="request failed"`
	for _, test := range []struct{ prompt, asItIs, wrapped string }{
		{"none", "", refused},
		{"trip", "", refused},
		{"blaming", "", refused},
		{"refusing", refused, refused}, // it has a text of its own
		{"faulty", failed, failed},
	} {
		t.Run(test.prompt, func(t *testing.T) {
			t.Parallel()
			for _, wrap := range []bool{false, true} {
				var j journal
				s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					_, err := next(ctx, r)
					if wrap {
						err = fmt.Errorf("of the tenant: %w", err)
					}
					return nil, err
				})})
				plain := prompts.NewServer(traveller(), prompts.Options{})
				got := answerTo(t, s, newSession(t, s), getLine("1", test.prompt))
				want := answerTo(t, plain, newSession(t, plain), getLine("1", test.prompt))
				assert.Equal(t, want, got)
				line := test.asItIs
				if wrap {
					line = test.wrapped
					assert.Contains(t, j.String(), `error="of the tenant: `)
				}
				if line == "" {
					assert.Empty(t, j.String())
				} else {
					assert.Contains(t, j.String(), line)
					assert.Equal(t, 1, strings.Count(j.String(), "level="))
				}
			}
		})
	}
}

// The cause of an error of next is within it: the author's own errors are, and
// what blames an argument.
func TestNextReturnsTheCause(t *testing.T) {
	t.Parallel()
	seven := &prompts.Error{Code: 7, Message: "seven"}
	for name, test := range map[string]struct {
		returned error
		is       []error
		seen     *prompts.Error // but for its data
	}{
		"a sentinel":                {errDisk, []error{errDisk}, internalError(renderFailed)},
		"wrapped":                   {fmt.Errorf("reading: %w", errDisk), []error{errDisk}, internalError(renderFailed)},
		"with what the client gets": {fmt.Errorf("%w: %w", errDisk, seven), []error{errDisk, seven}, seven},
		"an argument is blamed":     {errors.Join(errDisk, prompts.InvalidArgument("a", "is far")), []error{errDisk}, invalidParams(`invalid arguments for prompt "p": a: is far`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := completing("p", func(context.Context, string, map[string]string) ([]string, error) { return nil, test.returned })
			p.Render = func(context.Context, map[string]string) (*prompts.Result, error) { return nil, test.returned }
			var requests []prompts.Request
			var errs []error
			s := prompts.NewServer(registryOf(p), prompts.Options{Middleware: seeing(&requests, &errs)})
			session := newSession(t, s)
			for _, line := range []string{getLine("1", "p"), completeLine("1", "p", "a", "")} {
				errs = nil
				answerTo(t, s, session, line)
				require.Len(t, errs, 1)
				for _, want := range test.is {
					assert.ErrorIs(t, errs[0], want)
				}
				var e *prompts.Error
				require.ErrorAs(t, errs[0], &e)
				assert.Equal(t, test.seen.Code, e.Code)
				if test.seen.Message == renderFailed && line != getLine("1", "p") {
					assert.Equal(t, completeFailed, neutral(e.Message))
				} else {
					assert.Equal(t, test.seen.Message, neutral(e.Message))
				}
				assert.Equal(t, test.returned.Error(), errs[0].Error(), "the author's text is for the author")
			}
			var blame *argument.Error
			assert.Equal(t, errors.As(test.returned, &blame), errors.As(errs[0], &blame))
		})
	}
}

// A middleware can reject an argument as a render function does.
func TestMiddlewareRejectsAnArgument(t *testing.T) {
	t.Parallel()
	const problem = `{"argument":"to","reason":"refused","message":"is too far"}`
	for name, test := range map[string]struct {
		err           error
		message, more string // of problems
		log           string
	}{
		"one":     {prompts.InvalidArgument("to", "is too far"), `invalid arguments for prompt "trip": to: is too far`, "", ""},
		"wrapped": {fmt.Errorf("of the tenant: %w", prompts.InvalidArgument("to", "is too far")), `invalid arguments for prompt "trip": to: is too far`, "", "of the tenant: to: is too far"},
		"several": {errors.Join(prompts.InvalidArgument("to", "is too far"), prompts.InvalidArgument("from", "is too near")), `invalid arguments for prompt "trip": to: is too far; from: is too near`,
			`,{"argument":"from","reason":"refused","message":"is too near"}`, ""},
		"and a secret": {errors.Join(prompts.InvalidArgument("to", "is too far"), errDisk), `invalid arguments for prompt "trip": to: is too far`, "", errDisk.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: instead(nil, test.err)})
			for session, lines := range map[transport.Session][]string{
				newSession(t, s): {getLine("1", "trip"), completeLine("1", "trip", "to", "")},
				nil:              {envelopedGet("1", "trip"), envelopedLine("1", "completion/complete", completeParamsOf("trip", "to", ""))},
			} {
				for _, line := range lines {
					got := answerTo(t, s, session, line)
					assert.JSONEq(t, `{"prompt":"trip","problems":[`+problem+test.more+`]}`, readOutcome(t, got).fails(t, prompts.CodeInvalidParams, test.message))
				}
			}
			if test.log == "" {
				assert.Empty(t, j.String())
			} else {
				assert.Equal(t, 4, strings.Count(j.String(), "level=INFO"))
				assert.Contains(t, j.String(), test.log)
			}
		})
	}
}
