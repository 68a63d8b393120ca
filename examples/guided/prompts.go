package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts"
)

// releases are what this server knows of each product, the newest first. A
// real server would ask its database.
var releases = map[string][]string{
	"editor":   {"3.1.0", "3.0.2", "3.0.1"},
	"compiler": {"1.26.0", "1.25.4"},
}

type notes struct {
	Product string   `json:"product" jsonschema:"what was released" enum:"editor,compiler"`
	Version string   `json:"version" jsonschema:"which release of it"`
	For     []string `json:"for,omitempty" jsonschema:"who is to read the notes"`
}

func releaseNotes() prompts.Prompt {
	return prompts.New(prompts.Prompt{
		Name:        "release_notes",
		Title:       "Release notes",
		Description: "Writes the notes for a release",
		// What a tag cannot say is added to an argument by name.
		Arguments: []prompts.Argument{{Name: "version", Complete: completeVersion}},
	}, writeNotes)
}

// completeVersion completes a version of the product that is already chosen.
func completeVersion(_ context.Context, prefix string, args map[string]string) ([]string, error) {
	var some []string
	for _, v := range releases[args["product"]] {
		if strings.HasPrefix(v, prefix) {
			some = append(some, v)
		}
	}
	return some, nil
}

func writeNotes(ctx context.Context, in notes) (*prompts.Result, error) {
	known := releases[in.Product]
	if !slices.Contains(known, in.Version) {
		return nil, prompts.InvalidArgument("version", fmt.Sprintf("is no release of the %s; the newest is %s", in.Product, known[0]))
	}
	ask := fmt.Sprintf("Write the release notes for %s %s.", in.Product, in.Version)
	if len(in.For) > 0 {
		ask += " They are for " + strings.Join(in.For, " and ") + "."
	}
	// Clients that request progress get each step of a slow prompt.
	for i, v := range known {
		ask += fmt.Sprintf("\n%s was number %d.", v, len(known)-i)
		prompts.Progress(ctx, float64(i+1), float64(len(known)), "read "+v)
	}
	return prompts.Messages(prompts.User(ask)), nil
}

type choice struct {
	Product string `json:"product" jsonschema:"what was released"`
}

type confirmation struct {
	Version string   `json:"version" jsonschema:"which release of it"`
	Where   []string `json:"where,omitempty" jsonschema:"where to announce it"`
}

func announcement() prompts.Prompt {
	return prompts.Prompt{
		Name:        "announcement",
		Title:       "Announcement",
		Description: "Announces a release, after asking which",
		Render:      new(announcements).announce,
	}
}

// announcements counts them.
type announcements struct{ drawn atomic.Int64 }

// announce asks twice: what is asked second depends on the first answer.
func (a *announcements) announce(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
	chosen, err := prompts.Elicit[choice](ctx, "product", "What do you want to announce?",
		prompts.Argument{Name: "product", Title: "Product", Enum: []string{"editor", "compiler"}})
	if err != nil {
		return nil, err
	}
	// In revision 2026-07-28 the function is run again for each answer. The
	// number stays the one that was drawn in the first run.
	number, err := prompts.Once(ctx, "number", a.draw)
	if err != nil {
		return nil, err
	}
	which, err := prompts.Elicit[confirmation](ctx, "release", "Which release, and where?",
		prompts.Argument{Name: "version", Enum: releases[chosen.Product]})
	switch {
	case errors.Is(err, prompts.ErrDeclined):
		which.Version = releases[chosen.Product][0] // the newest will do
	case err != nil:
		return nil, err
	}
	ask := fmt.Sprintf("Announce %s %s, as announcement number %d.", chosen.Product, which.Version, number)
	if len(which.Where) > 0 {
		ask += " It will appear in " + strings.Join(which.Where, " and ") + "."
	}
	return prompts.Messages(prompts.User(ask)), nil
}

// draw returns a new number. It must not be called twice for one announcement.
func (a *announcements) draw(context.Context) (int64, error) { return a.drawn.Add(1), nil }
