package promptoci

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"

	"github.com/mcp-prompts/prompts/internal/option"
)

// This file moves labels. Each move is recorded under a tag of its own before the label is
// moved, so that no record is lost, however many move labels at the same time.

const moveType = "application/vnd.mcp-prompts.move.v1"

// The kinds of a [Move].
const (
	KindMove     = "move"
	KindRollback = "rollback"
	// KindUnrecorded is a move by another tool, which left no record: see [Log].
	KindUnrecorded = "unrecorded"
)

// Move is the record of a move of a label from one release to another. [Apply] and [Rollback]
// read Label, From, To, By and Reason, and set the other fields.
type Move struct {
	Label string `json:"label"`
	// From is empty for the first move of a label. If Apply or Rollback gets a From, the label
	// must be there.
	From digest.Digest `json:"from,omitempty"`
	// To is empty if another tool has removed the label.
	To digest.Digest `json:"to,omitempty"`
	// By is the user. By is a claim; the audit log of a registry is evidence. By and Reason have
	// at most 4 KiB each.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Kind is KindMove, KindRollback or KindUnrecorded.
	Kind string `json:"kind"`
	// At is zero for KindUnrecorded.
	At time.Time `json:"at,omitzero"`
	// Applied reports that the label was moved, for [Log]. Applied is false if another move won
	// at the same time, or if the process ended before the move.
	Applied bool `json:"applied"`
}

const annotation = "io.github.mcp-prompts."

// maxText is the maximum length of the By and the Reason of a Move in bytes.
const maxText = 4 << 10

// Apply moves a label to the release m.To, and returns the recorded move. Apply first reads the
// whole release, so that a label never leads to removed content, and writes the record. Apply
// returns [ErrMoved] if the label is not at m.From, or if another process has moved the label
// at the same time, which only a folder always notices. If the label is at m.To, Apply does nothing. Releases are never removed, so
// a label can be moved back: see [Rollback].
func Apply(ctx context.Context, s Store, m Move) (Move, error) {
	m.Kind = KindMove
	return apply(ctx, "Apply", s, m)
}

func apply(ctx context.Context, caller string, s Store, m Move) (Move, error) {
	m.At, m.Applied = time.Time{}, false
	if err := option.Check("promptoci: "+caller, struct{}{}, "store", s); err != nil {
		return m, err
	}
	if err := CheckLabel(m.Label); err != nil {
		return m, err
	}
	for name, text := range map[string]string{"By": m.By, "Reason": m.Reason} {
		if len(text) > maxText || !utf8.ValidString(text) {
			return m, fmt.Errorf("promptoci: Move.%s must be UTF-8 of at most %d bytes", name, maxText)
		}
	}
	r, err := Pull(ctx, s, m.To.String(), Limits{}) // all of it can be served
	switch {
	case isRemoved(err):
		return m, fmt.Errorf("promptoci: the store does not return release %s, which may have been removed; push its files again, or choose another release: %w", m.To, err)
	case err != nil:
		return m, fmt.Errorf("promptoci: release %s: %w", m.To, err)
	}
	now, err := current(ctx, s, m.Label)
	if err != nil {
		return m, err
	}
	if err := m.checkFrom(now); err != nil {
		return m, err
	}
	if m.From = now; now == m.To {
		return m, nil
	}
	if m.At, err = nextTime(ctx, s, m.Label); err != nil {
		return m, err
	}
	if err := record(ctx, s, m); err != nil {
		return m, err
	}
	target := descriptorOf(ocispec.MediaTypeImageManifest, r.manifest)
	if swapper, ok := s.(swapper); ok {
		err = swapper.tagIf(ctx, target, m.Label, m.From)
	} else {
		err = putTagged(ctx, s, target, r.manifest, m.Label)
	}
	if err != nil {
		return m, fmt.Errorf("promptoci: move %s: %w", m.Label, err)
	}
	// A registry has no conditional write. So this finds only some of the conflicts.
	if now, err = current(ctx, s, m.Label); err != nil {
		return m, fmt.Errorf("%w (%s was moved to %s, but the move cannot be checked)", err, m.Label, m.To)
	}
	if now != m.To {
		return m, fmt.Errorf("promptoci: %w: %s was moved to %s at the same time", ErrMoved, m.Label, cmp.Or(now, "no release"))
	}
	m.Applied = true
	return m, nil
}

