package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
)

// goEnv makes the Go command take the modules of the repository from DIR/proxy, and keep
// them out of the user's cache of modules. Other modules come from that cache, or else from
// the user's proxies. The builds are those of .ci/archives, and so are shared.
func (r *release) goEnv() ([]string, error) {
	out, err := output(r.root, "go", "env", "GOPROXY", "GOROOT")
	if err != nil {
		return nil, err
	}
	values := strings.Fields(out)
	cache := filepath.Join(r.work, "modules")
	if _, err := os.Stat(cache); err != nil {
		if _, err := output(r.root, ".ci/modcache", cache); err != nil {
			return nil, err
		}
	}
	return []string{
		// The Go that runs now, and none of the modules' choice.
		"GOTOOLCHAIN=local", "PATH=" + filepath.Join(values[1], "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GOMODCACHE=" + cache, "GOFLAGS=-modcacherw -trimpath", "CGO_ENABLED=0", "GOWORK=off", "GOVCS=*:git", "GOPRIVATE=", "GONOPROXY=none",
		"GONOSUMDB=" + r.path + "," + r.path + "/*",
		"GOPROXY=file://" + filepath.ToSlash(filepath.Join(r.dir, "proxy")) + "," + values[0],
	}, nil
}

// proxy makes DIR/proxy of what the Go command makes of DIR/repository.
func (r *release) proxy() error {
	env, err := r.goEnv()
	if err != nil {
		return err
	}
	env = append(env, "GONOPROXY="+r.path+","+r.path+"/*", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.file://"+filepath.ToSlash(filepath.Join(r.dir, "repository"))+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+r.path)
	args := []string{"mod", "download", "-json"}
	for _, m := range r.modules {
		args = append(args, m.path+"@"+r.version)
	}
	out, err := outputWith(r.work, env, "go", args...)
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var got struct{ Path, Version, Info, GoMod, Zip, Sum, GoModSum string }
		if err := dec.Decode(&got); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		i := slices.IndexFunc(r.modules, func(m *goModule) bool { return m.path == got.Path })
		want, err := r.sums(r.modules[i])
		if err != nil {
			return err
		}
		if !slices.Contains(want, got.Path+" "+got.Version+" "+got.Sum) {
			return fmt.Errorf("the Go command makes another zip of %s than the go.sum of the others says: %s", got.Path, got.Sum)
		}
		if err := r.publish(got.Path, got.Info, got.GoMod, got.Zip); err != nil {
			return err
		}
		r.say("%s@%s", got.Path, got.Version)
	}
}

// publish copies the files of a module into DIR/proxy.
func (r *release) publish(name string, files ...string) error {
	escaped, err := module.EscapePath(name)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, "proxy", filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.HasSuffix(file, ".info") {
			// The origin is a folder of this machine.
			var info struct {
				Version string
				Time    json.RawMessage
			}
			if err := json.Unmarshal(data, &info); err != nil {
				return err
			}
			if data, err = json.Marshal(info); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "list"), []byte(r.version+"\n"), 0o644)
}

// verify finds the imports of every module of the release's commit, tests included, in the
// modules of DIR/proxy. A go.mod or a go.sum that lacks something is an error. The code is
// that of the tested commit, and .ci/rehearsal installs what it prepares as a user does.
func (r *release) verify() error {
	env, err := r.goEnv()
	if err != nil {
		return err
	}
	for _, m := range r.modules {
		cmd := exec.Command("go", "mod", "tidy", "-diff")
		cmd.Dir, cmd.Env = filepath.Join(r.tree(), m.dir), append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("module %s: go mod tidy -diff: %w\n%s", m.path, err, out)
		}
		r.say("%s", m.path)
	}
	return nil
}

// hashGoMod returns the hash of a go.mod for a go.sum.
func hashGoMod(name string) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(name) })
}
