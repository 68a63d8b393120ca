package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// commit makes DIR/repository, a bare clone with the commit of the release and its tags,
// and leaves the files of that commit in the folder tree of the work folder. The working
// repository is only read.
func (r *release) commit() error {
	bare := filepath.Join(r.dir, "repository")
	// Without templates and with one thread, so that the same commit gives the same bytes.
	// The packs are not those of the working repository, which may hold more.
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--template=", "--initial-branch=main", bare},
		{"-C", bare, "-c", "pack.threads=1", "-c", "gc.auto=0", "fetch", "--quiet", "--no-write-fetch-head", r.root, "HEAD:refs/heads/main", "refs/tags/*:refs/tags/*"},
	} {
		if _, err := output(r.work, "git", args...); err != nil {
			return err
		}
	}
	tree := r.tree()
	if _, err := output(r.work, "git", "clone", "--quiet", "--no-checkout", bare, tree); err != nil {
		return err
	}
	if _, err := output(tree, "git", "-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", "origin/main"); err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(tree, "LICENSE"))
	if err != nil {
		return fmt.Errorf("a release needs a licence: %w", err)
	}
	sums := map[*goModule][]string{} // the lines of go.sum about the module
	for _, m := range r.modules {
		if err := os.WriteFile(filepath.Join(tree, m.dir, "LICENSE"), licence, 0o644); err != nil {
			return err
		}
		if err := m.write(tree, r.version); err != nil {
			return err
		}
		for _, needed := range m.needs {
			if err := addSums(filepath.Join(tree, m.dir, "go.sum"), sums[needed]); err != nil {
				return err
			}
		}
		if sums[m], err = r.sums(m); err != nil {
			return err
		}
		r.say("%s", m.tag(r.version))
	}
	return r.commitTree(bare)
}

// tree is the folder with the files of the release's commit.
func (r *release) tree() string { return filepath.Join(r.work, "tree") }

// sums returns the lines of go.sum about a module whose files are complete.
func (r *release) sums(m *goModule) ([]string, error) {
	archive := filepath.Join(r.work, "module.zip")
	f, err := os.Create(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := zip.CreateFromDir(f, module.Version{Path: m.path, Version: r.version}, filepath.Join(r.tree(), m.dir)); err != nil {
		return nil, err
	}
	sum, err := dirhash.HashZip(archive, dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	modSum, err := hashGoMod(filepath.Join(r.tree(), m.dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	return []string{m.path + " " + r.version + " " + sum, m.path + " " + r.version + "/go.mod " + modSum}, nil
}

// addSums adds lines to a go.sum, in the order of the Go command.
func addSums(name string, lines []string) error {
	data, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var versions []module.Version
	sums := map[module.Version]string{}
	for _, line := range slices.Concat(strings.Split(string(data), "\n"), lines) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		v := module.Version{Path: fields[0], Version: fields[1]}
		if _, ok := sums[v]; !ok {
			versions = append(versions, v)
		}
		sums[v] = fields[2]
	}
	module.Sort(versions)
	var text strings.Builder
	for _, v := range versions {
		fmt.Fprintln(&text, v.Path, v.Version, sums[v])
	}
	return os.WriteFile(name, []byte(text.String()), 0o644)
}

// commitTree commits the tree with the author, the committer and the dates of HEAD, tags
// every module, and puts both into the bare clone.
func (r *release) commitTree(bare string) error {
	tree := r.tree()
	var env []string
	for name, format := range map[string]string{
		"GIT_AUTHOR_NAME": "%an", "GIT_AUTHOR_EMAIL": "%ae", "GIT_AUTHOR_DATE": "%aI",
		"GIT_COMMITTER_NAME": "%cn", "GIT_COMMITTER_EMAIL": "%ce", "GIT_COMMITTER_DATE": "%cI",
	} {
		value, err := output(tree, "git", "log", "-1", "--format="+format)
		if err != nil {
			return err
		}
		env = append(env, name+"="+strings.TrimSpace(value))
	}
	if _, err := output(tree, "git", "add", "--all", "--force"); err != nil {
		return err
	}
	message := "all: release " + r.version + "\n\nEvery module requires the others at this version."
	if _, err := outputWith(tree, env, "git", "-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--message", message); err != nil {
		return err
	}
	refs := []string{"-c", "pack.threads=1", "-c", "gc.auto=0", "fetch", "--quiet", "--no-write-fetch-head", "--no-tags", tree}
	for _, m := range r.modules {
		refs = append(refs, "HEAD:refs/tags/"+m.tag(r.version))
	}
	_, err := output(bare, "git", refs...)
	return err
}
