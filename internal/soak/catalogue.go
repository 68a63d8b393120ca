package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
)

// The prompts of the server, by the beginning of their names. A client can tell
// from a name what the prompt is and what it renders.
const (
	stays  = 200 // "stay-": never change
	comers = 100 // "come-": come and go
	swaps  = 50  // "swap-": are replaced
	pairs  = 20  // "pair-": two that are replaced together
	evens  = 20  // "even-": only for principals with an even number
)

// catalogue is the registry, and what is known of its changes.
type catalogue struct {
	registry prompts.Registry
	comers   [comers]cell // there at odd versions
	swaps    [swaps]cell
	pairs    [pairs]cell
	touched  []cell // "touch-": each is changed by one client

	waiting  atomic.Int64 // renders of "slow" that run
	rendered atomic.Int64 // of all prompts, as the middleware sees them
}

func stayName(i int) string     { return fmt.Sprintf("stay-%03d", i) }
func comeName(i int) string     { return fmt.Sprintf("come-%03d", i) }
func swapName(i int) string     { return fmt.Sprintf("swap-%03d", i) }
func pairName(i, of int) string { return fmt.Sprintf("pair-%03d-%d", i, of) }
func evenName(i int) string     { return fmt.Sprintf("even-%03d", i) }
func touchName(i int) string    { return fmt.Sprintf("touch-%03d", i) }

// behaviours are the prompts of which there is one each: "do-".
const behaviours = 8

// The four forms of "stay-", by its number.
const (
	formUntyped = iota
	formTyped
	formEnum
	formSuggest
	forms
)

type typed struct {
	Code  string `json:"code" jsonschema:"what to look at"`
	Times int    `json:"times,omitempty" jsonschema:"how often"`
}

var colours = []string{"red", "green", "blue"}

// cities are what an argument is completed from: city-a00 to city-j09.
var cities = func() (all []string) {
	for letter := 'a'; letter <= 'j'; letter++ {
		for i := range 10 {
			all = append(all, fmt.Sprintf("city-%c%02d", letter, i))
		}
	}
	return all
}()

func text(s string) (*prompts.Result, error) { return prompts.Messages(prompts.User(s)), nil }

func untypedText(name, topic string) string { return name + ": " + topic }

func typedText(name string, in typed) string {
	return fmt.Sprintf("%s: %d times %s", name, in.Times, in.Code)
}

// simple returns a prompt with one argument, which its text repeats.
func simple(name string, a prompts.Argument) prompts.Prompt {
	return prompts.Prompt{Name: name, Arguments: []prompts.Argument{a}, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		return text(untypedText(name, args[a.Name]))
	}}
}

func stay(i int) prompts.Prompt {
	name := stayName(i)
	switch i % forms {
	case formTyped:
		low, high := 1.0, 5.0
		return prompts.New(prompts.Prompt{Name: name, Title: "Typed", Arguments: []prompts.Argument{{Name: "times", Schema: &jsonschema.Schema{Minimum: &low, Maximum: &high}}}},
			func(_ context.Context, in typed) (*prompts.Result, error) { return text(typedText(name, in)) })
	case formEnum:
		return simple(name, prompts.Argument{Name: "colour", Required: true, Schema: prompts.Enum(colours...)})
	case formSuggest:
		return simple(name, prompts.Argument{Name: "city", Required: true, Complete: prompts.Suggest(cities...)})
	default:
		return simple(name, prompts.Argument{Name: "topic", Required: true})
	}
}

// versioned is a prompt that says which version of it this is, in the list and
// in its text.
func versioned(name string, version int64) prompts.Prompt {
	p := simple(name, prompts.Argument{Name: "topic"})
	p.Description = fmt.Sprintf("version %d", version)
	p.Render = func(context.Context, map[string]string) (*prompts.Result, error) { return text(p.Description) }
	return p
}

