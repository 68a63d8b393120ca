package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
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

// This file has what all commands share that use a store of releases, and tag, rollback and log.

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

func newTag() *cobra.Command {
	var store storeOptions
	var reason, expect string
	cmd := &cobra.Command{
		Use:   "tag REF LABEL",
		Short: "Move a label to a release",
		Long: `Tag moves a label to the release of REF and records the move: who, when, from where and
why. LABEL is a label of the same store, or a reference to another store, to which the
release is copied with the same digest. Nothing is built again.

If another process moves the label at the same time, tag fails. A registry has no
conditional write, so that finds most conflicts and not all; log shows them.

` + refHelp,
		Example: `  prompts tag oci-layout:releases:staging production --reason "tests passed"
  prompts tag oci://ghcr.io/acme/staging:staging oci://ghcr.io/acme/production:production`,
		Args: exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, s, err := store.open(args[0], true)
			if err != nil {
				return err
			}
			from, err := digestFlag("--expect", expect)
			if err != nil {
				return err
			}
			target, label := s, args[1]
			if promptoci.IsRef(args[1]) {
				to, other, err := store.open(args[1], true)
				if err != nil {
					return err
				}
				target, label = other, to.Label
			}
			if err := promptoci.CheckLabel(label); err != nil {
				return usageError{bare(err)}
			}
			r, err := promptoci.Pull(cmd.Context(), s, ref.Version(), promptoci.Limits{})
			if err != nil {
				return absent(cmd.Context(), ref, s, err)
			}
			if err := promptoci.Push(cmd.Context(), target, r); err != nil {
				return bare(err)
			}
			m, err := promptoci.Apply(cmd.Context(), target, promptoci.Move{Label: label, From: from, To: r.Digest, By: author(), Reason: reason})
			if err != nil {
				return bare(err)
			}
			printMove(cmd, m)
			return nil
		},
	}
	store.add(cmd.Flags())
	cmd.Flags().StringVar(&reason, "reason", "", "why the label is moved")
	cmd.Flags().StringVar(&expect, "expect", "", "fail unless the label is at this release, sha256:…")
	return cmd
}

func newRollback() *cobra.Command {
	var store storeOptions
	var reason, to, expect string
	cmd := &cobra.Command{
		Use:   "rollback REF",
		Short: "Move a label back to the release before",
		Long: `Rollback moves the label of REF to the release before its last move. A second rollback
goes further back. If another tool has moved the label, no earlier release is recorded:
give it with --to.

` + refHelp,
		Example: `  prompts rollback oci-layout:releases:production --reason "worse answers"`,
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, s, err := store.open(args[0], true)
			if err != nil {
				return err
			}
			if ref.Label == "" {
				return usageErrorf("reference %s has no label; write the label that is to be moved", args[0])
			}
			target, err := digestFlag("--to", to)
			if err != nil {
				return err
			}
			from, err := digestFlag("--expect", expect)
			if err != nil {
				return err
			}
			if from != "" && target == "" {
				d, err := s.Resolve(cmd.Context(), ref.Label)
				if err != nil {
					return absent(cmd.Context(), ref, s, err)
				}
				if d.Digest != from {
					return fmt.Errorf("%s is at %s, expected %s", ref.Label, d.Digest, from)
				}
			}
			var m promptoci.Move
			if target != "" {
				m, err = promptoci.Apply(cmd.Context(), s, promptoci.Move{Label: ref.Label, From: from, To: target, By: author(), Reason: reason, Kind: promptoci.KindRollback})
			} else {
				m, err = promptoci.Rollback(cmd.Context(), s, ref.Label, author(), reason)
			}
			if errors.Is(err, promptoci.ErrNoHistory) {
				return absent(cmd.Context(), ref, s, err)
			}
			if err != nil {
				return bare(err)
			}
			printMove(cmd, m)
			return nil
		},
	}
	store.add(cmd.Flags())
	cmd.Flags().StringVar(&reason, "reason", "", "why the label is moved")
	cmd.Flags().StringVar(&to, "to", "", "release to go back to, sha256:… (default: the one before)")
	cmd.Flags().StringVar(&expect, "expect", "", "fail unless the label is at this release, sha256:…")
	return cmd
}

