package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// goModule is a module of the repository.
type goModule struct {
	path  string // of the module
	dir   string // from the root of the repository; "." for the root module
	needs []*goModule
	file  *modfile.File
}

// tag returns the name of the module's tag.
func (m *goModule) tag(version string) string {
	if m.dir == "." {
		return version
	}
	return m.dir + "/" + version
}

// readModules returns the modules of the repository in an order in which each comes
// after those that it requires. It returns an error for what a release cannot resolve.
func readModules(root string) ([]*goModule, error) {
	list, err := output(root, "git", "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	byPath := map[string]*goModule{}
	var all []*goModule
	for _, name := range strings.Fields(list) {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		file, err := modfile.Parse(name, data, nil)
		if err != nil {
			return nil, err
		}
		m := &goModule{path: file.Module.Mod.Path, dir: path.Dir(name), file: file}
		byPath[m.path] = m
		all = append(all, m)
	}
	i := slices.IndexFunc(all, func(m *goModule) bool { return m.dir == "." })
	if i < 0 {
		return nil, fmt.Errorf("%s has no go.mod", root)
	}
	for _, m := range all {
		if err := m.resolve(byPath, all[i].path); err != nil {
			return nil, err
		}
	}
	return sorted(all)
}

// resolve finds the modules of the repository that m requires, all of which it replaces by
// their folders.
func (m *goModule) resolve(byPath map[string]*goModule, root string) error {
	replaced := map[string]bool{}
	for _, r := range m.file.Replace {
		if other := byPath[r.Old.Path]; other == nil || path.Join(m.dir, r.New.Path) != other.dir {
			return fmt.Errorf("%s/go.mod replaces %s by %s, which a release cannot; require a released version", m.dir, r.Old.Path, r.New.Path)
		}
		replaced[r.Old.Path] = true
	}
	for _, require := range m.file.Require {
		name := require.Mod.Path
		if name != root && !strings.HasPrefix(name, root+"/") {
			continue
		}
		if byPath[name] == nil || !replaced[name] {
			return fmt.Errorf("%s/go.mod requires %s %s, which is not in the repository; add the module, or remove the requirement", m.dir, name, require.Mod.Version)
		}
		m.needs = append(m.needs, byPath[name])
	}
	return nil
}

// sorted returns the modules in the order of their requirements.
func sorted(modules []*goModule) ([]*goModule, error) {
	var order, within []*goModule
	var visit func(m *goModule) error
	visit = func(m *goModule) error {
		if slices.Contains(order, m) {
			return nil
		}
		if slices.Contains(within, m) {
			return fmt.Errorf("module %s requires itself through others; remove one of the requirements", m.path)
		}
		within = append(within, m)
		for _, needed := range m.needs {
			if err := visit(needed); err != nil {
				return err
			}
		}
		order = append(order, m)
		return nil
	}
	for _, m := range modules {
		if err := visit(m); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// write writes the go.mod of a release: every module of the repository is required at the
// version, and none is replaced.
func (m *goModule) write(root, version string) error {
	for _, r := range slices.Clone(m.file.Replace) {
		if err := m.file.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return err
		}
	}
	for _, needed := range m.needs {
		if err := m.file.AddRequire(needed.path, version); err != nil {
			return err
		}
	}
	m.file.Cleanup()
	data, err := m.file.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, m.dir, "go.mod"), data, 0o644)
}
