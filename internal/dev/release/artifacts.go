package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The names under which the command is known to registries.
const (
	serverName = "io.github.mcp-prompts/prompts" // in the registry of the protocol
	imageName  = "ghcr.io/mcp-prompts/prompts"
	source     = "https://github.com/mcp-prompts/prompts"
)

const (
	sbomTool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
	// The registry's own schemas are in its module.
	registryModule = "github.com/modelcontextprotocol/registry@v1.8.8"
	schemaVersion  = "2025-12-11"
)

// archives builds the command for each system from the release's commit, with a list of
// what it is made of.
func (r *release) archives() error {
	env, err := r.goEnv()
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, "archives")
	args := append([]string{dir, r.version}, r.systems...)
	if err := r.show(r.tree(), env, filepath.Join(r.tree(), ".ci/archives"), args...); err != nil {
		return err
	}
	// Of one program, since all are made of the same modules.
	program, err := r.program("amd64")
	if err != nil {
		return err
	}
	file := filepath.Join(r.work, "prompts")
	if err := os.WriteFile(file, program, 0o755); err != nil {
		return err
	}
	bom := filepath.Join(dir, "prompts_"+r.version+".cdx.json")
	// The tool is no part of the release, so it comes from the user's cache of modules.
	if _, err := outputWith(r.work, []string{"GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOWORK=off"}, "go", "run", sbomTool,
		"bin", "-json", "-licenses", "-noserial", "-version", r.version, "-output", bom, "-output-version", "1.6", file); err != nil {
		return err
	}
	r.say("%s", filepath.Base(bom))
	return r.makeReproducible(bom)
}

// program returns the command for Linux from its archive.
func (r *release) program(processor string) ([]byte, error) {
	name := fmt.Sprintf("prompts_%s_linux_%s", r.version, processor)
	text, err := output(r.dir, "tar", "-xzOf", filepath.Join(r.dir, "archives", name+".tar.gz"), name+"/prompts")
	return []byte(text), err
}

// makeReproducible sets the time in a bill of materials to that of the commit, and removes
// the checksums of the tool, which was built in a temporary folder.
func (r *release) makeReproducible(bom string) error {
	data, err := os.ReadFile(bom)
	if err != nil {
		return err
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		return err
	}
	at, err := r.time()
	if err != nil {
		return err
	}
	metadata, _ := doc["metadata"].(map[string]any)
	if metadata == nil {
		return fmt.Errorf("%s has no metadata", bom)
	}
	metadata["timestamp"] = at.UTC().Format(time.RFC3339)
	tools, _ := metadata["tools"].([]any)
	for _, tool := range tools {
		if tool, ok := tool.(map[string]any); ok {
			delete(tool, "hashes")
		}
	}
	if data, err = json.MarshalIndent(doc, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(bom, append(data, '\n'), 0o644)
}

// time returns the date of the commit.
func (r *release) time() (time.Time, error) {
	text, err := output(r.root, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(text))
}

// image makes DIR/image, the layout of an image for each processor of Linux, and
// DIR/server.json, which describes the image to the registry of the protocol.
func (r *release) image() error {
	at, err := r.time()
	if err != nil {
		return err
	}
	revision, err := output(r.tree(), "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	index := v1.ImageIndex(mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	for _, system := range r.systems {
		processor, isLinux := strings.CutPrefix(system, "linux/")
		if !isLinux {
			continue
		}
		image, err := r.imageFor(processor, at, strings.TrimSpace(revision))
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: processor}},
		})
		r.say("image for %s", system)
	}
	path, err := layout.Write(filepath.Join(r.dir, "image"), empty.Index)
	if err != nil {
		return err
	}
	annotations := map[string]string{"org.opencontainers.image.ref.name": r.version, "io.modelcontextprotocol.server.name": serverName}
	if err := path.AppendIndex(index, layout.WithAnnotations(annotations)); err != nil {
		return err
	}
	written, err := path.ImageIndex()
	if err != nil {
		return err
	}
	if err := validate.Index(written); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return r.serverJSON()
}

