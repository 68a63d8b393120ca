package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"text/template"
	"time"

	"github.com/mcp-prompts/prompts"
)

// one returns a prompt of one text, which takes a millisecond.
func one[T any](p prompts.Prompt, f func(in T) (string, error)) prompts.Prompt {
	return many(p, func(_ context.Context, in T) (*prompts.Result, error) {
		s, err := f(in)
		return prompts.Messages(prompts.User(s)), err
	})
}

func many[T any](p prompts.Prompt, f func(ctx context.Context, in T) (*prompts.Result, error)) prompts.Prompt {
	p.Name = "p"
	return prompts.New(p, func(ctx context.Context, in T) (*prompts.Result, error) {
		time.Sleep(time.Millisecond)
		return f(ctx, in)
	})
}

// either returns the first function for a prompt with a bug, and the second for one without.
func either[T any](buggy, fine func(in T) (string, error)) func(bool) prompts.Prompt {
	return func(isBuggy bool) prompts.Prompt {
		if isBuggy {
			return one(prompts.Prompt{}, buggy)
		}
		return one(prompts.Prompt{}, fine)
	}
}

// said is a function for either that cannot fail.
func said[T any](f func(in T) string) func(in T) (string, error) {
	return func(in T) (string, error) { return f(in), nil }
}

type (
	title struct {
		Title string `json:"title"`
	}
	labels struct {
		Labels []string `json:"labels"`
	}
	limited struct {
		Limit *int `json:"limit"`
	}
	level struct {
		Level string `json:"level" enum:"low,high"`
	}
	described struct {
		Text     string `json:"text"`
		Language string `json:"language,omitempty" jsonschema:"target language (default: French)"`
	}
	declared struct {
		Text     string `json:"text"`
		Language string `json:"language,omitempty" jsonschema:"target language (default: French)" default:"French"`
	}
	translation struct {
		Text     string `json:"text"`
		Language string `json:"language,omitempty"`
	}
	ticket struct {
		Token string `json:"token" sensitive:"true"`
	}
	release struct {
		Version string `json:"version,omitempty"`
	}
	weighted struct {
		Weights map[string]int `json:"weights"`
	}
	owned struct {
		Owner string `json:"owner,omitempty"`
	}
	count struct {
		Limit int `json:"limit"`
	}
	change struct {
		File struct {
			Name string `json:"name"`
		} `json:"file"`
	}
	changed struct {
		Files []struct {
			Name string `json:"name"`
		} `json:"files"`
	}
	severity struct {
		Level string `json:"level" enum:"low,high,higher,highest"`
	}
	dialect struct {
		Text     string `json:"text"`
		Language string `json:"language,omitempty" jsonschema:"target language (default: Brazilian Portuguese)"`
	}
	amount struct {
		Limit int `json:"limit,omitempty" jsonschema:"lines to show, 10 by default"`
	}
	contradicted struct {
		Branch string `json:"branch,omitempty" jsonschema:"branch to compare with. Default: 'main'." default:"trunk"`
	}
	uncontradicted struct {
		Branch string `json:"branch,omitempty" jsonschema:"branch to compare with. Default: 'main'." default:"main"`
	}
	due struct {
		Title string    `json:"title"`
		Due   time.Time `json:"due,omitzero"`
	}
	nested struct {
		File struct {
			Lines []int `json:"lines"`
		} `json:"file"`
	}
	optionalLabels struct {
		Labels []string `json:"labels,omitempty"`
	}
	nobody struct{}
)

func defaulted[T any](buggy, fine func(in T) string) func(bool) prompts.Prompt {
	return either(said(buggy), said(fine))
}

func linked(uri func(in title) string) func(in title) (*prompts.Result, error) {
	return func(in title) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(&prompts.EmbeddedResource{URI: uri(in), MIMEType: "text/plain", Text: "log"})), nil
	}
}

func results[T any](buggy, fine func(in T) (*prompts.Result, error)) func(bool) prompts.Prompt {
	return func(isBuggy bool) prompts.Prompt {
		return many(prompts.Prompt{}, func(_ context.Context, in T) (*prompts.Result, error) {
			if isBuggy {
				return buggy(in)
			}
			return fine(in)
		})
	}
}

func executing(text func(in title) (string, any)) func(in title) (string, error) {
	return func(in title) (string, error) {
		source, data := text(in)
		parsed, err := template.New("").Parse(source)
		if err != nil {
			return "", err
		}
		var b strings.Builder
		err = parsed.Execute(&b, data)
		return b.String(), err
	}
}

