package prompttools

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/clone"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/toolname"
)

// This file compiles tools: their names, and their entries in tools/list as JSON for
// each protocol version.

// legalName matches the names that the specification allows, from 2025-11-25. Older
// versions have no rule.
var legalName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

func checkName(name string) error {
	if !legalName.MatchString(name) {
		return fmt.Errorf("tool name %q (%d bytes) is invalid: must have 1 to %d of the characters A-Z a-z 0-9 . - _", phrase.Clip(name, toolname.MaxName), len(name), toolname.MaxName)
	}
	return nil
}

// ToolName returns the name of the tool for a prompt. It keeps A-Z, a-z, 0-9, "_" and
// "-", the characters that all clients accept. Any other character becomes "_x", its
// Unicode number in hexadecimal and "_": the tool of "code review" is
// code_x20_review. A "_" that begins such an escape already becomes "_x5f_". A name of more
// than 128 bytes is cut, and ends with "_x", 16 digits of a hash of the prompt's name, and
// "_". So no two prompts have tools with the same name, and all replicas have the same names.
func ToolName(prompt string) string { return toolname.Escape(prompt, toolname.MaxName) }

// tool is a compiled tool. It is immutable.
type tool struct {
	name   string
	prompt string           // its name; empty for a tool that is no prompt
	own    *Tool            // nil for a prompt
	input  *argument.Object // of own
	keyed  *argument.Object // input by keys, whose problems name these; nil for input itself
	output *argument.Object // of own; nil without an OutputSchema
	keys   keys
	serve  serveFunc // of the tools of a pair, which have no Call
	listed map[revision.Revision][]byte
	paired []byte // the entry in the result of list_prompts
}

// serveFunc returns the work of a tool of a pair. wrong is the error for the model if the
// arguments are invalid, else nil.
type serveFunc func(r *request, c call.Call, args strictjson.Value, wrong *prompts.Error) (call.Work, error)

type entry struct {
	Name         string           `json:"name"`
	Title        string           `json:"title,omitempty"`
	Description  string           `json:"description,omitempty"`
	InputSchema  json.RawMessage  `json:"inputSchema"`
	OutputSchema json.RawMessage  `json:"outputSchema,omitempty"`
	Annotations  *ToolAnnotations `json:"annotations,omitempty"`
	Icons        []icon           `json:"icons,omitempty"`
	Meta         prompts.Meta     `json:"_meta,omitempty"`
}

type icon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
	Theme    string   `json:"theme,omitempty"`
}

// versionKey is the member of a prompt's _meta with its version, as in prompts/list.
const versionKey = "io.github.mcp-prompts/version"

func (s *server) promptTool(p *prompts.Prompt) (*tool, error) {
	t := &tool{name: p.Name, prompt: p.Name}
	if s.options.Pair == nil {
		t.name = s.options.ToolName(p.Name)
		if err := checkName(t.name); err != nil {
			return nil, hint.New("rename the prompt", "%w", err)
		}
	}
	input, err := p.InputSchema()
	if err != nil {
		return nil, err
	}
	if s.options.Pair == nil && needsKeys(p) { // with a pair, the schema is no part of a tool
		keyed := schema.Of(input)
		t.keys = newKeys(keyed)
		if input, err = jsonenc.Marshal(keyed); err != nil {
			return nil, err
		}
	}
	e := entry{Name: t.name, Title: p.Title, Description: p.Description, Icons: icons(p.Icons), Meta: p.Meta}
	if p.Version != "" {
		e.Meta = prompts.Meta{versionKey: p.Version}
		for k, v := range p.Meta {
			e.Meta[k] = v
		}
	}
	if s.options.Annotations != nil {
		e.Annotations = s.options.Annotations(*p)
	}
	e.InputSchema = input
	if s.options.Pair != nil {
		t.paired, err = entry{Name: e.Name, Title: e.Title, Description: e.Description, InputSchema: e.InputSchema}.text(aroundPaired)
	} else {
		t.listed, err = e.encode()
	}
	return t, err
}

func ownTool(o *Tool) (*tool, error) {
	fail := func(err error) (*tool, error) { return nil, fmt.Errorf("tool %q: %w", o.Name, err) }
	if err := checkName(o.Name); err != nil {
		return nil, err
	}
	e := entry{Name: o.Name, Title: o.Title, Description: o.Description, Annotations: o.Annotations, Icons: icons(o.Icons), Meta: o.Meta}
	t := &tool{name: o.Name, own: o}
	input, err := schema.Parse(o.InputSchema)
	if err != nil {
		return fail(fmt.Errorf("InputSchema: %w", err))
	}
	if input == nil {
		input = &jsonschema.Schema{Type: "object"}
	}
	if t.input, err = argument.NewObject(input); err == nil {
		listed := clone.Deep(input)
		t.keys = newKeys(listed)
		if t.keys.explains(listed) {
			if t.keyed, err = argument.NewObject(listed); err != nil {
				return fail(fmt.Errorf("InputSchema with the keys: %w", err))
			}
		}
		e.InputSchema, err = jsonenc.Marshal(listed)
	}
	if err != nil {
		return fail(fmt.Errorf("InputSchema: %w", err))
	}
	if o.OutputSchema != nil {
		output, err := schema.Parse(o.OutputSchema)
		if err == nil {
			t.output, err = argument.NewObject(output)
		}
		if err == nil {
			e.OutputSchema, err = jsonenc.Marshal(output)
		}
		if err != nil {
			return fail(fmt.Errorf("OutputSchema: %w", err))
		}
	}
	if t.listed, err = e.encode(); err != nil {
		return fail(err)
	}
	return t, nil
}

// How many levels of a response are around an entry of tools/list, and of list_prompts.
const aroundListed, aroundPaired = 3, 4

// text returns the JSON of the entry, or an error if a strict reader rejects a response with
// the entry: one entry would break the list of all.
func (e entry) text(around int) ([]byte, error) {
	text, err := jsonenc.Marshal(e)
	if err == nil {
		var doc strictjson.Doc
		err = doc.Parse(string(text), jsonenc.MaxDepth-around)
	}
	if err != nil {
		return nil, fmt.Errorf("entry in the list of tools: %w", err)
	}
	return text, nil
}

func (e entry) encode() (map[revision.Revision][]byte, error) {
	listed := map[revision.Revision][]byte{}
	var last []byte
	for _, rev := range revision.All() { // the newest, which has every member, comes first
		if !rev.Icons() {
			e.Icons = nil
		}
		if !rev.Titles() {
			e.Title, e.Meta = "", nil
		}
		if !rev.StructuredContent() {
			e.OutputSchema = nil
		}
		if !rev.ToolAnnotations() {
			e.Annotations = nil
		}
		text, err := e.text(aroundListed)
		if err != nil {
			return nil, err
		}
		if string(text) != string(last) {
			last = text
		}
		listed[rev] = last
	}
	return listed, nil
}

func icons(icons []prompts.Icon) []icon {
	var all []icon
	for _, i := range icons {
		all = append(all, icon(i))
	}
	return all
}
