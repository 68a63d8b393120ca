package prompttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/trial"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/transport"
)

// CheckOptions configures the checks. The zero value of each field is its default.
type CheckOptions struct {
	// Examples are argument values by prompt, as a list of calls. The first call is the most
	// important, and further calls need only the differing values. To compare values of an
	// argument, give two calls. Without an example, the check generates values from the
	// declaration: enums, bounds, patterns, examples in the schema, completions. Give examples for
	// values that no schema describes, such as the name of an existing file.
	Examples map[string][]map[string]string
	// Client is the client for the checks. A prompt that calls Ask needs a client
	// with an Answer. A server with a Visible filter needs a client that sees all
	// prompts. Default: a client of a server with default options.
	Client *Client
	// Effects returns how many effects the prompts have had so far, such as the mails that a
	// mail server of the test got. CheckArguments then reports an effect that happens again
	// with each round of questions. Default: only effects that numbers in the results count.
	Effects func() int
	// Tagged returns the client of a principal with these tags, for cases with tags in promptfstest.CheckCases.
	// With a Client, such cases need it. Default: a client of the server that CheckCases describes.
	Tagged func(tags []string) *Client
}

// checker renders the prompts of a registry in many ways.
type checker struct {
	t        testing.TB
	client   *Client
	serve    func() *Client // returns a client of a new server; nil for CheckOptions.Client
	logged   *errorLog      // of these servers, or nil
	failures int            // that they have logged
	prompts  []prompts.Prompt
	examples map[string][]map[string]string
	// completed are the completions of an argument beside others.
	completed map[string][]string
	efforts   map[[2]string]*effort // by prompt, and argument for completions
	subjects  map[string]*trial.Subject
	told      map[string]bool // kinds of findings, by prompt
}

func newChecker(t testing.TB, reg *prompts.Registry, o CheckOptions) *checker {
	t.Helper()
	return newCheckerOf(t, reg, o, prompts.Options{}, ClientOptions{})
}

func notNil(t testing.TB, name string, v any) {
	t.Helper()
	if err := option.Check("prompttest", struct{}{}, name, v); err != nil {
		t.Fatalf("%v", err)
	}
}

// newCheckerOf returns a checker. Without CheckOptions.Client, its servers and clients have
// these options.
func newCheckerOf(t testing.TB, reg *prompts.Registry, o CheckOptions, server prompts.Options, client ClientOptions) *checker {
	t.Helper()
	notNil(t, "registry", reg)
	c := &checker{t: t, prompts: slices.Collect(reg.All()), examples: o.Examples, client: o.Client, completed: map[string][]string{}, efforts: map[[2]string]*effort{}, subjects: map[string]*trial.Subject{}, told: map[string]bool{}}
	if c.client == nil {
		c.logged, server.Logger = newErrorLog()
		server.Limits.CompletionsPerSecond = -1
		c.serve = func() *Client { return Serve(t, prompts.MustNewServer(reg, server), client) }
		c.client = c.serve()
	}
	c.checkExamples()
	c.onlyTools()
	return c
}

func (c *checker) checkExamples() {
	c.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(c.examples)) {
		at := slices.IndexFunc(c.prompts, func(p prompts.Prompt) bool { return p.Name == name })
		if at < 0 {
			c.t.Errorf("prompttest: CheckOptions.Examples: unknown prompt %q", name)
			continue
		}
		for _, call := range c.examples[name] {
			for _, argument := range slices.Sorted(maps.Keys(call)) {
				if !slices.ContainsFunc(c.prompts[at].Arguments, func(a prompts.Argument) bool { return a.Name == argument }) {
					c.t.Errorf("prompttest: CheckOptions.Examples: unknown argument %q of prompt %q", argument, name)
				}
			}
		}
	}
}

const mostCompletions = 8

type rendering = trial.Rendering

func (c *checker) subject(p *prompts.Prompt) *trial.Subject {
	s := c.subjects[p.Name]
	if s != nil {
		return s
	}
	s = &trial.Subject{
		Prompt: p, Examples: c.examples[p.Name],
		Complete: func(a *prompts.Argument, others map[string]string) []string {
			values := c.completions(p, a, "", others)
			return values[:min(len(values), mostCompletions)]
		},
		Get: func(arguments map[string]string) (*rendering, error) { return c.get(p, arguments) },
	}
	c.subjects[p.Name] = s
	return s
}

// obstacle is why there is no rendering, for people, and what to do about it.
type obstacle struct{ text, remedy string }

// render is Render of package trial, with the obstacle for people.
func (c *checker) render(p *prompts.Prompt, pinned map[string]string, names []string) (*rendering, obstacle) {
	if c.effort(p).isOver {
		return nil, obstacle{} // which nobody reports
	}
	r, why := c.subject(p).Render(pinned, names)
	switch {
	case why == nil:
		return r, obstacle{}
	case why.Err == nil:
		return nil, obstacle{fmt.Sprintf("no valid values for the arguments found in %d attempts", why.Others), giveExamples}
	}
	text := c.text(why.Err, why.Arguments, why.Others)
	if e := clientError(why.Err); e != nil && e.Code == transport.CodeMissingCapability {
		return nil, obstacle{text, "Set CheckOptions.Client to that client."}
	}
	return nil, obstacle{text, repairOf(text, giveExamples)}
}