func jsonOf(mimeType string, text func(in title) string) func(in title) (*prompts.Result, error) {
	return func(in title) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(&prompts.EmbeddedResource{URI: "desk://1", MIMEType: mimeType, Text: text(in)})), nil
	}
}

func encoded(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// cached returns prompts with a Cache.
func cached(buggy, fine func() string) func(bool) prompts.Prompt {
	return func(isBuggy bool) prompts.Prompt {
		return one(prompts.Prompt{Cache: prompts.Cache{TTL: time.Hour}}, func(nobody) (string, error) {
			if isBuggy {
				return buggy(), nil
			}
			return fine(), nil
		})
	}
}

var owners = map[string]string{"api": "ada", "web": "bob", "docs": "eve", "ops": "mia"}

// orders asks three questions, and opens an order before or after them.
func orders(open func() int, text func(n int) string) func(bool) prompts.Prompt {
	return func(isBuggy bool) prompts.Prompt {
		return many(prompts.Prompt{}, func(ctx context.Context, _ nobody) (*prompts.Result, error) {
			n := 0
			if isBuggy {
				n = open()
			}
			for _, key := range []string{"who", "what", "when"} {
				if _, err := prompts.Elicit[struct{ Name string }](ctx, key, key+"?"); err != nil {
					return nil, err
				}
			}
			if !isBuggy {
				n = open()
			}
			return prompts.Messages(prompts.User(text(n))), nil
		})
	}
}

func swallowing(isBuggy bool) prompts.Prompt {
	return many(prompts.Prompt{}, func(ctx context.Context, _ nobody) (*prompts.Result, error) {
		who, err := prompts.Elicit[struct{ Name string }](ctx, "who", "Who?")
		switch {
		case err != nil && (isBuggy || errors.Is(err, prompts.ErrElicitationUnavailable)):
			who.Name = "everybody"
		case err != nil:
			return nil, err
		}
		return prompts.Messages(prompts.User("Hello " + who.Name)), nil
	})
}

// latest asks for an optional argument that is absent.
func latest(isBuggy bool) prompts.Prompt {
	return many(prompts.Prompt{}, func(ctx context.Context, in release) (*prompts.Result, error) {
		if in.Version == "" {
			q, err := prompts.Elicit[struct{ Version string }](ctx, "version", "Which version?")
			switch {
			case err != nil && (isBuggy || errors.Is(err, prompts.ErrElicitationUnavailable)):
				q.Version = "latest"
			case err != nil:
				return nil, err
			}
			in.Version = q.Version
		}
		return prompts.Messages(prompts.User("Notes of " + in.Version)), nil
	})
}

// counts returns prompts with a Cache of the keys of a map, in the order of the map or sorted.
func counts[T, V any](of func(in T) map[string]V) func(bool) prompts.Prompt {
	return func(isBuggy bool) prompts.Prompt {
		return one(prompts.Prompt{Cache: prompts.Cache{TTL: time.Hour}}, said(func(in T) string {
			if isBuggy {
				return fmt.Sprintf("%d: %q", len(of(in)), slices.Collect(maps.Keys(of(in))))
			}
			return fmt.Sprintf("%d: %q", len(of(in)), slices.Sorted(maps.Keys(of(in))))
		}))
	}
}

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

func answering(t testing.TB, reg *prompts.Registry) *Client {
	return Serve(t, prompts.MustNewServer(reg, prompts.Options{}), ClientOptions{Answer: generated})
}

// connected returns a client whose server is none of this package.
func connected(t testing.TB, reg *prompts.Registry) *Client {
	near, far := newPipe()
	srv := prompts.MustNewServer(reg, prompts.Options{})
	go func() { _ = srv.Serve(context.Background(), far) }() // ends with the client
	return NewClient(t, near, ClientOptions{})
}

// secret returns prompts that send something of a secret to the client.
func secret(leak func(ctx context.Context, token string) (*prompts.Result, error)) func(bool) prompts.Prompt {
	return func(isBuggy bool) prompts.Prompt {
		return many(prompts.Prompt{}, func(ctx context.Context, in ticket) (*prompts.Result, error) {
			if isBuggy {
				return leak(ctx, in.Token)
			}
			return prompts.Messages(prompts.User("Log in with " + in.Token)), nil
		})
	}
}

func toLink(token string) *prompts.Result {
	return prompts.Messages(prompts.UserContent(&prompts.ResourceLink{URI: "https://example.org/?t=" + url.QueryEscape(token), Name: "login"}))
}

var opened, mailed, posted, ticketed, counted atomic.Int64
