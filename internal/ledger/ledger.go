package main

import (
	"fmt"
	"regexp"
	"strings"
)

// pageName is the ledger's place in the repository.
const pageName = "docs/ledger.md"

// ledger is what docs/ledger.md says.
type ledger struct {
	rows       []row // in the page's order
	index      map[id]int
	outOfScope map[id]string // the reasons
}

// row is a requirement, or a gap.
type row struct {
	id    id
	level string // as in the page, with its mark; "GAP" for a gap
	text  string
}

// The forms of the page.
var (
	groupHeading = regexp.MustCompile(`^## ([A-Z]{3}) — `)
	idCell       = regexp.MustCompile(`^([A-Z]{3})-(\d\d)$`)
	scopeCell    = regexp.MustCompile(`^([A-Z]{3})-(\d\d)(?:…([A-Z]{3})-(\d\d))?$`)
	levelCell    = regexp.MustCompile(`^(?:MUST|MUST NOT|SHOULD|SHOULD NOT|MAY)[†‡]?$`)
	ruler        = regexp.MustCompile(`^\|(?:---\|)+$`)
)

const (
	scopeHeading = "## Out of scope"
	scopeHeader  = "| Id | Reason |"
	gapGroup     = "GAP"
	gapHeader    = "| Id | Question | What there is to go on | Recommended |"
	groupHeader  = "| Id | Level | Rev. | Requirement | Source |"
)

// parseLedger reads the page, and returns everything that is wrong with its
// form: what it cannot read must not go missing.
func parseLedger(page string) (*ledger, []string) {
	p := pageReader{ledger: &ledger{index: map[id]int{}, outOfScope: map[id]string{}}, groups: map[string]bool{}}
	for i, line := range strings.Split(page, "\n") {
		p.line = i + 1
		p.read(strings.TrimSuffix(line, "\r"))
	}
	if len(p.ledger.rows) == 0 {
		p.line = 1
		p.fault("the page has no rows")
	}
	p.checkScope()
	return p.ledger, p.faults
}

// pageReader reads the page line by line.
type pageReader struct {
	ledger *ledger
	faults []string

	line   int
	groups map[string]bool // all so far
	header string          // of this section's tables; "" where none belongs
	group  string          // that the section defines; "" if it is none that does
	last   int             // number of the group's last row
	next   tablePart
	scope  []scopeRow
}

// tablePart is what the next line of a table has to be.
type tablePart int

const (
	tableHeader tablePart = iota
	tableRuler
	tableRow
)

type scopeRow struct {
	line   int
	ids    []id
	reason string
}

func (p *pageReader) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf("%s:%d: ", pageName, p.line)+fmt.Sprintf(format, args...))
}

func (p *pageReader) read(line string) {
	switch {
	case strings.HasPrefix(line, "## "):
		p.section(line)
	case !strings.HasPrefix(line, "|"):
		p.next = tableHeader
	case p.header == "":
		p.fault("a table that is neither in a group nor in %q", scopeHeading)
	case p.next == tableHeader:
		if line != p.header {
			p.fault("the table begins with %s and not with %s", line, p.header)
		}
		p.next = tableRuler
	case p.next == tableRuler:
		if !ruler.MatchString(line) || strings.Count(line, "|") != strings.Count(p.header, "|") {
			p.fault("there has to be a ruler below the table's head")
		}
		p.next = tableRow
	default:
		p.row(line)
	}
}

func (p *pageReader) section(line string) {
	p.next, p.group, p.header, p.last = tableHeader, "", "", 0
	if line == scopeHeading {
		p.header = scopeHeader
		return
	}
	m := groupHeading.FindStringSubmatch(line)
	if m == nil {
		return
	}
	p.group, p.header = m[1], groupHeader
	if p.group == gapGroup {
		p.header = gapHeader
	}
	if p.groups[p.group] {
		p.fault("a second group %s", p.group)
	}
	p.groups[p.group] = true
}

func (p *pageReader) row(line string) {
	cells := splitCells(line)
	if want := strings.Count(p.header, "|") - 1; len(cells) != want {
		p.fault("%d cells instead of %d", len(cells), want)
		return
	}
	for i, cell := range cells {
		if cell == "" {
			p.fault("cell %d is empty", i+1)
		}
	}
	if p.group == "" {
		p.scopeRow(cells[0], cells[1])
		return
	}
	m := idCell.FindStringSubmatch(cells[0])
	if m == nil {
		p.fault("%q is no id", cells[0])
		return
	}
	r := row{id: parseID(m[1], m[2]), level: gapGroup, text: cells[1]}
	if p.group != gapGroup {
		r.level, r.text = cells[1], cells[3]
		if !levelCell.MatchString(r.level) {
			p.fault("%v has the level %q", r.id, r.level)
		}
	}
	// One after the other: a row that was lost, doubled or misplaced shows.
	if want := (id{p.group, p.last + 1}); r.id != want {
		p.fault("%v instead of %v", r.id, want)
	}
	p.last = r.id.number
	if _, ok := p.ledger.index[r.id]; ok {
		return
	}
	p.ledger.index[r.id] = len(p.ledger.rows)
	p.ledger.rows = append(p.ledger.rows, r)
}

func (p *pageReader) scopeRow(which, reason string) {
	m := scopeCell.FindStringSubmatch(which)
	if m == nil {
		p.fault("%q is neither an id nor a range such as AAA-01…AAA-02", which)
		return
	}
	ids := []id{parseID(m[1], m[2])}
	if m[3] != "" {
		var err error
		if ids, err = ids[0].upTo(parseID(m[3], m[4])); err != nil {
			p.fault("%v", err)
			return
		}
	}
	p.scope = append(p.scope, scopeRow{p.line, ids, reason})
}

// checkScope waits for the end of the page: the section may come before rows
// that it names.
func (p *pageReader) checkScope() {
	for _, s := range p.scope {
		p.line = s.line
		for _, i := range s.ids {
			if _, ok := p.ledger.index[i]; !ok {
				p.fault("there is no row %v to be out of scope", i)
				continue
			}
			if _, ok := p.ledger.outOfScope[i]; ok {
				p.fault("%v is out of scope twice", i)
			}
			p.ledger.outOfScope[i] = s.reason
		}
	}
}

// splitCells returns the cells of a table's line. A bar with a backslash is
// part of its cell. A line that does not end with a bar has no cells.
func splitCells(line string) []string {
	var cells []string
	start := 1
	for i := 1; i < len(line); i++ {
		if line[i] == '|' && line[i-1] != '\\' {
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
	}
	if strings.TrimSpace(line[start:]) != "" {
		return nil
	}
	return cells
}