// checkFrom returns an error if the label is not where the move begins.
func (m Move) checkFrom(now digest.Digest) error {
	if m.From != "" && now != m.From {
		return fmt.Errorf("promptoci: %w: %s is at %s, expected %s", ErrMoved, m.Label, cmp.Or(now, "no release"), m.From)
	}
	return nil
}

// nextTime returns the time of the next move: after all others, so that the records are in
// order although the clocks of two machines differ.
func nextTime(ctx context.Context, s Store, label string) (time.Time, error) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	newest := ""
	if err := eachTag(withRoom(ctx), s, moveForm, movesOf(label), func(tag string) { newest = max(newest, tag) }); err != nil || newest == "" {
		return now, err
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(newest, movesOf(label)), ".")
	seconds, micros, _ := strings.Cut(text, "Z")
	last, err := time.Parse(timeForm, seconds)
	n, numberErr := strconv.Atoi(micros)
	if err != nil || numberErr != nil { // a tag of another tool
		return now, nil
	}
	if last = last.Add(time.Duration(n+1) * time.Microsecond); last.After(now) {
		return last, nil
	}
	return now, nil
}

// timeForm is the time in a tag. The microseconds follow after a Z.
const timeForm = "20060102T150405"

func current(ctx context.Context, s Store, label string) (digest.Digest, error) {
	d, err := s.Resolve(ctx, label)
	switch {
	case isNotFound(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("promptoci: label %s: %w", label, err)
	}
	return d.Digest, nil
}

// record writes the record of a move under a tag of its own.
func record(ctx context.Context, s Store, m Move) error {
	annotations := map[string]string{annotation + "id": rand.Text()}
	for key, value := range map[string]string{
		"label": m.Label, "from": m.From.String(), "to": m.To.String(), "by": m.By, "reason": m.Reason, "kind": m.Kind, "at": m.At.Format(time.RFC3339Nano),
	} {
		if value != "" {
			annotations[annotation+key] = value
		}
	}
	empty := ocispec.DescriptorEmptyJSON
	text, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: moveType,
		Config:      ocispec.Descriptor{MediaType: empty.MediaType, Digest: empty.Digest, Size: empty.Size},
		Layers:      []ocispec.Descriptor{{MediaType: empty.MediaType, Digest: empty.Digest, Size: empty.Size}},
		Annotations: annotations,
	})
	if err != nil {
		return fmt.Errorf("promptoci: %w", err)
	}
	d := descriptorOf(ocispec.MediaTypeImageManifest, text)
	tag := fmt.Sprintf("%s%sZ%06d.%s", movesOf(m.Label), m.At.Format(timeForm), m.At.Nanosecond()/1000, d.Digest.Encoded()[:12])
	err = put(ctx, s, empty, []byte("{}"))
	if err == nil {
		err = putTagged(ctx, s, d, text, tag)
	}
	if err != nil {
		return fmt.Errorf("promptoci: record of a move: %w", err)
	}
	return nil
}

func movesOf(label string) string { return "move." + label + "." }

var moveForm = regexp.MustCompile(`^move\.[a-z0-9-]+\.\d{8}T\d{6}Z\d{6}\.[0-9a-f]{12}$`)

func readMove(text []byte, label string) (Move, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil || m.ArtifactType != moveType {
		return Move{}, invalid("not the record of a move")
	}
	a := func(key string) string { return m.Annotations[annotation+key] }
	at, err := time.Parse(time.RFC3339Nano, a("at"))
	move := Move{Label: a("label"), From: digest.Digest(a("from")), To: digest.Digest(a("to")), By: a("by"), Reason: a("reason"), Kind: a("kind"), At: at}
	if err != nil || move.Label != label || move.To.Validate() != nil || move.From != "" && move.From.Validate() != nil {
		return Move{}, invalid("record of a move has no time, no release or another label")
	}
	return move, nil
}

// Log returns the moves of a label, the last first. A move by another tool has no record. Log
// infers such a move from the records before and after, or from the place of the label, and
// returns it with [KindUnrecorded]. A record that is damaged or removed is an error, and the
// other moves follow.
func Log(ctx context.Context, s Store, label string) iter.Seq2[Move, error] {
	return func(yield func(Move, error) bool) {
		h, err := historyOf(ctx, "Log", s, label)
		if err != nil {
			yield(Move{}, err)
			return
		}
		for _, err := range h.unreadable {
			if !yield(Move{}, err) {
				return
			}
		}
		for _, m := range h.moves {
			if !yield(m, nil) {
				return
			}
		}
	}
}

