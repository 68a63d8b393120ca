package promptfs

import (
	"context"
	"io/fs"

	"github.com/mcp-prompts/prompts"
)

// Load returns the valid prompts in fsys, in the order of their paths, and the
// joined errors of the invalid files, each an [*Error]. It may return both.
//
// Links cannot leave a file system that can resolve links. This applies to
// [os.DirFS], and to the FS of an [os.Root] even if files change during the call.
// Several goroutines read fsys at the same time.
func Load(fsys fs.FS, o Options) ([]prompts.Prompt, error) {
	o = o.filled()
	t := newTable(&o)
	if err := t.refresh(context.Background(), newSource(fsys, &o)); err != nil {
		return nil, err
	}
	p := t.plan(emptyRegistry, nil)
	all := make([]prompts.Prompt, len(p.entries))
	for i, e := range p.entries {
		all[i] = *e.prompt
	}
	return all, join(p.faults)
}
