package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// refuse returns an error for whatever a release must not be. It reads the working
// repository only.
func (r *release) refuse(dir string) error {
	if semver.Canonical(r.version) != r.version {
		return fmt.Errorf("version must be a semantic version such as v0.1.0, got %q", r.version)
	}
	if semver.Major(r.version) != "v0" && semver.Major(r.version) != "v1" {
		return fmt.Errorf("version %s needs module paths that end in /%s; rename the modules first", r.version, semver.Major(r.version))
	}
	for _, system := range r.systems {
		if !slices.Contains(allSystems, system) {
			return fmt.Errorf("systems must be some of %s, got %q", strings.Join(allSystems, ", "), system)
		}
	}
	if !slices.Contains(r.systems, allSystems[0]) {
		return fmt.Errorf("systems must include %s, whose program the bill of materials describes, got %s", allSystems[0], strings.Join(r.systems, ", "))
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; name a new folder", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if inside, err := filepath.Rel(r.root, dir); err == nil && filepath.IsLocal(inside) {
		return fmt.Errorf("%s is in the repository; name a folder outside", dir)
	}
	for _, check := range []func() error{r.refuseDirty, r.refuseTag, r.refuseChangelog, r.refuseAPI} {
		if err := check(); err != nil {
			return err
		}
	}
	if r.skipChecks {
		fmt.Fprintln(r.out, notChecked)
		return nil
	}
	r.say("== .ci/run")
	if err := r.script(r.root, ".ci/run"); err != nil {
		return err
	}
	for _, m := range r.modules {
		r.say("== Known vulnerabilities of %s", m.path)
		if err := r.script(filepath.Join(r.root, m.dir), ".ci/vulnerabilities", "--required"); err != nil {
			return err
		}
	}
	return r.refuseDirty() // what the checks left
}

// script runs a script of the repository in a folder, and shows what it prints.
func (r *release) script(dir, name string, args ...string) error {
	cmd := exec.Command(filepath.Join(r.root, name), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, r.out, r.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s fails: %w", name, err)
	}
	return nil
}

func (r *release) refuseDirty() error {
	status, err := output(r.root, "git", "status", "--porcelain")
	if err == nil && status != "" {
		err = fmt.Errorf("the repository has changes that are not committed:\n%s", strings.TrimRight(status, "\n"))
	}
	return err
}

// refuseTag also finds the modules and the last release.
func (r *release) refuseTag() error {
	var err error
	if r.modules, err = readModules(r.root); err != nil {
		return err
	}
	r.path = r.modules[slices.IndexFunc(r.modules, func(m *goModule) bool { return m.dir == "." })].path
	tags, err := output(r.root, "git", "tag")
	if err != nil {
		return err
	}
	known := strings.Fields(tags)
	for _, m := range r.modules {
		if tag := m.tag(r.version); slices.Contains(known, tag) {
			return fmt.Errorf("tag %s exists; choose the next version", tag)
		}
	}
	merged, err := output(r.root, "git", "tag", "--merged", "HEAD")
	if err != nil {
		return err
	}
	for _, tag := range strings.Fields(merged) {
		if semver.IsValid(tag) && (r.last == "" || semver.Compare(tag, r.last) > 0) {
			r.last = tag
		}
	}
	if r.last != "" && semver.Compare(r.version, r.last) < 0 {
		return fmt.Errorf("version must be after the last release, %s, got %s", r.last, r.version)
	}
	return nil
}

// refuseChangelog also reads the entry of the version.
func (r *release) refuseChangelog() error {
	data, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	heading := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(r.version) + `( .*)?\n`).FindIndex(data)
	if heading == nil {
		return fmt.Errorf("CHANGELOG.md has no entry for the version; write a section ## %s", r.version)
	}
	entry, _, _ := bytes.Cut(data[heading[1]:], []byte("\n## "))
	if r.entry = strings.TrimSpace(string(entry)); r.entry == "" {
		return fmt.Errorf("the section ## %s of CHANGELOG.md is empty; write what changed, who is affected, and what to do", r.version)
	}
	return nil
}

// refuseAPI compares docs/api.txt with that of the last release.
func (r *release) refuseAPI() error {
	if r.last == "" {
		return nil
	}
	before, err := output(r.root, "git", "show", r.last+":docs/api.txt")
	if err != nil {
		return err
	}
	after, err := os.ReadFile(filepath.Join(r.root, "docs/api.txt"))
	if err != nil {
		return err
	}
	broken, added := compareAPI(before, string(after))
	isPatch := semver.MajorMinor(r.version) == semver.MajorMinor(r.last)
	isStable := semver.Major(r.last) == "v1" && semver.Major(r.version) == "v1"
	switch {
	case broken != "" && (isPatch || isStable):
		return fmt.Errorf("version %s after %s must not break the API of docs/api.txt, which lost or changed: %s", r.version, r.last, broken)
	case added != "" && isPatch:
		return fmt.Errorf("version %s after %s must not add to the API of docs/api.txt, which has gained: %s; release a minor version", r.version, r.last, added)
	}
	return nil
}

// compareAPI returns the first line of the API that a user's code may need and that is
// gone, and the first that is new; "" without one. A new method of an interface breaks
// those who implement the interface.
func compareAPI(before, after string) (broken, added string) {
	old, now := declarations(before), declarations(after)
	for _, line := range slices.Sorted(maps.Keys(old)) {
		if !now[line] && broken == "" {
			broken = line
		}
	}
	for _, line := range slices.Sorted(maps.Keys(now)) {
		if old[line] {
			continue
		}
		if owner, method, ok := strings.Cut(line, " interface {: "); ok && method != "}" && old[owner+" interface {"] && broken == "" {
			broken = line
		}
		if added == "" {
			added = line
		}
	}
	return broken, added
}

// declarations returns the lines of docs/api.txt, each after its package and the type or
// block that contains the line.
func declarations(api string) map[string]bool {
	lines := map[string]bool{}
	pkg, block := "", ""
	for line := range strings.Lines(api) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "package "):
			pkg = strings.Trim(strings.TrimPrefix(line, "package "), `"`)
			lines["package "+pkg] = true
		case strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "\t"):
			lines[pkg+": "+block+": "+strings.TrimSpace(line)] = true
		default:
			block = line
			lines[pkg+": "+line] = true
		}
	}
	return lines
}
