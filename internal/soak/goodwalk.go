package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// listed is one prompt of a list.
type listed struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Arguments   []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	} `json:"arguments"`
}

type listPage struct {
	Prompts []listed `json:"prompts"`
	Next    string   `json:"nextCursor"`
}

// walk reads the whole list, and checks that it has each prompt once, in
// order, and all of those that have to be there.
func (g *good) walk(*rand.Rand) {
	last, cursor := "", ""
	seen := map[string]int{} // by the beginning of their names
	for pages := 0; ; pages++ {
		params := object{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		spans := g.spans()
		var page listPage
		a, ok := g.ask(methodList, params, "")
		if !ok || !g.read(a, &page) {
			return
		}
		g.end(spans)
		if n := len(page.Prompts); n > pageSize || page.Next != "" && n < pageSize || pages > 100 {
			g.fault("page %d has %d prompts", pages, n)
			return
		}
		for _, p := range page.Prompts {
			if p.Name <= last {
				g.fault("%s comes after %s", p.Name, last)
			}
			g.missing(last, p.Name, spans)
			last = p.Name
			kind, _, _ := strings.Cut(p.Name, "-")
			seen[kind]++
			g.checkListed(p, spans)
		}
		g.checkPairs(page.Prompts)
		if page.Next == "" {
			g.missing(last, "\xff", spans)
			break
		}
		cursor = page.Next
	}
	want := map[string]int{"stay": stays, "swap": swaps, "pair": 2 * pairs, "touch": len(g.catalogue.touched), "do": behaviours}
	if isEven(g.who) {
		want["even"] = evens
	}
	for kind, n := range want {
		if seen[kind] != n {
			g.fault("the list has %d of %s instead of %d", seen[kind], kind, n)
		}
	}
	if delete(seen, "come"); len(seen) != len(want) {
		g.fault("the list has %v", seen)
	}
}

// spans are what a request may have seen of the prompts that change, by name.
func (g *good) spans() map[string]*spanned {
	all := map[string]*spanned{}
	add := func(name string, c *cell) { all[name] = &spanned{c, c.spanOf()} }
	for i := range g.catalogue.comers {
		add(comeName(i), &g.catalogue.comers[i])
	}
	for i := range g.catalogue.swaps {
		add(swapName(i), &g.catalogue.swaps[i])
	}
	for i := range g.catalogue.pairs {
		add(pairName(i, 0), &g.catalogue.pairs[i])
		add(pairName(i, 1), &g.catalogue.pairs[i])
	}
	return all
}

type spanned struct {
	cell *cell
	span span
}

func (g *good) end(all map[string]*spanned) {
	for _, s := range all {
		s.span = s.cell.end(s.span)
	}
}

// missing checks that there was no prompt between two that follow each other.
func (g *good) missing(last, next string, all map[string]*spanned) {
	for i := range comers {
		name := comeName(i)
		if name > last && name < next && !all[name].span.hasParity(false) {
			g.fault("the list does not have %s: %v", name, all[name].span)
		}
	}
}

// checkListed checks what is said of one prompt.
func (g *good) checkListed(p listed, all map[string]*spanned) {
	if s := all[p.Name]; s != nil {
		v, ok := versionIn(p.Description)
		if !ok || !s.span.has(v) || strings.HasPrefix(p.Name, "come") && v%2 == 0 {
			g.fault("%s is listed with %q instead of %v", p.Name, p.Description, s.span)
		}
		return
	}
	var i int
	if n, _ := fmt.Sscanf(p.Name, "stay-%d", &i); n == 0 {
		return
	}
	first, title := []string{"topic", "code", "colour", "city"}[i%forms], ""
	if i%forms == formTyped && g.version >= "2025-06-18" {
		title = "Typed"
	}
	if len(p.Arguments) == 0 || p.Arguments[0].Name != first || !p.Arguments[0].Required || p.Title != title {
		g.fault("%s is listed as %+v", p.Name, p)
	}
}

// checkPairs checks that two prompts that change together are of one version,
// where they are on one page.
func (g *good) checkPairs(page []listed) {
	for i := 1; i < len(page); i++ {
		a, b := page[i-1], page[i]
		if strings.HasPrefix(b.Name, "pair") && strings.TrimSuffix(a.Name, "-0") == strings.TrimSuffix(b.Name, "-1") && a.Description != b.Description {
			g.fault("%s has %q, and %s has %q", a.Name, a.Description, b.Name, b.Description)
		}
	}
}
