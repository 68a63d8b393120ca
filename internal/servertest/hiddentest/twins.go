// Package hiddentest compares a server that has hidden prompts and skills with a server that
// does not have them. Both get the same requests, from a generator with a seed, and every
// message that they send must be the same. The tests of this package do so for the server of
// the library, those of internal/interop for the mounts.
package hiddentest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttools"
)

// Twin is what one of two servers is made of. Only one of the two has what is hidden.
type Twin struct {
	Prompts *prompts.Registry
	Skills  *promptskills.Registry
	// Options have the tools among their features, but not the skills.
	Options      prompts.Options
	SkillOptions promptskills.Options

	hasHidden bool
}

// Change changes prompts, the hidden ones among them.
func (w *Twin) Change(t testing.TB, n int) {
	t.Helper()
	require.NoError(t, w.Prompts.Update(func(tx *prompts.Tx) error {
		zeta := Prompt("zeta", n, nil)
		zeta.Description = fmt.Sprintf("version %d", n)
		if w.hasHidden {
			p := hiddenPrompt(t, "payroll", n)
			p.Description = zeta.Description
			return errors.Join(tx.Set(p), tx.Set(zeta))
		}
		return tx.Set(zeta)
	}))
}

// Case is a pair of servers.
type Case struct {
	Name       string
	middleware func(next prompts.Handler) prompts.Handler
	visible    func(ctx context.Context, p prompts.Prompt) (bool, error)
	pair       *prompttools.Pair
	isStrict   bool // and has some other options
}

// hiddenTag is the tag of the prompts that are hidden.
const hiddenTag = "hidden"

var (
	visible = []string{"payments", "review", "ask", "complete", "a prompt", "zeta"}
	hidden  = []string{"payroll", "paymentz", "reviewer", "ask more", "complete it", "a prompu", strings.Repeat("ä", 200), "x" + strings.Repeat("ä", 200), "zeta2"}
	// near are names that no prompt has.
	near = []string{"payrol", "payroll2", "Payroll", "payment", "reviewe", "rewiev", "ask-more", "a_prompu", "nothing", "", "alias", "old", "zeta3", "\u00e9"}
)

// argumentNames are those of the prompts, hidden or not, the key that a tool has for one of
// them, and some others.
var argumentNames = []string{"secret", "x", "color", "count", "größe", "gr_xf6__xdf_e", "text", "sekret", "y"}

func isVisible(_ context.Context, p prompts.Prompt) (bool, error) {
	return !slices.Contains(p.Tags, hiddenTag), nil
}

// tenant is the key of what a middleware puts into the context.
type tenant struct{}

// Cases are all combinations of a middleware and other options.
func Cases() []Case {
	var all []Case
	for _, name := range slices.Sorted(maps.Keys(middlewares)) {
		for _, pair := range []*prompttools.Pair{nil, {}} {
			for _, isStrict := range []bool{false, true} {
				c := Case{Name: fmt.Sprintf("%s, pair: %t, strict: %t", name, pair != nil, isStrict), middleware: middlewares[name], visible: isVisible, pair: pair, isStrict: isStrict}
				if name == "of a tenant" {
					c.visible = func(ctx context.Context, p prompts.Prompt) (bool, error) {
						ok, err := isVisible(ctx, p)
						return ok && ctx.Value(tenant{}).(string) != "", err // else it panics
					}
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// errNeutral is an error whose text no client gets.
var errNeutral = errors.New("the middleware has failed")

// around returns a middleware that is one function.
func around(f func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error)) func(prompts.Handler) prompts.Handler {
	return func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) { return f(ctx, r, next) }
	}
}

var middlewares = map[string]func(next prompts.Handler) prompts.Handler{
	"none":      nil,
	"audit log": prompts.AuditLog(slog.New(slog.DiscardHandler)),
	"of a tenant": around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		return next(context.WithValue(ctx, tenant{}, "acme"), r)
	}),
	"renaming": around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		changed := *r
		if other := map[string]string{"alias": "payroll", "old": "review", "payroll": "review", "review": "paymentz"}[r.Prompt]; other != "" && r.Via == "" { // else the client has not named the prompt
			changed.Prompt = other
		}
		return next(ctx, &changed)
	}),
	"asking":  around(asking),
	"failing": around(failing),
}

