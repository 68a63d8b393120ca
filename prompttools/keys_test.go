package prompttools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

// modelKey matches the keys that the APIs of all models accept.
var modelKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// foreignNames are names of arguments that are no keys.
var foreignNames = []string{
	"größe", "file path", "文件", "issue_types[]", strings.Repeat("l", 70), strings.Repeat("l", 71), "a b",
	"e\u0301", "é", "👩‍👩‍👧‍👦", strings.Repeat("名", 40), "$ref", "x/y~z", "ключ", "\"quoted\"", "a\u202eb", "{{.x}}",
}

// echoPrompt returns a prompt with string arguments that prints what its function gets.
func echoPrompt(names ...string) prompts.Prompt {
	p := prompts.Prompt{Name: "p", Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		text, err := json.Marshal(args)
		return prompts.Messages(prompts.User(string(text))), err
	}}
	for _, name := range names {
		p.Arguments = append(p.Arguments, prompts.Argument{Name: name})
	}
	return p
}

// propertiesOf returns the input schema of a tool and the keys of its arguments, in order.
func propertiesOf(t *testing.T, c *client, tool string) (schema map[string]any, keys []string) {
	t.Helper()
	_, entries, _ := c.list("")
	for _, e := range entries {
		if e["name"] == tool {
			schema = e["inputSchema"].(map[string]any)
			properties, _ := schema["properties"].(map[string]any)
			return schema, slices.Sorted(maps.Keys(properties))
		}
	}
	require.Fail(t, "no tool", tool)
	return nil, nil
}

// Every argument has a key that models accept, and is found by the key and by its name. The
// function of the prompt gets the name, with and without a middleware.
func TestKeys(t *testing.T) {
	t.Parallel()
	names := append([]string{"a_x20_b", "plain", "with.dot-1_", strings.Repeat("k", 64)}, foreignNames...)
	for _, o := range []prompts.Options{{}, {Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			for name := range r.Arguments {
				if !slices.Contains(names, name) {
					return nil, fmt.Errorf("the middleware gets %q", name)
				}
			}
			return next(ctx, r)
		}
	}}} {
		srv, _ := serve(t, prompttools.Options{Select: all}, o, echoPrompt(names...))
		for _, version := range prompttest.Versions() {
			c := connect(t, srv, version)
			schema, keys := propertiesOf(t, c, "p")
			require.Len(t, keys, len(names))
			byKey, byName, want := map[string]string{}, map[string]string{}, map[string]string{}
			for _, key := range keys {
				assert.Regexp(t, modelKey, key)
				name := key
				if p := schema["properties"].(map[string]any)[key].(map[string]any); p["title"] != nil {
					name = p["title"].(string)
					assert.Contains(t, foreignNames, name)
				}
				assert.Contains(t, names, name)
				byKey[key], byName[name], want[name] = "v "+name, "v "+name, "v "+name
			}
			for _, arguments := range []map[string]string{byKey, byName} {
				text, err := json.Marshal(arguments)
				require.NoError(t, err)
				r := c.call("p", string(text))
				require.False(t, r.IsError, r.Content)
				var got map[string]string
				require.NoError(t, json.Unmarshal([]byte(r.Content[0].Text), &got))
				assert.Equal(t, want, got)
			}
		}
	}
}

// An error names an argument as the client has, or as the list has if the client has not.
func TestErrorsHaveTheKeys(t *testing.T) {
	t.Parallel()
	type in struct {
		Size   int    `json:"größe" minimum:"1"`
		Path   string `json:"file path,omitempty" pattern:"^/"`
		Nested *struct {
			Inner int `json:"é"`
		} `json:"文件,omitempty"`
		PIN int `json:"geheime zahl,omitempty" sensitive:"true"`
	}
	p := prompts.NewText(prompts.Prompt{Name: "p"}, func(_ context.Context, in in) (string, error) {
		if in.Size == 7 {
			return "", prompts.InvalidArgument("größe", "is unlucky")
		}
		return fmt.Sprintf("%d %s %d", in.Size, in.Path, in.PIN), nil
	})
	middlewares := map[string]func(next prompts.Handler) prompts.Handler{"": nil, "middleware": func(next prompts.Handler) prompts.Handler { return next }}
	for name, middleware := range middlewares {
		srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Middleware: middleware, Limits: prompts.Limits{MaxArgumentBytes: 100}}, p)
		for _, version := range prompttest.Versions() {
			c := connect(t, srv, version)
			for arguments, want := range map[string]string{
				``:                                `gr_xf6__xdf_e is required`,
				`{}`:                              `gr_xf6__xdf_e is required`,
				`{"größe":0}`:                     `größe must be at least 1, got 0`,
				`{"gr_xf6__xdf_e":0}`:             `gr_xf6__xdf_e must be at least 1, got 0`,
				`{"gr_xf6__xdf_e":"3.5"}`:         `gr_xf6__xdf_e must be an integer, got "3.5"`,
				`{"gr_xf6__xdf_e":7}`:             `gr_xf6__xdf_e: is unlucky`,
				`{"größe":7}`:                     `größe: is unlucky`,
				`{"größe":1,"file_x20_path":"x"}`: `file_x20_path must match the pattern ^/, got "x"`,
				`{"größe":1,"_x6587__x4ef6_":{"é":"x"}}`:                         `_x6587__x4ef6_["é"] must be an integer, got the string "x"`,
				`{"größe":1,"geheime_x20_zahl":"secret"}`:                        `geheime_x20_zahl is not valid (an integer)`,
				`{"größe":1,"file_x20_pat":"/x"}`:                                `file_x20_pat is not an argument of this prompt (did you mean "file_x20_path"?)`,
				`{"größ":1}`:                                                     `gr_xf6__xdf_e is required; größ is not an argument of this prompt (did you mean "gr_xf6__xdf_e"?)`,
				`{"größe":1,"gr_xf6__xdf_e":1}`:                                  `gr_xf6__xdf_e is not an argument of this prompt`,
				`{"größe":1,"file_x20_path":"` + strings.Repeat("/", 101) + `"}`: `argument "file_x20_path" exceeds the limit of 100 bytes`,
			} {
				r := c.call("p", arguments)
				require.True(t, r.IsError, "%s %s", name, arguments)
				text := strings.TrimPrefix(r.Content[0].Text, `invalid arguments for prompt "p": `)
				assert.Equal(t, want, text, "%s %s", name, arguments)
				if version >= "2025-06-18" {
					var data struct{ Problems []struct{ Argument string } }
					require.NoError(t, json.Unmarshal(r.StructuredContent, &data))
					for _, problem := range data.Problems {
						assert.True(t, strings.Contains(text, problem.Argument), "%s: %s", problem.Argument, text)
					}
				}
			}
			assert.Equal(t, "2000 /a 12", c.call("p", `{"gr_xf6__xdf_e":"2000","file path":"/a","geheime_x20_zahl":"12"}`).Content[0].Text)
		}
	}
}

// A form for missing arguments has the keys that the client knows, with the names as titles,
// in a session and in 2026-07-28, and of the members of an object.
func TestFormsHaveTheKeys(t *testing.T) {
	t.Parallel()
	type in struct {
		Size  int `json:"größe"`
		Scope struct {
			Region string `json:"region"`
		} `json:"mein bereich"`
		Loud string `json:"laut"`
	}
	p := prompts.NewText(prompts.Prompt{Name: "p"}, func(_ context.Context, in in) (string, error) {
		return fmt.Sprintf("%d %s %s", in.Size, in.Scope.Region, in.Loud), nil
	})
	for name, middleware := range map[string]func(next prompts.Handler) prompts.Handler{"": nil, "middleware": func(next prompts.Handler) prompts.Handler { return next }} {
		srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{ElicitArguments: true, Middleware: middleware}, p)
		for arguments, key := range map[string]string{`{"gr_xf6__xdf_e":"x","laut":"l"}`: "gr_xf6__xdf_e", `{"größe":"x","laut":"l"}`: "größe"} {
			answer := fmt.Sprintf(`{"action":"accept","content":{%q:5,"mein_x20_bereich.region":"eu"}}`, key)
			check := func(form string) {
				assert.Contains(t, form, fmt.Sprintf(`\n%s must be an integer, got \"x\"`, key), name)
				assert.Contains(t, form, fmt.Sprintf(`"properties":{%q:{"type":"integer"`, key), name)
				assert.Contains(t, form, `"mein_x20_bereich.region":{"type":"string"`, name)
				if key != "größe" {
					assert.Contains(t, form, `"title":"größe"`)
				}
			}
			c := connect(t, srv, "2025-11-25")
			c.asked = func(_ string, params json.RawMessage) string { check(string(params)); return answer }
			assert.Equal(t, "5 eu l", c.call("p", arguments).Content[0].Text, name)
			c.asked = func(string, json.RawMessage) string { return `{"action":"decline"}` }
			declined := c.call("p", arguments)
			assert.Contains(t, declined.Content[0].Text, `the user declined to answer; invalid arguments for prompt "p": `+key+` must be`)

			c = connect(t, srv, "2026-07-28")
			r := c.call("p", arguments)
			require.Equal(t, "input_required", r.ResultType, name)
			check(string(r.InputRequests["prompt.arguments"]))
			wrong := c.call("p", arguments, fmt.Sprintf(`"inputResponses":{"prompt.arguments":{"action":"accept","content":{%q:"no"}}},"requestState":%q`, key, r.RequestState))
			assert.Contains(t, wrong.Message, key+" must be a number")
			r = c.call("p", arguments, fmt.Sprintf(`"inputResponses":{"prompt.arguments":%s},"requestState":%q`, answer, r.RequestState))
			assert.Equal(t, "5 eu l", r.Content[0].Text, name)
		}
	}
}

