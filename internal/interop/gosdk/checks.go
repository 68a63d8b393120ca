package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// driver runs checks with a client.
type driver struct {
	*report
	options options
	config  config
	client  *client
}

// run runs all checks.
func (d *driver) run(ctx context.Context) {
	with := func(f func(context.Context) (string, error)) func() (string, error) {
		return func() (string, error) { return f(ctx) }
	}
	if !d.check("connect", with(d.connect)) {
		return
	}
	d.check("capabilities", with(d.capabilities))
	d.check("ping", with(d.ping))
	d.check("list-all", with(d.listAll))
	d.check("list-iter", with(d.listIter))
	d.check("bad-cursor", with(d.badCursor))
	for _, g := range d.config.Gets {
		d.check("get:"+g.Name, func() (string, error) { return d.get(ctx, g) })
	}
	d.check("unknown-prompt", func() (string, error) { return d.refuse(ctx, d.config.Unknown) })
	d.check("missing-arg", func() (string, error) { return d.refuse(ctx, d.config.MissingArg) })
	d.check("complete", with(d.complete))
	d.check("complete-unknown", with(d.completeUnknown))
	d.check("concurrent", with(d.concurrent))
	d.check("mrtr", with(d.mrtr))
	d.check("mrtr-declined", with(d.mrtrDeclined))
	d.check("progress", with(d.progress))
	d.check("cancel", with(d.cancel))
	d.check("list-changed", with(d.listChanged))
	d.check("close", func() (string, error) { return "", d.client.Close() })
}

func (d *driver) connect(ctx context.Context) (string, error) {
	c, err := connect(ctx, d.options)
	if err != nil {
		return "", err
	}
	d.client = c
	if d.options.expect != "" && c.version() != d.options.expect {
		return "", fmt.Errorf("negotiated %s, want %s", c.version(), d.options.expect)
	}
	return fmt.Sprintf("version=%s server=%v session=%q", c.version(), c.InitializeResult().ServerInfo, c.ID()), nil
}

func (d *driver) capabilities(context.Context) (string, error) {
	k := d.client.InitializeResult().Capabilities
	if k == nil || k.Prompts == nil || (d.config.Complete != nil && d.client.completes() && k.Completions == nil) {
		return "", fmt.Errorf("capabilities %+v", k)
	}
	return fmt.Sprintf("prompts=%+v", *k.Prompts), nil
}

func (d *driver) ping(ctx context.Context) (string, error) {
	if d.client.isStateless() {
		return "", errNotInRevision
	}
	return "", d.client.Ping(ctx, nil)
}

// maxPages ends a walk that does not end by itself.
const maxPages = 1000

func (d *driver) listAll(ctx context.Context) (string, error) {
	seen := map[string]bool{}
	pages := 0
	for cursor, more := "", true; more; more = cursor != "" {
		names, next, err := d.client.page(ctx, cursor)
		if err != nil {
			return "", err
		}
		if pages++; pages > maxPages {
			return "", errors.New("the list has no end")
		}
		for _, name := range names {
			if name == "" || seen[name] {
				return "", fmt.Errorf("empty or duplicate name %q", name)
			}
			seen[name] = true
		}
		cursor = next
	}
	for _, name := range d.config.ExpectPrompts {
		if !seen[name] {
			return "", fmt.Errorf("missing prompt %q", name)
		}
	}
	if p := d.config.Pagination; p != nil && pages < p.MinPages {
		return "", fmt.Errorf("%d pages, want at least %d", pages, p.MinPages)
	}
	return fmt.Sprintf("%d prompts in %d pages", len(seen), pages), nil
}

func (d *driver) listIter(ctx context.Context) (string, error) {
	n := 0
	for _, err := range d.client.Prompts(ctx, nil) {
		if err != nil {
			return "", err
		}
		n++
	}
	return fmt.Sprintf("%d prompts", n), nil
}

func (d *driver) badCursor(ctx context.Context) (string, error) {
	p := d.config.Pagination
	if p == nil || p.BadCursor == "" {
		return "", errNotConfigured
	}
	_, _, err := d.client.page(ctx, p.BadCursor)
	return expectCode(err, p.BadCursorCodes)
}

func (d *driver) get(ctx context.Context, g get) (string, error) {
	m, err := d.client.get(ctx, g.Name, g.Args)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d messages", len(m.types)), g.verify(m)
}

// refuse wants an error.
func (d *driver) refuse(ctx context.Context, g *get) (string, error) {
	if g == nil {
		return "", errNotConfigured
	}
	_, err := d.client.get(ctx, g.Name, g.Args)
	return expectCode(err, g.Codes)
}

func (d *driver) complete(ctx context.Context) (string, error) {
	k := d.config.Complete
	if k == nil {
		return "", errNotConfigured
	}
	values, err := d.client.complete(ctx, k)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(values), k.verify(values)
}

func (d *driver) completeUnknown(ctx context.Context) (string, error) {
	k := d.config.CompleteUnknown
	if k == nil {
		return "", errNotConfigured
	}
	_, err := d.client.complete(ctx, k)
	return expectCode(err, k.Codes)
}

