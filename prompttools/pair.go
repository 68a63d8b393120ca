package prompttools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file has the two tools of Options.Pair.

func (p *Pair) list() string { return cmp.Or(p.List, "list_prompts") }
func (p *Pair) get() string  { return cmp.Or(p.Get, "get_prompt") }

func text(description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: description}
}

// listTool returns the tool that lists prompts.
func (s *server) listTool() (*tool, error) {
	t, err := ownTool(&Tool{
		Name:        s.options.Pair.list(),
		Description: fmt.Sprintf("Lists prompts: reusable instructions by name, with the JSON schemas of their arguments. Get one with %s.", s.options.Pair.get()),
		InputSchema: &jsonschema.Schema{
			Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{"cursor": text("nextCursor of the page before; left out for the first page")},
		},
		OutputSchema: &jsonschema.Schema{
			Type: "object", Required: []string{"prompts"},
			Properties: map[string]*jsonschema.Schema{
				"prompts": {Type: "array", Items: &jsonschema.Schema{
					Type: "object", Required: []string{"name", "inputSchema"},
					Properties: map[string]*jsonschema.Schema{
						"name": text(""), "title": text(""), "description": text(""),
						"inputSchema": {Type: "object", Description: "the JSON schema of the arguments"},
					},
					PropertyOrder: []string{"name", "title", "description", "inputSchema"},
				}},
				"nextCursor": text("the cursor of the next page, if there is one"),
			},
			PropertyOrder: []string{"prompts", "nextCursor"},
		},
	})
	if err == nil {
		t.serve = (*request).listPrompts
	}
	return t, err
}

// getTool returns the tool that gets a prompt.
func (s *server) getTool() (*tool, error) {
	t, err := ownTool(&Tool{
		Name:        s.options.Pair.get(),
		Description: fmt.Sprintf("Gets a prompt that %s lists: its messages, with the arguments filled in.", s.options.Pair.list()),
		InputSchema: &jsonschema.Schema{
			Type: "object", Required: []string{"name"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{
				"name":      text("the name of the prompt"),
				"arguments": {Type: "object", Description: "the arguments, by the inputSchema of the prompt"},
			},
			PropertyOrder: []string{"name", "arguments"},
		},
	})
	if err == nil {
		t.serve = (*request).getPrompt
	}
	return t, err
}

// members reads the arguments of one of the two tools. If they are invalid, wrong is
// an error message for the model.
func members(doc *strictjson.Doc, arguments json.RawMessage, known ...string) (args strictjson.Value, wrong string) {
	if args = read(doc, arguments); arguments != nil && args.Kind() != strictjson.Object {
		return args, "arguments must be a JSON object"
	}
	for name := range args.Members() {
		if !slices.Contains(known, name) {
			return args, fmt.Sprintf("%q is not an argument of this tool; its arguments are %q", name, known)
		}
	}
	return args, ""
}

// listPrompts is the work of list_prompts.
func (r *request) listPrompts(c feature.Call, arguments json.RawMessage) (feature.Work, error) {
	var doc strictjson.Doc
	args, wrong := members(&doc, arguments, "cursor")
	from := args.Get("cursor")
	if from.Kind() > strictjson.Null && from.Kind() != strictjson.String {
		wrong = "cursor must be a string, the nextCursor of the page before"
	}
	appendList := func(ctx context.Context, dst []byte, from string, visible func(string) bool) ([]byte, error) {
		after, err := parseCursor("prompts", from)
		if wrong == "" && err != nil {
			wrong = "cursor must be the nextCursor of the page before, or left out"
		}
		if wrong != "" {
			return r.appendError(ctx, dst, wrong, nil)
		}
		page := appendPage([]byte{'{'}, "prompts", r.server.prompts.Load(), after, r.server.options.PageSize, visible, func(t *tool) []byte { return t.paired })
		page = append(page, '}')
		return r.appendResult(ctx, dst, &Result{Structured: json.RawMessage(page), Content: []prompts.Content{prompts.Text{Text: string(page)}}})
	}
	_, w, err := prompts.List(c, nil, prompts.Listing{Cursor: from.Text(), Append: appendList, NeedsContext: true})
	return w, err
}

// getPrompt is the work of get_prompt.
func (r *request) getPrompt(c feature.Call, arguments json.RawMessage) (feature.Work, error) {
	var doc strictjson.Doc
	args, wrong := members(&doc, arguments, "name", "arguments")
	name := args.Get("name")
	if wrong == "" && name.Kind() != strictjson.String {
		wrong = fmt.Sprintf("name is required and must be a string; call %s for the names", r.server.options.Pair.list())
	}
	rendering := prompts.Rendering{
		Append: r.append,
		Unknown: func(ctx context.Context, dst []byte, visible func(string) bool) ([]byte, error) {
			if wrong != "" {
				return r.appendError(ctx, dst, wrong, nil)
			}
			suggestion := near(ctx, name.Text(), r.server.prompts.Load(), visible)
			message, data := unknown("prompt", name.Text(), suggestion)
			if suggestion == "" {
				message += fmt.Sprintf("; call %s for the names", r.server.options.Pair.list())
			}
			return r.appendError(ctx, dst, message, data)
		},
	}
	if wrong == "" {
		if t, ok := r.server.prompts.Load().Get(name.Text()); ok {
			rendering.Prompt = t.prompt
		}
		if v := args.Get("arguments"); v.Kind() > strictjson.Null {
			rendering.Arguments = json.RawMessage(v.Raw())
		}
	}
	return prompts.Render(c, rendering)
}
