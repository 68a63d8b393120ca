package prompttools

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/toolname"
)

// This file has the keys of arguments whose names the APIs of models reject: in the schema
// of a tool, and in a call.

// keys are the keys of such arguments of a tool. Both maps are nil without any.
type keys struct {
	keys  map[string]string // by name
	names map[string]string // by key
}

// newKeys returns the keys for the schema of a tool, and puts them in the place of the
// names: in the keywords for members, and in references to them. The APIs check no members
// inside of arguments.
func newKeys(s *jsonschema.Schema) (k keys) {
	names, subs := map[string]bool{}, []*jsonschema.Schema{}
	for sub := range schema.InPlace(s) {
		subs = append(subs, sub)
		for name := range sub.Properties {
			names[name] = true
		}
	}
	if k.keys = toolname.Keys(slices.Collect(maps.Keys(names))); k.keys == nil {
		return k
	}
	k.names = make(map[string]string, len(k.keys))
	for name, key := range k.keys {
		k.names[key] = name
	}
	k.refer(s)
	for _, sub := range subs {
		sub.Required, sub.PropertyOrder = k.each(sub.Required), k.each(sub.PropertyOrder)
		sub.Properties = renamed(k, sub.Properties)
		for key, p := range sub.Properties {
			if name, ok := k.names[key]; ok { // the name says more to a model than the key
				p.Title = cmp.Or(p.Title, name)
			}
		}
		sub.DependentSchemas, sub.DependencySchemas = renamed(k, sub.DependentSchemas), renamed(k, sub.DependencySchemas)
		for _, lists := range []*map[string][]string{&sub.DependentRequired, &sub.DependencyStrings} {
			*lists = renamed(k, *lists)
			for _, list := range *lists {
				k.each(list)
			}
		}
	}
	return k
}

func needsKeys(p *prompts.Prompt) bool {
	names := make([]string, len(p.Arguments))
	for i := range p.Arguments {
		names[i] = p.Arguments[i].Name
	}
	return toolname.Keys(names) != nil
}

// explains reports whether the schema with the keys rejects the same objects, by their keys.
// Patterns and schemas of names do not have the keys, nor has what is behind a reference.
func (k keys) explains(s *jsonschema.Schema) bool {
	for sub := range schema.InPlace(s) {
		if sub.PatternProperties != nil || sub.PropertyNames != nil || sub.Ref != "" || sub.DynamicRef != "" {
			return false
		}
	}
	return k.keys != nil
}

func (k keys) of(name string) string { return cmp.Or(k.keys[name], name) }

func (k keys) each(names []string) []string {
	for i, name := range names {
		names[i] = k.of(name)
	}
	return names
}

func renamed[V any](k keys, byName map[string]V) map[string]V {
	if byName == nil {
		return nil
	}
	byKey := make(map[string]V, len(byName))
	for name, v := range byName {
		byKey[k.of(name)] = v
	}
	return byKey
}

func (k keys) refer(s *jsonschema.Schema) {
	s.Ref, s.DynamicRef = k.reference(s.Ref), k.reference(s.DynamicRef)
	for _, sub := range schema.Subschemas(s) {
		k.refer(sub)
	}
}

func (k keys) reference(ref string) string {
	u, err := url.Parse(ref)
	if err != nil || !strings.HasPrefix(u.Fragment, "/") {
		return ref
	}
	parts := strings.Split(u.Fragment, "/")
	for i := 1; i < len(parts)-1; i++ {
		switch parts[i] {
		case "not", "if", "then", "else":
			continue
		case "allOf", "anyOf", "oneOf":
		case "properties", "dependentSchemas", "dependencies":
			isMember := parts[i] == "properties"
			parts[i+1] = phrase.PointerToken(k.of(phrase.PointerName(parts[i+1])))
			if isMember {
				i = len(parts)
			}
		default:
			return ref
		}
		i++
	}
	u.Fragment = strings.Join(parts, "/")
	return u.String()
}

// named returns the arguments of a call by their names, nil without arguments, and the keys
// of those that the client has not sent by name. If the client sends an argument by key and
// by name, the key stays, which is no argument of the prompt.
func (k keys) named(arguments strictjson.Value) (json.RawMessage, map[string]string) {
	switch {
	case arguments.Kind() <= strictjson.Null:
		return nil, k.keys
	case k.keys == nil || arguments.Kind() != strictjson.Object:
		return json.RawMessage(arguments.Raw()), k.keys
	}
	return appendRenamed(nil, arguments, k.nameIn(arguments)), k.unsent(arguments)
}

func (k keys) nameIn(arguments strictjson.Value) func(sent string) string {
	return func(sent string) string {
		if name, ok := k.names[sent]; ok && arguments.Get(name).Kind() == strictjson.Invalid {
			return name
		}
		return sent
	}
}

func (k keys) unsent(arguments strictjson.Value) map[string]string {
	unsent := maps.Clone(k.keys)
	for name := range arguments.Members() {
		delete(unsent, name)
	}
	return unsent
}

func appendRenamed(dst []byte, object strictjson.Value, rename func(string) string) []byte {
	dst = append(dst, '{')
	begin := len(dst)
	for name, v := range object.Members() {
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		dst = append(strictjson.AppendString(dst, rename(name)), ':')
		dst = append(dst, v.Raw()...)
	}
	return append(dst, '}')
}
