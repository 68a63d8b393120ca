// Command site makes the source of the documentation's site from the pages of the
// repository, and checks the site that VitePress builds from this source:
//
//	go -C internal/dev run ./site stage DIR
//	go -C internal/dev run ./site check DIR
//
// The pages stay where GitHub shows them. stage copies them, with links that work on
// the site, and adds the navigation, llms.txt and each page as Markdown. check reads
// the HTML in DIR and reports links to pages, files and headings that do not exist.
// .ci/site runs both. SITE_BASE is the path of the site on its host. Default: /.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: site stage|check DIR")
	}
	if err := repository.Enter(); err != nil {
		return err
	}
	switch args[0] {
	case "stage":
		return stage(os.DirFS("."), args[1])
	case "check":
		problems, err := check(os.DirFS(args[1]), cmp.Or(os.Getenv("SITE_BASE"), "/"))
		for _, p := range problems {
			fmt.Println(p)
		}
		if err == nil && len(problems) > 0 {
			err = fmt.Errorf("%d problems", len(problems))
		}
		return err
	}
	return fmt.Errorf("unknown command %q; use stage or check", args[0])
}
