package promptfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// Load returns the valid prompts in fsys, in the order of their paths, and the
// joined errors of the invalid files, each an [*Error]. It may return both.
//
// Links cannot leave a file system that can resolve links. This applies to
// [os.DirFS], and to the FS of an [os.Root] even if files change during the call.
// Several goroutines read fsys at the same time.
func Load(fsys fs.FS, o Options) ([]prompts.Prompt, error) {
	o, err := o.filled("Load", "file system", fsys)
	if err != nil {
		return nil, err
	}
	t := newTable(&o)
	if err := t.refresh(context.Background(), newSource(fsys, &o)); err != nil {
		return nil, err
	}
	p := t.plan(new(prompts.Registry).Lookup, nil)
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
	o, err := o.filled("Parse")
	if err != nil {
		return prompts.Prompt{}, err
	}
	s := newSource(fsys, &o)
	ctx, found := context.Background(), &scan{}
	if fsys != nil {
		if found, err = s.scan(ctx, ofPartials, o.Partials); err != nil {
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
	if promptfile.IsSkill(name) {
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

// Files reads all files for the prompts in fsys: prompts, partials, and files
// included in messages. With Options.Skills, the result has all files of skills, too,
// and nothing is added to that registry. It returns the contents by path, or the
// joined errors of [Load] and [LoadSkills]. Use Files to upload a folder to a store.
func Files(fsys fs.FS, o Options) (map[string][]byte, error) {
	o, err := o.filled("Files", "file system", fsys)
	if err != nil {
		return nil, err
	}
	t, s := newTable(&o), newSource(fsys, &o)
	if err := t.refresh(context.Background(), s); err != nil {
		return nil, err
	}
	if err := join(t.plan(new(prompts.Registry).Lookup, nil).faults); err != nil {
		return nil, err
	}
	skills := newSkillTable(&o)
	if o.Skills != nil {
		if err := skills.refresh(context.Background(), s); err != nil {
			return nil, err
		}
		if err := join(skills.all()); err != nil {
			return nil, err
		}
	}
	contents := map[string][]byte{}
	for path, f := range skills.files {
		contents[path] = f.content
	}
	for _, path := range sortedKeys(t.sums()) {
		if skills.files[path] != nil {
			continue
		}
		limit := int64(o.MaxFileBytes)
		if t.entries[path] == nil && t.read[path] == nil { // a message includes it
			limit = int64(o.MaxResourceBytes)
		}
		stamp, info, err := s.stat(path)
		if err != nil {
			return nil, newError(path, 0, 0, unreadable(err))
		}
		contents[path], err = s.read(context.Background(), nil, stamp.real, info, limit)
		if err != nil {
			return nil, newError(path, 0, 0, err)
		}
	}
	return contents, nil
}

// sums returns the sum of each file that the prompts are made of, by its path.
func (t *table) sums() map[string]fileSum {
	files := make(map[string]fileSum, len(t.entries)+len(t.read))
	for _, p := range t.read {
		files[p.path] = p.fileSum
	}
	for _, e := range t.entries {
		files[e.path] = e.own
		for _, d := range e.files {
			files[d.path] = d.fileSum
		}
	}
	return files
}

// contentDigest returns the content digest of what [Files] returns. It is made again if a
// file has changed.
func (t *table) contentDigest(skills *skillTable) string {
	if !t.stale && t.content != "" && len(skills.changes.added)+len(skills.changes.changed)+len(skills.changes.removed) == 0 {
		return t.content
	}
	files := t.sums()
	for path, f := range skills.files {
		files[path] = fileSumOf(f.content)
	}
	_, t.content = contentsOf(files)
	t.stale = false
	return t.content
}

// Contents returns a list of files and the content digest, which is the SHA-256 of the
// list with the prefix "sha256:". files are those of [Files], by path. The list is the
// JSON object {"files":[{"path":…,"size":…,"digest":…}]} without spaces, in the order of
// the paths. The digest of a file is the SHA-256 of its content. So the same files have the
// same content digest on any machine.
func Contents(files map[string][]byte) (list []byte, digest string) {
	all := make(map[string]fileSum, len(files))
	for path, content := range files {
		all[path] = fileSumOf(content)
	}
	return contentsOf(all)
}

type fileSum struct {
	size int64
	sum  [sha256.Size]byte
}

func fileSumOf(content []byte) fileSum { return fileSum{int64(len(content)), sha256.Sum256(content)} }

func contentsOf(files map[string]fileSum) (list []byte, digest string) {
	list = append(make([]byte, 0, 16+128*len(files)), `{"files":[`...)
	for i, path := range sortedKeys(files) {
		if i > 0 {
			list = append(list, ',')
		}
		f := files[path]
		list = append(list, `{"path":"`...)
		for _, c := range []byte(path) {
			switch {
			case c == '"' || c == '\\':
				list = append(list, '\\', c)
			case c < ' ':
				list = fmt.Appendf(list, `\u%04x`, c)
			default:
				list = append(list, c)
			}
		}
		list = strconv.AppendInt(append(list, `","size":`...), f.size, 10)
		list = hex.AppendEncode(append(list, `,"digest":"sha256:`...), f.sum[:])
		list = append(list, `"}`...)
	}
	list = append(list, "]}"...)
	return list, digestOf(sha256.Sum256(list))
}

func digestOf(sum [sha256.Size]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }
