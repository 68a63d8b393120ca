package promptnats_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"testing/fstest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
)

// A folder is published, and a server has what is in it.
func Example() {
	url, stop := exampleBroker() // nats://127.0.0.1:4222
	defer stop()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort())
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		log.Fatal(err)
	}
	ctx, logger := context.Background(), slog.New(slog.DiscardHandler)
	if _, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "prompts", History: 5}); err != nil {
		log.Fatal(err)
	}
	folder := fstest.MapFS{
		"hello.md":          {Data: []byte(`Say hello. {{template "tone"}}`)},
		"_partials/tone.md": {Data: []byte("Be kind.")},
	}
	done, err := promptnats.Publish(ctx, js, "prompts", folder, promptnats.Options{})
	fmt.Println("added", done.Added, err)

	var reg prompts.Registry
	follower, err := promptnats.Follow(ctx, &reg, js, "prompts", promptnats.Options{Files: promptfs.Options{Logger: logger}})
	if err != nil {
		log.Fatal(err)
	}
	defer follower.Close() // after which the prompts are still there
	for p := range reg.All() {
		fmt.Println(p.Name, p.Source)
	}
	// Output:
	// added [_partials/tone.md hello.md] <nil>
	// hello promptnats:prompts/hello.md
}

func exampleBroker() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "promptnats")
	if err != nil {
		log.Fatal(err)
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		log.Fatal("the broker is not ready")
	}
	return s.ClientURL(), func() {
		s.Shutdown()
		s.WaitForShutdown()
		_ = os.RemoveAll(dir)
	}
}

func ExampleKey() {
	key := promptnats.Key("naïve plan.md")
	path, err := promptnats.Path(key)
	fmt.Println(key, path, err)
	// Output: na=C3=AFve=20plan.md naïve plan.md <nil>
}
