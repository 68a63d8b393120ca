package promptfs

import (
	"context"
	"io/fs"
	"path"
	"strings"

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

// Parse returns the prompt for the content of one file, for stores other than file
// systems. Partials and included files are read from fsys, which may be nil. A file
// named SKILL.md, in any case, has the format of Agent Skills.
//
// Parse returns all errors, joined, each an [*Error].
func Parse(fsys fs.FS, path string, content []byte, o Options) (prompts.Prompt, error) {
	o = o.filled()
	s := newSource(fsys, &o)
	ctx, found := context.Background(), &scan{}
	if fsys != nil {
		var err error
		if found, err = s.scanPartials(ctx); err != nil {
			return prompts.Prompt{}, err
		}
	}
	_, all, _, _ := s.readPartials(ctx, found, nil, partials{}) // errors of a partial are those of the prompts that use it
	m := s.parse(ctx, path, content, all)
	if len(m.faults.all) > 0 {
		// The errors of partials that the file uses come last.
		return prompts.Prompt{}, join(append(m.faults.all, m.partialErrors...))
	}
	return m.prompt, nil
}

// Warnings returns the texts that the front matter of a prompt file loses: YAML reads the text
// after " #" in a title, a description, a default or an element of a list as a comment. In a test
// file, *.test.yaml, these are the texts of the cases. Each is an [*Error] that keeps no prompt
// from being loaded. Load and [Folder] log the same of prompts and skills.
func Warnings(name string, content []byte) []*Error {
	m := &made{faults: fileErrors{path: name}}
	text, ok := textOf(content, &m.faults)
	if !ok {
		return nil
	}
	if isSkill(path.Base(name)) {
		m.skill(name, text)
		return m.faults.warnings
	}
	if m.faults.isYAML = strings.HasSuffix(strings.ToLower(name), ".test.yaml"); m.faults.isYAML {
		if mapping, _ := readYAML(text, &m.faults); mapping != nil {
			decoder{&m.faults, new(int)}.lostIn("", mapping, true)
		}
		return m.faults.warnings
	}
	if front, _, _, _, ok := split(text, &m.faults); ok {
		mapping, _ := readYAML(front, &m.faults)
		decoder{&m.faults, new(int)}.header(mapping)
	}
	return m.faults.warnings
}
