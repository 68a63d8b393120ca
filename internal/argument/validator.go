package argument

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/match"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// jsonschema-go accepts the same JSON, as tests check, but its errors have no place in
// the JSON, and it rounds numbers to 64 bits.

// Validator validates JSON with a schema. It is immutable, and safe for concurrent use. The tree
// has a node for each schema that is reachable. A reference is an edge to its target, so the tree
// has loops if the schema is recursive. Recursion ends with the value: schema.Check rejects a
// schema that refers to itself for the same value.
type Validator struct {
	root    *subschema
	schemas int // how many there are
}

// NewValidator returns an error for a schema that makes no sense. The schema must not be changed
// afterwards: the tree keeps it for messages. The values of enum and const must be as encoding/json
// decodes them, see [schema.Clone].
func NewValidator(s *jsonschema.Schema) (*Validator, error) {
	if err := schema.Check(s); err != nil {
		return nil, err
	}
	return newPartValidator(s)
}

// The references of the part must be within the part.
func newPartValidator(s *jsonschema.Schema) (*Validator, error) {
	v, _, err := compileSchema(s)
	return v, err
}

func compileSchema(s *jsonschema.Schema) (*Validator, *schemaCompiler, error) {
	// All references are resolved before anything is compiled, so that one which leads nowhere
	// is an error of the declaration and never of a call.
	references, err := schema.NewReferences(s)
	if err == nil {
		c := &schemaCompiler{references: references, isDraft7: schema.IsDraft7(s), compiled: map[*jsonschema.Schema]*subschema{}}
		root := c.compile(s)
		if err = c.err; err == nil {
			return &Validator{root, max(references.Len(), len(c.compiled))}, c, nil
		}
	}
	return nil, nil, fmt.Errorf("schema: %w", err)
}

// One type has the keywords of all JSON types, like a JSON schema. A subschema is
// complete only after the whole compilation, and does not change from then on.
type subschema struct {
	source *jsonschema.Schema
	// A set of bits makes the check of the type a shift. Integer and number have the same bit.
	kinds      uint8 // bits by strictjson.Kind; 0 for all
	isIntegral bool
	isFalse    bool
	rules      rules               // of strings, numbers and counts, and the values for messages
	values     map[string]struct{} // of enum and const, by appendKey
	longest    int                 // the length of the longest key in values

	// What applies to the same value. A $ref is the first, and a $dynamicRef the last of
	// allOf: without an $id inside, they are the same.
	ref                  *subschema
	allOf, anyOf, oneOf  []*subschema
	not, cond, then, els *subschema

	// What applies to elements.
	prefix                   []*subschema
	items, contains          *subschema
	minContains, maxContains *int
	isUnique                 bool
	unevaluatedItems         *subschema

	// What applies to members.
	members                map[string]*subschema
	names                  []string // of the members, in their order
	patterns               []patternMembers
	additional             *subschema
	memberNames            *subschema
	unevaluatedProperties  *subschema
	required               []string
	isRequired             map[string]bool
	tags                   []tag
	minMembers, maxMembers *int
	dependents             []dependent

	nameIndex, valueIndex func() *match.Index // for completion; nil for none

	asJSON func() string // the beginning of the schema, for messages; nil if none has it
}

// JSON Schema does not anchor patterns: a pattern matches anywhere in the name.
type patternMembers struct {
	pattern *regexp.Regexp
	schema  *subschema
}

// The alternatives of a oneOf often say {"properties": {"kind": {"const": "circle"}}}. Validation
// checks tags first, and messages explain the alternative of the tag.
type tag struct {
	name   string
	schema *subschema
}

// dependentRequired and dependentSchemas of 2020-12, or dependencies of draft 7.
// One of required and schema is set.
type dependent struct {
	name     string
	required []string
	schema   *subschema
}

// The JSON is made at the first message and then kept: a value may be invalid many
// times, and encoding a large schema each time would take long.
func (s *subschema) show() {
	s.asJSON = sync.OnceValue(func() string { return phrase.Clip(jsonenc.Text(s.target().source), 128) })
}

// The compiler continues after an error, and keeps the first.
type schemaCompiler struct {
	references *schema.References
	isDraft7   bool
	compiled   map[*jsonschema.Schema]*subschema
	err        error // the first
}

