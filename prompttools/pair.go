package prompttools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func (p *Pair) list() string { return cmp.Or(p.List, "list_prompts") }
func (p *Pair) get() string  { return cmp.Or(p.Get, "get_prompt") }

func text(description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: description}
}

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
	if err != nil {
		return nil, err
	}
	t.serve = (*request).getPrompt
	checked := *schema.Of(t.own.InputSchema)
	checked.Properties = map[string]*jsonschema.Schema{"name": text(""), "arguments": {}} // which Render checks
	t.input, err = argument.NewObject(&checked)
	return t, err
}

func (r *request) listPrompts(c call.Call, args strictjson.Value, wrong *prompts.Error) (call.Work, error) {
	from := strings.Clone(args.Get("cursor").Text())
	appendList := func(ctx context.Context, dst []byte, from string, visible func(string) bool) ([]byte, error) {
		after, err := cursor.After("prompts", from, r.tool)
		switch {
		case wrong != nil:
			return r.appendError(ctx, dst, wrong.Message, wrong.Data)
		case err != nil:
			return r.appendError(ctx, dst, fmt.Sprintf("invalid cursor; use nextCursor of a result of %s, or omit it to start over", r.tool), nil)
		}
		page := appendPage([]byte{'{'}, "prompts", r.server.prompts.Load(), after, r.server.inPair, visible, func(t *tool) []byte { return t.paired })
		page = append(page, '}')
		return r.appendResult(ctx, dst, &Result{Structured: json.RawMessage(page), Content: []prompts.Content{&prompts.Text{Text: string(page)}}})
	}
	_, w, err := promptfeature.List(c, nil, promptfeature.Listing{Cursor: from, AppendContext: appendList})
	return w, err
}

func (r *request) getPrompt(c call.Call, args strictjson.Value, wrong *prompts.Error) (call.Work, error) {
	name := strings.Clone(args.Get("name").Text())
	rendering := promptfeature.Rendering{
		Tool: r.tool, Append: r.append,
		Unknown: func(ctx context.Context, dst []byte, visible func(string) bool) ([]byte, error) {
			if wrong != nil {
				return r.appendError(ctx, dst, wrong.Message, wrong.Data)
			}
			suggestion := r.server.near(ctx, name, r.server.prompts.Load(), visible)
			message, data := unknown("prompt", name, suggestion)
			if suggestion == "" {
				message += fmt.Sprintf("; call %s for the names", r.server.options.Pair.list())
			}
			return r.appendError(ctx, dst, message, data)
		},
	}
	if wrong == nil {
		if t, ok := r.server.prompts.Load().Get(name); ok {
			rendering.Prompt = t.prompt
		}
		v := args.Get("arguments")
		if text := v.Text(); strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
			rendering.Arguments = json.RawMessage(text) // models send the object, or its JSON as a string
		} else if v.Kind() > strictjson.Null {
			rendering.Arguments = json.RawMessage(v.Raw())
		}
	}
	return promptfeature.Render(c, rendering)
}
