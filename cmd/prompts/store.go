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
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptoci"
)

const refHelp = `A reference is oci://HOST/REPOSITORY for a registry or oci-layout:FOLDER for a folder,
with :LABEL or @sha256:DIGEST behind it. A label has at most 63 lowercase letters, digits
and hyphens. Credentials are those of Docker's configuration, or, for the registry that
PROMPTS_REGISTRY_HOST names, PROMPTS_REGISTRY_USERNAME and PROMPTS_REGISTRY_PASSWORD.`

type storeOptions struct{ plainHTTP bool }

func (o *storeOptions) add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.plainHTTP, "plain-http", false, "connect to the registry without TLS")
}

type opened struct {
	promptoci.Ref
	promptoci.Store
}

// needs says whether a label or a digest must follow.
func (o *storeOptions) open(text string, needs bool) (*opened, error) {
	ref, err := promptoci.ParseRef(text)
	if err != nil {
		return nil, usageError{bare(err)}
	}
	if needs && ref.Version() == "" {
		return nil, usageErrorf("reference %s has no label; write %s:LABEL", text, text)
	}
	store, err := promptoci.Open(ref, promptoci.ClientOptions{PlainHTTP: o.plainHTTP})
	return &opened{ref, store}, bare(err)
}

func (s *opened) pull(ctx context.Context) (*promptoci.Release, error) {
	r, err := promptoci.Pull(ctx, s.Store, s.Version(), promptoci.Limits{})
	if err != nil {
		return nil, s.absent(ctx, err)
	}
	return r, nil
}

// move moves a label by Apply or Rollback and prints the move, which is recorded as one of this user.
func (s *opened) move(cmd *cobra.Command, apply func(context.Context, promptoci.Store, promptoci.Move) (promptoci.Move, error), m promptoci.Move) error {
	m.By = author()
	m, err := apply(cmd.Context(), s.Store, m)
	if err == nil {
		printMove(cmd, m)
	}
	return err
}

// inStore is the end of a command of which the argument at is a reference: it opens the store.
func inStore(cmd *cobra.Command, at int, needs bool, run func(cmd *cobra.Command, s *opened, args []string) error) *cobra.Command {
	var o storeOptions
	o.add(cmd.Flags())
	cmd.Long += "\n\n" + refHelp
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := o.open(args[at], needs)
		if err != nil {
			return err
		}
		return bare(run(cmd, s, args))
	}
	return cmd
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

// isReference reports whether an argument is a reference of [promptoci.ParseRef], and not a folder.
func isReference(arg string) bool {
	return strings.HasPrefix(arg, "oci://") || strings.HasPrefix(arg, "oci-layout:")
}

// absent says what the store has if the label or the release of a reference does not exist.
func (s *opened) absent(ctx context.Context, err error) error {
	ref := s.Ref
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
				if n++; n <= phrase.MaxListed {
					labels = append(labels, tag)
				}
			}
		}
		return nil
	})
	has := cmp.Or(phrase.First(labels, n), "no labels")
	return fmt.Errorf("label %q does not exist in %s, which has %s; set a label with prompts push or prompts tag", ref.Label, store, has)
}

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

type releaseOptions struct {
	storeOptions
	ref      string  // empty for folders and a bucket
	opened   *opened // by check
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
	var err error
	o.opened, err = o.open(o.ref, true)
	return err
}

func (o *releaseOptions) follow(ctx context.Context, reg *prompts.Registry, files promptfs.Options) (*promptoci.Follower, error) {
	options := promptoci.Options{Files: files, Interval: o.interval, Cache: o.cache}
	f, err := promptoci.Follow(ctx, reg, o.opened.Store, o.opened.Version(), options)
	if err == nil && o.required {
		if s := f.Status(); s.FromCache {
			f.Close()
			err = fmt.Errorf("follow %s: %w", o.opened.Version(), s.Err)
		}
	}
	if err != nil {
		return nil, o.opened.absent(ctx, err)
	}
	return f, nil
}

type moveOptions struct{ reason, expect string }

func (o *moveOptions) add(flags *pflag.FlagSet) {
	flags.StringVar(&o.reason, "reason", "", "why the label is moved")
	flags.StringVar(&o.expect, "expect", "", "fail unless the label is at this release, sha256:…")
}

func newTag() *cobra.Command {
	var o moveOptions
	cmd := &cobra.Command{
		Use:   "tag REF LABEL",
		Short: "Move a label to a release",
		Long: `Tag moves a label to the release of REF and records the move: who, when, from where and
why. LABEL is a label of the same store, or a reference to another store, to which the
release is copied with the same digest. Nothing is built again.

If another process moves the label at the same time, tag fails. A registry has no
conditional write, so that finds most conflicts and not all; log shows them.`,
		Example: `  prompts tag oci-layout:releases:staging production --reason "tests passed"
  prompts tag oci://ghcr.io/acme/staging:staging oci://ghcr.io/acme/production:production`,
		Args: exactly(2),
	}
	o.add(cmd.Flags())
	return inStore(cmd, 0, true, func(cmd *cobra.Command, s *opened, args []string) error {
		from, err := digestFlag("--expect", o.expect)
		if err != nil {
			return err
		}
		to := &opened{promptoci.Ref{Label: args[1]}, s.Store}
		if isReference(args[1]) {
			plainHTTP, _ := cmd.Flags().GetBool("plain-http")
			if to, err = (&storeOptions{plainHTTP}).open(args[1], true); err != nil {
				return err
			}
		}
		if err := promptoci.CheckLabel(to.Label); err != nil {
			return usageError{bare(err)}
		}
		r, err := s.pull(cmd.Context())
		if err != nil {
			return err
		}
		if err := promptoci.Push(cmd.Context(), to.Store, r); err != nil {
			return err
		}
		return to.move(cmd, promptoci.Apply, promptoci.Move{Label: to.Label, From: from, To: r.Digest, Reason: o.reason})
	})
}

