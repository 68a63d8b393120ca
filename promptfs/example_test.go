package promptfs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// The files are in the binary: with //go:embed prompts they would be those of a
// folder beside the program.
func ExampleLoad() {
	fsys := fstest.MapFS{
		"greeting.md": {Data: []byte(`---
title: Greeting
arguments:
  - name: name
    description: whom to greet
    default: world
---
Say hello to {{.name}}.
`)},
	}
	loaded, err := promptfs.Load(fsys, promptfs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var reg prompts.Registry
	reg.MustAdd(loaded...)

	srv := prompts.MustNewServer(&reg, prompts.Options{DisableReleaseMeta: true})
	result, err := srv.Call(context.Background(), "prompts/get", json.RawMessage(`{"name":"greeting","arguments":{"name":"Ada"}}`), prompts.CallOptions{Version: "2025-11-25"})
	fmt.Println(string(result), err)
	// Output:
	// {"messages":[{"role":"user","content":{"type":"text","text":"Say hello to Ada."}}]} <nil>
}

// brief returns p with one more message.
func brief(p prompts.Prompt) prompts.Prompt {
	render := p.Render
	p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		r, err := render(ctx, args)
		if err != nil {
			return nil, err
		}
		decorated := *r
		decorated.Messages = slices.Concat(r.Messages, []prompts.Message{prompts.User("Be brief.")})
		return &decorated, nil
	}
	return p
}

// A program wraps the Render of any prompt: from a struct, a template or a file. The prompt keeps
// its arguments, and has no Digest, because the text is another.
func ExampleLoad_decorate() {
	typed := prompts.New(prompts.Prompt{Name: "struct"}, func(_ context.Context, in struct {
		Who string `json:"who"`
	}) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Greet " + in.Who + ".")), nil
	})
	template, err := prompttemplate.New(prompts.Prompt{Name: "template", Arguments: []prompts.Argument{{Name: "who", Required: true}}},
		prompttemplate.Options{}, prompttemplate.User("Thank {{.who}}."))
	if err != nil {
		log.Fatal(err)
	}
	files, err := promptfs.Load(fstest.MapFS{"file.md": {Data: []byte("---\narguments:\n  - name: who\n    required: true\n---\nPraise {{.who}}.")}}, promptfs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var reg prompts.Registry
	for _, p := range append(files, typed, template) {
		reg.MustAdd(brief(p))
	}
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	for p := range reg.All() {
		for _, arguments := range []string{`{}`, `{"who":"Ada"}`} {
			result, err := srv.Call(context.Background(), "prompts/get", json.RawMessage(`{"name":"`+p.Name+`","arguments":`+arguments+`}`), prompts.CallOptions{Version: "2025-11-25"})
			fmt.Printf("%q %s %v\n", p.Digest, string(result), err)
		}
	}
	// Output:
	// ""  invalid arguments for prompt "file": who is required (-32602)
	// "" {"messages":[{"role":"user","content":{"type":"text","text":"Praise Ada."}},{"role":"user","content":{"type":"text","text":"Be brief."}}]} <nil>
	// ""  invalid arguments for prompt "struct": who is required (-32602)
	// "" {"messages":[{"role":"user","content":{"type":"text","text":"Greet Ada."}},{"role":"user","content":{"type":"text","text":"Be brief."}}]} <nil>
	// ""  invalid arguments for prompt "template": who is required (-32602)
	// "" {"messages":[{"role":"user","content":{"type":"text","text":"Thank Ada."}},{"role":"user","content":{"type":"text","text":"Be brief."}}]} <nil>
}

// Errors name the file and the line, and the other files load.
func ExampleLoad_faults() {
	fsys := fstest.MapFS{
		"good.md":   {Data: []byte("Say hello.")},
		"review.md": {Data: []byte("---\ntitel: Review\narguments:\n  - name: code\n---\nReview this: {{.cod}}")},
	}
	loaded, err := promptfs.Load(fsys, promptfs.Options{})
	fmt.Println(len(loaded), "prompt")
	fmt.Println(err)
	// Output:
	// 1 prompt
	// review.md:2: unknown key "titel" in front matter; did you mean "title"?
	// review.md:4: argument "code" is never used; add {{.code}} to a message, or remove the argument
	// review.md:6:16: unknown argument "cod"; did you mean "code"?
}

// One file of a store that is no file system.
func ExampleParse() {
	content := []byte("---\ndescription: Says hello\n---\n\nHello.\n")
	p, err := promptfs.Parse(nil, "greetings/hello.md", content, promptfs.Options{})
	fmt.Println(p.Name, p.Description, err)
	// Output: greetings/hello Says hello <nil>
}

// Each reload is one update of the registry.
func ExampleFolder() {
	fsys := fstest.MapFS{"hello.md": {Data: []byte("Hello.")}}
	var reg prompts.Registry
	folder := promptfs.NewFolder(&reg, fsys, promptfs.Options{
		OnReload: func(r promptfs.Report) {
			fmt.Println("added", r.Added, "changed", r.Changed, "removed", r.Removed, "faults:", r.Err)
		},
	})
	ctx := context.Background()
	_ = folder.Reload(ctx) // OnReload reports each

	fsys["goodbye.md"] = &fstest.MapFile{Data: []byte("Goodbye.")}
	fsys["hello.md"] = &fstest.MapFile{Data: []byte("Good day.")}
	_ = folder.Reload(ctx)

	fsys["hello.md"] = &fstest.MapFile{Data: []byte("Good {{.time}}.")} // the last good one stays
	_ = folder.Reload(ctx)
	// Output:
	// added [hello] changed [] removed [] faults: <nil>
	// added [goodbye] changed [hello] removed [] faults: <nil>
	// added [] changed [] removed [] faults: hello.md:1:8: unknown argument "time"; declare the argument
}

// Which clients may see a prompt is told by its tags, or by its Source: the path of
// its file.
func ExampleFolder_visible() {
	var reg prompts.Registry
	folder := promptfs.NewFolder(&reg, fstest.MapFS{
		"public/hello.md": {Data: []byte("Hello.")},
		"team/plan.md":    {Data: []byte("---\ntags: [internal]\n---\nPlan.")},
	}, promptfs.Options{})
	if err := folder.Reload(context.Background()); err != nil {
		log.Fatal(err)
	}
	srv := prompts.MustNewServer(&reg, prompts.Options{
		DisableReleaseMeta: true,
		Visible: func(_ context.Context, p prompts.Prompt) (bool, error) {
			return !slices.Contains(p.Tags, "internal") && !strings.HasPrefix(p.Source, "promptfs:team/"), nil
		},
	})
	list, err := srv.Call(context.Background(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	fmt.Println(string(list), err)
	// Output: {"prompts":[{"name":"public/hello"}]} <nil>
}

func ExampleError() {
	_, err := promptfs.Parse(nil, "a.md", []byte("\n{{if}}"), promptfs.Options{})
	if e := (*promptfs.Error)(nil); errors.As(err, &e) {
		fmt.Printf("%s, line %d: %v (%s)\n", e.Path, e.Line, e.Err, e.Hint)
	}
	// Output: a.md, line 2: missing value for if (write a value, for example {{if .name}})
}
