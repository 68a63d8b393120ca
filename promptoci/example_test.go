package promptoci_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptoci"
)

// released makes two releases in a store below a folder, and moves the label production to the first.
func released(ctx context.Context, dir string) (promptoci.Store, []*promptoci.Release, error) {
	store, err := promptoci.Open(promptoci.Ref{Layout: filepath.Join(dir, "releases")}, promptoci.ClientOptions{})
	if err != nil {
		return nil, nil, err
	}
	var all []*promptoci.Release
	for _, text := range []string{"Say hello.", "Say hello to {{.name}}."} {
		r, err := promptoci.Build(map[string][]byte{"greet.md": []byte(text)}, promptoci.Info{Message: text})
		if err != nil {
			return nil, nil, err
		}
		if err := promptoci.Push(ctx, store, r); err != nil {
			return nil, nil, err
		}
		all = append(all, r)
	}
	_, err = promptoci.Apply(ctx, store, promptoci.Move{Label: "production", To: all[0].Digest, By: "ada"})
	return store, all, err
}

// A move that two people make at the same time is made once: both expect the label at the first
// release.
func ExampleApply() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	store, all, err := released(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, by := range []string{"ada", "bob"} {
		m, err := promptoci.Apply(ctx, store, promptoci.Move{Label: "production", From: all[0].Digest, To: all[1].Digest, By: by})
		fmt.Println(by, m.Applied, errors.Is(err, promptoci.ErrMoved))
	}
	if _, err := promptoci.Rollback(ctx, store, promptoci.Move{Label: "production", By: "bob"}); err != nil {
		fmt.Println(err)
	}
	for m, err := range promptoci.Log(ctx, store, "production") {
		fmt.Println(m.Kind == promptoci.KindMove, m.Kind == promptoci.KindRollback, m.By, err)
	}
	// Output:
	// ada true false
	// bob false true
	// false true bob <nil>
	// true false ada <nil>
	// true false ada <nil>
}

// A release above a limit is rejected, as is anything else than a release.
func ExamplePull() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, _, err := released(context.Background(), dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = promptoci.Pull(context.Background(), store, "production", promptoci.Limits{MaxLayerBytes: 1 << 10})
	fmt.Println(errors.Is(err, promptoci.ErrInvalid))
	fmt.Println(err)
	// Output:
	// true
	// promptoci: not a valid release: layer exceeds the limit of 1024, got 2583
}

// A server starts from its cache while the store is away.
func ExampleFollow() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	store, _, err := released(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := promptoci.Options{
		Files: promptfs.Options{Logger: slog.New(slog.DiscardHandler)}, Cache: filepath.Join(dir, "cache"),
	}
	for range 2 {
		var reg prompts.Registry
		f, err := promptoci.Follow(ctx, &reg, store, "production", o)
		if err != nil {
			fmt.Println(err)
			return
		}
		s := f.Status()
		fmt.Println(reg.Len(), s.Synced, s.FromCache, s.Err)
		f.Close()
		if err := os.RemoveAll(filepath.Join(dir, "releases")); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 1 true false <nil>
	// 1 false true production: not found
}
