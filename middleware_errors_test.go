package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// JRP-23, JRP-24: of several errors, one with a code that errors.As finds first is the
// client's, with any code but those that the protocol version does not allow. Any other
// error is a secret. An argument may be rejected, as a render function does. What a
// middleware wraps around the error of next is for the log, and makes no difference to
// the client.
func TestMiddlewareErrors(t *testing.T) {
	t.Parallel()
	own := &prompts.Error{Code: 7, Message: "own", Data: []int{7}}
	coded := func(code prompts.Code) func(error) error {
		return func(error) error { return &prompts.Error{Code: code, Message: "<m>"} }
	}
	far, near := prompts.InvalidArgument("to", "is far"), prompts.InvalidArgument("from", "is near")
	const (
		theirs   = `"code":-32602,"message":"unknown prompt \"none\"","data":{"prompt":"none"}`
		ours     = `"code":7,"message":"own","data":[7]`
		secret   = `"code":-32603,"message":"` + renderFailed + `"`
		isFar    = `{"argument":"to","reason":"refused","message":"is far"}`
		rejected = `"code":-32602,"message":"invalid arguments for prompt \"none\": to: is far","data":{"prompt":"none","problems":[` + isFar + `]}`
	)
	for name, test := range map[string]struct {
		make func(next error) error
		want string
		log  string // empty for nothing
	}{
		"passed on":                          {func(next error) error { return next }, theirs, ""},
		"wrapped":                            {func(next error) error { return fmt.Errorf("of the tenant: %w", next) }, theirs, `level=INFO msg="request rejected"`},
		"replaced":                           {func(error) error { return own }, ours, ""},
		"replaced, with its text":            {func(next error) error { return fmt.Errorf("%v: %w", next, own) }, ours, "unknown prompt"},
		"own before next's":                  {func(next error) error { return fmt.Errorf("%w: %w", own, next) }, ours, "own"},
		"next's before own":                  {func(next error) error { return fmt.Errorf("%w: %w", next, own) }, theirs, "own"},
		"joined, own first":                  {func(next error) error { return errors.Join(own, next) }, ours, ""},
		"joined, next's first":               {func(next error) error { return errors.Join(next, own) }, theirs, "own"},
		"own without a code":                 {func(next error) error { return errors.Join(&prompts.Error{Message: "none"}, next) }, theirs, "none"},
		"own that is nil":                    {func(next error) error { return errors.Join((*prompts.Error)(nil), next) }, theirs, "nil"},
		"a secret before it":                 {func(next error) error { return errors.Join(errDisk, next) }, theirs, errDisk.Error()},
		"one that is in another one as well": {func(next error) error { return errors.Join(fmt.Errorf("a: %w", own), fmt.Errorf("b: %w", next)) }, ours, "a: own"},

		"a negative code":             {coded(-31999), `"code":-31999,"message":"<m>"`, ""},
		"invalid params":              {coded(prompts.CodeInvalidParams), `"code":-32602,"message":"<m>"`, ""},
		"an internal error":           {coded(prompts.CodeInternalError), `"code":-32603,"message":"<m>"`, ""},
		"no such method":              {coded(prompts.CodeMethodNotFound), `"code":-32601,"message":"<m>"`, ""},
		"a code of an implementation": {coded(-32000), `"code":-32000,"message":"<m>"`, ""},
		"a retired code":              {coded(-32002), `"code":-32002,"message":"<m>"`, ""},
		"a reserved code":             {coded(-32023), `"code":-32023,"message":"<m>"`, ""},
		"the last reserved code":      {coded(-32099), `"code":-32099,"message":"<m>"`, ""},
		"the code below":              {coded(-32100), `"code":-32100,"message":"<m>"`, ""},
		"no code":                     {coded(0), secret, "<m>"},
		"a message that is not UTF-8": {func(error) error { return &prompts.Error{Code: 7, Message: "\xff"} }, "\"code\":7,\"message\":\"\ufffd\"", ""},

		"a secret":          {func(error) error { return errDisk }, secret, `level=ERROR msg="request failed"`},
		"a nil Error":       {func(error) error { return (*prompts.Error)(nil) }, secret, "level=ERROR"},
		"no question":       {func(error) error { return prompts.ErrInputRequired }, secret, prompts.ErrInputRequired.Error()},
		"a foreign context": {func(error) error { return context.Canceled }, secret, context.Canceled.Error()},

		"an argument is rejected": {func(error) error { return far }, rejected, ""},
		"and that is wrapped":     {func(error) error { return fmt.Errorf("of the tenant: %w", far) }, rejected, "of the tenant: to: is far"},
		"with a secret":           {func(error) error { return errors.Join(far, errDisk) }, rejected, errDisk.Error()},
		"after next's":            {func(next error) error { return errors.Join(far, next) }, theirs, "is far"},
		"two arguments are rejected": {func(error) error { return errors.Join(far, near) },
			`"code":-32602,"message":"invalid arguments for prompt \"none\": to: is far; from: is near","data":{"prompt":"none","problems":[` +
				isFar + `,{"argument":"from","reason":"refused","message":"is near"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				_, err := next(ctx, r)
				return &prompts.Response{Result: prompts.Messages(prompts.User("never"))}, test.make(err)
			})})
			session := newSession(t, s)
			stateless := strings.NewReplacer("-32002", "-32602", "-32023", "-32603", "-32099", "-32603").Replace(test.want)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+test.want+`}}`, answerTo(t, s, session, getLine("1", "none")))
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+stateless+`}}`, answerTo(t, s, nil, envelopedGet("1", "none")))
			if test.want != secret { // which names the method
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+test.want+`}}`, answerTo(t, s, session, completeLine("1", "none", "to", "")))
			}
			if test.log == "" {
				assert.Empty(t, j.String())
			} else {
				assert.Contains(t, j.String(), test.log)
			}
		})
	}
}
