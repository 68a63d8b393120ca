package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// Registry.Add returns all errors of a declaration at once. Each is a DeclarationError that
// names the prompt and the argument, in its text and in its fields (CNT-15 for the sizes of
// icons).
func TestInvalidDeclarations(t *testing.T) {
	t.Parallel()
	schema := func(s *jsonschema.Schema) prompts.Prompt { return untyped(prompts.Argument{Name: "a", Schema: s}) }
	field := func(s *jsonschema.Schema) prompts.Prompt {
		return servertest.PromptOf[servertest.Maybe[int]](prompts.Argument{Name: "a", Schema: s})
	}
	def := func(text string) *jsonschema.Schema { return &jsonschema.Schema{Default: json.RawMessage(text)} }
	withMeta := func(m prompts.Meta) prompts.Prompt {
		return prompts.Prompt{Name: "p", Meta: m, Render: servertest.Nothing}
	}
	withIcon := func(i prompts.Icon) prompts.Prompt {
		return prompts.Prompt{Name: "p", Icons: []prompts.Icon{i}, Render: servertest.Nothing}
	}
	const src = "https://example.com/a.png"
	circle := &jsonschema.Schema{Type: "array"}
	circle.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{}, circle}}
	shared := &jsonschema.Schema{MinLength: ptr(1)}

	for _, c := range []struct {
		name   string
		prompt prompts.Prompt
		want   []string // none for no fault
	}{
		{"the zero Prompt", prompts.Prompt{}, []string{`prompt "": Name is empty`, `prompt "": no render function; set Render or use New`}},
		{"control character", prompts.Prompt{Name: "a\nb", Render: servertest.Nothing}, []string{`prompt "a\nb": Name contains a control character`}},
		{"long name", prompts.Prompt{Name: fmt.Sprintf("%04097d", 0), Render: servertest.Nothing}, []string{fmt.Sprintf(`prompt "%04097d": Name has 4097 bytes (limit 4096)`, 0)}},
		{"C1 control character", prompts.Prompt{Name: "a\u0085", Render: servertest.Nothing}, []string{`prompt "a\u0085": Name contains a control character`}},
		{"UTF-8 in the name", prompts.Prompt{Name: "a\xff", Render: servertest.Nothing}, []string{`prompt "a\xff": name is not valid UTF-8`}},
		{"UTF-8 in the texts", prompts.Prompt{Name: "p", Title: "\xff", Description: "\xc3", Render: servertest.Nothing, Arguments: []prompts.Argument{
			{Name: "a", Title: "\xff", Description: "\xff"}, {Name: "b\xff"}}}, []string{
			`prompt "p": title is not valid UTF-8`, `prompt "p": description is not valid UTF-8`,
			`prompt "p": argument "a": title is not valid UTF-8`, `prompt "p": argument "a": description is not valid UTF-8`,
			`prompt "p": argument "b\xff": name is not valid UTF-8`}},
		{"free texts", prompts.Prompt{Name: "ä b/c.d-e", Title: "a\nb", Description: "\t<>", Render: servertest.Nothing, Arguments: []prompts.Argument{{Name: "ö x", Description: "a\nb"}}}, nil},
		{"argument names", untyped(prompts.Argument{}, prompts.Argument{Name: "a\x00"}, prompts.Argument{Name: "b"}, prompts.Argument{Name: "b"}), []string{
			`prompt "p": argument "": Name is empty`, `prompt "p": argument "a\x00": Name contains a control character`, `prompt "p": argument "b": argument is declared twice`}},
		{"nil render", prompts.New[servertest.One[int]](prompts.Prompt{Name: "p"}, nil), []string{`prompt "p": render function is nil`}},
		{"two renders", prompts.NewText(prompts.Prompt{Name: "p", Render: servertest.Nothing}, func(context.Context, servertest.One[int]) (string, error) { return "", nil }),
			[]string{`prompt "p": Render is set, but New already provides a render function; remove one of the two; for a prompt of Lookup, set Render to nil before New`}},
		{"not a struct", servertest.PromptOf[map[string]string](), []string{`prompt "p": New: type argument must be a struct; without a struct, set Arguments and Render`}},
		{"no arguments", servertest.PromptOf[struct{}](), nil},

		{"skipped fields", servertest.PromptOf[struct {
			A chan int `json:"-"`
			b chan int
			C int
		}](), nil},

		{"unknown field, listed twice", servertest.PromptOf[servertest.One[int]](prompts.Argument{Name: "b"}, prompts.Argument{Name: "b"}), []string{
			`prompt "p": argument "b": argument is declared twice`, `prompt "p": argument "b": unknown field`}},
		{"required although optional", servertest.PromptOf[servertest.Maybe[int]](prompts.Argument{Name: "a", Required: true, Title: "\xff", Schema: &jsonschema.Schema{Pattern: "("}}), []string{
			`prompt "p": argument "a": Required conflicts with the field, which is optional; remove omitempty or the pointer`,
			`prompt "p": argument "a": schema: `, `prompt "p": argument "a": title is not valid UTF-8`}},
		{"required as the struct says", servertest.PromptOf[servertest.One[int]](prompts.Argument{Name: "a", Required: true}), nil},

		{"the same without a struct", untyped(prompts.Argument{Name: "a", Required: true, Schema: def(`"x"`)}), []string{`prompt "p": argument "a": a required argument never uses its default`}},
		{"default that is no number", field(def(`1e999`)), []string{`prompt "p": argument "a": schema: json: cannot unmarshal number 1e999`}},
		{"default with duplicate keys", schema(&jsonschema.Schema{Type: "object", Default: json.RawMessage(`{"a":1,"a":2}`)}), []string{`prompt "p": argument "a": schema: `}},
		{"default of an object", servertest.PromptOf[servertest.Maybe[servertest.Inner]](prompts.Argument{Name: "a", Schema: def(`{"size":1}`)}), []string{`prompt "p": argument "a": default: `}},

		{"null type", schema(&jsonschema.Schema{Type: "null"}), []string{`prompt "p": argument "a": schema: no type that a string can be converted to is allowed`}},
		{"a type or null", schema(&jsonschema.Schema{Types: []string{"null", "integer"}}), nil},
		{"UTF-8 in a schema", schema(&jsonschema.Schema{Enum: []any{"\xff"}}), []string{`prompt "p": argument "a": schema: invalid UTF-8`}},
		{"cyclic schema", schema(circle), []string{`prompt "p": argument "a": schema: schema contains itself`}},
		{"shared part of a schema", schema(&jsonschema.Schema{AllOf: []*jsonschema.Schema{shared, shared}}), nil},
		{"schema that cannot be encoded", schema(&jsonschema.Schema{Minimum: ptr(math.NaN())}), []string{`prompt "p": argument "a": schema: json: unsupported value: NaN`}},
		{"enum that cannot be encoded", schema(&jsonschema.Schema{Enum: []any{make(chan int)}}), []string{`prompt "p": argument "a": schema: json: unsupported type: chan int`}},
		{"type and types", schema(&jsonschema.Schema{Type: "string", Types: []string{"string"}}), []string{`prompt "p": argument "a": schema: `}},
		{"items twice", schema(&jsonschema.Schema{Items: &jsonschema.Schema{}, ItemsArray: []*jsonschema.Schema{{}}}), []string{`prompt "p": argument "a": schema: `}},
		{"nil in a schema", schema(&jsonschema.Schema{AllOf: []*jsonschema.Schema{nil}}), []string{`prompt "p": argument "a": schema: `}},
		{"reference to nowhere", schema(&jsonschema.Schema{Ref: "#/$defs/x"}), []string{`prompt "p": argument "a": schema: `}},
		{"reference to elsewhere", schema(&jsonschema.Schema{Ref: "https://example.com/x.json"}), []string{`prompt "p": argument "a": schema: `}},

		{"icons", prompts.Prompt{Name: "p", Render: servertest.Nothing, Icons: []prompts.Icon{{}, {Src: src}, {Src: "ftp://x/y"}}}, []string{`prompt "p": icon 1: src "" must be an https, http or data URI`, `prompt "p": icon 3: src "ftp://x/y" must be an https, http or data URI`}},
		{"icon of a relative URI", withIcon(prompts.Icon{Src: "/a.png"}), []string{`prompt "p": icon 1: src "/a.png" must be an https, http or data URI`}},
		{"icon of a bad MIME type", withIcon(prompts.Icon{Src: src, MIMEType: "png"}), []string{`prompt "p": icon 1: MIME type "png": no subtype`}},
		{"icon sizes", withIcon(prompts.Icon{Src: src, Sizes: []string{"48x48", "any", "48"}}), []string{`prompt "p": icon 1: invalid size "48"; use a form such as "48x48", or "any"`}},
		{"icon of size 0", withIcon(prompts.Icon{Src: src, Sizes: []string{"0x48"}}), []string{`prompt "p": icon 1: invalid size "0x48"`}},
		{"icon theme", withIcon(prompts.Icon{Src: src, Theme: "Dark"}), []string{`prompt "p": icon 1: unknown theme "Dark"; use "light" or "dark"`}},
		{"good icons", prompts.Prompt{Name: "p", Render: servertest.Nothing, Icons: []prompts.Icon{{Src: "data:image/png;base64,AA==", MIMEType: "image/png", Sizes: []string{"any", "1x2"}, Theme: "dark"}, {Src: "HTTPS://EXAMPLE.COM", Theme: "light"}}}, nil},

		{"_meta key", withMeta(prompts.Meta{"-x": 1, "": 2}), []string{`prompt "p": _meta key "": a name must begin`, `prompt "p": _meta key "-x": a name must begin`}},
		{"_meta of InputSchemas", withMeta(prompts.Meta{servertest.InputSchemaKey: "mine"}), []string{`prompt "p": Meta["io.github.mcp-prompts/inputSchema"] is reserved for Options.InputSchemas`}},
		{"_meta value", withMeta(prompts.Meta{"a": make(chan int), "b": math.NaN(), "c": "\xff", "d": json.RawMessage(`{"a":1,"a":2}`), "e": json.RawMessage(`{`), "f": panics{}}), []string{
			`prompt "p": _meta "a": `, `prompt "p": _meta "b": `, `prompt "p": _meta "c": invalid UTF-8`,
			`prompt "p": _meta "d": `, `prompt "p": _meta "e": `, `prompt "p": _meta "f": panic: a panic`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r prompts.Registry
			changed, cancel := servertest.Signals(r.OnChange)
			defer cancel()
			err := r.Add(c.prompt)
			if c.want == nil {
				assert.NoError(t, err)
				assert.Equal(t, 1, r.Len())
				return
			}
			require.Error(t, err)
			all := unjoined(err)
			require.Len(t, all, len(c.want), err.Error())
			for i, want := range c.want {
				assert.True(t, strings.HasPrefix(all[i].Error(), want), "%s\n%s", want, all[i])
				var d *prompts.DeclarationError
				require.ErrorAs(t, all[i], &d)
				assert.Equal(t, c.prompt.Name, d.Prompt)
				assert.Equal(t, argumentOf(d.Err.Error()), d.Argument)
				assert.EqualError(t, all[i], fmt.Sprintf("prompt %q: %v", d.Prompt, d.Err))
				assert.Equal(t, d.Err, errors.Unwrap(all[i]))
			}
			assert.Zero(t, r.Len())
			assert.Empty(t, changed)
			assert.Equal(t, err.Error(), r.Set(c.prompt).Error())
		})
	}
}

