package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/promptoci"
)

// This file has tag, rollback and log.

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
