package main

import (
	"embed"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"time"
)

// project stands for whatever a real server would read. It is part of the
// program, so the example answers the same wherever it runs.
//
//go:embed project
var project embed.FS

// recentLog returns the lines of the log that are no older than the period
// before its last line.
func recentLog(period time.Duration) (string, error) {
	log, err := fs.ReadFile(project, "project/app.log")
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	var end time.Time
	for i := len(lines) - 1; i >= 0; i-- {
		stamp, _, _ := strings.Cut(strings.TrimPrefix(lines[i], "["), "]")
		at, err := time.Parse(time.DateTime, stamp)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", i+1, err)
		}
		if end.IsZero() {
			end = at
		}
		if end.Sub(at) > period {
			return strings.Join(lines[i+1:], "\n"), nil
		}
	}
	return strings.Join(lines, "\n"), nil
}

// readSource returns a source file of the project by its URI, such as
// file:///project/network.py. What a client sends is not to be trusted: the
// file system here has no way out of the project.
func readSource(uri *url.URL) (string, error) {
	if uri.Scheme != "file" || uri.Host != "" {
		return "", fmt.Errorf("%s: %w", uri, fs.ErrNotExist)
	}
	source, err := fs.ReadFile(project, strings.TrimPrefix(uri.Path, "/"))
	return string(source), err
}
