package promptfs

import (
	"cmp"
	"context"
	"path"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// skill makes a prompt of a SKILL.md: its name, its description and its body, which is no template.
func (m *made) skill(name, text string) {
	front, _, body, line, ok := split(text, &m.faults)
	if !ok {
		return
	}
	mapping, ok := readYAML(front, &m.faults)
	var known members
	d := decoder{&m.faults, new(int)}
	if mapping != nil {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			key, value := mapping.Content[i], mapping.Content[i+1]
			if key.Kind != yaml.ScalarNode || key.Value != "name" && key.Value != "description" {
				d.lostIn(key.Value, value, false)
				continue // which other readers of skills may know
			}
			if before := known.line(key.Value); before > 0 {
				d.fault(key, duplicateKey(key, before))
				continue
			}
			of := member{key.Value, d.lineOf(key), value, key.LineComment}
			known = append(known, of)
			if !d.plain(value) {
				continue
			}
			switch text := d.text(of); key.Value {
			case "name":
				m.prompt.Name = text
			case "description":
				m.prompt.Description = text
			}
		}
	}
	message, _ := trimmed(body)
	if ok && message == "" {
		m.faults.add(line-1, hint.New("write the body below the front matter", "skill has no body"))
	}
	m.line = known.line("name")
	if dir := path.Dir(name); dir != "." {
		m.prompt.Name = cmp.Or(m.prompt.Name, path.Base(dir))
	}
	if m.prompt.Name == "" {
		m.faults.add(m.line, hint.New("add name: to the front matter", "skill has no name"))
	}
	m.prompt.Render = func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(message)), nil
	}
	if ok && m.prompt.Name != "" {
		m.header = &header{members: known}
	}
}
