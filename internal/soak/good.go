package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// good is a good client, who knows what each answer has to be.
type good struct {
	*conn
	catalogue *catalogue
	number    int
	isHTTP    bool
}

// runGood is a good client's life: connection after connection, until ctx ends.
func (p *place) runGood(ctx context.Context, number int, version string, isHTTP bool) {
	r := rand.New(rand.NewPCG(p.options.seed, uint64(number)))
	who := principalName("good", number)
	for life := 0; ctx.Err() == nil; life++ {
		judged := (life+number)%judgeEvery == 0
		var c *conn
		if isHTTP {
			c = openHTTP(p, who, version, judged)
		} else {
			var err error
			if c, err = openStream(p, who, version, r.IntN(2) == 0, judged); err != nil {
				p.rec.fault(who, "no stream: %v", err)
				return
			}
		}
		g := &good{conn: c, catalogue: p.catalogue, number: number, isHTTP: isHTTP}
		g.live(ctx, r)
		c.close()
	}
}

// live uses one connection.
func (g *good) live(ctx context.Context, r *rand.Rand) {
	if !g.begin() {
		return
	}
	for n := 50 + r.IntN(200); n > 0 && ctx.Err() == nil; n-- {
		time.Sleep(time.Duration(r.IntN(6)) * time.Millisecond)
		g.step(r)
	}
}

// begin opens the connection, and has it told of changes.
func (g *good) begin() bool {
	if g.isModern() {
		x, err := g.listen()
		if err != nil {
			g.fault("listen: %v", err)
			return false
		}
		select {
		case <-g.acked:
			return true
		case a := <-x.answered:
			g.fault("listen: it is answered at once: %s %v", a.result, a.err)
		case <-time.After(g.place.options.patience):
			g.fault("listen: it is not acknowledged")
		}
		return false
	}
	a, ok := g.ask("initialize", initializeParams(g.version), "")
	if !ok {
		return false
	}
	var got struct {
		Version string `json:"protocolVersion"`
	}
	if g.read(a, &got); got.Version != g.version {
		g.fault("initialize: the version is %q", got.Version)
		return false
	}
	if err := g.carrier.notify(notificationText("notifications/initialized", nil), "notifications/initialized"); err != nil {
		g.fault("%v", err)
		return false
	}
	if h, ok := g.carrier.(*httpCarrier); ok {
		h.listen()
	}
	return true
}

// listen asks to be told of changes.
func (g *good) listen() (*call, error) {
	ctx := context.Background()
	if h, ok := g.carrier.(*httpCarrier); ok {
		ctx = h.ctx
	}
	x := g.newCall()
	g.mu.Lock()
	g.subscribed = x.id
	g.mu.Unlock()
	g.place.rec.sent(methodListen, g.version)
	params := envelope(object{"notifications": object{"promptsListChanged": true}}, true)
	return x, g.carrier.request(ctx, requestText(x.id, methodListen, params), methodListen, "", []string{x.id})
}

// step is something that a good client does, and how often.
type step struct {
	weight int
	do     func(g *good, r *rand.Rand)
}

// single are the steps of which several may be done at a time.
var single = []step{
	{30, (*good).getStay},
	{10, (*good).getCome},
	{10, (*good).getSwap},
	{5, (*good).getEven},
	{8, (*good).complete},
	{8, (*good).ping},
	{5, (*good).getCached},
	{4, (*good).getSigned},
	{4, (*good).getIncluded},
	{6, (*good).getSteps},
	{2, (*good).getPanic},
	{3, (*good).getWait},
	{3, (*good).getUnknown},
	{3, (*good).getLarge},
	{3, (*good).walk},
}

// alone are those that are done one at a time.
var alone = []step{
	{400, func(g *good, r *rand.Rand) { pick(single, r)(g, r) }},
	{12, (*good).burst},
	{12, (*good).cancel},
	{12, (*good).hear},
	{16, (*good).answerForms},
	{12, (*good).batch},
	{1, (*good).overrun},
}

