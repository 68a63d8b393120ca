package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// profile is what one of the hottest paths spends its time and memory on.
type profile struct {
	title       string
	time, space []flat
}

// flat is a function and its own share.
type flat struct{ function, value, share string }

// hottest are the paths that get a profile. What is prepared and verified is
// left out of it: only what the function in focus calls is counted.
var hottest = []struct{ title, bench, focus string }{
	{"prompts/get, 2025-11-25", "^BenchmarkGet$/^prompts$/^2025-11-25$/^plain$", `bench_test\.measure$`},
	{"prompts/list, page of 100 out of 10,000", "^BenchmarkList$/^prompts$/^page=100$", `bench_test\.measure$`},
	{"prompts/get over HTTP, 2025-11-25, the server's side", "^BenchmarkHTTP$/^prompts$/^2025-11-25$/^get$", `http\.\(\*conn\)\.serve$`},
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
		p := profile{title: path.title}
		// One after the other: to note where memory is allocated takes time.
		if p.time, err = takeProfile(folder, path.bench, path.focus, "cpu"); err != nil {
			return nil, err
		}
		if p.space, err = takeProfile(folder, path.bench, path.focus, "mem", "-memprofilerate", "4096"); err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}

// takeProfile runs a benchmark with a profile of its time, "cpu", or of what it
// allocates, "mem".
func takeProfile(folder, bench, focus, kind string, flags ...string) ([]flat, error) {
	program, file := filepath.Join(folder, "bench.test"), filepath.Join(folder, kind)
	args := []string{"test", "-run", "^$", "-bench", bench, "-benchtime", "3s", "-" + kind + "profile", file, "-o", program}
	if _, err := output("go", append(append(args, flags...), "./bench")...); err != nil {
		return nil, err
	}
	if kind == "mem" {
		return top(program, file, "-sample_index=alloc_space", "-focus="+focus)
	}
	return top(program, file, "-focus="+focus)
}

func top(program, file string, flags ...string) ([]flat, error) {
	args := append([]string{"tool", "pprof", "-top", "-flat", "-nodecount=10", "-relative_percentages"}, flags...)
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
		if len(fields) < 6 || fields[0] == "0" {
			continue // it only calls others
		}
		name := strings.TrimSuffix(strings.Join(fields[5:], " "), " (inline)")
		all = append(all, flat{shortened(name), fields[0], fields[1]})
	}
	if !inTable {
		return nil, fmt.Errorf("pprof has printed no table: %q", text)
	}
	return all, nil
}

// types are the type arguments in a function's name.
var types = regexp.MustCompile(`\[.*\]`)

// shortened leaves the path of the package out of a function's name, up to
// its last element, and type arguments.
func shortened(function string) string {
	function = types.ReplaceAllString(function, "[…]")
	return function[strings.LastIndex(function, "/")+1:]
}