// kindsOf maps the types of JSON Schema to the kinds of JSON. An integer is a
// number whose value has no fraction, which isIntegral checks.
var kindsOf = map[string]uint8{
	"null": 1 << strictjson.Null, "boolean": 1 << strictjson.Bool, "integer": 1 << strictjson.Number, "number": 1 << strictjson.Number,
	"string": 1 << strictjson.String, "array": 1 << strictjson.Array, "object": 1 << strictjson.Object,
}

// compile returns the subschema of s, and nil for nil. The same pointer gives the same subschema.
func (c *schemaCompiler) compile(s *jsonschema.Schema) *subschema {
	if s == nil {
		return nil
	}
	if done, ok := c.compiled[s]; ok {
		return done // or it will be, if it refers to itself
	}
	v := &subschema{source: s}
	// Stored before the parts are compiled: a schema may refer to itself, and must find itself
	// here.
	c.compiled[s] = v
	// In Draft 7, a $ref replaces its siblings. In 2020-12, it is one keyword of many.
	if s.Ref != "" {
		v.ref = c.refer(s.Ref)
		if c.isDraft7 {
			return v // which ignores the other keywords
		}
	}
	// A const and a single enum are the same to a reader, and so to completion and messages.
	if e, err := schema.WithEnum(s); err == nil {
		s = e
	}
	v.isFalse = schema.IsFalse(s)
	for _, t := range schema.TypesOf(s) {
		v.kinds |= kindsOf[t]
	}
	// With number beside integer, any number is allowed.
	v.isIntegral = slices.Contains(schema.TypesOf(s), "integer") && !slices.Contains(schema.TypesOf(s), "number")
	c.compileRules(v, s)
	v.allOf, v.anyOf, v.oneOf = c.all(s.AllOf), c.all(s.AnyOf), c.all(s.OneOf)
	for _, alternative := range v.oneOf {
		alternative.show()
	}
	if s.DynamicRef != "" {
		v.allOf = append(v.allOf, c.refer(s.DynamicRef))
	}
	if v.not = c.compile(s.Not); v.not != nil {
		v.not.show()
	}
	// JSON Schema ignores then and else without an if.
	if v.cond = c.compile(s.If); v.cond != nil {
		v.then, v.els = c.compile(s.Then), c.compile(s.Else)
	}
	c.compileArray(v, s)
	c.compileObject(v, s)
	// The index is made at the first completion: most members are never completed, and an index
	// costs more than the schema.
	if v.names != nil {
		v.nameIndex = sync.OnceValue(func() *match.Index { return match.New(v.namesToComplete()) })
	}
	if v.rules.enum != nil || v.kinds>>strictjson.Bool&1 == 1 || v.isIntegral {
		v.valueIndex = sync.OnceValue(func() *match.Index { return match.New(v.valuesToComplete()) })
	}
	return v
}

func (c *schemaCompiler) all(in []*jsonschema.Schema) (out []*subschema) {
	for _, s := range in {
		out = append(out, c.compile(s))
	}
	return out
}

// The target may be in the middle of its compilation.
func (c *schemaCompiler) refer(ref string) *subschema {
	target, err := c.references.Target(ref)
	if err != nil {
		c.err = cmp.Or(c.err, err)
		// Any schema will do, because the error ends the compilation.
		return &subschema{}
	}
	return c.compile(target)
}

func (c *schemaCompiler) compileRules(v *subschema, s *jsonschema.Schema) {
	_, values, err := schema.Allowed(s)
	c.err = cmp.Or(c.err, err)
	// Both must hold, and only the const can.
	if s.Const != nil && s.Enum != nil { // a checked schema has the const in the enum
		values = []any{*s.Const}
	}
	v.rules, err = rulesOf(s)
	c.err = cmp.Or(c.err, err)
	// JSON Schema lets a validator ignore a format that it does not know. Here that
	// is an error: the author expects the format to be checked.
	if s.Format != "" {
		if v.rules.format = formatNamed(s.Format); v.rules.format == nil {
			c.err = cmp.Or(c.err, unknownFormat(s.Format))
		}
	}
	if values == nil {
		return
	}
	v.rules.enum = values
	v.values = setOf(values, func(e any) string { return string(appendKey(nil, e)) })
	// The longest key bounds what is read of a value: a text of a megabyte is no match for an
	// enum of short words.
	for key := range v.values {
		v.longest = max(v.longest, len(key))
	}
	for _, e := range values {
		if text, ok := e.(string); ok {
			v.rules.texts = append(v.rules.texts, text)
		}
	}
}