func newLog() *cobra.Command {
	var store storeOptions
	var isJSON bool
	var n int
	cmd := &cobra.Command{
		Use:   "log REF",
		Short: "List the moves of a label, or the releases of a store",
		Long: `Log lists the moves of the label in REF, the last first: when, from where, to where, by
whom and why. A move without effect lost a conflict. An unrecorded move is one of another
tool. Without a label, log lists the releases. The names are claims; the audit log of the
registry is evidence.

` + refHelp,
		Example: `  prompts log oci-layout:releases:production
  prompts log oci-layout:releases`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, s, err := store.open(args[0], false)
			if err != nil {
				return err
			}
			if n < 0 {
				return usageErrorf("-n must not be negative, got %d", n)
			}
			if ref.Digest != "" {
				return usageErrorf("reference %s has a digest; give a label, or none for all releases", args[0])
			}
			out := cmd.OutOrStdout()
			if ref.Label != "" {
				i, err := printLog(out, promptoci.Log(cmd.Context(), s, ref.Label), n, isJSON, moveLine)
				if i == 0 && err == nil {
					err = absent(cmd.Context(), ref, s, nil)
				}
				return err
			}
			all, err := promptoci.Releases(cmd.Context(), s)
			if err != nil {
				return bare(err)
			}
			if len(all) == 0 {
				return fmt.Errorf("%s has no releases; make one with prompts push DIR %s:LABEL", args[0], args[0])
			}
			_, err = printLog(out, func(yield func(releaseEntry, error) bool) {
				for _, r := range all {
					if !yield(releaseEntry{r.Digest, r.Content, r.Info.Created, r.Info.Author, r.Info.Message, r.Info.Source, r.Info.Revision}, nil) {
						return
					}
				}
			}, n, isJSON, releaseLine)
			return err
		},
	}
	store.add(cmd.Flags())
	cmd.Flags().BoolVar(&isJSON, "json", false, "print one JSON object per line")
	cmd.Flags().IntVarP(&n, "number", "n", 0, "print at most this many (0: all)")
	return cmd
}

// releaseEntry is a release in the output of log.
type releaseEntry struct {
	Release  digest.Digest `json:"release"`
	Content  digest.Digest `json:"content"`
	Created  time.Time     `json:"created"`
	Author   string        `json:"author,omitempty"`
	Message  string        `json:"message,omitempty"`
	Source   string        `json:"source,omitempty"`
	Revision string        `json:"revision,omitempty"`
}

// printLog prints at most n entries, or all, and returns their number.
func printLog[T any](out io.Writer, all iter.Seq2[T, error], n int, isJSON bool, line func(T) string) (i int, err error) {
	var errs []error
	for entry, err := range all {
		if err != nil {
			errs = append(errs, bare(err)) // of one record
			continue
		}
		if isJSON {
			if err := writeLine(out, entry); err != nil {
				return i, err
			}
		} else {
			fmt.Fprintln(out, line(entry))
		}
		if i++; i == n {
			break
		}
	}
	return i, errors.Join(errs...)
}

// timeOfLine is the form of the times in the output of log.
const timeOfLine = "2006-01-02T15:04:05Z"

func moveLine(m promptoci.Move) string {
	at, from := m.At.Format(timeOfLine), short(m.From)
	if m.Kind == promptoci.KindUnrecorded {
		at = fmt.Sprintf("%*s", len(timeOfLine), "")
		if m.From == "" {
			from = "unknown"
		}
	}
	line := fmt.Sprintf("%s  %-8s  %s -> %s", at, printable(m.Kind), from, short(m.To))
	for _, text := range []string{m.By, m.Reason} {
		if text != "" {
			line += "  " + printable(oneLine(text))
		}
	}
	if !m.Applied {
		line += "  (without effect)"
	}
	return line
}

func releaseLine(r releaseEntry) string {
	line := fmt.Sprintf("%s  %s  content %s", r.Created.Format(timeOfLine), r.Release, short(r.Content))
	for _, text := range []string{r.Author, r.Message} {
		if text != "" {
			line += "  " + printable(oneLine(text))
		}
	}
	return line
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// short returns the start of a digest, which is enough to recognize a release.
func short(d digest.Digest) string {
	if d == "" {
		return "none"
	}
	return d.Encoded()[:12]
}
