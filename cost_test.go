package prompts_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// What one message may cost to answer, whatever is in it: memory is allocated
// for no more than mostFactor times its bytes and mostBase, in no more than
// mostObjects pieces for each hundred bytes, and mostPieces; and no more than
// mostSent times its bytes, and mostBase, are sent. An input four times
// as long costs no more than five times as much, so that nothing grows with the
// square of it.
const (
	mostFactor  = 64
	mostBase    = 64 << 10
	mostObjects = 25
	mostPieces  = 500
	mostGrowth  = 5
	mostSent    = 3
)

// worstMessage is a message of about n bytes, with a batch of no more messages than are
// served. "%07d" in a unit is its number.
func worstMessage(head, unit, tail string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < n; i++ {
		switch {
		case !strings.Contains(unit, "%07d"):
			b.WriteString(unit)
		case i == 0:
			fmt.Fprintf(&b, unit, i)
		default:
			fmt.Fprintf(&b, ","+unit, i)
		}
		if i == servertest.MaxBatch-2 && strings.HasPrefix(unit, `{"jsonrpc"`) {
			break
		}
	}
	return b.String() + tail
}

// cost is what it takes to answer a message.
type cost struct{ bytes, objects uint64 }

// costOf answers a message, and reports what that took and how much was sent.
func costOf(t *testing.T, s *prompts.Server, msg string) (c cost, sent int) {
	t.Helper()
	session := s.NewSession(transport.SessionOptions{Version: servertest.BatchVersion})
	defer session.Close()
	given := []byte(msg)
	// Pools are empty after two collections, so that each try pays for all that
	// it takes.
	runtime.GC()
	runtime.GC()
	x := transport.Exchange{Send: func(msg []byte, _ transport.Code, _ bool) error { sent += len(msg); return nil }}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := session.Handle(context.Background(), given, x)
	runtime.ReadMemStats(&after)
	var ignored *prompts.Error
	if err != nil {
		require.ErrorAs(t, err, &ignored)
	}
	return cost{after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs}, sent
}

// tooMuch answers a message and one that is four times as long, and says which of the bounds
// is exceeded; empty for none.
func tooMuch(t *testing.T, s *prompts.Server, short, long string) string {
	least, _ := costOf(t, s, short)
	most, sent := costOf(t, s, long)
	n := uint64(len(long))
	for _, bound := range []struct {
		what      string
		got, most uint64
	}{
		{"bytes", most.bytes, mostFactor*n + mostBase},
		{"objects", most.objects, mostObjects*n/100 + mostPieces},
		{"growth", most.bytes, mostGrowth*least.bytes*n/(4*uint64(len(short))) + mostBase},
		{"sent", uint64(sent), mostSent*n + mostBase},
	} {
		if bound.got > bound.most {
			return fmt.Sprintf("%s: %d of at most %d", bound.what, bound.got, bound.most)
		}
	}
	return ""
}

// Nothing that a client sends makes the server allocate, or send, more than a
// small multiple of it. What has a bound of its own is not here: the results of
// a batch, which end at Options.Limits.MaxMessageBytes, and the work of an author's
// code. The test is not parallel, because it counts what all of the process
// allocates.
func TestCostOfWorstMessages(t *testing.T) {
	if testing.Short() || servertest.RaceEnabled { // then a sync.Pool drops some of what it gets
		t.Skip("a measurement, which takes long")
	}
	// One processor: the collections do not wait for another, and less else goes on.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const small, large = 32 << 10, 128 << 10
	servers := map[string]*prompts.Server{}
	for name, o := range map[string]prompts.Options{"as it is": {}, "strict": {StrictArguments: true}, "asking": {ElicitArguments: true}} {
		servers[name] = prompts.MustNewServer(fuzzPrompts(), o)
	}
	for _, row := range servertest.Table(t, "worst", 4) {
		short, long := worstMessage(row[1], row[2], row[3], small), worstMessage(row[1], row[2], row[3], large)
		for name, s := range servers {
			t.Run(name+"/"+row[0], func(t *testing.T) {
				problem := tooMuch(t, s, short, long)
				if problem != "" { // what else goes on in the process counts as well
					problem = tooMuch(t, s, short, long)
				}
				assert.Empty(t, problem)
			})
		}
	}
}
