package promptnats_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
)

// keysOf returns what is in the bucket.
func keysOf(t testing.TB, kv jetstream.KeyValue) map[string]string {
	t.Helper()
	all := map[string]string{}
	keys, err := kv.Keys(t.Context())
	if !errors.Is(err, jetstream.ErrNoKeysFound) {
		require.NoError(t, err)
	}
	for _, key := range keys {
		e, err := kv.Get(t.Context(), key)
		require.NoError(t, err)
		all[key] = string(e.Value())
	}
	return all
}

// Publish makes the bucket equal to the folder, writes only what differs, and
// leaves others alone.
func TestPublish(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "team./theirs.md", "theirs")
	put(t, kv, "bad=key.md", "odd")
	f := follow(t, js, promptnats.Options{})
	fsys := files(map[string]string{
		"a.md": "{{template \"p\"}}", "_partials/p.md": "kind", "b/naïve.md": "--- user: image ../.img/x.png ---", ".img/x.png": "\x89PNG", "README.md": "not of it", "notes.txt": "not of it",
	})
	publish := func() *promptnats.Published {
		t.Helper()
		done, err := promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{})
		require.NoError(t, err)
		return done
	}
	left := []string{"bad=key.md"}
	assert.Equal(t, &promptnats.Published{Added: []string{"=2Eimg/x.png", "_partials/p.md", "a.md", "b/na=C3=AFve.md"}, Left: left}, publish(), "parts come first")
	assert.Equal(t, map[string]string{
		"a.md": "{{template \"p\"}}", "_partials/p.md": "kind", "b/na=C3=AFve.md": "--- user: image ../.img/x.png ---", "=2Eimg/x.png": "\x89PNG", "team./theirs.md": "theirs", "bad=key.md": "odd",
	}, keysOf(t, kv))
	f.has("a", "b/naïve")
	assert.Equal(t, &promptnats.Published{Left: left}, publish())

	fsys["_partials/p.md"] = &fstest.MapFile{Data: []byte("brief")}
	delete(fsys, "b/naïve.md")
	fsys["c.md"] = &fstest.MapFile{Data: []byte("c")}
	assert.Equal(t, &promptnats.Published{Changed: []string{"_partials/p.md"}, Added: []string{"c.md"}, Removed: []string{"b/na=C3=AFve.md", "=2Eimg/x.png"}, Left: left}, publish(), "and go last")
	f.has("a", "c")
	f.says("a", "brief")
	fsys["b/naïve.md"] = &fstest.MapFile{Data: []byte("back")}
	assert.Equal(t, []string{"b/na=C3=AFve.md"}, publish().Added)
	f.has("a", "b/naïve", "c")
}

// Nothing is written of a folder that is not right.
func TestPublishChecksFirst(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, func(o *server.Options) { o.MaxPayload = 1000 }).url())
	kv := newBucket(t, js)
	put(t, kv, "there.md", "there")
	for text, fsys := range map[string]fs.FS{
		"b.md:1: missing value for if":                files(map[string]string{"a.md": "good", "b.md": "{{if}}"}),
		"folder has no prompts":                       files(map[string]string{"README.md": "good", "_partials/p.md": "good"}),
		"b.md: file has 2000 bytes, but the limit is": files(map[string]string{"a.md": "good", "b.md": strings.Repeat("x", 2000)}),
		"the folder cannot be read":                   os.DirFS("testdata/none"),
		`duplicate prompt name "x" (also in b.md)`:    files(map[string]string{"a.md": "---\nname: x\n---\na", "b.md": "---\nname: x\n---\nb"}),
	} {
		done, err := promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{})
		if text == "the folder cannot be read" {
			require.ErrorIs(t, err, fs.ErrNotExist)
		} else {
			require.ErrorContains(t, err, text)
		}
		assert.Nil(t, done)
	}
	assert.Equal(t, map[string]string{"there.md": "there"}, keysOf(t, kv))
	_, err := promptnats.Publish(t.Context(), js, "none", files(map[string]string{"a.md": "a"}), promptnats.Options{})
	require.ErrorIs(t, err, jetstream.ErrBucketNotFound)
	_, err = promptnats.Publish(t.Context(), js, bucket, files(map[string]string{"a.md": "a"}), promptnats.Options{Prefix: "a/b"})
	require.ErrorContains(t, err, "Options.Prefix")
}