// unjoined returns the errors that errors.Join has joined.
func unjoined(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, err := range joined.Unwrap() {
		all = append(all, unjoined(err)...)
	}
	return all
}

// argumentOf returns the name of the argument that an error begins with.
func argumentOf(text string) string {
	rest, _ := strings.CutPrefix(text, "argument ")
	quoted, _ := strconv.QuotedPrefix(rest)
	name, _ := strconv.Unquote(quoted)
	return name
}

type Loop struct {
	*Loop
	A string
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("a panic") }

// Add puts all of its prompts into the registry or none, and reports what is
// wrong with any of them.
func TestAddAllOrNothing(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	good := func(name string) prompts.Prompt { return prompts.Prompt{Name: name, Render: servertest.Nothing} }
	require.NoError(t, r.Add(good("taken")))
	err := r.Add(good("a"), prompts.Prompt{Name: "b"}, good("taken"), good("c"), good("c"), prompts.Prompt{Name: "taken"})
	assert.ErrorIs(t, err, prompts.ErrExists)
	assert.EqualError(t, err, strings.Join([]string{
		`prompt "b": no render function; set Render or use New`, `prompt "taken": prompt already exists; use Set to replace the prompt`, `prompt "c": prompt already exists; use Set to replace the prompt`,
		`prompt "taken": prompt already exists; use Set to replace the prompt`, `prompt "taken": no render function; set Render or use New`}, "\n"))
	assert.Equal(t, 1, r.Len())
	err = r.Add(prompts.Prompt{Name: "b"})
	assert.NotErrorIs(t, err, prompts.ErrExists)
	assert.NoError(t, r.Add())
	assert.NoError(t, r.Set())

	err = r.Set(good("a"), prompts.Prompt{Name: "taken"})
	assert.EqualError(t, err, `prompt "taken": no render function; set Render or use New`)
	assert.Equal(t, 1, r.Len())
	assert.NoError(t, r.Set(good("taken"), good("a"), good("a")))
	assert.Equal(t, 2, r.Len())

	assert.PanicsWithError(t, "prompts: prompt \"b\": no render function; set Render or use New", func() { r.MustAdd(prompts.Prompt{Name: "b"}) })
}

// What the author passes in is copied, and so is what Lookup and All return: changing any
// of it changes nothing of what clients get, and nothing of what is inferred for the type.
func TestDeclarationsAreCopied(t *testing.T) {
	t.Parallel()
	type in struct {
		A string         `json:"a,omitempty"`
		N []int          `json:"n"`
		O map[string]any `json:"o"`
	}
	var got in
	p := servertest.Storing(&got,
		prompts.Argument{Name: "a", Title: "A", Schema: &jsonschema.Schema{Enum: []any{"x", "y"}, Default: json.RawMessage(`"x"`), Pattern: "^."}},
		prompts.Argument{Name: "n", Schema: &jsonschema.Schema{Type: "array", MaxItems: ptr(2), Items: &jsonschema.Schema{Minimum: ptr(1.0), Enum: []any{1, 2}}}},
		prompts.Argument{Name: "o", Schema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"k": {MaxLength: ptr(1)}}, Required: []string{"k"}}})
	p.Icons = []prompts.Icon{{Src: "https://example.com/a", Sizes: []string{"any"}}}
	p.Meta = prompts.Meta{"m": []string{"m"}}
	p.Tags = []string{"t"}
	plain := untyped(p.Arguments...)
	plain.Name = "plain"
	var r prompts.Registry
	require.NoError(t, r.Add(p, plain))
	srv := prompts.MustNewServer(&r, prompts.Options{})
	state := func() (all []string) {
		all = append(all, callList(t, &r))
		for p := range r.All() {
			all = append(all, servertest.JsonText(p.Arguments)+servertest.JsonText(p.Icons)+servertest.JsonText(p.Meta)+servertest.JsonText(p.Tags))
			for _, args := range []string{`{"n":"1,2","o":"{\"k\":\"a\"}"}`, `{"a":"z","n":"0","o":"{\"k\":\"ab\"}"}`, `{"a":"y","n":"1,2,3","o":"{}"}`} {
				got, e := callMethod(t, srv, "prompts/get", p.Name, args)
				all = append(all, got+servertest.JsonText(e))
			}
		}
		return all
	}
	before := state()
	scribble(p)
	assert.Equal(t, before, state())
	for _, name := range []string{"p", "plain"} {
		scribble(firstOf(t, &r, name))
	}
	for p := range r.All() {
		scribble(p)
	}
	assert.Equal(t, before, state())

	again := servertest.Storing(&got)
	again.Name = "again"
	for range 2 {
		require.NoError(t, r.Set(again))
		back := firstOf(t, &r, "again")
		assert.NotContains(t, servertest.JsonText(back.Arguments[0].Schema), "enum")
		assert.Contains(t, servertest.JsonText(back.Arguments[1].Schema), `"items":{"type":"integer"`)
		scribble(back)
	}
}

