package prompttest

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/trial"
)

// This file runs a prompt several times, and compares the runs: results that calls share,
// results that a Cache should not store, and effects before questions.

// probe is a server of its own with the prompts of a registry, without their caches. Its
// user answers each question with generated values.
type probe struct {
	newest, session *Client

	mu   sync.Mutex      // protects the fields below
	last *prompts.Result // that a function has returned, itself
	runs int
}

func newProbe(t testing.TB, all []prompts.Prompt) *probe {
	t.Helper()
	probe := &probe{}
	var reg prompts.Registry
	for _, p := range all {
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
	probe.newest = Serve(t, srv, ClientOptions{Answer: generated})
	probe.session = Serve(t, srv, ClientOptions{Answer: generated, Version: "2025-11-25"})
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
func (c *checker) run(client *Client, p *prompts.Prompt, arguments map[string]string) *run {
	if c.effort(p).isOver {
		return nil
	}
	c.probe.mu.Lock()
	c.probe.last, c.probe.runs = nil, 0
	c.probe.mu.Unlock()
	begin := time.Now()
	_, refusal, err := client.get(p.Name, arguments)
	c.took(p, arguments, time.Since(begin))
	c.probe.mu.Lock()
	defer c.probe.mu.Unlock()
	if refusal != nil || err != nil || c.probe.last == nil {
		return nil
	}
	return &run{c.probe.last, golden.Format(c.probe.last), c.probe.runs}
}

// checkRuns reports results that calls share, that a Cache should not store, and effects
// that happen again with each round of questions.
func (c *checker) checkRuns(p *prompts.Prompt, base *rendering, effects func() int) {
	c.t.Helper()
	first := c.run(c.probe.newest, p, base.Arguments)
	if first == nil {
		return // it needs the server of its client
	}
	second := c.run(c.probe.newest, p, base.Arguments)
	var others []map[string]string
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if values := c.subject(p).Candidates(a, base.Arguments); len(values) > 1 {
			with := maps.Clone(base.Arguments)
			with[a.Name] = values[1]
			others = append(others, with)
		}
	}
	for _, arguments := range others {
		c.run(c.probe.newest, p, arguments)
		if golden.Format(first.result) != first.form {
			break
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

// manyRuns is how many runs show that a result depends on the order of a map.
const manyRuns = 20

func (c *checker) checkCache(p *prompts.Prompt, base *rendering, first *run) {
	c.t.Helper()
	begin := time.Now()
	for range manyRuns {
		again := c.run(c.probe.newest, p, base.Arguments)
		switch {
		case again == nil:
			return
		case again.form != first.form:
			c.errorf(p, "Cache stores a result that differs from run to run with the same arguments, for example by the order of a map (- first, + later)\n%s\tSort the keys of a map, or remove Cache.", difference(first.form, again.form, 0))
			return
		}
	}
	for _, now := range []time.Time{begin, time.Now(), begin.UTC(), time.Now().UTC()} {
		for _, layout := range clocks {
			text := now.Format(layout)
			if at := strings.Index(first.form, text); at >= 0 && !strings.Contains(golden.JSON(base.Arguments), text) {
				c.errorf(p, "Cache stores a result with the current time: got %s\n\tMake the time an argument, or remove Cache.", trial.Quote(lineAt(first.form, at)))
				return
			}
		}
	}
}

// clocks are how people write the current day.
var clocks = []string{time.DateOnly, "2006/01/02", "01/02/2006", "02.01.2006", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "02 Jan 2006", "Jan _2", "20060102"}

// checkQuestions reports an effect before a question. In a session, the function runs once,
// and in protocol version 2026-07-28 again after each round of answers. A number in the
// result, such as an id or a count, grows with each run that has the effect.
func (c *checker) checkQuestions(p *prompts.Prompt, base *rendering, newest, next *run, effects func() int) {
	c.t.Helper()
	if effects == nil {
		effects = func() int { return 0 }
	}
	before := effects()
	one := c.run(c.probe.session, p, base.Arguments)
	between := effects()
	two := c.run(c.probe.session, p, base.Arguments)
	now := effects()
	again := c.run(c.probe.newest, p, base.Arguments)
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
	if newest.count > 2 {
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

// effort is the time that a prompt takes in a check.
type effort struct {
	calls    int
	time     time.Duration
	fastest  time.Duration
	slowest  time.Duration
	isOver   bool
	failures int // with untame values
}

const (
	// patience limits the time of one prompt in a check, if each call takes slowCall: a busy
	// machine is no slow prompt.
	patience = 2 * time.Second
	slowCall = 100 * time.Millisecond
	slowMean = 300 * time.Millisecond // if only some calls are slow
)

func (c *checker) effort(p *prompts.Prompt) *effort {
	e := c.efforts[p.Name]
	if e == nil {
		e = &effort{}
		c.efforts[p.Name] = e
	}
	return e
}

// took counts a call, and reports a prompt that is too slow to check.
func (c *checker) took(p *prompts.Prompt, arguments map[string]string, d time.Duration) {
	c.t.Helper()
	e := c.effort(p)
	if e.calls++; e.calls == 1 || d < e.fastest {
		e.fastest = d
	}
	e.time += d
	e.slowest = max(e.slowest, d)
	average := e.time / time.Duration(e.calls)
	// One call may be slow because it is the first.
	others := (e.time - e.slowest) / time.Duration(max(e.calls-1, 1))
	if e.time >= patience && e.calls > 1 && (e.fastest >= slowCall || others >= slowMean) && !e.isOver {
		e.isOver = true
		c.t.Errorf("prompt %q: rendering takes %v (%d calls in %v, the last with %s), so the rest is not checked\n\tMake the prompt faster, or replace in the test what the prompt waits for.", p.Name, average.Round(time.Millisecond), e.calls, e.time.Round(time.Millisecond), list(arguments))
	}
}

// errSlow is why there is no result of a prompt that is too slow.
type errSlow struct{}

func (errSlow) Error() string { return "prompt is too slow to check" }
