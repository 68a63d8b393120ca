package prompttest

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/trial"
)

// This file runs a prompt several times, and compares the runs: results that calls share,
// results that a Cache should not store, and effects before questions.

// prober is a checker that runs prompts on a server of its own, without their caches. Its
// user answers each question with generated values.
type prober struct {
	*checker
	newest, session *Client

	mu   sync.Mutex      // protects the fields below
	last *prompts.Result // that a function has returned, itself
	runs int
}

func newProber(c *checker) *prober {
	c.t.Helper()
	probe := &prober{checker: c}
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

// generated answers a question with generated values.
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

// run is one call of a prompt.
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
	c.took(p, arguments, time.Since(begin))
	c.mu.Lock()
	defer c.mu.Unlock()
	if refusal != nil || err != nil || c.last == nil {
		return nil
	}
	return &run{c.last, golden.Format(c.last), c.runs}
}

// checkRuns reports results that calls share, that a Cache should not store, and effects
// that happen again with each round of questions.
func (c *prober) checkRuns(p *prompts.Prompt, base *rendering, effects func() int) {
	c.t.Helper()
	first := c.run(c.newest, p, base.Arguments)
	if first == nil {
		return // it needs the server of its client
	}
	second := c.run(c.newest, p, base.Arguments)
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if values := c.subject(p).Candidates(a, base.Arguments); len(values) > 1 && golden.Format(first.result) == first.form {
			with := maps.Clone(base.Arguments)
			with[a.Name] = values[1]
			c.run(c.newest, p, with)
		}
	}
	if second == nil {
		return
	}
	if now := golden.Format(first.result); now != first.form {
		c.errorf(p, "calls share a result: a later call has changed the result of an earlier one (- before, + after)\n%s\tReturn a new result in each call.", difference(first.form, now, 0))
		return
	}
	if p.Cache != (prompts.Cache{}) {
		c.checkCache(p, base, first)
	}
	if first.count > 1 {
		c.checkQuestions(p, base, first, second, effects)
	}
}

// aDay is more than a day, so that the hour is another one, too.
const aDay = 25 * time.Hour

// manyRuns is how many runs show that a result depends on the order of a map.
const manyRuns = 20

func (c *prober) checkCache(p *prompts.Prompt, base *rendering, first *run) {
	c.t.Helper()
	differs := func(how, remedy string) bool {
		again := c.run(c.newest, p, base.Arguments)
		if again != nil && again.form != first.form {
			c.errorf(p, "Cache stores a result that differs %s with the same arguments (- first, + later)\n%s\t%s, or remove Cache.", how, difference(first.form, again.form, 0), remedy)
			return true
		}
		return again == nil
	}
	const aTime = "Make the time an argument"
	for range manyRuns {
		if differs("from run to run", "Sort the keys of a map") {
			return
		}
	}
	now := time.Now()
	if now.Year() < 2001 { // the clock of a bubble of testing/synctest
		time.Sleep(aDay)
		differs("a day later", aTime)
		return
	}
	for _, day := range []time.Time{now, now.UTC()} {
		for _, layout := range clocks {
			text := day.Format(layout)
			if at := strings.Index(first.form, text); at >= 0 && !strings.Contains(golden.JSON(base.Arguments), text) && p.Source == "" && !isConstant(text) {
				c.errorf(p, "Cache stores a result with the current day: got %s\n\t%s, or remove Cache.", trial.Quote(lineAt(first.form, at)), aTime)
				return
			}
		}
	}
}

// clocks are how people write the current day.
var clocks = []string{time.DateOnly, "2006/01/02", "01/02/2006", "02.01.2006", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "02 Jan 2006", "Jan _2", "20060102"}

// isConstant reports whether the program of the test has a text, so that no clock has made it.
func isConstant(text string) bool {
	path, err := os.Executable()
	if err != nil {
		return false
	}
	program, err := os.ReadFile(path)
	return err == nil && bytes.Contains(program, []byte(text))
}

// checkQuestions reports an effect before a question. In a session, the function runs once,
// and in protocol version 2026-07-28 again after each round of answers. A number in the
// result, such as an id or a count, grows with each run that has the effect.
func (c *prober) checkQuestions(p *prompts.Prompt, base *rendering, newest, next *run, effects func() int) {
	c.t.Helper()
	if effects == nil {
		effects = func() int { return 0 }
	}
	before := effects()
	one := c.run(c.session, p, base.Arguments)
	between := effects()
	two := c.run(c.session, p, base.Arguments)
	now := effects()
	again := c.run(c.newest, p, base.Arguments)
	if one == nil || two == nil || again == nil || next == nil {
		return
	}
	here, there := effects()-now, between-before
	if here <= there {
		here, there = grown(newest.form, next.form), grown(one.form, two.form)
	}
	if there > 0 && here == newest.count*there || there == 0 && here > 0 && two.form == one.form {
		c.errorf(p, "an effect happens before a question: %d for a call in protocol version 2026-07-28, which runs the function %d times for %d rounds of questions, and %d in a session\n\tWrap the effect in prompts.Once, or ask before it.", here, newest.count, newest.count-1, there)
		return
	}
	if newest.count > 1 {
		c.t.Logf("prompt %q: the function runs %d times in protocol version 2026-07-28, once for each round of questions: wrap its effects in prompts.Once", p.Name, newest.count)
	}
}

// number is a count or an id, and no part of a time.
var number = regexp.MustCompile(`(?:^|[^0-9:.-])([0-9]{1,6})(?:$|[^0-9:.-])`)

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
