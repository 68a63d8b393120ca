package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// goldenVisible hides what is for nobody.
func goldenVisible(_ context.Context, p prompts.Prompt) (bool, error) {
	return p.Name != "faulty" && p.Name != "deaf", nil
}

// goldenFallback has words for sounds, and leaves links as they are.
func goldenFallback(_ context.Context, f prompts.Fallback) prompts.Content {
	if _, ok := f.Content.(*prompts.Audio); ok {
		return &prompts.Text{Text: "a sound that " + f.Version + " has no way to play"}
	}
	return nil
}

type goldenRelease struct {
	Channel string `json:"channel" jsonschema:"where to"`
	Notes   string `json:"notes,omitempty"`
}

var goldenChannel = prompts.Argument{Name: "channel", Enum: []string{"beta", "stable"}}

// goldenFields has a field of every kind that a form can have.
type goldenFields struct {
	Text   string        `json:"text" jsonschema:"some text"`
	Free   string        `json:"free,omitempty"`
	Code   string        `json:"code,omitempty"`
	Choice string        `json:"choice"`
	Many   []string      `json:"many,omitempty" jsonschema:"as many as you like"`
	List   []string      `json:"list,omitempty"`
	Count  uint          `json:"count,omitempty"`
	Ratio  float64       `json:"ratio,omitempty" jsonschema:"how much of it"`
	Loud   bool          `json:"loud,omitempty"`
	When   time.Time     `json:"when,omitzero"`
	Wait   time.Duration `json:"wait,omitempty"`
}

