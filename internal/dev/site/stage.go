package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// source is where the links to files that are no pages lead.
const source = "https://github.com/mcp-prompts/prompts/blob/main/"

var (
	heading   = regexp.MustCompile(`(?m)^# (.*)$`)
	release   = regexp.MustCompile(`(?m)^## (v[0-9][^\s]*)`)
	fence     = regexp.MustCompile("(?ms)^(```|~~~)(\\w*)[^\n]*\n.*?^(?:```|~~~)$\n?")
	mermaid   = regexp.MustCompile("(?ms)^```mermaid\n.*?^```$")
	tabs      = regexp.MustCompile(`(?s)<!-- tabs -->\n(.*?)<!-- /tabs -->`)
	paragraph = regexp.MustCompile(`(?m)^[A-Z\x60*\[][^|]*?(?:\n\n|\z)`)
	reference = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	block     = regexp.MustCompile(`<!-- README\.md: (.*) -->`)
	markup    = regexp.MustCompile("`|\\*\\*|\\[([^\\]]*)\\]\\([^)]*\\)")
)

// page is what the navigation and llms.txt have of a page.
type page struct{ repository, site, title, summary string }

// stage writes the source of the site to a folder: the pages for VitePress in pages, the
// files that the site has as they are in static, and the navigation in site.json.
func stage(repository fs.FS, dir string) error {
	nav, err := navigation(repository)
	if err != nil {
		return err
	}
	pages := map[string]bool{home: true}
	for _, s := range nav {
		for _, p := range s.pages {
			pages[p] = true
		}
	}
	write := func(name string, text []byte) error {
		name = filepath.Join(dir, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644))
	}
	type item struct {
		Text  string `json:"text"`
		Link  string `json:"link,omitempty"`
		Items []item `json:"items,omitempty"`
	}
	var sidebar []item
	var llms strings.Builder
	add := func(name string, isHidden bool) (page, error) {
		raw, err := fs.ReadFile(repository, name)
		if err != nil {
			return page{}, err
		}
		text := relink(repository, pages, name, string(raw))
		p := page{repository: name, site: onSite(name)}
		if m := heading.FindStringSubmatch(text); m != nil {
			p.title = markup.ReplaceAllString(m[1], "$1")
		} else {
			return page{}, fmt.Errorf("%s: no heading", name)
		}
		p.summary = summary(text)
		// Readers of the Markdown get the page with the links of the site.
		if err := write("static/"+p.site+".md", []byte(text)); err != nil {
			return page{}, err
		}
		return p, write("pages/"+p.site+".md", []byte(forSite(name, text, isHidden)))
	}
	first, err := add(home, true)
	if err != nil {
		return err
	}
	landing, err := landing(repository)
	if err != nil {
		return err
	}
	if err := write("pages/index.md", []byte(landing)); err != nil {
		return err
	}
	fmt.Fprintf(&llms, "# %s\n\n> %s\n", first.title, first.summary)
	for _, s := range nav {
		fmt.Fprintf(&llms, "\n## %s\n\n", s.title)
		group := item{Text: s.title}
		for _, name := range s.pages {
			p, err := add(name, s.title == maintain)
			if err != nil {
				return err
			}
			group.Items = append(group.Items, item{Text: p.title, Link: "/" + p.site})
			fmt.Fprintf(&llms, "- [%s](%s.md): %s\n", p.title, p.site, p.summary)
		}
		sidebar = append(sidebar, group)
	}
	changes, err := fs.ReadFile(repository, "CHANGELOG.md")
	if err != nil {
		return err
	}
	version := release.FindSubmatch(changes)
	if version == nil {
		return errors.New("CHANGELOG.md: no version")
	}
	settings, err := json.MarshalIndent(map[string]any{"version": string(version[1]), "sidebar": sidebar}, "", "  ")
	if err != nil {
		return err
	}
	if err := errors.Join(write("site.json", settings), write("static/llms.txt", []byte(llms.String()))); err != nil {
		return err
	}
	images, err := fs.Sub(repository, "docs/images")
	if err != nil {
		return err
	}
	return errors.Join(os.CopyFS(filepath.Join(dir, "pages/images"), images), os.CopyFS(filepath.Join(dir, "static/images"), images))
}

// landing returns the first page of the site, with the blocks of README.md that it names by a
// text in them.
func landing(repository fs.FS) (string, error) {
	page, err := fs.ReadFile(repository, "internal/dev/site/web/index.md")
	if err != nil {
		return "", err
	}
	readme, err := fs.ReadFile(repository, "README.md")
	if err != nil {
		return "", err
	}
	blocks := fence.FindAllString(string(readme), -1)
	text := block.ReplaceAllStringFunc(string(page), func(match string) string {
		part := block.FindStringSubmatch(match)[1]
		i := slices.IndexFunc(blocks, func(b string) bool { return strings.Contains(b, part) })
		if i < 0 {
			err = fmt.Errorf("README.md: no block with %q, which the first page of the site shows", part)
			return match
		}
		return strings.TrimSuffix(blocks[i], "\n")
	})
	return text, err
}

// forSite returns a page for VitePress.
func forSite(name, text string, isHidden bool) string {
	text = mermaid.ReplaceAllString(text, "[Show the diagram on GitHub]("+source+name+").\n")
	text = tabs.ReplaceAllString(text, "::: code-group\n$1:::")
	if isHidden {
		return "---\nsearch: false\n---\n" + text
	}
	return text
}

// relink returns a page with its links to other pages and to images as they are on the
// site. The links to other files of the repository lead to GitHub.
func relink(repository fs.FS, pages map[string]bool, name, text string) string {
	relinkProse := func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(match string) string {
			m := reference.FindStringSubmatch(match)
			link := m[1] + m[2]
			target, anchor, _ := strings.Cut(link, "#")
			if target == "" || strings.Contains(target, ":") {
				return match
			}
			resolved := path.Join(path.Dir(name), target)
			if info, err := fs.Stat(repository, resolved); err != nil {
				return match // check reports a dead link
			} else if info.IsDir() && pages[resolved+"/README.md"] {
				resolved += "/README.md"
			}
			result := source + resolved
			switch {
			case pages[resolved]:
				result = relative(onSite(name), onSite(resolved)+".md")
			case strings.HasPrefix(resolved, "docs/images/"):
				result = relative(onSite(name), strings.TrimPrefix(resolved, "docs/"))
			}
			if anchor != "" {
				result += "#" + anchor
			}
			return strings.Replace(match, link, result, 1)
		})
	}
	var out strings.Builder
	at := 0
	for _, m := range fence.FindAllStringIndex(text, -1) {
		out.WriteString(relinkProse(text[at:m[0]]))
		out.WriteString(text[m[0]:m[1]])
		at = m[1]
	}
	out.WriteString(relinkProse(text[at:]))
	return out.String()
}

// relative returns the path of a file from a page.
func relative(from, to string) string {
	up := strings.Repeat("../", strings.Count(from, "/"))
	if up == "" {
		up = "./"
	}
	return up + to
}

// summary returns the first sentence of a page's prose.
func summary(text string) string {
	_, text, _ = strings.Cut(text, "\n")
	text = fence.ReplaceAllString(text, "")
	first := strings.Join(strings.Fields(markup.ReplaceAllString(paragraph.FindString(text), "$1")), " ")
	if sentence, _, ok := strings.Cut(first, ". "); ok {
		return sentence + "."
	}
	return first
}
