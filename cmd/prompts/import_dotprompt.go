package main

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

var (
	dotpromptAction = regexp.MustCompile(`(?s)\{\{!--.*?--\}\}|\{\{\{?(~?)\s*(.*?)\s*(~?)\}?\}\}`)
	dotpromptRole   = regexp.MustCompile(`^role\s+["'](\w+)["']$`)
	dotpromptBlock  = regexp.MustCompile(`^#(if|unless|each)\s+([A-Za-z_]\w*)$`)
	dotpromptCall   = regexp.MustCompile(`^>\s*([\w-]+)$`)
	dotpromptJSON   = regexp.MustCompile(`^json\s+([A-Za-z_]\w*)$`)
	picoschemaKey   = regexp.MustCompile(`^([A-Za-z_]\w*)(\?)?(?:\((\w+)(?:,\s*(.*))?\))?$`)
)

// picoschemaTypes are the types of arguments by those of Picoschema.
var picoschemaTypes = map[string]string{"string": "", "any": "", "integer": "integer", "number": "number", "boolean": "boolean"}

// dotpromptTarget returns the path of the prompt, or of the partial, for a file.
func dotpromptTarget(name string) (string, bool) {
	target, ok := extension(".prompt")(name)
	if dir, base := path.Split(target); strings.HasPrefix(base, "_") {
		target = path.Join("_partials", dir, base[1:])
	}
	return target, ok
}

// dotprompt converts a file of Dotprompt: variables, conditions, loops, roles, partials and
// a Picoschema. A file with anything else in braces is refused.
func (c *conversion) dotprompt() {
	if !c.split() {
		return
	}
	if strings.ContainsRune(c.body, 0) {
		c.refuse(0, "file has a NUL character; save the file as text")
		return
	}
	c.prompt.Description = cmp.Or(c.front["description"], firstSentence(dotpromptAction.ReplaceAllString(c.body, "")))
	c.leaveOut("description", "input", "schema", "default")
	if c.isPartial = strings.HasPrefix(c.path, "_partials/"); !c.isPartial {
		c.picoschema()
	}
	c.handlebars(c.body, c.refuse, 0)
}

// picoschema reads the arguments from the front matter of the source.
func (c *conversion) picoschema() {
	var front struct {
		Input struct {
			Schema  yaml.Node
			Default map[string]yaml.Node
		}
	}
	if err := yaml.Unmarshal([]byte(c.frontText), &front); err != nil {
		c.refuse(1, "front matter is not valid YAML: %v", err)
		return
	}
	for n := 0; n+1 < len(front.Input.Schema.Content); n += 2 {
		key, value := front.Input.Schema.Content[n], front.Input.Schema.Content[n+1]
		line := key.Line + 1
		m := picoschemaKey.FindStringSubmatch(key.Value)
		if m == nil || key.Value == "properties" {
			c.refuse(line, "%s is not a property of a Picoschema; write name: type, description", key.Value)
			continue
		}
		kind, description, _ := strings.Cut(value.Value, ",")
		kind, isKnown := picoschemaTypes[strings.TrimSpace(kind)]
		a := fileArgument{Name: m[1], Required: m[2] == "", Description: cmp.Or(m[4], strings.TrimSpace(description), "the value of "+m[1])}
		switch {
		case m[3] == "array" && isKnown:
			a.Type = "array"
		case m[3] == "enum":
			if err := value.Decode(&a.Enum); err != nil {
				c.refuse(line, "values of %s must be a list of strings", m[1])
			}
		case m[3] == "" && value.Kind == yaml.ScalarNode && isKnown:
			a.Type = kind
		default:
			c.refuse(line, "argument %q has a structure; arguments of prompts are text, numbers, booleans and lists of them", m[1])
		}
		if d, ok := front.Input.Default[m[1]]; ok {
			a.Default, a.Required = &d, false
		}
		c.prompt.argument(a)
	}
}

