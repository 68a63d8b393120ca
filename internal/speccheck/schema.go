package speccheck

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is the schema.json of one revision. Any number of goroutines may use
// it.
type schema struct {
	revision    string
	root        *jsonschema.Schema
	definitions map[string]*jsonschema.Schema
	reference   string            // what a $ref to a definition begins with
	methods     map[string]string // definition of a request or notification, by method
	errors      map[int]string    // definition of an error response, by code

	mu       sync.Mutex // protects the field below
	resolved map[string]*jsonschema.Resolved
}

// load reads the file of a revision.
func load(fsys fs.FS, revision string) (*schema, error) {
	text, err := fs.ReadFile(fsys, revision+".json")
	if err != nil {
		return nil, err
	}
	s := &schema{
		revision:  revision,
		root:      new(jsonschema.Schema),
		reference: "#/$defs/",
		methods:   map[string]string{},
		errors:    map[int]string{},
		resolved:  map[string]*jsonschema.Resolved{},
	}
	if err := json.Unmarshal(text, s.root); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", revision, err)
	}
	s.definitions = s.root.Defs
	if s.definitions == nil { // before 2025-11-25
		s.definitions, s.reference = s.root.Definitions, "#/definitions/"
	}
	for name, d := range s.definitions {
		s.index(name, d)
	}
	return s, nil
}

// index notes which method or error code a definition is for.
func (s *schema) index(name string, d *jsonschema.Schema) {
	if strings.HasPrefix(name, "Client") || strings.HasPrefix(name, "Server") {
		return // the union of all that one side may send
	}
	if method, ok := constant[string](d.Properties["method"]); ok {
		s.methods[method] = name
	}
	if e := d.Properties["error"]; e != nil {
		for _, part := range e.AllOf {
			if code, ok := constant[float64](part.Properties["code"]); ok {
				s.errors[int(code)] = name
			}
		}
	}
}

// constant returns the only value that a schema allows.
func constant[T any](s *jsonschema.Schema) (T, bool) {
	if s == nil || s.Const == nil {
		var none T
		return none, false
	}
	v, ok := (*s.Const).(T)
	return v, ok
}

func (s *schema) has(definition string) bool { return s.definitions[definition] != nil }

// either returns the one of two names that the revision knows.
func (s *schema) either(a, b string) string {
	if s.has(a) {
		return a
	}
	return b
}

// check judges a value, as encoding/json decodes it, by a definition.
func (s *schema) check(definition string, v any) error {
	r, err := s.resolve(definition)
	if err != nil {
		return err
	}
	if err := r.Validate(v); err != nil {
		return fmt.Errorf("%s %s: %w", s.revision, definition, err)
	}
	return nil
}

func (s *schema) resolve(definition string) (*jsonschema.Resolved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.resolved[definition]; r != nil {
		return r, nil
	}
	if !s.has(definition) {
		return nil, fmt.Errorf("%s has no %s", s.revision, definition)
	}
	top := *s.root // the same definitions, and a reference to one of them
	top.Ref = s.reference + definition
	r, err := top.CloneSchemas().Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", s.revision, definition, err)
	}
	s.resolved[definition] = r
	return r, nil
}
