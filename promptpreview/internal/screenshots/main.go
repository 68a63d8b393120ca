// Screenshots writes the pictures of the page in docs/images.
package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptpreview"
	"github.com/mcp-prompts/prompts/promptpreview/internal/browser"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(dir, out string, links []string) error {
	var reg prompts.Registry
	srv := prompts.NewServer(&reg, prompts.Options{Info: prompts.Implementation{Name: "files", Version: "1"}, InputSchemas: true})
	page := promptpreview.NewHandler(srv, promptpreview.Options{})
	defer page.Close()
	_ = promptfs.NewDir(&reg, dir, promptfs.Options{OnReload: page.OnReload()}).Reload(context.Background())
	ts := httptest.NewServer(page)
	defer ts.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := browser.Start(ctx)
	if err != nil {
		return err
	}
	defer b.Stop()
	tab, err := b.NewTab()
	if err != nil {
		return err
	}
	defer func() {
		for _, m := range tab.Messages() {
			fmt.Println(m)
		}
	}()
	for i, link := range links {
		for _, v := range []struct {
			name   string
			w, h   int64
			isDark bool
		}{{"light", 1280, 800, false}, {"dark", 1280, 800, true}, {"narrow", 400, 800, false}, {"wide", 1800, 1000, true}} {
			if err := tab.Size(v.w, v.h, v.isDark); err != nil {
				return err
			}
			if err := tab.Open(ts.URL + "/" + link); err != nil {
				return err
			}
			if link != "" {
				if _, err := browser.Eval[bool](tab, `document.querySelector("button.primary").click(), true`); err != nil {
					return err
				}
				if err := tab.Wait(`document.querySelector("#panel")`); err != nil {
					return err
				}
			}
			png, err := tab.Screenshot()
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(out, fmt.Sprintf("%d-%s.png", i, v.name)), png, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
