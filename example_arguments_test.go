package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/netip"
	"net/url"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
)

// show adds the prompt, calls it with the arguments as JSON, and prints what a
// client gets: the text, or the error.
func show(p prompts.Prompt, calls ...string) {
	var reg prompts.Registry
	reg.MustAdd(p)
	srv := prompts.MustNewServer(&reg, prompts.Options{StrictArguments: true})
	for _, args := range calls {
		callAs(srv, "", fmt.Sprintf(`{"name":%q,"arguments":%s}`, p.Name, args))
	}
}

// showList adds the prompt and prints its arguments as clients see them.
func showList(p prompts.Prompt) {
	var reg prompts.Registry
	reg.MustAdd(p)
	raw, err := prompts.MustNewServer(&reg, prompts.Options{}).Call(context.Background(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	if err != nil {
		log.Fatal(err)
	}
	var list struct {
		Prompts []struct {
			Arguments []struct {
				Name, Description string
				Required          bool
			}
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		log.Fatal(err)
	}
	for _, a := range list.Prompts[0].Arguments {
		fmt.Printf("%s, required: %t: %s\n", a.Name, a.Required, a.Description)
	}
}

// echoed is a render function that prints what it gets.
func echoed[In any](_ context.Context, in In) (*prompts.Result, error) {
	return prompts.Messages(prompts.User(fmt.Sprintf("%+v", in))), nil
}

type paging struct {
	Page int `json:"page,omitempty"`
}

// The fields are the arguments, in their order, those of embedded structs among
// them. omitempty, omitzero and pointers make one optional; "-" makes it none.
func Example_argumentFields() {
	type Search struct {
		Query   string `json:"query" jsonschema:"what to look for"`
		Verbose *bool  `json:"verbose"`
		paging
		Cache  string `json:"-"`
		secret string
	}
	showList(prompts.New(prompts.Prompt{Name: "search"}, echoed[Search]))
	_ = Search{}.secret
	// Output:
	// query, required: true: what to look for
	// verbose, required: false: true or false
	// page, required: false: an integer
}

// On the wire every value is a text. It becomes what the field is, or the
// request is refused before the render function is called.
func Example_argumentTypes() {
	type Request struct {
		Count   int            `json:"count,omitempty"`
		Wait    time.Duration  `json:"wait,omitempty"`
		When    time.Time      `json:"when,omitzero"`
		From    netip.Addr     `json:"from,omitzero"`
		Page    *url.URL       `json:"page"`
		Files   []string       `json:"files,omitempty"`
		Sizes   []int          `json:"sizes,omitempty"`
		Options map[string]int `json:"options,omitempty"`
	}
	show(prompts.New(prompts.Prompt{Name: "p"}, func(_ context.Context, in Request) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(fmt.Sprintln(
			in.Count, in.Wait, in.When.Year(), in.From, in.Page, in.Files, in.Sizes, in.Options))), nil
	}),
		`{"count": "3", "wait": "1h30m", "when": "2026-11-21T10:00:00Z", "from": "192.0.2.1", "page": "https://example.org/",
			"files": "a.go, b.go", "sizes": "[1, 2]", "options": "{\"depth\": 2}"}`,
		`{"count": "three", "when": "today", "sizes": "1, x"}`,
	)
	// Output:
	// 3 1h30m0s 2026 192.0.2.1 https://example.org/ [a.go b.go] [1 2] map[depth:2]
	//
	// invalid arguments for prompt "p": count must be an integer, got "three"; when must be a time such as 2026-05-31T14:30:00Z, got "today"; sizes[1] must be an integer, got "x" (-32602)
}

// A tag constrains the value, by the keyword of JSON Schema with its name. On a
// list it constrains each element.
func Example_argumentTags() {
	type Search struct {
		Query string   `json:"query" minLength:"3" example:"memory leak"`
		Sort  string   `json:"sort,omitempty" enum:"date,relevance" default:"date"`
		Tags  []string `json:"tags,omitempty" enum:"bug,docs,test" maxItems:"2"`
		Limit int      `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
		Open  *bool    `json:"open" default:"true"`
	}
	p := prompts.New(prompts.Prompt{Name: "search"}, func(_ context.Context, in Search) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(fmt.Sprintln(in.Query, in.Sort, in.Tags, in.Limit, *in.Open))), nil
	})
	showList(p)
	show(p, `{"query": "leak", "tags": "bug, test"}`, `{"query": "leak", "sort": "dat", "tags": "bug, tests", "limit": "51"}`)
	// Output:
	// query, required: true: at least 3 characters, such as memory leak
	// sort, required: false: one of: date, relevance; default date
	// tags, required: false: comma-separated; at most 2 elements; each one of: bug, docs, test
	// limit, required: false: an integer from 1 to 50; default 10
	// open, required: false: true or false; default true
	// leak date [bug test] 10 true
	//
	// invalid arguments for prompt "search": sort must be one of date, relevance, got "dat" (did you mean "date"?); tags[1] must be one of bug, docs, test, got "tests" (did you mean "test"?); limit must be from 1 to 50, got 51 (-32602)
}

// A schema constrains the value that the text has become. Clients see it as a
// hint in the description, since the wire has no place for it, and a person
// gets all problems at once, with what was meant if that can be told.
func Example_argumentSchema() {
	type Review struct {
		Language string `json:"language" jsonschema:"its programming language"`
		Depth    int    `json:"depth,omitempty"`
		Ticket   string `json:"ticket,omitempty"`
	}
	p := prompts.New(prompts.Prompt{
		Name: "review",
		Arguments: []prompts.Argument{
			{Name: "language", Enum: []string{"go", "python", "rust"}},
			{Name: "depth", Schema: &jsonschema.Schema{Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(5.0), Default: json.RawMessage("2")}},
			{Name: "ticket", Schema: &jsonschema.Schema{Pattern: "^[A-Z]+-[0-9]+$"}},
		},
	}, echoed[Review])
	showList(p)
	show(p, `{"language": "go"}`, `{"language": "pyton", "depth": "9", "ticket": "abc", "lang": "go"}`)
	// Output:
	// language, required: true: its programming language (one of: go, python, rust)
	// depth, required: false: an integer from 1 to 5; default 2
	// ticket, required: false: matching ^[A-Z]+-[0-9]+$
	// {Language:go Depth:2 Ticket:}
	// invalid arguments for prompt "review": language must be one of go, python, rust, got "pyton" (did you mean "python"?); depth must be from 1 to 5, got 9; ticket must match the pattern ^[A-Z]+-[0-9]+$, got "abc"; lang is not an argument of this prompt (did you mean "language"?) (-32602)
}

// An optional argument that is absent has default, or its zero value. So has
// one that a client sends empty, as clients do with a field of a form that is
// left empty; an optional text whose schema allows it is empty then.
func Example_argumentDefaults() {
	type In struct {
		Count int    `json:"count,omitempty"`
		Title string `json:"title,omitempty"`
		Limit *int   `json:"limit"`
	}
	show(prompts.New(prompts.Prompt{
		Name: "p",
		Arguments: []prompts.Argument{
			{Name: "count", Schema: &jsonschema.Schema{Default: json.RawMessage("3")}},
			{Name: "title", Schema: &jsonschema.Schema{Default: json.RawMessage(`"untitled"`)}},
		},
	}, func(_ context.Context, in In) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(fmt.Sprintf("%d %q %t", in.Count, in.Title, in.Limit != nil))), nil
	}), `{}`, `{"count": "", "title": "", "limit": ""}`, `{"limit": "0"}`)
	// Output:
	// 3 "untitled" false
	// 3 "" false
	// 3 "untitled" true
}

// Registry.Add returns all errors of a declaration at once, each with a fix.
func Example_argumentErrors() {
	type In struct {
		Done  chan int `json:"done"`
		Level int      `json:"level"`
	}
	var reg prompts.Registry
	err := reg.Add(prompts.New(prompts.Prompt{
		Name:      "p",
		Arguments: []prompts.Argument{{Name: "level", Enum: []string{"1"}}, {Name: "levl"}},
	}, echoed[In]))
	fmt.Println(err)
	// Output:
	// prompt "p": argument "done": unsupported argument type chan int; use a string, a number, a bool, a slice, a struct, or a type with UnmarshalText
	// prompt "p": argument "level": schema: enum value "1" is not of type integer
	// prompt "p": argument "levl": unknown field; the fields are done, level; did you mean "level"?
}

// The prompts and their arguments as a table for a README, which a test can
// compare with what the README has.
func ExampleDoc() {
	type Review struct {
		Code     string `json:"code" jsonschema:"the code to review"`
		Language string `json:"language,omitempty" jsonschema:"its programming language"`
	}
	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{
		Name: "code_review", Title: "Review Code", Description: "Asks for a review of some code",
		Arguments: []prompts.Argument{{Name: "language", Enum: []string{"go", "python", "rust"}}},
	}, echoed[Review]))
	fmt.Print(prompts.MarkdownTable(&reg))
	// Output:
	// | Prompt | Argument | Required | Description |
	// |---|---|---|---|
	// | `code_review` | | | **Review Code**<br>Asks for a review of some code |
	// | | `code` | yes | the code to review |
	// | | `language` | | its programming language (one of: go, python, rust) |
}
