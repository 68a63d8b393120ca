package promptnats_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptnats"
	"github.com/mcp-prompts/prompts/prompttest"
)

// heard reports whether the Follower has reported this error.
func (f *follower) heard(err error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.statuses {
		if errors.Is(s.Err, err) {
			return true
		}
	}
	return false
}

// What is removed and written while there is no connection is known when there
// is one again, whether the connection has ended or is only silent; meanwhile
// all prompts stay.
func TestOutages(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]func(p *proxy, is bool){
		"cut":       func(p *proxy, is bool) { p.isCut = is },
		"partition": func(p *proxy, is bool) { p.frozen = is },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBroker(t, nil)
			p := startProxy(t, b)
			kv := newBucket(t, connect(t, b.url()))
			for _, key := range []string{"stays.md", "gone.md", "purged.md", "back.md"} {
				put(t, kv, key, "old")
			}
			f := follow(t, connect(t, p.url(), nats.PingInterval(200*time.Millisecond), nats.MaxPingsOutstanding(2)), promptnats.Options{})
			p.set(func() { outage(p, true) })
			require.NoError(t, kv.Delete(t.Context(), "gone.md"))
			require.NoError(t, kv.Purge(t.Context(), "purged.md"))
			require.NoError(t, kv.Delete(t.Context(), "back.md"))
			put(t, kv, "back.md", "new")
			put(t, kv, "new.md", "new")
			require.Error(t, f.lost())
			assert.Equal(t, []string{"back", "gone", "purged", "stays"}, f.names())
			assert.Equal(t, "old", f.text("back"))

			changed, cancel := signals(f.registry.OnChange)
			defer cancel()
			p.set(func() { outage(p, false) })
			f.inStep(9)
			<-changed
			assert.Equal(t, []string{"back", "new", "stays"}, f.names(), "at once")
			assert.Equal(t, "new", f.text("back"))
			assert.False(t, f.heard(promptnats.ErrReplaced))
		})
	}
}

// What is delivered twice, or late, has no effect.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	p := startProxy(t, b)
	p.set(func() { p.repeats = true })
	kv := newBucket(t, connect(t, b.url()))
	put(t, kv, "a.md", "0")
	put(t, kv, "b.md", "0")
	f := follow(t, connect(t, p.url()), promptnats.Options{})
	last := -1
	seen := make(chan string, 1000)
	changed, cancel := signals(f.registry.OnChange)
	defer cancel()
	ended := make(chan struct{})
	go func() { // until the last one is there
		defer close(ended)
		for range changed {
			text := f.text("a")
			seen <- text
			if text == "end" {
				return
			}
		}
	}()
	for i := range 30 {
		put(t, kv, "a.md", fmt.Sprint(i))
		f.says("a", fmt.Sprint(i))
	}
	require.NoError(t, kv.Delete(t.Context(), "b.md"))
	f.has("a")
	put(t, kv, "a.md", "end")
	<-ended
	close(seen)
	for text := range seen {
		if text != "end" {
			n := 0
			_, err := fmt.Sscan(text, &n)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, n, last, "nothing old comes back")
			last = n
		}
	}
	assert.Equal(t, []string{"a"}, f.names())
	assert.Len(t, f.statuses, 1, "it is no reason to read all again")
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Greater(t, p.again, 30)
}

// What is lost on the way is found out by what comes after it, and read again.
func TestLostDelivery(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	p := startProxy(t, b)
	kv := newBucket(t, connect(t, b.url()))
	put(t, kv, "a.md", "a")
	f := follow(t, connect(t, p.url()), promptnats.Options{})
	p.set(func() { p.drops = 1 })
	put(t, kv, "lost.md", "lost")
	put(t, kv, "b.md", "b")
	f.has("a", "b", "lost")
	f.until("in step", func() bool { return f.Status().Synced })
}

// A slow broker is waited for.
func TestSlowBroker(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	p := startProxy(t, b)
	p.set(func() { p.delay = 50 * time.Millisecond })
	kv := newBucket(t, connect(t, b.url()))
	put(t, kv, "a.md", "a")
	f := follow(t, connect(t, p.url()), promptnats.Options{})
	for i := range 5 {
		put(t, kv, "a.md", fmt.Sprint(i))
	}
	f.says("a", "4")
	assert.True(t, f.Status().Synced)

	// One that is too slow to be of use is an error in the time that is set.
	p.set(func() { p.delay = time.Second })
	g, o := newFollower(t, promptnats.Options{Timeout: 500 * time.Millisecond})
	require.ErrorContains(t, g.start(connect(t, p.url(), nats.Timeout(100*time.Millisecond)), o), "timed out after 500ms")
}

