package main

import (
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
)

// report is the result of check.
type report struct {
	Prompts  int       `json:"prompts"` // that are valid
	Skills   int       `json:"skills"`  // that are valid
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`
	Findings []finding `json:"findings"`

	lines func(path string) []string
	color bool
}

// add adds what an inspection has found.
func (r *report) add(i *inspection, findings []finding) {
	r.Findings = append(r.Findings, findings...)
	r.Prompts += i.valid
	r.Skills += i.skills
	r.lines = i.lines
}

func (r *report) count() {
	for _, f := range r.Findings {
		switch f.Level {
		case levelError:
			r.Errors++
		case levelWarning:
			r.Warnings++
		case levelNote:
			r.Notes++
		}
	}
}

// formats has the functions that write a report, by the name of the format.
var formats = map[string]func(io.Writer, *report) error{
	"text":   writeText,
	"json":   writeJSON,
	"sarif":  writeSARIF,
	"github": writeGitHub,
}

func formatNames() []string { return slices.Sorted(maps.Keys(formats)) }

// writeText writes a report for people.
func writeText(w io.Writer, r *report) error {
	if err := writeFindings(w, r); err != nil {
		return err
	}
	valid := plural(r.Prompts, "valid prompt")
	if r.Skills > 0 {
		valid += ", " + plural(r.Skills, "valid skill")
	}
	_, err := fmt.Fprintf(w, "%s, %s, %s, %s\n", valid, plural(r.Errors, "error"), plural(r.Warnings, "warning"), plural(r.Notes, "note"))
	return err
}

// writeFindings writes each finding with the line that it is about.
func writeFindings(w io.Writer, r *report) error {
	var b strings.Builder
	paint := func(code, s string) string {
		if !r.color {
			return s
		}
		return styled(code, s)
	}
	codes := map[level]string{levelError: "1;31", levelWarning: "1;33", levelNote: "1;36"}
	for _, f := range r.Findings {
		place := f.Path
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
			if f.Column > 0 {
				place += fmt.Sprintf(":%d", f.Column)
			}
		}
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func writeJSON(w io.Writer, r *report) error {
	if r.Findings == nil {
		r.Findings = []finding{}
	}
	return writeIndented(w, r)
}

// writeGitHub writes workflow commands, which GitHub shows at the lines of a change.
func writeGitHub(w io.Writer, r *report) error {
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
	type text struct {
		Text string `json:"text"`
	}
	type rule struct {
		ID    string `json:"id"`
		Short text   `json:"shortDescription"`
	}
	type region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	type artifact struct {
		URI string `json:"uri"`
	}
	type physical struct {
		Artifact artifact `json:"artifactLocation"`
		Region   *region  `json:"region,omitempty"`
	}
	type location struct {
		Physical physical `json:"physicalLocation"`
	}
	type result struct {
		RuleID    string     `json:"ruleId"`
		Level     level      `json:"level"`
		Message   text       `json:"message"`
		Locations []location `json:"locations"`
	}
	type driver struct {
		Name    string `json:"name"`
		URI     string `json:"informationUri"`
		Version string `json:"version"`
		Rules   []rule `json:"rules"`
	}
	type tool struct {
		Driver driver `json:"driver"`
	}
	type run struct {
		Tool       tool     `json:"tool"`
		ColumnKind string   `json:"columnKind"`
		Results    []result `json:"results"`
	}
	one := run{ColumnKind: "unicodeCodePoints", Results: []result{}, Tool: tool{driver{
		Name: "prompts", URI: "https://github.com/mcp-prompts/prompts", Version: version(),
	}}}
	for _, r := range rules {
		one.Tool.Driver.Rules = append(one.Tool.Driver.Rules, rule{r.id, text{r.text}})
	}
	for _, f := range r.Findings {
		place := physical{Artifact: artifact{uriOf(repositoryPath(f.Path))}}
		if f.Line > 0 {
			place.Region = &region{f.Line, f.Column}
		}
		one.Results = append(one.Results, result{f.Rule, f.Level, text{withHint(f.Message, f.Hint)}, []location{{place}}})
	}
	return writeIndented(w, struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{one}})
}

// uriOf returns a path as a relative URI reference, or as a file URI if it is absolute.
func uriOf(p string) string {
	u := url.URL{Path: path.Clean(p)}
	if path.IsAbs(p) {
		u.Scheme = "file"
	}
	return u.String()
}
