package schema

import (
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// resolveReferences resolves the references of a schema, without jsonschema-go. So it
// returns an error for forms that could mean something else to jsonschema-go.
// It also returns an error for a schema that refers to itself for the same value.
// jsonschema-go 0.4.3 would follow the references until the stack overflows, which no
// recover catches. A property or an element may refer back, because values are finite.
func resolveReferences(root *jsonschema.Schema) (*references, error) {
	if !HasReference(root) { // it is a tree
		return noReferences, nil
	}
	r := &references{targets: map[string]*jsonschema.Schema{}, entered: map[*jsonschema.Schema]bool{}}
	if err := r.collect(root, ""); err != nil {
		return nil, err
	}
	for _, s := range r.schemas {
		if err := r.follow(s); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// References are the references of a checked schema.
// The references stay valid as long as the schema is not changed.
type References struct{ found *references }

func NewReferences(s *jsonschema.Schema) (*References, error) {
	r, err := resolveReferences(s)
	return &References{r}, err
}

// Len returns how many schemas references can lead to; 0 for a schema without references.
func (r *References) Len() int { return len(r.found.schemas) }

func (r *References) Target(ref string) (*jsonschema.Schema, error) { return r.found.target(ref) }

// InPlace yields s and the schemas that apply to the same value as s, each with its
// application. A schema that applies in two ways is yielded for each.
func (r *References) InPlace(s *jsonschema.Schema) iter.Seq2[*jsonschema.Schema, Application] {
	return func(yield func(*jsonschema.Schema, Application) bool) {
		type applied struct {
			*jsonschema.Schema
			Application
		}
		seen := map[applied]bool{}
		var visit func(s *jsonschema.Schema, a Application) bool
		visit = func(s *jsonschema.Schema, a Application) bool {
			if seen[applied{s, a}] {
				return true
			}
			seen[applied{s, a}] = true
			if !yield(s, a) {
				return false
			}
			for at, sub := range r.found.inPlace(s) {
				keyword, _, _ := strings.Cut(at[1:], "/")
				if !visit(sub, max(a, applications[keyword])) {
					return false
				}
			}
			return true
		}
		visit(s, Always)
	}
}

// InPlace is that of References, for a schema whose references are not followed.
func InPlace(s *jsonschema.Schema) iter.Seq2[*jsonschema.Schema, Application] {
	return (&References{noReferences}).InPlace(s)
}

// Application says to which values a schema applies, of those that the schema around it applies to.
type Application int

const (
	Always    Application = iota
	Sometimes             // an alternative, a condition or a dependency
	Never                 // what not excludes
)

// applications are the keywords that do not always apply.
var applications = map[string]Application{
	"anyOf": Sometimes, "oneOf": Sometimes, "if": Sometimes, "then": Sometimes, "else": Sometimes,
	"dependentSchemas": Sometimes, "dependencies": Sometimes, "not": Never,
}

// references are the schemas that references can lead to. For a schema without a
// reference it is empty.
type references struct {
	schemas []*jsonschema.Schema          // the root first
	targets map[string]*jsonschema.Schema // by JSON pointer and by anchor
	entered map[*jsonschema.Schema]bool   // true until follow leaves it, then false
}

var noReferences = new(references)

// Names are JSON pointers and anchors, both without the #. An $id inside would
// start another resource with pointers of its own.
func (r *references) collect(s *jsonschema.Schema, pointer string) error {
	if s.ID != "" && pointer != "" {
		return errors.New("$id is not supported inside of an argument schema; remove the $id")
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
			return fmt.Errorf("two subschemas have the name %s", phrase.Quote(name))
		}
		r.targets[name] = s
	}
	for at, sub := range Subschemas(s) {
		if err := r.collect(sub, pointer+at); err != nil {
			return err
		}
	}
	return nil
}

// The depth-first search finds a loop when it enters a schema that it has not left yet.
func (r *references) follow(s *jsonschema.Schema) error {
	inside, seen := r.entered[s]
	if inside {
		return errors.New("schema reference loop: validation would never end; only a property or an element may refer back")
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
		if _, err := r.target(ref); err != nil {
			return err
		}
	}
	for _, sub := range r.inPlace(s) {
		if err := r.follow(sub); err != nil {
			return err
		}
	}
	return nil
}

// inPlace yields the schemas that apply to every value that s applies to, each with its JSON
// pointer from s. The references must be valid. A $dynamicRef counts as a $ref, see target.
func (r *references) inPlace(s *jsonschema.Schema) iter.Seq2[string, *jsonschema.Schema] {
	return func(yield func(string, *jsonschema.Schema) bool) {
		for _, ref := range []string{s.Ref, s.DynamicRef} {
			if target, err := r.target(ref); ref != "" && err == nil && !yield("/$ref", target) {
				return
			}
		}
		for at, sub := range Subschemas(s) {
			if isInPlace(at) && !yield(at, sub) {
				return
			}
		}
	}
}

// target returns the schema that a reference refers to. Without an $id inside, a
// dynamic reference is like any other.
func (r *references) target(ref string) (*jsonschema.Schema, error) {
	u, err := url.Parse(ref)
	if err == nil && strings.HasPrefix(ref, "#") && r.targets[u.Fragment] != nil {
		return r.targets[u.Fragment], nil
	}
	return nil, fmt.Errorf("unsupported $ref %s; use a reference such as #/$defs/name", phrase.Quote(ref))
}

// isInPlace reports whether the subschema at the JSON pointer applies to the same
// value as its schema, not to a part of the value.
func isInPlace(at string) bool {
	keyword, _, _ := strings.Cut(at[1:], "/")
	switch keyword {
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
		return true
	}
	return false
}