func newRollback() *cobra.Command {
	var o moveOptions
	var to string
	cmd := &cobra.Command{
		Use:   "rollback REF",
		Short: "Move a label back to the release before",
		Long: `Rollback moves the label of REF to the release before its last move. A second rollback
goes further back. If another tool has moved the label, no earlier release is recorded:
give it with --to.`,
		Example: `  prompts rollback oci-layout:releases:production --reason "worse answers"`,
		Args:    exactly(1),
	}
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "release to go back to, sha256:… (default: the one before)")
	return inStore(cmd, 0, true, func(cmd *cobra.Command, s *opened, args []string) error {
		if s.Label == "" {
			return usageErrorf("reference %s has no label; write the label that is to be moved", args[0])
		}
		target, err := digestFlag("--to", to)
		if err != nil {
			return err
		}
		from, err := digestFlag("--expect", o.expect)
		if err != nil {
			return err
		}
		err = s.move(cmd, promptoci.Rollback, promptoci.Move{Label: s.Label, From: from, To: target, Reason: o.reason})
		if errors.Is(err, promptoci.ErrNoHistory) || errors.Is(err, promptoci.ErrMoved) {
			return s.absent(cmd.Context(), err)
		}
		return err
	})
}

func newLog() *cobra.Command {
	var isJSON bool
	var n int
	cmd := &cobra.Command{
		Use:   "log REF",
		Short: "List the moves of a label, or the releases of a store",
		Long: `Log lists the moves of the label in REF, the last first: when, from where, to where, by
whom and why. A move without effect lost a conflict. An unrecorded move is one of another
tool. Without a label, log lists the releases. The names are claims; the audit log of the
registry is evidence.`,
		Example: `  prompts log oci-layout:releases:production
  prompts log oci-layout:releases`,
		Args: exactly(1),
	}
	cmd.Flags().BoolVar(&isJSON, "json", false, "print one JSON object per line")
	cmd.Flags().IntVarP(&n, "number", "n", 0, "print at most this many (0: all)")
	return inStore(cmd, 0, false, func(cmd *cobra.Command, s *opened, args []string) error {
		out := cmd.OutOrStdout()
		switch {
		case n < 0:
			return usageErrorf("-n must not be negative, got %d", n)
		case s.Digest != "":
			return usageErrorf("reference %s has a digest; give a label, or none for all releases", args[0])
		case s.Label != "":
			i, err := printLog(out, promptoci.Log(cmd.Context(), s.Store, s.Label), n, isJSON, moveLine)
			if i == 0 && err == nil {
				err = s.absent(cmd.Context(), nil)
			}
			return err
		}
		all, err := promptoci.Releases(cmd.Context(), s.Store)
		if err != nil {
			return err
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
	})
}

type releaseEntry struct {
	Release  digest.Digest `json:"release"`
	Content  digest.Digest `json:"content"`
	Created  time.Time     `json:"created"`
	Author   string        `json:"author,omitempty"`
	Message  string        `json:"message,omitempty"`
	Source   string        `json:"source,omitempty"`
	Revision string        `json:"revision,omitempty"`
}

func printLog[T any](out io.Writer, all iter.Seq2[T, error], n int, isJSON bool, line func(T) string) (i int, err error) {
	var errs []error
	for entry, err := range all {
		if err != nil {
			errs = append(errs, bare(err)) // of one record
			continue
		}
		if isJSON {
			if err := writeJSON(out, entry, ""); err != nil {
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

const timeOfLine = "2006-01-02T15:04:05Z"

func moveLine(m promptoci.Move) string {
	at, from, end := m.At.Format(timeOfLine), short(m.From), ""
	if m.Kind == promptoci.KindUnrecorded {
		at = fmt.Sprintf("%*s", len(timeOfLine), "")
		if m.From == "" {
			from = "unknown"
		}
	}
	if !m.Applied {
		end = "(without effect)"
	}
	return logLine(fmt.Sprintf("%s  %-8s  %s -> %s", at, m.Kind, from, short(m.To)), m.By, m.Reason, end)
}

func releaseLine(r releaseEntry) string {
	return logLine(fmt.Sprintf("%s  %s  content %s", r.Created.Format(timeOfLine), r.Release, short(r.Content)), r.Author, r.Message)
}

func logLine(line string, texts ...string) string {
	for _, text := range texts {
		if text != "" {
			line += "  " + strings.Join(strings.Fields(text), " ")
		}
	}
	return printable(line)
}

func short(d digest.Digest) string {
	if d == "" {
		return "none"
	}
	return d.Encoded()[:12]
}
