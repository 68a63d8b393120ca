package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptfs"
)

type level string

const (
	levelError   level = "error"   // the prompt is not served, or cannot be rendered
	levelWarning level = "warning" // it is served, and probably not as it was meant
	levelNote    level = "note"    // a client cannot show it
	levelOff     level = "off"     // in settings alone: no finding
)

// rules are in the order of the documentation.
var rules = []struct{ id, text string }{
	{"file", "A file cannot be read, or is not a valid prompt."},
	{"skill", "A folder with a SKILL.md is not a valid skill."},
	{"case", "A test file is invalid, or has cases of a prompt that does not exist."},
	{"tool", "A prompt cannot be a tool, so serve --tools does not serve the prompt."},
	{"duplicate-name", "Two files have a prompt of the same name."},
	{"format", "The files of a folder are in the format of another program."},
	{"render", "A prompt cannot be rendered with values that its arguments accept."},
	{"values", "No generated value is valid for the arguments, so the prompt was not rendered."},
	{"front-matter", "Front matter is sent as text, because of its first line."},
	{"lost-text", "The end of a text, such as a description, is a comment, because of a #."},
	{"text", "A line is sent, and probably not meant so."},
	{"syntax", "A placeholder of another program is sent as text."},
	{"no-prompts", "A folder has no prompts."},
	{"dead-argument", "The value of an argument changes nothing in the messages."},
	{"no-description", "A prompt or an argument has no description."},
	{"size", "A file or a rendered prompt is large."},
	{"secret", "A text looks like a password or a key."},
	{"client", "A client cannot show the prompt."},
}

type finding struct {
	Path    string `json:"path"`             // with slashes, as the user gave the folder
	Line    int    `json:"line,omitempty"`   // from 1
	Column  int    `json:"column,omitempty"` // from 1, in characters
	Level   level  `json:"level"`
	Rule    string `json:"rule"`
	Prompt  string `json:"prompt,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // how to fix the error
	Diff    string `json:"diff,omitempty"` // what was found instead, of test

	limit string // of a client, which many prompts may have
}

// summed returns one note for each limit of a client: that of the first prompt, with the number of
// the prompts. All other findings stay.
func summed(all []finding) []finding {
	count := map[string]int{}
	for _, f := range all {
		count[f.limit]++
	}
	var some []finding
	for _, f := range all {
		if n := count[f.limit]; f.limit != "" && f.Level == levelNote {
			if count[f.limit] = 0; n == 0 {
				continue
			} else if n > 1 {
				client, _, _ := strings.Cut(f.limit, ": ")
				f.Message += fmt.Sprintf(" (and %s; see --client %q)", plural(n-1, "other prompt"), client)
			}
		}
		some = append(some, f)
	}
	return some
}

func (f *finding) Error() string {
	return printable(placeOf(f.Path, f.Line, f.Column)) + ": " + withHint(f.Message, f.Hint)
}

// placeOf returns a place as editors read it. Line and column are 0 if they are unknown.
func placeOf(path string, line, column int) string {
	for _, n := range []int{line, column} {
		if n == 0 {
			break
		}
		path += fmt.Sprintf(":%d", n)
	}
	return path
}

func byPlace(a, b finding) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, a.Column-b.Column)
}

func withHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "; " + hint
}

func findingOf(dir, rule string, err error) *finding {
	f := &finding{Path: dir, Level: levelError, Rule: rule, Message: err.Error()}
	var ofCases *cases.Error
	var ofFile *promptfs.Error
	switch {
	case errors.As(err, &ofCases):
		f.Path, f.Line, f.Message, f.Hint = prefixOf(dir)+ofCases.Path, ofCases.Line, ofCases.Err.Error(), ofCases.Hint
	case errors.As(err, &ofFile):
		f.Path, f.Line, f.Column, f.Message, f.Hint = prefixOf(dir)+ofFile.Path, ofFile.Line, ofFile.Column, ofFile.Err.Error(), ofFile.Hint
		if rule == "file" && errors.Is(err, promptfile.ErrDuplicateName) {
			f.Rule = "duplicate-name"
		}
	}
	return f
}

func all(err error) []error {
	switch e := err.(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		var errs []error
		for _, err := range e.Unwrap() {
			errs = append(errs, all(err)...)
		}
		return errs
	}
	return []error{err}
}

type findings struct {
	Findings []finding `json:"findings"`

	lines func(path string) []string
}

func (r *findings) writeText(w io.Writer) error {
	var b strings.Builder
	paint := painter(hasColor(w))
	codes := map[level]string{levelError: "1;31", levelWarning: "1;33", levelNote: "1;36"}
	for _, f := range summed(r.Findings) {
		place := placeOf(f.Path, f.Line, f.Column)
		fmt.Fprintf(&b, "%s: %s: %s [%s]\n", paint("1", printable(place)), paint(codes[f.Level], string(f.Level)), printable(f.Message), f.Rule)
		if lines := r.lines(f.Path); f.Line > 0 && f.Line <= len(lines) {
			text, offset := excerpt(lines[f.Line-1], f.Column)
			fmt.Fprintf(&b, "%5d | %s\n", f.Line, text)
			if f.Column > 0 {
				fmt.Fprintf(&b, "      | %s%s\n", strings.Repeat(" ", offset), paint(codes[f.Level], "^"))
			}
		}
		n := 0
		for line := range strings.Lines(f.Diff) {
			if n++; n > maxDiffLines {
				b.WriteString("  …\n")
				break
			}
			line = printable(strings.TrimSuffix(line, "\n"))
			if code := diffColors[line[:min(len(line), 1)]]; code != "" {
				line = paint(code, line)
			}
			b.WriteString("      " + line + "\n")
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "      = hint: %s\n", printable(f.Hint))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const maxDiffLines = 60 // that are shown

var diffColors = map[string]string{"-": "31", "+": "32", "@": "36"}

// writeGitHub writes workflow commands, which GitHub shows at the lines of a change.
func (r *findings) writeGitHub(w io.Writer) error {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	commands := map[level]string{levelError: "error", levelWarning: "warning", levelNote: "notice"}
	var b strings.Builder
	for _, f := range summed(r.Findings) {
		fmt.Fprintf(&b, "::%s file=%s", commands[f.Level], property.Replace(repositoryPath(f.Path)))
		if f.Line > 0 {
			fmt.Fprintf(&b, ",line=%d", f.Line)
		}
		if f.Column > 0 {
			fmt.Fprintf(&b, ",col=%d", f.Column)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property.Replace("prompts "+f.Rule), value.Replace(withHint(f.Message, f.Hint)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
