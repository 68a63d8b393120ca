package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptoci"
)

// releaseOptions are the flags of serve for a release.
type releaseOptions struct {
	storeOptions
	ref      string // empty for folders and a bucket
	interval time.Duration
	cache    string
	required bool
}

func (o *releaseOptions) add(flags *pflag.FlagSet) {
	o.storeOptions.add(flags)
	flags.DurationVar(&o.interval, "interval", 30*time.Second, "time between two looks at the label of a release")
	flags.StringVar(&o.cache, "cache", "", "folder for the last release, for a start without the registry")
	flags.BoolVar(&o.required, "require-registry", false, "do not start from the folder of --cache")
}

// check reports flags that do not fit together.
func (o *releaseOptions) check(flags *pflag.FlagSet) error {
	if o.ref == "" {
		for _, name := range []string{"interval", "cache", "require-registry", "plain-http"} {
			if flags.Changed(name) {
				return usageErrorf("--%s needs a reference to a release, such as oci://HOST/REPOSITORY:LABEL", name)
			}
		}
		return nil
	}
	if o.interval <= 0 {
		return usageErrorf("--interval must be positive, got %v", o.interval)
	}
	_, _, err := o.open(o.ref, true)
	return err
}

// follow fills the registry from the release until Close.
func (o *releaseOptions) follow(ctx context.Context, reg *prompts.Registry, files promptfs.Options) (*promptoci.Follower, error) {
	ref, s, err := o.open(o.ref, true)
	if err != nil {
		return nil, err
	}
	f, err := promptoci.Follow(ctx, reg, s, ref.Version(), promptoci.Options{Files: files, Interval: o.interval, Cache: o.cache, RequireStore: o.required})
	if err != nil {
		return nil, absent(ctx, ref, s, err)
	}
	return f, nil
}