// A bucket that is removed takes no prompt away, nor does the empty one that
// comes after it; what is written into that counts.
func TestBucketThatVanishes(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	put(t, kv, "b.md", "b")
	f := follow(t, js, promptnats.Options{})
	require.NoError(t, js.DeleteKeyValue(t.Context(), bucket))
	f.until("its end", func() bool { return errors.Is(f.Status().Err, jetstream.ErrBucketNotFound) })
	assert.Equal(t, []string{"a", "b"}, f.names())

	kv = newBucket(t, js)
	f.until("another", func() bool { return errors.Is(f.Status().Err, promptnats.ErrReplaced) })
	assert.Equal(t, []string{"a", "b"}, f.names())
	assert.Equal(t, "a", f.text("a"))
	put(t, kv, "b.md", "of the new one")
	f.has("b")
	assert.Equal(t, "of the new one", f.text("b"))
	f.until("in step", func() bool { return f.Status().Synced })
	assert.Contains(t, f.log.String(), "bucket was replaced; loading its content")
	put(t, kv, "a.md", "too")
	f.has("a", "b")
}

// Keys may go without a trace, when somebody purges the stream.
func TestPurgedStream(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	put(t, kv, "b.md", "b")
	f := follow(t, js, promptnats.Options{})
	stream, err := js.Stream(t.Context(), "KV_"+bucket)
	require.NoError(t, err)
	require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSubject("$KV."+bucket+".b.md")))
	f.has("a")
	f.until("in step", func() bool { return f.Status().Synced })
	assert.False(t, f.heard(promptnats.ErrReplaced))
}

// A bucket that is restored from a backup is the truth, also for those who know
// later revisions, and also if it has got beyond those before they see it.
func TestRestoredFromABackup(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]int{"behind": 0, "beyond": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBroker(t, nil)
			p := startProxy(t, b)
			js := connect(t, b.url())
			kv := newBucket(t, js)
			put(t, kv, "a.md", "old")
			put(t, kv, "b.md", "old")
			b.stop()
			backup := b.backup()
			b.start()
			require.Eventually(t, func() bool { _, err := kv.Get(t.Context(), "a.md"); return err == nil }, long, 10*time.Millisecond)
			f, g := follow(t, connect(t, p.url()), promptnats.Options{}), follow(t, js, promptnats.Options{})
			for i := range 5 {
				put(t, kv, "a.md", fmt.Sprint(i))
			}
			put(t, kv, "c.md", "new")
			require.NoError(t, kv.Delete(t.Context(), "b.md"))
			f.has("a", "c")
			f.says("a", "4")
			p.set(func() { p.isCut = true })
			require.Error(t, f.lost())
			b.stop()
			b.restore(backup)
			b.start()
			require.Eventually(t, func() bool { _, err := kv.Get(t.Context(), "a.md"); return err == nil }, long, 10*time.Millisecond)
			want := []string{"a", "b"}
			for i := range more {
				put(t, kv, "d.md", fmt.Sprint(i))
				want = []string{"a", "b", "d"}
			}
			p.set(func() { p.isCut = false })
			for _, one := range []*follower{f, g} {
				one.has(want...)
				one.says("a", "old")
				one.until("in step", func() bool { return one.Status().Synced })
			}
			assert.True(t, f.heard(promptnats.ErrReplaced))
			assert.Contains(t, f.log.String(), "bucket was replaced; loading its content")
			put(t, kv, "a.md", "after it")
			f.says("a", "after it")
			g.says("a", "after it")
		})
	}
}

// Credentials that are not good any more take nothing away, and all goes on when
// they are good again.
func TestCredentialsThatExpire(t *testing.T) {
	t.Parallel()
	users := []*server.User{{Username: "admin", Password: "admin"}, {Username: "follower", Password: "follower"}}
	b := startBroker(t, func(o *server.Options) { o.Users = users })
	kv := newBucket(t, connect(t, b.url(), nats.UserInfo("admin", "admin")))
	put(t, kv, "a.md", "a")
	put(t, kv, "b.md", "b")
	f := follow(t, connect(t, b.url(), nats.UserInfo("follower", "follower")), promptnats.Options{})
	reload := func(users []*server.User) {
		o := b.options
		o.Users = users
		require.NoError(t, b.server.ReloadOptions(&o))
	}
	reload(users[:1])
	f.until("it is told", func() bool { return errors.Is(f.Status().Err, nats.ErrAuthorization) })
	put(t, kv, "a.md", "changed")
	require.NoError(t, kv.Delete(t.Context(), "b.md"))
	assert.Equal(t, []string{"a", "b"}, f.names())
	assert.Equal(t, "a", f.text("a"))
	reload(users)
	f.has("a")
	assert.Equal(t, "changed", f.text("a"))
}