// A tool of the application has keys, too: in each keyword about its members, and in
// references to them. Its function gets the names.
func TestKeysOfOwnTools(t *testing.T) {
	t.Parallel()
	text := &jsonschema.Schema{Type: "string"}
	input := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{"größe": {Type: "integer"}, "x/y~z": {Ref: "#/properties/gr%C3%B6%C3%9Fe"}, "ok": {Ref: "#/allOf/0/properties/issue_types[]"}, "unten": {Properties: map[string]*jsonschema.Schema{"größe": text}}},
		PropertyOrder:        []string{"unten", "größe", "x/y~z", "ok"},
		Required:             []string{"größe"},
		DependentRequired:    map[string][]string{"x/y~z": {"größe", "ok"}},
		DependentSchemas:     map[string]*jsonschema.Schema{"größe": {Required: []string{"größe"}}},
		AllOf:                []*jsonschema.Schema{{Properties: map[string]*jsonschema.Schema{"issue_types[]": {Type: "array", Items: text}}}},
		If:                   &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"größe": {Const: jsonschema.Ptr(any(3))}}},
		Then:                 &jsonschema.Schema{Required: []string{"issue_types[]"}},
		AdditionalProperties: nil,
	}
	before := jsonText(t, input)
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "own", InputSchema: input, Call: func(_ context.Context, arguments json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: string(arguments)}}}, nil
	}}}}, prompts.Options{Limits: prompts.Limits{MaxArgumentBytes: 40}})
	assert.Equal(t, before, jsonText(t, input), "the schema of the application is unchanged")
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		schema, keys := propertiesOf(t, c, "own")
		assert.Equal(t, []string{"gr_xf6__xdf_e", "ok", "unten", "x_x2f_y_x7e_z"}, keys)
		listed := jsonText(t, schema)
		assert.Equal(t, 1, strings.Count(listed, `"größe":{`), "only inside of an argument: %s", listed)
		assert.Equal(t, 1, strings.Count(listed, `"issue_types[]"`), "as a title: %s", listed)
		assert.Equal(t, []any{"gr_xf6__xdf_e"}, schema["required"])
		assert.Equal(t, map[string]any{"x_x2f_y_x7e_z": []any{"gr_xf6__xdf_e", "ok"}}, schema["dependentRequired"])
		assert.Contains(t, listed, `"$ref":"#/properties/gr_xf6__xdf_e"`)
		assert.Contains(t, listed, `"$ref":"#/allOf/0/properties/issue_types_x5b__x5d_"`)
		assert.Contains(t, listed, `"then":{"required":["issue_types_x5b__x5d_"]}`)
		raw, err := json.Marshal(schema)
		require.NoError(t, err)
		resolved := new(jsonschema.Schema)
		require.NoError(t, json.Unmarshal(raw, resolved))
		_, err = resolved.Resolve(nil)
		require.NoError(t, err, "all references lead somewhere")

		assert.JSONEq(t, `{"größe":1,"x/y~z":2,"ok":["a"]}`, c.call("own", `{"gr_xf6__xdf_e":1,"x_x2f_y_x7e_z":2,"ok":["a"]}`).Content[0].Text)
		assert.JSONEq(t, `{"größe":1,"gr_xf6__xdf_e":2}`, c.call("own", `{"größe":1,"gr_xf6__xdf_e":2}`).Content[0].Text, "the key beside the name is no argument")
		assert.JSONEq(t, `{"größe":1,"other":true}`, c.call("own", `{"größe":1,"other":true}`).Content[0].Text)
		for arguments, want := range map[string]string{
			``:                                `gr_xf6__xdf_e is required`,
			`{"größe":"x"}`:                   `größe must be an integer, got the string "x"`,
			`{"gr_xf6__xdf_e":"x"}`:           `gr_xf6__xdf_e must be an integer, got the string "x"`,
			`{"größe":1,"x_x2f_y_x7e_z":"x"}`: `x_x2f_y_x7e_z must be an integer, got the string "x"`,
			`{"größe":1,"x_x2f_y_x7e_z":"1"}`: `ok is required, because x_x2f_y_x7e_z is given`,
			`{"größe":1,"issue_types_x5b__x5d_":["` + strings.Repeat("a", 40) + `"]}`: `argument "issue_types_x5b__x5d_" exceeds the limit of 40 bytes`,
		} {
			r := c.call("own", arguments)
			require.True(t, r.IsError, arguments)
			assert.Contains(t, r.Content[0].Text, want, arguments)
		}
	}
}

