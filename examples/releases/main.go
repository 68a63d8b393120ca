// Releases pushes two versions of a folder of prompts, promotes them from staging to
// production, and rolls production back, while a server follows the label. The store is a
// folder, or with -registry a registry in the same process.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http/httptest"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptoci"
)

func main() {
	inRegistry := flag.Bool("registry", false, "use a registry in this process instead of a folder")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *inRegistry); err != nil {
		log.Fatal(err)
	}
}

// openStore returns the reference of a new store, and how to remove the store.
func openStore(inRegistry bool) (promptoci.Ref, func(), error) {
	if inRegistry {
		server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
		ref, err := promptoci.ParseRef("oci://" + server.Listener.Addr().String() + "/acme/prompts")
		return ref, server.Close, err
	}
	dir, err := os.MkdirTemp("", "releases-")
	return promptoci.Ref{Layout: dir}, func() { _ = os.RemoveAll(dir) }, err
}

func run(ctx context.Context, out io.Writer, inRegistry bool) error {
	ref, remove, err := openStore(inRegistry)
	if err != nil {
		return err
	}
	defer remove()
	store, err := promptoci.Open(ref, promptoci.ClientOptions{})
	if err != nil {
		return err
	}

	// Push two releases to staging, and promote the first one to production.
	var releases []*promptoci.Release
	for i, dir := range []string{"prompts/v1", "prompts/v2"} {
		files, err := promptfs.Files(os.DirFS(dir), promptfs.Options{})
		if err != nil {
			return err
		}
		r, err := promptoci.Build(files, promptoci.Info{Message: dir, Created: time.Unix(int64(1_800_000_000+i), 0)})
		if err != nil {
			return err
		}
		if err := promptoci.Push(ctx, store, r); err != nil {
			return err
		}
		if err := move(ctx, out, store, "staging", r, "pushed"); err != nil {
			return err
		}
		releases = append(releases, r)
	}
	if err := move(ctx, out, store, "production", releases[0], "first"); err != nil {
		return err
	}

	// Serve production. OnStatus reports each release that is served.
	var reg prompts.Registry
	served := make(chan promptoci.Status, 10)
	quiet := promptfs.Options{Logger: slog.New(slog.DiscardHandler)}
	follower, err := promptoci.Follow(ctx, &reg, store, "production", promptoci.Options{
		Files: quiet, Interval: 50 * time.Millisecond, OnStatus: func(s promptoci.Status) { served <- s },
	})
	if err != nil {
		return err
	}
	defer follower.Close()
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	show := func() error {
		<-served
		result, err := srv.Call(ctx, "prompts/get", []byte(`{"name":"greet"}`), prompts.CallOptions{Version: "2025-11-25"})
		fmt.Fprintf(out, "served: %s\n", result)
		return err
	}
	if err := show(); err != nil {
		return err
	}

	// Promote the second release, and roll back.
	if err := move(ctx, out, store, "production", releases[1], "shorter"); err != nil {
		return err
	}
	if err := show(); err != nil {
		return err
	}
	back, err := promptoci.Rollback(ctx, store, promptoci.Move{Label: "production", By: "ada", Reason: "too short"})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "production: rolled back to %s\n", back.To)
	if err := show(); err != nil {
		return err
	}
	for m, err := range promptoci.Log(ctx, store, "production") {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "log: %s to %s by %s: %s\n", m.Kind, m.To.Encoded()[:12], m.By, m.Reason)
	}
	return nil
}

// move moves a label to a release.
func move(ctx context.Context, out io.Writer, s promptoci.Store, label string, r *promptoci.Release, reason string) error {
	_, err := promptoci.Apply(ctx, s, promptoci.Move{Label: label, To: r.Digest, By: "ada", Reason: reason})
	fmt.Fprintf(out, "%s: moved to %s\n", label, r.Digest)
	return err
}
