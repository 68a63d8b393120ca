package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func files(pairs ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return all
}

// The pages on the site have links that work there, and those for VitePress its tabs.
func TestStage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, stage(files(
		"docs/README.md", "# Home\n\nIt `serves` [prompts](http.md). More.\n\n[Secure](../SECURITY.md#tls), [code](../examples/a.go)\n",
		"docs/http.md", "# HTTP\n\n<!-- tabs -->\n```go [Go]\n[x](y.md)\n```\n<!-- /tabs -->\n",
		"docs/clients/a.md", "# A\n\n[HTTP](../http.md), ![](../images/a.svg), <img src=\"../images/a.svg\"> [web](https://example.org/x.md)\n",
		"docs/ledger.md", "# Ledger\n",
		"docs/images/a.svg", "<svg/>", "README.md", "# prompts\n\n```sh\ngo get x\ngo build\n```\n",
		"internal/dev/site/web/index.md", "---\nlayout: home\n---\n\n<!-- README.md: go get -->\n", "SECURITY.md", "# Security\n\n## TLS\n", "CHANGELOG.md", "# Changelog\n\n## v1.2.3\n", "examples/a.go", "",
	), dir))
	for name, want := range map[string][]string{
		"static/index.md": {"[prompts](./http.md)", "[Secure](./security.md#tls)", "[code](" + source + "examples/a.go)"},
		"pages/index.md":  {"layout: home\n---\n\n```sh\ngo get x\ngo build\n```\n"},
		"pages/http.md":   {"::: code-group\n```go [Go]\n[x](y.md)\n```\n:::"},
		"static/http.md":  {"<!-- tabs -->"},
		"pages/clients/a.md": {
			"[HTTP](../http.md)", "![](../images/a.svg)", `src="../images/a.svg"`, "[web](https://example.org/x.md)",
		},
		"pages/ledger.md":     {"search: false"},
		"static/images/a.svg": {"<svg/>"},
		"static/llms.txt":     {"# Home\n\n> It serves prompts.\n", "## Clients\n\n- [A](clients/a.md): ", "- [Security](security.md): "},
		"site.json":           {`"version": "v1.2.3"`, `"link": "/clients/a"`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		for _, part := range want {
			assert.Contains(t, string(text), part, name)
		}
	}
}

// A page that is in no section is on the site.
func TestNavigation(t *testing.T) {
	t.Parallel()
	nav, err := navigation(files("docs/README.md", "", "docs/http.md", "", "docs/unknown.md", "", "docs/clients/b.md", "", "docs/clients.md", ""))
	require.NoError(t, err)
	assert.Equal(t, []section{
		{"Serve", []string{"docs/http.md"}}, {"Clients", []string{"docs/clients.md", "docs/clients/b.md"}}, {"More", []string{"docs/unknown.md"}},
	}, nav)
}

// What leads to nothing is found.
func TestCheck(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		``:                                "",
		`<a href="../no.html">`:           "a/b.html: ../no.html leads to no file",
		`<a href="/a/no">`:                "a/b.html: /a/no leads to no file",
		`<a href="/a">`:                   "a/b.html: /a leads to no file",
		`<a href="#no">`:                  "a/b.html: #no leads to no heading",
		`<a href="../page0.html#no">`:     "a/b.html: ../page0.html#no leads to no heading",
		`<img src="no.svg">`:              "a/b.html: no.svg leads to no file",
		`<a href="https://example.org/">`: "",
		`<a href="/"><a href="#here">`:    "",
		`<a href="../page0.html#top">`:    "",
	} {
		site := files("llms.txt", "- [B](a/b.md): b", "a/b.html", `<h1 id="here"></h1>`+change, "a/b.md", "", "index.html", "", "index.md", "", "404.html", "")
		for i := range minPages - 2 {
			name := "page" + string(rune('0'+i))
			site[name+".html"], site[name+".md"] = &fstest.MapFile{Data: []byte(`<h1 id="top"></h1>`)}, &fstest.MapFile{}
		}
		problems, err := check(site, "/")
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(problems, "\n"))
	}
	for link, want := range map[string]string{
		"/prompts/":     "",
		"/prompts/a/b":  "a/b.html: /prompts/a/b leads to no file",
		"/prompts/a.md": "",
		"/a.md":         "a/b.html: /a.md leads to no file",
		"/promptsa.md":  "a/b.html: /promptsa.md leads to no file",
	} {
		site := files("llms.txt", "", "a/b.html", `<a href="`+link+`">`, "a/b.md", "", "a.md", "", "index.html", "", "index.md", "")
		problems, err := check(site, "/prompts/")
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(want+"\n2 pages, fewer than 35"), strings.Join(problems, "\n"), link)
	}
	problems, err := check(files("llms.txt", "- [B](a/b.md): b", "a/c.html", ""), "/")
	require.NoError(t, err)
	assert.Equal(t, []string{"a/c.html: no a/c.md", "1 pages, fewer than 35", "llms.txt: no a/b.md"}, problems)
}
