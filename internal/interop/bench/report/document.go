package main

import (
	"fmt"
	"runtime"
	"strings"
)

const preamble = `# Benchmarks

What the library costs, beside the official Go SDK (go-sdk) and mcp-go: the same prompts, requests and sizes, on one
machine, in one run of ` + "`go test -bench`" + `. Every server has to give the right answers before it is timed. This page is
written by

` + "```sh\ncd internal/interop && go run ./bench/report\n```" + `

which takes some 20 minutes on an otherwise idle machine; ` + "`-quick`" + ` takes the sizes up to 10,000. What each benchmark does
is in [internal/interop/bench](../internal/interop/bench/doc.go).
`

const reading = `
Every figure is the median of all measurements; after ± is half of their range. Memory is what one operation allocates,
if nothing else is said. "over 10 s" is what was not measured, because one operation takes longer than that.
`

func document(m *measurements, c circumstances, profiles []profile) string {
	var b strings.Builder
	b.WriteString(preamble)
	if c.note != "" {
		fmt.Fprintf(&b, "\n**%s**\n", c.note)
	}
	b.WriteString("\n| | |\n|---|---|\n")
	for _, line := range [][2]string{
		{"machine", fmt.Sprintf("%s, %d cores, %s/%s", c.machine, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)},
		{"Go", strings.TrimPrefix(c.goes, "go")},
		{"prompts", "commit " + c.ours},
		{"go-sdk", c.versions["go-sdk"]},
		{"mcp-go", c.versions["mcp-go"]},
		{"date", c.date},
		{"measured", fmt.Sprintf("%d times, for %v at least each time", c.count, c.time)},
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", line[0], line[1])
	}
	b.WriteString(reading)
	fmt.Fprintf(&b, "\n## The design's targets\n\n%s\n", summary(m))
	b.WriteString("\n## Side by side\n")
	b.WriteString(comparison(m))
	b.WriteString("\n" + notes)
	b.WriteString("\n## Growth\n\nThe exponent is that of the straight line that fits best where both axes are logarithmic: 0 is constant, 1 linear,\n2 quadratic; below it is that of the sizes from 1,000 on, where what does not grow weighs less. Both axes of every chart\nare logarithmic.\n")
	b.WriteString(growth(m))
	b.WriteString(profileSection(profiles))
	return b.String()
}

// summary counts the targets that are met, and names the others.
func summary(m *measurements) string {
	met := 0
	var missed []string
	for _, s := range rows() {
		topic := ""
		for _, r := range s.rows {
			if !strings.HasPrefix(r.text, "— ") {
				topic = r.text
			}
			switch r.verdict(m) {
			case "met":
				met++
			case "not met":
				value, _ := r.value(m)
				bound, _ := r.bound(m, r)
				what := s.title + ", " + topic
				if topic != r.text {
					what += " " + r.text
				}
				missed = append(missed, fmt.Sprintf("- %s: %s, which is %s the bound of %s", what, format(value, r.unit), ratio(value, bound), format(bound, r.unit)))
			}
		}
	}
	text := fmt.Sprintf("%d of %d that could be measured are met.", met, met+len(missed))
	if len(missed) > 0 {
		text += " The others:\n\n" + strings.Join(missed, "\n")
	}
	return text
}

func profileSection(profiles []profile) string {
	if len(profiles) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Profiles\n\nWhat is left in the three hottest paths of prompts: the functions with the largest shares of their own, and the shares.\n")
	for _, p := range profiles {
		fmt.Fprintf(&b, "\n### %s\n\n| time | | function | memory | | function |\n|---:|---:|---|---:|---:|---|\n", p.title)
		for i := range max(len(p.time), len(p.space)) {
			fmt.Fprintf(&b, "| %s | %s |\n", flatCells(p.time, i), flatCells(p.space, i))
		}
	}
	return b.String()
}

func flatCells(all []flat, i int) string {
	if i >= len(all) {
		return " | | "
	}
	return fmt.Sprintf("%s | %s | `%s`", all[i].value, all[i].share, all[i].function)
}
