// Release prepares a release of all modules in a folder, and publishes nothing:
//
//	.ci/release [--skip-checks] [--systems LIST] VERSION DIR
//
// It refuses whatever a release must not be (refuse.go), commits the release in a bare
// clone (repository.go), lets the Go command make the files of a module proxy from that
// clone (proxy.go), and builds the archives, the image and server.json of the command
// (artifacts.go). DIR appears at the end or not at all. The same commit gives the same
// bytes.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	r, dir := parse(os.Args[1:])
	if err := r.run(dir); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// allSystems are the systems that a release has the command for. The first is that of the
// program which the bill of materials describes, and those of Linux are in the image.
var allSystems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// parse returns the release that the arguments of the command describe, and DIR. It ends
// the process if the arguments are not valid.
func parse(args []string) (r release, dir string) {
	flags := flag.NewFlagSet("release", flag.ExitOnError)
	flags.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: .ci/release [--skip-checks] [--systems LIST] VERSION DIR\n\nPrepares the release VERSION, such as v0.1.0, in the folder DIR.")
		flags.PrintDefaults()
	}
	flags.BoolVar(&r.skipChecks, "skip-checks", false, "leave out .ci/run and the search for known vulnerabilities; the output and notes.md then say NOT CHECKED")
	// All systems are the value of the flag, and not what its absence means: a release with the
	// flag and one without are prepared by the same code.
	systems := flags.String("systems", strings.Join(allSystems, ","), "comma-separated `list` of the systems to build the command for")
	_ = flags.Parse(args) // which ends the process
	if flags.NArg() != 2 {
		flags.Usage()
		os.Exit(2)
	}
	r.version, r.systems, r.out = flags.Arg(0), strings.Split(*systems, ","), os.Stdout
	return r, flags.Arg(1)
}

// release is the preparation of one release.
type release struct {
	version    string
	skipChecks bool
	systems    []string // to build the command for
	out        io.Writer

	start   time.Time
	root    string // of the working repository, which is only read; run makes it absolute
	dir     string // what becomes DIR
	work    string // a folder for everything that is removed at the end
	path    string // of the root module
	modules []*goModule
	last    string // the version of the last release; "" for the first
	entry   string // of the changelog
}

func (r *release) run(dir string) (err error) {
	r.start = time.Now()
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
		fmt.Fprintln(r.out, notChecked)
	}
	return nil
}

const notChecked = "NOT CHECKED: .ci/run and the search for known vulnerabilities were left out by --skip-checks."

// say shows a line with the time since the start, like the steps of .ci/run.
func (r *release) say(format string, args ...any) {
	seconds := int(time.Since(r.start).Seconds())
	fmt.Fprintf(r.out, "%s (at %d:%02d)\n", fmt.Sprintf(format, args...), seconds/60, seconds%60)
}

// show runs a command like outputWith, and shows each line of its standard output at once.
func (r *release) show(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		r.say("%s", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return nil
}

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
