package main

import (
	"fmt"
	"strings"
)

// comparison is the table of all rows.
func comparison(m *measurements) string {
	var b strings.Builder
	for _, s := range rows() {
		fmt.Fprintf(&b, "\n### %s\n\n", s.title)
		b.WriteString("| | prompts | go-sdk | mcp-go | go-sdk ÷ prompts | mcp-go ÷ prompts | target | |\n")
		b.WriteString("|---|---:|---:|---:|---:|---:|---|---|\n")
		for _, r := range s.rows {
			b.WriteString(r.line(m))
		}
	}
	return b.String()
}

func (r row) line(m *measurements) string {
	cells := []string{r.text, "", "", "", "", "", r.text, ""}
	cells[6] = r.target.text
	cells[7] = r.verdict(m)
	ours, ok := r.value(m)
	if ok {
		cells[1] = format(ours, r.unit) + r.scatter(m)
	} else {
		cells[1] = absent(m, r.ours)
	}
	if !r.alone {
		for i, library := range []string{"go-sdk", "mcp-go"} {
			k := key{r.ours.work, library, r.ours.name}
			theirs, measured := m.median(k, r.unit)
			switch {
			case !measured:
				cells[2+i] = absent(m, k)
			default:
				cells[2+i] = format(theirs, r.unit)
				if ok {
					cells[4+i] = ratio(theirs, ours)
				}
			}
		}
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// scatter says how far the measurements of time lie apart.
func (r row) scatter(m *measurements) string {
	all := m.values[r.ours][r.unit]
	if r.minus != "" || len(all) < 2 || !strings.HasSuffix(r.unit, "ns/op") {
		return ""
	}
	return fmt.Sprintf(" ± %.0f %%", 100*spread(all))
}

// absent says why there is no measurement.
func absent(m *measurements, k key) string {
	if m.tooSlow(k) {
		return overLimit()
	}
	return "–"
}