// scribble changes what can be changed of a prompt in place. Package clone copies schemas
// and metadata in depth.
func scribble(p prompts.Prompt) {
	for i := range p.Arguments {
		schema := p.Arguments[i].Schema.(*jsonschema.Schema)
		for i := range schema.Enum {
			schema.Enum[i] = "scribbled"
		}
		for i := range schema.Default {
			schema.Default[i] = '9'
		}
		if schema.Items != nil {
			schema.Items.Type = "null"
			schema.Items.Minimum = nil
		}
		schema.Type, schema.Pattern, schema.MaxItems, schema.Required = "null", "scribbled", nil, nil
		p.Arguments[i].Name = "scribbled"
	}
	for i := range p.Icons {
		p.Icons[i].Sizes[0] = "scribbled"
		p.Icons[i].Src = "scribbled"
	}
	if m, ok := p.Meta["m"].([]string); ok {
		m[0] = "scribbled"
		p.Meta["z"] = 1
	}
	for i := range p.Tags {
		p.Tags[i] = "scribbled"
	}
}

// A copy from Lookup can be changed and set again.
func TestLookupRoundTrip(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	p := review()
	p.Title, p.Meta, p.Tags = "Review", prompts.Meta{"a": 1}, []string{"t"}
	p.Icons = []prompts.Icon{{Src: "https://example.com/a"}}
	plain := untyped(prompts.Argument{Name: "x", Required: true}, prompts.Argument{Name: "y", Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Enum: []any{"a"}}, Default: json.RawMessage(`["a"]`)}})
	require.NoError(t, r.Add(p, plain, barePrompt("third", "3")))
	before := callList(t, &r)
	for i := range 3 {
		for p := range r.All() {
			require.NoError(t, r.Set(p))
		}
		assert.Equal(t, before, callList(t, &r), i)
	}
	got, e := callGet(t, firstOf(t, &r, "review"), `{"code":"x","lines":"1"}`, prompts.Options{})
	require.Nil(t, e)
	assert.Contains(t, got, "x go 1 [] false")

	changed := firstOf(t, &r, "review")
	changed.Title = "Changed"
	changed.Arguments[1].Schema = json.RawMessage(`{"enum":["go","c"],"default":"go"}`)
	changed.Arguments[0].Description = "new"
	require.NoError(t, r.Set(changed))
	list := callList(t, &r)
	for _, want := range []string{`"title":"Changed"`, `one of: go, c; default go`, `"description":"new (matching ^[a-z]+$)"`} {
		assert.Contains(t, list, want)
	}
	changed.Arguments = nil
	require.NoError(t, r.Set(changed))
	assert.Contains(t, callList(t, &r), `{"name":"code","description":"the code","required":true}`)
	_, ok := r.Lookup("none")
	assert.False(t, ok)
}

