// Release prepares a release of all modules in a folder, and publishes nothing:
//
//	.ci/release [--skip-checks] VERSION DIR
//
// It refuses whatever a release must not be (refuse.go), commits the release in a bare
// clone (repository.go), lets the Go command make the files of a module proxy from that
// clone (proxy.go), and builds the archives, the image and server.json of the command
// (artifacts.go). DIR appears at the end or not at all. The same commit gives the same
// bytes.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: .ci/release [--skip-checks] VERSION DIR\n\nPrepares the release VERSION, such as v0.1.0, in the folder DIR.")
		flag.PrintDefaults()
	}
	skip := flag.Bool("skip-checks", false, "leave out .ci/run and the search for known vulnerabilities; the output and notes.md then say NOT CHECKED")
	systems := flag.String("systems", "", "build the command for these `systems` only, such as linux/amd64,linux/arm64")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	r := release{version: flag.Arg(0), skipChecks: *skip, systems: strings.FieldsFunc(*systems, func(c rune) bool { return c == ',' }), out: os.Stdout}
	if err := r.run(flag.Arg(1)); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// release is the preparation of one release.
type release struct {
	version    string
	skipChecks bool
	systems    []string // to build the command for; nil for all
	out        io.Writer

	root    string // of the working repository, which is only read; run makes it absolute
	dir     string // what becomes DIR
	work    string // a folder for everything that is removed at the end
	path    string // of the root module
	modules []*goModule
	last    string // the version of the last release; "" for the first
	entry   string // of the changelog
}

func (r *release) run(dir string) (err error) {
	root, err := output(r.root, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	r.root = strings.TrimSpace(root)
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := r.refuse(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	// In the folder of DIR, so that it can be renamed.
	if r.work, err = os.MkdirTemp(filepath.Dir(dir), ".release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	r.dir = filepath.Join(r.work, "dir")
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"The commit of the release and its tags", r.commit},
		{"The module proxy", r.proxy},
		{"Every module is complete without the working repository", r.verify},
		{"The archives of the command", r.archives},
		{"The image and server.json", r.image},
		{"The notes", r.notes},
	} {
		r.say("== %s", step.name)
		if err := step.do(); err != nil {
			return err
		}
	}
	_ = os.Remove(dir) // an empty one
	if err := os.Rename(r.dir, dir); err != nil {
		return err
	}
	r.say("%s is prepared in %s; nothing is published", r.version, dir)
	if r.skipChecks {
		r.say(notChecked)
	}
	return nil
}

const notChecked = "NOT CHECKED: .ci/run and the search for known vulnerabilities were left out by --skip-checks."

func (r *release) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

// output runs a command in a folder and returns its standard output.
func output(dir, name string, args ...string) (string, error) {
	return outputWith(dir, nil, name, args...)
}

// outputWith is output with further variables of the environment.
func outputWith(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.String(), nil
}
