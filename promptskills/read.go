package promptskills

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// maxInstant is the size in bytes of the largest file that is sent by the
// goroutine that reads the connection.
const maxInstant = 64 << 10

func (s *service) read(q *request, dst []byte) ([]byte, call.Work, error) {
	at, ok := pathOf(q.uri)
	switch {
	case isOwn(q.uri) && s.options.Resources.Read == nil:
		return nil, call.Work{}, q.unknown()
	case isOwn(q.uri):
		return nil, work(func(ctx context.Context, dst []byte) ([]byte, error) { return s.readOwn(ctx, q, dst) }), nil
	case !ok:
		return nil, call.Work{}, q.wrong("is not the URI of a file, such as skill://acme/refunds/SKILL.md")
	case s.options.Visible != nil:
		return nil, work(func(ctx context.Context, dst []byte) ([]byte, error) {
			e, f, err := s.lookUp(q, at, s.visible(ctx))
			if err != nil {
				return nil, err
			}
			return appendRead(ctx, q, dst, e, f, at)
		}), nil
	}
	e, f, err := s.lookUp(q, at, nil)
	switch {
	case err != nil:
		return nil, call.Work{}, err
	case f == nil || len(f.data) > maxInstant:
		return nil, work(func(ctx context.Context, dst []byte) ([]byte, error) { return appendRead(ctx, q, dst, e, f, at) }), nil
	}
	result, err := appendRead(context.Background(), q, dst, e, f, at)
	return result, call.Work{}, err
}

// lookUp returns the skill that has the path, and the file. A dynamic skill has any
// path below its own, and its files are nil.
func (s *service) lookUp(q *request, at string, visible func(*entry) bool) (*entry, *file, error) {
	snapshot := s.clients.snapshot(q.from, s.registry.load(), at)
	e, f, ok := find(snapshot.skills, at)
	switch {
	case ok && (visible == nil || visible(e)):
		return e, f, nil
	case s.isDirectory(snapshot.skills, at, visible):
		return nil, nil, q.wrong("is a directory; read it with resources/directory/read")
	}
	return nil, nil, q.unknown()
}

func appendRead(ctx context.Context, q *request, dst []byte, e *entry, f *file, at string) ([]byte, error) {
	if f == nil {
		data, err := readDynamic(ctx, q, e, at[len(e.skill.Path)+1:])
		if err != nil {
			return nil, err
		}
		f = &file{name: at, data: data}
		f.mimeType, f.isText = typeOf(at, data)
	}
	content := &prompts.EmbeddedResource{URI: uriOf(at), MIMEType: f.mimeType}
	if f.isText {
		content.Text = string(f.data)
	} else {
		content.Blob = f.data
	}
	return append(appendContent(append(dst, `{"contents":[`...), content), "]}"...), nil
}

func (s *service) readOwn(ctx context.Context, q *request, dst []byte) ([]byte, error) {
	contents, err := s.options.Resources.Read(ctx, q.uri)
	switch {
	case errors.Is(err, ErrUnknownResource):
		return nil, q.unknown()
	case err != nil:
		return nil, err
	}
	dst = append(dst, `{"contents":[`...)
	for i, c := range contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.URI == "" {
			c.URI = q.uri
		}
		dst = appendContent(dst, &c)
	}
	return append(dst, "]}"...), nil
}

