package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// everyArgument has an argument of each kind and constraint.
type everyArgument struct {
	Text    string         `json:"text" jsonschema:"what to look for" title:"Text"`
	Empty   string         `json:"empty,omitempty" minLength:"0"`
	Choice  *string        `json:"choice" enum:"a,b" default:"a"`
	Pattern string         `json:"pattern,omitempty" pattern:"^[a-z]+$" maxLength:"3"`
	Bool    bool           `json:"bool,omitempty"`
	Int     int            `json:"int,omitempty" minimum:"-5" maximum:"5"`
	Small   int8           `json:"small,omitempty"`
	Byte    uint8          `json:"byte,omitempty" exclusiveMaximum:"250"`
	Count   uint           `json:"count,omitempty"`
	Even    int            `json:"even,omitempty" multipleOf:"2"`
	Numbers int            `json:"numbers,omitempty" enum:"1,2,4"`
	Float   float64        `json:"float,omitempty" exclusiveMinimum:"0"`
	Wait    time.Duration  `json:"wait,omitempty"`
	Bytes   []byte         `json:"bytes,omitempty"`
	List    []string       `json:"list,omitempty" enum:"x,y" minItems:"1" maxItems:"2"`
	Ints    []int16        `json:"ints,omitempty"`
	Pair    [2]bool        `json:"pair,omitempty"`
	Lists   [][]float64    `json:"lists,omitempty" minimum:"0"`
	Map     map[string]int `json:"map,omitempty"`
	Object  struct {
		Level string  `json:"level" enum:"low,high"`
		Note  *string `json:"note"`
	} `json:"object,omitzero"`
	Odd   int    `json:"odd,omitempty"`
	Ref   any    `json:"ref,omitempty"`
	Token string `json:"token,omitempty" sensitive:"true"`
	// Types with a text form have a schema that allows more than the type.
	Time time.Time  `json:"time,omitzero"`
	Addr netip.Addr `json:"addr,omitzero"`
	Page url.URL    `json:"page,omitzero"`
}

func everyPrompt() prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "every", Arguments: []prompts.Argument{
		{Name: "odd", Schema: &jsonschema.Schema{Not: &jsonschema.Schema{MultipleOf: ptr(2.0)}}},
		{Name: "ref", Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/digit"},
			Defs: map[string]*jsonschema.Schema{"digit": {Type: "integer", Minimum: ptr(0.0), Maximum: ptr(9.0)}}}},
	}}, func(context.Context, everyArgument) (*prompts.Result, error) { return prompts.Messages(), nil })
}

// corpus are values for every argument.
var corpus = []string{
	`true`, `false`, `0`, `1`, `2`, `3`, `-1`, `-5`, `-6`, `5`, `6`, `127`, `128`, `-128`, `-129`, `249`, `250`, `255`, `256`, `32767`, `32768`, `0.5`, `1.5`, `-0.5`,
	`"a"`, `"b"`, `"c"`, `"abc"`, `"abcd"`, `"A"`, `"x"`, `"1h30m"`, `".5s"`, `"1"`, `"1x"`, `"YQ=="`, `"YWI="`, `"a b"`, `"a,b"`, `"true"`,
	`[]`, `["x"]`, `["x","y"]`, `["x","y","x"]`, `["z"]`, `[1]`, `[1,"x"]`, `[true,false]`, `[true]`, `[[1,2],[0.5]]`, `[[-1]]`, `[9]`, `[10]`, `[40000]`, `[1.5]`,
	`{}`, `{"a":1}`, `{"a":"1"}`, `{"level":"low"}`, `{"level":"mid"}`, `{"level":"low","note":null}`, `{"level":"low","note":"n"}`, `{"level":"low","more":1}`, `{"Level":"low"}`, `{"note":"n"}`,
}

// hasTextForm are the arguments whose types allow less than their schemas.
var hasTextForm = map[string]bool{"time": true, "addr": true, "page": true}

