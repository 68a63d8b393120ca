package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// runBenchmarks runs all of them in one go test, and keeps what they print.
func runBenchmarks(o options) error {
	f, err := os.Create(o.raw)
	if err != nil {
		return err
	}
	sizes := "-full"
	if o.quick {
		sizes = "-quick"
	}
	c := exec.Command("go", "test", "-timeout", "0", "-run", "^$", "-bench", ".",
		"-benchtime", o.benchTime.String(), "-count", fmt.Sprint(o.count), "./bench", sizes)
	c.Stdout, c.Stderr = io.MultiWriter(f, os.Stderr), os.Stderr
	return errors.Join(c.Run(), f.Close())
}

// output runs a command and returns what it prints, without white space
// around it.
func output(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
