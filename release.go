package prompts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file has the version of what is served: the digest of a prompt, and the release
// that a registry holds.

// Release identifies the version of a set of prompts, such as the files of a folder.
// Package promptfs and modules promptnats and promptoci set it: see [Tx.SetRelease].
type Release struct {
	// ID identifies the version: a digest, or the revision of a bucket. At most 256
	// bytes.
	ID string
	// Label is the name by which the release was chosen, such as production. It may be
	// empty. At most 256 bytes.
	Label string
	// Source is the start of the Source of the prompts of the release. Empty means all
	// prompts.
	Source string
}

// maxReleaseBytes is the maximum size of the ID and of the Label of a Release.
const maxReleaseBytes = 256

// The members of _meta with the version of what is served.
const (
	digestKey  = "io.github.mcp-prompts/digest"
	releaseKey = "io.github.mcp-prompts/release"
	labelKey   = "io.github.mcp-prompts/label"
)

// SetRelease sets the release of the prompts whose Source starts with r.Source. It
// replaces the release with the same Source. A Release without an ID removes that. The
// release takes effect together with the other changes of the Tx, so each request sees
// the release of the prompts that it sees.
//
// The result of prompts/get names the release of its prompt, in its _meta. If the
// registry has a single release, the result of prompts/list names that. The release
// alone is no change of the list: subscribers get no signal. SetRelease returns an error
// if the ID or the Label is not valid UTF-8 or too long.
func (tx *Tx) SetRelease(r Release) error {
	_ = tx.editor() // panics if the Tx has ended
	served, err := newRelease(r)
	if err != nil {
		return err
	}
	isOther := func(other *release) bool { return other.Source == r.Source }
	at := slices.IndexFunc(tx.releases, isOther)
	if at >= 0 && tx.releases[at].Release == r || at < 0 && r.ID == "" {
		return nil
	}
	next := slices.DeleteFunc(slices.Clone(tx.releases), isOther)
	if r.ID != "" {
		next = append(next, served)
	}
	tx.releases, tx.released = next, true
	return nil
}

// Releases returns the releases of the registry: see [Tx.SetRelease].
func (r *Registry) Releases() []Release {
	var all []Release
	for _, served := range r.snapshot().releases {
		all = append(all, served.Release)
	}
	return all
}

// release is a Release that is served.
type release struct {
	Release
	members []byte // of _meta, encoded
}

// newRelease encodes a release.
func newRelease(r Release) (*release, error) {
	var errs []error
	encoded := []byte(nil)
	member := func(field, key, value string) {
		if value == "" {
			return
		}
		if len(value) > maxReleaseBytes {
			errs = append(errs, fmt.Errorf("prompts: Release.%s has %d bytes (limit %d)", field, len(value), maxReleaseBytes))
			return
		}
		if encoded != nil {
			encoded = append(encoded, ',')
		}
		encoded = append(append(append(encoded, '"'), key...), `":`...)
		var ok bool
		if encoded, ok = strictjson.AppendValidString(encoded, value); !ok {
			errs = append(errs, fmt.Errorf("prompts: Release.%s is not valid UTF-8", field))
		}
	}
	member("ID", releaseKey, r.ID)
	member("Label", labelKey, r.Label)
	return &release{Release: r, members: encoded}, errors.Join(errs...)
}

// public returns the release; the zero Release without any.
func (r *release) public() Release {
	if r == nil {
		return Release{}
	}
	return r.Release
}

// releaseOf returns the release that the prompt is of, or nil. The longest Source wins.
func (s *snapshot) releaseOf(p *Prompt) *release {
	var found *release
	for _, r := range s.releases {
		if strings.HasPrefix(p.Source, r.Source) && (found == nil || len(r.Source) > len(found.Source)) {
			found = r
		}
	}
	return found
}

// releaseOfList returns the release that lists name, or nil.
func (s *snapshot) releaseOfList() *release {
	if len(s.releases) != 1 {
		return nil
	}
	return s.releases[0]
}

// served is the version of a result: the digest of its prompt, and its release.
type served struct {
	digest  string
	release *release
}

// appendServed appends members of a result's _meta. A member that the application has set
// is left to the application, which may pass on the result of another server.
func (e *encoder) appendServed(v served, m Meta) {
	if v.digest != "" && !has(m, digestKey) {
		e.key(digestKey)
		e.raw(`"`)
		e.raw(v.digest)
		e.raw(`"`)
	}
	if v.release != nil && len(v.release.members) > 0 && !has(m, releaseKey) && !has(m, labelKey) {
		if e.buf[len(e.buf)-1] != '{' {
			e.raw(",")
		}
		e.buf = append(e.buf, v.release.members...)
	}
}

func has(m Meta, key string) bool {
	_, ok := m[key]
	return ok
}

// digestLength is the length of a valid Prompt.Digest.
const digestLength = len("sha256:") + 64

// checkDigest returns an error for an invalid Prompt.Digest.
func checkDigest(digest string) error {
	hex, ok := strings.CutPrefix(digest, "sha256:")
	if !ok || len(digest) != digestLength || strings.Trim(hex, "0123456789abcdef") != "" {
		//lint:ignore ST1005 it begins with the name of a field
		return errors.New("Digest must be sha256: and 64 lowercase hexadecimal digits")
	}
	return nil
}
