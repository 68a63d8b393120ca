package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// project makes a repository with three modules, as small as a release can be.
func project(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "prompts")
	const path = "github.com/mcp-prompts/prompts"
	files := map[string]string{
		"go.mod":          "module " + path + "\n\ngo 1.26.0\n",
		"prompts.go":      "// Package prompts is the root.\npackage prompts\n\n// Name is exported.\nconst Name = \"prompts\"\n",
		"LICENSE":         "MIT\n",
		"CHANGELOG.md":    "# Changelog\n\n## v0.2.0\n\n- Nothing.\n\n## v0.1.1\n\n- Nothing.\n\n## v0.1.0\n\n- The first release.\n",
		"docs/api.txt":    "package \"" + path + "\"\nconst Name = \"prompts\"\n\ntype Conn interface {\n\tClose() error\n}\n",
		"promptfs/go.mod": "module " + path + "/promptfs\n\ngo 1.26.0\n\nrequire " + path + " v0.0.0\n\nreplace " + path + " => ..\n",
		"promptfs/fs.go":  "// Package promptfs needs the root.\npackage promptfs\n\nimport \"" + path + "\"\n\n// Name is that of the root.\nconst Name = prompts.Name\n",
		"cmd/prompts/go.mod": "module " + path + "/cmd/prompts\n\ngo 1.26.0\n\nrequire " + path + "/promptfs v0.0.0\n\nrequire " + path + " v0.0.0 // indirect\n\n" +
			"replace " + path + " => ../..\n\nreplace " + path + "/promptfs => ../../promptfs\n",
		"cmd/prompts/main.go": "package main\n\nimport (\n\t\"os\"\n\n\t\"" + path + "/promptfs\"\n)\n\nvar release = promptfs.Name\n\n" +
			"func main() {\n\tif len(os.Args) > 2 {\n\t\t_ = os.MkdirAll(os.Args[2], 0o755)\n\t}\n\tprintln(release)\n}\n",
		".ci/run":             "#!/bin/sh\ntrue\n",
		".ci/vulnerabilities": "#!/bin/sh\ntrue\n",
	}
	for _, script := range []string{".ci/archives", ".ci/modcache"} {
		text, err := os.ReadFile("../../../" + script)
		require.NoError(t, err)
		files[script] = string(text)
	}
	for name, text := range files {
		write(t, root, name, text)
	}
	// Each archive has the program of this system, because the standard library takes the
	// compiler 20 seconds for each of the others. The rest of the script is the real one.
	edit(t, root, ".ci/archives", "GOOS=$system GOARCH=$processor go -C cmd/prompts build", "go -C cmd/prompts build")
	git(t, root, "init", "--quiet", "--initial-branch=main")
	git(t, root, "config", "user.name", "A maintainer")
	git(t, root, "config", "user.email", "maintainer@example.com")
	commit(t, root)
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
	mode := os.FileMode(0o644)
	if strings.HasPrefix(name, ".ci/") {
		mode = 0o755
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), mode))
}

func edit(t *testing.T, root, name, old, replacement string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	require.Contains(t, string(data), old)
	write(t, root, name, strings.Replace(string(data), old, replacement, 1))
}

func git(t *testing.T, root string, args ...string) string {
	t.Helper()
	out, err := output(root, "git", args...)
	require.NoError(t, err)
	return out
}

func commit(t *testing.T, root string) {
	t.Helper()
	git(t, root, "add", "--all")
	git(t, root, "commit", "--quiet", "--message", "a change")
}

// prepare prepares a release of the repository, with the flags of the command.
func prepare(t *testing.T, root, version, dir string, flags ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	r, dir := parse(append(flags, version, dir))
	r.root, r.out = root, &out
	err := r.run(dir)
	return out.String(), err
}

