package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file checks the steps of a get in docs/architecture.md: each function runs in each get, in
// the order of the table.

// steps are the functions of the table of steps.
type steps []struct{ file, name string }

// row is a row of the table of steps.
var row = regexp.MustCompile("(?m)^\\| \\d+ \\| [^|]+ \\| `([^`]+)` \\| `([^`]+)` \\|$")

func readSteps() (all steps, err error) {
	page, err := os.ReadFile("docs/architecture.md")
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		all = append(all, struct{ file, name string }{m[1], m[2]})
	}
	if err == nil && len(all) < 20 {
		err = fmt.Errorf("docs/architecture.md: %d steps of a get instead of 20 or more", len(all))
	}
	if err == nil && !slices.ContainsFunc(all, func(s struct{ file, name string }) bool { return s.name == waiting }) {
		err = fmt.Errorf("docs/architecture.md: no step %s; name the step that waits for a message in the constant waiting", waiting)
	}
	return all, err
}

// waiting is the step that begins before its message comes. It counts where it ends.
const waiting = "Conn.Read"

// check returns an error for the steps that are not on the way, or not in the order of the
// table. dir is for a program in which each function of the table prints its number.
func (all steps) check(way map[string]bool, dir string) error {
	var errs []error
	for _, s := range all {
		if !way[s.file+" "+s.name] {
			errs = append(errs, fmt.Errorf("docs/architecture.md: %s in %s is not on the way of a get", s.name, s.file))
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	printed, err := all.trace(dir)
	if err != nil {
		return err
	}
	return all.checkOrder(printed)
}

// checkOrder compares the order of the last get with that of the table. A step that runs once for
// all messages is not compared.
func (all steps) checkOrder(printed []int) error {
	last := len(all) - 1 // the write of the response
	var ends []int       // of gets
	for at, n := range printed {
		if n == last {
			ends = append(ends, at)
		}
	}
	if len(ends) < few {
		return fmt.Errorf("docs/architecture.md: %s, the last step, has run %d times", all[last].name, len(ends))
	}
	get := printed[ends[len(ends)-2]+1 : ends[len(ends)-1]+1]
	var errs []error
	before := -1
	for i, s := range all {
		at := slices.Index(get, i)
		if at < 0 {
			continue
		}
		if at < before {
			errs = append(errs, fmt.Errorf("docs/architecture.md: %s is too late in the table of steps", s.name))
		}
		before = max(before, at)
	}
	return errors.Join(errs...)
}

// trace makes the journey of a get, and returns the numbers of the steps in the order in which they
// begin.
func (all steps) trace(dir string) ([]int, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for i, s := range all {
		real, err := filepath.Abs(s.file)
		if err != nil {
			return nil, err
		}
		changed := overlay.Replace[real]
		if changed == "" {
			changed = filepath.Join(dir, fmt.Sprintf("step%d.go", i))
			overlay.Replace[real] = changed
			text, err := os.ReadFile(real)
			if err == nil {
				err = os.WriteFile(changed, text, 0o600)
			}
			if err != nil {
				return nil, err
			}
		}
		spans, err := functionsOf(changed)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(changed)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(spans, func(f span) bool { return f.name == s.name })
		report := fmt.Sprintf(`println("step", %d);`, i)
		if s.name == waiting {
			report = "defer " + report
		}
		if err := os.WriteFile(changed, slices.Concat(text[:spans[at].body], []byte(report), text[spans[at].body:]), 0o600); err != nil {
			return nil, err
		}
	}
	config, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	file, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "traced")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return nil, err
	}
	if err := run(nil, "go", "-C", "internal/dev", "build", "-overlay", file, "-o", program, "./journey"); err != nil {
		return nil, err
	}
	var printed bytes.Buffer
	cmd := exec.Command(program, "0", strconv.Itoa(few))
	cmd.Stderr = &printed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, &printed)
	}
	var numbers []int
	for line := range strings.Lines(printed.String()) {
		var n int
		if _, err := fmt.Sscanf(line, "step %d", &n); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}
