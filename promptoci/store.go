package promptoci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// Store holds releases in a folder or in a repository of a registry: see [Open]. Its
// methods are those of package oras. A Store must be safe for concurrent use.
type Store interface {
	oras.Target
	registry.TagLister
}

// swapper is a [Store] with conditional writes of tags.
type swapper interface {
	// tagIf moves the tag to d if the tag is at from. An empty from means a new tag. If the
	// tag is elsewhere, tagIf changes nothing and returns ErrMoved.
	tagIf(ctx context.Context, d ocispec.Descriptor, tag string, from digest.Digest) error
}

// ErrMoved reports a label at another release than expected. [Apply] and [Rollback] return it, wrapped.
var ErrMoved = errors.New("label was moved by another process")

// labelForm is the form of a label. Tags with dots are those of releases and moves.
var labelForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// CheckLabel returns an error unless label is a valid name of a label: at most 63 lowercase
// letters, digits and hyphens. To reject a wrong label before [Push] sends a release, call
// CheckLabel first: [Apply] checks the label only after that.
func CheckLabel(label string) error {
	if !labelForm.MatchString(label) {
		return fmt.Errorf("promptoci: invalid label %s; use at most 63 lowercase letters, digits and hyphens", phrase.Quote(label))
	}
	return nil
}

// Push writes a release of [Build] or [Pull], without a label. It writes the content first, reads
// it back, and writes the tag of the release last. If the store has the release, Push writes nothing.
func Push(ctx context.Context, s Store, r *Release) error {
	if r == nil || r.layer == nil { // it may be one of Releases
		return errors.New("promptoci: push: Release is not made by Build or Pull")
	}
	if err := option.Check("promptoci: Push", struct{}{}, "store", s); err != nil {
		return err
	}
	if remote, ok := s.(*remoteStore); ok { // a layout counts its tags when it writes one
		if err := remote.Tags(withRoom(ctx), "", func([]string) error { return nil }); errors.Is(err, errTags) {
			return fmt.Errorf("promptoci: push: %w", err)
		}
	}
	if err := writeRelease(ctx, s, r, put); err != nil {
		return fmt.Errorf("promptoci: push: %w", err)
	}
	_, err := Pull(ctx, s, r.Digest.String(), Limits{})
	if isRemoved(err) || errors.Is(err, errDamaged) {
		// After a garbage collection, Distribution reports content as present that it has
		// removed, and takes the content if it is sent nevertheless.
		if err := writeRelease(ctx, s, r, send); err != nil {
			return fmt.Errorf("promptoci: push: %w", err)
		}
		_, err = Pull(ctx, s, r.Digest.String(), Limits{})
	}
	switch {
	case isRemoved(err):
		return fmt.Errorf("promptoci: push: the store does not return the release; a garbage collection may be running, so push again: %w", err)
	case err != nil:
		return fmt.Errorf("promptoci: push: %w", err)
	}
	d := descriptorOf(ocispec.MediaTypeImageManifest, r.manifest)
	if tagged, err := s.Resolve(ctx, r.tag()); err == nil && tagged.Digest == d.Digest {
		return nil // the tag may be one that cannot be written again
	}
	if err := putTagged(ctx, s, d, r.manifest, r.tag()); err != nil {
		return fmt.Errorf("promptoci: push: %w", err)
	}
	return nil
}

func writeRelease(ctx context.Context, s Store, r *Release, write func(context.Context, Store, ocispec.Descriptor, []byte) error) error {
	for _, blob := range []struct {
		mediaType string
		content   []byte
	}{{layerType, r.layer}, {configType, r.config}, {ocispec.MediaTypeImageManifest, r.manifest}} {
		if err := write(ctx, s, descriptorOf(blob.mediaType, blob.content), blob.content); err != nil {
			return err
		}
	}
	return nil
}

func put(ctx context.Context, s Store, d ocispec.Descriptor, text []byte) error {
	if ok, err := s.Exists(ctx, d); err == nil && ok {
		return nil
	}
	return send(ctx, s, d, text)
}

func send(ctx context.Context, s Store, d ocispec.Descriptor, text []byte) error {
	if err := s.Push(ctx, d, bytes.NewReader(text)); err != nil && !errors.Is(err, errdef.ErrAlreadyExists) {
		return err
	}
	return nil
}