// A release that must not be is refused, with the reason, before anything is written.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const path = "github.com/mcp-prompts/prompts"
	for _, c := range []struct {
		name, version string
		change        func(t *testing.T, root string)
		commit        bool
		want          string
	}{
		{"a dirty tree", "v0.1.0", func(t *testing.T, root string) { write(t, root, "new.go", "package prompts\n") }, false,
			"the repository has changes that are not committed:\n?? new.go"},
		{"an existing tag", "v0.1.0", func(t *testing.T, root string) { git(t, root, "tag", "v0.1.0") }, false, "tag v0.1.0 exists"},
		{"a tag of one module", "v0.1.0", func(t *testing.T, root string) { git(t, root, "tag", "promptfs/v0.1.0") }, false, "tag promptfs/v0.1.0 exists"},
		{"an older version", "v0.1.0", func(t *testing.T, root string) { git(t, root, "tag", "v0.3.0") }, false, "version must be after the last release, v0.3.0, got v0.1.0"},
		{"no entry", "v0.3.0", nil, false, "CHANGELOG.md has no entry for the version; write a section ## v0.3.0"},
		{"an empty entry", "v0.1.0", func(t *testing.T, root string) { edit(t, root, "CHANGELOG.md", "- The first release.\n", "") }, true, "the section ## v0.1.0 of CHANGELOG.md is empty"},
		{"a broken API in a patch", "v0.1.1", func(t *testing.T, root string) {
			git(t, root, "tag", "v0.1.0")
			edit(t, root, "docs/api.txt", "const Name", "const Title")
		}, true, `must not break the API of docs/api.txt, which lost or changed: ` + path + `: const Name = "prompts"`},
		{"a new name in a patch", "v0.1.1", func(t *testing.T, root string) {
			git(t, root, "tag", "v0.1.0")
			edit(t, root, "docs/api.txt", "const Name", "const New = 1\nconst Name")
		}, true, "must not add to the API of docs/api.txt, which has gained: " + path + ": const New = 1; release a minor version"},
		{"a new method of an interface after v1", "v1.1.0", func(t *testing.T, root string) {
			git(t, root, "tag", "v1.0.0")
			edit(t, root, "docs/api.txt", "\tClose() error\n", "\tClose() error\n\tRead() error\n")
			edit(t, root, "CHANGELOG.md", "## v0.2.0", "## v1.1.0")
		}, true, "must not break the API of docs/api.txt, which lost or changed: " + path + ": type Conn interface {: Read() error"},
		{"a failing check", "v0.1.0", func(t *testing.T, root string) { write(t, root, ".ci/run", "#!/bin/sh\nexit 1\n") }, true, ".ci/run fails: exit status 1"},
		{"no data of vulnerabilities", "v0.1.0", func(t *testing.T, root string) {
			write(t, root, ".ci/vulnerabilities", "#!/bin/sh\n[ \"$1\" != --required ]\n")
		}, true, ".ci/vulnerabilities fails: exit status 1"},
		{"a check that leaves a file", "v0.1.0", func(t *testing.T, root string) { write(t, root, ".ci/run", "#!/bin/sh\ntouch left\n") }, true, "?? left"},
		{"an unreleased dependency", "v0.1.0", func(t *testing.T, root string) {
			edit(t, root, "promptfs/go.mod", "replace ", "require example.com/other v1.0.0\n\nreplace example.com/other => ../../other\n\nreplace ")
		}, true, "promptfs/go.mod replaces example.com/other by ../../other, which a release cannot; require a released version"},
		{"a module that does not exist", "v0.1.0", func(t *testing.T, root string) {
			edit(t, root, "promptfs/go.mod", "require ", "require "+path+"/gone v0.0.0\n\nrequire ")
		}, true, "promptfs/go.mod requires " + path + "/gone v0.0.0, which is not in the repository"},
		{"an incomplete go.mod", "v0.1.0", func(t *testing.T, root string) {
			edit(t, root, "promptfs/fs.go", "\n// Name", "\nimport _ \"github.com/google/jsonschema-go/jsonschema\"\n\n// Name")
		}, true, "module " + path + "/promptfs: go mod tidy -diff: exit status 1"},
		{"no semantic version", "0.1.0", nil, false, `version must be a semantic version such as v0.1.0, got "0.1.0"`},
		{"a version of other paths", "v2.0.0", nil, false, "version v2.0.0 needs module paths that end in /v2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := project(t)
			if c.change != nil {
				c.change(t, root)
			}
			if c.commit {
				commit(t, root)
			}
			before := git(t, root, "for-each-ref")
			parent := t.TempDir()
			_, err := prepare(t, root, c.version, filepath.Join(parent, "release"))
			require.ErrorContains(t, err, c.want)
			left, err := os.ReadDir(parent)
			require.NoError(t, err)
			assert.Empty(t, left)
			assert.Equal(t, before, git(t, root, "for-each-ref"))
		})
	}
}