func (d *driver) concurrent(ctx context.Context) (string, error) {
	if len(d.config.Gets) == 0 {
		return "", errNotConfigured
	}
	const n = 20
	g := d.config.Gets[0]
	results := make(chan error, n)
	for range n {
		go func() { // ends with the request
			m, err := d.client.get(ctx, g.Name, g.Args)
			if err == nil {
				err = g.verify(m)
			}
			results <- err
		}()
	}
	var errs []error
	for range n {
		errs = append(errs, <-results)
	}
	return fmt.Sprintf("%d parallel gets", n), errors.Join(errs...)
}

func (d *driver) mrtr(ctx context.Context) (string, error) {
	m := d.config.MRTR
	if m == nil {
		return "", errNotConfigured
	}
	answer, asked, err := d.ask(ctx, &mcp.ElicitResult{Action: "accept", Content: m.Content})
	switch {
	case !d.client.canBeAsked() && asked > 0:
		return "", fmt.Errorf("asked %d times in a revision that has no questions", asked)
	case !d.client.canBeAsked():
		return expectCode(err, []int{jsonrpc.CodeInternalError})
	case err != nil:
		return "", err
	case asked != 1:
		return "", fmt.Errorf("asked %d times", asked)
	case !strings.Contains(answer.text, m.ExpectText):
		return "", fmt.Errorf("text not found in %q", answer.text)
	}
	return answer.text, nil
}

func (d *driver) mrtrDeclined(ctx context.Context) (string, error) {
	if d.config.MRTR == nil {
		return "", errNotConfigured
	}
	if !d.client.canBeAsked() {
		return "", errNotInRevision
	}
	_, asked, err := d.ask(ctx, &mcp.ElicitResult{Action: "decline"})
	if asked != 1 {
		return "", fmt.Errorf("asked %d times", asked)
	}
	return expectCode(err, []int{jsonrpc.CodeInvalidParams})
}

// ask gets the prompt that asks for input, and counts how often it does.
func (d *driver) ask(ctx context.Context, answer *mcp.ElicitResult) (m messages, asked int64, err error) {
	d.client.answer.Store(answer)
	before := d.client.asked.Load()
	m, err = d.client.get(ctx, d.config.MRTR.Name, d.config.MRTR.Args)
	return m, d.client.asked.Load() - before, err
}

func (d *driver) progress(ctx context.Context) (string, error) {
	p := d.config.Progress
	if p == nil {
		return "", errNotConfigured
	}
	const token = "how-far" // a string; the TypeScript client has integers
	params := &mcp.GetPromptParams{Name: p.Name, Arguments: p.Args}
	params.SetProgressToken(token)
	if _, err := d.client.getWith(ctx, params); err != nil {
		return "", err
	}
	// The client may see the answer before the notifications that came
	// before it.
	patience := time.After(defaultPatience)
	var seen []float64
	for len(seen) < p.Min {
		select {
		case n := <-d.client.progress:
			if n.ProgressToken != token {
				return "", fmt.Errorf("progress of %v, want %q", n.ProgressToken, token)
			}
			if len(seen) > 0 && n.Progress <= seen[len(seen)-1] {
				return "", fmt.Errorf("progress from %v to %v", seen, n.Progress)
			}
			seen = append(seen, n.Progress)
		case <-patience:
			return "", fmt.Errorf("%d notifications of progress, want at least %d", len(seen), p.Min)
		}
	}
	return fmt.Sprint(seen), nil
}

// cancelAfter is how long a get has before it is cancelled.
const cancelAfter = 500 * time.Millisecond

func (d *driver) cancel(ctx context.Context) (string, error) {
	c := d.config.Cancel
	if c == nil || len(d.config.Gets) == 0 {
		return "", errNotConfigured
	}
	short, stop := context.WithTimeout(ctx, cancelAfter)
	defer stop()
	if _, err := d.client.get(short, c.Name, c.Args); !errors.Is(err, context.DeadlineExceeded) {
		return "", fmt.Errorf("not cancelled: %v", err)
	}
	return d.get(ctx, d.config.Gets[0])
}

const (
	// settle is the time that a stream for notifications has to open, which
	// happens in the background.
	settle = 300 * time.Millisecond
	// defaultPatience is how long to wait for a notification.
	defaultPatience = time.Minute
)

func (d *driver) listChanged(ctx context.Context) (string, error) {
	l := d.config.ListChanged
	if l == nil {
		return "", errNotConfigured
	}
	time.Sleep(settle)
	select {
	case <-d.client.changed: // by something before
	default:
	}
	if err := d.trigger(ctx, l); err != nil {
		return "", err
	}
	patience := defaultPatience
	if l.TimeoutMs > 0 {
		patience = time.Duration(l.TimeoutMs) * time.Millisecond
	}
	select {
	case <-d.client.changed:
		return "received", nil
	case <-time.After(patience):
		return "", errors.New("no notifications/prompts/list_changed")
	}
}

func (d *driver) trigger(ctx context.Context, l *listChanged) error {
	var err error
	switch t := l.Trigger; t.Kind {
	case "prompt":
		_, err = d.client.get(ctx, t.Name, t.Args)
	case "tool":
		_, err = d.client.CallTool(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: t.Args})
	default:
		err = fmt.Errorf("unknown kind of trigger %q", t.Kind)
	}
	return err
}