// Keywords of draft 7 become the keywords of 2020-12 that mean the same.
func (c *schemaCompiler) compileArray(v *subschema, s *jsonschema.Schema) {
	prefix, items := s.PrefixItems, s.Items
	if c.isDraft7 {
		// Draft 7 has no prefixItems: an array of schemas in items means the same.
		prefix = s.ItemsArray
		if prefix != nil {
			items = s.AdditionalItems
		}
	}
	v.prefix, v.items = c.all(prefix), c.compile(items)
	// JSON Schema ignores minContains and maxContains without contains.
	if v.contains = c.compile(s.Contains); v.contains != nil {
		v.contains.show()
		v.minContains, v.maxContains = s.MinContains, s.MaxContains
	}
	v.isUnique = s.UniqueItems
	v.unevaluatedItems = c.compile(s.UnevaluatedItems)
}

func (c *schemaCompiler) compileObject(v *subschema, s *jsonschema.Schema) {
	if s.Properties != nil {
		v.members = make(map[string]*subschema, len(s.Properties))
		v.names = namesOf(s)
		for _, name := range v.names {
			p := s.Properties[name]
			v.members[name] = c.compile(p)
			// A member with few values often says which alternative is meant, and is checked first.
			if p.Ref == "" && (p.Const != nil || p.Enum != nil) {
				v.tags = append(v.tags, tag{name, v.members[name]})
			}
		}
	}
	// Sorted, because the order of a map would change the order of the problems.
	for _, pattern := range sortedKeys(s.PatternProperties) {
		re, err := regexp.Compile(pattern)
		c.err = cmp.Or(c.err, err)
		v.patterns = append(v.patterns, patternMembers{re, c.compile(s.PatternProperties[pattern])})
	}
	v.additional, v.memberNames, v.unevaluatedProperties = c.compile(s.AdditionalProperties), c.compile(s.PropertyNames), c.compile(s.UnevaluatedProperties)
	v.minMembers, v.maxMembers = s.MinProperties, s.MaxProperties
	for _, name := range s.Required {
		if v.isRequired == nil {
			v.isRequired = map[string]bool{}
		}
		// A schema may name a member twice. acceptsTags counts members, so each is listed once.
		if !v.isRequired[name] {
			v.required = append(v.required, name)
		}
		v.isRequired[name] = true
	}
	required, schemas := s.DependentRequired, s.DependentSchemas
	if c.isDraft7 {
		required, schemas = s.DependencyStrings, s.DependencySchemas
	}
	// Sorted, so that the same value always gets the same problems in the same order.
	for _, name := range sortedKeys(required) {
		v.dependents = append(v.dependents, dependent{name: name, required: required[name]})
	}
	for _, name := range sortedKeys(schemas) {
		v.dependents = append(v.dependents, dependent{name: name, schema: c.compile(schemas[name])})
	}
}

// The order of the struct is what the author chose for hints and completions. A
// PropertyOrder that misses a member is not used at all.
func namesOf(s *jsonschema.Schema) []string {
	var names []string
	for _, name := range s.PropertyOrder {
		if s.Properties[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == len(s.Properties) {
		return names
	}
	return sortedKeys(s.Properties)
}

// inPlaceDepth is how many references and parts in place are followed for a message. Deeper schemas
// are validated all the same. Only the words of a message or a hint get less specific.
const inPlaceDepth = 8

// A reference next to a type or to properties is not followed, because these say
// more. The depth is bounded, although a checked schema has no loop of references.
func (s *subschema) target() *subschema {
	for depth := inPlaceDepth; depth > 0 && s.ref != nil && s.names == nil && s.kinds == 0; depth-- {
		s = s.ref
	}
	return s
}
