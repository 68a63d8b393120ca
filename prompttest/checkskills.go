package prompttest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptskills"
)

// checkSkills is promptfstest.CheckSkills. frontmatter reads the front matter of a SKILL.md; nil: it
// is not compared.
func checkSkills(t testing.TB, skills *promptskills.Registry, frontmatter func(content []byte) (json.RawMessage, error)) {
	t.Helper()
	f, err := promptskills.New(skills, promptskills.Options{})
	if err != nil {
		t.Fatalf("promptfstest: CheckSkills: %v", err)
	}
	srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}, Logger: testLogger(t)})
	c := &skillChecker{t: t, call: func(method string, params, result any) error {
		raw, err := json.Marshal(params)
		if err != nil {
			return err
		}
		answer, err := srv.Call(context.Background(), method, raw, prompts.CallOptions{Version: "2025-11-25"})
		if err != nil {
			return err
		}
		return json.Unmarshal(answer, result)
	}, frontmatter: frontmatter}
	for cursor := ""; ; {
		params := map[string]string{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var page struct {
			Skills     []skillEntry
			NextCursor string
		}
		if err := c.call("skills/list", params, &page); err != nil {
			t.Errorf("skills/list: %v", err)
			return
		}
		for i := range page.Skills {
			c.check(&page.Skills[i])
		}
		if cursor = page.NextCursor; cursor == "" {
			return
		}
	}
}

type skillEntry struct {
	URI         string          `json:"uri"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   json.RawMessage `json:"resources"`
}

type skillResource struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

type skillChecker struct {
	t           testing.TB
	call        func(method string, params, result any) error
	frontmatter func(content []byte) (json.RawMessage, error)
}

func (c *skillChecker) check(e *skillEntry) {
	c.t.Helper()
	fail := func(format string, args ...any) {
		c.t.Helper()
		c.t.Errorf("skill %s: %s", e.URI, fmt.Sprintf(format, args...))
	}
	root, ok := strings.CutSuffix(e.URI, "/"+promptfile.SkillFile)
	var front struct{ Name, Description string }
	if err := json.Unmarshal(e.Frontmatter, &front); err != nil || !ok || path.Base(root) != front.Name || front.Description == "" {
		fail("name must be the last segment of the path, and description must not be empty, got %q and %q", front.Name, front.Description)
	}
	var files []skillResource
	isDynamic := string(e.Resources) == `"dynamic"`
	if err := json.Unmarshal(e.Resources, &files); err != nil && !isDynamic {
		fail("resources: %v", err)
		return
	}
	if isDynamic {
		files = []skillResource{{URI: e.URI}}
	}
	seen, total := map[string]bool{}, int64(0)
	for _, f := range files {
		if seen[f.URI] || !strings.HasPrefix(f.URI, root+"/") {
			fail("file %s must be in the skill, and once in the list", f.URI)
		}
		seen[f.URI] = true
		total += f.Size
	}
	if !seen[e.URI] || len(files) > promptskills.MaxFiles || total > promptskills.MaxBytes {
		fail("skill must have SKILL.md, and at most %d files with %d bytes, got %d files with %d bytes", promptskills.MaxFiles, promptskills.MaxBytes, len(files), total)
	}
	for _, f := range files {
		content, err := c.read(f.URI)
		if err != nil {
			fail("file %s: %v", f.URI, err)
			continue
		}
		if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); !isDynamic && (sum != f.Digest || int64(len(content)) != f.Size) {
			fail("file %s must have the %d bytes with %s of its entry, got %d bytes with %s", f.URI, f.Size, f.Digest, len(content), sum)
		}
		if f.URI != e.URI {
			continue
		}
		c.checkFrontmatter(e, content, fail)
		if !isDynamic {
			for _, link := range relativeLinks(string(content)) {
				if !leadsTo(root, link, seen) {
					fail("link %q must lead to a file of the skill", link)
				}
			}
		}
	}
}

func (c *skillChecker) checkFrontmatter(e *skillEntry, content []byte, fail func(string, ...any)) {
	c.t.Helper()
	if c.frontmatter == nil {
		return
	}
	raw, err := c.frontmatter(content)
	if err != nil {
		fail("front matter: %v", err)
		return
	}
	var want, got any
	if json.Unmarshal(raw, &want) != nil || json.Unmarshal(e.Frontmatter, &got) != nil || !reflect.DeepEqual(want, got) {
		fail("front matter of the entry must be that of the file, %s, got %s", raw, e.Frontmatter)
	}
}

func (c *skillChecker) read(uri string) ([]byte, error) {
	var result struct {
		Contents []struct {
			Text string
			Blob *string
		}
	}
	if err := c.call("resources/read", map[string]string{"uri": uri}, &result); err != nil {
		return nil, err
	}
	if len(result.Contents) != 1 {
		return nil, fmt.Errorf("resources/read must return 1 content, got %d", len(result.Contents))
	}
	if blob := result.Contents[0].Blob; blob != nil {
		return base64.StdEncoding.DecodeString(*blob)
	}
	return []byte(result.Contents[0].Text), nil
}

var markdownLink = regexp.MustCompile(`\]\(<?([^()<>\s]+)>?(?:\s+["'(][^)]*)?\)`)

func relativeLinks(text string) []string {
	var links []string
	for _, m := range markdownLink.FindAllStringSubmatch(withoutBlocks(text), -1) {
		if u, err := url.Parse(m[1]); err == nil && u.Scheme == "" && u.Host == "" && u.Path != "" && !strings.HasPrefix(u.Path, "/") {
			links = append(links, u.Path)
		}
	}
	return links
}

// leadsTo reports whether a path in a skill is a file or a directory of it. A path
// out of the skill is that of another skill, and not judged.
func leadsTo(root, link string, files map[string]bool) bool {
	p := path.Clean(link)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return true
	}
	for uri := range files {
		name, err := url.PathUnescape(strings.TrimPrefix(uri, root+"/"))
		if err == nil && (name == p || strings.HasPrefix(name, p+"/")) {
			return true
		}
	}
	return false
}