func pick(steps []step, r *rand.Rand) func(*good, *rand.Rand) {
	all := 0
	for _, s := range steps {
		all += s.weight
	}
	n := r.IntN(all)
	for _, s := range steps {
		if n -= s.weight; n < 0 {
			return s.do
		}
	}
	panic("unreachable")
}

func (g *good) step(r *rand.Rand) { pick(alone, r)(g, r) }

// burst does several things at a time.
func (g *good) burst(r *rand.Rand) {
	var all sync.WaitGroup
	for range 2 + r.IntN(8) {
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		do := pick(single, own)
		all.Go(func() { do(g, own) })
	}
	all.Wait()
}

// hear makes a change and waits to be told of it.
func (g *good) hear(*rand.Rand) {
	select { // what has been told before is of no interest
	case <-g.changed:
	default:
	}
	began := time.Now()
	if err := g.catalogue.touch(g.number); err != nil {
		g.fault("%v", err)
	}
	select {
	case <-g.changed:
		g.place.rec.took("told of a change", time.Since(began))
	case <-time.After(g.place.options.patience):
		g.fault("a change is not told")
	}
}

// cancel gives up a request that would take long.
func (g *good) cancel(*rand.Rand) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	began := time.Now()
	x, err := g.start(ctx, methodGet, object{"name": "do-wait", "arguments": object{"for": "1s"}})
	if err != nil {
		g.fault("%v", err)
		return
	}
	select { // when it has begun
	case <-x.first:
	case <-time.After(g.place.options.patience):
		g.fault("a request that waits has not begun")
	}
	g.forget(x)
	g.place.rec.answered("cancelled")
	if g.isModern() && g.isHTTP {
		return // which closes the request
	}
	params := object{"requestId": rawJSON(x.id), "reason": "on purpose"}
	if g.isModern() {
		params = envelope(params, true)
	}
	if err := g.carrier.notify(notificationText("notifications/cancelled", params), "notifications/cancelled"); err != nil {
		g.fault("%v", err)
	}
	if time.Since(began) < 300*time.Millisecond { // well before there would be an answer
		g.forbid(x)
	}
}

// overrun asks for what takes longer than it may.
func (g *good) overrun(*rand.Rand) {
	if a, ok := g.ask(methodGet, object{"name": "do-overrun"}, "prompts/get over its time limit"); ok {
		g.refused(a, codeInternal, "do-overrun")
	}
}

// batch asks for several things in one message.
func (g *good) batch(r *rand.Rand) {
	if g.version != batched {
		return
	}
	i := r.IntN(stays/forms) * forms
	topic := fmt.Sprint("topic ", r.IntN(100))
	calls := []*call{g.newCall(), g.newCall(), g.newCall(), g.newCall()}
	var ids []string
	for _, x := range calls {
		ids = append(ids, x.id)
	}
	msgs := []any{
		rawJSON(string(requestText(ids[0], "ping", nil))),
		rawJSON(string(notificationText("notifications/unheard", nil))),
		rawJSON(string(requestText(ids[1], methodGet, object{"name": stayName(i), "arguments": object{"topic": topic}}))),
		rawJSON(string(requestText(ids[2], "no/such", nil))),
		rawJSON(string(requestText(ids[3], methodList, nil))),
	}
	for _, method := range []string{"ping", methodGet, "no/such", methodList} {
		g.place.rec.sent(method+" in a batch", g.version)
	}
	began := time.Now()
	if err := g.carrier.request(context.Background(), encode(msgs), "batch", "", ids); err != nil {
		g.fault("a batch: %v", err)
		return
	}
	var answers []answer
	for _, x := range calls {
		a, err := g.wait(x)
		if err != nil {
			g.fault("a batch: %v", err)
			return
		}
		g.count(a)
		answers = append(answers, a)
	}
	g.place.rec.took("batch", time.Since(began))
	g.texts(answers[1], stayName(i), untypedText(stayName(i), topic))
	g.refused(answers[2], codeNoMethod, "no/such")
	if answers[0].err != nil || answers[3].err != nil {
		g.fault("a batch: %v, %v", answers[0].err, answers[3].err)
	}
}