// handlebars converts a template. refuse reports what has no equivalent.
func (c *conversion) handlebars(body string, refuse func(line int, format string, args ...any), depth int) {
	var open []string
	last, nLoops := 0, 0
	for _, at := range dotpromptAction.FindAllStringSubmatchIndex(body, -1) {
		text := "!"
		if at[2] >= 0 {
			text = body[at[4]:at[5]]
		}
		all := span{at[0], at[1]}
		if text == "else" || text != "" && strings.ContainsRune("#/!", rune(text[0])) {
			all = wholeLine(body, all)
		}
		c.prompt.literal(body[last:max(last, all.from)])
		last = all.to
		if at[2] < 0 { // a comment
			continue
		}
		before, after := "", ""
		if at[2] < at[3] {
			before = "- "
		}
		if at[6] < at[7] {
			after = " -"
		}
		isLoop := nLoops > 0
		of := func(name string) string { // within a loop, the dot is the element
			c.prompt.argument(fileArgument{Name: name, Description: "the value of " + name})
			if isLoop {
				return "$." + name
			}
			return "." + name
		}
		block, role, call, json := dotpromptBlock.FindStringSubmatch(text), dotpromptRole.FindStringSubmatch(text), dotpromptCall.FindStringSubmatch(text), dotpromptJSON.FindStringSubmatch(text)
		switch {
		case strings.HasPrefix(text, "!"):
		case block != nil:
			words := map[string]string{"if": "if ", "unless": "if not ", "each": "range "}
			name := of(block[2])
			if block[1] == "each" {
				c.prompt.Arguments[c.prompt.at[block[2]]].Type = "array"
				nLoops++
			}
			open = append(open, block[1])
			c.prompt.action(before+words[block[1]], name, after)
		case text == "else" && len(open) > 0:
			c.prompt.action(before, "else", after)
		case len(open) > 0 && text == "/"+open[len(open)-1]:
			if open[len(open)-1] == "each" {
				nLoops--
			}
			open = open[:len(open)-1]
			c.prompt.action(before, "end", after)
		case role != nil && len(open) == 0 && !c.isPartial && (role[1] == "user" || role[1] == "model" || role[1] == "system"):
			name := "user"
			if role[1] == "model" {
				name = "assistant"
			} else if role[1] == "system" {
				c.note(c.lineOf(body, at[0]), "role system is the role user; MCP prompts have no system role")
			}
			c.prompt.message(name)
		case call != nil:
			c.prompt.action(before+"template ", `"`+call[1]+`" .`, after)
			c.partial(call[1], c.lineOf(body, at[0]), depth)
		case json != nil:
			c.prompt.action(before+"json ", of(json[1]), after)
		case text == "this" && isLoop:
			c.prompt.action(before, ".", after)
		case identifier.MatchString(text) && !slices.Contains([]string{"history", "this", "else"}, text):
			c.prompt.action(before, of(text), after)
		default:
			refuse(c.lineOf(body, at[0]), "%s has no equivalent in prompt files", firstLine(body[at[0]:at[1]]))
		}
	}
	c.prompt.literal(body[last:])
	if len(open) > 0 {
		refuse(0, "{{#%s}} is not closed", open[len(open)-1])
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' }

// wholeLine returns the line of a span with its end if nothing else is in the line, as in
// Handlebars, and otherwise the span.
func wholeLine(text string, s span) span {
	from, to := s.from, s.to
	for from > 0 && isSpace(text[from-1]) {
		from--
	}
	for to < len(text) && isSpace(text[to]) {
		to++
	}
	if from > 0 && text[from-1] != '\n' || to < len(text) && text[to] != '\n' {
		return s
	}
	if to < len(text) {
		to++
	}
	return span{from, to}
}

// maxPartialDepth is how deep partials may call one another.
const maxPartialDepth = 16

// partial adds the arguments of a partial, and the partial itself to what finish reads.
func (c *conversion) partial(name string, line, depth int) {
	dir := path.Dir(c.source)
	source := path.Join(dir, "_"+name+".prompt")
	if _, err := fs.Lstat(c.root, source); err != nil || depth > maxPartialDepth {
		c.refuse(line, "partial %q is missing in the folder of the file", name)
		return
	}
	if dir != "." {
		c.refuse(line, "partial %q is not at the top of the folder; import that folder", name)
		return
	}
	text, ok := c.read(source)
	if !ok || c.partials[name] != "" {
		return
	}
	p := &conversion{source: source, root: c.root, body: text, bodyLine: 1, isPartial: true, partials: c.partials}
	if !p.split() {
		return
	}
	c.partials[name] = " " // it may call itself
	p.handlebars(p.body, func(int, string, ...any) {}, depth+1)
	c.partials[name] = string(p.prompt.partial())
	for _, a := range p.prompt.Arguments {
		c.prompt.argument(a)
	}
}