// askingPrompts ask their client.
func askingPrompts() *prompts.Registry {
	runs := 0 // of chain
	ask := func(name string, question func() *prompts.Answer[json.RawMessage]) prompts.Prompt {
		return servertest.Rendered(name, func(ctx context.Context) (*prompts.Result, error) {
			q := question()
			if err := prompts.Ask(ctx, q); err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User("the answer: " + string(q.Value))), nil
		})
	}
	sampling := map[string]any{"messages": []any{}, "maxTokens": 100}
	return servertest.RegistryOf(
		prompts.New(prompts.Prompt{Name: "release"}, func(ctx context.Context, in struct {
			Product string `json:"product,omitempty"`
		}) (*prompts.Result, error) {
			r, err := prompts.Elicit[goldenRelease](ctx, "release", "Which <release> of "+in.Product+"?", goldenChannel)
			if err != nil {
				return nil, fmt.Errorf("a secret: %w", err)
			}
			return prompts.Messages(prompts.User(in.Product + " to " + r.Channel + ": " + r.Notes)), nil
		}),
		servertest.Rendered("two", func(ctx context.Context) (*prompts.Result, error) {
			name, colour := prompts.Form[struct {
				Name string `json:"name"`
			}]("name", "Your name?"), prompts.Form[struct {
				Colour string `json:"colour"`
			}]("colour", "Your colour?")
			if err := prompts.Ask(ctx, name, colour); err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(name.Value.Name + " likes " + colour.Value.Colour)), nil
		}),
		servertest.Rendered("chain", func(ctx context.Context) (*prompts.Result, error) {
			first, err := prompts.Elicit[struct {
				City string `json:"city"`
			}](ctx, "city", "Which city?")
			if err != nil {
				return nil, err
			}
			run, err := prompts.Once(ctx, "run", func(context.Context) (int, error) { runs++; return runs, nil })
			if err != nil {
				return nil, err
			}
			second, err := prompts.Elicit[struct {
				Street string `json:"street"`
			}](ctx, "street", "Which street in "+first.City+"?")
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(fmt.Sprintf("%s, %s (looked up %d times)", second.Street, first.City, run))), nil
		}),
		servertest.Rendered("fields", func(ctx context.Context) (*prompts.Result, error) {
			f, err := prompts.Elicit[goldenFields](ctx, "fields", "Everything, please.",
				prompts.Argument{Name: "text", Title: "A text", Schema: &jsonschema.Schema{MinLength: jsonschema.Ptr(2), MaxLength: jsonschema.Ptr(5)}},
				prompts.Argument{Name: "free", Schema: &jsonschema.Schema{Default: json.RawMessage(`"nothing"`)}},
				prompts.Argument{Name: "code", Schema: &jsonschema.Schema{Pattern: "^[a-z]+$"}},
				prompts.Argument{Name: "choice", Enum: []string{"a", "b"}},
				prompts.Argument{Name: "many", Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Enum: []any{"x", "y", "z"}}, MaxItems: jsonschema.Ptr(2)}},
				prompts.Argument{Name: "ratio", Schema: &jsonschema.Schema{Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(1.0), Default: json.RawMessage(`0.5`)}},
				prompts.Argument{Name: "loud", Schema: &jsonschema.Schema{Default: json.RawMessage(`true`)}},
			)
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(fmt.Sprintf("%q %q %q %q %q %q %d %g %t %s %s", f.Text, f.Free, f.Code, f.Choice, f.Many, f.List, f.Count, f.Ratio, f.Loud, f.When.Format(time.RFC3339), f.Wait))), nil
		}),
		servertest.Rendered("careful", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[goldenRelease](ctx, "release", "Which release?", goldenChannel)
			switch {
			case errors.Is(err, prompts.ErrDeclined):
				return prompts.Messages(prompts.User("declined")), nil
			case errors.Is(err, prompts.ErrCanceled):
				return prompts.Messages(prompts.User("dismissed")), nil
			case errors.Is(err, prompts.ErrElicitationUnavailable):
				return prompts.Messages(prompts.User("cannot ask")), nil
			case err != nil:
				return nil, err
			}
			return prompts.Messages(prompts.User("accepted")), nil
		}),
		servertest.Rendered("swallow", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[goldenRelease](ctx, "release", "Which release?")
			return prompts.Messages(prompts.User(fmt.Sprintf("nobody was asked: %t", errors.Is(err, prompts.ErrInputRequired)))), nil
		}),
		// each says what has become of each question, and then asks for a release.
		servertest.Rendered("each", func(ctx context.Context) (*prompts.Result, error) {
			a, b, dirs := prompts.Form[servertest.Colour]("a", "A?"), prompts.Form[servertest.Colour]("b", "B?"), prompts.InputRequest("dirs", "roots/list", nil)
			before := errors.Join(a.Err(), b.Err(), dirs.Err())
			err := prompts.Ask(ctx, a, b, dirs)
			declined, canceled := errors.Is(err, prompts.ErrDeclined), errors.Is(err, prompts.ErrCanceled)
			if !declined && !canceled {
				return nil, err
			}
			if _, err := prompts.Elicit[goldenRelease](ctx, "release", "Which release?"); err != nil {
				return nil, err
			}
			return prompts.Messages(
				prompts.User(fmt.Sprint("before: ", before)),
				prompts.User(fmt.Sprint("of all: ", err, declined, canceled)),
				prompts.User(fmt.Sprint("a: ", a.Err(), errors.Is(a.Err(), prompts.ErrDeclined), errors.Is(a.Err(), prompts.ErrCanceled))),
				prompts.User(fmt.Sprint("b: ", b.Err(), errors.Is(b.Err(), prompts.ErrDeclined), errors.Is(b.Err(), prompts.ErrCanceled))),
				prompts.User(fmt.Sprint("dirs: ", dirs.Err(), string(dirs.Value))),
			), nil
		}),
		servertest.Rendered("alone", func(context.Context) (*prompts.Result, error) { return nil, prompts.ErrInputRequired }),
		ask("sample", func() *prompts.Answer[json.RawMessage] {
			return prompts.InputRequest("draft", "sampling/createMessage", sampling)
		}),
		ask("tools", func() *prompts.Answer[json.RawMessage] {
			return prompts.InputRequest("draft", "sampling/createMessage", map[string]any{
				"messages": []any{}, "maxTokens": 100, "includeContext": "thisServer", "tools": []any{},
			})
		}),
		ask("roots", func() *prompts.Answer[json.RawMessage] { return prompts.InputRequest("dirs", "roots/list", nil) }),
		ask("url", func() *prompts.Answer[json.RawMessage] {
			return prompts.InputRequest("login", "elicitation/create", map[string]any{"mode": "url", "message": "Please log in.", "url": "https://golden.example.org/login"})
		}),
		ask("raw", func() *prompts.Answer[json.RawMessage] {
			return prompts.InputRequest("raw", "elicitation/create", map[string]any{"mode": "form", "message": "Sure?", "requestedSchema": map[string]any{
				"type": "object", "properties": map[string]any{"sure": map[string]any{"type": "boolean"}},
			}})
		}),
		ask("nested", func() *prompts.Answer[json.RawMessage] {
			return prompts.InputRequest("raw", "elicitation/create", map[string]any{"message": "Sure?", "requestedSchema": map[string]any{
				"type": "object", "properties": map[string]any{"sure": map[string]any{"type": "object"}},
			}})
		}),
		servertest.Rendered("mixed", func(ctx context.Context) (*prompts.Result, error) {
			release, dirs := prompts.Form[goldenRelease]("release", "Which release?", goldenChannel), prompts.InputRequest("dirs", "roots/list", nil)
			if err := prompts.Ask(ctx, release, dirs); err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(release.Value.Channel + " in " + string(dirs.Value))), nil
		}),
		prompts.New(prompts.Prompt{Name: "late"}, func(ctx context.Context, in struct {
			For time.Duration `json:"for"`
		}) (*prompts.Result, error) {
			time.Sleep(in.For) // whatever its context says
			r, err := prompts.Elicit[goldenRelease](ctx, "release", "Which release?", goldenChannel)
			if err != nil {
				return nil, err
			}
			time.Sleep(in.For)
			return prompts.Messages(prompts.User(r.Channel)), nil
		}),
	)
}

