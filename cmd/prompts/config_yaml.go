package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

var blankLine = regexp.MustCompile(`^\s*(?:#.*)?\s*$`)

// editYAML is [editJSON] for the list of servers at keys[0] of a YAML document. All other lines stay.
func editYAML(document []byte, keys []string, added *entry, force bool) ([]byte, error) {
	return asUnix(document, func(text []byte) ([]byte, error) {
		switch {
		case len(bytes.TrimSpace(text)) > 0:
		case added == nil:
			return text, nil
		default:
			return nil, errors.New("file is missing or empty; start the client once, or write a configuration with its models first")
		}
		key, list, next, err := yamlMember(text, keys[0])
		if err != nil || key == nil && added == nil {
			return text, err
		}
		lines := slices.Collect(strings.Lines(string(text)))
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
				var has entry
				if old.Decode(&has) != nil || has.Name != keys[1] {
					continue
				}
				if added != nil && reflect.DeepEqual(has, *added) {
					return text, nil
				}
				if added != nil && !force {
					return nil, errOtherServer(keys[1])
				}
				end := len(lines)
				if i+1 < len(list.Content) {
					end = list.Content[i+1].Line - 1
				} else if next != nil {
					end = next.Line - 1
				}
				for end > old.Line && blankLine.MatchString(lines[end-1]) { // of the next one
					end--
				}
				at = old.Line - 1
				lines = slices.Delete(lines, at, end)
				break
			}
		case list.Tag == "!!null" && list.Value == "":
			at = key.Line
		default:
			return nil, fmt.Errorf("%s must be a list with each server on lines of its own", keys[0])
		}
		if added != nil {
			var entries []string
			for line := range strings.Lines(yamlOf([]entry{*added})) {
				entries = append(entries, indent+line)
			}
			lines = slices.Insert(lines, at, entries...)
		}
		return []byte(strings.Join(lines, "")), nil
	})
}

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