// All of a problem is in the words of the client: the message, the allowed names, the
// suggestion and the schemas that it quotes. Only an argument that the client has sent by name
// has its name.
func TestProblemsOfOwnToolsHaveTheKeys(t *testing.T) {
	t.Parallel()
	const properties = `"properties":{"größe":{"type":"integer"},"file path":{"type":"string"},"ok":{"type":"boolean"}}`
	for _, test := range []struct{ schema, arguments, text, data string }{
		{properties + `,"additionalProperties":false`, `{"x":1}`, `x is not an argument of this tool`, `"allowed":["file_x20_path","gr_xf6__xdf_e","ok"]`},
		{properties + `,"additionalProperties":false`, `{"file_x20_pat":1}`, `file_x20_pat is not an argument of this tool (did you mean "file_x20_path"?)`, `"suggestion":"file_x20_path"`},
		{properties + `,"additionalProperties":false`, `{"größ":1}`, `größ is not an argument of this tool (did you mean "gr_xf6__xdf_e"?)`, `"suggestion":"gr_xf6__xdf_e"`},
		{properties + `,"additionalProperties":false`, `{"größe":1,"gr_xf6__xdf_e":2}`, `gr_xf6__xdf_e is not an argument of this tool`, `"argument":"gr_xf6__xdf_e"`},
		{properties + `,"additionalProperties":false`, `{"x":1,"file path":"a","file_x20_path":"b"}`, `x is not an argument of this tool; file_x20_path is not an argument of this tool`, `"argument":"file_x20_path","reason":"unknown","message":"is not an argument of this tool","allowed"`},
		{properties + `,"additionalProperties":false`, `{"größe":"x","gr_xf6__xdf_e":2}`, `größe must be an integer, got the string "x"; gr_xf6__xdf_e is not`, `"argument":"größe"`},
		{properties + `,"oneOf":[{"required":["größe"]},{"required":["file path"]}]`, `{"gr_xf6__xdf_e":1,"file_x20_path":"x"}`, `the object must not have the members gr_xf6__xdf_e, file_x20_path together; remove one of them`, ``},
		{properties + `,"oneOf":[{"required":["größe"]},{"required":["file path"]}]`, `{}`, `gr_xf6__xdf_e is required, unless file_x20_path is given`, ``},
		{properties + `,"not":{"required":["größe","file path"]}`, `{"gr_xf6__xdf_e":1,"file_x20_path":"x"}`, `the object must not have the members gr_xf6__xdf_e, file_x20_path together`, ``},
		{properties + `,"not":{"required":["größe"]}`, `{"gr_xf6__xdf_e":1}`, `the object must not have the member gr_xf6__xdf_e; remove it`, ``},
		{properties + `,"dependentRequired":{"größe":["file path"]}`, `{"gr_xf6__xdf_e":1}`, `file_x20_path is required, because gr_xf6__xdf_e is given`, ``},
		{properties + `,"dependentRequired":{"größe":["file path"]}`, `{"größe":1}`, `file_x20_path is required, because gr_xf6__xdf_e is given`, ``},
		{properties + `,"oneOf":[{"properties":{"größe":{"minimum":1}}},{"properties":{"größe":{"maximum":9}}}]`, `{"gr_xf6__xdf_e":5}`,
			`the object must match only one of the JSON Schemas {"properties":{"gr_xf6__xdf_e":{"title":"größe","minimum":1}}} and {"properties":{"gr_xf6__xdf_e":{"title":"größe","maximum":9}}}, got {"gr_xf6__xdf_e":5}`, ``},
		{properties + `,"anyOf":[{"properties":{"größe":{"const":1}},"required":["größe"]},{"properties":{"größe":{"const":2}},"required":["größe"]}]`, `{"gr_xf6__xdf_e":5}`, `gr_xf6__xdf_e must be one of 1, 2, got 5`, `"argument":"gr_xf6__xdf_e"`},
		{properties + `,"unevaluatedProperties":false`, `{"x":1}`, `x is unknown; remove it`, ``},
		// The keys have other names, which these keywords would reject: the problems are those of the names.
		{properties + `,"propertyNames":{"pattern":"^[a-zöß ]+$"}`, `{"gr_xf6__xdf_e":1,"file_x20_path":"x"}`, ``, ``},
		{properties + `,"propertyNames":{"pattern":"^[a-zöß ]+$"}`, `{"gr_xf6__xdf_e":"x"}`, `gr_xf6__xdf_e must be an integer`, `"argument":"gr_xf6__xdf_e"`},
		{properties + `,"patternProperties":{"ö":{"minimum":2}}`, `{"gr_xf6__xdf_e":1}`, `gr_xf6__xdf_e must be at least 2, got 1`, ``},
	} {
		var schema jsonschema.Schema
		require.NoError(t, json.Unmarshal([]byte(`{"type":"object",`+test.schema+`}`), &schema))
		srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "own", InputSchema: &schema, Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
			return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "called"}}}, nil
		}}}}, prompts.Options{})
		for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
			r := connect(t, srv, version).call("own", test.arguments)
			require.Len(t, r.Content, 1, r.Message)
			assert.Equal(t, test.text != "", r.IsError, r.Content[0].Text)
			assert.Contains(t, r.Content[0].Text, test.text, "%s %s", test.schema, test.arguments)
			if version >= "2025-06-18" {
				assert.Contains(t, string(r.StructuredContent), test.data, "%s %s", test.schema, test.arguments)
			}
		}
	}
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// The arguments of get_prompt are no keys of a tool, so list_prompts has the names.
func TestPairHasTheNames(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Select: all, Pair: &prompttools.Pair{}}, prompts.Options{}, echoPrompt("größe"))
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		assert.Contains(t, c.call("list_prompts", "").Content[0].Text, `"properties":{"größe":`)
		assert.Equal(t, `{"größe":"1"}`, c.call("get_prompt", `{"name":"p","arguments":{"größe":"1"}}`).Content[0].Text)
	}
}

