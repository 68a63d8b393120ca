package prompttemplate_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

type Options struct {
	Tone  string `json:"tone,omitempty"`
	Lines int    `json:"lines,omitempty"`
}

// Reach is not what says the arguments.
func (o *Options) Reach() string { return "far" }

type Pointed struct {
	Link *url.URL `json:"link,omitempty"`
	*Innermost
}

type Innermost struct {
	Depth *int `json:"depth"`
}

type Review struct {
	Code     string   `json:"code"`
	Language *string  `json:"language"`
	Focus    []string `json:"focus,omitempty"`
	Hidden   string   `json:"-"`
	private  string
	Options
	*Pointed
	Named `json:"named,omitempty"`
}

type Named struct {
	Count int `json:"count"`
}

// Summary is not what says the arguments.
func (r Review) Summary() string { return r.Code + r.private }

const allOfReview = "{{.Code}}{{.Language}}{{.Focus}}{{.Tone}}{{.Lines}}{{.Link}}{{.Depth}}{{.Named}}"

func TestErrorsOfATypedTemplate(t *testing.T) {
	t.Parallel()
	const fields = "{{.Code}}, {{.Language}}, {{.Focus}}, {{.Tone}}, {{.Lines}}, {{.Link}}, {{.Depth}}, {{.Named}}"
	for _, c := range []struct{ name, text, want string }{
		{"a wrong letter", "\n{{.Langauge}}", "line 2: Review has no field Langauge; did you mean {{.Language}}?"},
		{"the name of an argument", "{{.language}}", "line 1: Review has no field language; did you mean {{.Language}}?"},
		{"nothing that is near", "{{.Owner}}", "line 1: Review has no field Owner; add it, or use one of: " + fields},
		{"a function named as an argument", "{{code}}", `line 1: there is no function "code"; write {{.Code}} for the argument`},
		{"a function named as a field", "{{Code}}", `line 1: there is no function "Code"; write {{.Code}} for the argument`},
		{"a method", "{{.Summary}}", "line 1: Summary is a method of Review, and only its fields are the data; add a function to Options.Funcs and give it the fields"},
		{"a method that is promoted", "{{.Reach}}", "line 1: Reach is a method of Review, and only its fields are the data; add a function to Options.Funcs and give it the fields"},
		{"a method of an embedded struct", "{{.Options.Reach}}", "line 1: Reach is a method of Options, and only its fields are the data; add a function to Options.Funcs and give it the fields"},
		{"a field that is no argument", "{{.Hidden}}", "line 1: the field Hidden of Review is no argument, by its json tag or because another of that name hides it"},
		{"a field that is not exported", "{{.private}}", "line 1: the field private of Review is not exported, so it is no argument"},
		{"an embedded struct as a whole", "{{.Options}}", "line 1: Options is a struct of several arguments; write one of its fields, as in {{.Options.Name}}"},
		{"a field that an embedded struct has not", "{{.Options.Tome}}", "line 1: Options has no field Tome; did you mean {{.Tone}}?"},
		{"the arguments as a whole", "{{json .}}", "line 1: this is all arguments at once; write one of them, such as {{.Code}}"},
		{"an index", `{{index . "language"}}`, "line 1: index does not work on a struct, whose fields are written by name; did you mean {{.Language}}?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := prompttemplate.NewTyped[Review](prompts.Prompt{Name: "p"}, prompttemplate.Options{},
				prompttemplate.User(allOfReview), prompttemplate.User(c.text))
			assert.EqualError(t, err, `prompt "p": message 2, `+c.want)
		})
	}
}

type twice struct {
	First
	second
}

type First struct {
	X string `json:"a"`
	Y string `json:"c"`
}

type second struct {
	X string `json:"b"`
	Z string `json:"d"`
}

type Other struct {
	X string `json:"b"`
}