type goldenTrip struct {
	City  string `json:"city" jsonschema:"where to"`
	Days  int    `json:"days"`
	Class string `json:"class,omitempty"`
}

// guidedPrompts are for a server that asks for arguments.
func guidedPrompts() *prompts.Registry {
	runs := 0 // of picky
	return servertest.RegistryOf(
		prompts.New(prompts.Prompt{
			Name: "trip", Title: "A trip",
			Arguments: []prompts.Argument{
				{Name: "days", Title: "How long", Schema: &jsonschema.Schema{Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(30.0)}},
				{Name: "class", Schema: &jsonschema.Schema{Enum: []any{"first", "second"}, Default: json.RawMessage(`"second"`)}},
			},
		}, func(_ context.Context, in goldenTrip) (*prompts.Result, error) {
			if in.City == "Atlantis" {
				return nil, prompts.InvalidArgument("city", "is under water")
			}
			return prompts.Messages(prompts.User(fmt.Sprintf("%s, %d days, %s class", in.City, in.Days, in.Class))), nil
		}),
		prompts.New(prompts.Prompt{Name: "both"}, func(ctx context.Context, in struct {
			City string `json:"city"`
		}) (*prompts.Result, error) {
			r, err := prompts.Elicit[goldenRelease](ctx, "release", "Which release for "+in.City+"?", goldenChannel)
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(r.Channel + " for " + in.City)), nil
		}),
		// picky starts nowhere but in Ulm, which it says once it has a ticket and a color.
		prompts.New(prompts.Prompt{Name: "picky", Title: "Plan a trip"}, func(ctx context.Context, in goldenWay) (*prompts.Result, error) {
			runs++
			ticket, err := prompts.Once(ctx, "ticket", func(context.Context) (string, error) { return fmt.Sprint(in.From, runs), nil })
			if err != nil {
				return nil, err
			}
			answer, err := prompts.Elicit[servertest.Colour](ctx, "colour", "Which colour for "+in.From+"?")
			if err != nil {
				return nil, err
			}
			if in.From != "Ulm" {
				return nil, fmt.Errorf("a secret: %w", prompts.InvalidArgument("from", "is not where it starts"))
			}
			return prompts.Messages(prompts.User(fmt.Sprint(in.From, "-", in.To, " ", ticket, " ", answer.Colour))), nil
		}),
		prompts.New(prompts.Prompt{Name: "far"}, func(_ context.Context, in goldenWay) (*prompts.Result, error) {
			if in.From == "nowhere" {
				return nil, prompts.InvalidArgument("via", "is no argument")
			}
			return nil, errors.Join(prompts.InvalidArgument("from", "is far"), prompts.InvalidArgument("to", "is near"), prompts.InvalidArgument("from", "is wide"))
		}),
	)
}

