// Screenshots writes the pictures of the page in docs/images, and docs/gallery.md, in
// which prompts of examples/files are beside what the page shows of them. It needs
// Debian's chromium-headless-shell or chromium:
//
//	go -C promptpreview run ./internal/screenshots
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptpreview"
	"github.com/mcp-prompts/prompts/promptpreview/internal/browser"
)

const (
	files = "../examples/files/prompts"
	docs  = "../docs"
)

const code = "func Mean(xs []float64) float64 {\n\tsum := 0.0\n\tfor _, x := range xs {\n\t\tsum += x\n\t}\n\treturn sum / float64(len(xs))\n}"

// gallery are the prompts of docs/gallery.md, by their files.
var gallery = []struct {
	file, title string
	arguments   url.Values
}{
	{"review/code.md", "Review code", url.Values{"code": {code}, "language": {"go"}, "focus": {`["correctness","tests"]`}}},
	{"review/explain.md", "Explain code", url.Values{"code": {"SELECT name FROM users WHERE id = ?"}, "reader": {"beginner"}}},
	{"commit-message.md", "Write a commit message", url.Values{"diff": {"--- a/mean.go\n+++ b/mean.go\n@@ -1 +1,4 @@\n func Mean(xs []float64) float64 {\n+\tif len(xs) == 0 {\n+\t\treturn 0\n+\t}"}, "why": {"the mean of nothing was NaN"}}},
	{"notes/release.md", "Write release notes", url.Values{"version": {"v1.2.0"}, "commits": {"1a2b3c Return 0 for the mean of nothing\n4d5e6f Read numbers with an exponent"}}},
	{"triage.md", "Triage a bug report", url.Values{"report": {"The mean of an empty file is printed as NaN. I expected 0."}, "components": {"parser, printer"}}},
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "screenshots")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(files)); err != nil {
		return err
	}
	var reg prompts.Registry
	srv := prompts.MustNewServer(&reg, prompts.Options{Info: prompts.Implementation{Name: "files", Title: "Prompts of a folder", Version: "1.0.0"}, InputSchemas: true})
	page, err := promptpreview.NewHandler(srv, promptpreview.Options{})
	if err != nil {
		return err
	}
	defer page.Close()
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{OnReload: page.Reporter(dir), Logger: slog.New(slog.DiscardHandler)})
	if err := folder.Reload(ctx); err != nil {
		return err
	}
	ts := httptest.NewServer(page)
	defer ts.Close()
	b, err := browser.Start(ctx)
	if err != nil {
		return err
	}
	defer b.Stop()
	tab, err := b.NewTab()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(docs, "images"), 0o755); err != nil {
		return err
	}
	if err := writeGallery(tab, ts.URL); err != nil {
		return err
	}

	// The change of a file, and an error in another one.
	edit := func(name, old, text string) error {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, text, 1)), 0o644); err != nil {
			return err
		}
		_ = folder.Reload(ctx) // the page shows the errors
		return nil
	}
	for _, v := range []struct {
		name          string
		width, height int64
		isDark        bool
	}{{"light", 1280, 720, false}, {"dark", 1280, 720, true}, {"narrow", 375, 720, false}, {"wide", 1800, 900, true}} {
		g := gallery[0]
		if err := show(tab, ts.URL, v.width, v.height, v.isDark, g.file, g.arguments); err != nil {
			return err
		}
		if v.name == "dark" {
			if err := edit("_partials/findings.md", "For each finding", "Number the findings. For each"); err != nil {
				return err
			}
			if err := edit("triage.md", "title:", "titel:"); err != nil {
				return err
			}
			if err := tab.Wait(`document.querySelector(".changed-block") && !document.querySelector("#file-errors").hidden`); err != nil {
				return err
			}
		}
		png, err := tab.Screenshot()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, "images", "preview-"+v.name+".png"), png, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func show(tab *browser.Tab, base string, width, height int64, isDark bool, file string, arguments url.Values) error {
	if err := tab.Size(width, height, isDark); err != nil {
		return err
	}
	name := strings.TrimSuffix(file, ".md")
	if err := tab.Open(base + "/#/" + name + "?" + arguments.Encode()); err != nil {
		return err
	}
	if err := tab.Wait(`document.querySelector(".arguments .primary")`); err != nil {
		return err
	}
	if _, err := browser.Eval[bool](tab, `document.querySelector(".arguments .primary").click(), true`); err != nil {
		return err
	}
	if err := tab.Wait(`document.querySelector(".conversation")`); err != nil {
		return err
	}
	_, err := browser.Eval[bool](tab, `document.activeElement.blur(), true`)
	return err
}

func writeGallery(tab *browser.Tab, base string) error {
	var b strings.Builder
	b.WriteString(`# Gallery

Prompts of [` + "`examples/files`" + `](../examples/files), each beside what the [preview](preview.md) shows
of it. [` + "`promptpreview/internal/screenshots`" + `](../promptpreview/internal/screenshots) writes this page.
`)
	for _, g := range gallery {
		if err := show(tab, base, 620, 800, false, g.file, g.arguments); err != nil {
			return err
		}
		// The window is made as high as the page.
		height, err := browser.Eval[int64](tab, `document.querySelector("#main").scrollHeight + document.querySelector(".top").offsetHeight - 30`)
		if err != nil {
			return err
		}
		if err := tab.Size(620, height, false); err != nil {
			return err
		}
		png, err := tab.Screenshot()
		if err != nil {
			return err
		}
		picture := "gallery-" + strings.TrimSuffix(path.Base(g.file), ".md") + ".png"
		if err := os.WriteFile(filepath.Join(docs, "images", picture), png, 0o644); err != nil {
			return err
		}
		declaration, err := os.ReadFile(filepath.Join(files, g.file))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## %s\n\n<table>\n<tr><th><a href=\"../examples/files/prompts/%s\">%s</a></th><th>On the page</th></tr>\n<tr><td valign=\"top\">\n\n~~~~markdown\n%s~~~~\n\n</td><td valign=\"top\">\n\n<img src=\"images/%s\" width=\"440\" alt=\"The prompt %s on the page: its form and its conversation\">\n\n</td></tr>\n</table>\n",
			g.title, g.file, g.file, declaration, picture, strings.TrimSuffix(g.file, ".md"))
	}
	return os.WriteFile(filepath.Join(docs, "gallery.md"), []byte(b.String()), 0o644)
}
