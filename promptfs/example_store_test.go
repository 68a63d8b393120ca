package promptfs_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// store stands for a database: it numbers what is written, and tells watchers.
type store struct {
	mu       sync.Mutex
	revision uint64
	files    map[string]promptfs.File
	watchers []chan promptfs.File
}

func (s *store) write(f promptfs.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	f.Revision = s.revision
	s.files[f.Path] = f // removed ones too: a store without such marks leaves them out
	for _, w := range s.watchers {
		w <- f
	}
}

// watch returns what there is, and a channel of what becomes of it.
func (s *store) watch() ([]promptfs.File, <-chan promptfs.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []promptfs.File
	for _, f := range s.files {
		all = append(all, f)
	}
	changes := make(chan promptfs.File, 16)
	s.watchers = append(s.watchers, changes)
	return all, changes
}

// follow keeps the mirror equal to the store until ctx ends. Whatever is wrong
// with a file is told to the Options of the mirror, and its prompt stays.
func follow(ctx context.Context, m *promptfs.Mirror, s *store) {
	all, changes := s.watch() // and again after the connection to a real store was lost
	_ = m.Reset(ctx, all...)
	for {
		select {
		case f := <-changes:
			_ = m.Apply(ctx, f)
		case <-ctx.Done():
			return
		}
	}
}

// Prompts from a store of your own: a Mirror is told what is there, and what
// becomes of it.
func ExampleMirror() {
	s := &store{files: map[string]promptfs.File{}}
	s.write(promptfs.File{Path: "_partials/tone.md", Content: []byte("Be kind.")})
	s.write(promptfs.File{Path: "review.md", Content: []byte(`Review this. {{template "tone"}}`)})

	var reg prompts.Registry
	reports := make(chan promptfs.Report, 16)
	m := promptfs.NewMirror(&reg, promptfs.Options{
		SourcePrefix: "store:",
		OnReload:     func(r promptfs.Report) { reports <- r },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { follow(ctx, m, s) })
	show := func() {
		r := <-reports
		fmt.Println("added", r.Added, "changed", r.Changed, "removed", r.Removed, "faults:", r.Err)
	}
	show()
	s.write(promptfs.File{Path: "_partials/tone.md", Content: []byte("Be brief.")})
	show()
	s.write(promptfs.File{Path: "review.md", Content: []byte("{{if}}")})
	show()
	s.write(promptfs.File{Path: "review.md", Removed: true})
	show()
	cancel()
	following.Wait()
	// Output:
	// added [review] changed [] removed [] faults: <nil>
	// added [] changed [review] removed [] faults: <nil>
	// added [] changed [] removed [] faults: review.md:1: missing value for if; write a value, for example {{if .name}}
	// added [] changed [] removed [review] faults: <nil>
}