// A connection that the caller has closed is reported, and removes no prompt.
func TestClosedConnection(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	kv := newBucket(t, connect(t, b.url()))
	put(t, kv, "a.md", "a")
	js := connect(t, b.url())
	f := follow(t, js, promptnats.Options{})
	js.Conn().Close()
	require.ErrorIs(t, f.lost(), nats.ErrConnectionClosed)
	assert.Equal(t, []string{"a"}, f.names())
	_, err := promptnats.Follow(t.Context(), f.registry, js, bucket, promptnats.Options{Timeout: time.Hour})
	require.ErrorIs(t, err, nats.ErrConnectionClosed)
}

// While a bucket that was created again is filled by a slow Publish, no prompt
// disappears, and the last write makes the registry equal to the bucket.
func TestBucketThatIsRefilledSlowly(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	newBucket(t, js)
	const n = 40
	fsys := fstest.MapFS{}
	for i := range n {
		fsys[fmt.Sprintf("%02d.md", i)] = &fstest.MapFile{Data: []byte("text")}
	}
	_, err := promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{})
	require.NoError(t, err)
	f := follow(t, js, promptnats.Options{})
	require.NoError(t, js.DeleteKeyValue(t.Context(), bucket))
	f.until("its end", func() bool { return errors.Is(f.Status().Err, jetstream.ErrBucketNotFound) })
	kv := newBucket(t, js)
	f.until("another", func() bool { return errors.Is(f.Status().Err, promptnats.ErrReplaced) })
	ticker := time.NewTicker(500 * time.Millisecond) // more than what is taken for rest after other writes
	defer ticker.Stop()
	slow := interfering{js, func(key string) {
		if strings.HasSuffix(key, "9.md") {
			<-ticker.C
			assert.Equal(t, n, f.registry.Len(), "before %s", key)
		}
	}}
	fsys["00.md"] = &fstest.MapFile{Data: []byte("new")}
	_, err = promptnats.Publish(t.Context(), slow, bucket, fsys, promptnats.Options{})
	require.NoError(t, err)
	f.inStep(n)
	assert.Len(t, keysOf(t, kv), n)
	assert.Equal(t, n, f.registry.Len())
	assert.Equal(t, "new", f.text("00"))
	for _, r := range f.reports {
		assert.Empty(t, r.Removed)
	}
}

// The clients of a server are notified again when another server catches up, from
// which they may have read the old list.
func TestServerThatCatchesUp(t *testing.T) {
	t.Parallel()
	b := startBroker(t, nil)
	p := startProxy(t, b)
	js := connect(t, b.url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	f, late := follow(t, js, promptnats.Options{}), follow(t, connect(t, p.url()), promptnats.Options{})
	c := prompttest.New(t, f.registry)
	c.Listen()
	p.set(func() { p.isCut = true })
	require.Error(t, late.lost())
	put(t, kv, "b.md", "b")
	c.WaitChanged()
	f.has("a", "b")
	assert.Equal(t, []string{"a"}, late.names())
	p.set(func() { p.isCut = false })
	c.WaitChanged()
	assert.Equal(t, []string{"a", "b"}, late.names(), "as soon as they are told")
}

// documented returns a user with the permissions of the package documentation, in
// which the replacements are made.
func documented(t *testing.T, name string, replacements ...string) *server.User {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "\n// # Permissions\n")
	section, _, found := strings.Cut(rest, "\n// To separate teams")
	require.True(t, found)
	publish, subscribe, found := strings.Cut(section, "to subscribe to these subjects")
	require.True(t, found)
	subjects := func(part string) (all []string) {
		for line := range strings.Lines(part) {
			if subject, ok := strings.CutPrefix(line, "//\t"); ok {
				all = append(all, strings.NewReplacer(replacements...).Replace(strings.Fields(subject)[0]))
			}
		}
		return all
	}
	return &server.User{Username: name, Password: name, Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: subjects(publish)}, Subscribe: &server.SubjectPermission{Allow: subjects(subscribe)},
	}}
}

