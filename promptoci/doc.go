// Package promptoci serves releases of prompts. A release is an immutable version of a
// folder of prompts, stored as an OCI artifact in a folder or in any OCI registry. A label,
// such as staging or production, is a tag that names the release to serve. Promotion and
// rollback move a label, and nothing is built again.
//
//	store := promptoci.NewLayout("releases")
//	files, err := promptfs.Files(os.DirFS("prompts"), promptfs.Options{})
//	...
//	release, err := promptoci.Build(files, promptoci.Info{Message: "shorter answers", Created: time.Now()})
//	...
//	err = promptoci.Push(ctx, store, release)
//	...
//	_, err = promptoci.Apply(ctx, store, promptoci.Move{Label: "production", To: release.Digest, By: "ada"})
//	...
//	follower, err := promptoci.Follow(ctx, reg, store, "production", promptoci.Options{})
//
// # Format
//
// The manifest is an OCI image manifest with the artifactType
// application/vnd.mcp-prompts.release.v1. Its config is the list of files, whose digest is
// the content digest. Its layer is a tar of the folder prompts in gzip, which oras pull and
// crane export write to a folder. Each release has a tag of its own, release.TIME.DIGEST,
// which is never moved, so that a garbage collection keeps the release. Each move of a label
// has one, move.LABEL.TIME.DIGEST. A retention rule of a registry must keep both.
//
// # Trust
//
// Content is checked by its digest from the manifest on, and a label decides which manifest
// that is. So whoever can write tags decides what is served. To allow that to few, give the
// label production a repository of its own. [Options.Verify] checks a release, for example
// its signature, which covers the release and not the label.
package promptoci