// get_prompt takes its arguments as an object, or as a string with the JSON of an object,
// which the same parser reads.
func TestPairTakesText(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 128) + strings.Repeat("]", 128)
	for name, middleware := range map[string]func(next prompts.Handler) prompts.Handler{"": nil, "middleware": func(next prompts.Handler) prompts.Handler { return next }} {
		srv, _ := serve(t, prompttools.Options{Select: all, Pair: &prompttools.Pair{}}, prompts.Options{Middleware: middleware, Limits: prompts.Limits{MaxArguments: 6, MaxArgumentBytes: 300}}, reviewPrompt())
		for text, want := range map[string]string{
			`{"language":"go","lines":3,"strict":true,"tags":[1,2],"when":{"day":"x\n\u00e9"}}`: "go 3 true [1 2] x\né",
			` {"language":"go","lines":"2" } `:                                                  "go 2 false [] ",
			`{"language":"go","lines":"20"}`:                                                    "go 20 false [] ",
			`{}`:                                                                                `!language is required`,
			``:                                                                                  `!arguments must be a JSON object`,
			`[1]`:                                                                               `!arguments must be a JSON object`,
			`"{}"`:                                                                              `!arguments must be a JSON object`,
			`null`:                                                                              `!arguments must be a JSON object`,
			`language=go`:                                                                       `!arguments must be a JSON object`,
			`{"language":"go"}x`:                                                                `!arguments must be a JSON object: invalid JSON at byte 17: unexpected data after the JSON value`,
			`{'language':'go'}`:                                                                 `!arguments must be a JSON object: invalid JSON at byte 1: expected an object key`,
			`{"language":"go","language":"go"}`:                                                 `!arguments must be a JSON object: duplicate key "language" at byte 17`,
			`{"language":"go","l\u0061nguage":"go"}`:                                            `!arguments must be a JSON object: duplicate key "language" at byte 17`,
			`{"language":"go","when":` + deep + `}`:                                             `!arguments must be a JSON object: nesting exceeds 128 levels at byte`,
			`{"language":"` + strings.Repeat("x", 301) + `"}`:             `!argument "language" exceeds the limit of 300 bytes`,
			`{"language":"go","a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`:       `!too many arguments (limit 6)`,
			`{"language":"go","tags":["` + strings.Repeat("x", 9) + `"]}`: `!tags[0] must be an integer`,
		} {
			for _, version := range prompttest.Versions() {
				c := connect(t, srv, version)
				_, entries, _ := c.list("")
				assert.Contains(t, jsonText(t, entries), `"arguments":{"description":"the arguments, by the inputSchema of the prompt","type":"object"}`)
				r := c.call("get_prompt", fmt.Sprintf(`{"name":"review","arguments":%s}`, jsonText(t, text)))
				require.Len(t, r.Content, 1, "%s %s %+v", name, text, r)
				wanted, isError := strings.CutPrefix(want, "!")
				assert.Equal(t, isError, r.IsError, "%s %s", name, text)
				assert.Contains(t, r.Content[0].Text, wanted, "%s %s", name, text)
			}
		}
	}
}

