package promptnats_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptnats"
)

// A Follower that no function made says which function makes it.
func TestFollowerNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &promptnats.Follower{}, "promptnats: Follower is not made by Follow")
}

// A function with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	js := jetstream.JetStream(struct{ jetstream.JetStream }{})
	notmade.Nil(t, "promptnats: Follow: registry is nil", promptnats.Follow, t.Context())
	notmade.Nil(t, "promptnats: Follow: JetStream is nil", promptnats.Follow, t.Context(), new(prompts.Registry))
	notmade.Nil(t, "promptnats: Publish: JetStream is nil", promptnats.Publish, t.Context(), nil, "b", fs.FS(fstest.MapFS{}))
	notmade.Nil(t, "promptnats: Publish: file system is nil", promptnats.Publish, t.Context(), js, "b")
}

// A negative number of each option is an error.
func TestNegativeOptions(t *testing.T) {
	t.Parallel()
	js := jetstream.JetStream(struct{ jetstream.JetStream }{})
	for name, use := range map[string]func(o promptnats.Options) error{
		"Follow": func(o promptnats.Options) error {
			_, err := promptnats.Follow(t.Context(), new(prompts.Registry), js, "b", o)
			return err
		},
		"Publish": func(o promptnats.Options) error {
			_, err := promptnats.Publish(t.Context(), js, "b", fstest.MapFS{}, o)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { notmade.Negative(t, use) })
	}
}
