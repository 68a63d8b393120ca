package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
)

// The prompts of the server. A client knows from a name what the prompt renders.
const (
	stays  = 120 // "stay-": never change
	comers = 40  // "come-": are added and removed
	pairs  = 20  // "pair-": two that are replaced together
	evens  = 10  // "even-": visible to clients with an even number
	others = 7   // "do-", and "touch"
	listed = stays + 2*pairs + others
)

// catalogue is the registry, and the changes to it.
type catalogue struct {
	registry prompts.Registry
	comers   [comers]cell // added at odd versions
	pairs    [pairs]cell
	touched  cell
	changing sync.Mutex   // held to change the registry
	waiting  atomic.Int64 // renders of "do-wait" and "do-overrun" that run
	// cancelled has the clients whose "do-wait" has ended before its time limit.
	cancelled sync.Map
}

// cell counts the changes of a prompt, before and after each. So a client knows
// which versions a response may have.
type cell struct{ begun, done atomic.Int64 }

func (c *cell) change(f func(version int64) error) error {
	v := c.begun.Add(1)
	err := f(v)
	c.done.Store(v)
	return err
}

func stayName(i int) string       { return fmt.Sprintf("stay-%03d", i) }
func comeName(i int) string       { return fmt.Sprintf("come-%03d", i) }
func pairName(i, half int) string { return fmt.Sprintf("pair-%03d-%d", i, half) }
func evenName(i int) string       { return fmt.Sprintf("even-%03d", i) }
func isEven(principal string) bool {
	return principal != "" && (principal[len(principal)-1]-'0')%2 == 0
}

var (
	colours = []string{"red", "green", "blue"}
	cities  = []string{"Aachen", "Aarhus", "Basel", "Bergen", "Cork"}
)

type input struct {
	Topic  string `json:"topic"`
	Times  int    `json:"times,omitempty"`
	Colour string `json:"colour,omitempty"`
	City   string `json:"city,omitempty"`
}

func (in input) text(name string) string {
	return fmt.Sprintf("%s: %d times %s in %s %s", name, in.Times, in.Topic, in.Colour, in.City)
}

func text(s string) (*prompts.Result, error) { return prompts.Messages(prompts.User(s)), nil }

// fixed returns a prompt that never changes.
func fixed(name string) prompts.Prompt {
	low, high := 1.0, 5.0
	return prompts.New(prompts.Prompt{Name: name, Title: "Fixed", Arguments: []prompts.Argument{
		{Name: "times", Schema: &jsonschema.Schema{Minimum: &low, Maximum: &high}},
		{Name: "colour", Enum: colours},
		{Name: "city", Complete: prompts.Suggest(cities...)},
	}}, func(_ context.Context, in input) (*prompts.Result, error) { return text(in.text(name)) })
}

// versioned returns a version of a prompt, which its description and its text
// name.
func versioned(name string, version int64) prompts.Prompt {
	description := fmt.Sprintf("version %d", version)
	return prompts.Prompt{Name: name, Description: description, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return text(description)
	}}
}

func newCatalogue() *catalogue {
	c := &catalogue{}
	for i := range stays {
		c.registry.MustAdd(fixed(stayName(i)))
	}
	for i := range pairs {
		c.registry.MustAdd(versioned(pairName(i, 0), 0), versioned(pairName(i, 1), 0))
	}
	for i := range evens {
		p := fixed(evenName(i))
		p.Tags = []string{"even"}
		c.registry.MustAdd(p)
	}
	cached := fixed("do-cache")
	cached.Cache = prompts.Cache{TTL: 200 * time.Millisecond}
	c.registry.MustAdd(versioned("touch", 0), cached)
	add := func(name, argument string, render prompts.RenderFunc) {
		p := prompts.Prompt{Name: name, Render: render}
		if argument != "" {
			p.Arguments = []prompts.Argument{{Name: argument, Required: true}}
		}
		c.registry.MustAdd(p)
	}
	add("do-include", "topic", func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		return prompts.Include(ctx, stayName(0), args)
	})
	add("do-panic", "", func(context.Context, map[string]string) (*prompts.Result, error) { panic("on purpose") })
	add("do-overrun", "", func(context.Context, map[string]string) (*prompts.Result, error) {
		c.waiting.Add(1)
		defer c.waiting.Add(-1)
		time.Sleep(renderTimeout + time.Second)
		return text("too late")
	})
	add("do-wait", "", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		c.waiting.Add(1)
		defer c.waiting.Add(-1)
		for i := range 3 {
			prompts.Progress(ctx, float64(i+1), 0, "a step")
		}
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			c.cancelled.Store(principalOf(ctx), true)
		}
		return nil, context.Cause(ctx)
	})
	add("do-ask", "topic", func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		type answer struct {
			Colour string `json:"colour"`
		}
		first, err := prompts.Elicit[answer](ctx, "first", "Which colour for "+args["topic"]+"?")
		if err != nil {
			return nil, err
		}
		kept, err := prompts.Once(ctx, "kept", func(context.Context) (string, error) { return first.Colour, nil })
		if err != nil {
			return nil, err
		}
		second, err := prompts.Elicit[answer](ctx, "second", "And then for "+args["topic"]+"?")
		if err != nil {
			return nil, err
		}
		return text(kept + ", " + second.Colour)
	})
	return c
}

// sign is the middleware of the server: it adds a message for the client.
func sign(next prompts.Handler) prompts.Handler {
	return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
		got, err := next(ctx, r)
		if err != nil || r.Method != "prompts/get" || got.Result == nil {
			return got, err
		}
		response, result := *got, *got.Result
		result.Messages = append(append([]prompts.Message{}, result.Messages...), prompts.Assistant("for "+r.Principal))
		response.Result = &result
		return &response, nil
	}
}

var errOnPurpose = errors.New("on purpose")

// churn changes the registry until ctx ends.
func (c *catalogue) churn(ctx context.Context, r *rand.Rand, report func(string, ...any)) {
	for ctx.Err() == nil {
		c.changing.Lock()
		if err := c.changeOne(r); err != nil {
			report("a change of the registry: %v", err)
		}
		c.changing.Unlock()
		select {
		case <-time.After(time.Duration(r.IntN(10)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (c *catalogue) changeOne(r *rand.Rand) error {
	switch r.IntN(6) {
	case 0, 1, 2:
		i := r.IntN(comers)
		return c.comers[i].change(func(v int64) error {
			if v%2 == 1 {
				return c.registry.Add(versioned(comeName(i), v))
			}
			if !c.registry.Remove(comeName(i)) {
				return errors.New("a prompt could not be removed")
			}
			return nil
		})
	case 3:
		i := r.IntN(pairs)
		return c.pairs[i].change(func(v int64) error {
			return c.registry.Update(func(tx *prompts.Tx) error {
				tx.Remove(pairName(i, 0))
				return errors.Join(tx.Set(versioned(pairName(i, 1), v)), tx.Add(versioned(pairName(i, 0), v)))
			})
		})
	case 4: // which changes nothing
		err := c.registry.Update(func(tx *prompts.Tx) error {
			tx.Remove(stayName(r.IntN(stays)))
			return errors.Join(errOnPurpose, tx.Add(versioned("never", 0)))
		})
		if !errors.Is(err, errOnPurpose) {
			return errors.New("an update that fails has not")
		}
	default:
		if err := c.registry.Add(versioned("never", 0), fixed(stayName(r.IntN(stays)))); !errors.Is(err, prompts.ErrExists) {
			return errors.New("a name that exists has been added")
		}
	}
	return nil
}