// The user's answer counts for the arguments, in whatever form the client repeats them.
func TestPairTakesTextWithAnswers(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Select: all, Pair: &prompttools.Pair{}}, prompts.Options{ElicitArguments: true}, reviewPrompt())
	c := connect(t, srv, "2026-07-28")
	r := c.call("get_prompt", `{"name":"review","arguments":"{\"lines\":3}"}`)
	require.Equal(t, "input_required", r.ResultType)
	r = c.call("get_prompt", `{"name":"review","arguments":{"lines":"3"}}`, fmt.Sprintf(`"inputResponses":{"prompt.arguments":{"action":"accept","content":{"language":"go"}}},"requestState":%q`, r.RequestState))
	assert.Equal(t, "go 3 false [] ", r.Content[0].Text)
}

// A schema that makes the list of all tools too deep for a strict client is an error of its
// prompt.
func TestDeepSchemas(t *testing.T) {
	t.Parallel()
	deep := &jsonschema.Schema{Type: "string"}
	for range 124 {
		deep = &jsonschema.Schema{Type: "array", Items: deep}
	}
	p := prompts.Prompt{Name: "deep", Arguments: []prompts.Argument{{Name: "x", Schema: deep}}, Render: echoPrompt().Render}
	for _, pair := range []*prompttools.Pair{nil, {}} {
		srv, reg := serve(t, prompttools.Options{Select: all, Pair: pair}, prompts.Options{}, reviewPrompt())
		err := reg.Add(p)
		var rejected *prompts.DeclarationError
		require.ErrorAs(t, err, &rejected)
		assert.Equal(t, "deep", rejected.Prompt)
		assert.ErrorContains(t, err, "entry in the list of tools: nesting exceeds 12")
		c := connect(t, srv, "2025-11-25")
		if pair != nil {
			assert.Contains(t, c.call("list_prompts", "").Content[0].Text, `"name":"review"`)
		} else {
			names, _, _ := c.list("")
			assert.Equal(t, []string{"review"}, names)
		}
	}
}
