package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// profile is what one of the hottest paths spends its time and memory on.
type profile struct {
	title       string
	time, space []flat
}

// flat is a function and its own share.
type flat struct{ function, value, share string }

// hottest are the paths that get a profile.
var hottest = []struct{ title, bench string }{
	{"prompts/get, 2025-11-25", "^BenchmarkGet$/^prompts$/^2025-11-25$/^plain$"},
	{"prompts/list, page of 100 out of 10,000", "^BenchmarkList$/^prompts$/^page=100$"},
	{"prompts/get over HTTP, 2025-11-25, its client included", "^BenchmarkHTTP$/^prompts$/^2025-11-25$/^get$"},
}

// takeProfiles runs the hottest paths again, with profiles.
func takeProfiles() ([]profile, error) {
	folder, err := os.MkdirTemp("", "profiles")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var profiles []profile
	for _, path := range hottest {
		program, cpu, memory := filepath.Join(folder, "bench.test"), filepath.Join(folder, "cpu"), filepath.Join(folder, "memory")
		_, err := output("go", "test", "-run", "^$", "-bench", path.bench, "-benchtime", "3s",
			"-cpuprofile", cpu, "-memprofile", memory, "-memprofilerate", "4096", "-o", program, "./bench")
		if err != nil {
			return nil, err
		}
		p := profile{title: path.title}
		// What is prepared and verified is not what is measured.
		if p.time, err = top(program, cpu, "-focus=measure"); err != nil {
			return nil, err
		}
		if p.space, err = top(program, memory, "-sample_index=alloc_space", "-focus=measure"); err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}

func top(program, file string, flags ...string) ([]flat, error) {
	args := append([]string{"tool", "pprof", "-top", "-flat", "-nodecount=10"}, flags...)
	text, err := output("go", append(args, program, file)...)
	if err != nil {
		return nil, err
	}
	return parseTop(text)
}

// parseTop reads the table that pprof prints: flat, flat%, sum%, cum, cum% and
// the name of the function.
func parseTop(text string) ([]flat, error) {
	var all []flat
	inTable := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if !inTable {
			inTable = len(fields) == 5 && fields[0] == "flat"
			continue
		}
		if len(fields) < 6 {
			continue
		}
		name := strings.TrimSuffix(strings.Join(fields[5:], " "), " (inline)")
		all = append(all, flat{shortened(name), fields[0], fields[1]})
	}
	if !inTable {
		return nil, fmt.Errorf("pprof has printed no table: %q", text)
	}
	return all, nil
}

// shortened leaves the path of the package out of a function's name, up to
// its last element.
func shortened(function string) string {
	head, types, _ := strings.Cut(function, "[")
	if i := strings.LastIndex(head, "/"); i >= 0 {
		head = head[i+1:]
	}
	if types != "" {
		return head + "[" + types
	}
	return head
}
