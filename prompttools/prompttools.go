// Package prompttools offers prompts as tools, for clients that show tools but no
// prompts, and for models, which can call tools but no prompts.
//
//	tools, err := prompttools.New(&reg, prompttools.Options{Tags: []string{"for-models"}})
//	…
//	srv := prompts.MustNewServer(&reg, prompts.Options{Features: []feature.Feature{tools}})
//
// Users invoke prompts, and models invoke tools. Choose only prompts that a model
// may use without a user: no prompt is a tool until it is chosen.
//
// Each chosen prompt is one tool. The schema of the tool's arguments is that of
// [prompts.Prompt.InputSchema]: types, enums, bounds, defaults and descriptions reach
// the client. An argument whose name the APIs of models reject has another key, and a
// client can send the key or the name. For many prompts, [Pair] offers two tools for all of them.
//
// A call of a tool renders the prompt as prompts/get does: with Visible, Middleware,
// ElicitArguments, the rate GetsPerSecond, the limits and timeouts of the server. A
// hidden prompt is no tool. The differences are:
//
//   - Arguments are JSON of their types, such as a list in place of a comma-separated string.
//     For a number or a boolean, its string is accepted, too. Undeclared arguments are errors.
//   - Invalid arguments, a user who declines to answer, and a [prompts.Error] of the
//     render function are results with isError, because models see results. The text
//     says what to change. From 2025-06-18, structuredContent has the data of the error.
//   - An unknown tool is an error with [prompts.CodeInvalidParams].
//   - The messages become content, see [Content].
package prompttools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
)

// Options configures the tools. The zero value offers no tools.
type Options struct {
	// Names, Tags and Select choose the prompts that are tools: those with one of the names,
	// those with one of the tags, and those for which Select returns true. Select is called
	// when a prompt is added, and must not use the registry. Default: no prompt.
	Names  []string
	Tags   []string
	Select func(p prompts.Prompt) bool
	// Pair, if not nil, offers two tools for all chosen prompts instead of one for each.
	Pair *Pair
	// ToolName returns the name of the tool for a prompt. Two tools with the same name are an error
	// when the second is added, and so is a name that is invalid for a [Tool]. Default: [ToolName].
	ToolName func(prompt string) string
	// Annotations, if not nil, returns the annotations of the tool for a prompt, from
	// 2025-03-26; nil for none. Default: none.
	Annotations func(p prompts.Prompt) *ToolAnnotations
	// Content turns the messages of a prompt into the content of the tool's result. It
	// may be called concurrently. Default: [Content].
	Content func(messages []prompts.Message) []prompts.Content

	// Tools are tools of the application, beside the prompts.
	Tools []Tool

	// PageSize is the number of tools in one response to tools/list. Some clients read the
	// first page only. It is also the number of prompts in one result of the tool that lists
	// them. Default: 1,000; 100 for that tool, because a model reads its result.
	PageSize int
	// ClientCache sets how long clients of protocol version 2026-07-28 may cache a list of tools. Do
	// not combine a public ClientCache with a middleware that hides prompts. Default: not at all.
	ClientCache feature.ClientCache
}

const (
	defaultPageSize       = cursor.DefaultPageSize
	defaultPairedPageSize = 100
)

// Pair names two tools: the first lists prompts with the schemas of their arguments,
// and the second gets a prompt by name. An empty name is the default.
type Pair struct {
	List string // "list_prompts" if empty
	Get  string // "get_prompt" if empty
}