type history struct {
	now        digest.Digest // the release of the label
	moves      []Move        // the last first
	unreadable []error       // of the records that are missing in moves
}

func historyOf(ctx context.Context, caller string, s Store, label string) (*history, error) {
	if err := option.Check("promptoci: "+caller, struct{}{}, "store", s); err != nil {
		return nil, err
	}
	if err := CheckLabel(label); err != nil {
		return nil, err
	}
	now, err := current(ctx, s, label)
	if err != nil {
		return nil, err
	}
	tags, err := tagsOf(ctx, s, moveForm, movesOf(label))
	if err != nil {
		return nil, err
	}
	records, unreadable, err := manifestsOf(ctx, s, tags, func(_ ocispec.Descriptor, text []byte) (Move, error) { return readMove(text, label) })
	if err != nil {
		return nil, err
	}
	return &history{now, linked(records, label, now), unreadable}, nil
}

// linked returns the records with Applied, and with the moves that have no record. Each
// applied move leads to where the next one began.
func linked(records []Move, label string, now digest.Digest) []Move {
	var moves []Move
	unrecorded := func(from, to digest.Digest) {
		moves = append(moves, Move{Label: label, From: from, To: to, Kind: KindUnrecorded, Applied: true})
	}
	earlier := map[digest.Digest]int{} // the number of the records by To
	for _, m := range records {
		earlier[m.To]++
	}
	at := now
	for _, m := range records {
		earlier[m.To]--
		switch {
		case m.To == at:
			m.Applied = true
		case m.From == at || earlier[at] > 0: // the label stayed where it was
		default:
			unrecorded(m.To, at)
			m.Applied = true
		}
		moves = append(moves, m)
		if m.Applied {
			at = m.From
		}
	}
	if at != "" {
		unrecorded("", at)
	}
	return moves
}

// ErrNoHistory reports that no earlier release of a label is recorded.
var ErrNoHistory = errors.New("no earlier release is recorded")

// Rollback is [Apply] for a move back, to m.To or, without m.To, to the release before the last
// move of the label. A second Rollback goes further back. Without m.To, Rollback returns
// [ErrNoHistory] if the release before is unknown, or if another tool has moved the label.
func Rollback(ctx context.Context, s Store, m Move) (Move, error) {
	m.Kind = KindRollback
	if m.To != "" {
		return apply(ctx, "Rollback", s, m)
	}
	h, err := historyOf(ctx, "Rollback", s, m.Label)
	if err == nil {
		err = m.checkFrom(h.now)
	}
	if err != nil {
		return m, err
	}
	var stack []Move // of moves that were not undone
	for _, before := range slices.Backward(h.moves) {
		switch {
		case !before.Applied:
		case before.Kind == KindUnrecorded:
			stack = nil
		case before.Kind == KindRollback:
			for len(stack) > 0 && stack[len(stack)-1].To != before.To {
				stack = stack[:len(stack)-1]
			}
		default:
			stack = append(stack, before)
		}
	}
	if len(stack) == 0 {
		return m, fmt.Errorf("promptoci: %w: %s is at %s, and no record says which release was before; name the release to go back to", ErrNoHistory, m.Label, cmp.Or(h.now, "no release"))
	}
	m.From, m.To = h.now, stack[len(stack)-1].From
	if m.To == "" {
		return m, fmt.Errorf("promptoci: %w: %s is at its first release", ErrNoHistory, m.Label)
	}
	return apply(ctx, "Rollback", s, m)
}

// inParallel returns the results of f for all values, in order. It leaves out values for
// which f finds no valid content, and returns their errors.
func inParallel[A, B any](ctx context.Context, values []A, f func(context.Context, A) (B, error)) (results []B, unreadable []error, err error) {
	all, errs := make([]B, len(values)), make([]error, len(values))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i, v := range values {
		group.Go(func() error {
			var err error
			if all[i], err = f(ctx, v); err == nil {
				return nil
			}
			err = fmt.Errorf("tag %v: %w", v, err)
			if errors.Is(err, ErrInvalid) || isNotFound(err) {
				errs[i] = err
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for i, err := range errs {
		if err != nil {
			unreadable = append(unreadable, err)
			continue
		}
		results = append(results, all[i])
	}
	return results, unreadable, nil
}