// asking is a middleware that asks whether the prompt exists, and changes its request.
func asking(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
	if r.Method == "prompts/list" {
		return next(ctx, r)
	}
	values := texts(r)
	clear(r.Arguments)
	if !r.PromptExists(ctx) {
		return nil, &prompts.Error{Code: -32000, Message: "no prompt for " + values, Data: map[string]string{"values": values}}
	}
	if len(values)%2 == 0 {
		return nil, &prompts.Error{Code: -32001, Message: "not with " + values}
	}
	return next(ctx, r)
}

// failing is a middleware with errors of its own, which contain values.
func failing(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
	values := texts(r)
	if r.Via == "" { // else the name of the prompt, of which the client knows that of the tool alone
		values += r.Prompt
	}
	switch len(values) % 8 {
	case 0:
		return nil, &prompts.Error{Code: -32001, Message: "refused: " + values, Data: map[string]any{values: values}}
	case 1:
		return nil, prompts.InvalidArgument("x", "must not be "+values)
	case 2:
		return nil, errNeutral
	case 3:
		panic("with " + values)
	case 4:
		if r.Method == "prompts/get" {
			return &prompts.Response{Result: prompts.Messages(prompts.User(values), prompts.Message{Role: "user", Content: &prompts.ResourceLink{URI: "test://" + strings.ToValidUTF8(r.Arguments["secret"], ""), Name: "n"}})}, nil
		}
	case 5:
		return nil, nil
	}
	response, err := next(ctx, r)
	if err != nil && len(values)%3 == 0 {
		return nil, &prompts.Error{Code: -32002, Message: fmt.Sprintf("after %s: %v", values, err)}
	}
	return response, err
}

// texts returns the values of a request, in order. A request that names a tool has keys,
// whose arguments only the prompt knows, like the name of the prompt.
func texts(r *prompts.Request) string {
	if r.Via != "" {
		return fmt.Sprintf("%.400q %q=%.40q %d", slices.Sorted(maps.Values(r.Arguments)), r.Argument, r.Prefix, len(r.NonStrings))
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Arguments)) {
		all = append(all, name+"="+r.Arguments[name])
	}
	return fmt.Sprintf("%.400q %q=%.40q %q", strings.Join(all, "&"), r.Argument, r.Prefix, r.NonStrings)
}

// stateKey is the key of requestState of both servers, so that each accepts the state of the
// other.
func stateKey(context.Context) ([][]byte, error) {
	return [][]byte{[]byte("0123456789abcdef0123456789abcdef")}, nil
}

// Twins returns what the two servers are made of. A hidden prompt that is read fails the test.
func (c Case) Twins(t testing.TB) (with, without Twin) {
	t.Helper()
	return c.twin(t, true), c.twin(t, false)
}

func (c Case) twin(t testing.TB, hasHidden bool) Twin {
	t.Helper()
	w := Twin{Prompts: new(prompts.Registry), Skills: new(promptskills.Registry), hasHidden: hasHidden}
	for i, name := range visible {
		w.Prompts.MustAdd(Prompt(name, i, nil))
		w.addSkill(t, name)
	}
	for i, name := range hidden {
		if hasHidden {
			w.Prompts.MustAdd(hiddenPrompt(t, name, i))
			w.addSkill(t, name)
		}
	}
	tools, err := prompttools.New(w.Prompts, prompttools.Options{Pair: c.pair, PageSize: 3, Select: func(p prompts.Prompt) bool { return p.Name != "zeta" && len(p.Name) < 20 }})
	require.NoError(t, err)
	w.Options = prompts.Options{
		Logger: slog.New(slog.DiscardHandler), Features: []feature.Feature{tools}, Visible: c.visible, Middleware: c.middleware,
		RequestStateKeys: stateKey, PageSize: 4, Timeouts: prompts.Timeouts{Render: time.Minute, Elicit: time.Minute},
		Limits: prompts.Limits{MaxArguments: 50, MaxArgumentBytes: 40 << 10},
	}
	if c.isStrict {
		w.Options.StrictArguments, w.Options.ElicitArguments, w.Options.InputSchemas, w.Options.PageSize = true, true, true, 0
		w.Options.Principal = func(context.Context) (string, error) { return "user", nil }
		w.Options.Timeouts.Complete = time.Second
	}
	w.SkillOptions = promptskills.Options{PageSize: 3, Visible: func(_ context.Context, s promptskills.Skill) (bool, error) {
		return !slices.ContainsFunc(hidden, func(name string) bool { return s.Path == skillPath(name) }), nil
	}}
	return w
}

