package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/servertest/clienttest"
	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/transport"
)

// client is a well-behaved client: it knows what every response must be.
type client struct {
	*prompttest.Client
	*reporter
	soak   *soak
	rev    revision.Revision
	isHTTP bool
	seen   *observed
}

// live opens a connection, uses it and closes it.
func (s *soak) live(number int, version string, isHTTP bool, r *rand.Rand) {
	who := fmt.Sprintf("good-%d", number)
	report := &reporter{to: s, who: fmt.Sprintf("%s (%s, HTTP: %v)", who, version, isHTTP)}
	var conn transport.Conn
	if isHTTP {
		conn = clienttest.HTTP("http://"+s.address, http.Header{principalHeader: {who}})
	} else {
		stream := s.open(who)
		conn = stdio.NewStream(stream, stream, stdio.Options{})
	}
	rev, _ := revision.Parse(version)
	c := &client{reporter: report, soak: s, rev: rev, isHTTP: isHTTP, seen: &observed{Conn: conn, report: report}}
	if s.checker != nil && r.IntN(8) == 0 {
		c.seen.judge = s.checker.Judge(speccheck.Options{HTTP: isHTTP})
	}
	c.Client = prompttest.NewClient(report, c.seen, prompttest.ClientOptions{Version: version, Timeout: s.patience, Answer: answer})
	defer c.Close()
	c.Listen()
	var several sync.WaitGroup
	for range 4 {
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		several.Go(func() {
			for range 10 {
				c.act(own)
			}
		})
	}
	several.Wait()
	c.hear()
	c.cancel(r)
}

// answer answers "do-ask" by its topic.
func answer(q prompttest.Question) any {
	if strings.HasPrefix(q.Message, "And then for no ") {
		return prompttest.Decline()
	}
	return prompttest.Accept(map[string]string{"colour": colours[len(q.Message)%len(colours)]})
}

// act does one of the things that a client may do at the same time as others.
func (c *client) act(r *rand.Rand) {
	topic := fmt.Sprintf("topic %d <é\"\\\n> 🌍", r.IntN(1000))
	in := input{Topic: topic, Times: 1 + r.IntN(5), Colour: colours[r.IntN(3)], City: "anywhere"}
	args := map[string]string{"topic": topic, "times": fmt.Sprint(in.Times), "colour": in.Colour, "city": in.City, "unknown": "ignored"}
	stay, even := stayName(r.IntN(stays)), evenName(r.IntN(evens))
	switch r.IntN(12) {
	case 0:
		in.Topic = strings.Repeat("large ", 8<<10)
		args["topic"] = in.Topic
		c.get(stay, args, in.text(stay))
	case 1:
		in.Topic, args["topic"] = "cached", "cached"
		c.get("do-cache", args, in.text("do-cache"))
	case 2:
		c.get("do-include", map[string]string{"topic": topic}, input{Topic: topic}.text(stayName(0)))
	case 3:
		if isEven(c.name()) {
			c.get(even, args, in.text(even))
		} else {
			c.fails(even, args, prompts.CodeInvalidParams)
		}
	case 4:
		if err := c.fails(stay, map[string]string{"times": "9"}, prompts.CodeInvalidParams); len(problem.Reasons(err)) != 2 {
			c.Errorf("not both problems: %v", err)
		}
	case 5:
		c.fails("do-panic", nil, prompts.CodeInternalError)
	case 6:
		c.come(r.IntN(comers))
	case 7:
		c.list()
	case 8:
		got := c.Complete(stay, "city", "aa", nil)
		if strings.Join(got, " ") != "Aachen Aarhus" {
			c.Errorf("completion: %q", got)
		}
	case 9:
		c.ask([]string{"no ", "a "}[r.IntN(2)] + topic)
	default:
		c.get(stay, args, in.text(stay))
	}
	c.soak.acts.Add(1)
}

func (r *reporter) name() string { name, _, _ := strings.Cut(r.who, " "); return name }

// get gets a prompt of one text, and the signature of the middleware.
func (c *client) get(name string, args map[string]string, want string) {
	c.check(name, c.Get(name, args), want)
}

func (c *client) check(name string, got *prompts.Result, want string) {
	var all []string
	for _, m := range got.Messages {
		t, _ := m.Content.(*prompts.Text)
		all = append(all, fmt.Sprint(m.Role, " ", t.Text))
	}
	if text := strings.Join(all, "; "); text != "user "+want+"; assistant for "+c.name() {
		c.Errorf("%s: %.300q instead of %.300q", name, text, want)
	}
}

func (c *client) fails(name string, args map[string]string, code transport.Code) *prompts.Error {
	err := c.GetError(name, args)
	if err.Code != code || strings.Contains(err.Message, "on purpose") {
		c.Errorf("%s: %v instead of %d", name, err, code)
	}
	return err
}

// come gets a prompt that exists at odd versions.
func (c *client) come(i int) {
	cell := &c.soak.catalogue.comers[i]
	first := cell.done.Load()
	raw, err := c.Call("prompts/get", map[string]any{"name": comeName(i)})
	last := cell.begun.Load()
	var v int64
	if _, after, ok := strings.Cut(string(raw), `"text":"version `); ok {
		_, _ = fmt.Sscan(after, &v)
	}
	var refusal *prompts.Error
	switch {
	case errors.As(err, &refusal) && (refusal.Code != prompts.CodeInvalidParams || first == last && last%2 == 1):
		c.Errorf("%s exists at %d to %d: %v", comeName(i), first, last, refusal)
	case err == nil && (v%2 == 0 || v < first || v > last):
		c.Errorf("%s has the version %d instead of %d to %d", comeName(i), v, first, last)
	}
}