const giveExamples = "Fix the prompt, or give valid values in CheckOptions.Examples."

func clientError(err error) *prompts.Error {
	var e *prompts.Error
	errors.As(err, &e)
	return e
}

// text returns why there is no result, for people, with the arguments that were
// tried after so many others.
func (c *checker) text(err error, arguments map[string]string, others int) string {
	with := "with " + list(arguments)
	if others > 0 {
		with += fmt.Sprintf(" (and with other values in %d attempts before)", others)
	}
	e := clientError(err)
	if e == nil {
		return with + ": " + err.Error()
	}
	text := explain(e)
	if record := c.record(e); record != "" {
		text = strings.ReplaceAll(text, logsKnow, "\n\tThe server logs: "+record)
	}
	return with + ": " + text
}

// record returns the record of an internal error, for people, or "" if the checker has no log.
func (c *checker) record(err *prompts.Error) string {
	if id := errorIDOf(err); id != "" && c.logged != nil {
		return c.logged.record(id, c.client.options.Timeout)
	}
	return ""
}

// mostRecords is how many failures a server may have: it drops records beyond 200 at once.
const mostRecords = 150

// countFailure counts an internal error. It starts a new server before this one drops records.
func (c *checker) countFailure(err *prompts.Error) {
	if err == nil || errorIDOf(err) == "" || c.serve == nil {
		return
	}
	if c.failures++; c.failures%mostRecords == 0 {
		c.client = c.serve()
	}
}

// get returns the result of a prompt, or why the prompt has no result: the error of the client,
// or another one. It retries if the server limits the rate.
func (c *checker) get(p *prompts.Prompt, arguments map[string]string) (*rendering, error) {
	c.t.Helper()
	var result *prompts.Result
	var err *prompts.Error
	var other error
	retry(func() *prompts.Error {
		if c.effort(p).isOver {
			result, err, other = nil, nil, errOver
			return nil
		}
		begin := time.Now()
		result, err, other = c.client.get(p.Name, arguments)
		if err == nil || !slices.ContainsFunc(problem.Of(err), func(p problem.Problem) bool { return slices.Contains(ruled, p.Reason) }) {
			c.countCall(p, arguments, time.Since(begin)) // otherwise no function has run
		}
		return err
	})
	c.checkRefusal(p, arguments, err)
	c.countFailure(err)
	switch {
	case other != nil:
		return nil, other
	case err != nil:
		return nil, err
	}
	return trial.NewRendering(arguments, result), nil
}

func (c *checker) effort(p *prompts.Prompt) *effort { return c.effortOf(p.Name, "") }

// effortOf returns what a prompt has cost, or the completions of one of its arguments.
func (c *checker) effortOf(prompt, argument string) *effort {
	key := [2]string{prompt, argument}
	e := c.efforts[key]
	if e == nil {
		if e = (&effort{patience: patience, most: mostCalls}); argument != "" {
			e.patience = completionPatience
		}
		c.efforts[key] = e
	}
	return e
}

// countCall reports a prompt that is too slow to check.
func (c *checker) countCall(p *prompts.Prompt, arguments map[string]string, d time.Duration) {
	c.t.Helper()
	c.spend(c.effort(p), fmt.Sprintf("prompt %q: rendering", p.Name), "prompt", arguments, d)
}

func (c *checker) spend(e *effort, subject, function string, arguments map[string]string, d time.Duration) {
	c.t.Helper()
	wasOver := e.isOver
	switch isSlow, isEnough := e.add(d, func() string { return list(arguments) }); {
	case wasOver:
	case isSlow:
		c.t.Errorf("%s takes %v (%d calls in %v, the slowest in %v with %s), so the rest is not checked\n\tMake the %s faster, or replace in the test what the %[7]s waits for.",
			subject, (e.time / time.Duration(e.calls-1)).Round(time.Millisecond), e.calls-1, e.time.Round(time.Millisecond), e.slowest.Round(time.Millisecond), e.slowestWith, function)
	case isEnough:
		c.t.Logf("%s: the rest is not checked after %d calls in %v, the last with %s", subject, e.calls, e.time.Round(time.Millisecond), list(arguments))
	}
}

func (c *checker) errorf(p *prompts.Prompt, format string, args ...any) {
	c.t.Helper()
	if c.effort(p).isOver {
		return
	}
	c.t.Errorf("prompt %q: %s", p.Name, fmt.Sprintf(format, args...))
}