// firstOf returns the prompt of that name.
func firstOf(t *testing.T, r *prompts.Registry, name string) prompts.Prompt {
	p, ok := r.Lookup(name)
	require.True(t, ok)
	return p
}

// own is a type with a schema that is no *jsonschema.Schema.
type own string

func (own) JSONSchema() map[string]any { return map[string]any{"enum": []string{"x", "y"}} }

// A schema is any value that encodes as one.
func TestSchemasOfAnyType(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]prompts.Argument{
		"enum":          {Enum: []string{"x", "y"}},
		"enum and rule": {Enum: []string{"x", "y"}, Schema: map[string]int{"maxLength": 1}},
		"JSON":          {Schema: json.RawMessage(`{"enum":["x","y"]}`)},
		"map":           {Schema: map[string]any{"enum": []string{"x", "y"}}},
		"struct": {Schema: struct {
			Enum []string `json:"enum"`
		}{[]string{"x", "y"}}},
		"engine": {Schema: &jsonschema.Schema{Enum: []any{"x", "y"}}},
		"method": {},
	} {
		a.Name = "A"
		p := untyped(a)
		if name == "method" {
			p = servertest.PromptOf[struct{ A own }]()
		}
		var r prompts.Registry
		require.NoError(t, r.Add(p), name)
		_, e := callGet(t, p, `{"A":"z"}`, prompts.Options{})
		require.NotNil(t, e, name)
		assert.Contains(t, e.Message, `one of x, y`, name)
		back := firstOf(t, &r, p.Name)
		assert.Contains(t, servertest.JsonText(back.Arguments[0].Schema), `"enum":["x","y"]`, name)
		assert.NoError(t, r.Set(back), name)
	}
	for want, a := range map[string]prompts.Argument{
		`schema must encode as an object or a boolean, got 7`:                 {Schema: 7},
		`schema must encode as an object or a boolean, got null`:              {Schema: json.RawMessage("null")},
		`keyword "minLength" of the schema has an invalid value, got "x"`:     {Schema: map[string]string{"minLength": "x"}},
		`schema must encode as JSON: json: unsupported type: chan int`:        {Schema: make(chan int)},
		`schema: enum is empty, so no value is allowed`:                       {Enum: []string{}},
		`argument has both Enum and an enum in Schema; remove one of the two`: {Enum: []string{"x"}, Schema: &jsonschema.Schema{Enum: []any{"y"}}},
	} {
		a.Name = "a"
		assert.EqualError(t, new(prompts.Registry).Add(untyped(a)), `prompt "p": argument "a": `+want)
		err := prompts.Ask(t.Context(), prompts.Form[struct {
			A string `json:"a"`
		}]("k", "m", a))
		assert.ErrorContains(t, err, "render function")
	}
}