func versionIn(s string) (v int64, ok bool) {
	n, err := fmt.Sscanf(s, "version %d", &v)
	return v, n == 1 && err == nil
}

type colour struct {
	Colour string `json:"colour"`
}

// newCatalogue returns a catalogue for a number of clients.
func newCatalogue(clients int) *catalogue {
	c := &catalogue{touched: make([]cell, clients)}
	for i := range stays {
		c.registry.MustAdd(stay(i))
	}
	for i := range swaps {
		c.registry.MustAdd(versioned(swapName(i), 0))
	}
	for i := range pairs {
		c.registry.MustAdd(versioned(pairName(i, 0), 0), versioned(pairName(i, 1), 0))
	}
	for i := range evens {
		p := simple(evenName(i), prompts.Argument{Name: "topic", Required: true})
		p.Tags = []string{"even"}
		c.registry.MustAdd(p)
	}
	for i := range clients {
		c.registry.MustAdd(versioned(touchName(i), 0))
	}
	c.addBehaviours()
	return c
}

// addBehaviours adds the prompts of which there is one each.
func (c *catalogue) addBehaviours() {
	add := func(name string, render prompts.RenderFunc, args ...prompts.Argument) {
		c.registry.MustAdd(prompts.Prompt{Name: name, Arguments: args, Render: render})
	}
	for _, name := range []string{"do-cache", "do-sign"} {
		p := simple(name, prompts.Argument{Name: "topic", Required: true})
		if name == "do-cache" {
			p.Cache = prompts.Cache{TTL: 200 * time.Millisecond, Shared: true}
		}
		c.registry.MustAdd(p)
	}
	add("do-include", func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		return prompts.Include(ctx, stayName(0), args)
	}, prompts.Argument{Name: "topic", Required: true})
	add("do-panic", func(context.Context, map[string]string) (*prompts.Result, error) { panic("on purpose") })
	add("do-overrun", func(context.Context, map[string]string) (*prompts.Result, error) {
		time.Sleep(renderTimeout + renderTimeout/4)
		return text("too late")
	})
	add("do-steps", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		for i := range 5 {
			prompts.Progress(ctx, float64(i+1), 5, "a step")
		}
		return text("five steps")
	})
	add("do-wait", func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		c.waiting.Add(1)
		defer c.waiting.Add(-1)
		prompts.Progress(ctx, 1, 0, "")
		d, err := time.ParseDuration(args["for"])
		if err != nil {
			return nil, prompts.InvalidArgument("for", "is no duration")
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return text("waited " + args["for"])
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}, prompts.Argument{Name: "for", Required: true})
	add("do-ask", func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		first, err := prompts.Elicit[colour](ctx, "first", "Which colour?", prompts.Argument{Name: "colour", Schema: prompts.Enum(colours...)})
		if err != nil {
			return nil, err
		}
		kept, err := prompts.Once(ctx, "kept", func(context.Context) (string, error) { return first.Colour, nil })
		if err != nil {
			return nil, err
		}
		second, err := prompts.Elicit[colour](ctx, "second", "And then?")
		if err != nil {
			return nil, err
		}
		return text(strings.Join([]string{args["topic"], kept, second.Colour}, "/"))
	}, prompts.Argument{Name: "topic", Required: true})
}

// isVisible is the Visible of the server.
func isVisible(ctx context.Context, p prompts.Prompt) bool {
	return len(p.Tags) == 0 || isEven(principalOf(ctx))
}

// middleware is that of the server: it counts, and signs one prompt.
func (c *catalogue) middleware(next prompts.Handler) prompts.Handler {
	return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
		c.rendered.Add(1)
		got, err := next(ctx, r)
		if err != nil || r.Method != methodGet || r.Prompt != "do-sign" {
			return got, err
		}
		signed := *got.Result
		signed.Messages = append(append([]prompts.Message{}, signed.Messages...), prompts.Assistant("for "+r.Principal))
		response := *got
		response.Result = &signed
		return &response, nil
	}
}