type goldenWay struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// reportingPrompts tell how far they are.
func reportingPrompts() *prompts.Registry {
	return servertest.RegistryOf(
		servertest.Rendered("steps", func(ctx context.Context) (*prompts.Result, error) {
			for i := range 3 {
				prompts.Progress(ctx, float64(i+1), 3, fmt.Sprintf("step %d <of> 3", i+1))
				if err := goldenSleep(ctx); err != nil {
					return nil, err
				}
			}
			return prompts.Messages(prompts.User("done")), nil
		}),
		servertest.Rendered("odd", func(ctx context.Context) (*prompts.Result, error) {
			for _, done := range []float64{-1, 0, 0.25, 0.25, 0.1, 1e21, 1e-9, 2e21} {
				prompts.Progress(ctx, done, 0, "")
				if err := goldenSleep(ctx); err != nil {
					return nil, err
				}
			}
			return prompts.Messages(prompts.User("done")), nil
		}),
		servertest.Rendered("quick", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 1, "")
			return prompts.Messages(prompts.User("done")), nil
		}),
		servertest.Rendered("afterwards", func(ctx context.Context) (*prompts.Result, error) {
			go func() {
				for i := range 10 {
					prompts.Progress(ctx, float64(i), 10, "")
					time.Sleep(time.Second)
				}
			}()
			time.Sleep(1500 * time.Millisecond)
			return prompts.Messages(prompts.User("done")), nil
		}),
		servertest.Rendered("deaf", func(ctx context.Context) (*prompts.Result, error) {
			for i := range 10 {
				prompts.Progress(ctx, float64(i+1), 0, "")
				time.Sleep(time.Second) // whatever its context says
			}
			return prompts.Messages(prompts.User("done")), nil
		}),
	)
}

// goldenSleep waits a second, unless ctx ends.
func goldenSleep(ctx context.Context) error {
	select {
	case <-time.After(time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// completingPrompts have arguments to be completed.
func completingPrompts() *prompts.Registry {
	none := func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil }
	completed := func(name string, f prompts.CompleteFunc) prompts.Argument {
		return prompts.Argument{Name: name, Complete: f}
	}
	return servertest.RegistryOf(prompts.Prompt{
		Name: "all",
		Arguments: []prompts.Argument{
			{Name: "tone", Enum: []string{"formal", "friendly", "Casual", "<b>"}},
			{Name: "loud", Schema: &jsonschema.Schema{Type: "boolean"}},
			{Name: "level", Schema: &jsonschema.Schema{Type: "integer", Enum: []any{1, 2, 10}}},
			{Name: "free"},
			completed("city", func(_ context.Context, prefix string, args map[string]string) ([]string, error) {
				return []string{prefix + "-city", fmt.Sprint(args)}, nil
			}),
			completed("many", func(_ context.Context, prefix string, _ map[string]string) ([]string, error) {
				var values []string
				for i := range 250 {
					values = append(values, fmt.Sprint(prefix, i))
				}
				return values, nil
			}),
			completed("hundred", func(context.Context, string, map[string]string) ([]string, error) {
				values := make([]string, 100)
				for i := range values {
					values[i] = fmt.Sprint("x", i)
				}
				return values, nil
			}),
			completed("nil", func(context.Context, string, map[string]string) ([]string, error) { return nil, nil }),
			completed("fails", func(context.Context, string, map[string]string) ([]string, error) {
				return []string{"a secret"}, errors.New("a secret")
			}),
			completed("blames", func(context.Context, string, map[string]string) ([]string, error) {
				return nil, fmt.Errorf("a secret: %w", prompts.InvalidArgument("free", "is needed first"))
			}),
			completed("panics", func(context.Context, string, map[string]string) ([]string, error) { panic("a secret") }),
			completed("slow", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}),
			completed("deaf", func(context.Context, string, map[string]string) ([]string, error) {
				time.Sleep(time.Hour) // whatever its context says
				return nil, nil
			}),
			completed("bytes", func(context.Context, string, map[string]string) ([]string, error) { return []string{"\xff"}, nil }),
			completed("asks", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
				_, err := prompts.Elicit[goldenRelease](ctx, "release", "Which release?")
				return nil, err
			}),
		},
		Render: none,
	})
}