// list reads the whole list, in pages, while the prompts change.
func (c *client) list() {
	all := map[string]*cell{}
	for i := range comers {
		all[comeName(i)] = &c.soak.catalogue.comers[i]
	}
	for i := range pairs {
		all[pairName(i, 0)], all[pairName(i, 1)] = &c.soak.catalogue.pairs[i], &c.soak.catalogue.pairs[i]
	}
	first := map[string]int64{}
	for name, cell := range all {
		first[name] = cell.done.Load()
	}
	got := c.List()
	seen, n := map[string]bool{}, 0
	for i, p := range got {
		if seen[p.Name] = true; i > 0 && p.Name <= got[i-1].Name {
			c.Errorf("%s is listed after %s", p.Name, got[i-1].Name)
		}
		if cell := all[p.Name]; cell != nil {
			var v int64
			_, err := fmt.Sscanf(p.Description, "version %d", &v)
			isComer := strings.HasPrefix(p.Name, "come-")
			if last := cell.begun.Load(); err != nil || v < first[p.Name] || v > last || isComer && v%2 == 0 {
				c.Errorf("%s is listed as %q instead of %d to %d", p.Name, p.Description, first[p.Name], last)
			}
			if isComer {
				continue
			}
		} else if strings.HasPrefix(p.Name, "stay-") && (len(p.Arguments) != 4 || !p.Arguments[0].Required) {
			c.Errorf("%s is listed as %+v", p.Name, p)
		}
		n++
	}
	want := listed
	if isEven(c.name()) {
		want += evens
	}
	if n != want {
		c.Errorf("the list has %d prompts that stay, instead of %d", n, want)
	}
	for name, cell := range all {
		if strings.HasPrefix(name, "come-") && !seen[name] && first[name]%2 == 1 && cell.begun.Load() == first[name] {
			c.Errorf("the list does not have %s", name)
		}
	}
}

// ask gets a prompt that asks two questions.
func (c *client) ask(topic string) {
	args := map[string]string{"topic": topic}
	switch {
	case !c.rev.Elicitation(): // cannot be asked
		c.fails("do-ask", args, prompts.CodeInternalError)
	case strings.HasPrefix(topic, "no "): // declines
		c.fails("do-ask", args, prompts.CodeInvalidParams)
	default:
		first, second := "Which colour for "+topic+"?", "And then for "+topic+"?"
		c.get("do-ask", args, colours[len(first)%3]+", "+colours[len(second)%3])
	}
}

// hear changes a prompt, and waits to be told.
func (c *client) hear() {
	s := c.soak.catalogue
	s.changing.Lock()
	time.Sleep(10 * time.Millisecond) // for earlier changes to be told
	told := c.seen.changes.Load()
	err := s.touched.change(func(v int64) error { return s.registry.Set(versioned("touch", v)) })
	s.changing.Unlock()
	if err != nil || !eventually(c.soak.patience, func() bool { return c.seen.changes.Load() > told }) {
		c.Errorf("a change is not told: %v", err)
	}
}

// cancel cancels a request that would take long, once it is running. The render must
// end, and an answer to the request would be an error of the server.
func (c *client) cancel(r *rand.Rand) {
	if c.rev.Stateless() && c.isHTTP {
		return // where a client ends the request
	}
	id := fmt.Sprint("cancelled ", r.Uint64())
	meta := `"progressToken":"token"`
	if c.rev.Stateless() {
		meta += fmt.Sprintf(`,"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}`, c.rev)
	}
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"prompts/get","params":{"name":"do-wait","_meta":{%s}}}`, id, meta))
	if got := c.Receive(); !strings.Contains(got, `"notifications/progress"`) {
		c.Errorf("instead of progress: %.300s", got)
	}
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%q}}`, id))
	if !eventually(c.soak.patience, func() bool { _, ok := c.soak.catalogue.cancelled.LoadAndDelete(c.name()); return ok }) {
		c.Errorf("a request goes on although it was cancelled")
	}
	c.get("do-include", map[string]string{"topic": id}, input{Topic: id}.text(stayName(0)))
}

// observed is the transport of a client, with what it carries checked.
type observed struct {
	transport.Conn
	report  *reporter
	changes atomic.Int64 // notifications of changes that have come

	mu    sync.Mutex // protects the field below
	judge *speccheck.Judge
}

func (o *observed) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := o.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (o *observed) write(ctx context.Context, msg []byte) error {
	o.report.to.tally.carry(o.report.name(), msg, true)
	o.mu.Lock()
	if o.judge != nil {
		o.judge.Client(msg)
	}
	o.mu.Unlock()
	return o.Conn.Write(ctx, msg)
}

func (o *observed) Read(ctx context.Context) ([]byte, error) {
	msg, err := o.Conn.Read(ctx)
	if err != nil {
		return msg, err
	}
	o.report.to.tally.carry(o.report.name(), msg, false)
	text := string(msg)
	if strings.Contains(text, `"notifications/prompts/list_changed"`) {
		o.changes.Add(1)
	}
	if strings.Contains(text, `"id":"cancelled `) && !strings.Contains(text, `"method"`) {
		o.report.Errorf("an answer to a request that was cancelled: %.300s", text)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.judge != nil {
		if err := o.judge.Server(msg); err != nil {
			o.report.Errorf("the specification does not allow it: %.300v: %.300s", err, text)
		}
	}
	return msg, nil
}
