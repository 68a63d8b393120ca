package speccheck

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is the schema.json of one revision. Any number of goroutines may use
// it.
type schema struct {
	revision    string
	draft       string
	definitions map[string]json.RawMessage
	reference   string                   // what a $ref to a definition begins with
	methods     map[string]string        // definition of a request or notification, by method
	sends       map[side]map[string]bool // methods of what each side may send
	errors      map[int]string           // definition of an error response, by code

	mu       sync.Mutex // protects the field below
	resolved map[form]*jsonschema.Resolved
}

// form is a definition, in one of two ways to judge by it.
type form struct {
	definition string
	// closed is a definition that refuses the members that it does not know.
	// The specification's are open; what is closed is what this server says
	// in each revision, which has only what that revision knows (GAP-37).
	closed bool
}

// load reads the file of a revision.
func load(fsys fs.FS, revision string) (*schema, error) {
	text, err := fs.ReadFile(fsys, revision+".json")
	if err != nil {
		return nil, err
	}
	var file struct {
		Schema      string                     `json:"$schema"`
		Defs        map[string]json.RawMessage `json:"$defs"`
		Definitions map[string]json.RawMessage `json:"definitions"` // before 2025-11-25
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", revision, err)
	}
	s := &schema{
		revision:    revision,
		draft:       file.Schema,
		definitions: file.Defs,
		reference:   "#/$defs/",
		methods:     map[string]string{},
		sends:       map[side]map[string]bool{client: {}, server: {}},
		errors:      map[int]string{},
		resolved:    map[form]*jsonschema.Resolved{},
	}
	if s.definitions == nil {
		s.definitions, s.reference = file.Definitions, "#/definitions/"
	}
	if s.definitions == nil {
		return nil, fmt.Errorf("schema of %s: it defines nothing", revision)
	}
	if err := s.index(); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", revision, err)
	}
	return s, nil
}

// outline is what the index wants to know of a definition.
type outline struct {
	AnyOf []struct {
		Ref string `json:"$ref"`
	} `json:"anyOf"`
	Properties struct {
		Method struct {
			Const string `json:"const"`
		} `json:"method"`
		Error struct {
			AllOf []struct {
				Properties struct {
					Code struct {
						Const int `json:"const"`
					} `json:"code"`
				} `json:"properties"`
			} `json:"allOf"`
		} `json:"error"`
	} `json:"properties"`
}

// index notes which method or error code a definition is for, and who sends
// what.
func (s *schema) index() error {
	outlines := map[string]outline{}
	for name, text := range s.definitions {
		var o outline
		if err := json.Unmarshal(text, &o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		outlines[name] = o
	}
	for name, o := range outlines {
		var sends map[string]bool
		switch name {
		case "ClientRequest", "ClientNotification":
			sends = s.sends[client]
		case "ServerRequest", "ServerNotification":
			sends = s.sends[server]
		}
		method := o.Properties.Method.Const
		switch {
		case sends == nil && method != "":
			s.methods[method] = name
		case method != "": // a union of one
			sends[method] = true
		case sends != nil:
			for _, part := range o.AnyOf {
				sends[outlines[strings.TrimPrefix(part.Ref, s.reference)].Properties.Method.Const] = true
			}
		}
		for _, part := range o.Properties.Error.AllOf {
			if code := part.Properties.Code.Const; code != 0 {
				s.errors[code] = name
			}
		}
	}
	return nil
}

func (s *schema) has(definition string) bool { return s.definitions[definition] != nil }

// either returns the one of two names that the revision knows.
func (s *schema) either(a, b string) string {
	if s.has(a) {
		return a
	}
	return b
}

// check judges a value, as decode returns it, by a definition.
func (s *schema) check(f form, v any) error {
	r, err := s.resolve(f)
	if err != nil {
		return err
	}
	if err := r.Validate(v); err != nil {
		return fmt.Errorf("%s %s: %w", s.revision, f.definition, err)
	}
	return nil
}

func (s *schema) resolve(f form) (*jsonschema.Resolved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.resolved[f]; r != nil {
		return r, nil
	}
	// A reference to the definition, and beside it all that it refers to,
	// which is a small part of the file.
	top := &jsonschema.Schema{Schema: s.draft, Ref: s.reference + f.definition}
	parts := map[string]*jsonschema.Schema{}
	if err := s.collect(parts, f); err != nil {
		return nil, fmt.Errorf("%s %s: %w", s.revision, f.definition, err)
	}
	if s.reference == "#/$defs/" {
		top.Defs = parts
	} else {
		top.Definitions = parts
	}
	r, err := top.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", s.revision, f.definition, err)
	}
	s.resolved[f] = r
	return r, nil
}

// collect puts a definition, and all that it refers to, into parts.
func (s *schema) collect(parts map[string]*jsonschema.Schema, f form) error {
	if parts[f.definition] != nil {
		return nil
	}
	if !s.has(f.definition) {
		return fmt.Errorf("there is no %s", f.definition)
	}
	d := new(jsonschema.Schema)
	if err := json.Unmarshal(s.definitions[f.definition], d); err != nil {
		return err
	}
	parts[f.definition] = d
	if f.closed && !open(f.definition) {
		shut(d)
	}
	for part := range subschemas(d) {
		if name, ok := strings.CutPrefix(part.Ref, s.reference); ok {
			if err := s.collect(parts, form{name, f.closed}); err != nil {
				return err
			}
		}
	}
	return nil
}

// open reports whether others than this library put members of their own into
// what a definition is for.
func open(definition string) bool {
	for _, suffix := range []string{"MetaObject", "Capabilities", "Schema", "SchemaDefinition"} {
		if strings.HasSuffix(definition, suffix) {
			return true
		}
	}
	return definition == "Tool"
}

// shut makes each object that lists its members refuse any other, unless it
// says itself what else it takes. Left alone are _meta, the parts of a
// conjunction, none of which knows all members, and requests and notifications
// that are listed without their envelope.
func shut(d *jsonschema.Schema) {
	exempt := map[*jsonschema.Schema]bool{}
	for part := range subschemas(d) {
		exempt[part.Properties["_meta"]] = true
		for _, p := range part.AllOf {
			exempt[p] = true
		}
		bare := part.Properties["method"] != nil && part.Properties["jsonrpc"] == nil
		if len(part.Properties) > 0 && part.AdditionalProperties == nil && !exempt[part] && !bare {
			part.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		}
	}
}

// subschemas returns a schema and those inside of it, outer before inner.
func subschemas(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) { walk(s, yield) }
}

func walk(s *jsonschema.Schema, yield func(*jsonschema.Schema) bool) bool {
	if s == nil {
		return true
	}
	if !yield(s) {
		return false
	}
	inner := slices.Collect(maps.Values(s.Properties))
	inner = append(inner, s.Items, s.AdditionalProperties)
	inner = append(inner, s.AnyOf...)
	inner = append(inner, s.AllOf...)
	for _, p := range inner {
		if !walk(p, yield) {
			return false
		}
	}
	return true
}
