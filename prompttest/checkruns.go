package prompttest

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/trial"
)

// This file runs a prompt several times, and compares the runs: results that calls share,
// results that a Cache should not store, and effects before questions.

// prober is a checker that runs prompts on a server of its own, without their caches. Its
// user answers each question with generated values.
type prober struct {
	*checker
	newest, session *Client
	first           map[string]*run // with the arguments of the base, by prompt

	mu   sync.Mutex      // protects the fields below
	last *prompts.Result // that a function has returned, itself
	runs int
}

func newProber(c *checker) *prober {
	c.t.Helper()
	probe := &prober{checker: c, first: map[string]*run{}}
	var reg prompts.Registry
	for _, p := range c.prompts {
		p.Cache = prompts.Cache{}
		_ = reg.Set(p) // an error is that of a second registry: then the prompt is unknown here
	}
	srv := prompts.MustNewServer(&reg, prompts.Options{
		Logger: slog.New(slog.DiscardHandler), Limits: prompts.Limits{CompletionsPerSecond: -1}, DisableReleaseMeta: true,
		Middleware: func(next prompts.Handler) prompts.Handler {
			return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
				response, err := next(ctx, r)
				probe.mu.Lock()
				defer probe.mu.Unlock()
				if probe.runs++; response != nil && response.Result != nil {
					probe.last = response.Result
				}
				return response, err
			}
		},
	})
	probe.newest = Serve(c.t, srv, ClientOptions{Answer: generated})
	probe.session = Serve(c.t, srv, ClientOptions{Answer: generated, Version: "2025-11-25"})
	return probe
}

func generated(q Question) any {
	var form struct{ RequestedSchema *jsonschema.Schema }
	if json.Unmarshal(q.Params, &form) != nil || form.RequestedSchema == nil {
		return Accept(nil)
	}
	if all := sample.Instances("", form.RequestedSchema); len(all) > 0 {
		return Accept(json.RawMessage(all[0]))
	}
	return Decline()
}

type run struct {
	result *prompts.Result // that the function has returned, itself
	form   string          // when the function returned
	count  int             // of the runs of the function, one for each round of questions
}

// run calls a prompt. It returns nil for a prompt that does not render here.
func (c *prober) run(client *Client, p *prompts.Prompt, arguments map[string]string) *run {
	if c.effort(p).isOver {
		return nil
	}
	c.mu.Lock()
	c.last, c.runs = nil, 0
	c.mu.Unlock()
	begin := time.Now()
	_, refusal, err := client.get(p.Name, arguments)
	c.countCall(p, arguments, time.Since(begin))
	c.mu.Lock()
	defer c.mu.Unlock()
	if refusal != nil || err != nil || c.last == nil {
		return nil
	}
	return &run{c.last, golden.Format(c.last), c.runs}
}

// checkRuns reports results that calls share, that a Cache should not store, and effects
// that happen again with each round of questions. It runs the prompt with the base, with
// values of several parts for a Cache, and with both without the optional arguments.
func (c *prober) checkRuns(p *prompts.Prompt, base *rendering, effects func() int) {
	c.t.Helper()
	several := base.Arguments
	if p.Cache != (prompts.Cache{}) {
		several = c.filled(p, base.Arguments, func(a *prompts.Argument) []string { return sample.Several(a.Name, schema.Of(a.Schema)) })
	}
	var done []map[string]string
	for _, arguments := range []map[string]string{base.Arguments, c.required(p, base.Arguments), several, c.required(p, several)} {
		isDone := slices.ContainsFunc(done, func(other map[string]string) bool { return maps.Equal(arguments, other) })
		if !isDone && c.checkRunsWith(p, arguments, effects) {
			return
		}
		done = append(done, arguments)
	}
}

func (c *prober) filled(p *prompts.Prompt, arguments map[string]string, values func(a *prompts.Argument) []string) map[string]string {
	all, some := maps.Clone(arguments), maps.Clone(arguments)
	for i := range p.Arguments {
		for _, v := range values(&p.Arguments[i]) {
			all[p.Arguments[i].Name] = v
			break
		}
	}
	if maps.Equal(all, arguments) || c.run(c.newest, p, all) != nil {
		return all
	}
	for i := range p.Arguments {
		a := &p.Arguments[i]
		own := some[a.Name]
		for _, v := range values(a) {
			if some[a.Name] = v; c.run(c.newest, p, some) != nil {
				break
			}
			some[a.Name] = own
		}
	}
	return some
}