// ToolAnnotations describe a tool to clients, from 2025-03-26. They are hints: a client
// decides nothing by those of a server that it does not trust. A nil hint is not sent.
type ToolAnnotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`    // changes nothing; nil counts as false
	DestructiveHint *bool  `json:"destructiveHint,omitempty"` // may overwrite or delete; nil counts as true
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`  // the same call again changes nothing; nil counts as false
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`   // reaches systems outside, such as the web; nil counts as true
}

// Tool is a tool of the application.
type Tool struct {
	// Name identifies the tool. Required: 1 to 128 characters of A-Z, a-z, 0-9, "_", "-" and ".".
	Name string
	// Title is the name for people, from 2025-06-18.
	Title       string
	Description string
	// InputSchema is the schema of the arguments, an object. It is any value that encoding/json
	// encodes as a JSON schema, as the Schema of a prompts.Argument. A pattern in the schema of
	// a member limits the bytes of that member: 64 Mi divided by the instructions of the
	// compiled pattern, so 128 KiB for ^[a-z]{1,255}$. Elsewhere, or if the schema has a $ref,
	// a pattern limits the arguments as a whole. Default: an object without members.
	InputSchema any
	// OutputSchema, if not nil, is the schema of Result.Structured, from 2025-06-18: an object,
	// in any form of InputSchema. If the schema rejects the result of a call, and the result is
	// not an error, the client gets an internal error. Its patterns do not limit the bytes.
	OutputSchema any
	Annotations  *ToolAnnotations
	// Icons may be shown beside the tool, from 2025-11-25.
	Icons []prompts.Icon
	// Meta is sent as the tool's _meta, from 2025-06-18.
	Meta prompts.Meta
	// Call answers a call. arguments is a JSON object that InputSchema accepts, or nil, which
	// counts as an empty object. Defaults of the schema are not filled in. A member that is
	// null is left out, unless its schema accepts null. A string with the JSON of a number or a
	// boolean, such as "2000", is that value, unless the schema of the member accepts the
	// string. If the schema rejects the arguments, or they exceed MaxArguments or
	// MaxArgumentBytes of prompts.Limits, the model gets a result with isError instead.
	// Options.Middleware and Options.Visible of the server do not apply to these tools.
	//
	// The rules for ctx are those of a [prompts.RenderFunc]: Elicit, Ask, Once and Include
	// work, and the model learns by a result with isError if the user did not answer. The
	// rules for other errors are those of a [prompts.Error]: an error that the model is
	// to see is a Result with IsError. Required.
	Call func(ctx context.Context, arguments json.RawMessage) (*Result, error)
}

// Result is the result of a [Tool].
type Result struct {
	// Content is the content for the model. Some clients join the texts, so end each
	// with a newline. Default: Structured as JSON text.
	Content []prompts.Content
	// Structured, if not nil, is the structuredContent, from 2025-06-18. It must encode
	// as a JSON object. Some clients show the model Structured without Content.
	Structured any
	// IsError says that the call failed in a way that the model should know.
	IsError bool
	Meta    prompts.Meta
}

// New returns a feature with the tools of the registry's prompts, for Options.Features of a
// server of the same registry: prompts.NewServer of another registry returns an error. New
// returns all errors of the options, an error if two tools have the same name, and an error for
// a nil registry. The feature watches the registry for as long as the registry exists: from then
// on a change of the registry with a prompt that cannot be a tool is rejected, with a
// [*prompts.DeclarationError] for each such prompt.
//
// Do not wrap the methods of the feature: see feature.Method.
func New(reg *prompts.Registry, o Options) (feature.Feature, error) {
	if reg == nil {
		return feature.Feature{}, errors.New("prompttools: registry is nil; for tools without prompts, use new(prompts.Registry)")
	}
	s, err := newServer(o)
	if err != nil {
		return feature.Feature{}, fmt.Errorf("prompttools: %w", err)
	}
	if err := promptfeature.Follow(reg, s.follow); err != nil {
		return feature.Feature{}, fmt.Errorf("prompttools: %w", err)
	}
	f := feature.Feature{
		Methods: map[string]feature.Method{
			"tools/list": {Func: call.FuncOf(reg, s.list), ClientCache: &o.ClientCache},
			"tools/call": {Func: call.FuncOf(reg, s.call), RateWith: "prompts/get"},
		},
		Capabilities: func(_ string, listChanged bool) map[string]any {
			tools := map[string]any{}
			if listChanged {
				tools["listChanged"] = true
			}
			return map[string]any{"tools": tools}
		},
	}
	if o.Pair == nil {
		f.Lists = []feature.List{{
			Notification: "notifications/tools/list_changed",
			Filter:       "toolsListChanged",
			OnChange:     reg.OnChange,
		}}
	}
	return f, nil
}

// server answers the methods of tools. Readers load the maps and never wait.
type server struct {
	options  Options
	inPair   int              // how many prompts a result of the tool that lists them has
	own      map[string]*tool // the tools that are no prompts, by name
	searches *limit.Budget    // of all tools, for suggestions

	prompts atomic.Pointer[ordmap.Map[*tool]] // the tools that are prompts: by the name of the tool, or of the prompt for a pair
	all     atomic.Pointer[ordmap.Map[*tool]] // those of tools/list
	names   map[string]string                 // of the tools by prompt; used by follow alone
}

func newServer(o Options) (*server, error) {
	errs := option.Negative(o)
	inPair := o.PageSize
	if inPair <= 0 {
		inPair = defaultPairedPageSize
	}
	if o.PageSize <= 0 {
		o.PageSize = defaultPageSize
	}
	if o.ToolName == nil {
		o.ToolName = ToolName
	}
	if o.Content == nil {
		o.Content = Content
	}
	o.Names, o.Tags, o.Tools = slices.Clone(o.Names), slices.Clone(o.Tags), slices.Clone(o.Tools)
	s := &server{options: o, searches: limit.NewBudget(nearest.MaxSearches), inPair: inPair, own: map[string]*tool{}, names: map[string]string{}}
	add := func(t *tool, err error) {
		switch {
		case err != nil:
			errs = append(errs, err)
		case s.own[t.name] != nil:
			errs = append(errs, fmt.Errorf("tool %q is defined twice", t.name))
		default:
			s.own[t.name] = t
		}
	}
	for i := range o.Tools {
		if o.Tools[i].Call == nil {
			errs = append(errs, fmt.Errorf("tool %q: Call is nil", o.Tools[i].Name))
		}
		add(ownTool(&o.Tools[i]))
	}
	if o.Pair != nil {
		add(s.listTool())
		add(s.getTool())
	}
	edit := ordmap.Map[*tool]{}.Edit()
	for name, t := range s.own {
		edit.Set(name, t)
	}
	all := edit.Map()
	s.all.Store(&all)
	s.prompts.Store(new(ordmap.Map[*tool]))
	return s, errors.Join(errs...)
}

func (s *server) chooses(p *prompts.Prompt) bool {
	o := &s.options
	return slices.Contains(o.Names, p.Name) ||
		slices.ContainsFunc(p.Tags, func(tag string) bool { return slices.Contains(o.Tags, tag) }) ||
		o.Select != nil && o.Select(*p)
}

type change = call.Change[prompts.Prompt]

func (s *server) follow(changes []change) (commit func(), err error) {
	tools, all := s.prompts.Load().Edit(), s.all.Load().Edit()
	names := map[string]string{} // of the changed prompts; empty for one that is no tool now
	for _, c := range changes {
		if name, ok := s.names[c.Name]; ok {
			tools.Delete(name)
			if s.options.Pair == nil {
				all.Delete(name)
			}
		}
		names[c.Name] = ""
	}
	var errs []error
	// Prompts that are tools come first, so that a new prompt with the same tool is rejected.
	isNew := func(c change) bool { return s.names[c.Name] == "" }
	old := slices.DeleteFunc(slices.Clone(changes), isNew)
	for _, c := range append(old, slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return !isNew(c) })...) {
		if c.Prompt == nil || !s.chooses(c.Prompt) {
			continue
		}
		t, err := s.promptTool(c.Prompt)
		if err == nil {
			err = s.clash(t, tools)
		}
		if err != nil {
			errs = append(errs, &prompts.DeclarationError{Prompt: c.Name, Err: err})
			continue
		}
		names[c.Name] = t.name
		tools.Set(t.name, t)
		if s.options.Pair == nil {
			all.Set(t.name, t)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	newTools, newAll := tools.Map(), all.Map()
	return func() {
		for prompt, name := range names {
			if name == "" {
				delete(s.names, prompt)
			} else {
				s.names[prompt] = name
			}
		}
		s.prompts.Store(&newTools)
		s.all.Store(&newAll)
	}, nil
}

func (s *server) clash(t *tool, tools *ordmap.Editor[*tool]) error {
	if s.options.Pair != nil {
		return nil
	}
	if s.own[t.name] != nil {
		return hint.New("rename the prompt", "tool %q exists already", t.name)
	}
	if other, ok := tools.Get(t.name); ok {
		return hint.New("rename one of the prompts", "prompt %q has the tool %q, too", other.prompt, t.name)
	}
	return nil
}
