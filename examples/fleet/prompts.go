package main

import (
	"context"
	"fmt"

	"github.com/mcp-prompts/prompts"
)

type release struct {
	Version string `json:"version" jsonschema:"the version to announce"`
}

type channel struct {
	Channel string `json:"channel" jsonschema:"where to announce it"`
}

// announce is a prompt of code, beside those of the bucket. It asks twice, and
// each of the three requests may be answered by another replica.
func announce() prompts.Prompt {
	return prompts.Prompt{
		Name:        "announce",
		Title:       "Announce a release",
		Description: "Drafts an announcement, and asks what of",
		Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			r, err := prompts.Elicit[release](ctx, "release", "Which release?")
			if err != nil {
				return nil, err
			}
			c, err := prompts.Elicit[channel](ctx, "channel", "Where is "+r.Version+" announced?",
				prompts.Argument{Name: "channel", Enum: []string{"blog", "chat"}})
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(fmt.Sprintf("Announce %s on the %s.", r.Version, c.Channel))), nil
		},
	}
}