// The script prepares a release of its own repository, wherever it is called.
func TestFolderOfTheCaller(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../../.ci/release")
	require.NoError(t, err)
	_, err = output(t.TempDir(), script, "0.1.0", "release")
	require.ErrorContains(t, err, "version must be a semantic version")
}

func TestRefuseFolders(t *testing.T) {
	t.Parallel()
	root := project(t)
	_, err := prepare(t, root, "v0.1.0", filepath.Join(root, "release"), "--skip-checks")
	require.ErrorContains(t, err, "is in the repository; name a folder outside")
	full := t.TempDir()
	write(t, full, "a", "")
	_, err = prepare(t, root, "v0.1.0", full, "--skip-checks")
	require.ErrorContains(t, err, "is not empty; name a new folder")
	assert.FileExists(t, filepath.Join(full, "a"))
}

// A list of systems that a release cannot be made of is refused. An empty one is not all.
func TestRefuseSystems(t *testing.T) {
	t.Parallel()
	root := project(t)
	for systems, want := range map[string]string{
		"":                        `systems must be some of linux/amd64, linux/arm64, darwin/amd64, darwin/arm64, windows/amd64, windows/arm64, got ""`,
		",":                       `got ""`,
		"linux/amd64,plan9/amd64": `got "plan9/amd64"`,
		"linux/arm64":             "systems must include linux/amd64, whose program the bill of materials describes, got linux/arm64",
	} {
		_, err := prepare(t, root, "v0.1.0", filepath.Join(t.TempDir(), "release"), "--skip-checks", "--systems", systems)
		require.ErrorContains(t, err, want, "%q", systems)
	}
}

// filesIn returns the names of the files in a folder.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// platforms returns the systems of an image.
func platforms(t *testing.T, dir string) (all []string) {
	t.Helper()
	path, err := layout.FromPath(dir)
	require.NoError(t, err)
	outer, err := path.ImageIndex()
	require.NoError(t, err)
	manifest, err := outer.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 1)
	image, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	require.NoError(t, err)
	manifest, err = image.IndexManifest()
	require.NoError(t, err)
	for _, m := range manifest.Manifests {
		all = append(all, m.Platform.String())
	}
	return all
}