// What the broker would not take is found before anything is written, to the
// byte, and costs nobody the connection.
func TestPublishChecksSizesFirst(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, func(o *server.Options) { o.MaxPayload = 2000 }).url())
	small, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "small", MaxValueSize: 1000})
	require.NoError(t, err)
	kv := newBucket(t, js)
	long := strings.Repeat(strings.Repeat("ä", 100)+"/", 8) + "b.md"
	for name, most := range map[string]int{bucket: 2000, "small": 1000} {
		for _, over := range []int{1, 64, 128} {
			_, err := promptnats.Publish(t.Context(), js, name, files(map[string]string{"a.md": "good", "b.md": strings.Repeat("x", most-128+over)}), promptnats.Options{})
			require.ErrorContains(t, err, fmt.Sprintf("but the limit is %d (%d of the broker or the bucket, less 128 for headers)", most-128, most))
		}
		_, err = promptnats.Publish(t.Context(), js, name, files(map[string]string{"a.md": "good", long: "good"}), promptnats.Options{})
		require.ErrorContains(t, err, "b.md: key has ")
	}
	assert.Empty(t, keysOf(t, kv))
	assert.Empty(t, keysOf(t, small))
	for _, name := range []string{bucket, "small"} {
		_, err := promptnats.Publish(t.Context(), js, name, files(map[string]string{"b.md": strings.Repeat("x", 1000-128), long[3*201:]: "good"}), promptnats.Options{})
		require.NoError(t, err)
	}
}

// Files that a prompt sends come before it, also those that end in .md.
func TestPublishPartsFirst(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	newBucket(t, js)
	fsys := files(map[string]string{"a.md": "--- user: resource _x/b.md ---\n--- user: resource c/.d/e.md ---\n--- user: resource f/README.md ---", "_x/b.md": "b", "c/.d/e.md": "e", "f/README.md": "f"})
	done, err := promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"_x/b.md", "c/.d/e.md", "f/README.md", "a.md"}, done.Added)
	fsys = files(map[string]string{"z.md": "z"})
	done, err = promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.md", "_x/b.md", "c/.d/e.md", "f/README.md"}, done.Removed)
}

// interfering is a connection whose owner does something else just before each
// write.
type interfering struct {
	jetstream.JetStream
	before func(key string)
}

func (i interfering) PublishMsg(ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	i.before(strings.TrimPrefix(m.Subject, "$KV."+bucket+"."))
	return i.JetStream.PublishMsg(ctx, m, o...)
}

// Two concurrent publishers do not mix their files without an error.
func TestPublishConflicts(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "b.md", "old")
	other := interfering{js, func(key string) {
		if key == "b.md" {
			put(t, kv, key, "of the other")
		}
	}}
	fsys := files(map[string]string{"a.md": "mine", "b.md": "mine", "c.md": "mine"})
	done, err := promptnats.Publish(t.Context(), other, bucket, fsys, promptnats.Options{})
	require.ErrorIs(t, err, promptnats.ErrConflict)
	require.ErrorContains(t, err, `stopped at key "b.md", `)
	assert.Equal(t, &promptnats.Published{Added: []string{"a.md"}}, done)
	assert.Equal(t, map[string]string{"a.md": "mine", "b.md": "of the other"}, keysOf(t, kv))
	done, err = promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{})
	require.NoError(t, err)
	assert.Equal(t, &promptnats.Published{Added: []string{"c.md"}, Changed: []string{"b.md"}}, done)
}

