package prompttools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

// Arguments are JSON of their types. What is wrong with them is a result that says so
// to a model.
func TestArguments(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Limits: prompts.Limits{MaxArguments: 6, MaxArgumentBytes: 250}}, reviewPrompt())
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for name, test := range map[string]struct{ arguments, want string }{
		"typed":                  {`{"language":"go","lines":3,"strict":true,"tags":[1,2],"when":{"day":"x"}}`, "go 3 true [1 2] x"},
		"defaults":               {`{"language":"go"}`, "go 10 false [] "},
		"an integer as a float":  {`{"language":"go","lines":3.0}`, "go 3 false [] "},
		"an integer as a power":  {`{"language":"go","lines":1e1}`, "go 10 false [] "},
		"a string for a number":  {`{"language":"go","lines":"3"}`, "go 3 false [] "},
		"a fraction as a string": {`{"language":"go","lines":"3.5"}`, `!lines must be an integer, got "3.5"`},
		"a float as a string":    {`{"language":"go","lines":"3.0"}`, `!lines must be an integer, got "3.0"`},
		"a huge string":          {`{"language":"go","lines":"18446744073709551619"}`, `!lines must be an integer from -`},
		"a bound as a string":    {`{"language":"go","lines":"51"}`, `!lines must be from 1 to 50, got 51`},
		"a space and a number":   {`{"language":"go","lines":" 3"}`, "go 3 false [] "},
		"no number at all":       {`{"language":"go","lines":""}`, `!lines must be an integer, got the string ""`},
		"a number in a list":     {`{"language":"go","tags":["1"]}`, `!tags[0] must be an integer, got the string "1"`},
		"a number for a string":  {`{"language":3}`, `!language must be `},
		"a fraction":             {`{"language":"go","lines":1.5}`, `!lines must be `},
		"a string for a boolean": {`{"language":"go","strict":"true"}`, "go 10 true [] "},
		"no boolean":             {`{"language":"go","strict":"yes"}`, `!strict must be true or false, got "yes"`},
		"a string for a list":    {`{"language":"go","tags":"1,2"}`, `!tags must be `},
		"null":                   {`{"language":"go","lines":null,"strict":null,"tags":null,"when":null}`, "go 10 false [] "},
		"null for a required":    {`{"language":null}`, `!language is required`},
		"null inside":            {`{"language":"go","when":{"day":null}}`, `!when.day must be a string, got null`},
		"null, but unknown":      {`{"language":"go","line":null}`, `!line is not an argument of this prompt (did you mean "lines"?)`},
		"an enum":                {`{"language":"rust"}`, `!language must be one of`},
		"a bound":                {`{"language":"go","lines":51}`, `!lines `},
		"missing":                {`{}`, `!language is required`},
		"none at all":            {``, `!language is required`},
		"unknown":                {`{"language":"go","line":1}`, `!line is not an argument of this prompt (did you mean "lines"?)`},
		"no object":              {`[1]`, `!arguments must be a JSON object`},
		"too many":               {`{"language":"go","a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`, `!too many arguments (limit 6)`},
		"too large":              {`{"language":"` + strings.Repeat("x", 251) + `"}`, `!argument "language" exceeds the limit of 250 bytes`},
		"a list too large":       {`{"language":"go","tags":[` + strings.Repeat("1,", 125) + `1]}`, `!argument "tags" exceeds the limit of 250 bytes`},
		"nested":                 {`{"language":"go","when":` + deep + `}`, `!`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, version := range prompttest.Versions() {
				r := connect(t, srv, version).call("review", test.arguments)
				require.Len(t, r.Content, 1, "%s: %+v", version, r)
				want, isError := strings.CutPrefix(test.want, "!")
				assert.Equal(t, isError, r.IsError, version)
				if isError {
					assert.Contains(t, r.Content[0].Text, want, version)
				} else {
					assert.Equal(t, want, r.Content[0].Text, version)
				}
				isAboutOne := isError && name != "no object" && name != "too many" && !strings.HasSuffix(name, "too large")
				if version < "2025-06-18" || !isError {
					assert.Nil(t, r.StructuredContent, version)
				} else if isAboutOne {
					assert.Contains(t, string(r.StructuredContent), `,"prompt":"review","problems":[{"argument":`, version)
				}
			}
		})
	}
}

