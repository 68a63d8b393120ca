package prompts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file has the version of what is served: the digest of a prompt, and a release. The
// registry holds releases, and encode.go adds both to results.

// Release identifies the version of a set of prompts, such as the files of a folder.
// Package promptfs and modules promptnats and promptoci set it: see [Tx.SetRelease]. Clients
// read it in the _meta of responses. It may get fields: write literals with keys.
type Release struct {
	// ID identifies the version: a digest, or the revision of a bucket. At most 256 bytes.
	ID string
	// Label is the name by which the release was chosen, such as production. It may be
	// empty. At most 256 bytes.
	Label string
	// Source is the start of the Source of the prompts of the release. Empty means all prompts.
	Source string
}

// maxReleaseBytes is the maximum size of the ID and of the Label of a Release.
const maxReleaseBytes = 256

const (
	digestKey  = "io.github.mcp-prompts/digest"
	releaseKey = "io.github.mcp-prompts/release"
	labelKey   = "io.github.mcp-prompts/label"
)

type release struct {
	Release
	members []byte // of _meta, encoded
}

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

func (r *release) public() Release {
	if r == nil {
		return Release{}
	}
	return r.Release
}

type served struct {
	digest  string
	release *release
}

const digestLength = len("sha256:") + 64

func checkDigest(digest string) error {
	hex, ok := strings.CutPrefix(digest, "sha256:")
	if !ok || len(digest) != digestLength || strings.Trim(hex, "0123456789abcdef") != "" {
		//lint:ignore ST1005 it begins with the name of a field
		return errors.New("Digest must be sha256: and 64 lowercase hexadecimal digits")
	}
	return nil
}