// renderings returns the results of a prompt with all of its arguments, with the required ones,
// with each value of an enumeration, and with the arguments of the examples. If the prompt cannot
// be rendered with all arguments, renderings reports an error. Other calls that fail are left out.
func (c *checker) renderings(p *prompts.Prompt) []*rendering {
	c.t.Helper()
	full, why := c.render(p, nil, trial.Names(p, false))
	if full == nil {
		c.errorf(p, "rendering failed, so nothing is checked: %s\n\t%s", why.text, why.remedy)
		return nil
	}
	all := []*rendering{full}
	add := func(pinned map[string]string, names []string) {
		if r, _ := c.render(p, pinned, names); r != nil {
			all = append(all, r)
		}
	}
	add(nil, trial.Names(p, true))
	for i := range p.Arguments {
		for _, v := range sample.Finite(schema.Of(p.Arguments[i].Schema)) {
			add(map[string]string{p.Arguments[i].Name: v}, trial.Names(p, false))
		}
	}
	for _, call := range c.examples[p.Name] {
		add(call, trial.Names(p, true))
	}
	return all
}

// errorIDOf returns the id of an internal error, or "" for none.
func errorIDOf(e *prompts.Error) string {
	data, _ := e.Data.(map[string]any)
	id, _ := data["errorId"].(string)
	return id
}

// onlyTools leaves out the prompts that are no tools of a client that gets prompts by tools.
func (c *checker) onlyTools() {
	c.t.Helper()
	if c.client.options.ToolName == nil || len(c.prompts) == 0 {
		return
	}
	schemas, err := c.client.toolSchemas()
	if err != nil {
		c.client.fatal(fmt.Errorf("tools/list: %w", err))
	}
	c.prompts = slices.DeleteFunc(c.prompts, func(p prompts.Prompt) bool { return schemas[c.client.options.ToolName(p.Name)] == nil })
	if len(c.prompts) == 0 {
		c.t.Errorf("prompttest: tools/list must have a tool with a name that ClientOptions.ToolName returns for a prompt of the registry")
	}
}

func (c *checker) checkRefusal(p *prompts.Prompt, arguments map[string]string, err *prompts.Error) {
	c.t.Helper()
	if err == nil || err.Code != transport.CodeInvalidParams || c.client.options.ToolName != nil {
		return // a tool has other names
	}
	for name, reason := range problem.Reasons(err) {
		isDeclared := slices.ContainsFunc(p.Arguments, func(a prompts.Argument) bool {
			rest, ok := strings.CutPrefix(name, a.Name)
			return ok && (rest == "" || strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, ".")) // a part of the value
		})
		if reason == problem.Refused && !isDeclared {
			c.errorfOnce(p, "refused "+name, "with %s: the function rejects the argument %q, which the prompt does not have; it has %q\n\tCorrect the name in prompts.InvalidArgument.", list(arguments), name, trial.Names(p, false))
		}
	}
}

// errorfOnce is errorf for the first finding of a kind.
func (c *checker) errorfOnce(p *prompts.Prompt, kind, format string, args ...any) {
	c.t.Helper()
	key := p.Name + "\x00" + kind
	if !c.told[key] {
		c.told[key] = true
		c.errorf(p, "%s", fmt.Sprintf(format, args...))
	}
}

// completions returns the server's completions of a value of an argument. It sends each
// request once, and retries if the server limits the rate.
func (c *checker) completions(p *prompts.Prompt, a *prompts.Argument, value string, others map[string]string) []string {
	c.t.Helper()
	e := c.effortOf(p.Name, a.Name)
	if c.effort(p).isOver || e.isOver {
		return nil
	}
	key := fmt.Sprintf("%q %q %q %q", p.Name, a.Name, value, others)
	if values, ok := c.completed[key]; ok {
		return values
	}
	var values []string
	var failed *prompts.Error
	retry(func() (refusal *prompts.Error) {
		begin := time.Now()
		values, refusal, _ = c.client.complete(p.Name, a.Name, value, others) // without any, there are other ways
		failed = refusal
		with := maps.Clone(others)
		with[a.Name] = value
		c.spend(e, fmt.Sprintf("prompt %q: Complete of argument %q", p.Name, a.Name), "function", with, time.Since(begin))
		return refusal
	})
	c.countFailure(failed)
	if failed != nil && failed.Code == prompts.CodeInternalError {
		record := c.record(failed)
		if record == "" {
			record = failed.Message
		}
		c.errorfOnce(p, "complete "+a.Name, "argument %q: Complete fails for the value %s with %s: %s\n\t%s", a.Name, phrase.Quote(value), list(others), record, repairOf(record, "Return no values if there are none."))
	}
	c.completed[key] = values
	return values
}

// retry calls f again while the server limits the rate, ten times at most.
func retry(f func() *prompts.Error) {
	for range 10 {
		refusal := f()
		var data struct{ RetryAfterMs uint16 }
		if refusal != nil && refusal.Data != nil {
			_ = json.Unmarshal([]byte(golden.JSON(refusal.Data)), &data) // other errors have other data
		}
		if data.RetryAfterMs == 0 {
			return
		}
		time.Sleep(time.Duration(data.RetryAfterMs) * time.Millisecond)
	}
}