// checkKept reports what a call keeps for later calls, its result or the values of its user,
// and whether there is any.
func (c *prober) checkKept(p *prompts.Prompt, base *rendering, first *run) bool {
	c.t.Helper()
	word := func(a *prompts.Argument) string { return "prompttest-kept-" + a.Name }
	with := c.filled(p, base.Arguments, func(a *prompts.Argument) []string {
		if sample.IsString(schema.Of(a.Schema)) {
			return []string{word(a)}
		}
		return slices.DeleteFunc(sample.Around(word(a), a.Name, schema.Of(a.Schema)), func(v string) bool { return !strings.Contains(v, word(a)) })
	})
	if c.isShared(p, first) {
		return true
	}
	for _, arguments := range []map[string]string{c.required(p, base.Arguments), base.Arguments} {
		later := c.run(c.newest, p, arguments)
		for i := range p.Arguments {
			a := &p.Arguments[i]
			if later == nil || !strings.Contains(with[a.Name], word(a)) {
				continue
			}
			if at := strings.Index(later.form, word(a)); at >= 0 {
				c.errorf(p, "the result has the value that an earlier call, such as of another user, had for argument %q: got %s with %s\n\tKeep no value in a variable outside of the function.", a.Name, phrase.Quote(lineAt(later.form, at)), list(arguments))
				return true
			}
		}
	}
	return false
}

// isShared reports whether a later call has changed the result of an earlier one, once as an
// error of the test, too.
func (c *prober) isShared(p *prompts.Prompt, first *run) bool {
	c.t.Helper()
	now := golden.Format(first.result)
	if now == first.form {
		return false
	}
	if key := p.Name + "\x00shared"; !c.told[key] {
		c.told[key] = true
		c.t.Errorf("prompt %q: calls share a result: a later call has changed the result of an earlier one (- before, + after)\n%s\tReturn a new result in each call.", p.Name, difference(first.form, now, 0))
	}
	return true
}

func (c *prober) required(p *prompts.Prompt, arguments map[string]string) map[string]string {
	only := map[string]string{}
	for _, name := range trial.Names(p, true) {
		only[name] = arguments[name]
	}
	return only
}

// checkRunsWith reports whether it has found anything.
func (c *prober) checkRunsWith(p *prompts.Prompt, arguments map[string]string, effects func() int) bool {
	c.t.Helper()
	first := c.run(c.newest, p, arguments)
	if first == nil {
		return false // it needs the server of its client
	}
	c.effort(p).runs(max(first.count, 1))
	second := c.run(c.newest, p, arguments)
	const mostOthers, mostValues = 10, 4 // calls that may change the first result, and values of an argument
	others := 0
	for n := range mostValues {
		for i := 0; i < len(p.Arguments) && others < mostOthers && !c.isShared(p, first); i++ {
			a := &p.Arguments[i]
			own, ok := arguments[a.Name]
			values := c.subject(p).Candidates(a, arguments)
			if !ok || n >= len(values) || values[n] == own {
				continue
			}
			with := maps.Clone(arguments)
			with[a.Name] = values[n]
			c.run(c.newest, p, with)
			others++
		}
	}
	if second == nil {
		return false
	}
	if c.isShared(p, first) {
		return true
	}
	if p.Cache != (prompts.Cache{}) && c.checkCache(p, arguments, first) {
		return true
	}
	return first.count > 1 && c.checkQuestions(p, arguments, first, second, effects)
}

// aYear is more than a year, so that each part of a time is another one: the year, the month,
// the day, the hour, the minute and the second.
const aYear = 400*24*time.Hour + time.Hour + 61*time.Second

// manyRuns is how many runs show that a result depends on the order of a map.
const manyRuns = 30