// The schema of all arguments accepts as typed JSON what prompts/get accepts as
// strings, and rejects what that rejects.
func TestInputSchemaAgreesWithGet(t *testing.T) {
	t.Parallel()
	p := everyPrompt()
	raw, err := p.InputSchema()
	require.NoError(t, err)
	var sent jsonschema.Schema // as a reader of the JSON has it
	require.NoError(t, json.Unmarshal(raw, &sent))
	resolved, err := sent.Resolve(nil)
	require.NoError(t, err)
	srv := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{StrictArguments: true})
	judge := func(args map[string]json.RawMessage) (bySchema, byGet bool) {
		texts := map[string]string{}
		for name, value := range args {
			text := string(value)
			if value[0] == '"' {
				require.NoError(t, json.Unmarshal(value, &text))
			}
			texts[name] = text
		}
		object, err := json.Marshal(args)
		require.NoError(t, err)
		var instance any
		require.NoError(t, json.Unmarshal(object, &instance))
		params, err := json.Marshal(map[string]any{"name": "every", "arguments": texts})
		require.NoError(t, err)
		_, err = srv.Call(t.Context(), "prompts/get", params, prompts.CallOptions{Version: "2025-11-25"})
		return resolved.Validate(instance) == nil, err == nil
	}
	accepted, rejected := 0, 0
	for a := range sent.Properties {
		for _, value := range corpus {
			typ := sent.Properties[a].Type
			if isText := value[0] == '"'; isText != (typ == "string") || typ == "array" && value[0] != '[' {
				continue // the text of such a value is that of another one: "1" of the list [1]
			}
			bySchema, byGet := judge(map[string]json.RawMessage{"text": json.RawMessage(`"x"`), a: json.RawMessage(value)})
			if hasTextForm[a] {
				assert.True(t, bySchema || !byGet, "%s: %s", a, value)
				continue
			}
			assert.Equal(t, byGet, bySchema, "%s: %s", a, value)
			if byGet {
				accepted++
			} else {
				rejected++
			}
		}
	}
	assert.Greater(t, accepted, 80)
	assert.Greater(t, rejected, 200)
	for name, args := range map[string]map[string]json.RawMessage{
		"a required argument is missing": {},
		"an argument is not declared":    {"text": json.RawMessage(`"x"`), "texts": json.RawMessage(`"x"`)},
	} {
		bySchema, byGet := judge(args)
		assert.False(t, bySchema || byGet, name)
	}
	bySchema, byGet := judge(map[string]json.RawMessage{"text": json.RawMessage(`""`)})
	assert.Equal(t, byGet, bySchema, "a required string that is empty")
}

// The schema has everything that is known of the arguments, and is valid.
func TestInputSchema(t *testing.T) {
	t.Parallel()
	p := everyPrompt()
	raw, err := p.InputSchema()
	require.NoError(t, err)
	var s *jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &s))
	assert.Equal(t, "https://json-schema.org/draft/2020-12/schema", s.Schema)
	assert.Equal(t, []string{"text"}, s.Required)
	assert.Equal(t, "Text", s.Properties["text"].Title)
	assert.Equal(t, "what to look for", s.Properties["text"].Description)
	assert.JSONEq(t, `"a"`, string(s.Properties["choice"].Default))
	assert.True(t, s.Properties["token"].WriteOnly)
	assert.Equal(t, "date-time", s.Properties["time"].Format)

	var instance any
	require.NoError(t, json.Unmarshal(raw, &instance))
	assert.NoError(t, metaschema(t).Validate(instance), "%s", raw)

	var reg prompts.Registry
	reg.MustAdd(p)
	again, _ := reg.Lookup("every")
	same, err := again.InputSchema()
	require.NoError(t, err)
	assert.Equal(t, string(raw), string(same), "a copy of the registry has the same")

	raw, err = servertest.PromptOf[servertest.One[string]](prompts.Argument{Name: "a", Enum: []string{"", "x"}}).InputSchema()
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "minLength", "a required string that may be empty")

	_, err = servertest.PromptOf[struct {
		A int `minimum:"x"`
	}]().InputSchema()
	assert.EqualError(t, err, `prompt "p": argument "A": tag minimum must be a number, got "x"`)
}

// metaschema returns the schema of schemas, which comes with jsonschema-go.
func metaschema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	require.NoError(t, err)
	load := func(u *url.URL) (*jsonschema.Schema, error) {
		name := strings.TrimPrefix(u.Path, "/draft/2020-12/")
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema/meta-schemas/draft2020-12", name+".json"))
		if err != nil {
			return nil, err
		}
		s := new(jsonschema.Schema)
		return s, json.Unmarshal(text, s)
	}
	s, err := load(&url.URL{Path: "/draft/2020-12/schema"})
	require.NoError(t, err)
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{Loader: load})
	require.NoError(t, err)
	return resolved
}

// A tool, a preview or a form of the same arguments is made from their schema.
func ExamplePrompt_InputSchema() {
	type Search struct {
		Query string   `json:"query" jsonschema:"what to look for"`
		Tags  []string `json:"tags,omitempty" enum:"bug,docs"`
		Limit int      `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
	}
	raw, err := prompts.New(prompts.Prompt{Name: "search"}, echoed[Search]).InputSchema()
	if err != nil {
		fmt.Println(err)
		return
	}
	var s struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &s); err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"query", "tags", "limit"} {
		fmt.Println(name, string(s.Properties[name]))
	}
	// Output:
	// query {"type":"string","description":"what to look for","minLength":1}
	// tags {"type":"array","items":{"type":"string","enum":["bug","docs"]}}
	// limit {"type":"integer","default":10,"minimum":1,"maximum":50}
}

// Options.InputSchemas is for the lists of one server, and not for those of another server of
// the same registry. The session list_schemas has the entries.
func TestInputSchemasInLists(t *testing.T) {
	t.Parallel()
	reg := servertest.RegistryOf(everyPrompt())
	for _, o := range []prompts.Options{{InputSchemas: true}, {}} {
		got, e := servertest.Call(t, prompts.MustNewServer(reg, o), servertest.MethodList, "")
		require.Nil(t, e)
		assert.Equal(t, o.InputSchemas, strings.Contains(got, servertest.InputSchemaKey))
	}
}
