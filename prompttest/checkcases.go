package prompttest

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/foldertest"
)

func init() { // for package promptfstest, which has the parsers
	foldertest.Cases = func(t testing.TB, reg *prompts.Registry, dir string, parseYAML cases.Parse, o any) {
		t.Helper()
		checkCases(t, reg, dir, parseYAML, o.(CheckOptions))
	}
	foldertest.Skills = checkSkills
}

// checkCases is promptfstest.CheckCases.
func checkCases(t testing.TB, reg *prompts.Registry, dir string, parseYAML cases.Parse, o CheckOptions) {
	t.Helper()
	fsys := cases.Dir(dir)
	files, errs := cases.Load(fsys, parseYAML)
	if reg != nil {
		all := cases.PromptsOf(reg)
		for _, f := range files {
			errs = append(errs, f.Check(all)...)
		}
	}
	for _, err := range errs {
		t.Errorf("promptfstest: %s: %v", dir, err)
	}
	if len(files) == 0 && len(errs) == 0 {
		t.Errorf("promptfstest: folder %s has no test files (*%s)", dir, cases.Extension)
	}
	if len(errs) > 0 {
		return // so that -update writes nothing for cases that may be wrong
	}
	r := &caseRunner{t: t, reg: reg, dir: dir, fsys: fsys, options: o, clients: map[string]*Client{}, golden: map[string]bool{}}
	for _, f := range files {
		for _, c := range f.Cases {
			r.run(c)
		}
	}
}

type caseRunner struct {
	t       testing.TB
	reg     *prompts.Registry
	dir     string
	fsys    fs.FS
	options CheckOptions
	clients map[string]*Client // of servers of its own, by what distinguishes them
	golden  map[string]bool    // files that a case was compared with
}

func (r *caseRunner) client(c *cases.Case) *Client {
	r.t.Helper()
	if c.Tags != nil && r.options.Tagged != nil {
		return r.options.Tagged(c.Tags)
	}
	if r.options.Client != nil {
		return r.options.Client
	}
	key := fmt.Sprintf("%t %q %t", c.Tags == nil, c.Tags, len(c.Answers) > 0)
	client := r.clients[key]
	if client == nil {
		o := ClientOptions{Context: cases.WithTags(context.Background(), c.Tags)}
		if len(c.Answers) > 0 {
			o.Answer = func(Question) any { return Cancel() } // run sets the one of each case
		}
		client = Serve(r.t, prompts.MustNewServer(r.reg, cases.Options(prompts.Options{Logger: testLogger(r.t)})), o)
		r.clients[key] = client
	}
	return client
}

func (r *caseRunner) run(c *cases.Case) {
	r.t.Helper()
	place := func(line int) string {
		return fmt.Sprintf("%s:%d: case %q", filepath.Join(r.dir, filepath.FromSlash(c.File.Path)), line, c.Name)
	}
	if r.options.Client != nil && c.Tags != nil && r.options.Tagged == nil {
		r.t.Errorf("promptfstest: %s: has tags; set CheckOptions.Tagged", place(c.Line))
		return
	}
	client := r.client(c)
	replies := c.Replies()
	if answer := client.options.Answer; len(c.Answers) > 0 {
		if answer == nil {
			r.t.Errorf("promptfstest: %s: has answers; set ClientOptions.Answer of the client, so that the client supports questions", place(c.Line))
			return
		}
		client.options.Answer = func(q Question) any { return replies.Reply(q.Message) }
		defer func() { client.options.Answer = answer }()
	}
	result, refusal, err := client.get(c.File.Prompt, c.Arguments)
	if err != nil {
		client.fatal(fmt.Errorf("%s: %w", place(c.Line), err))
	}
	for _, f := range append(c.Check(r.fsys, result, refusal), replies.Failures()...) {
		r.fail(c, f, place(f.Line))
	}
	if e := c.Expect.Equals; e != nil {
		r.golden[e.Value] = true
	}
}

func (r *caseRunner) fail(c *cases.Case, f cases.Failure, place string) {
	r.t.Helper()
	switch {
	case f.Golden != "" && Updating() && r.golden[f.Golden]:
		r.t.Errorf("promptfstest: %s: %s, which another case has with other messages; give each case a file of its own", place, f.Message)
	case f.Golden != "" && Updating():
		if err := writeFile(filepath.Join(r.dir, filepath.FromSlash(f.Golden)), f.Text); err != nil {
			r.t.Errorf("promptfstest: %s: %v", place, err)
		}
	case f.Golden != "" && !f.IsMissing:
		r.t.Errorf("promptfstest: %s: %s (- wanted, + got)\n%sIf the messages are right, run:\n\t%s", place, f.Message, difference(f.Want, f.Text, 0), updateCommand(r.t))
	case f.IsMissing:
		r.t.Errorf("promptfstest: %s: %s. To create the file, run:\n\t%s", place, f.Message, updateCommand(r.t))
	case f.Text != "":
		r.t.Errorf("promptfstest: %s: %s, got:\n%s", place, f.Message, excerpt([]byte(f.Text)))
	default:
		r.t.Errorf("promptfstest: %s: %s", place, f.Message)
	}
}