func TestTypedArgumentsThatAreNotUsed(t *testing.T) {
	t.Parallel()
	_, err := prompttemplate.NewTyped[Review](prompts.Prompt{Name: "p"}, prompttemplate.Options{},
		prompttemplate.User("{{.Code}}{{.Options.Tone}}{{.Pointed.Innermost.Depth}}{{.Named.Count}}"))
	assert.EqualError(t, err, `prompt "p": no message uses the argument "language"; write {{.Language}} where its value belongs, or leave the argument out
prompt "p": no message uses the argument "focus"; write {{.Focus}} where its value belongs, or leave the argument out
prompt "p": no message uses the argument "lines"; write {{.Lines}} where its value belongs, or leave the argument out
prompt "p": no message uses the argument "link"; write {{.Link}} where its value belongs, or leave the argument out`)

	// A name that Go does not promote is written with the embedded struct's.
	_, err = prompttemplate.NewTyped[struct {
		First
		Other
	}](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("{{.Other.X}}{{.X}}"))
	assert.EqualError(t, err, `prompt "p": message 1, line 1: the struct has no field X; add it, or use one of: {{.First.X}}, {{.Y}}, {{.Other.X}}
prompt "p": no message uses the argument "a"; write {{.First.X}} where its value belongs, or leave the argument out
prompt "p": no message uses the argument "c"; write {{.Y}} where its value belongs, or leave the argument out`)
}

type Again struct {
	Text string `json:"text"`
	*Again
}

type Hiding struct {
	Shown string `json:"text"`
	Again
}

// A struct that embeds itself, and a field that another hides by its name on
// the wire, are what they are to package prompts.
func TestHiddenFields(t *testing.T) {
	t.Parallel()
	p, err := prompttemplate.NewTyped[Again](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("{{.Text}}"))
	require.NoError(t, err)
	texts, _, err := get(t, p, map[string]string{"text": "x"})
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, texts)

	_, err = prompttemplate.NewTyped[Hiding](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("{{.Shown}}{{.Text}}"))
	assert.EqualError(t, err, `prompt "p": message 1, line 1: the field Text of Hiding is no argument, by its json tag or because another of that name hides it`)
}

// The errors of a struct are the errors that a registry finds.
func TestErrorsOfAStruct(t *testing.T) {
	t.Parallel()
	type bad struct {
		F func() `json:"f"`
		G string `json:"g,string"`
	}
	_, err := prompttemplate.NewTyped[bad](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("{{.H}}{{twist}}"))
	var reg prompts.Registry
	added := reg.Add(prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, bad) (*prompts.Result, error) { return nil, nil }))
	require.Error(t, added)
	assert.EqualError(t, err, added.Error()+`
prompt "p": message 1, line 1: there is no function "twist"; write an argument as {{.name}} and a literal {{ as {{"{{"}}, or add the function to Options.Funcs`)

	_, err = prompttemplate.NewTyped[int](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("x"))
	assert.EqualError(t, err, `prompt "p": New: type argument must be a struct; without a struct, set Arguments and Render`)

	_, err = prompttemplate.NewTyped[twice](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("{{.First.X}}{{.Y}}{{.Z}}"))
	assert.EqualError(t, err, `prompt "p": argument "b": no template can write .second.X, because an embedded struct that is not exported has the field, and another has one of that name; rename one`)

	typed := prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, struct{}) (*prompts.Result, error) { return nil, nil })
	_, err = prompttemplate.NewTyped[struct{}](typed, prompttemplate.Options{}, prompttemplate.User("x"))
	assert.EqualError(t, err, `prompt "p": it has a render function already; leave it out, the messages are what is rendered`)
}

func TestTypedValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		args       map[string]string
		want       string
	}{
		{"texts", "{{.Code}} {{.Language}}", map[string]string{"language": "go"}, "x go"},
		{"a pointer that is nil", "[{{.Language}}]", nil, "[]"},
		{"a pointer that is nil, in branches", "{{if .Code}}[{{.Language}}]{{end}}{{if .Tone}}{{else}}[{{.Language}}]{{end}}{{range 1}}[{{$.Language}}]{{end}}{{with 1}}[{{$.Language}}]{{end}}", nil, "[][][][]"},
		{"a pointer that is nil, in a block", "{{with .Language}}in {{.}}{{else}}in any{{end}}", nil, "in any"},
		{"a pointer that is nil, for a function", "{{fence .Language .Code}}", nil, "```\nx\n```"},
		{"a pointer for a function", "{{fence .Language .Code}}", map[string]string{"language": "go"}, "```go\nx\n```"},
		{"a list", "{{range $i, $f := .Focus}}{{if $i}}, {{end}}{{$f}}{{end}}", map[string]string{"focus": "speed, style"}, "speed, style"},
		{"an embedded struct", "{{.Tone}} {{.Options.Tone}} {{.Lines}}", map[string]string{"tone": "kind", "lines": "3"}, "kind kind 3"},
		{"an embedded pointer that is nil", "[{{.Link}}{{.Pointed.Link}}{{.Depth}}{{.Innermost.Depth}}]", nil, "[]"},
		{"an embedded pointer", "{{.Depth}} {{.Link}}", map[string]string{"depth": "2", "link": "https://example.com/a"}, "2 https://example.com/a"},
		{"a part of an argument", "{{.Named.Count}} {{.Count}}", map[string]string{"named": `{"count": 2}`}, "2 2"},
		{"JSON", "{{json .Focus}} {{json .Named}} {{json .Language}}", map[string]string{"focus": `a<b,"`}, `["a<b","\""] {"count":0} null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := prompttemplate.NewTyped[Review](prompts.Prompt{Name: "p"}, prompttemplate.Options{},
				prompttemplate.User(c.text), prompttemplate.User(allOfReview))
			require.NoError(t, err)
			args := map[string]string{"code": "x"}
			for name, value := range c.args {
				args[name] = value
			}
			texts, _, err := get(t, p, args)
			require.NoError(t, err)
			assert.Equal(t, c.want, texts[0])
		})
	}
}

type moments struct {
	At    time.Time      `json:"at"`
	Link  url.URL        `json:"link"`
	After time.Duration  `json:"after"`
	Bits  shaped         `json:"bits"`
	Any   map[string]any `json:"any"`
}

type shaped struct{ n int }

func (s *shaped) UnmarshalText(text []byte) error { s.n = len(text); return nil }
func (s *shaped) String() string                  { return strings.Repeat("*", s.n) }
func (s *shaped) MarshalJSON() ([]byte, error)    { return fmt.Appendf(nil, "%d", s.n), nil }

// A type says itself how it is written, through a pointer too.
func TestTypedValuesWriteThemselves(t *testing.T) {
	t.Parallel()
	p, err := prompttemplate.NewTyped[moments](prompts.Prompt{Name: "p"}, prompttemplate.Options{},
		prompttemplate.User("{{.At}}|{{.Link}}|{{.After}}|{{.Bits}}|{{.Any.a}}|{{.Any.none}}"),
		prompttemplate.User("{{fence .Link .Bits}}|{{fence .After .Any.a}}|{{untrusted .Any.none .At}}|{{json .Bits}}|{{json .Any.none}}"))
	require.NoError(t, err)
	texts, _, err := get(t, p, map[string]string{"at": "2026-07-28T00:00:00Z", "link": "x:y", "after": "1h", "bits": "abc", "any": `{"a": 1}`})
	require.NoError(t, err)
	const at = "2026-07-28 00:00:00 +0000 UTC"
	assert.Equal(t, []string{
		at + "|x:y|1h0m0s|***|1|",
		"```x:y\n***\n```|```1h0m0s\n1\n```|" + prompts.Untrusted("", at) + "|3|null",
	}, texts)
}

// Conversion, checks, hints and what is optional are the root package's.
func TestTypedPromptIsTheRoots(t *testing.T) {
	t.Parallel()
	declared := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "language", Schema: prompts.Enum("go", "rust")}}}
	p, err := prompttemplate.NewTyped[Review](declared, prompttemplate.Options{}, prompttemplate.User(allOfReview))
	require.NoError(t, err)
	_, _, err = get(t, p, map[string]string{"language": "c", "lines": "many"})
	assert.EqualError(t, err, `invalid arguments for prompt "p": code is required; language must be one of go, rust, got "c"; lines must be an integer, got "many" (-32602)`)

	var ours, root prompts.Registry
	require.NoError(t, ours.Add(p))
	require.NoError(t, root.Add(prompts.New(declared, func(context.Context, Review) (*prompts.Result, error) { return nil, nil })))
	assert.Equal(t, list(t, &root), list(t, &ours))
}

func list(t *testing.T, reg *prompts.Registry) string {
	t.Helper()
	raw, err := prompts.NewServer(reg, prompts.Options{}).Call(context.Background(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	return string(raw)
}
