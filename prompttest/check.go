package prompttest

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/trial"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// CheckOptions configures the checks. The zero value of each field is its default.
type CheckOptions struct {
	// Examples are argument values by prompt, as a list of calls. The first call is
	// the most important, and further calls need only the differing values. To
	// compare values of an argument, give two calls. Without an example, the check
	// generates values from the declaration: enums, bounds, patterns, examples in
	// the schema, completions. Give examples for values that no schema describes,
	// such as the name of an existing file.
	Examples map[string][]map[string]string
	// Client is the client for the checks. A prompt that calls Ask needs a client
	// with an Answer. A server with a Visible filter needs a client that sees all
	// prompts. Default: a client of a server with default options.
	Client *Client
	// Effects returns how many effects the prompts have had so far, such as the mails that a
	// mail server of the test got. CheckArguments then reports an effect that happens again
	// with each round of questions. Default: only effects that numbers in the results count.
	Effects func() int
	// Tagged returns the client of a principal with these tags, for cases with tags in
	// CheckCases. With a Client, such cases need it. Default: a client of the server
	// that CheckCases describes.
	Tagged func(tags []string) *Client
	// ToolPattern matches further names of tools in a text, for CheckTools. The
	// first group is the name, or the whole match without a group. Default: none.
	ToolPattern *regexp.Regexp
}

// checker renders the prompts of a registry in many ways.
type checker struct {
	t        testing.TB
	client   *Client
	prompts  []prompts.Prompt
	examples map[string][]map[string]string
	// completed are the completions of an argument beside others.
	completed map[string][]string
	logged    *errorLog // nil for an author's own client
	probe     *probe    // nil for checks that compare no runs
	efforts   map[string]*effort
	told      map[string]bool // kinds of findings, by prompt
	rejected  string          // the arguments of a result that the server has withheld, if any
}

func newChecker(t testing.TB, reg *prompts.Registry, o CheckOptions) *checker {
	t.Helper()
	c := &checker{t: t, prompts: slices.Collect(reg.All()), examples: o.Examples, client: o.Client, completed: map[string][]string{}, efforts: map[string]*effort{}, told: map[string]bool{}}
	if c.client == nil {
		logged, logger := newErrorLog()
		c.logged = logged
		c.client = Serve(t, prompts.MustNewServer(reg, prompts.Options{
			Limits: prompts.Limits{CompletionsPerSecond: -1},
			Logger: logger,
		}), ClientOptions{})
	}
	c.checkExamples()
	c.onlyTools()
	return c
}

// checkExamples reports examples that belong to nothing.
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

type rendering = trial.Rendering

// subject returns a prompt for package trial.
func (c *checker) subject(p *prompts.Prompt) *trial.Subject {
	return &trial.Subject{
		Prompt: p, Examples: c.examples[p.Name],
		Complete: func(a *prompts.Argument, others map[string]string) []string { return c.completions(p, a, others) },
		Get: func(arguments map[string]string) (*rendering, error) {
			r, refusal := c.get(p, arguments)
			if refusal == nil {
				return r, nil
			}
			return nil, refusal
		},
	}
}

// obstacle is why there is no rendering, for people, and what to do about it.
type obstacle struct{ text, remedy string }

// render is Render of package trial, with the obstacle for people.
func (c *checker) render(p *prompts.Prompt, pinned map[string]string, names []string) (*rendering, obstacle) {
	r, why := c.subject(p).Render(pinned, names)
	var refused *refusal
	switch {
	case why == nil:
		return r, obstacle{}
	case errors.As(why.Err, &refused):
		return nil, obstacle{refused.text(c, why.Arguments, why.Others), refused.remedy()}
	}
	return nil, obstacle{fmt.Sprintf("no valid values for the arguments found in %d attempts", why.Others), giveExamples}
}

// refusal is why a prompt has no result.
type refusal struct {
	err   *prompts.Error // what the client gets, or nil
	other error          // why it gets nothing
}

func (r *refusal) Error() string {
	if r.err != nil {
		return r.err.Error()
	}
	return r.other.Error()
}

func (r *refusal) Unwrap() error {
	if r.err != nil {
		return r.err
	}
	return r.other
}

const giveExamples = "Fix the prompt, or give valid values in CheckOptions.Examples."

// remedy returns what to do, for people.
func (r *refusal) remedy() string {
	if r.err != nil && r.err.Code == transport.CodeMissingCapability {
		return "Set CheckOptions.Client to that client."
	}
	return giveExamples
}