func appendContent(dst []byte, c *prompts.EmbeddedResource) []byte {
	dst = appendMember(dst, '{', "uri", c.URI)
	dst = appendMember(dst, ',', "mimeType", c.MIMEType)
	if c.Blob == nil {
		dst = append(dst, `,"text":`...)
		return append(strictjson.AppendString(dst, strings.ToValidUTF8(c.Text, "\ufffd")), '}')
	}
	dst = append(dst, `,"blob":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, c.Blob)
	return append(dst, `"}`...)
}

func readDynamic(ctx context.Context, q *request, e *entry, name string) ([]byte, error) {
	fsys, err := e.skill.Dynamic(ctx)
	if err != nil {
		return nil, err
	}
	data, err := regular.Read(ctx, fsys, name, MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, q.unknown()
	case errors.Is(err, regular.ErrFolder):
		return nil, q.wrong("is a directory; read it with resources/directory/read")
	case err != nil:
		return nil, fmt.Errorf("dynamic skill %q: %w", e.skill.Path, err)
	}
	return data, nil
}

type child struct {
	name   string
	encode func(dst []byte) []byte
}

func (s *service) readDirectory(q *request, dst []byte) ([]byte, call.Work, error) {
	at, ok := pathOf(q.uri)
	if !ok {
		return nil, call.Work{}, q.wrong("is not the URI of a directory, such as skill://acme/refunds")
	}
	all := s.registry.load().skills
	if e := enclosing(all, at); s.options.Visible == nil && (e == nil || e.skill.Dynamic == nil) {
		result, err := s.appendChildren(context.Background(), q, dst, all, at)
		return result, call.Work{}, err
	}
	return nil, work(func(ctx context.Context, dst []byte) ([]byte, error) {
		return s.appendChildren(ctx, q, dst, all, at)
	}), nil
}

func (s *service) appendChildren(ctx context.Context, q *request, dst []byte, all ordmap.Map[*entry], at string) ([]byte, error) {
	visible := s.visible(ctx)
	children, isDirectory := s.children(all, at, visible)
	if e := enclosing(all, at); e != nil && e.skill.Dynamic != nil && (visible == nil || visible(e)) {
		more, err := dynamicChildren(ctx, q, e, at)
		if err != nil && !isDirectory {
			return nil, err
		}
		children = append(children, more...)
	} else if !isDirectory {
		if e, f, ok := find(all, at); ok && f != nil && (visible == nil || visible(e)) {
			return nil, q.wrong("is a file, not a directory; read it with resources/read")
		}
		return nil, q.wrong("does not exist")
	}
	slices.SortFunc(children, func(a, b child) int { return strings.Compare(a.name, b.name) })
	children = slices.CompactFunc(children, func(a, b child) bool { return a.name == b.name })
	p := s.page(q, append(dst, `{"resources":[`...), 0)
	for _, c := range children {
		if c.name > q.after && !p.add(c.name, c.encode) {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return p.end(), nil
}

// enclosing returns the nearest skill that contains a directory, or whose own
// directory it is. It returns nil if no skill contains the directory.
func enclosing(all ordmap.Map[*entry], at string) *entry {
	if e, ok := all.Get(at); ok {
		return e
	}
	for above := range parents(at) {
		if e, ok := all.Get(above); ok {
			return e
		}
	}
	return nil
}

func (s *service) isDirectory(all ordmap.Map[*entry], at string, visible func(*entry) bool) bool {
	_, ok := s.children(all, at, visible)
	return ok
}

// children returns the children of a directory, except those in a dynamic skill,
// and reports whether it is a directory.
func (s *service) children(all ordmap.Map[*entry], at string, visible func(*entry) bool) (children []child, isDirectory bool) {
	directory := func(name string) child {
		return child{name, func(dst []byte) []byte { return appendDirectory(dst, at+"/"+name, name) }}
	}
	if e := enclosing(all, at); e != nil && (visible == nil || visible(e)) && e.skill.Dynamic == nil {
		isDirectory = e.skill.Path == at
		prefix := strings.TrimPrefix(at+"/", e.skill.Path+"/")
		for i, _ := e.find(prefix); i < len(e.files) && strings.HasPrefix(e.files[i].name, prefix); i++ {
			isDirectory = true
			f := &e.files[i]
			if name, _, isBelow := strings.Cut(f.name[len(prefix):], "/"); isBelow {
				children = append(children, directory(name))
			} else {
				children = append(children, child{name, func(dst []byte) []byte { return e.appendFile(dst, f) }})
			}
		}
	}
	for after := at + "/"; ; {
		var found bool
		for path, e := range all.After(after) {
			rest, ok := strings.CutPrefix(path, at+"/")
			if !ok {
				break
			}
			if visible != nil && !visible(e) {
				continue
			}
			name, _, isBelow := strings.Cut(rest, "/")
			children, isDirectory, found = append(children, directory(name)), true, true
			if after = path; isBelow {
				after = at + "/" + name + "/\xff" // past all that is below it
			}
			break
		}
		if !found {
			return children, isDirectory
		}
	}
}

func dynamicChildren(ctx context.Context, q *request, e *entry, at string) ([]child, error) {
	fsys, err := e.skill.Dynamic(ctx)
	if err != nil {
		return nil, err
	}
	name := "."
	if at != e.skill.Path {
		name = at[len(e.skill.Path)+1:]
	}
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, q.wrong("does not exist")
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, q.wrong("is a file, not a directory; read it with resources/read")
	}
	entries, err := fs.ReadDir(fsys, name)
	if err != nil {
		return nil, err
	}
	var children []child
	for _, d := range entries {
		if checkPath(d.Name()) != nil {
			continue // which no URI can name
		}
		isDir, below := d.IsDir(), path.Join(at, d.Name())
		children = append(children, child{d.Name(), func(dst []byte) []byte {
			switch {
			case isDir:
				return appendDirectory(dst, below, d.Name())
			case below == e.skill.Path+"/"+promptfile.SkillFile:
				return e.appendMain(dst)
			}
			mimeType, _ := typeOf(d.Name(), nil)
			dst = appendMember(dst, '{', "uri", uriOf(below))
			dst = appendMember(dst, ',', "name", d.Name())
			return append(appendMember(dst, ',', "mimeType", mimeType), '}')
		}})
	}
	return children, nil
}

func appendDirectory(dst []byte, at, name string) []byte {
	dst = appendMember(dst, '{', "uri", uriOf(at))
	dst = appendMember(dst, ',', "name", name)
	return append(appendMember(dst, ',', "mimeType", directoryType), '}')
}