// A failure of the prompt is a result if the model or the user can do something about
// it, and else an error.
func TestFailures(t *testing.T) {
	t.Parallel()
	const internal = `{"code":-32603,"message":"internal error: prompt \"p\" failed (error id `
	failing := func(err error) prompts.Prompt {
		return prompts.NewText(prompts.Prompt{Name: "p"}, func(context.Context, struct{}) (string, error) { return "", err })
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"an Error":        {fmt.Errorf("secret: %w", &prompts.Error{Code: 7, Message: "no such branch", Data: map[string]int{"n": 1}}), `{"isError":true,"structuredContent":{"message":"no such branch","n":1},"content":[{"type":"text","text":"no such branch"}]}`},
		"an own message":  {&prompts.Error{Code: 7, Message: "no such branch", Data: map[string]string{"message": "other"}}, `{"isError":true,"content":[{"type":"text","text":"no such branch"}]}`},
		"empty data":      {&prompts.Error{Code: 7, Message: "no such branch", Data: struct{}{}}, `{"isError":true,"structuredContent":{"message":"no such branch"},"content":[{"type":"text","text":"no such branch"}]}`},
		"an argument":     {prompts.InvalidArgument("a", "is too old"), `{"isError":true,"structuredContent":{"message":"invalid arguments for prompt \"p\": a: is too old","prompt":"p","problems":[{"argument":"a","reason":"refused","message":"is too old"}]},"content":[{"type":"text","text":"invalid arguments for prompt \"p\": a: is too old"}]}`},
		"any other":       {errors.New("secret"), internal},
		"an open code":    {&prompts.Error{Code: -32000, Message: "m"}, internal},
		"not to be asked": {prompts.ErrElicitationUnavailable, `{"isError":true,"content":[{"type":"text","text":"the prompt asks the user for input, but no answer was received"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, failing(test.err))
			got := connect(t, srv, "2025-11-25").request("tools/call", `"name":"p"`)
			if test.want == internal {
				assert.Contains(t, got, internal)
				return
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// A result that prompts/get rejects is an internal error about the prompt.
func TestInvalidResults(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]*prompts.Result{
		"no result":       nil,
		"no content":      prompts.Messages(prompts.Message{Role: prompts.RoleUser}),
		"an unknown role": prompts.Messages(prompts.Message{Role: "system", Content: &prompts.Text{Text: "x"}}),
	} {
		srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return result, nil }})
		for _, version := range prompttest.Versions() {
			assert.Contains(t, connect(t, srv, version).request("tools/call", `"name":"p"`), `"message":"internal error: prompt \"p\" returned an invalid result`, name)
		}
	}
}

// Structured content is under the limit of a result, like content.
func TestStructuredContentIsBounded(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "large", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "ok"}}, Structured: map[string]string{"a": strings.Repeat("x", 1000)}}, nil
	}}}}, prompts.Options{Limits: prompts.Limits{MaxResultBytes: 900}})
	for _, version := range prompttest.Versions() {
		r := connect(t, srv, version).call("large", "")
		if version < "2025-06-18" {
			assert.Equal(t, "ok", r.Content[0].Text, "it is not sent")
		} else {
			assert.Contains(t, r.Message, `internal error: tool "large" returned an invalid result`)
		}
	}
}

// The limit of a result is not for the head of the response.
func TestSmallestLimitOfResults(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "hi", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "hi"}}}, nil
	}}}}, prompts.Options{Limits: prompts.Limits{MaxResultBytes: 2}})
	for _, version := range prompttest.Versions() {
		r := connect(t, srv, version).call("hi", "")
		require.Len(t, r.Content, 1, r.Message)
		assert.Equal(t, "hi", r.Content[0].Text)
	}
}

// Params of a wrong form, and tools that do not exist, are errors.
func TestBadCalls(t *testing.T) {
	t.Parallel()
	srv, reg := serve(t, prompttools.Options{Select: all}, prompts.Options{}, reviewPrompt(), textPrompt("gone", ""))
	reg.Remove("gone")
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		for params, want := range map[string]string{
			``:                             `params.name is required and must be a string`,
			`"name":1`:                     `params.name must be a string, got number`,
			`"Name":"review"`:              `unknown member \"Name\"`,
			`"name":"gone"`:                `unknown tool \"gone\"`,
			`"name":"reviews"`:             `unknown tool \"reviews\"; did you mean \"review\"?`,
			`"name":""`:                    `unknown tool \"\"`,
			`"name":"review","x":"\ud800"`: ``,
		} {
			got := c.request("tools/call", params)
			assert.Contains(t, got, want, version)
			if want != "" {
				assert.Contains(t, got, `"code":-32602`, version)
			}
		}
	}
}

// The messages become content in order. Only a conversation shows who speaks.
func TestContent(t *testing.T) {
	t.Parallel()
	messages := []prompts.Message{
		prompts.User("a"),
		prompts.UserContent(&prompts.Image{Data: []byte{1}, MIMEType: "image/png"}),
		prompts.UserContent(&prompts.EmbeddedResource{URI: "file:///a", Text: "b"}),
	}
	assert.Equal(t, []prompts.Content{&prompts.Text{Text: "a\n"}, messages[1].Content, messages[2].Content}, prompttools.Content(messages))
	assert.Equal(t, []prompts.Content{&prompts.Text{Text: "a\n"}, &prompts.Text{Text: "b\n"}, &prompts.Text{Text: "c"}},
		prompttools.Content([]prompts.Message{prompts.UserContent(&prompts.Text{Text: "a"}), prompts.User("b\n"), prompts.User("c")}))
	messages = append(messages, prompts.Assistant("c"))
	assert.Equal(t, []prompts.Content{
		&prompts.Text{Text: "User:\na\n"},
		&prompts.Text{Text: "User:\n"}, messages[1].Content,
		&prompts.Text{Text: "User:\n"}, messages[2].Content,
		&prompts.Text{Text: "Assistant:\nc"},
	}, prompttools.Content(messages))
	assert.Empty(t, prompttools.Content(nil))

	p := prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Meta: prompts.Meta{"example.org/a": 1}, Messages: append(slices.Clone(messages), prompts.UserContent(&prompts.ResourceLink{URI: "file:///b", Name: "b"}))}, nil
	}}
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, p)
	for _, version := range prompttest.Versions() {
		r := connect(t, srv, version).call("p", "{}")
		require.Len(t, r.Content, 8, version)
		assert.Equal(t, "image", r.Content[2].Type)
		assert.Equal(t, "file:///a", r.Content[4].Resource.URI)
		assert.Equal(t, 1.0, r.Meta["example.org/a"])
	}
	srv, _ = serve(t, prompttools.Options{Select: all, Content: func(m []prompts.Message) []prompts.Content {
		return []prompts.Content{&prompts.Text{Text: fmt.Sprint(len(m))}}
	}}, prompts.Options{}, p)
	assert.Equal(t, "5", connect(t, srv, "2025-11-25").call("p", "").Content[0].Text)
}

// Options that cannot be served are errors.
func TestOptionErrors(t *testing.T) {
	t.Parallel()
	call := func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, nil }
	for want, o := range map[string]prompttools.Options{
		"PageSize must not be negative":        {PageSize: -1},
		"ClientCache.TTL must not be negative": {ClientCache: feature.ClientCache{TTL: -1}},
		`tool "a": Call is nil`:                {Tools: []prompttools.Tool{{Name: "a"}}},
		`tool name "a b" (3 bytes) is invalid: must have 1 to 128 of the characters A-Z a-z 0-9 . - _`: {Tools: []prompttools.Tool{{Name: "a b", Call: call}}},
		`tool "a" is defined twice`:                                      {Tools: []prompttools.Tool{{Name: "a", Call: call}, {Name: "a", Call: call}}},
		`tool "list_prompts" is defined twice`:                           {Pair: &prompttools.Pair{}, Tools: []prompttools.Tool{{Name: "list_prompts", Call: call}}},
		`tool "x" is defined twice`:                                      {Pair: &prompttools.Pair{List: "x", Get: "x"}},
		`InputSchema: schema: type must be "object", got "string"`:       {Tools: []prompttools.Tool{{Name: "a", Call: call, InputSchema: &jsonschema.Schema{Type: "string"}}}},
		`OutputSchema: schema: type must be "object", got "string"`:      {Tools: []prompttools.Tool{{Name: "a", Call: call, OutputSchema: &jsonschema.Schema{Type: "string"}}}},
		`InputSchema: schema: /properties/a: pattern: missing closing )`: {Tools: []prompttools.Tool{{Name: "a", Call: call, InputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": {Pattern: "("}}}}}},
		`prompt "p": tool "p" exists already; rename the prompt`:         {Select: all, Tools: []prompttools.Tool{{Name: "p", Call: call}}},

		`tool name "a b" (3 bytes) is invalid: must have 1 to 128 of the characters A-Z a-z 0-9 . - _; rename the prompt`: {Select: all, ToolName: func(string) string { return "a b" }},
	} {
		var reg prompts.Registry
		reg.MustAdd(textPrompt("p", ""))
		_, err := prompttools.New(&reg, o)
		assert.ErrorContains(t, err, want)
		require.NoError(t, reg.Add(textPrompt("q", "")), "a failed New leaves nothing behind")
	}
	_, err := prompttools.New(nil, prompttools.Options{})
	assert.EqualError(t, err, "prompttools: registry is nil; for tools without prompts, use new(prompts.Registry)")
	var reg prompts.Registry
	tools, err := prompttools.New(&reg, prompttools.Options{})
	require.NoError(t, err)
	_, err = prompts.NewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{{}, tools}})
	assert.EqualError(t, err, "prompts: options: Features[1] serves the prompts of another registry; make the feature with the registry of the server")
	assert.PanicsWithError(t, `prompts: options: method "tools/list" is defined twice`, func() {
		prompts.MustNewServer(&reg, prompts.Options{Features: []feature.Feature{tools, {Methods: map[string]feature.Method{
			"tools/list": {Func: func(context.Context, json.RawMessage) (any, error) { return nil, nil }},
		}}}})
	})
}
