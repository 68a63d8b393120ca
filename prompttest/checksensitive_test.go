package prompttest

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// leaking returns a prompt with a sensitive argument of a type, which leaks a text.
func leaking[T any](name string, leak func(ctx context.Context, v T) (*prompts.Result, error)) prompts.Prompt {
	type in struct {
		Value T      `json:"value" sensitive:"true"`
		Plain string `json:"plain"`
	}
	return prompts.New(prompts.Prompt{Name: name}, func(ctx context.Context, in in) (*prompts.Result, error) { return leak(ctx, in.Value) })
}

func refusing[T any](name string) prompts.Prompt {
	return leaking(name, func(_ context.Context, v T) (*prompts.Result, error) {
		return nil, prompts.InvalidArgument("plain", fmt.Sprintf("does not go with %v (%x) at %v", v, fmt.Sprint(v), time.Now().UnixNano()))
	})
}

// ofFormat returns a prompt that leaks a string of a format.
func ofFormat(format string) prompts.Prompt {
	return prompts.Prompt{Name: format, Arguments: []prompts.Argument{{Name: "value", Sensitive: true, Schema: &jsonschema.Schema{Format: format}}},
		Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return nil, &prompts.Error{Code: 7, Message: fmt.Sprintf("denied to %x", args["value"])}
		}}
}

// exclusive returns a prompt that leaks the argument of two that it does not accept together.
func exclusive() prompts.Prompt {
	return prompts.Prompt{Name: "exclusive", Arguments: []prompts.Argument{{Name: "value", Sensitive: true}, {Name: "user"}},
		Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			if args["user"] != "" {
				return nil, prompts.InvalidArgument("value", "does not go with user")
			}
			return nil, &prompts.Error{Code: 7, Message: fmt.Sprintf("denied to %x", args["value"])}
		}}
}

// A value that comes out is found, whatever its type, and in whatever form and text.
func TestCheckSensitive(t *testing.T) {
	t.Parallel()
	check := func(p prompts.Prompt) []string {
		reg := new(prompts.Registry)
		reg.MustAdd(p)
		return recordIdle(t, func(t testing.TB) { CheckSensitive(t, reg, CheckOptions{}) }).errors
	}
	for _, p := range []prompts.Prompt{
		refusing[time.Time]("time"), refusing[time.Duration]("duration"), refusing[float64]("float"), refusing[uint64]("uint64"), refusing[int8]("int8"),
		refusing[bool]("bool"), refusing[netip.Addr]("addr"), refusing[url.URL]("url"), refusing[[]int64]("list"), refusing[map[string]int]("map"), refusing[[]byte]("bytes"),
		refusing[netip.AddrPort]("address"), refusing[[]time.Time]("times"), refusing[struct{ Host, Port string }]("struct"), ofFormat("uuid"), ofFormat("email"), exclusive(),
		leaking("error", func(_ context.Context, v string) (*prompts.Result, error) {
			return nil, &prompts.Error{Code: 7, Message: "denied", Data: map[string]string{"x": base64.StdEncoding.EncodeToString([]byte(v + "!"))}}
		}),
		leaking("question", func(ctx context.Context, v string) (*prompts.Result, error) {
			_, err := prompts.Elicit[struct{ Name string }](ctx, "name", fmt.Sprintf("Who is %x?", v))
			return nil, err
		}),
		leaking("progress", func(ctx context.Context, v string) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, v[1:])
			return prompts.Messages(), nil
		}),
		leaking("answered question", func(ctx context.Context, v string) (*prompts.Result, error) {
			if _, err := prompts.Elicit[struct{ Name string }](ctx, "name", "Who?"); err != nil {
				return nil, err
			}
			return nil, &prompts.Error{Code: 7, Message: "denied to " + v[1:]}
		}),
		leaking("random word", func(_ context.Context, v string) (*prompts.Result, error) {
			return nil, &prompts.Error{Code: 7, Message: fmt.Sprint("denied to x", v[1:], time.Now().UnixNano())}
		}),
		leaking("image", func(_ context.Context, v string) (*prompts.Result, error) {
			return prompts.Messages(prompts.UserContent(&prompts.Image{Data: []byte(v), MIMEType: "image/png", Meta: prompts.Meta{"x": v[1:]}})), nil
		}),
		leaking("type", func(_ context.Context, v string) (*prompts.Result, error) {
			return prompts.Messages(prompts.UserContent(&prompts.EmbeddedResource{URI: "a:b", MIMEType: "text/" + v[1:], Blob: []byte(v)})), nil
		}),
		leaking("link", func(_ context.Context, v string) (*prompts.Result, error) {
			return prompts.Messages(prompts.UserContent(&prompts.ResourceLink{URI: "https://example.org/" + v[1:], Name: "x"})), nil
		}),
	} {
		errs := check(p)
		if assert.Len(t, errs, 1, p.Name) {
			assert.Contains(t, errs[0], `the value of the sensitive argument "value" reaches the client`)
		}
	}
	assert.Empty(t, check(leaking("fine", func(ctx context.Context, v string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, fmt.Sprintf("at %x", time.Now().UnixNano()))
		return prompts.Messages(prompts.User(v), prompts.UserContent(&prompts.EmbeddedResource{URI: "a:b", Text: v})), nil
	})))
	assert.Empty(t, check(leaking("careful", func(_ context.Context, v string) (*prompts.Result, error) {
		return nil, fmt.Errorf("%s: %w", v, prompts.InvalidArgument("value", "is not accepted"))
	})))
	for _, pattern := range []string{"^docs", "^[a-z]+$", "^(?:docs|api)$"} { // a link has a value by accident
		p := leaking("p", func(_ context.Context, v string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(v), prompts.UserContent(&prompts.ResourceLink{URI: "https://example.org/docs/a", Name: "a"})), nil
		})
		p.Arguments = []prompts.Argument{{Name: "value", Schema: &jsonschema.Schema{Pattern: pattern}}}
		assert.Empty(t, check(p), pattern)
	}
	two := leaking("two", func(_ context.Context, v string) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(&prompts.ResourceLink{URI: "https://example.org/" + v, Name: "a"})), nil
	})
	two.Arguments = []prompts.Argument{{Name: "plain", Sensitive: true}}
	errs := check(two) // nothing shows which of the two the link has
	if assert.Len(t, errs, 1) {
		assert.Contains(t, errs[0], "a link has the value of a sensitive argument, so the server rejects the result (with plain \"prompttest-plain-one\", value \"Canary1F9e\")")
	}
	pattern := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "value", Sensitive: true, Enum: []string{"one"}}}, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(), nil
	}}
	assert.Equal(t, []string{"prompt \"p\": argument \"value\" is not checked: no two valid values found\n\tGive two values in CheckOptions.Examples."}, check(pattern))
}

// A random word comes with one value and not with another by chance, which is no leak.
func TestCheckSensitiveOfRandomWords(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, seed))
		var reg prompts.Registry
		reg.MustAdd(leaking("p", func(_ context.Context, v string) (*prompts.Result, error) {
			return &prompts.Result{Description: fmt.Sprint("variant ", 1+random.IntN(6)), Messages: []prompts.Message{prompts.User(v)}}, nil
		}))
		assert.Empty(t, recordIdle(t, func(t testing.TB) { CheckSensitive(t, &reg, CheckOptions{}) }).errors, "seed %d", seed)
	}
}