// Two runs give the same bytes, and a second release follows the first. Old modules build
// with the new root.
func TestReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("prepares three releases")
	}
	t.Parallel()
	root := project(t)
	first, again := filepath.Join(t.TempDir(), "release"), filepath.Join(t.TempDir(), "release")
	out, err := prepare(t, root, "v0.1.0", first, "--skip-checks")
	require.NoError(t, err)
	assert.Contains(t, out, "NOT CHECKED")
	_, err = prepare(t, root, "v0.1.0", again, "--skip-checks")
	require.NoError(t, err)
	diff, err := output(root, "diff", "--recursive", first, again)
	require.NoError(t, err, diff)

	// Without --systems, the release has the command for all of them.
	var archives []string
	for _, system := range []string{"darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "linux_amd64.tar.gz", "linux_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"} {
		archives = append(archives, "prompts_v0.1.0_"+system)
	}
	assert.Equal(t, append([]string{"SHA256SUMS", "prompts_v0.1.0.cdx.json"}, archives...), filesIn(t, filepath.Join(first, "archives")))
	assert.Equal(t, []string{"linux/amd64", "linux/arm64"}, platforms(t, filepath.Join(first, "image")))
	// Each step has a line, and each file as well, when it is there.
	for _, line := range append([]string{
		"== The commit of the release and its tags", "cmd/prompts/v0.1.0",
		"== The module proxy", "github.com/mcp-prompts/prompts/cmd/prompts@v0.1.0",
		"== Every module is complete without the working repository", "github.com/mcp-prompts/prompts/cmd/prompts",
		"== The archives of the command", "prompts_v0.1.0.cdx.json",
		"== The image and server.json", "image for linux/amd64", "image for linux/arm64", "== The notes",
		"v0.1.0 is prepared in " + first + "; nothing is published",
	}, archives...) {
		assert.Regexp(t, `(?m)^`+regexp.QuoteMeta(line)+` \(at \d+:\d\d\)$`, out)
	}

	tags := git(t, filepath.Join(first, "repository"), "tag", "--points-at", "v0.1.0")
	assert.Equal(t, "cmd/prompts/v0.1.0\npromptfs/v0.1.0\nv0.1.0\n", tags)
	assert.NotContains(t, git(t, filepath.Join(first, "repository"), "grep", "-h", "", "v0.1.0", "--", "*go.mod"), "replace")
	assert.Empty(t, git(t, root, "tag"))
	assert.Empty(t, git(t, root, "status", "--porcelain"))
	notes, err := os.ReadFile(filepath.Join(first, "notes.md"))
	require.NoError(t, err)
	assert.Contains(t, string(notes), "- The first release.")
	assert.Contains(t, string(notes), "NOT CHECKED")

	// As the workflow publishes it, and then a second release.
	git(t, root, "fetch", "--quiet", filepath.Join(first, "repository"), "refs/tags/*:refs/tags/*")
	edit(t, root, "prompts.go", "const Name", "const New = 1\n\n// Name is exported.\nconst Name")
	edit(t, root, "docs/api.txt", "const Name", "const New = 1\nconst Name")
	commit(t, root)
	second := filepath.Join(t.TempDir(), "release")
	_, err = prepare(t, root, "v0.2.0", second, "--skip-checks", "--systems", "linux/amd64")
	require.NoError(t, err)

	assert.Equal(t, []string{"SHA256SUMS", "prompts_v0.2.0.cdx.json", "prompts_v0.2.0_linux_amd64.tar.gz"}, filesIn(t, filepath.Join(second, "archives")))
	assert.Equal(t, []string{"linux/amd64"}, platforms(t, filepath.Join(second, "image")))

	user := t.TempDir()
	write(t, user, "go.mod", "module example.com/user\n\ngo 1.26.0\n")
	write(t, user, "main.go", "package main\n\nimport (\n\t\"github.com/mcp-prompts/prompts\"\n\t\"github.com/mcp-prompts/prompts/promptfs\"\n)\n\nfunc main() { println(prompts.New, promptfs.Name) }\n")
	env := []string{
		"GOFLAGS=-modcacherw", "GOMODCACHE=" + t.TempDir(), "GOTOOLCHAIN=local", "GOSUMDB=off",
		"GOPROXY=file://" + second + "/proxy,file://" + first + "/proxy", "GOBIN=" + t.TempDir(),
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := outputWith(user, env, "go", args...)
		require.NoError(t, err)
		return out
	}
	run("get", "github.com/mcp-prompts/prompts@v0.2.0", "github.com/mcp-prompts/prompts/promptfs@v0.1.0")
	run("build", "-o", os.DevNull, ".")
	assert.Contains(t, run("list", "-m", "all"), "promptfs v0.1.0")
	run("install", "github.com/mcp-prompts/prompts/cmd/prompts@v0.2.0")
}
