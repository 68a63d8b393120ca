package main

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/spf13/cobra"
)

// report is the result of check.
type report struct {
	Prompts  int `json:"prompts"` // that are valid
	Skills   int `json:"skills"`  // that are valid
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	findings
}

// findings are what a report lists, and what its text form needs.
type findings struct {
	Findings []finding `json:"findings"`

	lines func(path string) []string
	color bool
}

// add adds what an inspection has found.
func (r *report) add(i *inspection, found []finding) {
	r.Findings = append(r.Findings, found...)
	r.Prompts += i.valid
	r.Skills += i.skills
	r.lines = i.lines
}

func (r *report) count() {
	counts := map[level]*int{levelError: &r.Errors, levelWarning: &r.Warnings, levelNote: &r.Notes}
	for _, f := range r.Findings {
		*counts[f.Level]++
	}
}

// formats has the functions that write a report, by the name of the format.
var formats = map[string]func(io.Writer, *report) error{
	"text":   writeText,
	"json":   func(w io.Writer, r *report) error { return writeIndented(w, r) },
	"sarif":  writeSARIF,
	"github": func(w io.Writer, r *report) error { return r.writeGitHub(w) },
}

// addFormat adds the flag --format, which the command checks before it runs, and returns a
// function that writes a report in the format.
func addFormat[R any](cmd *cobra.Command, formats map[string]func(io.Writer, R) error) (write func(io.Writer, R) error) {
	names := sortedNames(formats)
	format := cmd.Flags().String("format", "text", "output format: "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if formats[*format] == nil {
			return unknown("format", *format, names)
		}
		return nil
	}
	return func(w io.Writer, r R) error { return formats[*format](w, r) }
}

// painter returns a function that styles a text, if the output has colors.
func painter(hasColor bool) func(code, s string) string {
	if hasColor {
		return styled
	}
	return func(_, s string) string { return s }
}

// writeText writes a report for people.
func writeText(w io.Writer, r *report) error {
	if err := r.writeText(w); err != nil {
		return err
	}
	valid := plural(r.Prompts, "valid prompt")
	if r.Skills > 0 {
		valid += ", " + plural(r.Skills, "valid skill")
	}
	_, err := fmt.Fprintf(w, "%s, %s, %s, %s\n", valid, plural(r.Errors, "error"), plural(r.Warnings, "warning"), plural(r.Notes, "note"))
	return err
}

// writeText writes each finding with the line that it is about.
func (r *findings) writeText(w io.Writer) error {
	var b strings.Builder
	paint := painter(r.color)
	codes := map[level]string{levelError: "1;31", levelWarning: "1;33", levelNote: "1;36"}
	for _, f := range r.Findings {
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

// diffColors are the colors of the lines of a diff, by how they begin.
var diffColors = map[string]string{"-": "31", "+": "32", "@": "36"}

// excerptWidth is how many characters of a line are shown.
const excerptWidth = 100

// excerpt returns the part of a line around a column, and the width of what is before
// the column.
func excerpt(line string, column int) (text string, offset int) {
	runes := []rune(printable(line))
	at := max(column-1, 0)
	first := 0
	if len(runes) > excerptWidth && at > excerptWidth*3/4 {
		first = min(at-excerptWidth/2, len(runes))
	}
	last := min(len(runes), first+excerptWidth)
	text = string(runes[first:last])
	offset = min(at-first, last-first)
	if first > 0 {
		text, offset = "…"+text, offset+1
	}
	if last < len(runes) {
		text += "…"
	}
	return text, offset
}

// shortened returns the beginning of a text on one line.
func shortened(s string) string {
	text, _ := excerpt(s, 0)
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeGitHub writes workflow commands, which GitHub shows at the lines of a change.
func (r *findings) writeGitHub(w io.Writer) error {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	commands := map[level]string{levelError: "error", levelWarning: "warning", levelNote: "notice"}
	var b strings.Builder
	for _, f := range r.Findings {
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

// writeSARIF writes SARIF 2.1.0, which code scanning services read.
func writeSARIF(w io.Writer, r *report) error {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	known, results := []object{}, []object{}
	for _, r := range rules {
		known = append(known, object{"id": r.id, "shortDescription": text(r.text)})
	}
	for _, f := range r.Findings {
		place := object{"artifactLocation": object{"uri": uriOf(repositoryPath(f.Path))}}
		if f.Line > 0 {
			region := object{"startLine": f.Line}
			if f.Column > 0 {
				region["startColumn"] = f.Column
			}
			place["region"] = region
		}
		results = append(results, object{"ruleId": f.Rule, "level": f.Level, "message": text(withHint(f.Message, f.Hint)), "locations": []object{{"physicalLocation": place}}})
	}
	driver := object{"name": "prompts", "informationUri": "https://github.com/mcp-prompts/prompts", "version": version(), "rules": known}
	return writeIndented(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}},
	})
}

// uriOf returns a path as a relative URI reference, or as a file URI if it is absolute.
func uriOf(p string) string {
	u := url.URL{Path: path.Clean(p)}
	if path.IsAbs(p) {
		u.Scheme = "file"
	}
	return u.String()
}
