package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A section of the navigation, by what a reader wants.
type section struct {
	title string
	pages []string // in the repository; a folder stands for its pages that are in no other section
}

// home is the first page of the site.
const home = "docs/README.md"

// sections are in the order of the navigation. The pages of docs that are in no section
// are in the section "More".
var sections = []section{
	{"Start", []string{"docs/what-are-prompts.md", "docs/first-server.md", "docs/first-prompt-file.md", "docs/gallery.md"}},
	{"Write", []string{
		"docs/guide.md", "docs/arguments.md", "docs/content.md", "docs/write-prompts.md", "docs/prompt-files.md",
		"docs/tests.md", "docs/preview.md", "docs/import.md", "docs/skills.md", "docs/tools.md",
	}},
	{"Serve", []string{
		"docs/http.md", "docs/authentication.md", "docs/shutdown.md", "docs/fleet.md", "docs/releases.md", "docs/transports.md",
	}},
	{"Clients", []string{"docs/clients.md", "docs/clients"}},
	{"Operate", []string{"docs/errors.md", "docs/logging.md", "docs/observing.md", "docs/limits.md", "SECURITY.md"}},
	{"Reference", []string{"docs/options.md", "docs/commands.md", "docs/versions.md", "CHANGELOG.md"}},
	{"Migrate", []string{"docs/migrate-go-sdk.md", "docs/migrate-mcp-go.md", "docs/migrating.md"}},
	{"Why", []string{"docs/comparison.md", "docs/benchmarks.md", "docs/load.md"}},
	{"More", []string{"docs"}},
	{maintain, []string{"CONTRIBUTING.md", "docs/architecture.md", "docs/internals.md", "docs/releasing.md", "docs/upstream-mcp-go.md", "docs/ledger.md"}},
}

// maintain is the section of the pages for maintainers, which the search leaves out.
const maintain = "Maintain"

// navigation returns the sections with the pages that exist, and each page once.
func navigation(repository fs.FS) (found []section, err error) {
	named := map[string]bool{home: true}
	for _, s := range sections {
		for _, p := range s.pages {
			named[p] = true
		}
	}
	for _, s := range sections {
		var pages []string
		for _, p := range s.pages {
			if path.Ext(p) == ".md" {
				if _, err := fs.Stat(repository, p); err == nil {
					pages = append(pages, p)
				}
				continue
			}
			all, err := fs.Glob(repository, p+"/*.md")
			if err != nil {
				return nil, err
			}
			pages = append(pages, slices.DeleteFunc(all, func(p string) bool { return named[p] })...)
		}
		if len(pages) > 0 {
			found = append(found, section{s.title, pages})
		}
	}
	return found, nil
}

// onSite returns the path of a page on the site, without its extension.
func onSite(page string) string {
	switch {
	case page == home:
		return "index"
	case strings.HasPrefix(page, "docs/"):
		return strings.TrimSuffix(strings.TrimPrefix(page, "docs/"), ".md")
	}
	return strings.ToLower(strings.TrimSuffix(page, ".md"))
}
