// Package promptoci serves releases of prompts. A release is an immutable version of a
// folder of prompts, stored as an OCI artifact in a folder or in any OCI registry. A label,
// such as staging or production, is a tag that names the release to serve. Promotion and
// rollback move a label, and nothing is built again.
//
//	store, err := promptoci.Open(promptoci.Ref{Layout: "releases"}, promptoci.ClientOptions{})
//	...
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
// application/vnd.mcp-prompts.release.v1. The config is the list of files, and the digest
// of the list is the content digest. The layer is a tar of the folder prompts in gzip. oras
// pull and crane export write the layer to a folder. Each release keeps a tag,
// release.TIME.DIGEST, so that a garbage collection keeps the release. Each move of a label
// keeps a tag, move.LABEL.TIME.DIGEST. A retention rule of a registry must keep both.
//
// # Trust
//
// Content is checked by digest from the manifest on, and the label decides on the manifest.
// So any user with the right to write tags decides on the prompts. To restrict the right,
// give the label production a repository of its own. [Options.Verify] checks a release, for
// example by a signature. A signature covers the release and not the label.
package promptoci
