package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// minPages is the number of pages that the site has at least.
const minPages = 35

var llmsLink = regexp.MustCompile(`\]\(([^)]+)\)`)

// document is what the check knows of a page.
type document struct {
	anchors map[string]bool
	links   []string
}

// check returns the errors of a built site: links to nothing, and pages without their
// Markdown. base is the path of the site on its host, such as /prompts/.
func check(site fs.FS, base string) (problems []string, err error) {
	documents := map[string]*document{}
	err = fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".html" {
			return err
		}
		documents[name], err = readDocument(site, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	pages := 0
	for name, d := range documents {
		if name != "404.html" {
			pages++
			markdown := strings.TrimSuffix(name, ".html") + ".md"
			if _, err := fs.Stat(site, markdown); err != nil {
				report("%s: no %s", name, markdown)
			}
		}
		for _, link := range d.links {
			target, anchor, ok := resolve(base, name, link)
			if !ok {
				continue
			}
			if info, err := fs.Stat(site, target); err != nil || info.IsDir() {
				report("%s: %s leads to no file", name, link)
			} else if to := documents[target]; to != nil && anchor != "" && !to.anchors[anchor] {
				report("%s: %s leads to no heading", name, link)
			}
		}
	}
	if pages < minPages {
		report("%d pages, fewer than %d", pages, minPages)
	}
	llms, err := fs.ReadFile(site, "llms.txt")
	if err != nil {
		return nil, err
	}
	for _, link := range llmsLink.FindAllSubmatch(llms, -1) {
		if _, err := fs.Stat(site, string(link[1])); err != nil {
			report("llms.txt: no %s", link[1])
		}
	}
	return problems, nil
}

// resolve returns the file and the heading that a link of a page leads to. ok is false
// if the link leaves the host. A link beside the base keeps its slash, so no file has its name.
func resolve(base, from, link string) (target, anchor string, ok bool) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return "", "", err != nil
	}
	switch {
	case u.Path == "":
		target = from
	case strings.HasPrefix(u.Path, "/"):
		target = path.Clean(strings.TrimPrefix(u.Path, base))
	default:
		target = path.Join(path.Dir(from), u.Path)
	}
	if target == "" || target == "." || strings.HasSuffix(u.Path, "/") {
		target = path.Join(target, "index.html")
	}
	return target, u.Fragment, true
}

// readDocument reads the links and the anchors of a page.
func readDocument(site fs.FS, name string) (*document, error) {
	file, err := site.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	root, err := html.Parse(file)
	if err != nil {
		return nil, err
	}
	d := &document{anchors: map[string]bool{}}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				d.anchors[a.Val] = true
			case "href", "src", "srcset":
				d.links = append(d.links, a.Val)
			}
		}
	}
	return d, nil
}
