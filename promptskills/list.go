package promptskills

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func (s *service) listSkills(ctx context.Context, q *request, dst []byte) ([]byte, error) {
	now, visible := s.registry.load(), s.visible(ctx)
	total := now.skills.Len()
	if visible != nil {
		total = 0
	}
	p := s.page(q, append(dst, `{"skills":[`...), total)
	for path, e := range now.skills.After(q.after) {
		if visible != nil && !visible(e) {
			continue
		}
		if !p.add(path, func(dst []byte) []byte { return e.append(dst, now.skills, visible) }) {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // and not half a list
	}
	s.clients.listed(q.from, &now.snapshot, q.after, span{last: p.Last, isLast: !p.HasMore, seq: now.seq})
	return p.end(), nil
}

func (s *service) getSkill(ctx context.Context, q *request, dst []byte) ([]byte, error) {
	path, ok := pathOf(q.uri)
	if !ok {
		return nil, q.unknown()
	}
	path, ok = strings.CutSuffix(path, "/"+promptfile.SkillFile)
	now, visible := s.registry.load(), s.visible(ctx)
	e, exists := now.skills.Get(path)
	if !ok || !exists || visible != nil && !visible(e) {
		return nil, q.unknown()
	}
	dst = e.append(append(dst, `{"skill":`...), now.skills, visible)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.clients.refresh(q.from, path, now.seq)
	return append(dst, '}'), nil
}

func (e *entry) append(dst []byte, all ordmap.Map[*entry], visible func(*entry) bool) []byte {
	if visible == nil {
		return append(dst, e.json...)
	}
	isHidden := false
	for range hidden(all, e.skill.Path, visible) {
		isHidden = true
		break
	}
	if !isHidden {
		return append(dst, e.json...)
	}
	json, _ := encode(e.compiled, all, visible) // which has fewer files than the registry has checked
	return append(dst, json...)
}

func hidden(all ordmap.Map[*entry], path string, visible func(*entry) bool) func(yield func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for at, e := range all.After(path + "/") {
			if !strings.HasPrefix(at, path+"/") || !visible(e) && !yield(e) {
				return
			}
		}
	}
}

// The names of resources in the order of resources/list: those of the application
// by their URIs, and then the files by skill and name.
const (
	ownPrefix   = "a"
	skillPrefix = "s"
	separator   = "\x00" // between a skill and the name of a file
)

func (s *service) listResources(ctx context.Context, q *request, dst []byte) ([]byte, error) {
	p := s.page(q, append(dst, `{"resources":[`...), 0)
	if own := s.options.Resources.List; own != nil && q.after < skillPrefix {
		links, err := own(ctx)
		if err != nil {
			return nil, err
		}
		links = slices.Clone(links)
		slices.SortStableFunc(links, func(a, b prompts.ResourceLink) int { return strings.Compare(a.URI, b.URI) })
		for _, l := range links {
			if err := checkURI(l.URI); err != nil {
				return nil, err
			}
			if name := ownPrefix + l.URI; name > q.after && !p.add(name, func(dst []byte) []byte { return appendLink(dst, &l, q.rev) }) {
				return p.end(), nil
			}
		}
	}
	now, visible := s.registry.load(), s.visible(ctx)
	skill, file, _ := strings.Cut(strings.TrimPrefix(q.after, skillPrefix), separator)
	if !strings.HasPrefix(q.after, skillPrefix) {
		skill, file = "", ""
	}
	add := func(path string, e *entry, after string) bool {
		if visible != nil && !visible(e) {
			return true
		}
		if e.skill.Dynamic != nil {
			return promptfile.SkillFile <= after || p.add(skillPrefix+path+separator+promptfile.SkillFile, e.appendMain)
		}
		for i := range e.files {
			f := &e.files[i]
			if f.name > after && !p.add(skillPrefix+path+separator+f.name, func(dst []byte) []byte { return e.appendFile(dst, f) }) {
				return false
			}
		}
		return true
	}
	if e, ok := now.skills.Get(skill); ok && !add(skill, e, file) {
		return p.end(), nil
	}
	for path, e := range now.skills.After(skill) {
		if !add(path, e, "") {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return p.end(), nil
}

func (s *service) listTemplates(ctx context.Context, q *request, dst []byte) ([]byte, error) {
	p := s.page(q, append(dst, `{"resourceTemplates":[`...), 0)
	own := s.options.Resources.Templates
	if own == nil {
		return p.end(), nil
	}
	templates, err := own(ctx)
	if err != nil {
		return nil, err
	}
	templates = slices.Clone(templates)
	slices.SortStableFunc(templates, func(a, b Template) int { return strings.Compare(a.URITemplate, b.URITemplate) })
	for _, t := range templates {
		if err := checkURI(t.URITemplate); err != nil {
			return nil, err
		}
		if t.URITemplate > q.after && !p.add(t.URITemplate, func(dst []byte) []byte {
			dst = appendMember(dst, '{', "uriTemplate", t.URITemplate)
			dst = appendMember(dst, ',', "name", t.Name)
			if q.rev.Titles() {
				dst = appendMember(dst, ',', "title", t.Title)
			}
			dst = appendMember(dst, ',', "description", t.Description)
			return append(appendMember(dst, ',', "mimeType", t.MIMEType), '}')
		}) {
			break
		}
	}
	return p.end(), nil
}

func appendMember(dst []byte, before byte, name, value string) []byte {
	if value == "" && before == ',' {
		return dst
	}
	dst = strictjson.AppendString(append(dst, before), name)
	return strictjson.AppendString(append(dst, ':'), strings.ToValidUTF8(value, "\ufffd"))
}

func appendLink(dst []byte, l *prompts.ResourceLink, rev revision.Revision) []byte {
	dst = appendMember(dst, '{', "uri", l.URI)
	dst = appendMember(dst, ',', "name", cmp.Or(l.Name, l.URI))
	if rev.Titles() {
		dst = appendMember(dst, ',', "title", l.Title)
	}
	dst = appendMember(dst, ',', "description", l.Description)
	dst = appendMember(dst, ',', "mimeType", l.MIMEType)
	if l.Size != nil {
		dst = strconv.AppendInt(append(dst, `,"size":`...), *l.Size, 10)
	}
	return append(dst, '}')
}

func (e *entry) appendMain(dst []byte) []byte {
	dst = appendMember(dst, '{', "uri", e.skill.URI())
	dst = appendMember(dst, ',', "name", e.name)
	dst = appendMember(dst, ',', "description", e.description)
	return append(appendMember(dst, ',', "mimeType", markdownType), '}')
}

func (e *entry) appendFile(dst []byte, f *file) []byte {
	if f.name == promptfile.SkillFile {
		dst = e.appendMain(dst)
		dst = dst[:len(dst)-1]
	} else {
		dst = appendMember(dst, '{', "uri", uriOf(e.skill.Path+"/"+f.name))
		dst = appendMember(dst, ',', "name", f.name[strings.LastIndexByte(f.name, '/')+1:])
		dst = appendMember(dst, ',', "mimeType", f.mimeType)
	}
	dst = strconv.AppendInt(append(dst, `,"size":`...), int64(len(f.data)), 10)
	return append(dst, '}')
}