// text returns why there is no result, for people, with the arguments that were
// tried after so many others.
func (r *refusal) text(c *checker, arguments map[string]string, others int) string {
	with := "with " + list(arguments)
	if others > 0 {
		with += fmt.Sprintf(" (and with other values in %d attempts before)", others)
	}
	with += ": "
	if r.err == nil {
		return with + r.other.Error()
	}
	if id := errorIDOf(r.err); id != "" && c.logged != nil {
		return with + strings.ReplaceAll(explain(r.err), logsKnow, "\n\tThe server logs: "+c.logged.record(id, c.client.options.Timeout))
	}
	return with + explain(r.err)
}

// get returns the result of a prompt, or why the prompt has no result. It retries if
// the server limits the rate.
func (c *checker) get(p *prompts.Prompt, arguments map[string]string) (*rendering, *refusal) {
	var result *prompts.Result
	var err *prompts.Error
	var other error
	retry(func() *prompts.Error {
		if c.effort(p).isOver {
			result, err, other = nil, nil, errSlow{}
			return nil
		}
		begin := time.Now()
		result, err, other = c.client.get(p.Name, arguments)
		c.took(p, arguments, time.Since(begin))
		return err
	})
	c.checkRefusal(p, arguments, err)
	if err != nil || other != nil {
		return nil, &refusal{err, other}
	}
	return trial.NewRendering(arguments, result), nil
}

// errorf reports an error of a prompt, unless the prompt is too slow to check.
func (c *checker) errorf(p *prompts.Prompt, format string, args ...any) {
	c.t.Helper()
	if c.effort(p).isOver {
		return
	}
	c.t.Errorf("prompt %q: %s", p.Name, fmt.Sprintf(format, args...))
}

// renderings returns the results of a prompt with all of its arguments, with the
// required ones, with each value of an enumeration, and with the arguments of the
// examples. If the prompt cannot be rendered with all arguments, renderings reports
// an error. Other calls that fail are left out.
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
		for _, v := range sample.Finite(p.Arguments[i].Schema) {
			add(map[string]string{p.Arguments[i].Name: v}, trial.Names(p, false))
		}
	}
	for _, call := range c.examples[p.Name] {
		add(call, trial.Names(p, true))
	}
	return all
}

// list returns arguments for people.
func list(arguments map[string]string) string {
	if len(arguments) == 0 {
		return "no arguments"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		parts = append(parts, name+" "+trial.Quote(arguments[name]))
	}
	return strings.Join(parts, ", ")
}

// errorLog is a writer that keeps the records of internal errors.
type errorLog struct {
	mu      sync.Mutex        // protects the field below
	records map[string]string // by the id of the error
	written chan struct{}     // has an element after a record
}

func newErrorLog() (*errorLog, *slog.Logger) {
	l := &errorLog{records: map[string]string{}, written: make(chan struct{}, 1)}
	return l, slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
}

var errorIDAttr = regexp.MustCompile(` error_id=(\w+)`)

func (l *errorLog) Write(p []byte) (int, error) {
	if id := errorIDAttr.FindSubmatch(p); id != nil {
		l.mu.Lock()
		l.records[string(id[1])] = string(p)
		l.mu.Unlock()
		select {
		case l.written <- struct{}{}:
		default:
		}
	}
	return len(p), nil
}

// recordTimeout limits the wait for a record. The server drops records beyond 100 a second.
const recordTimeout = 5 * time.Second

// record returns the record of an internal error, for people. The server logs the record
// after the response, so record waits for it, but not beyond the limit.
func (l *errorLog) record(id string, limit time.Duration) string {
	timer := time.NewTimer(min(limit, recordTimeout))
	defer timer.Stop()
	for {
		l.mu.Lock()
		text, ok := l.records[id]
		l.mu.Unlock()
		if !ok {
			select {
			case <-l.written:
				continue
			case <-timer.C:
				text = "no record of this error"
			}
		}
		return strings.NewReplacer(`\n`, "\n\t\t", `\t`, "\t").Replace(strings.TrimSpace(text))
	}
}

// errorIDOf returns the id of an internal error, or "" for none.
func errorIDOf(e *prompts.Error) string {
	data, _ := e.Data.(map[string]any)
	id, _ := data["errorId"].(string)
	return id
}