func putTagged(ctx context.Context, s Store, d ocispec.Descriptor, text []byte, tag string) error {
	if pusher, ok := s.(registry.ReferencePusher); ok {
		return pusher.PushReference(ctx, d, bytes.NewReader(text), tag)
	}
	if err := put(ctx, s, d, text); err != nil {
		return err
	}
	return s.Tag(ctx, d, tag)
}

var releaseForm = regexp.MustCompile(`^release\.\d{8}T\d{6}Z\.[0-9a-f]{12}$`)

// Releases returns the releases of a store without their contents, the newest first. It
// leaves out a release that is damaged or removed.
func Releases(ctx context.Context, s Store) ([]*Release, error) {
	if err := option.Check("promptoci: Releases", struct{}{}, "store", s); err != nil {
		return nil, err
	}
	tags, err := tagsOf(ctx, s, releaseForm, "release.")
	if err != nil {
		return nil, err
	}
	all, _, err := manifestsOf(ctx, s, tags, func(d ocispec.Descriptor, text []byte) (*Release, error) {
		m, err := readManifest(text, Limits{}.filled())
		if err != nil {
			return nil, err
		}
		return &Release{Digest: d.Digest, Content: m.Config.Digest, Info: infoOf(m)}, nil
	})
	return all, err
}

func isNotFound(err error) bool {
	var response *errcode.ErrorResponse
	return errors.Is(err, errdef.ErrNotFound) || errors.As(err, &response) && response.StatusCode == http.StatusNotFound
}

// isRemoved reports whether a store does not return content, or only its size, as a registry
// that does not know yet what it has removed.
func isRemoved(err error) bool { return isNotFound(err) || errors.Is(err, io.ErrUnexpectedEOF) }

// eachTag calls f with each tag of a form that starts with a prefix. Other tools may use tags
// of other forms.
func eachTag(ctx context.Context, s Store, form *regexp.Regexp, prefix string, f func(tag string)) error {
	err := s.Tags(ctx, "", func(page []string) error {
		for _, tag := range page {
			if strings.HasPrefix(tag, prefix) && form.MatchString(tag) {
				f(tag)
			}
		}
		return nil
	})
	if err != nil && !isNotFound(err) { // nothing was pushed to the repository
		return fmt.Errorf("promptoci: %w", err)
	}
	return nil
}

func tagsOf(ctx context.Context, s Store, form *regexp.Regexp, prefix string) ([]string, error) {
	var tags []string
	if err := eachTag(ctx, s, form, prefix, func(tag string) { tags = append(tags, tag) }); err != nil {
		return nil, err
	}
	slices.Sort(tags)
	slices.Reverse(tags)
	return tags, nil
}

// maxManifests is the maximum size of the manifests of all releases, or of all moves of a label.
const maxManifests = 64 << 20

var errManifests = fmt.Errorf("promptoci: manifests of the releases or moves exceed the limit of %d bytes; use another repository", maxManifests)

// manifestsOf returns the results of read for the manifests of the tags, in order. It leaves
// out tags without a valid manifest, and returns their errors.
func manifestsOf[T any](ctx context.Context, s Store, tags []string, read func(d ocispec.Descriptor, text []byte) (T, error)) (results []T, unreadable []error, err error) {
	l, resolve := Limits{}.filled(), s.Resolve
	if l, ok := s.(layout); ok { // which reads its index for each tag
		if resolve, err = l.resolver(ctx); err != nil {
			return nil, nil, err
		}
	}
	var held atomic.Int64
	return inParallel(ctx, tags, func(ctx context.Context, tag string) (none T, err error) {
		d, err := resolve(ctx, tag)
		if err != nil {
			return none, fmt.Errorf("promptoci: %w", err)
		}
		if err := checkDescriptor("manifest", d, ocispec.MediaTypeImageManifest, l.MaxManifestBytes, l); err != nil {
			return none, err
		}
		if held.Add(d.Size) > maxManifests {
			return none, errManifests
		}
		text, err := fetch(ctx, s, d)
		if err != nil {
			return none, err
		}
		return read(d, text)
	})
}
