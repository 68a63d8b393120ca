package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"oras.land/oras-go/v2/errdef"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptoci"
)

// This file has the flags, the errors and the moves of all commands that use a store of releases.

const refHelp = `A reference is oci://HOST/REPOSITORY for a registry or oci-layout:FOLDER for a folder,
with :LABEL or @sha256:DIGEST behind it. A label has at most 63 lowercase letters, digits
and hyphens. Credentials are those of Docker's configuration, or, for the registry that
PROMPTS_REGISTRY_HOST names, PROMPTS_REGISTRY_USERNAME and PROMPTS_REGISTRY_PASSWORD.`

// storeOptions are the flags of every command that uses a store.
type storeOptions struct{ plainHTTP bool }

func (o *storeOptions) add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.plainHTTP, "plain-http", false, "connect to the registry without TLS")
}

// open parses a reference and opens its store. needs says whether a label or a digest
// must follow.
func (o *storeOptions) open(text string, needs bool) (promptoci.Ref, promptoci.Store, error) {
	ref, err := promptoci.ParseRef(text)
	if err != nil {
		return ref, nil, usageError{bare(err)}
	}
	if needs && ref.Version() == "" {
		return ref, nil, usageErrorf("reference %s has no label; write %s:LABEL", text, text)
	}
	store, err := promptoci.Open(ref, promptoci.ClientOptions{PlainHTTP: o.plainHTTP})
	return ref, store, bare(err)
}

// bare returns an error of package promptoci without the name of the package.
func bare(err error) error {
	if err == nil {
		return nil
	}
	return bareError{err}
}

type bareError struct{ error }

func (e bareError) Error() string { return strings.ReplaceAll(e.error.Error(), "promptoci: ", "") }

func (e bareError) Unwrap() error { return e.error }

// maxLabels is how many labels of a store are named.
const maxLabels = 10

// absent returns the error of a read. If the label or the release of a reference does not
// exist, the error says what the store has.
func absent(ctx context.Context, ref promptoci.Ref, s promptoci.Store, err error) error {
	if _, found := s.Resolve(ctx, ref.Version()); !errors.Is(found, errdef.ErrNotFound) {
		return bare(err)
	}
	store := promptoci.Ref{Layout: ref.Layout, Registry: ref.Registry, Repository: ref.Repository}
	if ref.Digest != "" {
		return fmt.Errorf("release %s does not exist in %s; prompts log %s lists the releases", ref.Digest, store, store)
	}
	var labels []string
	n := 0
	_ = s.Tags(ctx, "", func(page []string) error { // an error: nothing was pushed to the repository
		for _, tag := range page {
			if promptoci.CheckLabel(tag) == nil {
				if n++; n <= maxLabels {
					labels = append(labels, tag)
				}
			}
		}
		return nil
	})
	has := "no labels"
	if n > 0 {
		has = strings.Join(labels, ", ")
	}
	if n > maxLabels {
		has += fmt.Sprintf(" and %d more", n-maxLabels)
	}
	return fmt.Errorf("label %q does not exist in %s, which has %s; set a label with prompts push or prompts tag", ref.Label, store, has)
}

// author returns who makes a release or moves a label: the user of a CI system, or of the
// operating system.
func author() string {
	for _, name := range []string{"PROMPTS_AUTHOR", "GITHUB_ACTOR", "GITLAB_USER_LOGIN"} {
		if text := os.Getenv(name); text != "" {
			return text
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// digestFlag returns the value of a flag that is a digest.
func digestFlag(name, value string) (digest.Digest, error) {
	d := digest.Digest(value)
	if value != "" && d.Validate() != nil {
		return "", usageErrorf("%s must be a digest such as sha256:9f3c…, got %q", name, value)
	}
	return d, nil
}

func printMove(cmd *cobra.Command, m promptoci.Move) {
	if !m.Applied {
		fmt.Fprintf(cmd.OutOrStdout(), "%s is at %s already\n", m.Label, m.To)
		return
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s -> %s\n", m.Label, cmp.Or(m.From, "none"), m.To)
}

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
