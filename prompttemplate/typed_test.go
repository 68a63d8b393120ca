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
		{"nothing that is near", "{{.Owner}}", "line 1: Review has no field Owner; add the field, or use one of: " + fields},
		{"a function named as an argument", "{{code}}", `line 1: unknown function "code"; did you mean {{.Code}}?`},
		{"a function named as a field", "{{Code}}", `line 1: unknown function "Code"; did you mean {{.Code}}?`},
		{"a method", "{{.Summary}}", "line 1: Summary is a method of Review, and methods cannot be called in a template; add a function to Options.Funcs"},
		{"a method that is promoted", "{{.Reach}}", "line 1: Reach is a method of Review, and methods cannot be called in a template; add a function to Options.Funcs"},
		{"a method of an embedded struct", "{{.Options.Reach}}", "line 1: Reach is a method of Options, and methods cannot be called in a template; add a function to Options.Funcs"},
		{"a field that is no argument", "{{.Hidden}}", "line 1: field Hidden of Review is not an argument: excluded by its json tag, or shadowed by another field"},
		{"a field that is not exported", "{{.private}}", "line 1: field private of Review is not exported and so is not an argument; export the field"},
		{"an embedded struct as a whole", "{{.Options}}", "line 1: Options is a struct with several arguments; use one of the fields, for example {{.Options.Name}}"},
		{"a field that an embedded struct has not", "{{.Options.Tome}}", "line 1: Options has no field Tome; did you mean {{.Tone}}?"},
		{"the arguments as a whole", "{{json .}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.Code}}"},
		{"an index", `{{index . "language"}}`, "line 1: index cannot select a field of a struct; did you mean {{.Language}}?"},
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
	assert.EqualError(t, err, `prompt "p": argument "language" is never used; add {{.Language}} to a message, or remove the argument
prompt "p": argument "focus" is never used; add {{.Focus}} to a message, or remove the argument
prompt "p": argument "lines" is never used; add {{.Lines}} to a message, or remove the argument
prompt "p": argument "link" is never used; add {{.Link}} to a message, or remove the argument`)

	// A name that Go does not promote is written with the embedded struct's.
	_, err = prompttemplate.NewTyped[struct {
		First
		Other
	}](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("{{.Other.X}}{{.X}}"))
	assert.EqualError(t, err, `prompt "p": message 1, line 1: the struct has no field X; add the field, or use one of: {{.First.X}}, {{.Y}}, {{.Other.X}}
prompt "p": argument "a" is never used; add {{.First.X}} to a message, or remove the argument
prompt "p": argument "c" is never used; add {{.Y}} to a message, or remove the argument`)
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
	assert.EqualError(t, err, `prompt "p": message 1, line 1: field Text of Hiding is not an argument: excluded by its json tag, or shadowed by another field`)
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
prompt "p": message 1, line 1: unknown function "twist"; use {{.name}} for an argument, or {{"{{"}} for a literal {{`)

	_, err = prompttemplate.NewTyped[int](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("x"))
	assert.EqualError(t, err, `prompt "p": New: type argument must be a struct; without a struct, set Arguments and Render`)

	_, err = prompttemplate.NewTyped[twice](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User("{{.First.X}}{{.Y}}{{.Z}}"))
	assert.EqualError(t, err, `prompt "p": argument "b": a template cannot select .second.X: its embedded struct is not exported, and another field has the same name; rename one of the fields`)

	typed := prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, struct{}) (*prompts.Result, error) { return nil, nil })
	_, err = prompttemplate.NewTyped[struct{}](typed, prompttemplate.Options{}, prompttemplate.User("x"))
	assert.EqualError(t, err, `prompt "p": prompt has a render function and messages; remove Render: the messages are rendered`)
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
	declared := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "language", Enum: []string{"go", "rust"}}}}
	p, err := prompttemplate.NewTyped[Review](declared, prompttemplate.Options{}, prompttemplate.User(allOfReview))
	require.NoError(t, err)
	_, _, err = get(t, p, map[string]string{"language": "c", "lines": "many"})
	assert.EqualError(t, err, `invalid arguments for prompt "p": code is required; language must be one of go, rust, got "c"; lines must be an integer, got "many" (-32602)`)

	var ours, root prompts.Registry
	p.Digest = "" // which the root has not
	require.NoError(t, ours.Add(p))
	require.NoError(t, root.Add(prompts.New(declared, func(context.Context, Review) (*prompts.Result, error) { return nil, nil })))
	assert.Equal(t, list(t, &root), list(t, &ours))
}

func list(t *testing.T, reg *prompts.Registry) string {
	t.Helper()
	raw, err := prompts.MustNewServer(reg, prompts.Options{}).Call(context.Background(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	return string(raw)
}
