package argument

import (
	"cmp"
	"net/url"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// InputSchema returns the schema of an object with the arguments as typed JSON: the
// integer 3, not the string "3". Parts of it are the plan's and must not be changed.
// A client that validates with the schema accepts only what the server accepts, as
// far as a schema can say it. Tools made of prompts publish the schema.
func (p *Plan) InputSchema() *jsonschema.Schema {
	all := &jsonschema.Schema{
		Schema:               "https://json-schema.org/draft/2020-12/schema",
		Type:                 "object",
		AdditionalProperties: schema.False(),
	}
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if all.Properties == nil {
			all.Properties = make(map[string]*jsonschema.Schema, len(p.Arguments))
		}
		all.Properties[a.Name] = a.inputSchema()
		all.PropertyOrder = append(all.PropertyOrder, a.Name)
		if a.Required {
			all.Required = append(all.Required, a.Name)
		}
	}
	return all
}

func (a *Argument) inputSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if a.Schema != nil {
		s = a.value.describe(a.Schema)
	} else {
		s.Type = a.value.kind.InstanceType()
	}
	s.Title, s.Description, s.WriteOnly = a.Title, a.Description, a.Sensitive
	if s.MinLength == nil && a.Required && a.value.kind.IsString() && a.emptyIsAbsent {
		s.MinLength = jsonschema.Ptr(1)
	}
	// Its references are within it. A $schema is allowed in the root only. An $id makes the schema
	// a resource, so that references such as #/$defs/name still lead into it.
	s.Schema = ""
	if s.ID == "" && schema.HasReference(s) {
		s.ID = "urn:argument:" + url.PathEscape(a.Name)
	}
	return s
}

// The patterns for durations and base64 are what the conversion accepts.
func (v *value) describe(s *jsonschema.Schema) *jsonschema.Schema {
	d := *s
	if len(schema.TypesOf(&d)) == 0 && d.Ref == "" && d.DynamicRef == "" {
		d.Type = v.kind.InstanceType()
	}
	switch {
	// An enum of strings says all there is to say.
	case v.rules.texts != nil:
	case v.kind == schema.Int || v.kind == schema.Uint:
		v.describeRange(&d)
	case v.kind == schema.Duration:
		d.Pattern = cmp.Or(d.Pattern, `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`)
	case v.kind == schema.Bytes:
		d.ContentEncoding = cmp.Or(d.ContentEncoding, "base64")
		d.Pattern = cmp.Or(d.Pattern, `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`)
	case v.kind == schema.URL:
		d.Format = cmp.Or(d.Format, "uri-reference")
	case v.isTime:
		d.Format = cmp.Or(d.Format, "date-time")
	case v.kind == schema.List && !schema.RefersOutside(s):
		d.Items = v.elem.describe(cmp.Or(s.Items, &jsonschema.Schema{}))
	}
	return &d
}

// 64-bit integers are left out: many clients read numbers as floats, and would round the bounds.
func (v *value) describeRange(d *jsonschema.Schema) {
	if v.bits == 64 {
		return
	}
	low, end, _ := v.held()
	high := end - 1
	if (d.ExclusiveMinimum == nil || *d.ExclusiveMinimum < low) && (d.Minimum == nil || *d.Minimum < low) {
		d.Minimum = &low
	}
	if (d.ExclusiveMaximum == nil || *d.ExclusiveMaximum > high) && (d.Maximum == nil || *d.Maximum > high) {
		d.Maximum = &high
	}
}
