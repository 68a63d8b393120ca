//go:build unix

package promptoci

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// The files of a layout and of a cache may be anything: each call returns, with an error or
// without, as long as nobody ends its context.
func TestLayoutOfOtherFiles(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(t *testing.T, name string){
		"pipe": func(t *testing.T, name string) { require.NoError(t, syscall.Mkfifo(name, 0o600)) },
		"socket": func(t *testing.T, name string) {
			short, err := os.MkdirTemp("", "s") // the path of a socket is short at first
			require.NoError(t, err)
			defer os.RemoveAll(short)
			l, err := net.Listen("unix", filepath.Join(short, "s"))
			require.NoError(t, err)
			t.Cleanup(func() { l.Close() })
			require.NoError(t, os.Rename(filepath.Join(short, "s"), name))
		},
		"device": func(t *testing.T, name string) { require.NoError(t, os.Symlink("/dev/zero", name)) },
		"loop":   func(t *testing.T, name string) { require.NoError(t, os.Symlink(filepath.Base(name), name)) },
		"folder": func(t *testing.T, name string) { require.NoError(t, os.Mkdir(name, 0o700)) },
	}
	for kind, put := range kinds {
		for _, place := range []string{"index.json", "oci-layout", ".lock", "manifest", "layer", "current", cacheMark} {
			t.Run(place+" is a "+kind, func(t *testing.T) {
				s, cache := layout{t.TempDir()}, t.TempDir()
				one := pushed(t, s, 1)
				moved(t, s, "production", one)
				f, err := Follow(t.Context(), new(prompts.Registry), s, "production", Options{Files: quiet, Cache: cache})
				require.NoError(t, err)
				f.Close()
				name := filepath.Join(s.dir, place)
				switch place {
				case "current", cacheMark:
					name = filepath.Join(cache, place)
				case "manifest":
					name = filepath.Join(s.dir, "blobs", "sha256", one.Encoded())
				case "layer":
					name = filepath.Join(s.dir, "blobs", "sha256", descriptorOf(layerType, built(t, 1).layer).Digest.Encoded())
				}
				require.NoError(t, os.RemoveAll(name))
				put(t, name)
				ended := make(chan struct{})
				go func() { // ends with the calls
					defer close(ended)
					ctx := context.WithoutCancel(t.Context())
					_, _ = Pull(ctx, s, "production", Limits{})
					_, _ = Releases(ctx, s)
					for range Log(ctx, s, "production") {
					}
					_ = Push(ctx, s, built(t, 1))
					_, _ = Apply(ctx, s, Move{Label: "production", To: one})
					_, _ = Rollback(ctx, s, Move{Label: "production", By: "ada"})
					for _, store := range []Store{s, layout{t.TempDir()}} { // the second has no label
						if f, err := Follow(ctx, new(prompts.Registry), store, "production", Options{Files: quiet, Cache: cache}); err == nil {
							f.Close()
						}
					}
				}()
				select {
				case <-ended:
				case <-time.After(time.Minute):
					assert.Fail(t, "a call waits for the file")
				}
			})
		}
	}
}
