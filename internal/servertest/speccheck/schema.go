package speccheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is the schema.json of one version. Any number of goroutines may use it.
type schema struct {
	revision  string
	draft     string
	reference string            // what a $ref to a definition begins with
	methods   map[string]string // definition of a request or notification, by method
	sends     map[string]bool   // methods of what a server may send
	errors    map[int]string    // definition of an error response, by code

	// The definitions as they are, and in closed ones that reject the members
	// that they do not list. The specification's are open; closed is what this
	// library says in each version, which has only what that version knows
	// (GAP-37).
	open, closed map[string]*jsonschema.Schema

	mu       sync.Mutex // protects the field below
	resolved map[form]*jsonschema.Resolved
}

// form is a definition, in one of two ways to judge by it.
type form struct {
	definition string
	closed     bool
}

// load reads the file of a version.
func load(fsys fs.FS, revision string) (*schema, error) {
	text, err := fs.ReadFile(fsys, revision+".json")
	if err != nil {
		return nil, err
	}
	var open, closed jsonschema.Schema
	for _, file := range []*jsonschema.Schema{&open, &closed} {
		if err := json.Unmarshal(text, file); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", revision, err)
		}
	}
	s := &schema{
		revision: revision, draft: open.Schema, reference: "#/$defs/", open: open.Defs, closed: closed.Defs,
		methods: map[string]string{}, sends: map[string]bool{}, errors: map[int]string{}, resolved: map[form]*jsonschema.Resolved{},
	}
	if s.open == nil { // before 2025-11-25
		s.reference, s.open, s.closed = "#/definitions/", open.Definitions, closed.Definitions
	}
	if s.open == nil {
		return nil, fmt.Errorf("schema of %s: it defines nothing", revision)
	}
	for name, d := range s.closed {
		if !isOthers(name) {
			shut(d, false)
		}
	}
	s.index()
	return s, nil
}

// index notes which method or error code a definition is for, and what a server
// may send.
func (s *schema) index() {
	for name, d := range s.open {
		method := methodOf(d)
		switch {
		case name == "ServerRequest" || name == "ServerNotification":
			s.sends[method] = true // of a union of one
			for _, part := range d.AnyOf {
				s.sends[methodOf(s.open[strings.TrimPrefix(part.Ref, s.reference)])] = true
			}
		case method != "" && name != "ClientRequest" && name != "ClientNotification":
			s.methods[method] = name
		}
		if e := d.Properties["error"]; e != nil {
			for _, part := range e.AllOf {
				if code := part.Properties["code"]; code != nil && code.Const != nil {
					s.errors[int(number(*code.Const))] = name
				}
			}
		}
	}
}

// methodOf returns the method that a definition is for, or "".
func methodOf(d *jsonschema.Schema) string {
	if d == nil || d.Properties["method"] == nil || d.Properties["method"].Const == nil {
		return ""
	}
	method, _ := (*d.Properties["method"].Const).(string)
	return method
}

func (s *schema) has(definition string) bool { return s.open[definition] != nil }

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
	if !s.has(f.definition) {
		return nil, fmt.Errorf("%s: there is no %s", s.revision, f.definition)
	}
	top := &jsonschema.Schema{Schema: s.draft, Ref: s.reference + f.definition}
	all, parts := s.open, map[string]*jsonschema.Schema{}
	if f.closed {
		all = s.closed
	}
	if err := collect(parts, all, f.definition); err != nil {
		return nil, err
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

var referred = regexp.MustCompile(`"\$ref":"#/(?:\$defs|definitions)/(\w+)"`)

// collect puts a definition, and all that it refers to, into parts: to resolve the
// whole file takes long.
func collect(parts, all map[string]*jsonschema.Schema, name string) error {
	if parts[name] != nil {
		return nil
	}
	parts[name] = all[name]
	text, err := json.Marshal(all[name])
	for _, m := range referred.FindAllSubmatch(text, -1) {
		err = errors.Join(err, collect(parts, all, string(m[1])))
	}
	return err
}

// isOthers reports whether others than this library put members of their own into
// what a definition is for.
func isOthers(definition string) bool {
	for _, suffix := range []string{"MetaObject", "Capabilities", "Schema", "SchemaDefinition"} {
		if strings.HasSuffix(definition, suffix) {
			return true
		}
	}
	return definition == "Tool"
}

// shut makes each object that lists its members reject any other, unless it says
// itself what else it takes. _meta stays open, and so do the parts of a
// conjunction, none of which knows all members, and requests and notifications
// that are listed without their envelope.
func shut(d *jsonschema.Schema, staysOpen bool) {
	if d == nil {
		return
	}
	bare := d.Properties["method"] != nil && d.Properties["jsonrpc"] == nil
	if len(d.Properties) > 0 && d.AdditionalProperties == nil && !staysOpen && !bare {
		d.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for name, part := range d.Properties {
		shut(part, name == "_meta")
	}
	for _, part := range d.AllOf {
		shut(part, true)
	}
	for _, part := range d.AnyOf {
		shut(part, false)
	}
	shut(d.Items, false)
	shut(d.AdditionalProperties, false)
}