// imageFor returns an image with nothing but the command and the certificates of public
// authorities, for registries over https. The command runs as a user without rights and
// writes to no file.
func (r *release) imageFor(processor string, at time.Time, revision string) (v1.Image, error) {
	program, err := r.program(processor)
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(r.tree(), "LICENSE"))
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	for _, f := range []struct {
		name string
		mode int64
		data []byte
	}{
		{"LICENSE", 0o444, licence},
		{"etc/", 0o755, nil}, {"etc/ssl/", 0o755, nil}, {"etc/ssl/certs/", 0o755, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o444, authorities()},
		{"prompts", 0o555, program},
	} {
		header := tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: "release", Created: v1.Time{Time: at.UTC()}}}); err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", processor, v1.Time{Time: at.UTC()}
	config.Config = v1.Config{
		User: "65532:65532", Entrypoint: []string{"/prompts"}, Cmd: []string{"help"}, WorkingDir: "/",
		Labels: map[string]string{
			"io.modelcontextprotocol.server.name": serverName,
			"org.opencontainers.image.title":      "prompts",
			"org.opencontainers.image.licenses":   "MIT",
			"org.opencontainers.image.source":     source,
			"org.opencontainers.image.revision":   revision,
			"org.opencontainers.image.version":    r.version,
		},
	}
	return mutate.ConfigFile(image, config)
}

// authorities returns the certificates of the authorities that browsers trust, in the form
// of a system's file. A file cannot say that an authority is trusted for older certificates
// only, so such authorities are left out.
func authorities() []byte {
	var file bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			file.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return file.Bytes()
}

// serverJSON writes DIR/server.json, which the registry's own schema must accept.
func (r *release) serverJSON() error {
	type object map[string]any
	data, err := json.MarshalIndent(object{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/" + schemaVersion + "/server.schema.json",
		"name":        serverName,
		"title":       "Prompts",
		"description": "Serves a folder of Markdown files as prompts, with arguments, completion and hot reload.",
		"version":     strings.TrimPrefix(r.version, "v"),
		"repository":  object{"url": source, "source": "github"},
		"packages": []object{{
			"registryType": "oci",
			"identifier":   imageName + ":" + r.version,
			"runtimeHint":  "docker",
			"transport":    object{"type": "stdio"},
			"runtimeArguments": []object{
				{"type": "named", "name": "--read-only"},
				{"type": "named", "name": "--mount", "value": "type=bind,source={folder},target=/folder,readonly", "variables": object{
					"folder": object{"description": "Folder of prompt files", "format": "filepath", "isRequired": true},
				}},
			},
			"packageArguments": []object{
				{"type": "positional", "value": "serve"},
				{"type": "positional", "value": "/folder"},
			},
		}},
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := checkServerJSON(r.work, data); err != nil {
		return fmt.Errorf("server.json: %w", err)
	}
	return os.WriteFile(filepath.Join(r.dir, "server.json"), append(data, '\n'), 0o644)
}

// checkServerJSON validates a server.json with the schema of the registry.
func checkServerJSON(dir string, data []byte) error {
	out, err := output(dir, "go", "mod", "download", "-json", registryModule)
	if err != nil {
		return err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(downloaded.Dir, "internal/validators/schemas", schemaVersion+".json"))
	if err != nil {
		return err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return err
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}

// notes writes DIR/notes.md.
func (r *release) notes() error {
	sums, err := os.ReadFile(filepath.Join(r.dir, "archives/SHA256SUMS"))
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n", r.version)
	if r.skipChecks {
		fmt.Fprintf(&text, "%s\n\n", notChecked)
	}
	fmt.Fprintf(&text, "%s\n\n## Install\n\n```sh\ngo get %s@%s\ngo install %[2]s/cmd/prompts@%[3]s\n```\n\n## Modules\n\n", r.entry, r.path, r.version)
	for _, m := range r.modules {
		fmt.Fprintf(&text, "- `%s`\n", m.path)
	}
	fmt.Fprintf(&text, "\n## Checksums\n\n```\n%s```\n", sums)
	return os.WriteFile(filepath.Join(r.dir, "notes.md"), []byte(text.String()), 0o644)
}