// checkCache reports whether it has found a result that a Cache should not store.
func (c *prober) checkCache(p *prompts.Prompt, arguments map[string]string, first *run) bool {
	c.t.Helper()
	differs := func(how, remedy string) bool {
		again := c.run(c.newest, p, arguments)
		if again == nil || again.form == first.form {
			return false
		}
		c.errorf(p, "Cache stores a result that differs %s with the same arguments (- first, + later)\n%s\t%s, or remove Cache.", how, difference(first.form, again.form, 0), remedy)
		return true
	}
	const aTime = "Make the time an argument"
	for range manyRuns {
		if differs("from run to run", "Make the result depend on the arguments alone, such as by sorted keys of a map") {
			return true
		}
	}
	if time.Now().Year() < 2001 { // the clock of a bubble of testing/synctest
		time.Sleep(aYear)
		return differs("a year later", aTime)
	}
	for _, layout := range clocks {
		text := time.Now().Format(layout)
		if at := strings.Index(first.form, text); at >= 0 && !strings.Contains(golden.JSON(arguments), text) && p.Source == "" {
			// Only a bubble shows whether a clock has made the text.
			c.t.Logf("prompt %q: Cache stores a result with the current day: got %s\n\tIf the day comes from the clock, make the time an argument, or remove Cache. To check this, run the check in a bubble of testing/synctest.", p.Name, phrase.Quote(lineAt(first.form, at)))
			break
		}
	}
	return false
}

// clocks are how people write the current day.
var clocks = []string{time.DateOnly, "2006/01/02", "01/02/2006", "02.01.2006", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "02 Jan 2006", "Jan _2", "20060102"}

// checkQuestions reports an effect before a question, and whether it has found one. In a session,
// the function runs once, and in protocol version 2026-07-28 again after each round of answers. A
// number in the result, such as an id or a count, grows with each run that has the effect.
func (c *prober) checkQuestions(p *prompts.Prompt, arguments map[string]string, newest, next *run, effects func() int) bool {
	c.t.Helper()
	if effects == nil {
		effects = func() int { return 0 }
	}
	before := effects()
	one := c.run(c.session, p, arguments)
	between := effects()
	two := c.run(c.session, p, arguments)
	now := effects()
	again := c.run(c.newest, p, arguments)
	if one == nil || two == nil || again == nil {
		return false
	}
	here, there := effects()-now, between-before
	isEffect := here > there
	if !isEffect {
		here, there = grown(newest.form, next.form), grown(one.form, two.form)
		isEffect = there > 0 && here == newest.count*there || there == 0 && here > 0 && two.form == one.form
		if isEffect { // A random number grows by another amount the next time.
			three, last := c.run(c.session, p, arguments), c.run(c.newest, p, arguments)
			isEffect = three != nil && last != nil && grown(two.form, again.form) == here &&
				grown(again.form, three.form) == there && grown(three.form, last.form) == here
		}
	}
	if isEffect {
		c.errorf(p, "an effect happens before a question: %d for a call in protocol version 2026-07-28, which runs the function %d times, once more after each round of questions, and %d in a session\n\tWrap the effect in prompts.Once, or ask before it.", here, newest.count, there)
		return true
	}
	if key := p.Name + "\x00runs"; !c.told[key] {
		c.told[key] = true
		c.t.Logf("prompt %q: the function runs %d times in protocol version 2026-07-28, once for each round of questions: wrap its effects in prompts.Once", p.Name, newest.count)
	}
	return false
}

// number is a count or an id such as DESK-101, and no part of a time.
var number = regexp.MustCompile(`(?:^|[^0-9:.-]|[A-Za-z]-)([0-9]{1,6})(?:$|[^0-9:.-])`)

// grown returns by how much the first number that differs grows from one text to the next.
func grown(a, b string) int {
	as, bs := number.FindAllStringSubmatch(a, -1), number.FindAllStringSubmatch(b, -1)
	for i := range min(len(as), len(bs)) {
		if as[i][1] != bs[i][1] {
			from, _ := strconv.Atoi(as[i][1])
			to, _ := strconv.Atoi(bs[i][1])
			return to - from
		}
	}
	return 0
}
