package prompts

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// checkReferences refuses a schema that, to judge a value, must first judge
// the same value by the same schema: jsonschema-go would follow that until the
// stack overflows, which no recover catches. A reference back from inside a
// property or an element is fine, because values end.
//
// What a reference means is established here without jsonschema-go, so only
// the forms that are read alike by both are let through.
func checkReferences(root *jsonschema.Schema) error {
	if !hasReference(root) {
		return nil // then it is a tree
	}
	r := references{targets: map[string]*jsonschema.Schema{}, entered: map[*jsonschema.Schema]bool{}}
	if err := r.note(root, ""); err != nil {
		return err
	}
	for _, s := range r.schemas {
		if err := r.follow(s); err != nil {
			return err
		}
	}
	return nil
}

type references struct {
	schemas []*jsonschema.Schema
	targets map[string]*jsonschema.Schema // by JSON pointer and by anchor
	entered map[*jsonschema.Schema]bool   // true while follow is inside of it, then false
}

// note collects the schemas from s on, which is at the JSON pointer.
func (r *references) note(s *jsonschema.Schema, pointer string) error {
	if s.ID != "" && pointer != "" {
		return errors.New("a part of it has an $id, which changes what its references mean; remove the $id")
	}
	r.schemas = append(r.schemas, s)
	names := []string{pointer}
	for _, anchor := range []string{s.Anchor, s.DynamicAnchor} {
		if anchor != "" {
			names = append(names, anchor)
		}
	}
	for _, name := range names {
		if r.targets[name] != nil && r.targets[name] != s {
			return fmt.Errorf("two of its parts are called %q", clip(name, 64))
		}
		r.targets[name] = s
	}
	for at, sub := range subschemas(s) {
		if err := r.note(sub, pointer+at); err != nil {
			return err
		}
	}
	return nil
}

// follow goes through all schemas that judge the same value as s.
func (r *references) follow(s *jsonschema.Schema) error {
	inside, seen := r.entered[s]
	if inside {
		return errors.New("it refers back to itself for the same value, so judging a value would never end; only a property or an element may refer back")
	}
	if seen {
		return nil
	}
	r.entered[s] = true
	defer func() { r.entered[s] = false }()
	for _, ref := range []string{s.Ref, s.DynamicRef} {
		if ref == "" {
			continue
		}
		target, err := r.target(ref)
		if err != nil {
			return err
		}
		if err := r.follow(target); err != nil {
			return err
		}
	}
	for at, sub := range subschemas(s) {
		if !judgesSameValue(at) {
			continue
		}
		if err := r.follow(sub); err != nil {
			return err
		}
	}
	return nil
}

// target returns what a reference refers to. Without an $id inside the schema
// a dynamic one refers to the same as any other.
func (r *references) target(ref string) (*jsonschema.Schema, error) {
	u, err := url.Parse(ref)
	if err == nil && strings.HasPrefix(ref, "#") && r.targets[u.Fragment] != nil {
		return r.targets[u.Fragment], nil
	}
	return nil, fmt.Errorf("the reference %q cannot be followed; use one such as #/$defs/name", clip(ref, 64))
}

// judgesSameValue reports whether the subschema at this place in a schema
// judges the value that the schema judges, and not a part of it.
func judgesSameValue(at string) bool {
	keyword, _, _ := strings.Cut(at[1:], "/")
	switch keyword {
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
		return true
	}
	return false
}
