package promptnats_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptnats"
)

// contents returns what can be seen of the prompts.
func (f *follower) contents() []string {
	all := []string{}
	for p := range f.registry.All() {
		all = append(all, fmt.Sprint(p.Name, p.Description, p.Tags, p.Source, f.text(p.Name)))
	}
	return all
}

// Whatever has happened to the bucket, the broker and the way to it, one who has
// followed all the time has in the end what one has who begins then.
func TestConvergence(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			converge(t, rand.New(rand.NewPCG(seed, 10)))
		})
	}
}

func converge(t *testing.T, r *rand.Rand) {
	b := startBroker(t, nil)
	p := startProxy(t, b)
	js := connect(t, b.url())
	create := func() jetstream.KeyValue {
		return createBucket(t, js, jetstream.KeyValueConfig{Bucket: bucket, History: uint8(1 + r.IntN(3))})
	}
	kv := create()
	f := follow(t, connect(t, p.url(), nats.PingInterval(200*time.Millisecond), nats.MaxPingsOutstanding(2)), promptnats.Options{})
	keys := []string{"a.md", "b.md", "c/d.md", "c/e.md", "c", "_partials/p.md", "_partials/q.md", "img.png", "SKILL.md", "c/SKILL.md", "x=41.md", "x=3D41.md", "team./a.md"}
	values := []string{"text", "{{template \"p\"}}", "{{template \"q\"}} more", "--- user: image img.png ---", "---\nname: one\n---\ntext", "---\nname: one\n---\nother",
		"---\nname: b\n---\ntext", "---\nbad", "", "\xff", "{{if}}", "---\nname: skill\ndescription: d\n---\nskill"}
	key := func() string { return keys[r.IntN(len(keys))] }
	write := func() {
		switch r.IntN(10) {
		case 0, 1:
			require.NoError(t, kv.Delete(t.Context(), key()))
		case 2:
			require.NoError(t, kv.Purge(t.Context(), key()))
		default:
			put(t, kv, key(), fmt.Sprint(values[r.IntN(len(values))]))
		}
	}
	isPurged := false
	for range 25 {
		switch r.IntN(14) {
		case 0:
			p.set(func() { p.isCut = !p.isCut })
		case 1:
			p.set(func() { p.frozen = !p.frozen })
		case 2:
			p.set(func() { p.repeats = !p.repeats })
		case 3:
			p.set(func() { p.drops = r.IntN(3) })
		case 4:
			b.stop()
			b.start()
			require.Eventually(t, func() bool { _, err := kv.Status(t.Context()); return err == nil }, long, 5*time.Millisecond)
		case 5:
			stream, err := js.Stream(t.Context(), "KV_"+bucket)
			require.NoError(t, err)
			require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSubject("$KV."+bucket+"."+key())))
			isPurged = true
		case 6:
			require.NoError(t, js.DeleteKeyValue(t.Context(), bucket))
			kv = create()
		case 7: // let it get in sync, if it can
			p.set(func() { p.isCut, p.frozen, p.drops = false, false, 0 })
			f.inStep(put(t, kv, "z.md", fmt.Sprint(r.Int())))
		}
		for range r.IntN(4) {
			write()
		}
	}
	if isPurged { // which may be seen only when all is read again
		p.set(func() { p.isCut = true })
		require.Error(t, f.lost())
	}
	p.set(func() { p.isCut, p.frozen, p.repeats, p.drops = false, false, false, 0 })

	// Invalid files may differ, until they are removed.
	revision := put(t, kv, "end.md", "end")
	for {
		g := follow(t, js, promptnats.Options{})
		faults := g.Status().FileErrors
		contents := g.contents()
		g.Close()
		if faults == nil {
			f.inStep(revision)
			f.until(fmt.Sprint("what a new one has: ", contents), func() bool { return assert.ObjectsAreEqual(contents, f.contents()) })
			f.until("no faults", func() bool { return f.Status().FileErrors == nil })
			return
		}
		for _, key := range keys {
			if _, err := kv.Get(t.Context(), key); !errors.Is(err, jetstream.ErrKeyNotFound) && r.IntN(2) == 0 {
				require.NoError(t, kv.Delete(t.Context(), key))
			}
		}
		revision = put(t, kv, "end.md", "end")
	}
}
