package promptfs

import (
	"context"
	"io/fs"

	"github.com/mcp-prompts/prompts"
)

// Load makes prompts of all files in fsys that are prompts. It returns those
// that can be made, in the order of their files' paths, and an error that joins
// everything that is wrong with the others, each an [*Error]: there can be
// both.
//
// A file system that can say where links lead is not left by them. For a folder
// of the operating system that is so with [os.DirFS], and certain, whoever
// changes it meanwhile, with the FS of an [os.Root]. Files are read from several
// goroutines at once.
func Load(fsys fs.FS, o Options) ([]prompts.Prompt, error) {
	o = o.filled()
	t := newTable(&o)
	if err := t.refresh(context.Background(), newSource(fsys, &o)); err != nil {
		return nil, err
	}
	p := t.plan(func(string) (prompts.Prompt, bool) { return prompts.Prompt{}, false }, t.all())
	return p.set, join(p.faults)
}