// A bucket that is full says so, with the key and with the ways out, which free it;
// the prompts that were there stay.
func TestPublishIntoAFullBucket(t *testing.T) {
	t.Parallel()
	for name, wayOut := range map[string]func(*testing.T, jetstream.Stream, jetstream.JetStream){
		"raise the limit": func(t *testing.T, stream jetstream.Stream, js jetstream.JetStream) {
			config := stream.CachedInfo().Config
			config.MaxBytes = 8000
			_, err := js.UpdateStream(t.Context(), config)
			require.NoError(t, err)
		},
		"purge keys": func(t *testing.T, stream jetstream.Stream, _ jetstream.JetStream) {
			for i := range 8 {
				require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSubject(fmt.Sprintf("$KV.%s.b%d.md", bucket, i))))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js := connect(t, startBroker(t, nil).url())
			kv, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: bucket, MaxBytes: 4000, History: 5})
			require.NoError(t, err)
			put(t, kv, "a.md", "a")
			f := follow(t, js, promptnats.Options{})
			fsys := files(map[string]string{"a.md": "a"})
			for i := range 8 {
				fsys[fmt.Sprintf("b%d.md", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("text ", 110))}
			}
			publish := func() (*promptnats.Published, error) {
				return promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{})
			}
			done, err := publish()
			require.ErrorIs(t, err, promptnats.ErrFull)
			require.ErrorContains(t, err, " changes written: bucket is full: the limit is 4000 bytes")
			require.ErrorContains(t, err, `(nats stream edit KV_prompts --max-bytes 8000) or purge old keys (nats stream purge KV_prompts --subject '$KV.prompts.old.md')`)
			assert.NotEmpty(t, done.Added)
			f.until("what got in", func() bool { return f.registry.Len() == 1+len(done.Added) })
			assert.True(t, f.Status().Synced)

			// Not even a removal is taken.
			stream, err := js.Stream(t.Context(), "KV_"+bucket)
			require.NoError(t, err)
			for i := 0; err == nil; i++ {
				_, err = kv.PutString(t.Context(), fmt.Sprintf("c%d.md", i), "")
			}
			fsys = files(map[string]string{"a.md": "a"})
			_, err = publish()
			require.ErrorIs(t, err, promptnats.ErrFull)
			wayOut(t, stream, js)
			_, err = publish()
			require.NoError(t, err)
			f.has("a")
		})
	}
}

// Read-only credentials are reported as such, within the set time.
func TestPublishReadOnly(t *testing.T) {
	t.Parallel()
	b := startBroker(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "admin"}, {Username: "reader", Password: "reader", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{"$KV.>"}},
		}}}
	})
	newBucket(t, connect(t, b.url(), nats.UserInfo("admin", "admin")))
	js := connect(t, b.url(), nats.UserInfo("reader", "reader"))
	follow(t, js, promptnats.Options{})
	done, err := promptnats.Publish(t.Context(), js, bucket, files(map[string]string{"a.md": "a"}), promptnats.Options{Timeout: 2 * time.Second})
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
	assert.Empty(t, done.Added)
}

// Whatever is in a folder comes out of the bucket as Load has it.
func TestBucketIsAsTheFolder(t *testing.T) {
	t.Parallel()
	js := connect(t, startBroker(t, nil).url())
	newBucket(t, js)
	fsys := os.DirFS("../examples/files/prompts")
	want, err := promptfs.Load(fsys, promptfs.Options{SourcePrefix: promptnats.Source(bucket, "x.y")})
	require.NoError(t, err)
	require.NotEmpty(t, want)
	_, err = promptnats.Publish(t.Context(), js, bucket, fsys, promptnats.Options{Prefix: "x.y"})
	require.NoError(t, err)
	f := follow(t, js, promptnats.Options{Prefix: "x.y"})
	for _, p := range want {
		got, ok := f.registry.Lookup(p.Name)
		require.True(t, ok, "%s", p.Name)
		p.Render, got.Render = nil, nil
		assert.Equal(t, p.Source, got.Source)
		assert.Equal(t, p.Description, got.Description)
	}
	assert.Equal(t, len(want), f.registry.Len())
}
