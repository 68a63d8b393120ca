package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlEntry is a server in a list of a YAML file.
type yamlEntry struct {
	Name    string   `yaml:"name"`
	Command string   `yaml:"command"`
	Args    []string `yaml:"args,flow"`
}

// addToYAML returns a YAML document with an entry in the list of the key keys[0]. All other
// lines stay as they are, and new lines end as the others do.
func addToYAML(document []byte, keys []string, entry yamlEntry, force bool) ([]byte, error) {
	if len(bytes.TrimSpace(document)) == 0 {
		return nil, errors.New("file is missing or empty; start the client once, or write a configuration with its models first")
	}
	if n := bytes.Count(document, []byte("\r\n")); n > 0 && n == bytes.Count(document, []byte("\n")) {
		after, err := addToYAML(bytes.ReplaceAll(document, []byte("\r\n"), []byte("\n")), keys, entry, force)
		return bytes.ReplaceAll(after, []byte("\n"), []byte("\r\n")), err
	}
	key, list, next, err := yamlMember(document, keys[0])
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(strings.Lines(string(document)))
	if last := len(lines) - 1; !strings.HasSuffix(lines[last], "\n") {
		lines[last] += "\n"
	}
	var at int
	indent := "  "
	switch {
	case key == nil:
		lines = append(lines, keys[0]+":\n")
		at = len(lines)
	case list.Kind == yaml.SequenceNode && list.Style&yaml.FlowStyle == 0:
		at = key.Line
		indent = strings.Repeat(" ", list.Column-1)
		for i, old := range list.Content {
			var has yamlEntry
			if old.Decode(&has) != nil || has.Name != entry.Name {
				continue
			}
			if reflect.DeepEqual(has, entry) {
				return document, nil
			}
			if !force {
				return nil, fmt.Errorf("server %q exists with other settings; choose another name with --name, or replace the settings with --force", entry.Name)
			}
			end := len(lines)
			if i+1 < len(list.Content) {
				end = list.Content[i+1].Line - 1
			} else if next != nil {
				end = next.Line - 1
			}
			at = old.Line - 1
			lines = slices.Delete(lines, at, end)
		}
	case list.Tag == "!!null" && list.Value == "":
		at = key.Line
	default:
		return nil, fmt.Errorf("%s must be a list with each server on lines of its own", keys[0])
	}
	var added []string
	for line := range strings.Lines(yamlOf([]yamlEntry{entry})) {
		added = append(added, indent+line)
	}
	return []byte(strings.Join(slices.Insert(lines, at, added...), "")), nil
}

// yamlMember returns a key of a YAML document, its value and the key after it, or nil.
func yamlMember(document []byte, name string) (key, value, next *yaml.Node, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal(document, &root); err != nil {
		return nil, nil, nil, fmt.Errorf("invalid YAML: %w", err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return nil, nil, nil, errors.New("document must be an object")
	}
	members := root.Content[0].Content
	for i := 0; i < len(members); i += 2 {
		if members[i].Value != name {
			continue
		}
		if i+2 < len(members) {
			next = members[i+2]
		}
		return members[i], members[i+1], next, nil
	}
	return nil, nil, nil, nil
}