// hiddenPrompt returns a hidden prompt, which fails the test if its code runs.
func hiddenPrompt(t testing.TB, name string, i int) prompts.Prompt {
	p := Prompt(name, i, func() { t.Errorf("the hidden prompt %.20q runs", name) })
	p.Tags = []string{hiddenTag}
	return p
}

func skillPath(name string) string {
	return strings.ToValidUTF8(strings.NewReplacer(" ", "-", "ä", "a").Replace(name[:min(len(name), 40)]), "")
}

func (w *Twin) addSkill(t testing.TB, name string) {
	t.Helper()
	path := skillPath(name)
	require.NoError(t, w.Skills.Set(promptskills.Skill{
		Path: path, Frontmatter: json.RawMessage(fmt.Sprintf(`{"name":%q,"description":"a skill"}`, path)),
		Files: map[string][]byte{"SKILL.md": []byte("text"), "data.txt": []byte("data")},
	}))
}

// Prompt returns a prompt of the twins. It calls run, if that is not nil, whenever code of
// the prompt runs.
func Prompt(name string, i int, run func()) prompts.Prompt {
	least := 1.0
	p := prompts.Prompt{
		Name: name, Title: "Title of " + name, Description: "Describes " + name,
		Arguments: []prompts.Argument{
			{Name: "secret", Sensitive: true, Required: i%3 == 0},
			{Name: "x", Required: i%2 == 0, Complete: func(_ context.Context, prefix string, others map[string]string) ([]string, error) {
				if run != nil {
					run()
				}
				if len(prefix) > 5 {
					return nil, prompts.InvalidArgument("x", "cannot be completed after "+prefix)
				}
				return []string{prefix + "1", prefix + "2", fmt.Sprint(len(others))}, nil
			}},
			{Name: "color", Enum: []string{"red", "green"}},
			{Name: "count", Schema: &jsonschema.Schema{Type: "integer", Minimum: &least}},
			{Name: "größe"},
		},
		Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
			if run != nil {
				run()
			}
			prompts.Progress(ctx, 1, 2, "")
			switch {
			case strings.HasPrefix(name, "ask"):
				type form struct {
					Color string `json:"color"`
				}
				if _, err := prompts.Elicit[form](ctx, "q", "Which color?"); err != nil {
					return nil, err
				}
			case args["x"] == "fail":
				return nil, errors.New("with " + args["secret"])
			case args["x"] == "payroll":
				return nil, prompts.InvalidArgument("x", "must not be "+args["secret"])
			case args["x"] == "include":
				return prompts.Include(ctx, args["secret"], nil)
			}
			return prompts.Messages(prompts.User(fmt.Sprintf("%s %.100s", name, args["x"]))), nil
		},
	}
	if name == "zeta2" {
		p.Arguments = nil
	}
	return p
}

// random are the parts of messages that are random: ids of errors, and the sealed state.
var random = regexp.MustCompile(`(\(error id |"errorId":"|\\"errorId\\":\\")[0-9a-f]{8}|("requestState":")[^"]*|(\[prompts-error:)[0-9a-f]+`)

// Neutral returns a message without what is random.
func Neutral(msg string) string { return random.ReplaceAllString(msg, "$1$2$3") }

// suggestion is the part of an error that depends on the time: so many names a second are
// compared with all others.
var suggestion = regexp.MustCompile(`; did you mean \\+"[^"]*"\?|,?\\*"suggestion\\*":\\*"[^"]*"`)

// NeutralInTime is Neutral for servers whose time passes by itself, where the two may be at
// their limit at different requests.
func NeutralInTime(msg string) string { return suggestion.ReplaceAllString(Neutral(msg), "") }