// A user with the documented permissions can follow and publish a bucket. Of the
// bucket of another team the user learns neither values nor names of keys.
func TestPermissionsOfATeam(t *testing.T) {
	t.Parallel()
	b := startBroker(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "admin"}, documented(t, "team-a", "prompts", "team-a"), documented(t, "team-b", "prompts", "team-b")}
	})
	admin := connect(t, b.url(), nats.UserInfo("admin", "admin"))
	kv := map[string]jetstream.KeyValue{}
	for _, team := range []string{"team-a", "team-b"} {
		var err error
		kv[team], err = admin.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: team})
		require.NoError(t, err)
		put(t, kv[team], "secret.md", "secret")
	}
	js := connect(t, b.url(), nats.UserInfo("team-a", "team-a"), nats.CustomInboxPrefix("_INBOX_team-a"))
	f, o := newFollower(t, promptnats.Options{})
	var err error
	f.Follower, err = promptnats.FollowFast(t.Context(), f.registry, js, "team-a", o)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	done, err := promptnats.Publish(t.Context(), js, "team-a", files(map[string]string{"c.md": "c"}), promptnats.Options{})
	require.NoError(t, err)
	assert.Equal(t, &promptnats.Published{Added: []string{"c.md"}, Removed: []string{"secret.md"}}, done)
	f.has("c")
	require.NoError(t, js.Conn().LastError(), "nothing more is asked of the broker")

	for subject, request := range map[string]string{
		"$JS.API.STREAM.INFO.KV_team-b":                      `{"subjects_filter":">"}`,
		"$JS.API.STREAM.NAMES":                               "",
		"$JS.API.STREAM.LIST":                                "",
		"$JS.API.STREAM.MSG.GET.KV_team-b":                   `{"last_by_subj":"$KV.team-b.secret.md"}`,
		"$JS.API.DIRECT.GET.KV_team-b.$KV.team-b.secret.md":  "",
		"$JS.API.CONSUMER.NAMES.KV_team-b":                   "",
		"$JS.API.CONSUMER.CREATE.KV_team-b.spy.$KV.team-b.>": `{"stream_name":"KV_team-b","config":{"name":"spy","filter_subject":"$KV.team-b.>"}}`,
		"$JS.API.STREAM.PURGE.KV_team-b":                     `{"filter":"$KV.team-b.none"}`,
		"$KV.team-b.written.md":                              "written",
	} {
		_, err := admin.Conn().Request(subject, []byte(request), long)
		require.NoError(t, err, subject)
		_, err = js.Conn().Request(subject, []byte(request), 20*time.Millisecond)
		require.Error(t, err, subject)
		require.NoError(t, js.Conn().Flush())
		require.ErrorContains(t, js.Conn().LastError(), fmt.Sprintf("%q", subject))
	}
	for _, subject := range []string{">", "_INBOX.>", "_INBOX_team-b.>", "$KV.team-b.>", "$JS.EVENT.>", "promptnats.team-b"} {
		_, err := js.Conn().SubscribeSync(subject)
		require.NoError(t, err)
		require.NoError(t, js.Conn().Flush())
		require.ErrorContains(t, js.Conn().LastError(), fmt.Sprintf("%q", subject))
	}
}

// A user may be limited to a prefix.
func TestPermissionsOfAPrefix(t *testing.T) {
	t.Parallel()
	b := startBroker(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "admin"}, documented(t, "a", "$KV.prompts.>", "$KV.prompts.a.>", "promptnats.prompts", "promptnats.prompts.a")}
	})
	kv := newBucket(t, connect(t, b.url(), nats.UserInfo("admin", "admin")))
	put(t, kv, "a./a.md", "a")
	put(t, kv, "b./b.md", "b")
	js := connect(t, b.url(), nats.UserInfo("a", "a"), nats.CustomInboxPrefix("_INBOX_prompts"))
	f := follow(t, js, promptnats.Options{Prefix: "a"})
	assert.Equal(t, []string{"a"}, f.names())
	done, err := promptnats.Publish(t.Context(), js, bucket, files(map[string]string{"c.md": "c"}), promptnats.Options{Prefix: "a"})
	require.NoError(t, err)
	assert.Equal(t, &promptnats.Published{Added: []string{"a./c.md"}, Removed: []string{"a./a.md"}}, done)
	f.has("c")
	require.NoError(t, js.Conn().LastError())

	g, o := newFollower(t, promptnats.Options{Prefix: "b", Timeout: 2 * time.Second})
	err = g.start(js, o)
	require.ErrorContains(t, err, "ermission", "it says why")
	assert.Empty(t, g.names())
}
