package soak

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/observe"
)

// tally counts the messages of each well-behaved client twice: as the server's observer
// gets them, and as the client sends and receives them. It is the observer.
type tally struct {
	soak *soak

	mu       sync.Mutex // protects the fields below
	observed map[string]count
	carried  map[string]count
	open     map[*int]bool // operations without End
}

// count is the number of messages from a client, and of requests to a client.
type count struct{ from, asked int }

type tallyKey struct{}

func newTally(s *soak) *tally {
	return &tally{soak: s, observed: map[string]count{}, carried: map[string]count{}, open: map[*int]bool{}}
}

func (t *tally) Begin(ctx context.Context, _ observe.Operation) context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	token := new(int)
	t.open[token] = true
	return context.WithValue(ctx, tallyKey{}, token)
}

func (t *tally) End(ctx context.Context, op observe.Operation, _ observe.Outcome) {
	who := principalOf(ctx)
	n := 1
	if isPlanted := t.soak.plant == faultDropped || t.soak.plant == faultDoubled; isPlanted && op.Method == "prompts/get" &&
		strings.HasPrefix(who, "good") && !t.soak.planted.Swap(true) {
		n = map[fault]int{faultDropped: 0, faultDoubled: 2}[t.soak.plant]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	token, _ := ctx.Value(tallyKey{}).(*int)
	if !t.open[token] {
		t.observed["an End without its Begin"] = count{1, 0}
	}
	delete(t.open, token)
	add := t.observed[who]
	switch op.Kind {
	case observe.KindRequest, observe.KindNotification, observe.KindResponse, observe.KindInvalid:
		add.from += n
	case observe.KindClientRequest:
		add.asked += n
	}
	t.observed[who] = add
}

// carry counts a message that a client sends or receives.
func (t *tally) carry(who string, msg []byte, isFromClient bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.carried[who]
	if isFromClient {
		c.from++
	} else if bytes.Contains(msg, []byte(`"id":"prompts-`)) && bytes.Contains(msg, []byte(`"method"`)) {
		c.asked++
	}
	t.carried[who] = c
}

// problems returns where the counts differ, when all clients have ended.
func (t *tally) problems() (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) > 0 {
		all = append(all, fmt.Sprintf("the observer: %d operations have no End", len(t.open)))
	}
	maps.DeleteFunc(t.observed, func(who string, _ count) bool { return strings.HasPrefix(who, "hostile") || who == "" })
	for who, got := range t.observed {
		if want := t.carried[who]; got != want {
			all = append(all, fmt.Sprintf("the observer: %s: %d messages and %d requests to the client instead of %d and %d",
				who, got.from, got.asked, want.from, want.asked))
		}
	}
	if len(t.observed) != len(t.carried) {
		all = append(all, fmt.Sprintf("the observer: %d clients instead of %d", len(t.observed), len(t.carried)))
	}
	return all
}
